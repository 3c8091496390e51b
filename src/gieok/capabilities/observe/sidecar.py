"""The sidecar as a whole, one step at a time: look at transcripts, observe, reflect, write active memory.

Whoever runs it (a command once, the daemon for ever) decides when. A model that fails leaves an incident: its work waits, the
user is told once, and the next step after `next_try` goes on where it stopped.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path

from gieok.capabilities.observe import active_memory, remembered, spool
from gieok.capabilities.observe.active_memory import Look
from gieok.capabilities.observe.buffer import READER, Buffer, Step, Thresholds
from gieok.capabilities.observe.capture import Capture, capture_database
from gieok.capabilities.observe.notes import Mirrored, NotesMirror
from gieok.capabilities.observe.observation import Observed
from gieok.capabilities.observe.reflect import Reflected, Reflector
from gieok.capabilities.observe.remembered import Remembered
from gieok.capabilities.observe.sources import Place, Source, source_of, sources
from gieok.engine.distil import MessageSpan, deliver
from gieok.errors import BudgetReached, GeneratorFailed
from gieok.model.conversation import Incident
from gieok.model.memory import Document, Scope
from gieok.ports.journal import FullJournal, TranscriptStore
from gieok.ports.store import Documents
from gieok.ports.system import Clock, Notifier
from gieok.text.redact import redact

_WAITS = {"en": "gieok: the {name} waits", "ko": "gieok: {name}가 기다립니다"}
#: What an incident of a transcript is called, before its path.
_UNREAD = "transcript "
_LONGEST_WAIT = timedelta(minutes=15)
_FIRST_WAIT = timedelta(minutes=1)
#: Sunday 02:00 in the user's zone.
_REFLECTION_WEEKDAY, _REFLECTION_HOUR = 6, 2


def observing(scope: Scope) -> str:
    """Return the name of the lock under which a scope is observed."""
    return f"observe-{scope}"


def reflecting(scope: Scope) -> str:
    """Return the name of the lock under which a scope is reflected upon."""
    return f"reflect-{scope}"


@dataclass(frozen=True, slots=True)
class Minds:
    """What observes and what reflects, for a scope. `model` is '' where rules do it."""

    observe: Callable[[Scope], Callable[[MessageSpan], Observed]]
    reflect: Callable[[Scope], Callable[[Remembered, str, int], Observed]]
    model: str = ""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Everything the rib needs, put together by `gieok.app`."""

    journal: FullJournal
    store: Documents
    clock: Clock
    zone: tzinfo
    default_scope: Scope
    project_scope: Callable[[str], Scope | None]
    places: Sequence[Place]
    minds: Minds
    notifier: Notifier
    spool: Path
    open_database: Callable[[Path], TranscriptStore]
    active_file: Callable[[Scope], Path]
    look: Look
    thresholds: Thresholds = Thresholds()
    reflect_tokens: int = 40_000
    notes: NotesMirror | None = None
    capture: Capture = field(init=False)
    #: Documents by scope, so that active memory is rendered of what changed.
    _known: dict[Scope, dict[str, Document]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        folders = (f"{self.spool.parent}{os.sep}", str(self.active_file(self.default_scope)))
        object.__setattr__(self, "capture", Capture(self.journal, self.project_scope, self._tell_unread, folders))

    def watched(self) -> list[Path]:
        """Return the folders in which something may happen, those that are there."""
        notes = self.notes.folders if self.notes else ()
        return [folder for folder in (*(place.folder for place in self.places), *notes) if folder.is_dir()]

    # Capturing

    def capture_all(self) -> int:
        """Read what is new in every transcript; return how many messages came."""
        for incident in self.journal.incidents():
            path = incident.name.removeprefix(_UNREAD)
            if path != incident.name and not any(Path(p).exists() for p in (path, path.rpartition("#")[0]) if p):
                self.journal.resolve_incident(incident.name)
        return sum(self.capture_source(source) for source in sources(self.places, self.default_scope))

    def capture_paths(self, paths: Iterable[Path]) -> int:
        """Read what is new in the transcripts among `paths`."""
        found = {source_of(path, self.places, self.default_scope) for path in paths}
        return sum(self.capture_source(source) for source in sorted(filter(None, found)))

    def capture_spool(self) -> set[Scope]:
        """Read the transcripts that hooks pointed to; return the scopes in which a conversation ended."""
        ended: set[Scope] = set()
        for event in spool.events(self.spool, self.clock.now()):
            source = source_of(event.transcript, self.places, self.default_scope)
            source = source or Source(event.transcript, self.default_scope)
            self.capture_source(source)
            if str(event.transcript) not in self.capture.captured.troubles:
                event.file.unlink(missing_ok=True)
            if event.name in spool.ENDS:
                ended.add(self.project_scope(event.folder) or source.scope)
        return ended

    def capture_source(self, source: Source) -> int:
        """Read what is new in one transcript or database."""
        if source.is_database:
            return capture_database(self.capture, source.scope, source.path, self.open_database)
        return self.capture.file(source.scope, source.path)

    def mirror_notes(self, changed: Iterable[Path] | None = None) -> Mirrored | None:
        """Bring the mirrors of the user's notes in line, where some of `changed` may be one; None: nothing was to do."""
        if self.notes is None or not self.notes.folders:
            return None
        if changed is not None and not any(map(self.notes.holds, changed)):
            return None
        return self.notes.run()

    # Distilling

    def observe(self, scope: Scope, *, flush: bool = False) -> Step:
        """Do what is due in a scope, with at most one call of the observer. Never raises GeneratorFailed."""
        if self._waits("observer"):
            return Step.NOTHING
        # Correct without the lock too; with it, two processes do not pay for the same span.
        with self.journal.exclusive(observing(scope), wait=False) as held:
            if not held:
                return Step.NOTHING
            buffer = Buffer(self.journal, self.store, scope, self.clock, self.minds.observe(scope), self.thresholds)
            try:
                done = buffer.step(flush=flush)
            except GeneratorFailed as error:
                self._failed("observer", error)
                return Step.NOTHING
        if done in (Step.BUFFERED, Step.OBSERVED):  # what took the observer: it is back
            self.journal.resolve_incident("observer")
        return done

    def observe_all(self, scope: Scope, *, flush: bool = False) -> list[Step]:
        """Do all that is due in a scope; return the steps."""
        steps: list[Step] = []
        while (done := self.observe(scope, flush=flush)) is not Step.NOTHING:
            steps.append(done)
        return steps

    def is_idle(self, scope: Scope, idle: timedelta) -> bool:
        """Say whether messages wait in a scope where nobody has said anything for so long."""
        found = self.journal.read(
            scope, self.journal.position(scope, READER), budget_tokens=self.thresholds.hard_stop_tokens
        )
        return bool(found) and found[-1].message.at < self.clock.now() - idle

    def reflect(self, scope: Scope) -> Reflected:
        """Reflect now. Raises GeneratorFailed: then nothing has changed."""
        with self.journal.exclusive(reflecting(scope)):
            deliver(self.journal, self.store)
            return self._reflector(scope)(fresh=True)

    def reflect_if_due(self, scope: Scope) -> bool:
        """Reflect where observations are too many, or where a week's reflection is due. Never raises GeneratorFailed.

        At half as many, a model's reflection is prepared, so that it is there when it is due.
        """
        if self._waits("reflector"):
            return False
        held = self._held(scope)
        is_due = held.tokens >= self.reflect_tokens or self._weekly_is_due(scope, held)
        if not is_due and (not self.minds.model or held.tokens < self.reflect_tokens // 2):
            return False
        try:
            with self.journal.exclusive(reflecting(scope)):
                deliver(self.journal, self.store)
                asked = bool(self._reflector(scope)().tries) if is_due else self._reflector(scope).prepare()
        except GeneratorFailed as error:
            self._failed("reflector", error)
            return False
        if asked:
            self.journal.resolve_incident("reflector")
        return is_due

    def _reflector(self, scope: Scope) -> Reflector:
        return Reflector(self.journal, self.store, scope, self.clock, self.minds.reflect(scope))

    def _weekly_is_due(self, scope: Scope, held: Remembered) -> bool:
        """A few observations need no reflection, whatever day it is; nor do those that came after the last due time."""
        last_due = self._last_weekly_reflection()
        if held.tokens < self.reflect_tokens // 2 or held.observations[0].at >= last_due:
            return False
        return not any(run.reader == "reflect" for run in self.journal.runs(scope, last_due))

    def _last_weekly_reflection(self) -> datetime:
        now = self.clock.now().astimezone(self.zone)
        days = (now.weekday() - _REFLECTION_WEEKDAY) % 7
        due = datetime.combine(now.date() - timedelta(days=days), time(_REFLECTION_HOUR), self.zone)
        return due if due <= now else due - timedelta(days=7)

    # What waits

    def _tell_unread(self, path: str, why: str) -> None:
        """Keep an incident for a transcript that cannot be read, until it can or is gone."""
        name, now = f"{_UNREAD}{path}", self.clock.now()
        if why:
            self.journal.raise_incident(Incident(name, f"{path}: {why}", now, 1, now))
        elif any(incident.name == name for incident in self.journal.incidents()):
            self.journal.resolve_incident(name)

    def _waits(self, name: str) -> bool:
        found = next((incident for incident in self.journal.incidents() if incident.name == name), None)
        return found is not None and self.clock.now() < found.next_try

    def _failed(self, name: str, error: GeneratorFailed) -> None:
        """Keep an incident, and tell the user where it is a new one."""
        now = self.clock.now()
        before = next((incident for incident in self.journal.incidents() if incident.name == name), None)
        tries = before.tries + 1 if before else 1
        wait = min(_FIRST_WAIT * 2 ** min(tries - 1, 10), _LONGEST_WAIT)
        due = self._tomorrow(now) if isinstance(error, BudgetReached) else now + wait
        incident = Incident(name, redact(str(error)), before.since if before else now, tries, due)
        if self.journal.raise_incident(incident):
            title = _WAITS.get(self.look.lang, _WAITS["en"]).format(name=name)
            self.notifier.notify(title, f"{error} ({error.hint})")

    def _tomorrow(self, now: datetime) -> datetime:
        local = now.astimezone(self.zone)
        return datetime.combine(local.date() + timedelta(days=1), time(), self.zone)

    # Active memory

    def write_active_memory(self, scope: Scope) -> bool:
        """Bring active_memory.md in line with the store; return whether it changed. Raises BadRequest, OSError."""
        deliver(self.journal, self.store)
        held = self._held(scope)
        today = self.clock.now().astimezone(self.zone).date()
        return active_memory.write(self.active_file(scope), active_memory.render(held, self.look, today))

    def _held(self, scope: Scope) -> Remembered:
        return remembered.load(self.store, scope, self._known.setdefault(scope, {}))

    def backlog_tokens(self, scope: Scope) -> int:
        """Return how many tokens of messages are not observed yet, counted up to the hard stop."""
        position = self.journal.position(scope, READER)
        found = self.journal.read(scope, position, budget_tokens=self.thresholds.hard_stop_tokens)
        return sum(journalled.message.tokens for journalled in found)
