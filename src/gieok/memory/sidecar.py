"""The sidecar, one step at a time: capture transcripts, observe, reflect, write active memory.

The caller (a command once, the daemon forever) decides when each step runs. A failing model leaves
an incident: its work waits, the user is notified once, and the first step after `next_try` resumes
where it stopped.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gieok.agents.sources import (
    ScopedTranscript,
    find_changed_transcript,
    iter_unread_transcripts,
    sources,
)
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.errors import (
    AnswerCut,
    BadConfig,
    BudgetReached,
    GeneratorFailed,
    GieokError,
    MissingExtra,
)
from gieok.flow.distil import deliver
from gieok.flow.incidents import Incidents
from gieok.flow.notices import Notices
from gieok.flow.schedule import Schedule
from gieok.memory import active_memory, scope_memory
from gieok.memory.active_memory import ActiveFiles, Look
from gieok.memory.capture import spool
from gieok.memory.capture.capture import Capture, capture_database
from gieok.memory.capture.session_folders import SessionFolders
from gieok.memory.exchange.notes import Mirrored, NotesMirror
from gieok.memory.observer.buffer import READER, Buffer, Step, Thresholds
from gieok.memory.reflection.reflect import Reflected, Reflector
from gieok.memory.scope_memory import ScopeMemory
from gieok.memory.talk import turns
from gieok.memory.talk.turns import Derived
from gieok.model.conversation import Incident, Journalled
from gieok.model.memory import Document, Scope
from gieok.places.scope import is_served
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store
from gieok.ports.system import Clock
from gieok.ports.transcripts import TranscriptStore
from gieok.private import Privacy
from gieok.text.messages import Words

if TYPE_CHECKING:  # all rules of the observer; `list` reads this module too
    from gieok.memory.scope_models import ScopeModels

#: Errors that stop work with a model: the model failed, its settings are wrong, or its package is
#: missing. The work waits, and a person is notified.
_STOPS = (GeneratorFailed, BadConfig, MissingExtra)
#: Name of the observer's incident.
_OBSERVER = "observer"
#: Facts of a failure, behind its reason: what failed and how, then what is known of the rest.
_FAILED = "{name}: {kind}"
_TRIES = "tries: {tries}"
_BACKLOG = "tokens of messages that wait: {tokens:,}"
_LEAST_BACKLOG = "tokens of messages that wait: at least {tokens:,}"
_WAITS = {"en": "gieok: the {name} waits", "ko": "gieok: {name}가 기다립니다"}
#: Prefix of the name of a transcript's incident, before the path.
UNREAD = "transcript "
_LONGEST_WAIT = timedelta(minutes=15)
_FIRST_WAIT = timedelta(minutes=1)
#: A conversation that is silent for this long is observed by rules.
RULES_REST = timedelta(seconds=20)
#: A reflection longer ago than this does not count: the runs of all readers are read to find it.
_LONG_AGO = timedelta(days=400)


def observing(scope: Scope) -> str:
    """Return the name of the lock that serialises observing a scope."""
    return f"observe-{scope}"


def reflecting(scope: Scope) -> str:
    """Return the name of the lock that serialises reflecting on a scope."""
    return f"reflect-{scope}"


class TranscriptSources(NamedTuple):
    """Places of transcripts, the function that opens their databases, and the scope of each.

    The scope is that of the session's project, else the default.
    """

    places: Sequence[TranscriptPlace]
    open_database: Callable[[str, Path], TranscriptStore]
    default_scope: Scope
    session_folders: SessionFolders


def _read_source_change(source: ScopedTranscript) -> tuple[int, str]:
    """Return when a transcript was written last, and its path for ties; 0 if it is gone."""
    try:
        return source.path.stat().st_mtime_ns, str(source.path)
    except OSError:
        return 0, str(source.path)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Everything the rib needs, put together by `gieok.home`."""

    journal: FullJournal
    store: Store
    clock: Clock
    zone: tzinfo
    transcripts: TranscriptSources
    spool: Path
    models: "ScopeModels"
    notices: Notices
    active_files: ActiveFiles
    look: Look
    thresholds: Thresholds = Thresholds()
    #: Schedule of reflections that run although there are not too many observations.
    reflection: Schedule = Schedule("0 2 * * 0", UTC)
    notes: NotesMirror | None = None
    #: Rules for messages that are not to be remembered.
    privacy: Privacy = field(default_factory=Privacy)
    #: Whether messages are searchable.
    has_turns: bool = True
    #: Stores beside `store` that hold the searchable messages too.
    beside: Callable[[], Sequence[Store]] = tuple
    capture: Capture = field(init=False)
    #: Cached documents by scope, so that rendering active memory reads only changes.
    _known: dict[Scope, dict[str, Document]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        folders = (
            f"{self.spool.parent}{os.sep}",
            str(self.active_file(self.transcripts.default_scope)),
        )
        transcripts = self.transcripts
        capture = Capture(
            journal=self.journal,
            session_folders=transcripts.session_folders,
            tell=self._tell_unread,
            folders=folders,
            privacy=self.privacy,
        )
        object.__setattr__(self, "capture", capture)

    def watched(self) -> list[Path]:
        """Return the existing folders to watch."""
        notes = self.notes.folders if self.notes else ()
        folders = [place.folder for place in self.transcripts.places if place.is_watched]
        return [folder for folder in (*folders, *notes) if folder.is_dir()]

    # Capturing

    def capture_all(self, each: Callable[[], None] = lambda: None) -> int:
        """Add the new messages of all transcripts; return how many.

        `each` is called after each transcript. The oldest come first, because the last ones are
        embedded first.
        """
        for incident in self.journal.incidents():
            path = incident.name.removeprefix(UNREAD)
            if path != incident.name and not any(
                Path(p).exists() for p in (path, path.rpartition("#")[0]) if p
            ):
                self.journal.resolve_incident(incident.name)
        for unread, why in iter_unread_transcripts(self.transcripts.places):
            self._tell_unread(str(unread), why)
        added, began_s = 0, self.clock.now().timestamp()
        for source in sorted(
            sources(self.transcripts.places, self.transcripts.default_scope),
            key=_read_source_change,
        ):
            added += self.capture_source(source)
            each()
        self.privacy.note_reading(began_s)
        return added

    def capture_paths(self, paths: Iterable[Path]) -> int:
        """Add the new messages of the transcripts among `paths`; return how many."""
        maybe_sources = map(self.find_source, paths)
        return sum(self.capture_source(source) for source in sorted({*filter(None, maybe_sources)}))

    def capture_spool(self) -> set[Scope]:
        """Read the transcripts of the hooks' events.

        Returns the scopes in which a conversation ended.
        """
        ended: set[Scope] = set()
        for event in spool.events(self.spool, self.clock.now()):
            source = self.find_source(event.transcript) or ScopedTranscript(
                event.transcript, self.transcripts.default_scope
            )
            self.capture_source(source)
            if str(event.transcript) not in self.capture.captured.troubles:
                event.file.unlink(missing_ok=True)
            if event.name in spool.ENDS:
                folders = self.transcripts.session_folders
                ended.add(folders.find_project_scope(event.folder) or source.scope)
        return ended

    def find_source(self, path: Path) -> ScopedTranscript | None:
        """Return the transcript or database that a path belongs to; None in no known place."""
        return find_changed_transcript(
            path, self.transcripts.places, self.transcripts.default_scope
        )

    def capture_source(self, source: ScopedTranscript) -> int:
        """Add the new messages of one transcript or database; return how many."""
        if source.database:
            return capture_database(self.capture, source, self.transcripts.open_database)
        return self.capture.file(source.scope, source.path, source.cwd)

    def capture_some(self, source: ScopedTranscript) -> bool:
        """Add messages of a database, or of about a megabyte of a transcript.

        Returns whether no messages are left.
        """
        if source.database:
            self.capture_source(source)
            return True
        self.capture.file(source.scope, source.path, source.cwd, portions=1)
        return self.capture.is_read(source.path)

    def mirror_notes(self, changed: Iterable[Path] | None = None) -> Mirrored | None:
        """Update the mirrors of the user's notes if any of `changed` may be a note.

        None: there was nothing to do.
        """
        if self.notes is None or not self.notes.folders:
            return None
        if changed is not None and not any(map(self.notes.holds, changed)):
            return None
        return self.notes.run()

    # Deriving

    def derive_turns(
        self,
        *,
        most: int = 0,
        wait: bool = True,
        is_stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Derived:
        """Make messages searchable, as `turns.update_all` does, or forget them if that is turned
        off.

        Raises StoreError.
        """
        stores = [self.store, *self.beside()]
        if not self.has_turns:
            return Derived(
                forgotten=sum(turns.drop_turn_documents(self.journal, store) for store in stores)
            )
        # The configured store last: its result is the one that is returned.
        return [
            turns.update_all(
                self.journal,
                store,
                zone=self.zone,
                most=most,
                wait=wait,
                is_stopped=is_stopped,
                progress=progress,
            )
            for store in reversed(stores)
        ][-1]

    # Distilling

    def observe(self, scope: Scope, *, flush: bool = False) -> Step:
        """Do the step that is due in a scope, with at most one call of the observer.

        Never raises GeneratorFailed.
        """
        if self._incidents.waits(_OBSERVER):
            return Step.NOTHING
        # The lock is not needed for correctness: it keeps two processes from paying for the same
        # span.
        with self.journal.exclusive(observing(scope), wait=False) as held:
            if not held:
                return Step.NOTHING
            try:
                buffer = Buffer(
                    journal=self.journal,
                    store=self.store,
                    scope=scope,
                    clock=self.clock,
                    observer=self.models.open_observer(scope),
                    thresholds=self.thresholds,
                )
                step = buffer.step(flush=flush)
            except _STOPS as error:
                self._failed(_OBSERVER, error)
                return Step.NOTHING
        if step in (Step.BUFFERED, Step.OBSERVED):  # the observer works again
            self.journal.resolve_incident(_OBSERVER)
        return step

    def observe_all(self, scope: Scope, *, flush: bool = False) -> list[Step]:
        """Do all steps that are due in a scope; return their outcomes."""
        steps: list[Step] = []
        while (step := self.observe(scope, flush=flush)) is not Step.NOTHING:
            steps.append(step)
        return steps

    def is_idle(self, scope: Scope, idle: timedelta) -> bool:
        """Say whether messages wait in a scope that has been silent for the time `idle`.

        Rules cost nothing, so with rules the time is shorter.
        """
        unobserved = self._unobserved(scope)
        rest = idle if self.models.observer_model else min(idle, RULES_REST)
        return bool(unobserved) and unobserved[-1].message.at < self.clock.now() - rest

    def reflect(self, scope: Scope) -> Reflected:
        """Reflect now. Raises GeneratorFailed: nothing has changed then."""
        with self.journal.exclusive(reflecting(scope)):
            deliver(self.journal, self.store)
            return self._reflector(scope)(fresh=True)

    def reflect_if_due(self, scope: Scope) -> bool:
        """Reflect if there are too many observations or a reflection is scheduled.

        Never raises GeneratorFailed. At half of the threshold, a model's reflection is prepared
        ahead of time.
        """
        if self._incidents.waits("reflector"):
            return False
        held = scope_memory.uncorrected(self._held(scope))
        is_due = held.tokens >= self.thresholds.reflect_tokens or self._schedule_is_due(scope, held)
        if not is_due and (
            not self.models.observer_model or held.tokens < self.thresholds.reflect_tokens // 2
        ):
            return False
        try:
            if self._reflector(scope).is_in_vain(held.tokens):
                return False
            with self.journal.exclusive(reflecting(scope)):
                deliver(self.journal, self.store)
                has_tried = (
                    bool(self._reflector(scope)().tries)
                    if is_due
                    else self._reflector(scope).prepare()
                )
        except _STOPS as error:
            self._failed("reflector", error)
            return False
        if has_tried:
            self.journal.resolve_incident("reflector")
        return is_due

    def _reflector(self, scope: Scope) -> Reflector:
        return Reflector(
            journal=self.journal,
            store=self.store,
            scope=scope,
            clock=self.clock,
            condenser=self.models.open_condenser(),
            target=self.thresholds.reflect_ratio,
        )

    def _schedule_is_due(self, scope: Scope, held: ScopeMemory) -> bool:
        """Say whether the scheduled time of a reflection has come since the last one.

        It has not while there are few observations.
        """
        now, due = self.clock.now(), self.reflection.is_due
        if held.tokens < self.thresholds.reflect_tokens // 2 or not due(
            held.observations[0].at, now
        ):
            return False
        runs = self.journal.runs(scope, now - _LONG_AGO)
        # Runs in the future are from before the clock was set back.
        times = (run.at for run in runs if run.reader == "reflect" and run.at <= now)
        return due(max(times, default=now - _LONG_AGO), now)

    # What waits

    def _tell_unread(self, path: str, why: str) -> None:
        """Record an incident for a transcript that cannot be read, or resolve the incident.

        `why` is the reason; '' says that the transcript can be read now.
        """
        name, now = f"{UNREAD}{path}", self.clock.now()
        if why:
            self.journal.raise_incident(
                Incident(name=name, detail=f"{path}: {why}", since=now, tries=1, next_try=now)
            )
        else:
            self._incidents.resolved(name)

    @property
    def _incidents(self) -> Incidents:
        return Incidents(self.journal, self.clock, self.notices)

    def _failed(self, name: str, error: GieokError) -> None:
        """Record an incident; notify the user of a new one."""
        # A cut answer was paid for, and asking the same again would be cut again.
        due = (
            self._tomorrow(self.clock.now())
            if isinstance(error, BudgetReached | AnswerCut)
            else None
        )
        if not self._incidents.record(
            name, error, first=_FIRST_WAIT, longest=_LONGEST_WAIT, due=due
        ):
            return
        facts = self._describe_failure(name, error)
        try:
            if name == _OBSERVER:
                facts.append(self._describe_backlog())
        finally:  # a new incident is told whatever becomes of its facts
            lang = self.look.lang
            title = _WAITS.get(lang, _WAITS["en"]).format(name=name)
            self._incidents.tell(title, error, ", ".join(fact.say(lang) for fact in facts))

    def _describe_failure(self, name: str, error: GieokError) -> list[Words]:
        """Return what failed and how, and how often the model was asked, if it was."""
        facts = [Words.of(_FAILED, name=name, kind=error.code)]
        if tries := getattr(error, "tries", 0):
            facts.append(Words.of(_TRIES, tries=tries))
        return facts

    def _describe_backlog(self) -> Words:
        """Return how much waits in all scopes; where not all was counted, how much at least."""
        waiting = [(scope, self._unobserved(scope)) for scope in self.scopes()]
        tokens = sum(one.message.tokens for _, messages in waiting for one in messages)
        has_more = any(
            messages and self.journal.read(scope, messages[-1].seq, budget_tokens=1, limit=1)
            for scope, messages in waiting
        )
        return Words.of(_LEAST_BACKLOG if has_more else _BACKLOG, tokens=tokens)

    def _tomorrow(self, now: datetime) -> datetime:
        local = now.astimezone(self.zone)
        return datetime.combine(local.date() + timedelta(days=1), time(), self.zone)

    # Active memory

    def active_file(self, scope: Scope) -> Path:
        """Return the file of a scope's active memory."""
        return self.active_files.locate(scope)

    def write_active_memory(self, scope: Scope) -> bool:
        """Update active_memory.md from the store; return whether it changed.

        Raises BadRequest, OSError.
        """
        deliver(self.journal, self.store)
        held = self._held(scope)
        today = self.clock.now().astimezone(self.zone).date()
        return active_memory.write_active_file(
            self.active_file(scope), active_memory.render_active_memory(held, self.look, today)
        )

    def _held(self, scope: Scope) -> ScopeMemory:
        held = scope_memory.standing(self.journal, scope)
        return scope_memory.load_scope_memory(
            self.store, scope, self._known.setdefault(scope, {}), hashes=held
        )

    def scopes(self) -> list[Scope]:
        """Return the scopes that are observed: those of agents."""
        return [scope for scope in self.journal.scopes() if not is_served(scope.path)]

    def backlog_tokens(self, scope: Scope) -> int:
        """Return the tokens of messages not observed yet, counted up to the hard stop."""
        return sum(journalled.message.tokens for journalled in self._unobserved(scope))

    def _unobserved(self, scope: Scope) -> Sequence[Journalled]:
        position = self.journal.position(scope, READER)
        return self.journal.read(scope, position, budget_tokens=self.thresholds.hard_stop_tokens)
