"""Rules and the reader are weighed together, and either may be missing."""

from gieok.errors import EmbedderFailed
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.statements.relation import SURE, UNRELATED, UNSURE, Relation, relation
from gieok.ports.models import ChangeReading

_OLD, _NEW = "The key hangs behind the map.", "The key is with Petronela at the front desk now."


class _Reader:
    """Says what it was told to, and counts."""

    def __init__(self, chance: float, part: float = 0.0, *, fails: bool = False) -> None:
        self.chance, self.part, self.fails, self.asked = chance, part, fails, 0

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        self.asked += 1
        if self.fails:
            raise EmbedderFailed("no runtime")
        return ChangeReading(self.chance, self.part)


def _reviewed(reader: _Reader | None, judgement: Relation) -> str:
    return PairJudge(reader).review(judgement, _OLD, _NEW).sureness


def test_without_a_reader_the_rules_stand() -> None:
    for sureness in (SURE, UNSURE, UNRELATED):
        assert _reviewed(None, Relation(sureness)) == sureness
        assert _reviewed(_Reader(0.99, fails=True), Relation(sureness)) == sureness


def test_a_reader_that_fails_is_asked_once() -> None:
    judge, reader = PairJudge(failing := _Reader(0.9, fails=True)), failing
    for _ in range(3):
        judge.review(Relation(UNSURE), _OLD, _NEW)
    assert reader.asked == 1


def test_a_reader_marks_what_no_rule_saw() -> None:
    assert relation(_OLD, _NEW).sureness != SURE
    reviewed = PairJudge(_Reader(0.999)).review(relation(_OLD, _NEW), _OLD, _NEW)
    assert reviewed.sureness == SURE
    assert (reviewed.claim, reviewed.by) == (_OLD, _NEW)


def test_a_reader_in_doubt_marks_nothing_and_rules_alone_need_no_certainty_of_it() -> None:
    assert _reviewed(_Reader(0.8), Relation(UNRELATED)) == UNRELATED
    assert _reviewed(_Reader(0.8), Relation(UNSURE)) == UNSURE
    assert _reviewed(_Reader(0.7), Relation(SURE)) == SURE


def test_a_reader_that_is_sure_of_the_contrary_takes_the_mark_away() -> None:
    assert _reviewed(_Reader(0.02), Relation(SURE)) == UNSURE


def test_words_of_another_subject_count_against_a_change() -> None:
    chance = 0.998
    assert _reviewed(_Reader(chance), Relation(UNRELATED)) == SURE
    assert _reviewed(_Reader(chance), Relation(UNRELATED, differing=("dye",))) == UNRELATED


def test_the_sentences_that_the_change_is_about_are_named() -> None:
    class _OfKeys(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            chance = 0.999 if "key" in earlier and "key" in later else 0.01
            return ChangeReading(chance, 0.0)

    old = "The loom is oiled on Mondays. The key hangs behind the map."
    new = "I had soup. The key is with Petronela now."
    reviewed = PairJudge(_OfKeys(0)).review(Relation(UNRELATED), old, new)
    assert (reviewed.claim, reviewed.by) == (
        "The key hangs behind the map.",
        "The key is with Petronela now.",
    )


def test_the_sentences_of_a_likely_change_are_named_or_there_is_none() -> None:
    class _OfKeys(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            is_pair = "key" in earlier and "key" in later
            return ChangeReading(self.chance if is_pair else 0.01, self.part if is_pair else 0.0)

    old = "The loom is oiled on Mondays. The key hangs behind the map."
    new = "I had soup. The key is with Petronela now."
    found = PairJudge(_OfKeys(0.4, 0.59)).find_likely_change(old, new)
    assert found is not None
    assert (found.claim, found.by) == (
        "The key hangs behind the map.",
        "The key is with Petronela now.",
    )
    assert found.sureness != SURE

    class _OfWholes(_OfKeys):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            return ChangeReading(0.99 if (earlier, later) == (old, new) else 0.1, 0.0)

    assert PairJudge(_OfWholes(0)).find_likely_change(old, new) is None, "sentences are read"


def test_of_long_turns_the_sentences_that_share_most_are_read() -> None:
    said = [f"Part {n} of the loom is oiled by Ana." for n in "abcdefgh"]
    reader = _Reader(0.1)
    judge = PairJudge(reader)
    judge.find_likely_change(" ".join(said), "The loom is oiled by Tomas. Who is Ana?")
    assert reader.asked == 6
