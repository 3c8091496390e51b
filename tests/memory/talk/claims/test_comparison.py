"""Which pairs of statements are judged: the nearest, of other sessions, and not what is the same."""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.silent_reader import SilentReader
from tests.support.talk import AT, SHOP, build_block, build_key, build_turns, embed_missing

from gieok.memory.talk.claims import comparison
from gieok.memory.talk.claims.comparison import Comparison, FoundJudge
from gieok.memory.talk.claims.stated_line import StatedLine
from gieok.memory.talk.pair_judge import PairJudge
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import Document, Entry, Scope
from gieok.model.retrieval import Filter, FoundPassage, Ranking, VectorQuery
from gieok.ports.models import ChangeReading
from gieok.testing.memory_store import MemoryStore
from gieok.text.embedform import text_to_embed

_A = "The staging server runs on port 1111."
_B = "The staging server moved from port 1111 to port 2222."
_PUNTS = "The tide gate opens at six for the punts."
#: Statements on nothing that the others speak of.
_OTHERS = ("Mira teaches pottery.", "Jun likes ink.", "Ana sold a boat.", "Two owls live here.")


class _Reader(SilentReader):
    """Takes every pair for a change, and keeps the pairs."""

    def __init__(self, whole: float = 0.999) -> None:
        self.whole, self.read = whole, list[tuple[str, str]]()

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        self.read.append((earlier, later))
        return ChangeReading(self.whole, 0.0)


def _put(said: Mapping[str, str | float], vectors: MemoryStore | None = None) -> MemoryStore:
    """Return a store of turns, each of its own session and day, in order.

    The angle of each turn says how near it is to the others.
    """
    store = MemoryStore()
    store.put([build_turns(f"s{day}", day, text) for day, text in enumerate(said)])
    store.use_model("plane", 2)
    angles = {text_to_embed(f"User: {text}"): float(angle) for text, angle in said.items()}
    found = store.missing(100)
    store.put_vectors(
        "plane",
        {
            id_: struct.pack("<2f", math.cos(angles[text]), math.sin(angles[text]))
            for id_, text in found
        },
    )
    return store


def _list_stated(store: MemoryStore, compared: Comparison) -> list[StatedLine]:
    keys = sorted(store.hashes(SHOP))
    return [one for entry in store.entries(SHOP, keys) for one in compared.statements(entry)[0]]


def _compare(
    said: Mapping[str, float], reader: SilentReader | None = None
) -> tuple[Comparison, list[StatedLine]]:
    store = _put(said)
    compared = Comparison(store, SHOP, PairJudge(reader))
    return compared, _list_stated(store, compared)


class _Asker:
    """Finds, for every statement, what lies a right angle behind it on the plane."""

    model, dimension = "plane", 2

    def embed_query(self, text: str) -> bytes:
        is_later = text == _B
        return struct.pack("<2f", 0.0, 1.0 if is_later else 0.0)

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [struct.pack("<2f", 1.0, 0.0) for _ in texts]


def test_what_a_statement_is_about_is_read_before_what_is_worded_like_it() -> None:
    alike, meant = _OTHERS[:2]
    store = _put({alike: 0.1, meant: 1.5, _B: 0.0})
    for judge, nearest in ((PairJudge(None), alike), (PairJudge(None, _Asker()), meant)):
        stated = _list_stated(store, compared := Comparison(store, SHOP, judge))
        new = stated[-1]
        near = [old.text for old in stated[:-1] if compared.is_nearest(old, new)]
        assert near == [nearest]


def test_a_document_is_complete_where_all_its_passages_have_vectors() -> None:
    store = MemoryStore()
    store.put([build_turns("a", 1, _A, _B)])
    (entry,) = store.entries(SHOP, [build_key("a")])
    stated, is_complete = Comparison(store, SHOP, PairJudge(None)).statements(entry)
    assert ([one.vector for one in stated], is_complete) == ([b"", b""], True), "no model at all"
    embed_missing(store)
    stated, is_complete = Comparison(store, SHOP, PairJudge(None)).statements(entry)
    assert (all(one.vector for one in stated), is_complete) == (True, True)
    store.put([build_turns("a", 1, _A, "The lamp is on.")])
    (entry,) = store.entries(SHOP, [build_key("a")])
    stated, is_complete = Comparison(store, SHOP, PairJudge(None)).statements(entry)
    assert ([bool(one.vector) for one in stated], is_complete) == ([True, False], False)


@pytest.mark.parametrize(
    ("later", "takes_place"),
    [(_B, True), (f"{_B}{CORRECTED_MARK}2026-03-05)", True), ("The lamp is on.", False)],
)
def test_a_later_statement_is_linked_with_the_one_that_it_replaces(
    later: str, *, takes_place: bool
) -> None:
    compared, stated = _compare({_A: 0.1, later: 0.0})
    for one in stated:
        found = [(link.old.key, link.new.key, link.takes_back) for link in compared.links([one])]
        assert found == ([(build_key("s0"), build_key("s1"), False)] if takes_place else [])
    assert not list(compared.links([stated[1]._replace(vector=b"")]))


