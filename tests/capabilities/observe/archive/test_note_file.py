"""Notes of memories: properties that another reader takes, names that every system takes, nothing lost."""

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gieok.capabilities.observe.archive import note_file
from gieok.capabilities.observe.archive.note_file import BrokenNote, Links
from gieok.model.memory import Document, Provenance, Scope
from gieok.text import filenames

_AT = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
_SEOUL = ZoneInfo("Asia/Seoul")
_ODD = st.sampled_from(
    (
        "---\n",
        "\n---\n",
        "<!-- gieok {} -->\n",
        "-->",
        "%%",
        "한국어 기억 ",
        "🔴🧑‍💻",
        "\r\n",
        "a: b\n",
        "[[x]]",
        "\0",
        "\ud800",
    )
)
_TEXTS = st.lists(st.one_of(st.text(max_size=40), _ODD), max_size=8).map("".join)


def _document(text: str = "We use ruff.", **more: object) -> Document:
    fields: dict[str, object] = {
        "scope": Scope("agent:main"), "key": "observe:2026-03-04:abc", "kind": "observation", "text": text, "content_hash": "h",
        "created_at": _AT, "updated_at": _AT, "valid_from": _AT, "importance": 0.9,
        "metadata": {"priority": "high", "category": "decision"},
        "provenance": (Provenance("journal", message_ids=("m1", "m2")),),
    }  # fmt: skip
    return Document(**{**fields, **more})


def _properties(note: str) -> dict:
    head = note.split("\n---\n", 1)[0].removeprefix("---\n")
    return YAML(typ="safe").load(head)


def test_the_properties_are_what_obsidian_shows() -> None:
    found = _properties(note_file.written(_document(), _SEOUL, Links("Gieok/2026/05/01 uv", ("Gieok/2026/01/02 pip",))))
    assert found["type"] == "observation"
    assert (found["category"], found["priority"], found["status"]) == ("decision", "high", "current")
    assert f"{found['date']}" == "2026-03-04 18:30:00"
    assert found["tags"] == ["gieok", "decision"]
    assert found["replaced_by"] == "[[Gieok/2026/05/01 uv]]"
    assert found["replaces"] == ["[[Gieok/2026/01/02 pip]]"]
    assert not any(isinstance(value, dict) for value in found.values())
    assert len(found["gieok"]) == 8


@settings(max_examples=150, deadline=None)
@given(_TEXTS, _TEXTS, st.dictionaries(st.sampled_from(("priority", "category", "done", "who", "한")), _TEXTS))
def test_a_document_comes_back_as_it_was(text: str, title: str, metadata: dict[str, str]) -> None:
    document = _document(text, title=title, metadata=metadata, valid_to=_AT + timedelta(days=3))
    note = note_file.written(document, _SEOUL)
    found = note_file.read(note.encode().decode())
    assert found is not None
    assert found.document == document
    assert not found.is_edit(document)
    assert _properties(note)["type"] == "observation"
    again = note_file.read(note.replace("\n", "\r\n"))
    assert again is not None
    assert again.document == document


@settings(max_examples=200, deadline=None)
@given(_TEXTS)
def test_a_name_is_legal_everywhere(text: str) -> None:
    found = note_file.path(_document(text), _SEOUL, set())
    assert re.fullmatch(r"2026/03/04 .+\.md", found)
    name = found.rpartition("/")[2]
    assert not set('\\/:*?"<>|#^[]') & set(name)
    assert len(name.encode()) <= note_file.MOST_NAME_BYTES
    stem = name.removesuffix(".md")
    assert stem == stem.strip(" .")
    assert name == unicodedata.normalize("NFC", name)
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name)


@pytest.mark.parametrize("title", ["con", "AUX", "nul.txt", "COM1", "lpt9.md"])
def test_a_reserved_name_is_none_any_more(title: str) -> None:
    assert filenames.legal(title, 80).startswith("_")


def test_long_names_are_cut_between_words_and_letters() -> None:
    assert note_file.path(_document("word " * 60), _SEOUL, set()).endswith("word.md")
    assert len(note_file.path(_document("기억을" * 60), _SEOUL, set()).encode()) <= 128
    assert "\ufffd" not in filenames.legal("👩‍👩‍👧" * 30, 100)
    assert not filenames.legal("👩‍👩‍👧" * 30, 100).endswith("\u200d")


