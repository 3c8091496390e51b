"""Notes of memories: properties that another reader takes, names that every system takes, nothing
lost.
"""

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gieok.memory.tiers import note_file
from gieok.memory.tiers.note_file import BrokenNote, NoteForm, NoteLinks
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import (
    CORRECTED,
    REPLACED_BY,
    RETIRED,
    Document,
    Entry,
    Passage,
    Provenance,
    Scope,
    Tier,
)
from gieok.text import filenames
from gieok.text.handles import build_handle

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
        "scope": Scope("agent:main"),
        "key": "observe:2026-03-04:abc",
        "kind": "observation",
        "text": text,
        "content_hash": "h",
        "created_at": _AT,
        "updated_at": _AT,
        "valid_from": _AT,
        "importance": 0.9,
        "metadata": {"priority": "high", "category": "decision"},
        "provenance": (Provenance("journal", message_ids=("m1", "m2")),),
    }
    return Document(**{**fields, **more})


def _entry(document: Document) -> Entry:
    return Entry(document, (Passage(0, len(document.text), 1, document.text.count("\n") + 1),))


def _written(document: Document, own: str = "", links: NoteLinks = note_file.NO_LINKS) -> str:
    form = NoteForm("Gieok", _SEOUL)
    form.links = {(document.scope, document.key): links}
    return form.render(
        document.scope, Tier.COLD, "x.md", Contents((Written(_entry(document)),), own)
    )


def _parsed(note: str) -> Contents:
    return NoteForm("Gieok", _SEOUL).parse(Scope("agent:main"), note)


def _rewritten(document: Document, note: str) -> str:
    return _written(document, _parsed(note).own)


def _path(document: Document) -> str:
    return NoteForm("", _SEOUL).path(document, date(2026, 3, 4))


def _properties(note: str) -> dict:
    head = note.split("\n---\n", 1)[0].removeprefix("---\n")
    return YAML(typ="safe").load(head)


def test_the_properties_are_what_obsidian_shows() -> None:
    found = _properties(
        _written(_document(), links=NoteLinks("Gieok/2026/05/01 uv", ("Gieok/2026/01/02 pip",)))
    )
    assert found["type"] == "observation"
    assert (found["category"], found["priority"], found["status"]) == ("decision", "high", "stands")
    assert f"{found['date']}" == "2026-03-04 18:30:00"
    assert found["tags"] == ["gieok", "decision", "2026-Q1"]
    assert found["replaced_by"] == "[[Gieok/2026/05/01 uv]]"
    assert found["replaces"] == ["[[Gieok/2026/01/02 pip]]"]
    assert not any(isinstance(value, dict) for value in found.values())
    assert len(found["gieok"]) == 8


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    _TEXTS,
    _TEXTS,
    st.dictionaries(st.sampled_from(("priority", "category", "done", "who", "한")), _TEXTS),
)
def test_a_document_comes_back_as_it_was(text: str, title: str, metadata: dict[str, str]) -> None:
    document = _document(text, title=title, metadata=metadata, valid_to=_AT + timedelta(days=3))
    note = _written(document)
    expected = Contents((Written(_entry(document)),), "")
    assert _parsed(note.encode().decode()) == expected
    assert _parsed(note.replace("\n", "\r\n")) == expected
    assert _properties(note)["type"] == "observation"


@settings(max_examples=100, derandomize=True, deadline=None)
@given(_TEXTS, _TEXTS)
def test_what_a_person_wrote_below_comes_back_as_it_was(text: str, below: str) -> None:
    document = _document(text or "x")
    first = _parsed(_written(document) + below)
    assert [one.entry for one in first.memories] == [_entry(document)]
    again = _parsed(_written(document, first.own))
    assert again == first
    alone = NoteForm("", _SEOUL).render(document.scope, Tier.COLD, "x.md", Contents((), first.own))
    assert _parsed(alone).own == first.own or not first.own