def test_of_a_pair_only_the_later_is_judged_and_only_where_it_is_the_nearest() -> None:
    said = {
        "The loom room key hangs in the hall.": 0.9,
        "The loom room key hangs behind the map.": 0.1,
        "The loom room key is with Petronela.": 0.0,
    }
    compared, (far, near, new) = _compare(said, _Reader())
    assert compared.judge(near, new, may_read=True)[1]
    assert not compared.judge(near, new, may_read=False)[1], "no rule is sure"
    assert not compared.judge(new, near, may_read=True)[1]
    assert not compared.judge(far, new, may_read=True)[1]
    assert not compared.judge(near, new._replace(vector=b""), may_read=True)[1]
    corrected = near._replace(text=f"{near.text}{CORRECTED_MARK}2026-03-05)")
    assert not compared.judge(corrected, new, may_read=True)[1]
    retold = new._replace(text=f"{near.text} (2026-03-02)")
    assert not compared.judge(near, retold, may_read=True)[1]


def test_the_reader_reads_the_nearest_earlier_and_the_nearest_later_statement() -> None:
    far, earlier, later, last = (f"{name} has the lamp." for name in ("Mira", "Jun", "Ana", "Tom"))
    said = {far: 0.3, earlier: 0.1, "The lamp is on.": 0.0, later: -0.1, last: -0.3}
    reader = _Reader(0.01)
    compared, stated = _compare(said, reader)
    assert not list(compared.links(stated[2:3]))
    assert reader.read == [(earlier, "The lamp is on."), ("The lamp is on.", later)]


def test_the_reader_is_not_asked_of_statements_without_a_common_subject() -> None:
    reader = _Reader()
    compared, stated = _compare({_OTHERS[0]: 0.1, _OTHERS[1]: 0.0}, reader)
    assert not list(compared.links(stated))
    assert not reader.read


class _CountingStore(MemoryStore):
    """Counts the searches for neighbours."""

    searched = 0

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        self.searched += 1
        return super().nearest(scope, query, where, limit)


@pytest.mark.parametrize(
    ("day", "is_dated", "searched", "links"),
    [(-1, False, 2, 1), (0, False, 2, 1), (1, False, 1, 0), (-1, True, 2, 1)],
)
def test_a_note_without_a_date_is_searched_for_only_where_something_was_said_since(
    day: int, *, is_dated: bool, searched: int, links: int
) -> None:
    store = _CountingStore()
    note = build_block(SHOP, "a.md", _A, at=AT + timedelta(days=day))
    dated = note.document.valid_from if is_dated else None
    note = Entry(replace(note.document, kind="note", valid_from=dated), note.passages)
    store.put([note, build_turns("b", 0, _B)])
    embed_missing(store)
    compared = Comparison(store, SHOP, PairJudge(None))
    stated = _list_stated(store, compared)
    found = {link.old.key for link in compared.links(stated)}
    assert (store.searched, len(found)) == (searched, links)


def test_what_is_nearest_is_told_without_what_says_the_same_or_is_replaced_too() -> None:
    said = {_OTHERS[0]: 0.4, _A: 0.2, f"{_OTHERS[0]} So she says.": 0.1, _B: 0.0, _OTHERS[1]: 0.05}
    compared, (old, replaced, same, new, later) = _compare(said)
    assert compared.is_nearest(old, new)
    assert compared.is_nearest(replaced, new)
    assert not compared.is_nearest(replaced, later), "another earlier one is nearer"
    assert not compared.is_nearest(old._replace(line=9), new), "it is not there"
    assert same.order < new.order


def test_a_likely_change_marks_nothing_as_cancelled() -> None:
    first, second = (
        "The tide gate opens for the punts at six.",
        "For the punts the tide gate opens at seven.",
    )
    compared, stated = _compare({first: 0.1, second: 0.0}, _Reader(0.92))
    for one in stated:
        (link,) = compared.likely_links([one])
        assert (link.old.key, link.new.key, link.takes_back) == (
            build_key("s0"),
            build_key("s1"),
            False,
        )
    assert not list(compared.likely_links([stated[1]._replace(vector=b"")]))
    assert not list(compared.likely_links([stated[1]._replace(text="When does the gate open?")]))
    corrected = stated[0]._replace(text=f"{first}{CORRECTED_MARK}2026-03-05)")
    assert not list(compared.likely_links([corrected]))


def _number(count: int) -> list[str]:
    return [f"The tide gate number {n} opens at {n} for the punts." for n in range(count)]


def test_of_an_earlier_statement_two_later_ones_are_read() -> None:
    said = dict(zip([_PUNTS, *_number(4)], (0.0, 0.1, 0.2, 0.3, 0.4), strict=True))
    compared, stated = _compare(said, reader := _Reader(0.01))
    list(compared.likely_links(stated[:1]))
    assert {later for _, later in reader.read} == set(_number(2))


