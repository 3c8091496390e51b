"""A day's file reads as it was written, whatever its memories say, and shows what a person changed
in it.
"""

import json
import re
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.fields import to_entry_fields
from gieok.memory.tiers.shelf import Contents, Written
from gieok.model.memory import Entry, Passage, Tier
from gieok.testing.samples import HOME

_AT = datetime(2026, 8, 1, 22, 5, tzinfo=UTC)
_FORM = DayForm(timezone(timedelta(hours=9)))
_TEXTS = st.text(
    st.one_of(
        st.sampled_from(list('-# \n\r\t<>!{}"\\`*✅🔴:0123결 \u200b\u2028\x00\x85\ufeff')),
        st.characters(),
    ),
    min_size=1,
    max_size=40,
)


def _entries(*texts: str, category: Category = Category.STATE) -> list[Entry]:
    made = [
        Observation(text, _AT, Priority.HIGH, category, n % 2 == 0, (f"s/{n}",))
        for n, text in enumerate(texts)
    ]
    return observation.build_observed_entries(HOME, Observed(tuple(made)), _AT)


def _written(entries: list[Entry], own: str = "") -> str:
    return _FORM.render(
        HOME, Tier.WARM, "2026-08-02.md", Contents(tuple(map(Written, entries)), own)
    )


def _read(text: str) -> dict[str, Written]:
    return {one.entry.document.key: one for one in _FORM.parse(HOME, text).memories}


@settings(max_examples=150, derandomize=True, deadline=None)
@given(texts=st.lists(_TEXTS, min_size=1, max_size=4))
@example(["<!-- gieok {} -->"])
@example(['- a\n- b\n\n  <!-- gieok {"key": 1} -->\n# 2026-08-02\n## State'])
@example(["- x <!-- 0123abcd -->\n<!-- gieok\n-->\n- y <!-- 0123abcd -->", "\n\n", "a\n\n  b\n"])
@example(["10:30 meeting", "🔴 10:30 ✅ x", "\n", " a ", "\ud800"])
def test_whatever_a_memory_says_it_reads_the_same(texts: list[str]) -> None:
    entries = _entries(*texts)
    text = _written(entries, "what I noted\n\n- myself")
    for spelling in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        found = _FORM.parse(HOME, spelling)
        assert {one.entry.document.key: one for one in found.memories} == {
            e.document.key: Written(e) for e in entries
        }
        assert found.own == "what I noted\n\n- myself"
    assert _FORM.render(HOME, Tier.WARM, "2026-08-02.md", _FORM.parse(HOME, text)) == text


def test_it_reads_as_a_person_wants_it() -> None:
    text = _written(
        _entries("x", "Ship with SQLite", category=Category.DECISION)[1:]
        + _entries("There are three servers\nall in Seoul")
    )
    above, _, below = text.partition("\n<!-- gieok\n")
    lines = above.split("\n")
    assert lines[:3] == ["---", "gieok: day", "day: 2026-08-02"]
    handles = re.findall(r" <!-- [0-9a-f]{8} -->", above)
    assert len(handles) == 2
    assert [*map(len, handles)] == [18, 18], "no more than that stands behind a line"
    shown = re.sub(r" <!-- [0-9a-f]{8} -->", "", "\n".join(lines[9:]))
    assert shown == (
        "# 2026-08-02\n\n"
        "> 🗂 memories: 2 (🔴 2 🟡 0 🟢 0), 11 tokens, 07:05 to 07:05\n\n"
        "## Decisions\n\n- 🔴 07:05 Ship with SQLite\n\n"
        "## Completed\n\n- 🔴 ✅ 07:05 There are three servers\n  all in Seoul\n"
    )
    assert below.count("\n") == 3, "the fields of two memories, and the end of the block"


def test_a_korean_day_has_korean_headings_and_marks_what_was_replaced() -> None:
    (old,) = _entries("배포는 월요일에 한다", category=Category.DECISION)
    replaced = replace(
        old.document, valid_to=_AT, metadata={**old.document.metadata, "replaced_by": "x"}
    )
    text = _written([Entry(replaced, old.passages)])
    assert "> 🗂 기억 1개 (🔴 1 🟡 0 🟢 0)" in text
    assert "; ↪ 나중에 바뀐 것" in text
    assert "## 끝난 일\n\n- 🔴 ✅ ↪ 07:05 배포는 월요일에 한다 <!--" in text
    assert "Decision" not in text.partition("<!-- gieok")[0]


def test_a_file_of_an_earlier_release_is_read() -> None:
    (one,) = _entries("port is 8080")
    fields = to_entry_fields(one) | {"sum": zlib.crc32("- 🔴 ✅ 07:05 port is 8080".encode())}
    old = (
        "---\ngieok: day\nday: 2026-08-02\nmemories: 1\n---\n\n# 2026-08-02\n\n## State\n\n"
        f"- 🔴 ✅ 07:05 port is 8080\n  <!-- gieok {json.dumps(fields)} -->\nmine\n"
    )
    assert _read(old) == {one.document.key: Written(one)}
    assert _FORM.parse(HOME, old).own == "mine"


def test_what_stands_in_the_comment_comes_back_too() -> None:
    (plain,) = _entries("x\ny")
    document = replace(
        plain.document,
        title="--> title",
        valid_to=_AT,
        importance=0.0,
        metadata={"a": "-->", "b": "\n"},
    )
    odd = Entry(document, (Passage(0, 1, 1, 1, "heading"), Passage(2, 3, 2, 2)))
    assert _read(_written([odd])) == {document.key: Written(odd)}


