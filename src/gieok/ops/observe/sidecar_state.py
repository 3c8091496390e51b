"""What `gieok status` says of the sidecar: whether the daemon runs, who observes, what waits, what
models cost today.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from gieok import paths
from gieok.code.index import watched
from gieok.errors import GieokError, StoreError
from gieok.flow.generate import spent_tokens
from gieok.memory.exchange import notes
from gieok.memory.talk import turns
from gieok.model.conversation import Incident
from gieok.ops.context import Context
from gieok.ops.control import DaemonStatus
from gieok.ops.encode import Hidden, OrNull, mark_encoded_getter
from gieok.ops.operation import Style, printable
from gieok.text.messages import Words


class DaemonState(NamedTuple):
    """A daemon that runs, since when, and what each of its parts does."""

    pid: int
    since: str
    parts: Mapping[str, str]


class IncidentRow(NamedTuple):
    """Something that waits, and since when."""

    name: str
    detail: str
    since: datetime


class ProjectState(NamedTuple):
    """A project that the daemon is to keep in line, and what it says of it."""

    root: str
    state: OrNull[str]


class TurnCounts(NamedTuple):
    """Turns of all scopes, messages that are not searchable yet, and bytes on this machine for a
    turn, journal and index.
    """

    kept: int
    waiting: int
    bytes_each: int

    def line(self, style: Style) -> str:
        """Return the line that a person reads."""
        waits = (
            style.say(", {waiting:,} messages wait", waiting=self.waiting) if self.waiting else ""
        )
        kept = style.say(
            "  turns: {kept:,} kept, {bytes_each:,} bytes each",
            kept=self.kept,
            bytes_each=self.bytes_each,
        )
        return kept + waits


@dataclass(frozen=True, slots=True)
class SidecarState:
    """`running` is None where no daemon does; `observer` is a model, or `rules`."""

    running: Hidden[DaemonStatus | None]
    observer: str
    #: What decides how well rules judge: by vectors, where it is e5.
    judged_by: Hidden[str] = ""
    #: Why nothing can be observed under these settings, and what to do; nobody is asked for that.
    stopped: OrNull[str] = ""
    stopped_hint: OrNull[str] = ""
    today_tokens: int = 0
    daily_tokens: int = 0
    waiting: Hidden[tuple[Incident, ...]] = ()
    left_notes: tuple[str, ...] = ()
    #: Projects that the daemon is to keep in line, with what it says of each; '' where it does not
    #: run.
    projects: tuple[ProjectState, ...] = ()
    #: None where nothing was said yet.
    turns: TurnCounts | None = None

    @property
    @mark_encoded_getter
    def daemon(self) -> DaemonState | None:
        """Return the daemon that runs."""
        d = self.running
        return DaemonState(d.pid, d.started_at, d.parts) if d else None

    @property
    @mark_encoded_getter
    def incidents(self) -> tuple[IncidentRow, ...]:
        """Return what waits for a person or a provider."""
        return tuple(IncidentRow(i.name, i.detail, i.since) for i in self.waiting)

    def lines(self, style: Style) -> list[str]:
        """Return the lines that a person reads."""
        d = self.running
        runs = Words.of("runs, process {pid}", pid=d.pid) if d else Words("not running")
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
        lines = [f"{head}{self.observer}{weak}{meter}"]
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
        off = Words("not watched, as no daemon runs: `gieok up`")
        lines += [
            f"  {printable(root)}: {printable(style.told(state)) or off.say(style.lang)}"
            for root, state in self.projects
        ]
        return lines + [f"  ✗ {printable(path)}: {left}" for path in self.left_notes]


def describe_rules_weakness(embedder: str) -> Words:
    """Return what is said of rules that observe, by the name of the embedder."""
    if embedder == "e5":
        return Words("(no model: weaker)")
    return Words("(no model, and no e5 vectors: judged by words alone, much weaker)")


def sidecar_state(context: Context) -> SidecarState:
    """Ask the daemon and look into the journal, where there are such; nothing is made."""
    running = context.admin.daemon().status() if context.admin.daemon is not None else None
    stopped = _find_observer_error(context)
    state = SidecarState(
        running=running,
        observer=context.admin.setting("observe.model"),
        judged_by=context.memory.embedder_name,
        stopped=str(stopped or ""),
        stopped_hint=stopped.hint if stopped else "",
        daily_tokens=int(context.admin.setting("observe.daily_tokens")),
        left_notes=tuple(notes.list_changed_mirrors(paths.locate_notes_record(context.home))),
        projects=tuple(
            ProjectState(str(root), state_of(running, root))
            for root in watched.list_watched_roots(context.home)
        ),
    )
    if not context.memory.has_journal():
        return state
    journal = context.memory.journal()
    today = context.clock.now().astimezone(context.zone).date()
    return replace(
        state,
        today_tokens=spent_tokens(journal, today),
        waiting=tuple(journal.incidents()),
        turns=_count_spoken_turns(context),
    )


def _find_observer_error(context: Context) -> GieokError | None:
    """Return what keeps the observer that was chosen from working, as far as that is known without
    asking it.
    """
    for error in context.troubles:
        if error.setting in ("", "observe.model"):
            return error
    try:
        context.admin.observer()
    except GieokError as error:
        return error
    return None


def _count_spoken_turns(context: Context) -> TurnCounts | None:
    """Count turns; None without any, and while the store does not answer."""
    journal = context.memory.journal()
    try:
        store = context.memory.store()
        waiting = turns.unheard(journal, store) if context.observe.has_turns else 0
        kept, size = journal.spoken(), journal.stats().disk_bytes + store.stats().disk_bytes
    except StoreError:
        return None
    return TurnCounts(kept, waiting, size // kept) if kept else None


def state_of(running: DaemonStatus | None, root: Path) -> str:
    """Return what the daemon says of a project; '' where none runs."""
    return running.parts.get(watched.name_watched_part(root), "not taken yet") if running else ""
