"""The estimate of model tokens."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.text.tokens import count_tokens


def test_only_an_empty_text_has_no_tokens() -> None:
    assert count_tokens("") == 0
    assert [count_tokens(text) for text in (" ", "a", "가", "é", "😀", "\ud800")] == [1] * 6


def test_korean_is_counted_by_the_syllable_and_english_by_four_letters() -> None:
    assert count_tokens("a" * 400) == 100
    assert count_tokens("가" * 400) == 320


def test_mixed_text_costs_what_its_parts_cost() -> None:
    assert abs(count_tokens("a" * 400 + "가" * 400) - 420) <= 1


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(max_size=40), st.text(max_size=10))
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert count_tokens(text + more) >= count_tokens(text)
    assert count_tokens(more + text) >= count_tokens(text)
