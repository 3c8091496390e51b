"""A correction is heard, however it is said; what only contrasts other things corrects nothing."""

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.memory.control import Control
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.voice import is_well_supported

#: What was said before, the correction, and what then holds: subject, predicate and value.
_HEARD = [
    ("나는 간호사로 일해", "간호사 아니고 조산사라니까", ("user", "job", "조산사")),
    ("나 망원동에 살아", "망원동이 아니라 망미동이야", ("user", "lives_in", "망미동")),
    ("우리 고양이 이름은 두부야", "두부 말고 두유라고", ("user", "pet", "두유 (고양이)")),
    ("내 생일은 4월 12일이야", "12일이 아니고 21일이거든", ("user", "birthday", "4월 21일")),
    ("나 새우 알레르기 있어", "새우가 아니라 조개라니까", ("user", "allergy", "조개 알레르기")),
    ("내 이름은 서연이야", "서연 아니야, 서윤이야", ("user", "name", "서윤")),
    ("I live in Oban", "not Oban, I said Cobham", ("user", "lives_in", "Cobham")),
    ("I work as a plumber", "i'm a painter, not a plumber", ("user", "job", "painter")),
    ("my dog is called Biscuit", "it's B-i-s-q-u-i-t", ("user", "pet", "Bisquit (dog)")),
    ("I live in Leeds", "not Leeds, Leith", ("user", "lives_in", "Leith")),
    ("나는 간호사야", "나는 간호사가 아니라 약사야", ("user", "job", "약사")),
]


def _holding(talk: CharacterTalk) -> set[tuple[str, str, str]]:
    facts = talk.characters.memories(BOND).facts
    return {(one.subject, one.predicate, one.object) for one in facts if one.is_current}


@pytest.mark.parametrize(("before", "correction", "holds"), _HEARD)
def test_a_correction_takes_the_place_of_what_was_wrong(
    talk: CharacterTalk, before: str, correction: str, holds: tuple[str, str, str]
) -> None:
    talk.say(before)
    (was,) = _holding(talk)
    talk.later(1)
    talk.say("c: 그랬구나", correction)
    assert _holding(talk) == {holds}
    ended, anew = talk.characters.memories(BOND).facts
    assert (ended.object, ended.replaced_by) == (was[2], anew.key)
    assert not is_well_supported(anew), "it is told as what may have been said"


def test_a_correction_that_names_what_it_is_about_is_heard_a_month_later(
    talk: CharacterTalk,
) -> None:
    talk.say("내 이름은 서연이야", "나는 간호사야")
    talk.say("비가 와", "졸리다", "배고프다", "심심해")
    talk.later(30)
    talk.say("서연 아니고 서윤이야")
    assert ("user", "name", "서연") in _holding(talk), "of whom this is, nobody said"
    talk.say("내 이름은 서연 아니고 서윤이야", "나는 간호사가 아니라 약사야")
    assert _holding(talk) == {("user", "name", "서윤"), ("user", "job", "약사")}


def test_a_fact_turns_out_to_be_of_somebody_else(talk: CharacterTalk) -> None:
    talk.say("I work as a plumber", "c: hard work!", "no, my brother's a plumber")
    assert _holding(talk) == {("brother", "job", "plumber")}
    talk.say("나는 요리사야", "아니 우리 언니 얘기야")
    assert _holding(talk) == {("brother", "job", "plumber"), ("언니", "job", "요리사")}


def test_what_was_corrected_comes_back_where_the_correction_is_withdrawn(
    talk: CharacterTalk,
) -> None:
    talk.say("나는 간호사로 일해", "간호사 아니고 조산사라니까")
    last = talk.characters.context(BOND, "").window[-1]
    talk.characters.withdraw(BOND, [last.id])
    assert _holding(talk) == {("user", "job", "간호사")}


def test_what_a_person_set_is_corrected_by_nobody_else(
    talk: CharacterTalk,
) -> None:
    talk.say("나 망원동에 살아")
    (fact,) = talk.characters.memories(BOND).facts
    Control(memory=talk.characters).edit(BOND, fact.key, MemoryEdit(object="합정동"))
    talk.say("나 합정동에 살아", "합정동 아니고 합덕동이야")
    assert _holding(talk) == {("user", "lives_in", "합정동")}