def test_a_later_statement_is_read_where_no_three_earlier_ones_are_nearer_to_it() -> None:
    earlier = _number(4)
    said = {earlier[0]: 0.4, earlier[1]: 0.3, earlier[2]: 0.2, earlier[3]: 0.1, _PUNTS: 0.0}
    compared, stated = _compare(said)
    *olds, new = stated
    assert [compared._is_rival(old, new) for old in olds] == [False, True, True, True]
    assert not compared._is_rival(olds[3], new._replace(vector=b""))


@pytest.mark.parametrize(
    ("angles", "is_ahead"),
    [
        ((0.1, 0.9, 0.9, 0.9), [True, False, False, False]),
        ((0.1, 0.12, 0.14, 0.16), [False] * 4),
        ((0.9, 0.1, 0.9, 0.9), [False, True, False, False]),
    ],
)
def test_the_nearest_statement_alone_is_ahead_and_only_by_far(
    angles: Sequence[float], is_ahead: Sequence[bool]
) -> None:
    compared, stated = _compare(dict(zip([*_OTHERS, _PUNTS], (*angles, 0.0), strict=True)))
    *olds, new = stated
    assert [compared._is_ahead(old, new) for old in olds] == is_ahead


def test_rivals_are_turns_of_other_sessions_that_say_something_else() -> None:
    store = MemoryStore()
    store.put(
        [
            build_turns("a", 1, "Ask for Ana at the desk."),
            build_turns("b", 2, "Is Ana at the desk?", "Ask for Jun at the desk."),
            build_turns("c", 3, "Ask for Jun at the desk.", "Ask for Tom at the desk."),
            build_turns("d", 4, "Ask for Tom at the desk.", "The desk is red."),
        ]
    )
    embed_missing(store)
    compared = Comparison(store, SHOP, PairJudge(None))
    new = next(one for one in _list_stated(store, compared) if one.text == "The desk is red.")
    rivals = compared._list_rivals(new)
    assert sorted(one.text for one, _ in rivals) == [
        "Ask for Ana at the desk.",
        "Ask for Jun at the desk.",
        "Ask for Tom at the desk.",
    ]
    assert [score for _, score in rivals] == sorted((score for _, score in rivals), reverse=True)


class _Hasty(MemoryStore):
    """A store in which what a search finds is forgotten before it is fetched."""

    is_passage_gone = False

    def passages(self, ids: Sequence[int], scope: Scope | None = None) -> list[FoundPassage]:
        return [] if self.is_passage_gone else super().passages(ids, scope)

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        return []


@pytest.mark.parametrize("is_passage_gone", [False, True])
def test_what_another_process_forgets_meanwhile_is_near_to_nothing(
    *, is_passage_gone: bool
) -> None:
    store = _Hasty()
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B)])
    embed_missing(store)
    compared = Comparison(store, SHOP, PairJudge(None))
    stated = _list_stated(store, compared)
    store.is_passage_gone = is_passage_gone
    assert not list(compared.links(stated))


@pytest.mark.parametrize(
    ("scores", "is_far"),
    [
        ((0.06, 0.06, 0.06, 0.0), True),
        ((0.5, 0.3, 0.3, 0.46), False),
        ((0.9, 0.1, 0.1), False),
        ((0.9, 0.5, 0.5, 0.87, 0.1), False),
    ],
)
def test_the_nearest_leads_where_the_first_unread_one_is_a_twentieth_behind(
    scores: Sequence[float], *, is_far: bool
) -> None:
    assert comparison.find_lead(scores) is is_far


@pytest.mark.parametrize(
    ("said", "is_sure"), [(["undo that"], False), (["undo the last commit"], True)]
)
def test_a_question_that_finds_both_is_not_told_what_was_taken_back_since(
    said: list[str], *, is_sure: bool
) -> None:
    store = MemoryStore()
    store.put([build_turns("a", 1, _A), build_turns("b", 9, _B, *said)])
    embed_missing(store)
    judge = PairJudge(None)
    old, new, *_ = _list_stated(store, Comparison(store, SHOP, judge))
    found = FoundJudge(store, judge)
    assert found.judge(old, new, may_read=False)[1] is is_sure
    assert found.judge(new, old, may_read=False)[1] is False
    expected = [build_key("a")] if is_sure else []
    replaced = comparison.list_replaced(store, SHOP, build_key("b"), judge)
    assert [one.key for one in replaced] == expected


def test_a_document_replaces_earlier_statements_of_others() -> None:
    store = MemoryStore()
    third = "The staging server moved from port 2222 to port 3333."
    store.put([build_turns("a", 1, _A), build_turns("b", 2, _B, "I had soup.", third)])
    embed_missing(store)
    judge = PairJudge(None)
    replaced = comparison.list_replaced(store, SHOP, build_key("b"), judge)
    assert [one.key for one in replaced] == [build_key("a")]
    assert comparison.list_replaced(store, SHOP, build_key("a"), judge) == []
