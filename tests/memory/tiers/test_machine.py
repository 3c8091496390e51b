"""Tiers under kills between any two steps, and other processes at any moment.

Every call that a move makes to the journal, the store or the archive is a place where it may be
killed (before or after the call takes effect), or where another process forgets, corrects or adds a
memory. Whatever happens, each memory lives in one place and reads there as it should, and in the
end no file holds anything else.
"""

from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gieok.flow.distil import deliver
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import retention, sweep
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import Tiers
from gieok.model.memory import Entry, Tier
from gieok.storage.archives.folder import FolderArchive
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore
from gieok.testing.samples import HOME

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_STEPS = frozenset(
    (
        *(
            "archive",
            "mark_stale",
            "settle",
            "made",
            "archived",
            "delivered",
            "keep",
            "stale_places",
            "places",
        ),
        *("put", "entries", "read", "write", "delete", "files"),
    )
)
_CALLS = st.integers(1, 40)
_NUMBERS = st.integers(0, 5)


class Killed(BaseException):
    """The process is gone: no handler of the product catches this."""


class _Watched:
    """Passes calls through, where the process may be killed or overtaken at a chosen one."""

    def __init__(self, machine: "TiersMachine", target: Any) -> None:
        self._machine, self._target = machine, target

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return (
            (lambda *a, **k: self._machine.reach(lambda: found(*a, **k)))
            if name in _STEPS
            else found
        )


