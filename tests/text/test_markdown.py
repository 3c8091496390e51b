"""Front matter and titles, as people write them."""

import pytest

from gieok.text.markdown import find_markdown_title, flatten_markdown, front_matter


def test_fields_lists_and_quotes_are_read() -> None:
    text = (
        "---\ntitle: \"결제 정책\"\ntags: [pay, '환불']\npeople:\n  - Kim\n  - Lee\n\n# note\nurl: "
        "http://a.b/c\nempty:\n---\nbody\n"
    )
    front = front_matter(text)
    assert front.fields == {
        "title": "결제 정책",
        "tags": "pay, 환불",
        "people": "Kim, Lee",
        "url": "http://a.b/c",
        "empty": "",
    }
    assert text[front.end :] == "body\n"
    assert front.end_line == 11


@pytest.mark.parametrize("text", ["---\n---\nbody", "---\n...\nbody", "---  \n---  \nbody"])
def test_an_empty_block_is_skipped(text: str) -> None:
    front = front_matter(text)
    assert (text[front.end :], front.end_line, front.fields) == ("body", 2, {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body",
        "# A\n---\na: b\n---\n",
        "---\na: b\n",
        "----\na: b\n----\n",
        "---\nJust prose between two rules.\n---\nmore",
        "---\n\nOn Monday we met.\nagenda: none\n---\n",
    ],
)
def test_text_without_front_matter_is_text(text: str) -> None:
    assert front_matter(text).end == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n# Two", "One"),
        ("intro\n\n#  결제 정책  ##\n", "결제 정책"),
        ("## Only two", ""),
        ("#hashtag", ""),
        ("#\n\nnot a title", ""),
        ("", ""),
        ("# C#", "C"),
    ],
)
def test_the_title_is_the_first_heading_of_level_one(text: str, expected: str) -> None:
    assert find_markdown_title(text) == expected


def test_a_title_may_be_looked_for_further_down() -> None:
    assert find_markdown_title("# One\n# Two", 3) == "Two"


def test_a_heading_of_spaces_takes_no_time() -> None:
    words = "a" + " #" * 100_000
    assert find_markdown_title(f"# {words}b") == f"{words}b"


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        (
            "# 전세 계약\n\n3월에 끝난다.\n\n- 두 달 전까지\n- [ ] 도배",
            "전세 계약: 3월에 끝난다. · 두 달 전까지 · 도배",
        ),
        ("## Question ##\nDoes it pay?\n> maybe", "Question: Does it pay? maybe"),
        ("| day | what |\n|---|:--|\n| 19 | sea |\n\n---\n1. fly", "day, what 19, sea · fly"),
        ("# Alone", "Alone"),
        ("C# and 3 - 2 are words, -x too", "C# and 3 - 2 are words, -x too"),
        ("\n\n", ""),
        ("Run:\n```sh\n# count\nwc - -l\n```\n- done", "Run: # count wc - -l · done"),
        ("# \n~~~\nx = 1\n~~~", "x = 1"),
    ],
)
def test_markdown_is_one_line_without_the_marks_that_lines_begin_with(text: str, flat: str) -> None:
    assert flatten_markdown(text) == flat
