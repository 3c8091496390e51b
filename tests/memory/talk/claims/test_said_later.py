"""What a user said later on the subject of a statement is known beside it, and marks nothing."""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.silent_reader import SilentReader
from tests.support.talk import AT, SHOP, build_key, build_turns, embed_missing

from gieok.memory import observation
from gieok.memory.talk import promotion
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.statements.relation import relation
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.models.local.reader import LocalReader
from gieok.places.home import later_file, replaced_file
from gieok.ports.models import ChangeReading
from gieok.testing import MemoryStore
from gieok.text.embedform import text_to_embed

_NOW = AT + timedelta(days=90)
_FIRST = "The tide gate opens for the punts at six."
_SECOND = "For the punts the tide gate opens at seven."
_BARGE = "Mira teaches pottery on Mondays.", "Mira lives on a barge."
_THIRD = "The tide gate opens at eight for the punts."


class _Reader(SilentReader):
    """Takes two statements on the tide gate for a likely change, and counts."""

    def __init__(self, whole: float = 0.92, part: float = 0.0) -> None:
        self.whole, self.part, self.asked = whole, part, 0

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        self.asked += 1
        is_one = "tide gate" in earlier and "tide gate" in later
        return ChangeReading(self.whole, self.part) if is_one else ChangeReading(0.001, 0.001)


@pytest.fixture(scope="module")
def reader(models: Path) -> LocalReader:
    return LocalReader(models)


@pytest.fixture
def store() -> MemoryStore:
    """Return a store whose vectors are of the words."""
    return MemoryStore()


def _settle(store: MemoryStore, home: Path, reader: object) -> None:
    embed_missing(store)
    while promotion.update_promotions(store, home, reader=reader, now=_NOW):  # type: ignore[arg-type]
        pass


def _later(home: Path, scope: Scope = SHOP) -> Mapping[tuple[str, int], tuple[str, int]]:
    """Return (key, line) of the earlier statements → that of what was said later."""
    file = Path(later_file(str(home), str(scope)))
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return {(row[0], row[1]): (row[6], row[7]) for row in rows}


def _replaced(home: Path) -> list[object]:
    file = Path(replaced_file(str(home), str(SHOP)))
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


@pytest.mark.parametrize("is_newest_first", [False, True])
def test_what_was_said_later_on_a_subject_is_beside_it_and_replaces_nothing(
    store: MemoryStore, tmp_path: Path, is_newest_first: bool
) -> None:
    entries = [build_turns("a", 1, _FIRST), build_turns("b", 9, _SECOND)]
    for entry in reversed(entries) if is_newest_first else entries:
        store.put([entry])
        _settle(store, tmp_path, _Reader())
    assert _later(tmp_path) == {(build_key("a"), 1): (build_key("b"), 1)}
    assert not _replaced(tmp_path)


def test_a_chain_of_two_changes_leads_to_the_newest(store: MemoryStore, tmp_path: Path) -> None:
    store.put(
        [build_turns("a", 1, _FIRST), build_turns("b", 9, _SECOND), build_turns("c", 20, _THIRD)]
    )
    _settle(store, tmp_path, _Reader())
    assert _later(tmp_path) == {
        (build_key("a"), 1): (build_key("c"), 1),
        (build_key("b"), 1): (build_key("c"), 1),
    }


def test_what_surely_took_the_place_of_the_later_statement_stands_beside_the_first(
    store: MemoryStore, tmp_path: Path
) -> None:
    second, third = "The gate is on port 1111.", "The gate moved from port 1111 to port 2222."

    class _OnlyFirst(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            is_pair = earlier == _FIRST and later == second
            sure = 0.9 if (earlier, later) == (second, third) else 0.0
            return ChangeReading(0.92 if is_pair else sure, 0.0)

    store.put(
        [build_turns("a", 1, _FIRST), build_turns("b", 9, second), build_turns("c", 20, third)]
    )
    _settle(store, tmp_path, _OnlyFirst())
    assert [row[0] for row in _replaced(tmp_path)] == [build_key("b")]  # type: ignore[index]
    assert _later(tmp_path) == {(build_key("a"), 1): (build_key("c"), 1)}


def test_what_is_replaced_has_nothing_beside_it(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _FIRST), build_turns("b", 9, _SECOND)])
    _settle(store, tmp_path, _Reader(0.9999))
    assert len(_replaced(tmp_path)) == 1
    assert not _later(tmp_path)


@pytest.mark.parametrize(
    "other",
    [
        build_turns("b", 9, f"Assistant: {_SECOND}"),
        build_turns("b", 9, _SECOND, scope=Scope("project:mill")),
        build_turns("b", 9, "Does the tide gate open at seven for the punts?"),
        build_turns("b", 9, _FIRST),
        build_turns("b", 9, "The loom room is at the tide, at seven, for the punts."),
    ],
    ids=["agent", "scope", "question", "same", "subject"],
)
def test_nothing_else_is_beside_a_statement(
    store: MemoryStore, tmp_path: Path, other: Entry
) -> None:
    store.put([build_turns("a", 1, _FIRST), other])
    _settle(store, tmp_path, _Reader())
    assert not _later(tmp_path)
    assert not _later(tmp_path, Scope("project:mill"))


def test_what_one_session_says_twice_is_no_change_of_it(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _FIRST, "Assistant: Noted.", _SECOND)])
    _settle(store, tmp_path, _Reader())
    assert not _later(tmp_path)


def test_a_line_that_a_person_corrected_stands_alone(store: MemoryStore, tmp_path: Path) -> None:
    store.put(
        [build_turns("a", 1, f"{_FIRST}{CORRECTED_MARK}2026-03-05)"), build_turns("b", 9, _SECOND)]
    )
    _settle(store, tmp_path, _Reader())
    assert not _later(tmp_path)


