"""Files → documents, whatever is in them and however they are called."""

import os
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.flow.ingest import Failed, SourceItem
from gieok.memory.files.cut import Cut
from gieok.memory.files.read import LARGEST_BYTES, cut_note_passages, is_memory_file, read_root
from gieok.memory.files.roots import Root
from gieok.model.memory import Document, Scope
from gieok.places.home import SHELF, records_folder

_SCOPE = Scope("agent:main")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def _read(folder: Path) -> tuple[dict[str, Document], dict[str, str], dict[str, str]]:
    """Return documents, failures and warnings by key, without the root's name."""
    items = list(read_root(_SCOPE, Root("notes", folder), Cut()))
    found = [item for item in items if isinstance(item, SourceItem)]
    return (
        {item.key.removeprefix("notes/"): item.build() for item in found},
        {
            item.key.removeprefix("notes/"): item.reason
            for item in items
            if isinstance(item, Failed)
        },
        {item.key.removeprefix("notes/"): item.warning for item in found if item.warning},
    )


def _document(folder: Path) -> Document:
    ((document,), failed) = (list(_read(folder)[0].values()), _read(folder)[1])
    assert not failed
    return document


def test_front_matter_is_metadata_of_which_title_and_tags_are_searched(folder: Path) -> None:
    (folder / "a.md").write_text(
        "---\ntitle: 결제 정책\ntags: [pay, x]\nroot: mine\n---\n# Head\nbody\n", encoding="utf-8"
    )
    document = _document(folder)
    assert document.metadata == {"title": "결제 정책", "tags": "pay, x", "root": "notes"}
    assert document.title == "a > 결제 정책"
    (passage,) = cut_note_passages(document, Cut())
    assert document.text[passage.start : passage.end].startswith("# Head")
    assert (passage.start_line, passage.context) == (6, "a > 결제 정책 (pay, x)")