def test_a_changed_text_is_an_edit_and_what_was_added_is_the_persons() -> None:
    one, other = _entries("port is 8080", "else")
    text = (
        _written([one, other])
        .replace("port is 8080", "port is 9090\n  since today")
        .replace("# 2026-08-02\n", "# 2026-08-02\nhm\n")
    )
    found = _read(text)
    edited = found[one.document.key]
    assert (edited.entry.document.text, edited.is_edited) == ("port is 9090\nsince today", True)
    assert found[other.document.key] == Written(other)
    assert _FORM.parse(HOME, text).own == "hm"


def test_a_memory_whose_comment_is_damaged_is_missing_and_its_words_stay() -> None:
    one, other = _entries("port is 8080", "else")
    text = _written([one, other]).replace('"sum"', '"some"', 1)
    found = _FORM.parse(HOME, text)
    (kept,) = (written.entry for written in found.memories)
    (lost,) = (entry for entry in (one, other) if entry != kept)
    assert lost.document.text in found.own


def test_a_changed_mark_changes_the_priority_and_whether_it_is_done() -> None:
    (one,) = _entries("port is 8080")
    (found,) = _read(_written([one]).replace("- 🔴 ✅ 07:05", "- 🟢 07:05")).values()
    assert found.is_edited
    assert found.entry.document.text == "port is 8080"
    assert dict(found.entry.document.metadata) == {"priority": "low", "category": "state"}


@pytest.mark.parametrize(
    "own",
    [
        "  indented",
        "a line <!-- 0123abcd -->",
        "- a bullet <!-- 0123abcd -->",
        "<!-- gieok",
        "  <!-- gieok {} -->",
        "## Tasks",
        "## Tasks\n\n- mine\n\n## Other",
        "# 2026-08-02",
        "> 🗂 memories: 1 (🔴 1 🟡 0 🟢 0), 1 tokens, 07:05 to 07:05",
        "<!-- gieok: what stands below this line is yours and stays -->",
    ],
)
def test_whatever_a_persons_own_lines_say_they_read_the_same(own: str) -> None:
    for entries in ([], _entries("port is 8080")):
        found = _FORM.parse(HOME, _written(entries, own))
        assert (found.own, [*map(Written, entries)]) == (own, [*found.memories])


def test_own_lines_that_hold_a_memorys_handle_stay_beside_it() -> None:
    (one,) = _entries("port is 8080")
    own = _bullet_line(_written([one]))
    found = _FORM.parse(HOME, _written([one], own))
    assert (found.own, found.memories) == (own, (Written(one),))


def _bullet_line(text: str) -> str:
    return next(line for line in text.split("\n") if line.startswith("- "))


def test_spaces_behind_the_lines_of_the_block_do_not_matter() -> None:
    (one,) = _entries("port is 8080")
    text = _written([one], "mine").replace("<!-- gieok\n", "<!-- gieok \n")
    found = _FORM.parse(HOME, text.replace("\n-->", "\n--> "))
    assert (found.own, found.memories) == ("mine", (Written(one),))


def test_a_file_without_its_block_is_damaged_rather_than_a_persons() -> None:
    text = _written(_entries("port is 8080")).partition("\n<!-- gieok\n")[0]
    with pytest.raises(ValueError, match="none of its comments"):
        _FORM.parse(HOME, text)


def test_lines_of_the_block_that_are_no_fields_are_the_persons() -> None:
    (one,) = _entries("port is 8080")
    text = _written([one])
    without_end = text.replace("\n-->\n", "\n\nbuy milk\n- 2 l\n")
    assert without_end != text
    inside = text.replace("\n-->\n", "\nbuy milk\n- 2 l\n-->\n")
    for changed in (without_end, inside):
        found = _FORM.parse(HOME, changed)
        assert (found.own, found.memories) == ("buy milk\n- 2 l", (Written(one),))


def test_a_persons_own_headings_and_quotes_stay() -> None:
    (one,) = _entries("port is 8080")
    text = _written([one])
    own = "> 🗂 my own quote\n\n## Tasks\n\n- mine"
    for changed in (
        text.replace("\n<!-- gieok\n", f"\n{own}\n\n<!-- gieok\n"),
        text.replace("# 2026-08-02\n", f"# 2026-08-02\n{own}\n"),
        text + own,
    ):
        found = _FORM.parse(HOME, changed)
        assert (found.own, found.memories) == (own, (Written(one),))


@pytest.mark.parametrize("indent", ["  ", "\t"])
def test_an_indented_line_directly_below_a_bullet_is_an_edit_of_it(indent: str) -> None:
    one, other = _entries("port is 8080", "else")
    line = _bullet_line(_written([one, other]))
    found = _FORM.parse(
        HOME, _written([one, other], "  mine").replace(line, f"{line}\n{indent}since today")
    )
    assert [memory.is_edited for memory in found.memories].count(True) == 1
    (edited,) = (memory for memory in found.memories if memory.is_edited)
    assert edited.entry.document.text.endswith("since today")
    assert found.own == "  mine"


def test_two_memories_of_a_day_with_one_handle_are_both_read() -> None:
    (first,) = _entries("port is 8080")
    entries = [
        Entry(replace(first.document, key=key, text=text), first.passages)
        for key, text in (("599430bd25", "port is 8080"), ("f7633dd321", "port is 9090"))
    ]
    text = _written(entries)
    assert text.count("<!-- a1bc62cf -->") == 2
    assert _read(text) == {entry.document.key: Written(entry) for entry in entries}
    edited = _read(text.replace("port is 9090", "port is 7070"))
    assert [(one.entry.document.text, one.is_edited) for one in edited.values()] == [
        ("port is 8080", False),
        ("port is 7070", True),
    ]