class TiersMachine(RuleBasedStateMachine):
    """A journal, a store, a folder, and what they should hold: key → text."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        root = Path(self.folder.name)
        self.journal, self.store, self.archive = (
            SqliteJournal(root / "j.sqlite"),
            MemoryStore(),
            FolderArchive(root / "w"),
        )
        self.clock = ManualClock(_START)
        self.wanted: dict[str, str] = {}
        self.plan: dict[int, str | Callable[[], None]] = {}
        self.calls = 0
        shelf = Shelf(Tier.WARM, DayForm(UTC), lambda scope: _Watched(self, self.archive))
        self.tiers = Tiers(
            _Watched(self, self.journal),
            _Watched(self, self.store),
            {Tier.WARM: shelf},
            retention.build_retention_rules(),
            self.clock,
            UTC,
        )

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.journal.close()
            self.folder.cleanup()

    def reach(self, call: Callable[[], Any]) -> Any:
        self.calls += 1
        event = self.plan.pop(self.calls, None)
        if event == "killed before":
            raise Killed
        if callable(event):
            event()
        result = call()
        if event == "killed after":
            raise Killed
        return result

    @contextmanager
    def going(self, at: int, event: str | Callable[[], None]) -> Any:
        """Do something to the process at its `at`-th call, and check what is left by that."""
        self.calls, self.plan = 0, {at: event}
        try:
            yield
        except Killed:
            self.each_lives_once()
        self.plan = {}

    def _some(self, number: int) -> str:
        return sorted(self.wanted)[number % len(self.wanted)]

    def _live(self, key: str) -> Entry:
        deliver(self.journal, self.store)
        (found,) = self.store.entries(HOME, [key])
        return found

    def _add(self, text: str, back: int = 0) -> str:
        at = self.clock.now() - timedelta(days=back)
        priority, category = Priority.HIGH, Category.DECISION
        (made,) = observation.build_observed_entries(
            HOME, Observed((Observation(text, at, priority, category),)), at
        )
        self.journal.hand_over([made])
        self.wanted[made.document.key] = text
        return made.document.key

    @rule(number=_NUMBERS, back=st.sampled_from((0, 1, 95)))
    def add(self, number: int, back: int) -> None:
        self._add(f"memory {len(self.wanted)} {number}\n<!-- gieok {number}", back)

    @rule(number=_NUMBERS)
    def correct(self, number: int) -> None:
        if self.wanted:
            self._correct(self._some(number))

    def _correct(self, key: str) -> None:
        waiting = [what for _, _, what in self.journal.undelivered(999) if isinstance(what, Entry)]
        held = {entry.document.key: entry for entry in [*self.store.entries(HOME, [key]), *waiting]}
        self.wanted[key] = f"corrected {self.calls} {key}"
        fresh = observation.corrected(held[key].document, self.wanted[key], self.clock.now())
        self.journal.hand_over([fresh])

    @rule(number=_NUMBERS)
    def replace(self, number: int) -> None:
        """The newest wins: an older memory gets an end, wherever it lives."""
        if self.wanted:
            key = self._some(number)
            old = self._live(key).document
            newer = self._live(self._add(f"newer than {key}")).document
            self.journal.hand_over(
                [Entry(observation.end_document(old, newer), self._live(key).passages)]
            )

    @rule(number=_NUMBERS)
    def forget(self, number: int) -> None:
        if self.wanted:
            self._forget(self._some(number))

    def _forget(self, key: str) -> None:
        del self.wanted[key]
        self.journal.hand_over(forget=[(HOME, key)])

    @rule(
        days=st.sampled_from((1, 30, 100)),
        at=_CALLS,
        how=st.sampled_from(("", "killed before", "killed after")),
    )
    def night(self, days: int, at: int, how: str) -> None:
        self.clock.advance(timedelta(days=days))
        with self.going(at, how):
            sweep.tier_due_memories(self.tiers)

    @rule(at=_CALLS, number=_NUMBERS, what=st.sampled_from(("forget", "correct", "add")))
    def night_with_another_process(self, at: int, number: int, what: str) -> None:
        self.clock.advance(timedelta(days=100))
        key = self._some(number) if self.wanted else ""
        acts = {
            "forget": lambda: self._forget(key),
            "correct": lambda: self._correct(key),
            "add": lambda: self._add("late", 99),
        }
        with self.going(at, (lambda: None) if what != "add" and not key else acts[what]):
            sweep.tier_due_memories(self.tiers)

    @rule(number=_NUMBERS, at=_CALLS, how=st.sampled_from(("", "killed before", "killed after")))
    def restore(self, number: int, at: int, how: str) -> None:
        places = self.journal.places()
        if places:
            with self.going(at, how):
                sweep.restore_day_to_hot(self.tiers, HOME, places[number % len(places)].day)

    @rule(number=_NUMBERS, at=_CALLS, how=st.sampled_from(("", "killed before", "killed after")))
    def a_person_corrects_a_file(self, number: int, at: int, how: str) -> None:
        rows = self.journal.archived(HOME)
        self._recover()
        rows = self.journal.archived(HOME)
        if not rows:
            return
        row = rows[number % len(rows)]
        data, revision = self.archive.read(row.place.path)
        first = self.wanted[row.key].split("\n")[0]
        self.archive.write(row.place.path, data.replace(first.encode(), b"by hand", 1), revision)
        self.wanted[row.key] = self.wanted[row.key].replace(first, "by hand", 1)
        with self.going(at, how):
            sweep.take_in_corrections(self.tiers)
        sweep.take_in_corrections(self.tiers)

    @rule(number=_NUMBERS, is_damaged=st.booleans())
    def a_file_is_lost(self, number: int, is_damaged: bool) -> None:
        self._recover()
        places = self.journal.places()
        if places:
            path = places[number % len(places)].place.path
            _, revision = self.archive.read(path)
            if is_damaged:
                self.archive.write(path, b"\xff torn", revision)
            else:
                self.archive.delete(path, revision)
            sweep.take_in_corrections(self.tiers)

    def _recover(self) -> None:
        deliver(self.journal, self.store)
        assert sweep.sweep_stale_places(self.tiers).wrong == []

    def _files(self) -> dict[str, dict[str, str]]:
        """Return what the files of days say: path → key → text."""
        texts = {
            one.path: self.archive.read(one.path)[0].decode()
            for one in self.archive.files()
            if "/" not in one.path
        }
        return {
            path: {
                one.entry.document.key: one.entry.document.text
                for one in DayForm(UTC).parse(HOME, text).memories
            }
            for path, text in texts.items()
        }

    @invariant()
    def each_lives_once(self) -> None:
        """In hot, or in the file that the journal says, and reads there as it should."""
        if not hasattr(self, "journal"):
            return
        hot = {one.document.key: one.document.text for one in self.journal.made(HOME)}
        rows, files = self.journal.archived(HOME), self._files()
        archived = {row.key: files.get(row.place.path, {}).get(row.key) for row in rows}
        assert not hot.keys() & archived.keys()
        assert hot | archived == self.wanted

    @invariant()
    def recovered_no_file_holds_anything_else(self) -> None:
        if not hasattr(self, "journal"):
            return
        self._recover()
        rows = {row.key: row.place for row in self.journal.archived(HOME)}
        told = [(key, path) for path, held in self._files().items() for key in held]
        assert sorted(told) == sorted((key, place.path) for key, place in rows.items())
        stored = {
            d.key: (d.text, d.tier) for d in self.store.get(HOME, sorted(self.store.hashes(HOME)))
        }
        tiers = {key: place.tier for key, place in rows.items()}
        assert stored == {
            key: (text, tiers.get(key, Tier.HOT)) for key, text in self.wanted.items()
        }
        assert self.journal.stale_places() == []


TestTiersMachine = TiersMachine.TestCase
TestTiersMachine.settings = settings(
    max_examples=30,
    stateful_step_count=12,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
