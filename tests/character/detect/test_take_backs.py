"""What was said in jest is taken back by the words that say so, and nothing else is."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.character.detect.take_backs import find_taken_back_messages
from gieok.model.conversation import Message, Role

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _taken(*lines: str, hours: int = 0) -> list[int]:
    """Return the numbers of the lines that are taken back; the last is said so much later."""
    talk = [
        Message(str(number), Role.USER, line, _AT + timedelta(minutes=number))
        for number, line in enumerate(lines)
    ]
    talk[-1] = talk[-1]._replace(at=talk[-1].at + timedelta(hours=hours))
    return [int(one) for one in find_taken_back_messages(talk)]


@pytest.mark.parametrize(
    "lines",
    [
        ("나 옛날에 아이돌 연습생이었어", "뻥이야 ㅋㅋ 그냥 회사원"),
        ("i used to be a pilot", "just kidding, i'm a clerk"),
        ("i used to be a pilot", "ok i lied"),
        ("나 변호사야", "… 뻥이지롱"),
    ],
)
def test_words_that_name_nothing_take_back_the_message_before(lines: tuple[str, ...]) -> None:
    assert _taken("나 새우 알레르기 있어", *lines) == [1]


def test_words_that_name_earlier_words_take_back_those() -> None:
    lines = ("나 해병대 나왔어", "밥 먹었어?", "아까 해병대 나왔다 한거 뻥이야")
    assert _taken(*lines) == [0]
    assert _taken("I was a navy diver once", "how are you", "I lied about the navy diver") == [0]
    assert _taken("오늘 비 온다", "아까 해병대 나왔다 한거 뻥이야") == []


@pytest.mark.parametrize(
    "line",
    [
        "나 변호사야. 뻥이야",  # takes itself back
        "이건 뻥 아니고 진짜야",
        "니 뻥이야",
        "뻥이야?",
        "you're kidding",
        "no i'm not joking",
        "i lied to my boss",
        "he was just kidding",
        "jungkook is jk btw right",
    ],
)
def test_other_words_take_nothing_back(line: str) -> None:
    assert _taken("나 새우 알레르기 있어", line) == []


def test_words_that_come_much_later_and_name_nothing_take_nothing_back() -> None:
    assert _taken("나 새우 알레르기 있어", "뻥이야", hours=7) == []
