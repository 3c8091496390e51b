"""What is told of somebody else, and what only begins with a name."""

import re

import pytest

from gieok.text.others import OF_OTHERS, tells_of_others


@pytest.mark.parametrize(
    ("pattern", "one", "none"), OF_OTHERS, ids=[one.replace(" ", "_") for _, one, _ in OF_OTHERS]
)
def test_each_form_has_somebody_else_for_its_subject(pattern: str, one: str, none: str) -> None:
    assert re.search(pattern, one)
    assert not re.search(pattern, none)


@pytest.mark.parametrize(
    "text",
    [
        "sort the roster by name. btw Oda is allergic to shellfish, remind me of it",
        "예약 버튼이 안 눌려. 관장님은 아이폰만 쓰셔서 사파리에서 꼭 확인해야 해",
        "the client wants everything in Dutch first",
    ],
)
def test_what_is_told_of_others_is_known(text: str) -> None:
    assert tells_of_others(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to shellfish, Oda is not",
        "아버지가 치매 초기라 주말마다 본가에 가",
        "부모님은 전주에 계셔",
        "American format confuses people",
        "keep it short",
        "관장님은 아이폰만 쓰시고 나는 안드로이드야",
        "ask Oda before you merge",
    ],
)
def test_what_is_of_the_user_or_of_nobody_is_not(text: str) -> None:
    assert not tells_of_others(text)