def test_a_daily_note_is_dated_by_its_name_and_others_are_not(folder: Path) -> None:
    (folder / "2026-10-14-incident.md").write_text("one")
    (folder / "MEMORY.md").write_text("two")
    documents = _read(folder)[0]
    assert documents["2026-10-14-incident.md"].valid_from == datetime(2026, 10, 14, tzinfo=UTC)
    assert documents["MEMORY.md"].valid_from is None


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("pay.md", "# Pay\nbody", "Pay"),
        ("refund_policy-2.md", "# 환불", "refund policy 2 > 환불"),
        ("a.txt", "no heading", "a"),
        ("weekly-sync.md", "# Weekly sync notes", "Weekly sync notes"),
        ("축의금-2026-11-29까지.md", "# 축의금, 2026-11-29까지.", "축의금, 2026-11-29까지."),
        ("2026-11-29 fees.md", "# 요금", "fees > 요금"),
    ],
)
def test_the_title_holds_the_words_of_heading_and_name(
    folder: Path, name: str, text: str, title: str
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    assert _document(folder).title == title


def test_invalid_utf_8_is_replaced_and_named(folder: Path) -> None:
    (folder / "a.md").write_bytes(b"good \xff bad")
    documents, failed, warnings = _read(folder)
    assert documents["a.md"].text == "good \N{REPLACEMENT CHARACTER} bad"
    assert failed == {}
    assert warnings == {"a.md": "invalid UTF-8 at byte 5: replaced by \N{REPLACEMENT CHARACTER}"}


def test_a_byte_order_mark_and_line_endings_are_taken_off(folder: Path) -> None:
    (folder / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert _document(folder).text == "one\ntwo\nthree\n"


def test_text_is_composed(folder: Path) -> None:
    (folder / "a.md").write_text(unicodedata.normalize("NFD", "결제"), encoding="utf-8")
    assert _document(folder).text == "결제"


def test_what_is_no_note_is_named_with_its_reason_and_the_rest_is_read(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "good.md").write_text("good")
    (folder / "binary.md").write_bytes(b"\x00\x01" * 50)
    with (folder / "big.md").open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    (tmp_path / "outside.md").write_text("secret")
    (folder / "out.md").symlink_to(tmp_path / "outside.md")
    (folder / "dangling.md").symlink_to(folder / "nothing.md")
    (folder / "self.md").symlink_to(folder / "self.md")
    os.mkfifo(folder / "pipe.md")
    documents, failed, _ = _read(folder)
    assert list(documents) == ["good.md"]
    assert failed.keys() == {"binary.md", "big.md", "out.md", "dangling.md", "self.md", "pipe.md"}
    assert failed["binary.md"] == "binary, not text"
    assert "10,000,001 bytes" in failed["big.md"]
    assert failed["out.md"] == "a link that leads out of the indexed folder"
    assert failed["pipe.md"] == "not a regular file"
    assert "No such file" in failed["dangling.md"]


def test_links_to_folders_are_followed_inside_and_cut_at_loops_and_ways_out(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "a.md").write_text("a")
    (folder / "deep" / "er" / "up").symlink_to(folder)
    (folder / "alias").symlink_to(folder / "deep" / "er", target_is_directory=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.md").write_text("b")
    (folder / "out").symlink_to(tmp_path / "other", target_is_directory=True)
    documents, failed, _ = _read(folder)
    assert set(documents) == {"deep/er/a.md", "alias/a.md"}
    assert failed["deep/er/up"] == "a link back to a folder above it"
    assert failed["out"] == "a link that leads out of the indexed folder"


def test_a_folder_that_cannot_be_listed_is_named(folder: Path, tmp_path: Path) -> None:
    items = list(read_root(_SCOPE, Root("notes", folder / "gone"), Cut()))
    assert [(item.key, type(item)) for item in items] == [("notes", Failed)]


@pytest.mark.parametrize(
    "name",
    [
        "with space.md",
        "new\nline.md",
        "emoji 🧠.md",
        unicodedata.normalize("NFD", "결제.md"),
        "결제.md",
        "#L3.md",
        "a:3.md",
        "'\"$(x).md",
        "-rf.md",
        "a.MD",
        ".hidden.md",
    ],
)
def test_any_name_will_do(folder: Path, name: str) -> None:
    (folder / name).write_text("text")
    documents, failed, _ = _read(folder)
    assert (list(documents), failed) == ([name], {})


def test_a_name_that_is_not_utf_8_has_a_key_that_is(folder: Path) -> None:
    os.close(os.open(os.fsencode(folder) + b"/\xff.md", os.O_CREAT | os.O_WRONLY))
    documents, failed, _ = _read(folder)
    assert (list(documents), failed) == (["\\udcff.md"], {})


@pytest.mark.parametrize("unix_s", [-(10**9), 0, 2**33, 2**40])
def test_a_broken_clock_stops_nothing(folder: Path, unix_s: int) -> None:
    (folder / "a.md").write_text("text")
    os.utime(folder / "a.md", (unix_s, unix_s))
    assert _document(folder).updated_at.tzinfo is UTC


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.md", True),
        ("a.txt", True),
        ("a.markdown", True),
        ("sub/a.md", True),
        ("a.py", False),
        ("a", False),
        (".git/a.md", False),
        ("node_modules/x/a.md", False),
        (".#a.md", False),
        ("a.md~", False),
        ("a.md.swp", False),
        ("~$a.md", False),
        ("a.md.tmp", False),
    ],
)
def test_only_notes_are_read_and_not_what_editors_write_beside_them(
    path: str, expected: bool
) -> None:
    assert is_memory_file(Path(path)) is expected


def test_a_single_file_may_be_a_root(folder: Path) -> None:
    (folder / "a.md").write_text("a")
    (folder / "b.md").write_text("b")
    (item,) = read_root(_SCOPE, Root("a.md", folder / "a.md"), Cut())
    assert item.key == "a.md/a.md"


def test_the_newest_file_comes_last(folder: Path) -> None:
    for name, unix_s in (("c.md", 300), ("a.md", 100), ("b.md", 200)):
        (folder / name).write_text(name)
        os.utime(folder / name, (unix_s, unix_s))
    assert list(_read(folder)[0]) == ["a.md", "b.md", "c.md"]


def test_what_is_no_note_any_more_is_forgotten_and_what_is_away_is_kept(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "binary.md").write_bytes(b"\x00\x01" * 50)
    (folder / "up").symlink_to(folder)
    (tmp_path / "other").mkdir()
    (folder / "out").symlink_to(tmp_path / "other", target_is_directory=True)
    (folder / "private.md").write_text("<private>all of it</private>")
    (folder / "gone.md").symlink_to(folder / "nothing.md")
    (folder / "a.md").write_text("a")
    (folder / "a (conflicted copy 2026-11-20).md").write_text("a")
    found = {
        item.key.removeprefix("notes/"): (item.keeps, item.is_left_out)
        for item in read_root(_SCOPE, Root("notes", folder), Cut())
        if isinstance(item, Failed)
    }
    assert found == {
        "binary.md": (False, False),
        "up": (False, False),
        "out": (False, False),
        "private.md": (False, False),
        "gone.md": (True, False),
        "a (conflicted copy 2026-11-20).md": (False, True),
    }


def test_a_link_to_itself_is_a_file_that_leads_nowhere(folder: Path) -> None:
    (folder / "self").symlink_to(folder / "self")
    (folder / "self.md").symlink_to(folder / "self.md")
    (folder / "a.md").write_text("a")
    documents, failed, _ = _read(folder)
    assert list(documents) == ["a.md"]
    assert failed["self"] == "a link to what is not there now; the memory of it is kept"


@pytest.mark.parametrize(
    ("until", "end"),
    [
        ("2026-03-20", datetime(2026, 3, 21, tzinfo=UTC)),
        ("some day", None),
        ("9999-12-31", None),
    ],
)
def test_a_note_holds_until_the_end_of_the_day_in_its_head(
    folder: Path, until: str, end: datetime | None
) -> None:
    (folder / "a.md").write_text(f"---\nuntil: {until}\n---\nThe quay is closed.\n")
    assert _document(folder).valid_to == end


@pytest.mark.parametrize(("size", "is_read"), [(LARGEST_BYTES, True), (LARGEST_BYTES + 1, False)])
def test_a_note_has_ten_million_bytes_at_most(folder: Path, size: int, *, is_read: bool) -> None:
    with (folder / "big.md").open("wb") as file:
        file.truncate(size)
    reason = _read(folder)[1]["big.md"]
    assert reason.startswith("binary") is is_read


def test_a_day_in_the_name_of_a_record_is_one_that_it_speaks_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("GIEOK_HOME", str(home))
    shelf = Path(records_folder(str(home), "user")) / SHELF
    notes = tmp_path / "notes"
    for folder in (shelf, notes):
        folder.mkdir(parents=True)
        (folder / "2026-10-14 the ferry.md").write_text("It sails.")
    days = [
        next(iter(_read_items(root))).valid_from
        for root in (Root("records", shelf), Root("notes", notes))
    ]
    assert days == [None, datetime(2026, 10, 14, tzinfo=UTC)]


def _read_items(root: Root) -> list[Document]:
    items = read_root(_SCOPE, root, Cut())
    return [item.build() for item in items if isinstance(item, SourceItem)]
