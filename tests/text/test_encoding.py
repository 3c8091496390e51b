"""Which bytes are read in which encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.text.encoding import decode_note_bytes

_NOTE = "# 회의록\n\n결제는 매주 화요일에 정산한다. See https://example.com/a?b=1\n"


@pytest.mark.parametrize(
    "text",
    [
        _NOTE,
        "안녕하세요",
        "서버 재시작",
        "We met 김서연 at the office.\n",
        "漢字 이름: 金서연, 결제 담당자\n",
    ],
)
@pytest.mark.parametrize("codec", ["cp949", "utf-8", "utf-8-sig", "utf-16"])
def test_korean_is_read_in_what_it_was_written(text: str, codec: str) -> None:
    decoded = decode_note_bytes(text.encode(codec))
    assert decoded.text == text
    assert decoded.encoding == codec.upper().removesuffix("-SIG")
    assert bool(decoded.warning) == (not codec.startswith("utf-8"))


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [_NOTE, "plain English, no mark\n", "VLAN 10"])
def test_utf_16_without_its_mark_is_seen_from_its_pattern(text: str, codec: str) -> None:
    assert decode_note_bytes(text.encode(codec)) == (text, codec.upper(), -1)


def test_euc_kr_is_read_as_cp949_which_holds_it() -> None:
    assert decode_note_bytes(_NOTE.encode("euc-kr")) == (_NOTE, "CP949", -1)


@pytest.mark.parametrize(
    "data",
    [
        "결제는 화요일".encode() + b"\n" + "환불은 없다".encode("cp949"),
        "결제는 화요일".encode()[:-1],
        "결제".encode() + b"\xff" + "는 화요일".encode(),
    ],
)
def test_what_is_neither_is_read_with_replacements_and_says_where(data: bytes) -> None:
    decoded = decode_note_bytes(data)
    assert decoded.text == data.decode("utf-8", "replace")
    assert f"invalid UTF-8 at byte {decoded.first_replaced}" in decoded.warning


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        ("Le café est fermé à Noël, où êtes-vous ?", "cp1252", "Windows-1252"),
        ("Über die Straße läuft der Bär.", "latin-1", "Windows-1252"),
        ("これは日本語のメモです。明日会議があります。", "euc-jp", "EUC-JP"),
        ("これは日本語のメモです。", "shift_jis", "Shift_JIS"),
        ("# 議事録\n\n決済は毎週火曜日に精算する。\n", "shift_jis", "Shift_JIS"),
        ("회의록, 결제는 화요일", "utf-32", "UTF-32"),
        ("これは日本語のメモです。\n", "utf-16-le", "UTF-16-LE"),
    ],
)
def test_other_encodings_are_told_apart_and_named(text: str, codec: str, name: str) -> None:
    decoded = decode_note_bytes(text.encode(codec))
    assert decoded == (text, name, -1)
    assert name in decoded.warning


@pytest.mark.parametrize("bad", [b"\x80\xff", b"\xff", b"\x80 \x81."])
@pytest.mark.parametrize("place", [0, 7, -1])
def test_bad_bytes_do_not_ruin_a_note_in_cp949(bad: bytes, place: int) -> None:
    lines = "# 섞임\n\n회계 마감은 매월 5일이고, 담당자는 김서연이다.\n".encode("cp949").split(
        b"\n"
    )
    line = lines[2]
    lines[2] = (
        line[: place if place >= 0 else len(line)]
        + bad
        + line[place if place >= 0 else len(line) :]
    )
    decoded = decode_note_bytes(b"\n".join(lines) if place != 7 else b"\n".join([*lines, bad]))
    assert decoded.encoding == "CP949"
    assert "담당자는 김서연" in decoded.text
    assert decoded.warning.startswith("invalid CP949 at byte ")


def test_what_is_told_apart_from_nothing_is_said_to_be_unknown() -> None:
    decoded = decode_note_bytes("这是中文笔记，明天有会议。".encode("gb18030"))
    assert decoded.encoding == "unknown"
    assert decoded.warning.startswith("in an unknown encoding, read as UTF-8: from byte 0 on")


@pytest.mark.parametrize("data", [b"abc\0def", "결제는 화요일\0에 정산".encode(), b"\0abc"])
def test_one_nul_makes_no_note_binary_and_is_named(data: bytes) -> None:
    decoded = decode_note_bytes(data)
    assert decoded.text == data.decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    assert (
        decoded.warning
        == f"invalid UTF-8 at byte {data.index(bytes(1))}: replaced by \N{REPLACEMENT CHARACTER}"
    )


def test_utf_16_that_was_cut_is_read_but_for_its_end() -> None:
    decoded = decode_note_bytes(_NOTE.encode("utf-16")[:-1])
    assert decoded.text == _NOTE[:-1] + "\ufffd"
    assert decoded.warning.startswith("invalid UTF-16 at byte ")


@pytest.mark.parametrize(
    "data", [b"\0\1\2\3", b"\x89PNG\r\n\0\0\0\rIHDR", b"\xff\xfe\x00\xd8", bytes(range(32)) * 4]
)
def test_binary_is_no_text(data: bytes) -> None:
    assert decode_note_bytes(data) is None


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_utf_8_is_always_itself(text: str) -> None:
    assert decode_note_bytes(text.encode()) == (text.removeprefix("\ufeff"), "UTF-8", -1)
