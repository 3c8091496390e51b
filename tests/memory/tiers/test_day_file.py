"""A day's file reads as it was written, whatever its memories say, and shows what a person changed
in it.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers.day_file import DayForm
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
        _entries("Ship with SQLite", category=Category.DECISION)
        + _entries("서버는 셋이다\n모두 서울에")
    )
    lines = [line for line in text.split("\n") if "<!--" not in line]
    assert lines[:3] == ["---", "gieok: day", "day: 2026-08-02"]
    decision, state = (
        "## Decision\n\n- 🔴 ✅ 07:05 Ship with SQLite",
        "## State\n\n- 🔴 ✅ 07:05 서버는 셋이다\n  모두 서울에",
    )
    assert "\n".join(lines[9:]) == f"# 2026-08-02\n\n{decision}\n\n{state}\n"


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
