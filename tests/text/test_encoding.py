"""Which bytes are read in which encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.text.encoding import decode

_NOTE = "# 회의록\n\n결제는 매주 화요일에 정산한다. See https://example.com/a?b=1\n"


@pytest.mark.parametrize(
    "text", [_NOTE, "안녕하세요", "서버 재시작", "We met 김서연 at the office.\n", "漢字 이름: 金서연, 결제 담당자\n"]
)
@pytest.mark.parametrize("codec", ["cp949", "utf-8", "utf-8-sig", "utf-16"])
def test_korean_is_read_in_what_it_was_written(text: str, codec: str) -> None:
    decoded = decode(text.encode(codec))
    assert decoded.text == text
    assert decoded.encoding == codec.upper().removesuffix("-SIG")
    assert bool(decoded.warning) == (not codec.startswith("utf-8"))


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [_NOTE, "plain English, no mark\n", "VLAN 10"])
def test_utf_16_without_its_mark_is_seen_from_its_pattern(text: str, codec: str) -> None:
    assert decode(text.encode(codec)) == (text, codec.upper(), -1)


def test_euc_kr_is_read_as_cp949_which_holds_it() -> None:
    assert decode(_NOTE.encode("euc-kr")) == (_NOTE, "CP949", -1)


@pytest.mark.parametrize(
    "data",
    [
        "Le café est fermé à Noël, où êtes-vous ?".encode("cp1252"),
        "Über die Straße läuft der Bär.".encode("latin-1"),
        "これは日本語のメモです。明日会議があります。".encode("euc-jp"),
        "これは日本語のメモです。".encode("shift_jis"),
        "这是中文笔记，明天有会议。".encode("gb18030"),
        "결제는 화요일".encode() + b"\n" + "환불은 없다".encode("cp949"),
        "결제는 화요일".encode()[:-1],
        "결제".encode() + b"\xff" + "는 화요일".encode(),
    ],
)
def test_what_is_neither_is_read_with_replacements_and_says_where(data: bytes) -> None:
    decoded = decode(data)
    assert decoded.text == data.decode("utf-8", "replace")
    assert f"invalid UTF-8 at byte {decoded.first_replaced}" in decoded.warning


def test_utf_16_that_was_cut_is_read_but_for_its_end() -> None:
    decoded = decode(_NOTE.encode("utf-16")[:-1])
    assert decoded.text == _NOTE[:-1] + "\ufffd"
    assert decoded.warning.startswith("invalid UTF-16 at byte ")


@pytest.mark.parametrize("data", [b"\0\1\2\3", b"\x89PNG\r\n\0\0\0\rIHDR", b"abc\0def", b"\xff\xfe\x00\xd8"])
def test_binary_is_no_text(data: bytes) -> None:
    assert decode(data) is None


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_utf_8_is_always_itself(text: str) -> None:
    assert decode(text.encode()) == (text.removeprefix("\ufeff"), "UTF-8", -1)
