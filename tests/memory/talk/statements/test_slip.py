"""Texts that put one value right, and texts that only look so."""

import re

import pytest

from gieok.memory.talk.statements.slip import SLIPS, Slip, find_wrong_sentence, read_slip

_PIN = "the irrigation pump hangs on GPIO 17"


@pytest.mark.parametrize(
    ("pattern", "one", "none"), SLIPS, ids=[one.replace(" ", "_") for _, one, _ in SLIPS]
)
def test_each_form_of_putting_right_is_known(pattern: str, one: str, none: str) -> None:
    assert re.fullmatch(pattern, one, re.IGNORECASE)
    assert not re.fullmatch(pattern, none, re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "sorry, 27, not 17",
        "Not 17, 27!",
        "I meant 27, not 17.",
        "oops, 27 instead of 17",
        "no wait, it's GPIO 27, not GPIO 17",
        "아 미안 17 아니고 27이야",
        "27이야, 17 아니라",
    ],
)
def test_a_value_is_put_right(text: str) -> None:
    slip = read_slip(text)
    assert slip is not None
    assert find_wrong_sentence(slip, ["write the relay code", _PIN]) == _PIN


@pytest.mark.parametrize(
    "text",
    ["is it 27, not 17?", "yes, not bad", "27", "sorry", "그건 아니고", f"27, not 17. {_PIN * 2}"],
)
def test_what_asks_answers_or_says_more_puts_nothing_right(text: str) -> None:
    assert read_slip(text) is None


@pytest.mark.parametrize(
    "stated",
    [["the pump hangs on GPIO 117"], ["move it from GPIO 17 to GPIO 27"], ["v1.17 is out"], []],
    ids=["part of a number", "both named", "part of a version", "nothing said"],
)
def test_only_a_value_that_was_stated_alone_was_wrong(stated: list[str]) -> None:
    assert find_wrong_sentence(Slip(wrong="17", right="27"), stated) == ""
