"""The estimate of model tokens."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.text.tokens import estimate_tokens


def test_only_an_empty_text_has_no_tokens() -> None:
    assert estimate_tokens("") == 0
    assert [estimate_tokens(text) for text in (" ", "a", "가", "é", "😀", "\ud800")] == [1] * 6


def test_characters_cost_by_what_they_are() -> None:
    assert estimate_tokens("word " * 100) == 97
    assert estimate_tokens("가" * 400) == 288
    assert estimate_tokens("2026" * 100) == 360
    assert estimate_tokens('{"":[]}' * 100) == 560
    assert estimate_tokens("    x" * 100) == estimate_tokens("  x" * 100) + 30


def test_mixed_text_costs_what_its_parts_cost() -> None:
    assert (
        abs(
            estimate_tokens("a" * 400 + "가" * 400)
            - estimate_tokens("a" * 400)
            - estimate_tokens("가" * 400)
        )
        <= 1
    )


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(max_size=40), st.text(max_size=10))
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)
    assert estimate_tokens(more + text) >= estimate_tokens(text)


#: Counted by the tokenizers of GPT-4o and of Gemma 3 (Gemini's), which need their tables from the
#: network.
_WORKSPACE = Path(__file__).parents[2] / "examples" / "workspace" / "notes"
_COUNTED = {
    "infra/백업-정책.md": (328, 322),
    "payments/정산-일정.md": (323, 325),
    "home/김치찌개-레시피.md": (363, 359),
    "research/pricing-experiment.md": (291, 339),
}


#: What agents write: counted by the same two.
_LINES = {
    (
        '{"type":"message","id":"a6da0ce6","timestamp":"2026-11-21T20:56:41.951Z",'
        '"usage":{"input":11,"output":2048}}'
    ): (
        43,
        55,
    ),
    "2026-11-09T08:14:07.201Z WARN [db-7] GET /api/v1/orders/483910 504 2913ms": (36, 56),
    "| 정산 | 1,204,500 | 12.5% | 2026-11-20 |": (25, 34),
}


@pytest.mark.parametrize("line", _LINES)
def test_digits_and_signs_are_not_counted_as_letters(line: str) -> None:
    ours, (least, most) = estimate_tokens(line), sorted(_LINES[line])
    assert 0.8 * least < ours < 1.25 * most


@pytest.mark.parametrize("name", _COUNTED)
def test_a_note_costs_about_what_real_tokenizers_count(name: str) -> None:
    ours = estimate_tokens((_WORKSPACE / name).read_text(encoding="utf-8"))
    for counted in _COUNTED[name]:
        assert 0.8 * counted < ours < 1.2 * counted
