"""Passages: every line once or more, at the lines they say, within their budget."""

import sys
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.model.memory import Passage
from gieok.text.chunk import _estimate_chunk_tokens, chunk

_LINES = st.sampled_from(
    [
        "",
        "",
        " ",
        "word",
        "결제는 매주 정산했다",
        "# One",
        "## Two ##",
        "### 셋",
        "```",
        "```python",
        "~~~",
        "x = 1",
        "a " * 150,
        "긴문장 " * 60,
        "z" * 700,
        "`code` and ```more```",
    ]
)
_TEXTS = st.lists(_LINES, max_size=60).map("\n".join)


def _slice(text: str, passage: Passage) -> str:
    return text[passage.start : passage.end]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(_TEXTS, st.sampled_from([32, 64, 400]), st.sampled_from([0, 10, 80]))
def test_passages_are_in_order_at_their_lines_within_budget_and_cover_everything(
    text: str, budget: int, overlap: int
) -> None:
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    covered = [False] * len(text)
    passages = chunk(text, budget_tokens=budget, overlap_tokens=overlap)
    for passage in passages:
        first, last = passage.start_line, passage.end_line
        assert starts[first - 1] <= passage.start < passage.end <= starts[last] - 1
        whole = passage.start == starts[first - 1] and passage.end == starts[last] - 1
        assert whole or _estimate_chunk_tokens("\n".join(lines[first - 1 : last])) > budget, (
            "only a long line is cut"
        )
        assert _estimate_chunk_tokens(_slice(text, passage)) <= budget + 1
        assert _slice(text, passage).strip()
        covered[passage.start : passage.end] = [True] * (passage.end - passage.start)
    assert all(covered[i] for i, char in enumerate(text) if not char.isspace())
    for before, after in pairwise(passages):
        assert before.start < after.start
        assert before.end < after.end
        assert _estimate_chunk_tokens(text[after.start : before.end]) <= overlap


def test_a_passage_repeats_the_last_lines_of_the_one_before() -> None:
    text = "\n".join(f"line number {n:03}" for n in range(100))
    first, second, *_ = chunk(text, budget_tokens=40, overlap_tokens=12)
    assert second.start_line <= first.end_line < second.end_line


def test_nothing_is_repeated_across_a_heading() -> None:
    text = "# A\n" + "word " * 30 + "\n# B\n" + "text " * 30
    first, second = chunk(text, budget_tokens=64, overlap_tokens=30)
    assert (first.end_line, second.start_line) == (2, 3)


def test_the_context_is_the_path_of_headings_above() -> None:
    body = "word " * 40
    text = f"# Pay\n{body}\n## Refunds ##\n{body}\n### 셋\n{body}\n## Limits\n{body}\nmore {body}"
    contexts = [p.context for p in chunk(text, budget_tokens=60, overlap_tokens=0, context="notes")]
    assert contexts == [
        "notes",
        "notes > Pay",
        "notes > Pay > Refunds",
        "notes > Pay",
        "notes > Pay > Limits",
    ]


def test_code_that_fits_a_passage_is_not_torn() -> None:
    code = "```python\n# not a heading\n" + "\n".join(f"step_{n}()" for n in range(10)) + "\n```"
    text = "intro text\n" * 9 + code + "\n" + "outro text\n" * 9
    passages = chunk(text, budget_tokens=64, overlap_tokens=10)
    assert sum(code in _slice(text, p) for p in passages) == 1
    assert all(("```python" in _slice(text, p)) == ("step_9" in _slice(text, p)) for p in passages)
    assert not any("not a heading" in p.context for p in passages)


@pytest.mark.parametrize("opening", ["```inline``` code", "    ```", "text ```"])
def test_marks_that_open_no_code_hide_no_heading(opening: str) -> None:
    body = "word " * 40
    passages = chunk(
        f"{opening}\n{body}\n# A\n{body}\nlast {body}", budget_tokens=60, overlap_tokens=0
    )
    assert passages[-1].context == "A"


def test_code_ends_only_at_a_bare_mark_of_its_own_kind() -> None:
    body = "word " * 40
    text = f"````\n```\n~~~\n````python\n# no heading\n````\n{body}\n# A\n{body}\nlast {body}"
    assert chunk(text, budget_tokens=60, overlap_tokens=0)[-1].context == "A"


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\n" * 50])
def test_blank_text_has_no_passages(text: str) -> None:
    assert chunk(text) == ()


def test_the_rest_of_a_text_is_cut_with_the_lines_of_the_whole() -> None:
    text = "---\na: b\n---\nhello\nworld"
    (passage,) = chunk(text, start=13, start_line=4)
    assert (_slice(text, passage), passage.start_line, passage.end_line) == ("hello\nworld", 4, 5)


def test_carriage_returns_stay_where_they_are() -> None:
    text = "one\r\ntwo\r\n"
    (passage,) = chunk(text)
    assert (_slice(text, passage), passage.end_line) == (text.removesuffix("\n"), 2)


@pytest.mark.parametrize("unit", ["word ", "한글 ", "x", "가"])
def test_one_line_of_a_megabyte_is_cut_at_spaces_where_it_has_any(unit: str) -> None:
    text = unit * (1_000_000 // len(unit.encode()))
    passages = chunk(text)
    assert "".join(_slice(text, p) for p in passages) == text
    assert {(p.start_line, p.end_line) for p in passages} == {(1, 1)}
    assert all(_slice(text, p).endswith(" ") for p in passages if " " in unit)
    assert max(_estimate_chunk_tokens(_slice(text, p)) for p in passages) <= 400


def _calls(text: str) -> int:
    """Count the calls into Python and C that cutting takes."""
    count = 0

    def look(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(look)
    try:
        chunk(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", ["\n", "# \n", "```\n", "word ", "가\n"])
def test_twice_the_text_takes_twice_the_steps(unit: str) -> None:
    assert _calls(unit * 40_000) <= 2.2 * _calls(unit * 20_000)


def test_a_hundred_thousand_blank_lines_between_two_words_are_two_places() -> None:
    passages = chunk("first" + "\n" * 100_000 + "last")
    assert [passages[0].start_line, passages[-1].end_line] == [1, 100_001]
