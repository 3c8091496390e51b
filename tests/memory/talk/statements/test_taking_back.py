"""Texts that take back what was said before without naming it, and orders that only sound like
it.
"""

import re

import pytest

from gieok.memory.talk.statements.taking_back import (
    CANCELS,
    RESTORES,
    TakingBackPart,
    list_parts,
    read_taking_back,
)


@pytest.mark.parametrize(
    "text",
    [
        "Never mind, back to how it was.",
        "nope, back to the old plan",
        "Scratch that, we're keeping the old one.",
        "forget what I said, leave it as it was",
        "No wait, cancel that. Let's go back to how it was before.",
        "put it back the way it was",
        "그거 취소, 원래대로",
        "원래대로 가자",
        "아니다, 다시 원래대로 돌려놔",
        "그건 취소하고 예전처럼 하자",
        "이전 방식으로 돌아가자",
    ],
)
def test_what_goes_back_to_what_it_was_restores(text: str) -> None:
    assert read_taking_back(text) == RESTORES


@pytest.mark.parametrize(
    "text",
    [
        "undo that",
        "Cancel that.",
        "Actually, undo that change.",
        "I take that back",
        "ignore what I just said",
        "revert that please",
        "call it off",
        "아 그거 취소할게",
        "아까 한 말은 없던 걸로 하자",
        "그 결정 철회할게요",
        "방금 건 무효",
        "바꾼 거 되돌리자",
    ],
)
def test_what_points_back_and_cancels_does_so(text: str) -> None:
    assert read_taking_back(text) == CANCELS


@pytest.mark.parametrize(
    "text",
    [
        "cancel the meeting",
        "cancel my subscription",
        "undo the last commit",
        "undo that migration",
        "revert that PR",
        "drop that table",
        "forget that file",
        "back up the database",
        "put it back in the drawer",
        "reset that branch to how it was in March",
        "keep it as it is",
        "never mind",
        "never mind the noise",
        "should we undo that?",
        "that",
        "undo",
        "이 주문 취소해줘",
        "그 주문 취소",
        "예약 취소해줘",
        "취소 수수료는 얼마야",
        "취소해줘",
        "그거 취소하지 마",
        "그거 취소할까",
        "그거 취소했대",
        "그거",
        "그대로 가자",
        "원래대로라면 금요일인데",
        "원래 계획은 금요일이었어",
        "",
        "?",
    ],
)
def test_an_order_that_names_its_object_a_question_and_a_doubt_take_nothing_back(text: str) -> None:
    assert read_taking_back(text) == ""


@pytest.mark.parametrize("part", list_parts(), ids=lambda part: part.example)
def test_a_row_is_what_its_example_is_and_not_its_counter_example(part: TakingBackPart) -> None:
    matched = [
        re.fullmatch(part.pattern, one.lower()) is not None
        for one in (part.example, part.counter_example)
    ]
    assert matched == [True, False]


def test_a_long_text_of_fillers_is_read_in_time() -> None:
    assert read_taking_back("no " * 53 + "x") == ""