def test_names_that_one_file_system_takes_for_equal_are_kept_apart() -> None:
    taken: set[str] = set()
    for n, text in enumerate(("Café", "CAFÉ", unicodedata.normalize("NFD", "café"), "Straße", "STRASSE")):
        found = note_file.path(_document(text, key=f"observe:{n}"), _SEOUL, taken)
        assert filenames.same(found) not in taken
        taken.add(filenames.same(found))


def test_an_edit_of_the_text_or_a_property_is_seen() -> None:
    document = _document()
    note = note_file.written(document, _SEOUL)
    assert _read(note.replace("We use ruff.", "We use black.")).text == "We use black."
    assert _read(note.replace("We use ruff.", "We use black.")).is_edit(document)
    low = _read(note.replace("priority: high", "priority: low").replace("status: current", 'status: "done"'))
    assert low.is_edit(document)
    assert low.applied(document).metadata == {"priority": "low", "category": "decision", "done": "yes"}
    assert not _read(note.replace("priority: high", "priority: urgent")).is_edit(document)
    assert not _read(note.replace("We use ruff.\n", "We use ruff.  \n\n")).is_edit(document)


def _read(note: str) -> note_file.ReadNote:
    found = note_file.read(note)
    assert found is not None
    return found


def test_what_a_person_added_stays() -> None:
    note = note_file.written(_document(), _SEOUL)
    own = (
        note.replace("---\n\n", 'mood: "good"\nnested:\n  a: 1 # why\n---\n\n', 1)
        .replace("  - decision", "  - decision\n  - 팀/도구\n  - mine")
        + "\nMy own thoughts.\n---\nmore: of them\n<!-- gieok {} -->\n"
    )  # fmt: skip
    again = note_file.written(_document("We use uv."), _SEOUL, before=own)
    found = _properties(again)
    assert found["mood"] == "good"
    assert found["nested"] == {"a": 1}
    assert "a: 1 # why" in again
    assert found["tags"] == ["gieok", "decision", "팀/도구", "mine"]
    assert again.endswith("\nMy own thoughts.\n---\nmore: of them\n<!-- gieok {} -->\n")
    assert _read(again).document == _document("We use uv.")
    assert note_file.written(_document("We use uv."), _SEOUL, before=again) == again


def test_a_tag_that_a_person_took_off_stays_off() -> None:
    note = note_file.written(_document(), _SEOUL).replace("  - decision\n", "")
    again = note_file.written(_document("We use uv."), _SEOUL, before=note)
    assert _properties(again)["tags"] == ["gieok"]


@pytest.mark.parametrize(
    "tags", ["tags: [gieok, mine]", "tags: gieok", "tags:\n- gieok\n- mine", "tags: ['gieok', \"mine\"]", "tags:"]
)
def test_tags_are_read_however_they_are_written(tags: str) -> None:
    note = note_file.written(_document(), _SEOUL).replace("tags:\n  - gieok\n  - decision", tags)
    again = _properties(note_file.written(_document(), _SEOUL, before=note))["tags"] or []
    assert ("mine" in again) == ("mine" in tags)
    assert "decision" not in again


def test_a_note_without_its_comment_is_known_by_its_handle() -> None:
    note = note_file.written(_document(), _SEOUL)
    found = _read(re.sub("<!-- gieok .* -->\n", "", note))
    assert (found.handle, found.document, found.text) == (_read(note).handle, None, "We use ruff.")


def test_other_notes_are_none_of_gieoks() -> None:
    assert note_file.read("# Mine\n\n---\n") is None
    assert note_file.read("---\ntags: [x]\n---\nMine") is None
    assert note_file.read("") is None
    assert note_file.read("---\nno end") is None


def test_a_note_that_cannot_be_understood_is_named() -> None:
    note = note_file.written(_document(), _SEOUL)
    for broken in (note.replace("\n---\n", "\n", 1), note.replace('{"scope"', '{"scpe"'), note.replace("} -->", "")):
        with pytest.raises(BrokenNote):
            note_file.read(broken)


def test_copies_of_a_conflict_are_told_from_notes() -> None:
    for name in (
        "2026/03/04 x (Conflicted copy laptop 202603041200).md", "04 x (Kim's conflicted copy 2026-03-04).md",
        "04 x.sync-conflict-20260304-120000-ABCDEFG.md", "04 x (Gieok's version 2026-03-04).md",
    ):  # fmt: skip
        assert note_file.is_copy(name)
    assert not note_file.is_copy("2026/03/04 How we solve conflicts.md")
