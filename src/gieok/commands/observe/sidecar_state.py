"""State of the sidecar for `gieok status`.

The state says whether the daemon runs, who observes, what waits, and what models cost today.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from gieok import paths
from gieok.code.index import watch_list
from gieok.commands.command import Style, printable
from gieok.commands.encode import Hidden, OrNull, mark_encoded_getter
from gieok.errors import GieokError, StoreError
from gieok.flow.generate import spent_tokens
from gieok.home import models
from gieok.home.call import Call
from gieok.memory.exchange import notes
from gieok.memory.talk import turns
from gieok.model.conversation import Incident
from gieok.processes.client import DaemonStatus
from gieok.text.messages import Words


class DaemonState(NamedTuple):
    """Running daemon: since when it runs, and what each of its parts does."""

    pid: int
    since: str
    parts: Mapping[str, str]


class IncidentRow(NamedTuple):
    """Open incident, and since when it is open."""

    name: str
    detail: str
    since: datetime


class ProjectState(NamedTuple):
    """Project that the daemon keeps indexed, and the daemon's report on it."""

    root: str
    state: OrNull[str]


_NOT_RUNNING = Words("not running")
_NOT_WATCHED = Words("not watched, as no daemon runs: `gieok up`")


#: Turns from which their size is told: an empty database has megabytes of its own.
_FEWEST_MEASURED = 1_000


class TurnCounts(NamedTuple):
    """Number of turns and of messages not searchable yet, and local bytes per turn.

    The turns are those of all scopes; the bytes are those of journal and index.
    """

    kept: int
    waiting: int
    bytes_each: int

    def line(self, style: Style) -> str:
        """Return the counts as a line for people."""
        waits = (
            style.say(", {waiting:,} messages wait", waiting=self.waiting) if self.waiting else ""
        )
        if self.kept < _FEWEST_MEASURED:
            return style.say("  turns: {kept:,} kept", kept=self.kept) + waits
        counts = style.say(
            "  turns: {kept:,} kept, {bytes_each:,} bytes each",
            kept=self.kept,
            bytes_each=self.bytes_each,
        )
        return counts + waits


@dataclass(frozen=True, slots=True)
class SidecarState:
    """State of the sidecar.

    `running` is None where no daemon answers; `observer` is a model, or `rules`.
    """

    running: Hidden[DaemonStatus | None]
    observer: str
    #: The embedder, which decides how well rules judge: by vectors, where it is e5.
    judged_by: Hidden[str] = ""
    #: Why nothing can be observed under these settings, and what to do; no model is called to find
    #: out.
    stopped: OrNull[str] = ""
    stopped_hint: OrNull[str] = ""
    today_tokens: int = 0
    daily_tokens: int = 0
    waiting: Hidden[tuple[Incident, ...]] = ()
    left_notes: tuple[str, ...] = ()
    #: Projects that the daemon is to keep in line, with what it says of each; '' where it does not
    #: run.
    projects: tuple[ProjectState, ...] = ()
    #: None where no message exists yet.
    turns: TurnCounts | None = None
    #: Whether a daemon is there that does not answer yet.
    is_starting: Hidden[bool] = False

    @property
    @mark_encoded_getter
    def daemon(self) -> DaemonState | None:
        """Return the daemon that runs; None where none answers."""
        d = self.running
        return DaemonState(d.pid, d.started_at, d.parts) if d else None

    @property
    @mark_encoded_getter
    def incidents(self) -> tuple[IncidentRow, ...]:
        """Return the incidents, which wait for a person or a provider."""
        return tuple(IncidentRow(i.name, i.detail, i.since) for i in self.waiting)

    def lines(self, style: Style) -> list[str]:
        """Return the state of the daemon and of the observer as lines for people."""
        d = self.running
        silent = Words("starting, or busy: no answer yet") if self.is_starting else _NOT_RUNNING
        runs = Words.of("runs, process {pid}", pid=d.pid) if d else silent
        weak = (
            f" {describe_rules_weakness(self.judged_by).say(style.lang)}"
            if self.observer == "rules"
            else ""
        )
        head = style.say("  daemon: {runs}; observer: ", runs=runs)
        spent = style.say(" model tokens today")
        meter = (
            f"; {self.today_tokens:,}/{self.daily_tokens:,}{spent}"
            if self.observer != "rules" or self.today_tokens
            else ""
        )
        waits = style.say("waits")
        observer = style.say("rules") if self.observer == "rules" else self.observer
        lines = [f"{head}{observer}{weak}{meter}"]
        if self.stopped:
            stopped = style.say("observing stopped")
            hint = f" → {printable(style.told(self.stopped_hint))}" if self.stopped_hint else ""
            lines.append(f"  ✗ {stopped}: {printable(style.told(self.stopped))}{hint}")
        lines += [
            f"  ✗ {waits}: {printable(style.told(i.detail))} ({i.since:%Y-%m-%d %H:%M})"
            for i in self.waiting
        ]
        if self.turns:
            lines.append(self.turns.line(style))
        doing = {part: d.parts.get(part, "") for part in ("turns", "vectors")} if d else {}
        lines += [
            f"  {part}: {printable(style.told(text))}"
            for part, text in doing.items()
            if text not in ("", "up to date")
        ]
        left = style.say("was changed and is left alone")
        off = silent if self.is_starting else _NOT_WATCHED
        lines += [
            f"  {printable(root)}: {printable(style.told(state)) or off.say(style.lang)}"
            for root, state in self.projects
        ]
        return lines + [f"  ✗ {printable(path)}: {left}" for path in self.left_notes]


