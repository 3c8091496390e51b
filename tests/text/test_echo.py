from hypothesis import given
from hypothesis import strategies as st

from gieok.text.echo import strip_echo


def test_injected_memory_is_taken_out_and_the_rest_stays() -> None:
    text = '언제 출시하지?\n\n<memory-context n="1">\n출시는 금요일\n</memory-context>\n\n<memory-note>x</memory-note>\n고마워'
    assert strip_echo(text) == "언제 출시하지?\n\n고마워"


def test_nested_and_unclosed_blocks_go_whole() -> None:
    assert strip_echo("a <memory-compact>b <memory-note>c</memory-note> d</memory-compact> e") == "a  e"
    assert strip_echo("a\n<memory-context>cut here") == "a"
    assert strip_echo("a </memory-context> b") == "a  b"


def test_a_text_without_memory_is_returned_as_it_is() -> None:
    text = "  about memory-context, in words\n\n\n\n"
    assert strip_echo(text) is text


@given(st.lists(st.sampled_from(["<memory-note>", "</memory-note>", "<memory-context a=1>", "x", "\n"]), max_size=12))
def test_stripping_twice_is_stripping_once(parts: list[str]) -> None:
    once = strip_echo("".join(parts))
    assert strip_echo(once) == once
