"""Notes as people keep them: heads, days, diaries, copies, folders that are away."""

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.flow.ingest import Report
from gieok.memory.files import freshness, roots
from gieok.memory.files.cut import Cut
from gieok.memory.files.read import cut_note_passages
from gieok.memory.files.sync import SHAPE_NOTE, count_stale, sync_changed, sync_scope_roots
from gieok.model.memory import MADE_THEN, Document, Entry, Scope
from gieok.testing import MemoryStore

_SCOPE = Scope("agent:main")
_CUT = Cut()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    vault.mkdir()
    return vault


def _write(vault: Path, name: str, text: str = "The quay was repaired.\n") -> Path:
    file = vault / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _sync(store: MemoryStore, vault: Path) -> Report:
    return sync_scope_roots(store, _SCOPE, roots.add_roots(store, _SCOPE, [vault]), _CUT)


def _documents(store: MemoryStore) -> dict[str, Document]:
    found = store.get(_SCOPE, sorted(store.hashes(_SCOPE)))
    return {one.key.removeprefix("vault/"): one for one in found}


def _indexed(vault: Path) -> dict[str, Document]:
    store = MemoryStore()
    report = _sync(store, vault)
    assert not report.failed
    return _documents(store)


def test_aliases_and_tags_are_searched_with_every_passage_and_a_summary_by_itself(
    vault: Path,
) -> None:
    _write(
        vault,
        "w.md",
        (
            "---\naliases: [Moonraker plan, 문레이커]\nid: 77\nsummary: the sextant is lent to "
            "Rui\n---\nThe gantry. #crane\n"
        ),
    )
    document = _indexed(vault)["w.md"]
    summary, body = cut_note_passages(document, _CUT)
    assert document.text[summary.start : summary.end] == "summary: the sextant is lent to Rui"
    assert (summary.start_line, body.start_line) == (4, 6)
    assert body.context == summary.context == "w = Moonraker plan = 문레이커 (crane)"
    assert (document.metadata["tags"], document.metadata["id"]) == ("crane", "77")


def test_a_head_alone_is_searched() -> None:
    document = Document(
        scope=_SCOPE,
        key="vault/a.md",
        kind="memory",
        text="---\naliases: [the quay]\n---\n",
        content_hash="1",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        updated_at=datetime(2026, 1, 1, tzinfo=UTC),
        title="a",
    )
    (passage,) = cut_note_passages(document, _CUT)
    assert "the quay" in document.text[passage.start : passage.end]


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("d.md", "---\ndate: 2026-11-20\n---\n"),
        ("2026년 11월 20일.md", ""),
        ("November 20th, 2026.md", ""),
        ("2026/11/20.md", ""),
        ("20-11-2026.md", ""),
        ("2026-W47-5.md", ""),
        ("Meeting 20261120 quay.md", "---\ncreated: 2026-11-25\n---\n"),
        ("2026-11-25.md", "---\ndate: 2026-11-20\n---\n"),
        ("2026-11-20 quay.md", "---\ncreated: 2026-11-25\ncategory: harbour\n---\n"),
    ],
)
def test_a_note_has_the_day_of_its_head_its_name_or_its_folders(
    vault: Path, name: str, head: str
) -> None:
    _write(vault, name, f"{head}The quay.\n")
    document = _indexed(vault)[name]
    assert document.valid_from == datetime(2026, 11, 20, tzinfo=UTC)
    assert MADE_THEN not in document.metadata


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Quay repairs 0123456789abcdef0123456789abcdef.md", "Quay repairs"),
        ("projects%2Fquay.md", "projects quay"),
        ("projects___quay.md", "projects quay"),
        ("Quay.textbundle/text.md", "Quay"),
        ("2026/11/20.md", ""),
        (unicodedata.normalize("NFD", "부두 2026년 11월 20일.md"), "부두"),
    ],
)
def test_a_name_is_what_a_person_called_the_note(vault: Path, name: str, title: str) -> None:
    _write(vault, name)
    (document,) = _indexed(vault).values()
    assert document.title == title
    assert (document.valid_from is not None) == ("20" in name)


def test_a_note_that_says_only_when_it_was_made_has_that_day_and_does_not_age(vault: Path) -> None:
    _write(vault, "e.md", "---\ncreated: 2026-11-18\n---\nThe jetty was painted.\n")
    document = _indexed(vault)["e.md"]
    assert document.valid_from == datetime(2026, 11, 18, tzinfo=UTC)
    assert document.metadata[MADE_THEN]