@settings(max_examples=100, derandomize=True, deadline=None)
@given(_TEXTS)
def test_a_name_is_legal_everywhere(text: str) -> None:
    found = _path(_document(text))
    assert re.fullmatch(r"2026/03/04 .+\.md", found)
    name = found.rpartition("/")[2]
    assert not set('\\/:*?"<>|#^[]') & set(name)
    assert len(name.encode()) <= note_file.MOST_NAME_BYTES
    stem = name.removesuffix(".md")
    assert stem == stem.strip(" .")
    assert name == unicodedata.normalize("NFC", name)
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name)


@pytest.mark.parametrize(
    ("structure", "path"),
    [
        ("year_month", "G/2026/03/04 We use ruff.md"),
        ("flat", "G/2026-03-04 We use ruff.md"),
        ("daily", "G/2026-03-04/2026-03-04 We use ruff.md"),
    ],
)
def test_folders_are_those_that_the_setting_names(structure: str, path: str) -> None:
    form = NoteForm("G", _SEOUL, structure)
    assert form.path(_document(), date(2026, 3, 4)) == path


@pytest.mark.parametrize("title", ["con", "AUX", "nul.txt", "COM1", "lpt9.md"])
def test_a_reserved_name_is_none_any_more(title: str) -> None:
    assert filenames.legal(title, 80).startswith("_")


def test_long_names_are_cut_between_words_and_letters() -> None:
    assert _path(_document("word " * 60)).endswith("word.md")
    assert len(_path(_document("기억을" * 60)).encode()) <= 128
    assert "\ufffd" not in filenames.legal("👩‍👩‍👧" * 30, 100)
    assert not filenames.legal("👩‍👩‍👧" * 30, 100).endswith("\u200d")


def test_names_that_one_file_system_takes_for_equal_are_kept_apart() -> None:
    form, taken = NoteForm("Gieok", _SEOUL), set[str]()
    form.is_taken = lambda path, _: path == "Gieok/2026/03/04 Mine.md"
    texts = ("Café", "CAFÉ", unicodedata.normalize("NFD", "café"), "Straße", "STRASSE", "Mine")
    for n, text in enumerate(texts):
        document = _document(text, key=f"observe:{n}")
        found = form.path(document, date(2026, 3, 4))
        assert form.path(document, date(2026, 3, 4)) == found
        assert filenames.fold_file_name(found) not in taken | {"gieok/2026/03/04 mine.md"}
        taken.add(filenames.fold_file_name(found))


def _only(note: str) -> Written:
    (found,) = _parsed(note).memories
    return found


def test_an_edit_of_the_text_or_a_property_is_seen() -> None:
    note = _written(_document())
    edited = _only(note.replace("We use ruff.", "We use black."))
    assert (edited.is_edited, edited.entry.document.text) == (True, "We use black.")
    low = _only(
        note.replace("priority: high", "priority: low").replace("status: stands", 'status: "done"')
    )
    assert low.is_edited
    assert low.entry.document.metadata == {"priority": "low", "category": "decision", "done": "yes"}
    assert not _only(note.replace("priority: high", "priority: urgent")).is_edited
    assert not _only(note.replace("We use ruff.\n", "We use ruff.  \n\n")).is_edited


@pytest.mark.parametrize(
    ("metadata", "has_end", "status"),
    [
        ({}, False, "stands"),
        ({}, True, "ends"),
        ({REPLACED_BY: "observe:2026-03-09:def"}, True, "replaced"),
        ({"done": "yes"}, False, "done"),
        ({CORRECTED: "2026-03-09"}, False, "corrected"),
        ({RETIRED: "2026-03-09"}, False, "retired"),
    ],
)
def test_a_note_says_what_is_known_of_its_memory_and_never_that_it_is_current(
    metadata: dict[str, str], has_end: bool, status: str
) -> None:
    end = _AT + timedelta(days=3) if has_end else None
    note = _written(_document(metadata=metadata, valid_to=end))
    found = _properties(note)
    assert (found["status"], "until" in found) == (status, has_end)
    assert "current" not in note


@pytest.mark.parametrize("status", ["current", "stands"])
def test_a_person_who_says_of_what_was_done_that_it_stands_is_heard_in_the_old_word_too(
    status: str,
) -> None:
    note = _written(_document(metadata={"done": "yes"}))
    found = _only(note.replace("status: done", f"status: {status}"))
    assert (found.is_edited, dict(found.entry.document.metadata)) == (True, {})


