"""Schedule by which a model reads a conversation, beside the turns.

A model reads every few messages of the user, and the messages that are about to be summarised. How
far it has read is a position in the journal, which moves after the findings are applied: after a
crash in between, the model is asked once more, and findings that come twice are counted once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from gieok.character.detect.detect import Finding
from gieok.character.facts import digest
from gieok.character.memory import narrative
from gieok.character.memory.episodes import MOST_CHARS
from gieok.character.memory.readings import SpanReading
from gieok.character.memory.service import Bond, CharacterService, ScopeSnapshot
from gieok.character.messages import AGENT
from gieok.character.predicates import PREDICATES
from gieok.character.turn import extraction
from gieok.character.turn.extraction import Speakers
from gieok.errors import (
    AnswerCut,
    BadConfig,
    DegenerateOutput,
    GeneratorFailed,
    GieokError,
    MissingExtra,
)
from gieok.flow.generate import Asker
from gieok.flow.incidents import Incidents
from gieok.model.conversation import Journalled, Role, Run

#: Readers of the journal: PASSING for messages read in passing, PRECISE for messages read with
#: care.
PASSING, PRECISE = "character:model", "character:precise"
#: After how many messages of the user a model reads.
EVERY = 5
INCIDENT = "character:model"
_SPAN_TOKENS = 6_000
_FAILURES = (GeneratorFailed, BadConfig, MissingExtra)
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Learning and summaries, with a model where there is an `asker`."""

    memory: CharacterService
    asker: Asker | None
    incidents: Incidents
    every: int = EVERY

    def tend(self, bond: Bond) -> ScopeSnapshot:
        """Learn, read and summarise what is due; return the state that was read last.

        Nothing but learning is done where another thread or process does the same.
        """
        memory = self.memory
        snapshot = memory.learn(bond)
        if self.asker is None and memory.due(bond, snapshot) is None:
            return snapshot
        with memory.journal.exclusive(
            f"character-tend-{digest(bond.scope.path)[:4]}", wait=False
        ) as is_ours:
            while is_ours:
                due = memory.due(bond, snapshot)
                if due is None:
                    self._read(bond, snapshot, self._list_unread(bond, PASSING), PASSING)
                    return snapshot
                self._read(
                    bond,
                    snapshot,
                    [
                        entry
                        for entry in due.messages
                        if entry.seq > self._read_position(bond, PRECISE)
                    ],
                    PRECISE,
                )
                if memory.summarise(bond, partial(self.summarise_span, bond)) is None:
                    break
                snapshot = memory.learn(bond)
        return snapshot

    def _list_unread(self, bond: Bond, reader: str) -> list[Journalled]:
        """Return the messages that a model has not read, once there are enough of them."""
        if self.asker is None:
            return []
        rows = self.memory.journal.read(
            bond.scope, self._read_position(bond, reader), budget_tokens=_SPAN_TOKENS
        )
        talk = [
            entry
            for entry in rows
            if entry.message.agent == AGENT and entry.message.role is not Role.TOOL
        ]
        return talk if sum(entry.message.role is Role.USER for entry in talk) >= self.every else []

    def _read(
        self, bond: Bond, seen: ScopeSnapshot, span: Sequence[Journalled], reader: str
    ) -> None:
        """Ask a model about a span, and apply its findings."""
        if self.asker is None or not span or self.incidents.waits(INCIDENT):
            return
        journal, position, is_precise = (
            self.memory.journal,
            self._read_position(bond, reader),
            reader == PRECISE,
        )
        span = sorted(span, key=lambda one: one.place)
        try:
            reading = extraction.ask_span_reading(
                self.asker,
                span,
                seen.held.facts,
                self._name_speakers(bond, seen),
                is_precise=is_precise,
            )
        except _FAILURES as error:
            self._record_failure(error)
            if not isinstance(error, DegenerateOutput | AnswerCut):
                return
            reading = SpanReading({})  # it would say the same again: the rules' findings stand
        else:
            self.incidents.resolved(INCIDENT)
        self.memory.take_in(bond, self._drop_corrected(bond, seen, span, reading))
        now, count = self.memory.clock.now(), reading.rows
        tokens = sum(one.message.tokens for one in span)
        end = max(one.seq for one in span)
        if end > position:
            journal.commit(
                position,
                Run(
                    scope=bond.scope,
                    reader=reader,
                    kind="read",
                    at=now,
                    start=position,
                    end=end,
                    messages=len(span),
                    source_tokens=tokens,
                    documents=count,
                    document_tokens=0,
                    model=self.asker.generator.model,
                ),
            )

    def _drop_corrected(
        self,
        bond: Bond,
        seen: ScopeSnapshot,
        span: Sequence[Journalled],
        reading: SpanReading,
    ) -> SpanReading:
        """Return a reading without the findings that the user has corrected since.

        The user's own correction of the same value is newer than the message of the finding.
        """
        edited = {
            one.slot: one.edits
            for one in seen.held.facts
            if one.edits and PREDICATES[one.predicate].is_single
        }
        ids = [edit for edits in edited.values() for edit in edits]
        times = {
            one.message.id: one.message.at for one in self.memory.journal.messages(bond.scope, ids)
        }
        until = {
            slot: max(times[edit] for edit in edits if edit in times)
            for slot, edits in edited.items()
        }
        message_times = {one.message.id: one.message.at for one in span}

        def is_wanted(identity: str, one: Finding) -> bool:
            slot = (one.subject, one.predicate)
            return slot not in until or message_times[identity] > until[slot]

        remaining = {
            identity: one._replace(
                findings=tuple(row for row in one.findings if is_wanted(identity, row))
            )
            for identity, one in reading.messages.items()
        }
        return reading._replace(messages=remaining)

    def summarise_span(self, bond: Bond, span: Sequence[Journalled]) -> str:
        """Return a model's summary; '' where the summary of the rules stands."""
        if self.asker is None or self.incidents.waits(INCIDENT):
            return ""
        try:
            return extraction.ask_span_summary(
                self.asker,
                span,
                self._name_speakers(bond, self.memory.read_snapshot(bond)),
                MOST_CHARS,
            )
        except _FAILURES as error:
            self._record_failure(error)
            return ""

    def _record_failure(self, error: GieokError) -> None:
        self.incidents.failed(
            INCIDENT,
            error,
            "A character's memory is kept by rules alone",
            first=_FIRST_WAIT,
            longest=_LONGEST_WAIT,
        )

    def _name_speakers(self, bond: Bond, seen: ScopeSnapshot) -> Speakers:
        who = narrative.called(seen.held.facts) or bond.user
        return Speakers(bond.name or bond.character, who, bond.zone)

    def _read_position(self, bond: Bond, reader: str) -> int:
        return self.memory.journal.position(bond.scope, reader)
