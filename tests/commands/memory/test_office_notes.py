"""Documents of Word and Hangul as notes: indexed, searched, read, and never written."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from contexts import using
from tests.support.office_files import (
    build_docx,
    build_hwpx,
    hangul_cell,
    hangul_paragraph,
    hangul_table,
    word_paragraph,
)

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.memory.index import IndexResult, render_index_report
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.testing import HashEmbedder

_LEASE = build_docx(
    word_paragraph("Lease", '<w:pStyle w:val="1"/>')
    + word_paragraph("The lease of the flat ends on 1 March 2027.")
)
_PLAN = build_hwpx(
    hangul_paragraph("잔치 계획", 1)
    + hangul_paragraph(
        hangul_table(
            hangul_cell("순서", 0) + hangul_cell("시간", 1),
            hangul_cell("축하 공연", 0) + hangul_cell("19:20", 1),
        )
    )
)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    made = using(open_call({}), open_embedder=HashEmbedder, embedder_name="hash")
    yield made
    made.home.store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "lease.docx").write_bytes(_LEASE)
    (folder / "잔치.HWPX").write_bytes(_PLAN)
    return folder


def _index(call: Call, *paths: Path) -> IndexResult:
    return load_command("index")(call, paths=[str(path) for path in paths])


def _find_places(call: Call, question: str) -> list[str]:
    result = load_command("search")(call, query=[question], min_score=0.0)
    return [Path(hit.path).name for hit in result.results]


def test_documents_are_searched_and_read_by_the_lines_of_their_text(
    call: Call, folder: Path
) -> None:
    result = _index(call, folder)
    assert (len(result.report.added), result.report.failed, result.unread) == (2, [], ())
    assert _find_places(call, "lease of the flat")[0] == "lease.docx"
    assert _find_places(call, "축하 공연")[0] == "잔치.HWPX"
    read = load_command("get")(call, path="잔치.HWPX:5")
    assert read.text == "| 축하 공연 | 19:20 |"
    assert load_command("get")(call, path="lease.docx").text.startswith("# Lease\n")


def test_an_unchanged_document_is_not_put_anew_and_a_changed_one_is(
    call: Call, folder: Path
) -> None:
    _index(call, folder)
    assert _index(call).report.unchanged == 2
    (folder / "lease.docx").write_bytes(build_docx(word_paragraph("The lease was prolonged.")))
    assert _index(call).report.changed == ["notes/lease.docx"]
    assert "prolonged" in load_command("get")(call, path="lease.docx").text


def test_a_damaged_document_is_named_left_out_and_keeps_what_was_read_before(
    call: Call, folder: Path
) -> None:
    _index(call, folder)
    (folder / "lease.docx").write_bytes(_LEASE[:-30])
    (folder / "new.docx").write_bytes(b"PK\x03\x04")
    report = _index(call).report
    assert {failed.key for failed in report.failed} == {"notes/lease.docx", "notes/new.docx"}
    assert report.removed == []
    assert _find_places(call, "lease of the flat")[0] == "lease.docx"
    with pytest.raises(BadRequest, match="damaged"):
        load_command("get")(call, path="new.docx")
    told = render_index_report(_index(call), Style("ko", colour=False))
    assert "깨진 파일이라" in told


def test_a_document_is_never_written(call: Call, folder: Path) -> None:
    _index(call, folder)
    (listed,) = [item for item in load_command("list")(call).memories if "Lease" in item.text]
    with pytest.raises(BadRequest, match="document of a word processor") as caught:
        load_command("edit")(call, handle=listed.handle, text=["The lease ends in April."])
    assert "its own program" in caught.value.hint
    assert (folder / "lease.docx").read_bytes() == _LEASE


def test_kinds_that_are_not_read_are_counted_with_what_to_save_them_as(
    call: Call, folder: Path
) -> None:
    for name in ("old.hwp", "old.doc", "scan.pdf", "~$lease.docx"):
        (folder / name).write_bytes(b"x")
    told = render_index_report(_index(call, folder), Style("en", colour=False))
    assert "1 .doc, 1 .hwp, 1 .pdf; saved as .docx, .hwpx or .txt they are" in told


def test_a_note_in_another_encoding_is_refused_by_an_edit(call: Call, folder: Path) -> None:
    (folder / "old.txt").write_bytes("오래된 글입니다. 전세는 삼월에 끝난다.".encode("cp949"))
    _index(call, folder)
    (listed,) = [item for item in load_command("list")(call).memories if "전세" in item.text]
    with pytest.raises(BadRequest, match="not in UTF-8"):
        load_command("edit")(call, handle=listed.handle, text=["x"])
