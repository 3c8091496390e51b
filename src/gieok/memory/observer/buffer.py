"""Schedule of observing: spans ahead of time, activation at a threshold, all at the hard stop.

Invariant, kept by `Positions` in every transaction: the buffer starts at the position and has no
gaps. The work of a process that loses a race or is killed is discarded; the messages are still
there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from gieok.flow.distil import MessageSpan, deliver, finish_span, next_span
from gieok.memory import observation
from gieok.memory.observation import Observed
from gieok.model.conversation import BufferedSpan, Run
from gieok.model.memory import Document, Scope
from gieok.ports.journal import FullJournal
from gieok.ports.store import Documents
from gieok.ports.system import Clock

READER = "observe"
#: Fewer tokens than this are not worth keeping back.
_LEAST_KEPT_TOKENS = 1000
_MOST_OVERSHOOT = 0.95


class Thresholds(NamedTuple):
    """Token counts at which a run, a span ahead of the run, and a hard stop are due.

    `reflect_tokens` counts observations. `activation` is the share of a run that becomes memory;
    the rest stays buffered. `reflect_ratio` is the share of them that a reflection may leave.
    """

    run_tokens: int = 30_000
    chunk_tokens: int = 6_000
    hard_stop_tokens: int = 36_000
    activation: float = 0.8
    reflect_tokens: int = 40_000
    reflect_ratio: float = 0.5

    @property
    def kept_tokens(self) -> int:
        """Return how many tokens stay buffered.

        The newest messages are then activated together with the next ones.
        """
        return round(self.run_tokens * (1 - self.activation))


class Observer(Protocol):
    """Makes observations of messages."""

    def observe(self, span: MessageSpan) -> Observed:
        """Return the observations of a span. Raises GeneratorFailed."""


class Step(StrEnum):
    """Outcome of a step."""

    NOTHING = "nothing"
    BUFFERED = "buffered"
    ACTIVATED = "activated"
    OBSERVED = "observed"
    LOST = "lost"  # another process was faster


@dataclass(frozen=True, slots=True)
class Buffer:
    """Observes one scope, step by step."""

    journal: FullJournal
    store: Documents
    scope: Scope
    clock: Clock
    observer: Observer
    thresholds: Thresholds = Thresholds()

    def step(self, *, flush: bool = False) -> Step:
        """Do the one step that is due, with at most one call of the observer.

        `flush` observes all messages.
        """
        at = self.thresholds
        position = self.journal.position(self.scope, READER)
        chunks = self.journal.chunks(self.scope, READER)
        end = chunks[-1].end if chunks else position
        buffered = sum(chunk.tokens for chunk in chunks)
        rest = next_span(self.journal, self.scope, end, at.hard_stop_tokens)
        waiting = rest.tokens if rest else 0
        if flush or buffered + waiting >= at.hard_stop_tokens:
            if chunks:
                return self._activate(position, chunks)
            return self._observe_now(position) if rest else Step.NOTHING
        if chunks and buffered + waiting >= at.run_tokens:
            return self._activate(position, prefix(chunks, buffered + waiting, at.kept_tokens))
        return self._add_chunk(end) if waiting >= at.chunk_tokens else Step.NOTHING

    def _add_chunk(self, end: int) -> Step:
        span = next_span(self.journal, self.scope, end, self.thresholds.chunk_tokens)
        if span is None:
            return Step.LOST
        observed = self.observer.observe(span)
        chunk = BufferedSpan(span.start, span.end, span.tokens, observation.dump_observed(observed))
        return Step.BUFFERED if self.journal.buffer(self.scope, READER, chunk) else Step.LOST

    def _observe_now(self, position: int) -> Step:
        span = next_span(self.journal, self.scope, position, self.thresholds.run_tokens)
        if span is None:
            return Step.LOST
        observed = self.observer.observe(span)
        return self._finish(
            position, span.end, span.tokens, len(span.messages), observed, Step.OBSERVED
        )

    def _activate(self, position: int, chunks: Sequence[BufferedSpan]) -> Step:
        observed = observation.merge(observation.load_observed(chunk.body) for chunk in chunks)
        tokens = sum(chunk.tokens for chunk in chunks)
        return self._finish(position, chunks[-1].end, tokens, 0, observed, Step.ACTIVATED)

    def _finish(
        self, position: int, end: int, tokens: int, messages: int, observed: Observed, done: Step
    ) -> Step:
        now = self.clock.now()
        stored = self._stored(observed)
        if observation.is_older_task(observed, stored.get(observation.TASK_KEY)):
            observed = observed._replace(task="")
        cited = self.journal.messages(
            self.scope, [message_id for o in observed.observations for message_id in o.message_ids]
        )
        agents = {journalled.message.id: journalled.message.agent for journalled in cited}
        entries = observation.build_observed_entries(self.scope, observed, now, agents)
        count = len(entries)
        entries = observation.with_ends(entries, observed, stored)
        run = Run(
            scope=self.scope,
            reader=READER,
            kind=done.value,
            at=now,
            start=position,
            end=end,
            messages=messages,
            source_tokens=tokens,
            documents=count,
            document_tokens=sum(o.tokens for o in observed.observations),
            model=observed.model,
        )
        return (
            done if finish_span(self.journal, self.store, position, run, put=entries) else Step.LOST
        )

    def _stored(self, observed: Observed) -> dict[str, Document]:
        """Return the stored documents that new observations may change.

        They are the observations that new ones replace, and the current task.
        """
        keys = {key for o in observed.observations for key in o.replaces}
        keys |= {observation.TASK_KEY} if observed.task_at else set()
        if not keys:
            return {}
        deliver(self.journal, self.store)
        return {document.key: document for document in self.store.get(self.scope, sorted(keys))}


def prefix(
    chunks: Sequence[BufferedSpan], pending_tokens: int, kept_tokens: int
) -> Sequence[BufferedSpan]:
    """Return the chunks to activate, so that about `kept_tokens` stay behind.

    Between two choices, the one with more chunks is taken.
    """
    target = pending_tokens - kept_tokens
    total, count = 0, 0
    for number, chunk in enumerate(chunks, start=1):
        total += chunk.tokens
        if total < target:
            count = number
            continue
        if not _is_too_much(total, target, pending_tokens, kept_tokens):
            count = number
        break
    return chunks[:count] or chunks[:1]


def _is_too_much(total: int, target: int, pending_tokens: int, kept_tokens: int) -> bool:
    least = min(_LEAST_KEPT_TOKENS, kept_tokens)
    return total - target > _MOST_OVERSHOOT * kept_tokens or pending_tokens - total < least
