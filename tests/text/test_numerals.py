"""Numbers in words are found in both languages, and words that are none are not."""

import pytest

from gieok.text.numerals import find_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("생일은 유월 열이틀이여", {6, 12}),
        ("시월 초사흘", {10, 3}),
        ("동짓달 보름날", {11, 15}),
        ("십이월 이십삼일에 봐", {12, 23}),
        ("스물다섯 살", {25}),
        ("서른 셋", {33}),
        ("쉰이 넘었지", {50}),
        ("열흘 뒤", {10}),
        ("3월 15일", {3, 15}),
        ("June twelfth", {12}),
        ("the twenty-first of May", {20, 1, 21}),
        ("I am forty two", {40, 2, 42}),
        ("이 사람이 오늘 구두를 샀어", set()),
        ("a fine day", set()),
    ],
)
def test_numbers_in_words_are_found(text: str, numbers: set[int]) -> None:
    assert numbers <= find_numbers(text)
    assert bool(numbers) == bool(find_numbers(text))


@pytest.mark.parametrize("digits", ["01012345678", "9" * 100])
def test_a_long_row_of_digits_is_one_number(digits: str) -> None:
    assert find_numbers(f"내 번호는 {digits}이야") == {int(digits)}


def test_a_row_of_digits_without_end_states_no_number() -> None:
    assert find_numbers("7" * 100_000) == set()
