"""Frames, answers and spelling: statements in words that no row names."""

from datetime import date

import pytest

from gieok.character.detect.answers import iter_answered_facts
from gieok.character.detect.corrections import settle_corrections
from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.detect.spelling import spelled
from gieok.character.facts import FactType

_DAY = date(2026, 3, 3)


def _found(text: str, *, answers: str = "", earlier: tuple[str, ...] = ()) -> dict[str, str]:
    found = detect_statements(
        Spoken(text, is_user=True, day=_DAY, answers=answers, earlier=earlier), []
    ).findings
    return {one.predicate: one.object for one in found if not one.is_idea}


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("미역만 먹으면 온몸이 간지러워서 난리나", "allergy", "미역 알레르기"),
        ("급식에 또 우엉조림 나옴 진심 극혐", "dislikes", "우엉조림"),
        ("다음 달부터는 목공소에서 일해", "job", "목공소"),
        ("이사했어 구미로", "lives_in", "구미"),
        ("나 요즘 첼로 배워", "habit", "첼로 배우기"),
        ("담달 19일에 첫 녹음이야", "plan", "4월 19일 첫 녹음"),
        ("팀장님이 노을희 차장인데 무서워", "boss", "노을희"),
        ("나 지호랑 사귀기로 했어", "partner", "지호"),
        ("우리 말 트자", "speech_level", "반말"),
        ("그냥 소라라고 불러줘", "address_form", "소라"),
        ("I can't abide turnips, never could", "dislikes", "turnips"),
        ("i deliver bread for the co-op", "job", "deliver bread"),
        ("home's in Duluth these days", "lives_in", "Duluth"),
        ("i paddle most mornings", "exercise", "paddle"),
        ("our foreman is Halloran", "boss", "Halloran"),
    ],
)
def test_what_is_said_in_words_of_its_own_is_found_by_its_frame(
    text: str, predicate: str, value: str
) -> None:
    assert _found(text).get(predicate) == value


@pytest.mark.parametrize(
    "text",
    [
        "우리 언니는 삼척에서 일해",
        "만약 내가 목공소에서 일했으면 좋았을걸",
        "나 첼로 배울까 싶어",
        "내일 뭐 먹지",
        "my sister lives in Duluth",
    ],
)
def test_what_is_not_said_of_oneself_is_no_fact(text: str) -> None:
    assert _found(text) == {}


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("어디 살아?", "망원동", ("lives_in", "망원동")),
        ("성함이 어떻게 되세요?", "아 저는 윤보라요", ("name", "윤보라")),
        ("무슨 일 하세요?", "음 목공소에 다녀요", ("job", "목공소")),
        ("고양이 이름이 뭐야?", "호두", ("pet", "호두 (고양이)")),
        ("What's your name?", "oh, Marguerite", ("name", "Marguerite")),
        ("And where do you live?", "just outside Tulsa.", ("lives_in", "Tulsa")),
    ],
)
def test_a_short_answer_states_what_was_asked_for(
    question: str, answer: str, told: tuple[str, str]
) -> None:
    assert [
        (predicate, value) for predicate, value, *_ in iter_answered_facts(answer, question)
    ] == [told]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("어디 살아?", "비밀"), ("친구는 어디 살아?", "망원동"), ("잘 지냈어?", "망원동")],
)
def test_what_was_not_asked_of_the_user_is_no_answer(question: str, answer: str) -> None:
    assert list(iter_answered_facts(answer, question)) == []


def test_frequent_misspellings_are_read_and_true_words_are_left() -> None:
    assert (
        spelled("이사햇어 넘 조아해 벗었다 맛있다 웃었어")
        == "이사했어 너무 좋아해 벗었다 맛있다 웃었어"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("조카가 세 살, 아 생일 지났으니 네 살", "조카가 생일 지났으니 네 살"),
        ("She is fourteen. No, fifteen.", "She is fifteen."),
    ],
)
def test_of_two_values_of_a_kind_the_one_put_right_is_left(text: str, left: str) -> None:
    assert " ".join(settle_corrections(text).text.split()) == left


def test_the_name_of_an_animal_may_be_told_in_the_next_message() -> None:
    assert _found("이름은 감자야", earlier=("우리 집에 햄스터 왔어",)) == {"pet": "감자 (햄스터)"}


def test_every_habit_is_told_as_a_habit() -> None:
    found = detect_statements(Spoken("나 요즘 첼로 배워", is_user=True, day=_DAY), []).findings
    assert [one.predicate for one in found] == [FactType.HABIT.value]


@pytest.mark.parametrize(
    ("said", "predicate", "value"),
    [
        ("we're in Pickering now", "lives_in", "Pickering"),
        ("oh and I've gone fully vegan since Easter", "food", "vegan"),
        ("turned 36 yesterday, felt nothing", "age", "36"),
        ("been running along the seafront every morning before school", "exercise", "running"),
        (
            "had to give up running, my knee's shot. swimming at the lido instead",
            "exercise",
            "swimming",
        ),
        ("I'm learning Welsh on tuesday nights", "study_language", "Welsh"),
        ("I've been having panic attacks", "health", "panic attacks"),
        ("Just Harry please", "address_form", "Harry"),
        ("our anniversary is June 5", "anniversary", "June 5"),
    ],
)
def test_english_frames_find_what_is_said_in_passing(said: str, predicate: str, value: str) -> None:
    assert _found(said)[predicate].startswith(value)


@pytest.mark.parametrize(
    "said",
    [
        "Dev's allergic to shellfish",
        "my sister is allergic to cats",
        "he turned 40 last week",
        "if I went vegan",
    ],
)
def test_what_english_says_of_others_or_only_thinks_of_is_no_fact(said: str) -> None:
    assert not {"allergy", "age", "food"} & set(_found(said))