def test_an_old_note_that_says_current_reads_as_unedited() -> None:
    found = _only(_written(_document()).replace("status: stands", "status: current"))
    assert (found.is_edited, found.entry) == (False, _entry(_document()))


def test_what_a_person_added_stays() -> None:
    own = (
        _written(_document())
        .replace("---\n\n", 'mood: "good"\nnested:\n  a: 1 # why\n---\n\n', 1)
        .replace("  - decision", "  - decision\n  - 팀/도구\n  - mine")
        + "\nMy own thoughts.\n---\nmore: of them\n<!-- gieok {} -->\n"
    )
    again = _rewritten(_document("We use uv."), own)
    found = _properties(again)
    assert found["mood"] == "good"
    assert found["nested"] == {"a": 1}
    assert "a: 1 # why" in again
    assert found["tags"] == ["gieok", "decision", "2026-Q1", "팀/도구", "mine"]
    assert again.endswith("\nMy own thoughts.\n---\nmore: of them\n<!-- gieok {} -->\n")
    assert _only(again).entry.document == _document("We use uv.")
    assert _rewritten(_document("We use uv."), again) == again


@pytest.mark.parametrize(
    "tags",
    [
        "tags: [gieok, mine]",
        "tags: gieok",
        "tags:\n- gieok\n- mine",
        "tags: ['gieok', \"mine\"]",
        "tags:",
    ],
)
def test_tags_are_read_however_they_are_written(tags: str) -> None:
    note = _written(_document()).replace('tags:\n  - gieok\n  - decision\n  - "2026-Q1"', tags)
    again = _properties(_rewritten(_document(), note))["tags"]
    assert ("mine" in again) == ("mine" in tags)


@pytest.mark.parametrize(
    ("day", "quarter"),
    [("2025-12-31", "2025-Q4"), ("2026-03-31", "2026-Q1"), ("2026-04-01", "2026-Q2")],
)
def test_the_quarter_is_that_of_the_users_day(day: str, quarter: str) -> None:
    said = datetime.fromisoformat(f"{day}T08:00:00+09:00")
    note = _written(_document(valid_from=said))
    assert _properties(note)["tags"][-1] == quarter


def test_a_note_without_its_comment_is_known_by_its_handle() -> None:
    note = _written(_document())
    bare = re.sub("<!-- gieok .* -->\n", "", note)
    found = note_file.read_note(bare)
    assert found is not None
    assert (found.handle, found.entry, found.text) == (
        build_handle("agent:main", _document().key),
        None,
        "We use ruff.",
    )
    assert _parsed(NoteForm("", _SEOUL).restore_comment(bare, _entry(_document()))) == _parsed(note)
    with pytest.raises(BrokenNote):
        _parsed(bare)


def test_other_notes_are_none_of_gieoks() -> None:
    assert note_file.read_note("# Mine\n\n---\n") is None
    assert note_file.read_note("---\ntags: [x]\n---\nMine") is None
    assert note_file.read_note("") is None
    assert note_file.read_note("---\nno end") is None


def test_a_note_that_cannot_be_understood_is_named() -> None:
    note = _written(_document())
    for broken in (
        note.replace("\n---\n", "\n", 1),
        note.replace('{"scope"', '{"scpe"'),
        note.replace("} -->", ""),
        note.replace("We use ruff.", ""),
    ):
        with pytest.raises(BrokenNote):
            note_file.read_note(broken)


def test_copies_of_a_conflict_are_told_from_notes() -> None:
    for name in (
        "2026/03/04 x (Conflicted copy laptop 202603041200).md",
        "04 x (Kim's conflicted copy 2026-03-04).md",
        "04 x.sync-conflict-20260304-120000-ABCDEFG.md",
        "04 x (Gieok's version 2026-03-04).md",
    ):
        assert note_file.is_copy(name)
    assert not note_file.is_copy("2026/03/04 How we solve conflicts.md")
