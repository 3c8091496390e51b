"""What was said in jest is taken back by the words that say so, and nothing else is."""

from datetime import UTC, datetime, timedelta

import pytest

from gieok.character.detect.take_backs import find_taken_back
from gieok.model.conversation import Message, Role

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _left(*lines: str, hours: int = 0) -> dict[int, str]:
    """Return what is left of the lines of which something is taken back, by their number.

    Lines with "c: " are the character's; the last is said so much later.
    """
    talk = [
        Message(
            str(number),
            Role.ASSISTANT if line.startswith("c: ") else Role.USER,
            line.removeprefix("c: "),
            _AT + timedelta(minutes=number),
        )
        for number, line in enumerate(lines)
    ]
    talk[-1] = talk[-1]._replace(at=talk[-1].at + timedelta(hours=hours))
    return {int(one): back.left for one, back in find_taken_back(talk).items()}


@pytest.mark.parametrize(
    "lines",
    [
        ("나 옛날에 아이돌 연습생이었어", "뻥이야 ㅋㅋ 그냥 회사원"),
        ("나 변호사야", "… 뻥이지롱"),
        ("나 변호사야", "ㅋㅋㅋ", "뻥이야"),
        ("나 변호사야", "뻥쳤어"),
        ("나 변호사야", "사실 거짓말이야"),
        ("나 변호사야", "농담이었어요 속으셨죠?"),
        ("나 변호사야", "c: 우와 멋지다!", "아까 변호사라고 한 건 장난이었어"),
        ("i used to be a pilot", "just kidding, i'm not a pilot"),
        ("i used to be a pilot", "c: I love planes!", "haha got you, i was joking"),
        ("i used to be a pilot", "kidding! did you believe it?"),
        ("i used to be a pilot", "ok i lied. i'm a clerk"),
        ("i used to be a pilot", "lol jk"),
    ],
)
def test_words_that_name_nothing_take_back_the_message_before(lines: tuple[str, ...]) -> None:
    assert _left("나 새우 알레르기 있어", *lines) == {1: ""}


def test_one_sentence_is_taken_back() -> None:
    lines = ("나 망원동에 살아. 고양이 키워! 나 사실 외계인이야", "뻥이야 ㅋㅋ")
    assert _left(*lines) == {0: "나 망원동에 살아. 고양이 키워!"}
    lines = ("I am a pilot. I live in Leeds. My cat is called Miso", "just kidding about the pilot")
    assert _left(*lines) == {0: "I live in Leeds. My cat is called Miso"}


def test_words_that_name_earlier_words_take_back_those() -> None:
    lines = ("나 해병대 나왔어", "밥 먹었어?", "아까 해병대 나왔다 한거 뻥이야")
    assert _left(*lines) == {0: ""}
    lines = (
        "나 해병대 나왔어. 힘들었지",
        "밥 먹었어?",
        "고백한다. 저번에 해병대 나왔다 칸거 뻥이다",
    )
    assert _left(*lines) == {0: "힘들었지"}
    lines = ("I was a navy diver once", "how are you", "I lied about the navy diver")
    assert _left(*lines) == {0: ""}
    assert _left("오늘 비 온다", "아까 해병대 나왔다 한거 뻥이야") == {}


@pytest.mark.parametrize(
    "lines",
    [
        ("우리 엄마 생일이 내일이야", "오늘 덥다", "우리 엄마 얘기는 뻥이야"),
        ("나 회사 다녀 강남에 있는 회사", "동생이 회사 강남에서 다닌다는 거 뻥이야"),
        ("a man at the bank in Leeds", "ok", "I lied about the bank"),
    ],
)
def test_words_that_are_shared_in_part_name_no_earlier_words(lines: tuple[str, ...]) -> None:
    assert _left(*lines) == {}


def test_a_joke_of_a_joke_takes_nothing_back() -> None:
    lines = ("나 변호사야", "뻥이야", "아 아니다 뻥이라는 게 뻥이야 진짜 변호사 맞아")
    assert _left(*lines) == {}


@pytest.mark.parametrize(
    "line",
    [
        "나 변호사야. 뻥이야",  # takes itself back
        "이건 뻥 아니고 진짜야",
        "니 뻥이야",
        "뻥이야?",
        "드립 커피 마셨어",
        "농담 하나 해줘",
        "장난 전화가 왔어",
        "구라 치는 사람 싫어",
        "구라였어 그 소문",
        "거짓말했다고 엄마한테 혼났어",
        "거짓말했어 엄마한테",
        "우리 아빠 말은 다 농담이야",
        "다이어트 약 광고 다 뻥이야",
        "거짓말이야 하면서 울더라",
        "아 뻥! 하고 터졌어",
        "이 영화 재밌다. 근데 다 뻥이다",
        "에이 뻥이다",
        "소설은 다 지어낸 얘기잖아",
        "you're kidding",
        "no kidding",
        "no i'm not joking",
        "i lied to my boss",
        "I lied. My boss found out",
        "last week I lied about my age to get in",
        "he was just kidding",
        "mum was only teasing",
        "kidding aside, work is hard",
        "I was joking around with the kids",
        "I was lying in bed all morning",
        "I made it up to my sister",
        "I made that up for the kids",
        "My ex said he was single. It was a lie",
        "jungkook is jk btw right",
    ],
)
def test_other_words_take_nothing_back(line: str) -> None:
    assert _left("나 새우 알레르기 있어", line) == {}


@pytest.mark.parametrize(
    "lines",
    [
        ("c: 나 어제 곰 잡았어", "그거 구라야"),
        ("c: I am really a dragon", "oh so that was a lie"),
        ("c: 그랬구나", "c: 밥은?", "뻥이야"),
    ],
)
def test_what_the_character_said_of_itself_may_be_meant(lines: tuple[str, ...]) -> None:
    assert _left("나 새우 알레르기 있어", *lines) == {}


def test_words_that_come_much_later_and_name_nothing_take_nothing_back() -> None:
    assert _left("나 새우 알레르기 있어", "뻥이야", hours=7) == {}