def test_only_the_nearest_earlier_statements_are_read(store: MemoryStore, tmp_path: Path) -> None:
    said = [f"The tide gate number {n} opens at six for the punts." for n in "13579"]
    store.put([build_turns(f"s{n}", n, text) for n, text in enumerate(said, 1)])
    _settle(store, tmp_path, _Reader(0.001))
    store.put([build_turns("t", 9, _SECOND)])
    reader = _Reader()
    _settle(store, tmp_path, reader)
    assert len(_later(tmp_path)) == 3


def test_what_is_forgotten_stands_beside_nothing(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _FIRST), build_turns("b", 9, _SECOND)])
    _settle(store, tmp_path, _Reader())
    assert _later(tmp_path)
    store.forget(SHOP, [build_key("b")])
    _settle(store, tmp_path, _Reader())
    assert not _later(tmp_path)


def test_without_a_reader_nothing_is_likely(store: MemoryStore, tmp_path: Path) -> None:
    store.put([build_turns("a", 1, _FIRST), build_turns("b", 9, _SECOND)])
    _settle(store, tmp_path, None)
    assert not _later(tmp_path)


def test_an_observation_is_no_statement_of_its_own(store: MemoryStore, tmp_path: Path) -> None:
    at = AT + timedelta(days=9)
    observed = Document(
        scope=SHOP,
        key=f"{observation.PREFIX}9",
        kind=observation.KIND,
        text=_SECOND,
        content_hash="9",
        created_at=at,
        updated_at=at,
        valid_from=at,
    )
    entry = build_turns("a", 1, _FIRST)
    store.put([entry, Entry(observed, (Passage(0, len(_SECOND), 1, 1),))])
    _settle(store, tmp_path, _Reader())
    assert not _later(tmp_path)
    store.put([entry._replace(document=replace(entry.document, content_hash="changed"))])
    _settle(store, tmp_path, _Reader())
    assert not _later(tmp_path)


@pytest.mark.parametrize(
    ("whole", "part", "is_likely"),
    [
        (0.83, 0.0, True),
        (0.81, 0.0, False),
        (0.3, 0.53, True),
        (0.3, 0.51, False),
        (0.5, 0.5, True),
    ],
)
def test_a_change_of_a_part_counts_as_well(whole: float, part: float, is_likely: bool) -> None:
    class _Certain(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            return ChangeReading(self.whole, self.part)

    judge = PairJudge(_Certain(whole, part))
    assert bool(judge.find_likely_change(*_BARGE)) is is_likely


@pytest.mark.parametrize(("whole", "is_likely"), [(0.92, False), (0.93, True)])
def test_words_of_another_subject_count_against_a_likely_change(
    whole: float, is_likely: bool
) -> None:
    class _Certain(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            return ChangeReading(self.whole, self.part)

    said = "Mira teaches pottery.", "Mira fell ill in the night."
    assert relation(*said).differing
    assert bool(PairJudge(_Certain(whole)).find_likely_change(*said)) is is_likely


def test_a_statement_that_names_no_subject_changes_nothing() -> None:
    judge = PairJudge(reader := _Reader(0.999))
    assert not judge.find_likely_change(
        "The tide gate opens at six.", "That is all off, forget it."
    )
    assert not reader.asked


@pytest.mark.parametrize(("distance", "is_likely"), [(0.6, True), (0.1, False)])
def test_a_statement_far_nearer_than_all_others_needs_no_word_of_the_later_one(
    store: MemoryStore, tmp_path: Path, distance: float, is_likely: bool
) -> None:
    class _Certain(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            return ChangeReading(self.whole if "kiln" in later else 0.01, self.part)

    lamps = [f"Lamp number {n} is green." for n in "13579"]
    earlier, later = "Mira teaches pottery.", "Her kiln went to a museum."
    said = {earlier: 0.3, later: 0.0, **dict.fromkeys(lamps, 0.3 + distance)}
    store.put([build_turns(f"s{n}", n, text) for n, text in enumerate([earlier, *lamps, later])])
    store.use_model("plane", 2)
    angles = {text_to_embed(f"User: {text}"): angle for text, angle in said.items()}
    store.put_vectors(
        "plane",
        {
            id_: struct.pack("<2f", math.cos(angles[text]), math.sin(angles[text]))
            for id_, text in store.missing(100)
        },
    )
    while promotion.update_promotions(store, tmp_path, reader=_Certain(0.96), now=_NOW):
        pass
    found = {(build_key("s0"), 1): (build_key("s6"), 1)}
    assert _later(tmp_path) == (found if is_likely else {})


@pytest.mark.parametrize(
    ("earlier", "later", "is_likely"),
    [
        ("우리 가게 휴무는 월요일이에요.", "휴무일은 화요일이에요, 문 앞에 써 붙였어요.", True),
        ("수영은 화요일 저녁반 다녀.", "수영은 그만뒀어, 어깨가 아파서.", True),
        ("나비 사료는 연어맛만 먹여요.", "보리 사료는 닭고기로 바꿨어요.", False),
        ("The spare key hangs at Ana's.", "You get the spare key from Tomas.", True),
        ("I swim with the Tuesday group.", "I stopped swimming, the shoulder hurts.", True),
        ("Biscuit gets his pills at eight.", "Pepper now gets her pills at nine.", False),
    ],
)
def test_the_reader_tells_another_value_and_an_end_from_a_parallel_subject(
    reader: LocalReader, earlier: str, later: str, is_likely: bool
) -> None:
    assert bool(PairJudge(reader).find_likely_change(earlier, later)) is is_likely
