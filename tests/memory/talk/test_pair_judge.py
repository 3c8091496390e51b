"""Rules and the reader are weighed together, and either may be missing."""

import pytest

from gieok.errors import EmbedderFailed
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.statements.relation import SURE, UNRELATED, UNSURE, Relation, relation
from gieok.model.conversation import CORRECTED_MARK
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


_TWO_FACTS = "The key hangs behind the map and the loom is oiled on Mondays."


def test_of_a_sentence_with_two_facts_the_one_that_changed_is_marked() -> None:
    judge = PairJudge(_Reader(0.999))
    reviewed = judge.review(relation(_TWO_FACTS, _NEW), _TWO_FACTS, _NEW)
    assert (reviewed.sureness, reviewed.claim) == (SURE, "The key hangs behind the map")
    likely = judge.find_likely_change(_TWO_FACTS, _NEW)
    assert likely is not None
    assert likely.claim == "The key hangs behind the map"


def test_where_it_cannot_be_told_which_fact_changed_nothing_is_sure() -> None:
    of_both = "The key for the loom is with Petronela now."
    judge = PairJudge(_Reader(0.999))
    assert not judge.review(relation(_TWO_FACTS, of_both), _TWO_FACTS, of_both).is_sure
    likely = judge.find_likely_change(_TWO_FACTS, of_both)
    assert likely is not None
    assert likely.claim == _TWO_FACTS


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

    class _OfSentences(_OfKeys):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            return ChangeReading(0.01 if (earlier, later) == (old, new) else 0.999, 0.0)

    assert PairJudge(_OfSentences(0)).find_likely_change(old, new) is None, "wholes are read"


def test_of_long_turns_the_sentences_that_share_most_are_read() -> None:
    said = [f"Part {n} of the loom is oiled by Ana." for n in "abcdefgh"]
    reader = _Reader(0.1)
    judge = PairJudge(reader)
    judge.find_likely_change(" ".join(said), "The loom is oiled by Tomas. Who is Ana?")
    assert reader.asked == 7, "the whole as well"


#: Nothing in the later statement is said of what the earlier one states.
_APART = [
    ("소설 주인공 이름은 윤서로 갈게요.", "표지 파란 거로 됐대 ㅋㅋ 한소율 씨 고생했지"),
    ("강아지 이름은 두부로 정했어.", "거실 커튼 초록색으로 됐대 ㅋㅋ 이모가 고생했어"),
    ("결혼식은 5월 둘째 주로 하자.", "냉장고는 은색으로 결정됐어."),
    ("게임 서버 틱은 20Hz로 확정.", "안전펜스 달아서 로봇팔 속도 제한 풀렸어, 100%로 돌려도 돼."),
    ("The hero of the novel is called Orla.", "They went with the blue cover in the end."),
    ("Our boat is called Kestrel.", "The kitchen tiles ended up green."),
]
#: The earlier sentence asks for one piece of work, and states nothing.
_ASKED = [
    (
        "달빛서가 서은채 팀장님께 3교 넘겼다고 짧게 메일 초안 써 주세요.",
        "서은채 팀장님 퇴사하시고 이제 문가람 대리님이세요.",
    ),
    (
        "박 과장님께 견적서 보냈다고 문자 하나 보내 주세요.",
        "박 과장님 그만두셨고 이제 오 대리님이 맡으세요.",
    ),
    ("민수 선배한테 드릴 축하 카드 문구 써 줘.", "민수 선배 이사 갔어. 이제 부산 살아."),
    (
        "Draft a short mail to Dana saying the third proof went out.",
        "Dana has left, it's Kim from now on.",
    ),
    ("Please write a thank-you note for Mr. Abara.", "Mr. Abara quit, Lena took over from him."),
    ("Could you write Dana a note on the delay?", "Dana quit, Kim took over from Dana."),
]
#: Standing requests, which a later sentence does change.
_STANDING = [
    ("답은 존댓말로 짧게 써 줘.", "이제 답은 반말로 써 줘."),
    (
        "손님 주차는 지하 2층에 안내해 주세요",
        "손님 주차 지하 2층 말고 1층 앞마당으로 안내해 주세요",
    ),
    ("설명 길게 하지 말고 코드만 줘.", "이제 코드만 말고 설명 길게 해 줘."),
    ("Write commit messages in English.", "From now on commit messages are in Korean."),
    ("Please make a backup before each deploy.", "No backup before a deploy any more."),
]