def test_each_day_of_a_diary_is_a_document_of_its_day_and_the_rest_is_the_file(vault: Path) -> None:
    days = "## 2026-11-20\nquay\n\n## 2026-11-18\njetty\n## Ideas\nmore\n## 2026-11-20\nagain\n"
    text = f"---\ntags: [sea]\n---\n# Diary\nintro\n{days}"
    file = _write(vault, "diary.md", text)
    found = _indexed(vault)
    assert {key: one.valid_from and str(one.valid_from.date()) for key, one in found.items()} == {
        "diary.md": None,
        "diary.md//2026-11-20": "2026-11-20",
        "diary.md//2026-11-18": "2026-11-18",
        "diary.md//2026-11-20.2": "2026-11-20",
    }
    lines = text.split("\n")
    for document in found.values():
        for passage in cut_note_passages(document, _CUT):
            shown = document.text[passage.start : passage.end].split("\n")
            in_file = lines[passage.start_line - 1 : passage.end_line]
            assert [line for line in shown if line] == [
                line for line in in_file if line and line in shown
            ]
            assert "(sea)" in passage.context
        assert document.provenance[0].source == str(file)
    held = "\n".join(document.text for document in found.values())
    assert all(held.count(line) == 1 for line in ("intro", "quay", "jetty", "more", "again"))


def test_a_note_of_one_day_is_one_document(vault: Path) -> None:
    _write(vault, "2026-11-20.md", "# 2026-11-20\nquay\n")
    assert list(_indexed(vault)) == ["2026-11-20.md"]


def test_an_edited_diary_is_the_same_as_a_fresh_one(vault: Path) -> None:
    file = _write(vault, "diary.md", "## 2026-11-20\nquay\n## 2026-11-18\njetty\n")
    store = MemoryStore()
    _sync(store, vault)
    known = roots.load_roots(store, _SCOPE)
    for text in (
        "## 2026-11-21\nnew\n## 2026-11-20\nquay\n",
        "no days any more\n",
        "## 2026-11-20\nquay\n",
    ):
        file.write_text(text)
        assert count_stale(store, _SCOPE, known, _CUT) == 1
        sync_changed(store, _SCOPE, known, _CUT, {file})
        assert _documents(store) == _indexed(vault)
        assert count_stale(store, _SCOPE, known, _CUT) == 0
    file.unlink()
    _write(vault, "other.md")
    sync_changed(store, _SCOPE, known, _CUT, {file, vault / "other.md"})
    assert list(_documents(store)) == ["other.md"]


def test_an_older_index_is_read_anew_from_its_own_texts(vault: Path) -> None:
    head = "aliases: [the quay]\ncreated: 2026-11-25\ncategory: harbour"
    _write(vault, "November 20th, 2026.md", f"---\n{head}\n---\nrepaired\n")
    store = MemoryStore()
    _sync(store, vault)
    (now,) = store.get(_SCOPE, list(store.hashes(_SCOPE)))
    old = Document(
        scope=_SCOPE,
        key=now.key,
        kind=now.kind,
        text=now.text,
        content_hash=now.content_hash,
        created_at=now.created_at,
        updated_at=now.updated_at,
        title="November 20th, 2026",
        metadata={"root": "vault", MADE_THEN: "yes"},
        provenance=now.provenance,
    )
    store.put([Entry(old, ())])
    store.write_note(_SCOPE, SHAPE_NOTE, "2:400:80")
    _sync(store, vault)
    assert store.get(_SCOPE, [now.key]) == [now]


@pytest.mark.parametrize(
    "name",
    [
        "plan (conflicted copy 2026-11-20 101010).md",
        "plan (Rui's conflicted copy 2026-11-20).md",
        "plan.sync-conflict-20261120-101010-ABCDEFG.md",
        "plan (Kim의 충돌하는 복사본 2026-11-20).md",
        "plan (SFConflict rui@x.org 2026-11-20-10-10-10).md",
        "plan (Conflicted copy laptop 202611201010).md",
    ],
)
def test_a_copy_of_a_sync_program_is_left_out_and_named_while_its_original_is_there(
    vault: Path, name: str
) -> None:
    original, copy = _write(vault, "plan.md"), _write(vault, name, "The quay was repaired twice.\n")
    store = MemoryStore()
    report = _sync(store, vault)
    assert [one.key for one in report.left_out] == [f"vault/{name}"]
    assert list(_documents(store)) == ["plan.md"]
    original.unlink()
    sync_changed(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT, {original})
    assert list(_documents(store)) == [copy.name]


