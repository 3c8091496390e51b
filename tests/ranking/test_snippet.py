"""What of a passage is shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.ranking.snippet import snippet
from gieok.text.keywords import keyword_tokens

_WORDS = st.sampled_from(
    ["word", "결제는", "정산했다.", "a", "supercalifragilistic", "\n", "\n\n", "x" * 60]
)


def test_a_short_text_is_shown_whole() -> None:
    assert snippet("  one\ntwo \n", [], 100) == "one\ntwo"
    assert snippet("", ["a"], 100) == ""


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.lists(_WORDS, max_size=80).map(" ".join),
    st.sampled_from(["결제", "word", "정산", "zzz"]),
    st.integers(80, 200),
)
def test_a_snippet_is_a_part_of_the_text_cut_between_words(
    text: str, wanted: str, limit: int
) -> None:
    shown = snippet(text, [wanted], limit)
    part = shown.removeprefix("… ").removesuffix(" …")
    assert len(shown) <= limit
    assert part in text
    assert set(part.split()) <= set(text.split())
    assert shown.startswith("… ") or text.strip().startswith(part)
    assert shown.endswith(" …") or text.strip().endswith(part)


@pytest.mark.parametrize("place", range(0, 60, 7))
def test_the_line_with_the_words_of_the_question_is_shown(place: int) -> None:
    lines = [f"filler line {n} with nothing in it" for n in range(60)]
    lines[place] = "보일러는 매주 점검했다"
    assert lines[place] in snippet("\n".join(lines), keyword_tokens("보일러 점검"), 200)


@pytest.mark.parametrize("place", range(0, 300, 43))
def test_the_place_is_found_within_a_long_line_too(place: int) -> None:
    words = ["filler"] * 300
    words[place] = "boiler"
    assert "boiler" in snippet(" ".join(words), keyword_tokens("boiler"), 200)


def test_the_first_of_equal_lines_is_shown() -> None:
    text = "\n".join(["nothing " * 5] * 5 + ["boiler one"] + ["nothing " * 5] * 9 + ["boiler two"])
    assert "boiler one" in snippet(text, ["boiler"], 100)


def test_a_word_longer_than_the_limit_is_cut() -> None:
    assert snippet("x" * 500, ["x"], 50) == "x" * 48 + " …"
