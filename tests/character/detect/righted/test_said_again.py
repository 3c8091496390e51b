"""A value that the user says again is right, though nothing denies what the character said."""

import pytest

from gieok.character.detect.righted.search import iter_righted


def _list_righted(before: str, answers: str, text: str) -> list[tuple[str, str]]:
    return [(one.wrong, one.right) for one in iter_righted(text, answers, (before,), (before,))]


@pytest.mark.parametrize(
    ("before", "answers", "text", "pair"),
    [
        ("my boy is eight", "Tom's five, lovely age.", "he'd be cross, he's eight", ("five", "eight")),
        ("I'm on bay 3", "Bay 7 is a long walk.", "3. what's on 7", ("7", "3")),
        ("Mungo's what I took in", "And your dog Mungo must be huge.", "Mungo's a goat", ("dog", "goat")),
        ("call in, Iona Reid, Iona", "Nice to see you, Fiona", "Iona pal. Fiona left", ("Fiona", "Iona")),
        ("음력으로 섣달 열이레다", "열여드레 날이 생신이시군요.", "열이레다 열이레", ("열여드레", "열이레")),
        ("우리 손주는 민준이라 칸다", "민중이는 잘 커요?  민중이 보고 싶어요.", "아 글쎄 민준이다 민준", ("민중", "민준")),
        # the value after what is denied, without a stop
        ("밀양이다", "읍내에 사시는 거죠?", "읍내는 무슨 읍내 여는 하남이다 논뿐이다", ("읍내", "하남")),
        ("고양이 밥 준다", "강아지가 귀엽겠어요.", "강아지가 아니고 고양이라고 했다", ("강아지", "고양이")),
    ],
)  # fmt: skip
def test_what_is_said_again_is_right(
    before: str, answers: str, text: str, pair: tuple[str, str]
) -> None:
    assert pair in _list_righted(before, answers, text)


@pytest.mark.parametrize(
    ("before", "answers", "text"),
    [
        # the character asks, and another value answers
        ("my boy is eight", "Does he go to bed at nine?", "he's eight, he goes when he likes"),
        # the user says it first now
        ("my boy is clever", "Five, I would have said.", "we have eight of them"),
        # a story in which the value stands by chance
        (
            "my boy is eight",
            "Five of us were at the match.",
            "well when the boy was eight we went up to the old ground with his uncle and sang",
        ),
        ("고양이 밥 준다", "강아지도 좋아하세요?", "고양이 밥 주고 왔다"),
    ],
)
def test_a_value_that_stands_by_chance_puts_nothing_right(
    before: str, answers: str, text: str
) -> None:
    assert _list_righted(before, answers, text) == []