@pytest.mark.parametrize(("earlier", "later"), [*_APART, *_ASKED])
def test_no_certainty_of_the_reader_marks_what_says_nothing_of_it(earlier: str, later: str) -> None:
    judge = PairJudge(_Reader(0.9999))
    assert not judge.review(relation(earlier, later), earlier, later).is_sure
    assert judge.find_likely_change(earlier, later) is None


@pytest.mark.parametrize(("earlier", "later"), _ASKED)
def test_a_request_that_states_nothing_is_not_likely_changed_however_near(
    earlier: str, later: str
) -> None:
    judge = PairJudge(_Reader(0.9999))
    assert judge.find_likely_change(earlier, later, is_ahead=True) is None


@pytest.mark.parametrize(("earlier", "later"), _STANDING)
def test_a_standing_request_is_changed_by_a_later_one(earlier: str, later: str) -> None:
    assert PairJudge(_Reader(0.9999)).review(relation(earlier, later), earlier, later).is_sure


def test_a_rule_beside_a_request_is_not_replaced_with_it() -> None:
    class _OfRequests(_Reader):
        def read_change(self, earlier: str, later: str) -> ChangeReading:
            return ChangeReading(0.9999 if "초안" in earlier else 0.01, 0.0)

    earlier, later = _ASKED[0][0] + " 메일은 읽기 전에 보내지 말아 주세요.", _ASKED[0][1]
    assert not PairJudge(_OfRequests(0)).review(relation(earlier, later), earlier, later).is_sure


@pytest.mark.parametrize(
    ("earlier", "later", "is_change"),
    [
        ("배포는 내가 직접 할 거니까 너는 절대 하지 마", "오늘은 배포 안 해", False),
        ("deploys to the shop are mine", "no deploys to the shop today", False),
        ("deploys to the shop are mine", "deploys to the shop are yours as of today", True),
        ("the call with the shop is tomorrow at 4", "no call with the shop tomorrow", True),
        ("내일 3시에 가게 미팅 있어", "내일 가게 미팅 안 해", True),
    ],
)
def test_what_is_denied_for_one_day_ends_nothing_that_holds_beyond_it(
    earlier: str, later: str, is_change: bool
) -> None:
    judge = PairJudge(_Reader(0.9999))
    assert judge.review(relation(earlier, later), earlier, later).is_sure == is_change


def test_a_corrected_statement_needs_less_to_be_a_likely_change() -> None:
    old, new = "The press takes 40 sheets an hour", "The press takes 90 sheets an hour"
    corrected = f"{new}{CORRECTED_MARK}2026-11-29)"
    for chance, found in ((0.1, False), (0.3, True)):
        judge = PairJudge(_Reader(chance))
        assert judge.find_likely_change(old, new) is None
        assert (judge.find_likely_change(old, corrected) is not None) == found


@pytest.mark.parametrize(
    ("earlier", "later", "is_change"),
    [
        ("Noor signs the invoices", "I'm away in August, Noor does the till in that time", False),
        ("Noor signs the invoices", "the till and the invoices are signed by Ida now", True),
        ("while I'm away Noor signs the invoices", "while I'm away Ida signs the invoices", True),
    ],
)
def test_what_holds_for_a_while_ends_nothing_that_stands_by_the_reader_alone(
    earlier: str, later: str, is_change: bool
) -> None:
    judge = PairJudge(_Reader(0.9999))
    assert judge.review(relation(earlier, later), earlier, later).is_sure == is_change


def test_what_is_for_now_ends_nothing_by_the_reader_alone() -> None:
    rule = "Put the issue number in the title of each pull request."
    order = "for now just file an issue"
    judged = PairJudge(_Reader(0.9999)).review(relation(rule, order), rule, order)
    assert judged.sureness != SURE
    order = "just file an issue with a title from here on"
    judged = PairJudge(_Reader(0.9999)).review(relation(rule, order), rule, order)
    assert judged.sureness == SURE