@pytest.mark.parametrize(
    "name", ["plan (1).md", "plan 2.md", "plan copy.md", "plan - Copy.md", "plan 사본.md"]
)
def test_a_numbered_file_is_a_copy_only_where_it_is_equal(vault: Path, name: str) -> None:
    _write(vault, "plan.md")
    copy = _write(vault, name)
    assert list(_indexed(vault)) == ["plan.md"]
    copy.write_text("Another plan.\n")
    assert set(_indexed(vault)) == {"plan.md", name}


@pytest.mark.parametrize(
    "folder",
    [
        "logseq/bak/pages",
        ".trash",
        ".obsidian/plugins",
        ".stversions",
        "logseq/version-files",
        ".Trash-1000/files",
    ],
)
def test_what_programs_keep_for_themselves_is_left_out_and_counted(
    vault: Path, folder: str
) -> None:
    _write(vault, "plan.md")
    _write(vault, f"{folder}/a.md")
    _write(vault, f"{folder}/b.md")
    store = MemoryStore()
    (left_out,) = _sync(store, vault).left_out
    assert left_out.reason.startswith("2 files that ")
    assert list(_documents(store)) == ["plan.md"]
    sync_changed(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT, {vault / folder / "a.md"})
    assert list(_documents(store)) == ["plan.md"]


def test_a_folder_called_bak_is_a_folder_of_notes(vault: Path) -> None:
    _write(vault, "bak/plan.md")
    assert list(_indexed(vault)) == ["bak/plan.md"]


@pytest.mark.parametrize("how", ["empty", "missing"])
def test_a_folder_that_is_away_keeps_its_memory_until_it_is_said_to_be_gone(
    vault: Path, how: str
) -> None:
    other = vault.parent / "other"
    _write(other, "x.md")
    _write(vault, "plan.md")
    store = MemoryStore()
    sync_scope_roots(store, _SCOPE, roots.add_roots(store, _SCOPE, [vault, other]), _CUT)
    (vault / "plan.md").rename(vault.parent / "aside.md")
    if how == "missing":
        vault.rmdir()
    known = roots.load_roots(store, _SCOPE)
    report = sync_scope_roots(store, _SCOPE, known, _CUT)
    assert "its memory is kept" in report.failed[0].reason
    sync_changed(store, _SCOPE, known, _CUT, set())
    assert freshness.find_folder_changes(known[0], 0, store.hashes(_SCOPE)) is None
    assert count_stale(store, _SCOPE, known, _CUT) == 0
    assert set(store.hashes(_SCOPE)) == {"vault/plan.md", "other/x.md"}
    roots.retire_roots(store, _SCOPE, [vault])
    sync_scope_roots(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT)
    assert set(store.hashes(_SCOPE)) == {"other/x.md"}


def test_the_last_note_that_a_person_deletes_while_watched_is_gone(vault: Path) -> None:
    file = _write(vault, "plan.md")
    store = MemoryStore()
    _sync(store, vault)
    file.unlink()
    sync_changed(store, _SCOPE, roots.load_roots(store, _SCOPE), _CUT, {file})
    assert not store.hashes(_SCOPE)


def test_a_link_to_a_share_that_is_away_keeps_what_was_behind_it(vault: Path) -> None:
    _write(vault, "plan.md")
    _write(vault, ".mnt/quay/q.md")
    (vault / "quay").symlink_to(vault / ".mnt" / "quay")
    store = MemoryStore()
    _sync(store, vault)
    before = set(store.hashes(_SCOPE))
    (vault / ".mnt" / "quay").rename(vault.parent / "unmounted")
    report = _sync(store, vault)
    assert any(
        one.key == "vault/quay" and "a link to what is not there now" in one.reason
        for one in report.failed
    )
    assert {key for key in before if key.startswith("vault/quay")} <= set(store.hashes(_SCOPE))


def test_a_note_with_a_pasted_image_is_two_passages_at_most(vault: Path) -> None:
    _write(
        vault,
        "m.md",
        "The quay.\n\n![x](data:image/png;base64," + "QUJD" * 50_000 + ")\n\nThe jetty.\n",
    )
    document = _indexed(vault)["m.md"]
    (passage,) = cut_note_passages(document, _CUT)
    assert (passage.start_line, passage.end_line) == (1, 5)
    assert len(document.text) < 200


def test_an_invisible_character_in_a_word_is_out_of_the_text_and_lines_stay(vault: Path) -> None:
    _write(vault, "z.md", "first\n환\u200b불 절차, tari\u2060ff\nlast\n")
    assert _indexed(vault)["z.md"].text == "first\n환불 절차, tariff\nlast\n"
