"""Bounds of what is unpacked of a document."""

import io
import zipfile

import pytest
from tests.support.office_files import (
    build_docx,
    build_hwpx,
    build_zip,
    hangul_cell,
    hangul_paragraph,
    hangul_table,
    word_paragraph,
    wrap_word,
)

from gieok.text.office import limits
from gieok.text.office.document import read_office_bytes
from gieok.text.office.limits import UnreadableDocument

_ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<w:document xmlns:w="urn:w"><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>'
)
_FOREIGN_FILE = (
    '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    '<w:document xmlns:w="urn:w"><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>'
)


def _refusal(data: bytes, suffix: str = ".docx") -> str:
    with pytest.raises(UnreadableDocument) as caught:
        read_office_bytes(data, suffix)
    return str(caught.value)


@pytest.mark.parametrize("document", [_ENTITIES, _FOREIGN_FILE])
def test_a_document_type_definition_is_refused(document: str) -> None:
    assert "defines entities" in _refusal(build_docx("", {"word/document.xml": document}))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"not an archive",
        build_docx(word_paragraph("whole"))[:-40],
        build_docx("", {"word/document.xml": "<w:document"}),
        build_docx("", {"word/document.xml": b"\xff\xfe\x00broken"}),
        build_docx(word_paragraph("damaged")).replace(
            b"word/document.xml", b"word/dokument.xml", 1
        ),
    ],
)
def test_a_damaged_file_is_refused_with_what_to_do(data: bytes) -> None:
    assert _refusal(data) == (
        "damaged: it cannot be unpacked; open it in its program and save it again"
    )


def test_damaged_bytes_in_a_part_are_refused() -> None:
    data = bytearray(build_docx(word_paragraph("a sentence that is packed " * 40)))
    at = data.index(b"word/document.xml") + 40
    data[at : at + 20] = bytes(20)
    assert "damaged" in _refusal(bytes(data))


def test_other_contents_under_the_name_are_refused_by_what_they_are() -> None:
    assert "older format" in _refusal(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert "no text of Word" in _refusal(build_zip({"notes.txt": "hello"}))
    assert "no text of Hangul" in _refusal(build_zip({"notes.txt": "hello"}), ".hwpx")
    assert "no text of Word" in _refusal(build_hwpx(hangul_paragraph("글")))
    assert "pictures of text are not read" in _refusal(build_docx("<w:p/>"))


def test_a_zip_bomb_is_stopped_at_the_limit_of_unpacked_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gieok.text.office.package.MOST_UNPACKED_BYTES", 100_000)
    bomb = wrap_word("document", f"<w:body>{word_paragraph('a' * 1_000_000)}</w:body>")
    data = build_docx("", {"word/document.xml": bomb})
    assert len(data) < 10_000
    assert "too much text" in _refusal(data)
    many = build_docx(
        word_paragraph("short"), {"word/styles.xml": wrap_word("styles", " " * 99_000)}
    )
    assert "too much text" in _refusal(many)


def test_files_in_the_archive_and_its_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {f"word/media/{number}.png": b"" for number in range(40)}
    data = build_docx(word_paragraph("short"), more)
    assert read_office_bytes(data, ".docx") == "short\n"
    monkeypatch.setattr("gieok.text.office.package.MOST_PACKED_FILES", 40)
    assert "too large" in _refusal(data)
    monkeypatch.undo()
    monkeypatch.setattr("gieok.text.office.package.LARGEST_DOCUMENT_BYTES", len(data) - 1)
    assert "too large" in _refusal(data)


def test_elements_and_their_depth_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "<w:sdt>" * 200 + word_paragraph("deep") + "</w:sdt>" * 200
    assert "without end" in _refusal(build_docx(deep))
    most = limits.DEEPEST_ELEMENT - len(("document", "body", "p", "r", "t"))
    allowed = "<w:sdt>" * most + word_paragraph("deep") + "</w:sdt>" * most
    assert read_office_bytes(build_docx(allowed), ".docx") == "deep\n"
    monkeypatch.setattr("gieok.text.office.package.MOST_ELEMENTS", 30)
    assert read_office_bytes(build_docx(word_paragraph("a")), ".docx") == "a\n"
    assert "too much text" in _refusal(build_docx(word_paragraph("a") * 10))


def test_a_cell_that_claims_to_span_everything_does_not_make_a_text_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gieok.text.office.blocks.LONGEST_TEXT", 20_000)
    wide = hangul_cell("가" * 900, 0, rows=999_999)
    rows = [wide + hangul_cell("나", 1), *[hangul_cell("나", 1)] * 30]
    table = hangul_paragraph(hangul_table(*rows))
    assert "too much text" in _refusal(build_hwpx(table), ".hwpx")
    far = hangul_paragraph(hangul_table(hangul_cell("a", 0) + hangul_cell("b", 999_999)))
    assert "more columns" in _refusal(build_hwpx(far), ".hwpx")


def test_a_locked_part_is_named_as_locked() -> None:
    data = bytearray(build_docx(word_paragraph("text")))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        row = archive.getinfo("word/document.xml")
    at = data.index(b"PK\x01\x02", data.rindex(b"word/document.xml") - 46)
    assert row.flag_bits == 0
    data[at + 8] |= 1
    assert "locked by a password" in _refusal(bytes(data))