def describe_rules_weakness(embedder: str) -> Words:
    """Return the notice on how well rules observe with this embedder."""
    if embedder == "e5":
        return Words("(no model: weaker)")
    return Words("(no model, and no e5 vectors: judged by words alone, much weaker)")


def sidecar_state(call: Call) -> SidecarState:
    """Return the state from the daemon and the journal, where these exist; create nothing."""
    daemon = call.home.daemon
    running = daemon.status() if daemon is not None else None
    stopped = _find_observer_error(call)
    state = SidecarState(
        running=running,
        is_starting=daemon is not None and running is None and daemon.is_starting(),
        observer=call.home.settings.text("observe.model"),
        judged_by=call.home.embedder_name,
        stopped=str(stopped or ""),
        stopped_hint=stopped.hint if stopped else "",
        daily_tokens=call.home.settings.integer("observe.daily_tokens"),
        left_notes=tuple(notes.list_changed_mirrors(paths.locate_notes_record(call.home.folder))),
        projects=tuple(
            ProjectState(str(root), state_of(running, root))
            for root in watch_list.list_watched_roots(call.home.folder)
        ),
    )
    if not call.home.stores.has_journal():
        return state
    journal = call.home.journal
    today = call.clock.now().astimezone(call.zone).date()
    return replace(
        state,
        today_tokens=spent_tokens(journal, today),
        waiting=tuple(journal.incidents()),
        turns=_count_spoken_turns(call),
    )


def _find_observer_error(call: Call) -> GieokError | None:
    """Return the error that keeps the chosen observer from working.

    Only what is known without a call to the observer is checked.
    """
    for error in call.troubles:
        if error.setting in ("", "observe.model"):
            return error
    try:
        models.describe_observer(call.home)
    except GieokError as error:
        return error
    return None


def _count_spoken_turns(call: Call) -> TurnCounts | None:
    """Count turns; None without any, and while the store does not answer."""
    journal = call.home.journal
    try:
        store = call.home.store
        waiting = turns.unheard(journal, store) if call.home.settings.flag("index.sessions") else 0
        count, size = journal.spoken(), journal.stats().disk_bytes + store.stats().disk_bytes
    except StoreError:
        return None
    return TurnCounts(count, waiting, size // count) if count else None


def state_of(running: DaemonStatus | None, root: Path) -> str:
    """Return the daemon's report on a project; '' where no daemon runs."""
    return running.parts.get(watch_list.name_watched_part(root), "not taken yet") if running else ""
