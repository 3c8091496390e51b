"""What is marked as private is cut; where it is unclear how far the mark reaches, more is cut
rather than less.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.text.private_tags import CUT, cut_private, is_all_private
from gieok.text.redact import redact, redact_counted, redact_source

_SECRET = "walnut ember nine"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            f"Use it. <private>The phrase is {_SECRET}.</private> Then book.",
            f"Use it. {CUT} Then book.",
        ),
        (f"<private>{_SECRET}\nand {_SECRET}</private>after", f"{CUT}\nafter"),
        (f"a <private>x <private>{_SECRET}</private> {_SECRET}</private> b", f"a {CUT} b"),
        (f"a <private>x <private>{_SECRET}</private> {_SECRET}", f"a {CUT}"),
        (f"before <private> {_SECRET}\n\n{_SECRET}", f"before {CUT}\n\n"),
        (f"{_SECRET} </private> after", f"{CUT} after"),
        (f"<PRIVATE>{_SECRET}</Private>.", f"{CUT}."),
        (f"< private >{_SECRET}< / private >.", f"{CUT}."),
        (f'<private reason="health">{_SECRET}</private>.', f"{CUT}."),
        (f"&lt;private&gt;{_SECRET}&lt;/private&gt;.", f"{CUT}."),
        (f"\\u003cprivate\\u003e{_SECRET}\\u003c/private\\u003e.", f"{CUT}."),
        (f"<비공개>{_SECRET}</비공개>는 빼고", f"{CUT}는 빼고"),
        (f"```\n<private>\n{_SECRET}\n</private>\n```", f"```\n{CUT}\n\n\n```"),
        (f"`<private>`{_SECRET}`</private>` end", f"`{CUT}` end"),
        (
            f"one <private>{_SECRET}</private> two <private>{_SECRET}</private> three",
            f"one {CUT} two {CUT} three",
        ),
    ],
)
def test_what_is_marked_is_cut_and_what_stands_around_it_stays(text: str, left: str) -> None:
    assert cut_private(text) == left
    assert _SECRET not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "a private matter, in private",
        "private int count; List<String> names",
        "An unclosed `<private>` reaches to the end.",
        "It ends at the first `</private>` that follows.",
        "<private-key> and <privateer>",
        "비공개 저장소를 만들어줘",
    ],
)
def test_talk_about_what_is_private_stays_whole(text: str) -> None:
    assert cut_private(text) == text


def test_source_code_loses_a_marked_stretch_and_no_more_than_a_line_where_the_mark_is_not_closed() -> (
    None
):
    assert redact_source(f"a = 1  # <private>for {_SECRET}\nb = 2\n") == f"a = 1  # {CUT}\nb = 2\n"
    closed = redact_source(f"b = 2\n# <private>{_SECRET}\n# {_SECRET}</private>\nc = 3\n")
    assert closed == f"b = 2\n# {CUT}\n\nc = 3\n"


def test_what_was_cut_is_counted_and_cut_once() -> None:
    once, counts = redact_counted(f"<private>{_SECRET}</private> and <private>{_SECRET}")
    assert counts == {"private": 2}
    assert redact_counted(once) == (once, {})


def test_a_text_of_which_nothing_is_left_is_told_from_one_that_says_more() -> None:
    assert is_all_private(cut_private(f"<private>{_SECRET}</private>\n"))
    assert not is_all_private(cut_private(f"<private>{_SECRET}</private> and this"))
    assert not is_all_private("")


_PIECES = st.lists(
    st.sampled_from(["<private>", "</private>", "`", "word ", "\n", "<비공개>", "&lt;/private&gt;"])
)


@given(_PIECES)
def test_lines_keep_their_numbers_and_cutting_twice_cuts_no_more(pieces: list[str]) -> None:
    text = "".join(pieces)
    once = cut_private(text)
    assert once.count("\n") == text.count("\n")
    assert cut_private(once) == once
