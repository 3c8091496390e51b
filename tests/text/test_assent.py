"""Turns that tell nothing by themselves."""

import pytest

from gieok.text.assent import accepts, is_small_talk
from gieok.text.turns import find_answered_question


@pytest.mark.parametrize(
    "text",
    [
        "응 고마워. 오늘은 여기까지",
        "네, 수고하셨습니다!",
        "ok bye",
        "lol ok ignore it",
        "You're welcome.",
        "ㅋㅋ 좋네요",
        "fine",
        "by the way:",
        "글고,",
    ],
)
def test_thanks_and_greetings_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "perfect, leave it there. next is the benchmark page",
        "좋아. 커밋 메시지는 영어로",
        "만료 처리부터 하자",
        "I am in Jeju",
        "7",
    ],
)
def test_what_tells_something_is_none(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "ok do that, yes",
        "네 그렇게 해주세요",
        "ㅇㅇ 그걸로 가자",
        "yes please, do it that way",
        "추가해줘",
    ],
)
def test_assent_says_what_the_question_says(text: str) -> None:
    assert accepts(text)
    assert (
        find_answered_question(["Assistant: Use Loki for the logs?", f"User: {text}"], 2)
        == "Use Loki for the logs?"
    )


@pytest.mark.parametrize("text", ["세 번, 30초 간격", "no, keep it in chapter 5", "9시 반"])
def test_an_answer_says_something_itself(text: str) -> None:
    assert not accepts(text)


def test_only_a_short_line_behind_an_agents_question_answers_it() -> None:
    assert find_answered_question(["User: Use Loki?", "User: yes"], 2) == ""
    assert find_answered_question(["Assistant: Done.", "User: yes"], 2) == ""
    assert find_answered_question(["Assistant: Use Loki?", "User: why?"], 2) == ""
    assert find_answered_question(["Assistant: Use Loki?", f"User: {'no, because ' * 9}"], 2) == ""