@pytest.mark.parametrize(
    ("before", "contrast"),
    [
        ("나는 커피를 좋아해", "커피 말고 차 줘"),
        ("나는 간호사로 일해", "선생님 아니고 간호사라니까"),
        ("나는 간호사로 일해", "간호사 아니고서야 누가 알겠어"),
        ("나 망원동에 살아", "오늘은 망원동 말고 성수동에서 보자"),
        ("I live in Oban", "it's not the money, it's the people"),
        ("I live in Oban", "she said not yet, but soon"),
        # somebody or something else
        ("나는 요리사야", "너는 요리사 아니고 마법사잖아"),
        ("나는 요리사야", "친구가 나보고 요리사 아니고 마법사라고 했어"),
        ("나는 요리사야", "유튜브 보니까 요리사 아니고 사기꾼이더라"),
        ("나는 요리사야", "가게 사장님은 요리사 아니고 회계사래"),
        ("저는 성수동에 살아요", "모임 장소는 성수동 아니고 강남이야"),
        ("저는 성수동에 살아요", "남자친구는 성수동 말고 강남에 살거든"),
        ("나 새우 알레르기 있어", "이 과자는 새우 아니고 감자야"),
        ("나 새우 알레르기 있어", "오늘 메뉴 새우 아니고 오징어래"),
        ("나 새우 알레르기 있어", "내 친구는 새우 말고 땅콩 알레르기야"),
        ("나 커피 진짜 좋아해", "이건 커피 아니고 차야"),
        ("I work as a nurse", "my sister is not a nurse, she's a baker"),
        ("I work as a nurse", "he's not a nurse, he's a doctor"),
        ("I live in Leeds", "the concert is in York, not Leeds"),
        ("I live in Leeds", "not Leeds, but York is where my mom lives"),
        ("i'm allergic to shellfish", "she ordered chicken, not shellfish"),
        ("i'm allergic to nuts", "it's not nuts, it's insane"),
        ("my dog is called Max", "he's not Max, he's a menace"),
        ("my name is Leith", "my brother's name is Keith, not Leith"),
        ("내 생일은 3월 15일이야", "엄마 생일은 3월 15일 아니고 3월 20일이야"),
        # a question, a wish, the past, an idea
        ("나는 요리사야", "내가 요리사가 아니라 모델이야?"),
        ("나는 요리사야", "내가 요리사가 아니라 모델이면 어땠을까"),
        ("나는 요리사야", "꿈이 요리사 아니고 가수였어"),
        ("나는 요리사야", "어릴 땐 요리사 말고 가수였지"),
        ("저는 성수동에 살아요", "성수동 아니고 강남이면 좋겠다"),
        ("저는 성수동에 살아요", "성수동이 아니라 강남에 살고 싶다"),
        ("저는 약사예요", "저는 약사 아니고 싶어요"),
        ("I work as a nurse", "i wish i was a pilot, not a nurse"),
        ("I work as a nurse", "are you a doctor, not a nurse"),
        # part of a word, and no value of the fact's kind
        ("i am an artist", "not art, science"),
        ("I live in Manchester", "not Man, Woman"),
        ("I work as a nurse", "i'm a human being, not a nurse"),
        # the right value alone, where it is no name or not alone
        ("call me Min", "my friend is M-i-n-a"),
        ("my name is Tom", "my friend t-o-m-m is here"),
        ("I work as a nurse", "i meant a purse"),
        ("I work as a nurse", "no, my sister's coming over tonight"),
        ("I live in Leeds", "nah my mom's cooking is best"),
        ("나는 요리사야", "아니 우리 엄마 이야기 좀 들어봐"),
    ],
)
def test_what_contrasts_other_things_corrects_nothing(
    talk: CharacterTalk, before: str, contrast: str
) -> None:
    talk.say(before)
    held = _holding(talk)
    assert held
    talk.say(contrast)
    assert _holding(talk) == held


@pytest.mark.parametrize(
    ("before", "contrast", "more"),
    [
        ("나는 요리사야", "우리 언니는 요리사 아니고 제빵사야", None),
        ("나는 요리사야", "내 동생은 요리사 말고 제빵사야", ("동생", "job", "제빵사")),
        (
            "내 생일은 3월 15일이야",
            "회의는 3월 15일 아니고 16일이야",
            ("user", "meeting", "3월 16일 회의"),
        ),
    ],
)
def test_a_contrast_may_tell_a_fact_of_its_own(
    talk: CharacterTalk, before: str, contrast: str, more: tuple[str, str, str] | None
) -> None:
    talk.say(before)
    held = _holding(talk)
    talk.say(contrast)
    assert _holding(talk) == held | ({more} if more else set())


def test_whom_a_question_named_is_whom_a_contrast_may_be_about(talk: CharacterTalk) -> None:
    talk.say("나 망원동에 살아", "c: 언니도 망원동에 살아?", "망원동 아니고 망미동이야")
    assert _holding(talk) == {("user", "lives_in", "망원동")}
