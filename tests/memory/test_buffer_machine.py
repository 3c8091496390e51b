"""The buffer under crashes between any two steps and a second process at any moment.

Every call that an observer makes to the journal or the store is a place where it may be killed
(before or after the call takes effect) or where another process may do a step of its own. Whatever
happens, the buffer starts at the position, and in the end every message has been observed in
exactly one run.
"""

from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gieok.errors import GeneratorFailed
from gieok.flow.distil import MessageSpan, deliver
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.observer.buffer import READER, Buffer, Step, Thresholds
from gieok.model.conversation import Cursor, Message, Role
from gieok.model.memory import REPLACED_BY, Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore

_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_THRESHOLDS = Thresholds(run_tokens=30, chunk_tokens=6, hard_stop_tokens=36)
_WRITES = frozenset(
    (
        "buffer",
        "commit",
        "delivered",
        "put",
        "forget",
        "read",
        "position",
        "chunks",
        "undelivered",
        "observe",
    )
)


class Killed(BaseException):
    """The process is gone: no handler of the product catches this."""


class _Process:
    """A process: its calls pass through here, where it may be killed or overtaken at a chosen
    call.
    """

    def __init__(self, journal: SqliteJournal, store: MemoryStore) -> None:
        self.calls = 0
        self.plan: dict[int, str | Callable[[], None]] = {}
        self.has_lock = False
        self.buffer = Buffer(
            _Watched(self, journal),
            _Watched(self, store),
            _SCOPE,
            ManualClock(),
            self,
            _THRESHOLDS,
        )
        self.model_is_down = False

    def observe(self, span: MessageSpan) -> Observed:
        self.reach(lambda: None)
        if self.model_is_down:
            raise GeneratorFailed("down", worth_retrying=True)
        return Observed(
            tuple(_observation(int(f.message.id.removeprefix("s/"))) for f in span.messages)
        )

    def reach(self, call: Callable[[], Any]) -> Any:
        self.calls += 1
        event = self.plan.pop(self.calls, None)
        if event == "killed before":
            raise Killed
        if callable(event) and not self.has_lock:  # whoever waits for a lock does nothing
            event()
        result = call()
        if event == "killed after":
            raise Killed
        return result


def _observation(number: int) -> Observation:
    """Return what is observed of a message: it replaces what was observed of the one before,
    wherever that is by then.
    """
    alone = Observation(
        f"s/{number}", _AT, Priority.HIGH, Category.STATE, message_ids=(f"s/{number}",)
    )
    return alone._replace(
        replaces=(alone._replace(text=f"s/{number - 1}").key,) if number > 1 else ()
    )


class _Watched:
    def __init__(self, process: _Process, target: Any) -> None:
        self._process, self._target = process, target

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._target, name)
        if name not in _WRITES:
            return method
        return lambda *args, **options: self._process.reach(lambda: method(*args, **options))

    @contextmanager
    def exclusive(self, name: str, *, wait: bool = True) -> Any:
        with self._target.exclusive(name, wait=wait) as held:
            self._process.has_lock = True
            try:
                yield held
            finally:
                self._process.has_lock = False


class BufferMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.journal = SqliteJournal(Path(self.folder.name) / "journal.sqlite")
        self.journal._db().execute("PRAGMA synchronous = OFF")
        self.store = MemoryStore()
        self.processes = [_Process(self.journal, self.store), _Process(self.journal, self.store)]
        self.written = 0
        self.cursor: Cursor | None = None

    @rule(sizes=st.lists(st.integers(1, 14), min_size=1, max_size=12))
    def write(self, sizes: list[int]) -> None:
        self.write_messages(sizes)

    def write_messages(self, sizes: list[int]) -> None:
        turns = []
        for tokens in sizes:
            self.written += 1
            turns.append(
                Message(
                    f"s/{self.written}",
                    Role.USER,
                    f"m{self.written}",
                    _AT,
                    "s",
                    "plain",
                    tokens,
                    "f",
                    1,
                )
            )
        cursor = Cursor("1:1", "f", offset=self.written)
        assert self.journal.append(_SCOPE, turns, cursor, self.cursor)
        self.cursor = cursor

    @rule(
        who=st.integers(0, 1),
        at=st.integers(1, 12),
        event=st.sampled_from(["killed before", "killed after", "overtaken", "nothing"]),
        flush=st.booleans(),
        steps=st.integers(1, 8),
        written=st.lists(st.integers(1, 14), max_size=2),
        other_steps=st.integers(1, 3),
        other_flush=st.booleans(),
    )
    def observe(
        self,
        who: int,
        at: int,
        event: str,
        flush: bool,
        steps: int,
        written: list[int],
        other_steps: int,
        other_flush: bool,
    ) -> None:
        process, other = self.processes[who], self.processes[1 - who]
        process.calls, process.plan = 0, {}
        if event.startswith("killed"):
            process.plan[at] = event
        elif event == "overtaken":

            def overtake() -> None:
                if written:
                    self.write_messages(written)
                for _ in range(other_steps):
                    other.buffer.step(flush=other_flush)

            process.plan[at] = overtake
        try:
            for _ in range(steps):
                if process.buffer.step(flush=flush) is Step.NOTHING:
                    break
        except Killed:
            self.processes[who] = _Process(self.journal, self.store)
        process.plan = {}

    @rule(who=st.integers(0, 1))
    def model_goes_down_or_comes_back(self, who: int) -> None:
        process = self.processes[who]
        process.model_is_down = True
        before = self._position()
        try:
            process.buffer.step()
        except GeneratorFailed:
            assert self._position() == before
        process.model_is_down = False

    @rule(who=st.integers(0, 1))
    def deliver(self, who: int) -> None:
        deliver(self.journal, self.store)

    def _position(self) -> int:
        return self.journal.position(_SCOPE, READER)

    @invariant()
    def the_buffer_starts_at_the_position(self) -> None:
        end = self._position()
        for chunk in self.journal.chunks(_SCOPE, READER):
            assert chunk.start == end
            end = chunk.end

    @invariant()
    def runs_cover_the_journal_up_to_the_position_once(self) -> None:
        end = 0
        for run in self.journal.runs(_SCOPE, _EPOCH):
            assert run.start == end
            end = run.end
        assert end == self._position()

    @invariant()
    def what_is_observed_is_stored_or_waits_for_the_store(self) -> None:
        position = self._position()
        observed = {
            f.message.text
            for f in self.journal.read(_SCOPE, 0, budget_tokens=1 << 40)
            if f.seq <= position
        }
        waiting = {
            what.document.text
            for _, _, what in self.journal.undelivered(1 << 20)
            if not isinstance(what, str)
        }
        stored = {d.text for d in self.store.get(_SCOPE, list(self.store.hashes(_SCOPE)))}
        assert {text.replace("m", "s/") for text in observed} == stored | waiting

    def teardown(self) -> None:
        if not hasattr(self, "journal"):
            return
        process = _Process(self.journal, self.store)
        while process.buffer.step(flush=True) is not Step.NOTHING:
            pass
        deliver(self.journal, self.store)
        runs = self.journal.runs(_SCOPE, _EPOCH)
        assert len(self.store.hashes(_SCOPE)) == self.written == sum(run.documents for run in runs)
        keys = [_observation(number).key for number in range(1, self.written + 1)]
        by_key = {document.key: document for document in self.store.get(_SCOPE, keys)}
        followed = [by_key[key].metadata.get(REPLACED_BY) for key in keys]
        assert followed == [*keys[1:], None][: len(keys)]
        assert all(by_key[key].valid_to == _AT for key in keys[:-1])
        assert self.journal.chunks(_SCOPE, READER) == []
        self.journal.close()
        self.folder.cleanup()


BufferMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestBufferMachine = BufferMachine.TestCase
