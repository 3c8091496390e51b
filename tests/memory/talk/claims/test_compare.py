"""What is compared anew, what waits, and the moments at which stated ends end."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path

import pytest
from tests.support.silent_reader import SilentReader
from tests.support.talk import SHOP, build_key, build_turns, embed_missing

from gieok.errors import EmbedderFailed
from gieok.memory.talk import pair_judge
from gieok.memory.talk.cancelled_changes import TurnLine
from gieok.memory.talk.claims import compare
from gieok.memory.talk.claims.claim import Claim, ClaimEnd
from gieok.memory.talk.claims.compared_scope import Findings
from gieok.memory.talk.pair_judge import PairJudge
from gieok.ports.models import ChangeReading
from gieok.testing.memory_store import MemoryStore
from gieok.text.handles import line_check

_KEY_OLD = "The loom room key hangs behind the map."
_KEY_NEW = "The loom room key is with Petronela."
_SEOUL = timezone(timedelta(hours=9))


class _Reader(SilentReader):
    """Counts what it reads; it may have no model."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self.is_broken, self.asked = is_broken, 0

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        if self.is_broken:
            raise EmbedderFailed("no model")
        self.asked += 1
        return ChangeReading(0.01, 0.0)


@pytest.fixture
def store() -> MemoryStore:
    """Return a store of two turns on one subject, and of one on another."""
    store = MemoryStore()
    said = (_KEY_OLD, _KEY_NEW, "I had soup.")
    store.put(
        [
            build_turns(name, day, text)
            for day, (name, text) in enumerate(zip("abc", said, strict=True))
        ]
    )
    embed_missing(store)
    return store


def _compare(
    store: MemoryStore, home: Path, judge: PairJudge | None = None, zone: tzinfo = UTC
) -> tuple[set[str], bool]:
    """Return the sessions that are compared, and whether more wait."""
    state, waits = compare.compare_scope(store, SHOP, home, zone, judge)
    done = {key for key, stamp in state.compared.items() if stamp}
    return {key.rpartition("/")[2].partition("#")[0] for key in done}, waits


def test_some_documents_are_compared_at_once_the_newest_first(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_MOST_DOCUMENTS", 2)
    assert _compare(store, tmp_path) == ({"b", "c"}, True)
    assert _compare(store, tmp_path) == ({"a", "b", "c"}, False)
    store.put([build_turns("a", 0, "The map is gone."), build_turns("b", 1, "It rains.")])
    embed_missing(store)
    assert _compare(store, tmp_path) == ({"a", "b", "c"}, False), "as many as one step compares"


def test_what_rules_judged_is_read_once_there_is_a_reader(
    store: MemoryStore, tmp_path: Path
) -> None:
    everything = {"a", "b", "c"}
    assert _compare(store, tmp_path) == (everything, False)
    kept = compare.read_compared_scope(tmp_path, SHOP).compared
    assert {stamp.removesuffix(" by rules") for stamp in kept.values()} == {
        *store.hashes(SHOP).values()
    }
    assert all(stamp.endswith(" by rules") for stamp in kept.values())
    reader = _Reader()
    assert _compare(store, tmp_path, PairJudge(reader)) == (everything, False)
    read = reader.asked
    assert read
    assert _compare(store, tmp_path, PairJudge(reader)) == (everything, False)
    assert reader.asked == read, "nothing is read twice"
    before = compare.read_compared_scope(tmp_path, SHOP)
    assert _compare(store, tmp_path) == (everything, False)
    assert compare.read_compared_scope(tmp_path, SHOP) == before, "rules take nothing back"


def test_behind_what_the_reader_has_not_read_nothing_is_compared(
    store: MemoryStore, tmp_path: Path
) -> None:
    judge = PairJudge(_Reader())
    judge.close()
    assert _compare(store, tmp_path, judge) == ({"c"}, True), "of soup alone nothing is asked"


def test_a_document_without_vectors_is_compared_when_it_has_some(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("d", 3, "The staging server runs on port 1111.")])
    assert _compare(store, tmp_path) == ({"a", "b", "c"}, False)
    embed_missing(store)
    assert _compare(store, tmp_path) == ({"a", "b", "c", "d"}, False)


@pytest.mark.parametrize(
    ("most_read", "is_broken", "reads"), [(200, False, True), (0, False, False), (200, True, False)]
)
def test_what_a_comparison_will_ask_for_is_read_ahead(
    store: MemoryStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    most_read: int,
    *,
    is_broken: bool,
    reads: bool,
) -> None:
    monkeypatch.setattr(pair_judge, "_MOST_READ", most_read)
    reader = _Reader(is_broken=is_broken)
    compare.read_scope_ahead(store, SHOP, tmp_path, UTC, PairJudge(reader))
    assert bool(reader.asked) is reads
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("is_changed", [False, True])
def test_what_was_found_ahead_is_taken_where_the_scope_has_not_changed(
    store: MemoryStore, tmp_path: Path, *, is_changed: bool
) -> None:
    judge = PairJudge(_Reader())
    ahead = compare.read_scope_ahead(store, SHOP, tmp_path, UTC, judge)
    assert len(ahead.found) == len(ahead.hashes) == len(store.hashes(SHOP))
    judge.close()
    if is_changed:
        store.put([build_turns("d", 4, "The loom room key is lost.")])
        embed_missing(store)
    marked = Findings(ends=[ClaimEnd(Claim("x", 1, 0, 1, 1, 1), None, 7)])
    found = dict.fromkeys(ahead.found, marked)
    state, _ = compare.compare_scope(
        store, SHOP, tmp_path, judge=judge, ahead=compare.FoundAhead(ahead.hashes, found)
    )
    assert bool(state.found.ends) is not is_changed


def test_a_slip_is_no_cancelled_change(tmp_path: Path) -> None:
    store = MemoryStore()
    wrong = "The staging server runs on port 1111."
    store.put([build_turns("a", 1, f"{wrong} Write the unit file.", "sorry, 2222, not 1111")])
    embed_missing(store)
    state, _ = compare.compare_scope(store, SHOP, tmp_path)
    ((link),) = state.found.links
    assert not link.takes_back
    assert (link.old.key, link.old.line, link.old.start) == (build_key("a"), 1, len("User: "))
    assert link.old.length == len(wrong)


@pytest.mark.parametrize(("words", "part"), [("1111", "1111"), ("2222", "on 1111")])
def test_words_that_a_line_has_not_are_the_whole_line(words: str, part: str) -> None:
    claim = compare._build_line_claim(TurnLine("a", 1, "User: on 1111"), words, 3)
    assert (claim.start, claim.length) == ("User: on 1111".index(part), len(part))
    assert claim.check == line_check(part)


@pytest.mark.parametrize(
    ("said", "zone", "ends"),
    [
        (["Until Friday the office is closed."], UTC, [datetime(2026, 3, 7, tzinfo=UTC)]),
        (["Until Friday the office is closed."], _SEOUL, [datetime(2026, 3, 7, tzinfo=_SEOUL)]),
        (["For this sprint the office is closed."], UTC, []),
        (["The office is closed."], UTC, []),
    ],
)
def test_a_stated_end_is_the_moment_after_its_last_day(
    tmp_path: Path, said: Sequence[str], zone: tzinfo, ends: Sequence[datetime]
) -> None:
    store = MemoryStore()
    store.put([build_turns("a", 1, *said)])  # a Monday
    embed_missing(store)
    state, _ = compare.compare_scope(store, SHOP, tmp_path, zone)
    assert [end.at for end in state.found.ends] == [end.timestamp() for end in ends]
