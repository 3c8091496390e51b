"""When messages are observed, and how many of them stay buffered."""

from datetime import UTC, datetime

import pytest

from gieok.flow.distil import MessageSpan
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.observer.buffer import READER, Buffer, Step, Thresholds, prefix
from gieok.model.conversation import BufferedSpan, Cursor, Message, Role
from gieok.model.memory import Scope
from gieok.settings.table import OPTIONS
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore


@pytest.mark.parametrize(
    ("tokens", "pending", "kept", "count"),
    [
        ((6000,) * 5, 30_000, 6000, 4),  # exactly
        ((7000, 7000, 7000, 7000), 30_000, 6000, 4),  # 28,000 rather than 21,000
        (
            (6000, 6000, 11_500, 6000),
            30_000,
            6000,
            3,
        ),  # 23,500 leaves 6,500; 29,500 would leave too little
        ((6000, 24_000), 30_000, 6000, 1),  # all would leave nothing
        ((30_000,), 30_000, 6000, 1),  # something must be activated
        ((7000, 7000, 7000, 8000), 30_000, 6000, 4),  # a thousand is worth keeping back
        ((7000, 7000, 7000, 8001), 30_000, 6000, 3),
        ((2000, 701), 3000, 500, 1),  # as is all that was to be kept
        ((70_000, 26_000), 100_000, 20_000, 2),
        ((70_000, 29_000), 100_000, 20_000, 2),  # a twentieth of it is left
        ((50_000, 48_500), 100_000, 40_000, 1),  # less than a twentieth
        ((6000, 6000), 30_000, 6000, 2),  # all, where all is too little
        ((6000, 6000, 6000, 6000, 3000, 3000), 30_000, 6000, 4),  # no more than exactly
    ],
)
def test_a_prefix_of_chunks_leaves_about_a_fifth(
    tokens: tuple[int, ...], pending: int, kept: int, count: int
) -> None:
    chunks = [BufferedSpan(n, n + 1, size, "") for n, size in enumerate(tokens)]
    assert len(prefix(chunks, pending, kept)) == count


def test_thresholds_keep_a_fifth() -> None:
    assert Thresholds().kept_tokens == 6_000
    assert Thresholds(activation=0.7).kept_tokens == 9_000


def test_the_defaults_are_those_of_the_settings() -> None:
    names = (
        "observe.run_tokens",
        "observe.chunk_tokens",
        "observe.hard_stop_tokens",
        "observe.activation",
        "reflect.tokens",
        "reflect.ratio",
    )
    defaults = {option.name: option.default for option in OPTIONS}
    assert tuple(Thresholds()) == tuple(defaults[name] for name in names)


_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
_SMALL = Thresholds(run_tokens=100, chunk_tokens=20, hard_stop_tokens=120)


class _Observer:
    """Observes one thing of each span, which replaces what it is told to."""

    def __init__(self) -> None:
        self.replaces: tuple[str, ...] = ()

    def observe(self, span: MessageSpan) -> Observed:
        text = f"messages behind {span.start}"
        made = Observation(text, _AT, Priority.HIGH, Category.STATE, replaces=self.replaces)
        return Observed((made,))


class _Talk:
    """A scope in whose conversation messages of some tokens are said."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.journal, self.store, self.observer = journal, MemoryStore(), _Observer()
        self._cursor: Cursor | None = None

    def say(self, *tokens: int) -> None:
        first = self._cursor.offset if self._cursor else 0
        messages = [
            Message(f"s/{first + n}", Role.USER, "x", _AT, "s", "codex", size)
            for n, size in enumerate(tokens, 1)
        ]
        cursor = Cursor("f", "/t", offset=first + len(tokens))
        assert self.journal.append(_SCOPE, messages, cursor, self._cursor)
        self._cursor = cursor

    def step(self, *, flush: bool = False) -> Step:
        buffer = Buffer(self.journal, self.store, _SCOPE, ManualClock(_AT), self.observer, _SMALL)
        return buffer.step(flush=flush)

    def list_runs(self) -> list[tuple[str, int, int, int, int]]:
        """Return kind, start, end, messages and tokens of the runs."""
        return [
            (run.kind, run.start, run.end, run.messages, run.source_tokens)
            for run in self.journal.runs(_SCOPE, _AT)
        ]


@pytest.fixture
def talk(journal: SqliteJournal) -> _Talk:
    return _Talk(journal)


def test_a_span_is_observed_ahead_when_it_is_long_enough(talk: _Talk) -> None:
    assert talk.step() is Step.NOTHING
    assert talk.step(flush=True) is Step.NOTHING
    talk.say(19)
    assert talk.step() is Step.NOTHING
    talk.say(1)
    assert talk.step() is Step.BUFFERED
    assert talk.step() is Step.NOTHING
    (chunk,) = talk.journal.chunks(_SCOPE, READER)
    assert (chunk.start, chunk.end, chunk.tokens) == (0, 2, 20)
    assert talk.list_runs() == []


def test_a_run_is_due_at_its_tokens_and_keeps_some_messages_back(talk: _Talk) -> None:
    talk.say(20, 20, 20, 20)
    assert [talk.step() for _ in range(4)] == [Step.BUFFERED] * 4
    talk.say(19)
    assert talk.step() is Step.NOTHING
    talk.say(1)
    assert talk.step() is Step.ACTIVATED
    assert talk.list_runs() == [("activated", 0, 4, 0, 80)]
    assert talk.step() is Step.BUFFERED


@pytest.mark.parametrize(("tokens", "step"), [(99, Step.NOTHING), (100, Step.ACTIVATED)])
def test_a_long_message_is_a_run_by_itself(talk: _Talk, tokens: int, step: Step) -> None:
    talk.say(tokens)
    assert talk.step() is Step.BUFFERED
    assert talk.step() is step


def test_at_the_hard_stop_all_is_observed_at_once(talk: _Talk) -> None:
    talk.say(119)
    assert talk.step() is Step.BUFFERED, "a long message is a span"
    assert talk.step(flush=True) is Step.ACTIVATED
    talk.say(60, 60)
    assert talk.step() is Step.OBSERVED
    assert talk.list_runs()[-1] == ("observed", 1, 3, 2, 120)


def test_a_replaced_observation_ends_in_the_same_run(talk: _Talk) -> None:
    talk.say(20)
    assert talk.step(flush=True) is Step.OBSERVED
    (old,) = talk.store.get(_SCOPE, sorted(talk.store.hashes(_SCOPE)))
    talk.observer.replaces = (old.key,)
    talk.say(20)
    assert talk.step(flush=True) is Step.OBSERVED
    (old,) = talk.store.get(_SCOPE, [old.key])
    assert old.valid_to is not None
