"""Claims that hold no more: links, chains, what is taken back, what shares an end, and nothing that
dangles.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest
from tests.support.silent_reader import SilentReader
from tests.support.talk import AT, SHOP, build_key, build_turns, embed_missing

from gieok import fs
from gieok.hook.validity import Standing
from gieok.memory import observation
from gieok.memory.talk import lasting_turns, pair_judge, promotion, settlement
from gieok.memory.talk.claims import compare, comparison, stated_line, update
from gieok.memory.talk.pair_judge import PairJudge
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import CORRECTED, MADE_THEN, REPLACED_BY, Document, Entry, Passage, Scope
from gieok.places.home import lasting_file, later_file, replaced_file
from gieok.places.scope import PROMOTED, USER_SCOPE, repository_scope
from gieok.ports.models import ChangeReading
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore
from gieok.text.handles import build_handle

_LATER = AT + timedelta(days=90)
_A = "The staging server runs on port 1111."
_B = "The staging server moved from port 1111 to port 2222."
_C = "The staging server moved from port 2222 to port 3333."
_OTHER = "The gateway server moved from port 1111 to port 4444."


def _observed(text: str, day: int, **metadata: str) -> Entry:
    return _dated(f"{observation.PREFIX}{day}", observation.KIND, text, day, **metadata)


def _note(text: str, day: int) -> Entry:
    return _dated(f"memory/{day}.md", "memory", text, day)


def _dated(key: str, kind: str, text: str, day: int, **metadata: str) -> Entry:
    at = AT + timedelta(days=day)
    document = Document(
        scope=SHOP,
        key=key,
        kind=kind,
        text=text,
        content_hash=f"{text}{day}",
        created_at=at,
        updated_at=at,
        valid_from=at,
        metadata=metadata,
    )
    return Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),))


@pytest.fixture
def store() -> MemoryStore:
    """Return a store whose vectors are of the words."""
    return MemoryStore()


def _update(store: MemoryStore, home: Path, now: datetime = _LATER) -> bool:
    embed_missing(store)
    return promotion.update_promotions(store, home, now=now)


def _ended(home: Path) -> Mapping[tuple[str, int], tuple[str, int]]:
    """Return what holds no more → what holds in its place."""
    file = Path(replaced_file(str(home), str(SHOP)))
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return {(row[0], row[1]): (row[6], row[7]) for row in rows}


def test_the_later_value_replaces_the_earlier_one_whichever_was_taken_in_first(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("new", 9, _B)])
    _update(store, tmp_path)
    assert not _ended(tmp_path)
    store.put([build_turns("old", 1, _A, "The lamp is on.")])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("old"), 1): (build_key("new"), 1)}


def _made(text: str, day: int, *, written_after: timedelta = timedelta()) -> Entry:
    """Return a note whose head has the moment of its making alone, as `remember` writes it."""
    entry = _note(text, day)
    made_then = {**entry.document.metadata, MADE_THEN: "yes"}
    written_at = entry.document.updated_at + written_after
    document = replace(entry.document, metadata=made_then, updated_at=written_at)
    return entry._replace(document=document)


@pytest.mark.parametrize(
    ("written_after", "is_replaced"),
    [(timedelta(seconds=2), True), (timedelta(hours=1), False), (timedelta(seconds=-5), False)],
)
def test_a_note_that_was_not_written_on_since_it_was_made_replaces_an_earlier_one(
    store: MemoryStore, tmp_path: Path, written_after: timedelta, is_replaced: bool
) -> None:
    store.put([_made(_A, 1), _made(_B, 9, written_after=written_after)])
    _update(store, tmp_path)
    expected = {("memory/1.md", 1): ("memory/9.md", 1)} if is_replaced else {}
    assert _ended(tmp_path) == expected
    found = comparison.list_replaced(store, SHOP, "memory/9.md", PairJudge(None))
    assert [one.key for one in found] == [key for key, _ in expected]
    assert comparison.list_replaced(store, SHOP, "memory/1.md", PairJudge(None)) == []


def test_of_two_notes_of_one_second_none_replaces_the_other(
    store: MemoryStore, tmp_path: Path
) -> None:
    other = _made(_B, 1)
    for key in ("memory/0.md", "memory/2.md"):
        document = replace(other.document, key=key)
        store.put([_made(_A, 1), other._replace(document=document)])
        _update(store, tmp_path)
        assert not _ended(tmp_path)


def test_the_lines_of_a_passage_are_read_once_for_all_statements_near_to_it(
    store: MemoryStore, tmp_path: Path
) -> None:
    """A note of hundreds of lines was read as often as it has lines."""
    text = "\n".join(f"Shelf {n} holds the tool with the number {n}." for n in range(40))
    entry = _note(text, 1)
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(0, 40, 4)]
    passages = [
        Passage(start, end, 1 + 4 * n, 4 + 4 * n)
        for n, (start, end) in enumerate(pairwise([*starts, len(text)]))
    ]
    store.put([entry._replace(passages=tuple(passages))])
    embed_missing(store)
    reads: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is stated_line.list_statements.__code__:
            reads.append(frame.f_locals["text"])

    sys.setprofile(watch)
    try:
        promotion.update_promotions(store, tmp_path, now=_LATER)
    finally:
        sys.setprofile(None)
    assert len(reads) >= 2 * len(passages), "of the document, and as what is near"
    assert len(reads) <= 3 * len(passages)


def test_a_statement_on_a_parallel_subject_replaces_nothing(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _OTHER)])
    _update(store, tmp_path)
    assert not _ended(tmp_path)


def test_only_the_nearest_earlier_statement_is_replaced(store: MemoryStore, tmp_path: Path) -> None:
    far = (
        "The server of the old wiki, which nobody reads, runs on port 1111 beside the print queue."
    )
    store.put(
        [
            build_turns("far", 1, far),
            build_turns("a", 2, "The staging server listens on port 1111 for staging."),
            build_turns("b", 3, _B),
        ]
    )
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (build_key("b"), 1)}


def test_a_chain_leads_to_what_holds_now(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B), build_turns("c", 3, _C)])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {
        (build_key("a"), 1): (build_key("c"), 1),
        (build_key("b"), 1): (build_key("c"), 1),
    }
    ended = Standing(str(tmp_path), _LATER.timestamp()).ended(
        str(SHOP), build_key("a"), 1, f"User: {_A}"
    )
    assert ended is not None
    handle = build_handle(str(SHOP), build_key("c"), 1)
    assert (ended.handle, ended.status) == (handle, f"replaced on 2026-03-03, by {handle}")


def test_one_sentence_of_a_passage_ends_and_the_others_stand(
    store: MemoryStore, tmp_path: Path
) -> None:
    note = (
        f"We left sqlite-vec because it lost rows under load.\n{_A}\nReviews are done by Jun on "
        "weekdays."
    )
    store.put([_note(note, 1), build_turns("b", 5, _B)])
    _update(store, tmp_path)
    standing = Standing(str(tmp_path), _LATER.timestamp())
    (claim,) = standing.claims(str(SHOP), "memory/1.md", 1, note)
    assert (claim.words, claim.is_whole, claim.handle) == (
        _A,
        False,
        build_handle(str(SHOP), build_key("b"), 1),
    )
    assert standing.ended(str(SHOP), "memory/1.md", 1, note) is None
    assert claim.status.startswith(f'"{_A}" was replaced on 2026-03-06, by ')


def test_a_statement_ends_by_itself_after_its_last_day(store: MemoryStore, tmp_path: Path) -> None:
    said = "Until Friday the staging database is read-only."
    store.put([build_turns("a", 1, said)])  # a Monday
    _update(store, tmp_path)
    friday, saturday = datetime(2026, 3, 6, 23, tzinfo=UTC), datetime(2026, 3, 7, tzinfo=UTC)
    assert (
        Standing(str(tmp_path), friday.timestamp()).ended(
            str(SHOP), build_key("a"), 1, f"User: {said}"
        )
        is None
    )
    ended = Standing(str(tmp_path), saturday.timestamp()).ended(
        str(SHOP), build_key("a"), 1, f"User: {said}"
    )
    assert ended is not None
    assert (ended.status, ended.handle) == ("ended on 2026-03-06", "")


def test_a_last_day_at_the_end_of_the_calendar_is_read(store: MemoryStore, tmp_path: Path) -> None:
    said = "The staging licence is valid until 9999-12-31."
    store.put([build_turns("a", 1, said)])
    _update(store, tmp_path)
    now = datetime(2026, 3, 7, tzinfo=UTC).timestamp()
    ended = Standing(str(tmp_path), now).ended(str(SHOP), build_key("a"), 1, f"User: {said}")
    assert ended is None


def test_what_took_the_place_of_another_statement_has_won_until_it_is_replaced(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    _update(store, tmp_path)

    def won(session: str) -> bool:
        return Standing(str(tmp_path), _LATER.timestamp()).won([], str(SHOP), build_key(session), 1)

    assert (won("a"), won("b")) == (False, True)
    store.put([build_turns("c", 3, _C)])
    _update(store, tmp_path)
    assert (won("b"), won("c")) == (False, True)


def test_what_is_forgotten_leaves_no_link(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    _update(store, tmp_path)
    store.forget(SHOP, [build_key("b")])
    _update(store, tmp_path)
    assert not _ended(tmp_path)
    files = list((tmp_path / "lasting").iterdir())
    assert files
    assert all("staging" not in file.read_text(encoding="utf-8") for file in files)


def test_a_line_that_says_something_else_by_now_is_not_marked(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    _update(store, tmp_path)
    standing = Standing(str(tmp_path), _LATER.timestamp())
    assert (
        standing.ended(str(SHOP), build_key("a"), 1, "User: The staging server runs on port 9999.")
        is None
    )
    store.put([build_turns("a", 1, "The lamp is on.")])
    _update(store, tmp_path)
    assert not _ended(tmp_path)


def test_what_a_person_corrected_stands(store: MemoryStore, tmp_path: Path) -> None:
    store.put([_observed(_A, 1, **{CORRECTED: "2026-03-02"}), build_turns("b", 5, _B)])
    _update(store, tmp_path)
    assert not _ended(tmp_path)


def test_a_correction_replaces_what_was_said_when_its_observation_was(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put(
        [
            build_turns("a", 5, _A),
            _observed(_B, 1, **{CORRECTED: (AT + timedelta(days=9)).isoformat()}),
        ]
    )
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (f"{observation.PREFIX}1", 1)}


def test_what_was_replaced_takes_no_room_at_a_sessions_start(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    _update(store, tmp_path)
    rows = json.loads(Path(lasting_file(str(tmp_path), str(SHOP))).read_text(encoding="utf-8"))
    assert [row[3] for row in rows] == [build_key("b")]


def test_a_step_compares_some_documents_and_says_that_more_wait(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_MOST_DOCUMENTS", 1)
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    assert _update(store, tmp_path)
    assert not _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (build_key("b"), 1)}


def test_without_vectors_nothing_is_marked(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    assert not promotion.update_promotions(store, tmp_path, now=_LATER)
    assert not _ended(tmp_path)


def test_an_observation_ends_in_the_journal_and_holds_again_where_what_ended_it_is_gone(
    store: MemoryStore, tmp_path: Path, journal: SqliteJournal
) -> None:
    old = _observed(_A, 1)
    store.put([old, build_turns("b", 5, _B)])
    _update(store, tmp_path)
    ends, _ = update.update_claims(store, tmp_path)
    assert settlement.settle_observations(journal, store, SHOP, ends[SHOP])
    (document,) = store.get(SHOP, [old.document.key])
    assert (document.valid_to, document.metadata[REPLACED_BY]) == (
        AT + timedelta(days=5),
        build_key("b"),
    )
    assert not settlement.settle_observations(journal, store, SHOP, ends[SHOP])
    assert settlement.settle_observations(journal, store, SHOP, [])
    (document,) = store.get(SHOP, [old.document.key])
    assert (document.valid_to, dict(document.metadata)) == (None, {})


def test_of_an_observation_that_says_more_only_the_part_ends(
    store: MemoryStore, tmp_path: Path, journal: SqliteJournal
) -> None:
    rule = "Never restart it without asking me, whatever the monitor of the night says."
    old = _observed(f"{_A} {rule}", 1)
    store.put([old, build_turns("b", 5, _B)])
    _update(store, tmp_path)
    ends, _ = update.update_claims(store, tmp_path)
    (end,) = ends[SHOP]
    assert (end.old.key, end.old.start, end.old.length) == (old.document.key, 0, len(_A))
    assert not settlement.settle_observations(journal, store, SHOP, ends[SHOP])
    (document,) = store.get(SHOP, [old.document.key])
    assert (document.valid_to, dict(document.metadata)) == (None, {})


def _states(home: Path, session: str, line: int, text: str) -> str:
    """Return `current`, `stands`, or what became of a line and which session holds in its place."""
    standing = Standing(str(home), _LATER.timestamp())
    ended = standing.ended(str(SHOP), build_key(session), line, f"User: {text}")
    if ended is not None:
        return f"{ended.name} by {ended.key.partition('#')[0].rpartition('/')[2]}"
    return "current" if standing.won([], str(SHOP), build_key(session), line) else "stands"


@pytest.mark.parametrize(
    "said",
    [
        ["undo that"],
        ["Cancel that."],
        ["Never mind, back to how it was."],
        ["그거 취소, 원래대로"],
        ["Assistant: Noted: port 2222.", "thanks", "Scratch that, we're keeping the old one."],
        ["Assistant: Shall I tell Ann?", "No, back to how it was."],
    ],
)
def test_a_change_that_is_taken_back_at_once_is_replaced_by_what_stood_before(
    store: MemoryStore, tmp_path: Path, said: list[str]
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B, *said)])
    _update(store, tmp_path)
    assert (_states(tmp_path, "a", 1, _A), _states(tmp_path, "b", 1, _B)) == (
        "current",
        "replaced by a",
    )


@pytest.mark.parametrize(
    "said",
    [
        ["cancel the meeting"],
        ["이 주문 취소해줘"],
        ["undo the last commit"],
        ["should we undo that?"],
        ["Delete the old logs.", "undo that"],
        ["Can you deploy it?", "undo that"],
        ["The office is closed on Monday.", "그거 취소, 원래대로"],
        ["Assistant: Shall I tell Ann?", "cancel that"],
        ["Assistant: undo that"],
        [""],
    ],
)
def test_an_order_or_what_may_mean_something_else_takes_nothing_back(
    store: MemoryStore, tmp_path: Path, said: list[str]
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B, *said)])
    _update(store, tmp_path)
    assert (_states(tmp_path, "a", 1, _A), _states(tmp_path, "b", 1, _B)) == (
        "replaced by b",
        "current",
    )


@pytest.mark.parametrize(
    "said",
    [
        f"{_B} The demo moved from Tuesday to Friday.",
        f"{_B} Please update the README.",
    ],
)
def test_where_more_than_one_change_was_stated_or_work_asked_for_nothing_is_taken_back(
    store: MemoryStore, tmp_path: Path, said: str
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 9, said, "undo that")])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (build_key("b"), 1)}


@pytest.mark.parametrize(
    "said",
    [
        ["sorry, 2222, not 1111"],
        ["Assistant: Done.", "thanks", "아 미안, 1111 말고 2222"],
    ],
)
def test_a_value_that_is_put_right_at_once_is_replaced(
    store: MemoryStore, tmp_path: Path, said: list[str]
) -> None:
    store.put([build_turns("a", 1, f"{_A} Write the unit file.", *said)])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (build_key("a"), 1 + len(said))}


@pytest.mark.parametrize(
    "said",
    [
        ["is it 2222, not 1111?"],
        ["The lamp is on.", "sorry, 2222, not 1111"],
        ["Assistant: sorry, 2222, not 1111"],
    ],
    ids=["asked", "something else was said since", "said by the agent"],
)
def test_what_puts_nothing_right_replaces_nothing(
    store: MemoryStore, tmp_path: Path, said: list[str]
) -> None:
    store.put([build_turns("a", 1, _A, *said)])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {}


def test_a_value_may_be_put_right_in_the_block_after(store: MemoryStore, tmp_path: Path) -> None:
    block = build_turns("a", 1, "sorry, 2222, not 1111")
    key = build_key("a").replace("#1", "#2")
    later = Entry(replace(block.document, key=key), block.passages)
    store.put([build_turns("a", 1, _A), later])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (key, 1)}


def test_another_session_takes_nothing_back(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B), build_turns("c", 9, "undo that")])
    _update(store, tmp_path)
    assert _states(tmp_path, "a", 1, _A) == "replaced by b"


def test_what_is_taken_back_may_stand_at_the_end_of_the_block_before(
    store: MemoryStore, tmp_path: Path
) -> None:
    block = build_turns("b", 9, "undo that")
    later = Entry(replace(block.document, key=build_key("b").replace("#1", "#2")), block.passages)
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B), later])
    _update(store, tmp_path)
    assert (_states(tmp_path, "a", 1, _A), _states(tmp_path, "b", 1, _B)) == (
        "current",
        "replaced by a",
    )


def test_a_change_after_one_that_was_taken_back_replaces_both(
    store: MemoryStore, tmp_path: Path
) -> None:
    later = "The staging server no longer runs on port 1111."
    store.put(
        [build_turns("a", 1, _A), build_turns("b", 9, _B, "undo that"), build_turns("c", 20, later)]
    )
    _update(store, tmp_path)
    assert (_states(tmp_path, "a", 1, _A), _states(tmp_path, "c", 1, later)) == (
        "replaced by c",
        "current",
    )
    assert _states(tmp_path, "b", 1, _B) == "replaced by c"


def test_what_was_observed_of_a_change_goes_with_it(store: MemoryStore, tmp_path: Path) -> None:
    observed = _observed(_B, 9)
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B, "undo that"), observed])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {
        (build_key("b"), 1): (build_key("a"), 1),
        (observed.document.key, 1): (build_key("a"), 1),
    }


def test_taking_back_is_forgotten_with_the_line_that_does_it(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B, "undo that")])
    _update(store, tmp_path)
    store.put([build_turns("b", 9, _B)])
    _update(store, tmp_path)
    assert (_states(tmp_path, "a", 1, _A), _states(tmp_path, "b", 1, _B)) == (
        "replaced by b",
        "current",
    )


def test_what_is_taken_back_in_a_project_is_in_the_users_own_scope_too(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting_turns, "judge_turn_worth", lambda text, vector, model: 0.9)
    monkeypatch.setattr(
        lasting_turns, "about_user", lambda text, vector, model: float("server" in text)
    )
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B, "undo that")])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("b"), 1): (build_key("a"), 1)}
    rows = json.loads(Path(replaced_file(str(tmp_path), USER_SCOPE)).read_text(encoding="utf-8"))
    assert [(row[0], row[6]) for row in rows] == [
        (build_key("b") + PROMOTED, build_key("a") + PROMOTED)
    ]


class _Reader(SilentReader):
    """Finds a change wherever both statements name the key; counts, and knows when locks are held."""

    def __init__(self, home: Path, chance: float = 0.999) -> None:
        self.home, self.chance, self.asked = home, chance, 0

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        with fs.lock_resource(self.home, self.home / "lasting"):  # nobody holds it meanwhile
            self.asked += 1
        chance = self.chance if "key" in earlier and "key" in later else 0.01
        return ChangeReading(chance, 0.0)


_KEY_OLD, _KEY_NEW = (
    "The loom room key hangs behind the map.",
    "The loom room key is with Petronela.",
)
_KEY_MOVED = "The loom room key moved to the shelf."


def _read(store: MemoryStore, home: Path, reader: _Reader) -> bool:
    embed_missing(store)
    return promotion.update_promotions(store, home, reader=reader, now=_LATER)


def test_the_reader_marks_what_no_rule_sees_and_is_asked_outside_of_the_lock(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.put(
        [
            build_turns("a", 1, _KEY_OLD),
            build_turns("b", 2, _KEY_NEW),
            build_turns("c", 3, "I had soup."),
        ]
    )
    assert not _update(store, tmp_path)
    assert not _ended(tmp_path), "no rule sees it"
    (tmp_path / "other").mkdir()
    reader = _Reader(tmp_path / "other")
    assert not _read(store, tmp_path / "other", reader)
    assert _ended(tmp_path / "other") == {(build_key("a"), 1): (build_key("b"), 1)}
    asked = reader.asked
    assert not _read(store, tmp_path / "other", reader)
    assert reader.asked == asked, "what is compared is not read again"


def test_a_step_reads_some_pairs_and_the_next_one_goes_on(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_judge, "_MOST_READ", 1)
    store.put(
        [
            build_turns("a", 1, _KEY_OLD),
            build_turns("b", 2, _KEY_NEW),
            build_turns("c", 3, "A key, a map."),
        ]
    )
    reader, steps = _Reader(tmp_path), 1
    while _read(store, tmp_path, reader):
        steps += 1
        assert steps < 10
    assert steps > 1
    assert _ended(tmp_path)[build_key("a"), 1] in {(build_key("b"), 1), (build_key("c"), 1)}


def test_what_was_observed_of_a_turn_stands_between_no_pair(
    store: MemoryStore, tmp_path: Path
) -> None:
    old = [build_turns("a", 1, _KEY_OLD), _observed(_KEY_OLD, 1)]
    store.put([*old, build_turns("b", 2, _KEY_NEW), _observed(_KEY_NEW, 2)])
    reader = _Reader(tmp_path)
    assert not _read(store, tmp_path, reader)
    marked = set(_ended(tmp_path))
    assert marked == {(build_key("a"), 1), (f"{observation.PREFIX}1", 1)}
    for entry in old:
        changed = replace(entry.document, content_hash=f"{entry.document.content_hash} changed")
        store.put([entry._replace(document=changed)])
        assert not _read(store, tmp_path, reader)
        assert set(_ended(tmp_path)) == marked, "also where only the old one is compared anew"


def test_marks_of_an_earlier_version_hold_until_their_documents_are_compared_anew(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    _update(store, tmp_path)
    marked = _ended(tmp_path)
    file = Path(f"{replaced_file(str(tmp_path), str(SHOP))}.links")
    rows = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps([3, *rows[1:]]), encoding="utf-8")
    monkeypatch.setattr(compare, "_MOST_DOCUMENTS", 1)
    assert _update(store, tmp_path)
    assert _ended(tmp_path) == marked
    _update(store, tmp_path)
    assert _ended(tmp_path) == marked


def test_an_observation_never_replaces_the_turn_that_it_was_made_of(
    store: MemoryStore, tmp_path: Path
) -> None:
    said = "and the loom room key: it is with Petronela since this week"
    store.put([build_turns("a", 1, said), _observed(f"{said} (2026-11-23 to 2026-11-25)", 2)])
    assert not _read(store, tmp_path, _Reader(tmp_path))
    assert not _ended(tmp_path)


@pytest.mark.parametrize(
    "later",
    [
        "The loom room key hangs behind the map no longer, it is with Petronela.",
        "we moved it: The loom room key hangs behind the map is over",
    ],
)
def test_a_change_may_hold_all_words_of_what_it_replaces(
    store: MemoryStore, tmp_path: Path, later: str
) -> None:
    store.put([build_turns("a", 1, _KEY_OLD), build_turns("b", 2, later)])
    assert not _read(store, tmp_path, _Reader(tmp_path))
    assert _ended(tmp_path) == {(build_key("a"), 1): (build_key("b"), 1)}


def test_a_turn_that_was_corrected_replaces_whichever_was_compared_first(
    store: MemoryStore, tmp_path: Path
) -> None:
    later = f"{_B}{CORRECTED_MARK}2026-03-05)"
    store.put([build_turns("a", 1, _A)])
    _update(store, tmp_path)
    store.put([build_turns("b", 2, later)])
    _update(store, tmp_path)
    assert _ended(tmp_path) == {(build_key("a"), 1): (build_key("b"), 1)}


def test_what_a_repository_brought_is_not_compared(store: MemoryStore, tmp_path: Path) -> None:
    scopes = Scope(repository_scope(str(SHOP))), Scope("character:mina")
    for scope in scopes:
        store.put([build_turns("a", 1, _A, scope=scope), build_turns("b", 2, _B, scope=scope)])
    _update(store, tmp_path)
    ends, _ = update.update_claims(store, tmp_path)
    assert ends == {}


def test_what_was_taken_back_stands_beside_nothing(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _KEY_OLD), build_turns("b", 9, _KEY_MOVED, "undo that")])
    _read(store, tmp_path, _Reader(tmp_path, 0.9))
    assert not _list_later(tmp_path)
    store.put([build_turns("b", 9, _KEY_MOVED)])
    _read(store, tmp_path, _Reader(tmp_path, 0.9))
    assert _list_later(tmp_path) == [(build_key("a"), build_key("b"))]


def _list_later(home: Path) -> list[tuple[str, str]]:
    file = Path(later_file(str(home), str(SHOP)))
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return [(row[0], row[6]) for row in rows]
