"""What a store holds on a prompt, by words: how many of it, in which order, and how sure of
each.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.hook import question
from gieok.hook.matches import (
    Match,
    PromptMatches,
    _build_keyword_evidence,
    _MatchedRow,
    _select_searched_tokens,
    find_matches,
    find_record_category,
    read_provenance_source,
    shown_path,
)
from gieok.model.memory import Document, Entry, Passage, Provenance, Scope
from gieok.settings.hook import HookSettings
from gieok.storage.index.sqlite.index_reader import IndexReader, Late
from gieok.storage.index.sqlite.store import SqliteStore

_MAIN = "agent:main"
_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
Find = Callable[..., PromptMatches]
_FILLER = (
    "The heron nests at the north pond.",
    "Lunch is kimchi stew.",
    "The boiler was fixed by Han.",
    "Rye bread rests for a day.",
    "The piano is tuned in spring.",
    "Bori the cat sleeps on the sill.",
    "The ferry leaves at nine.",
    "The attic needs a lamp.",
    "Kim runs quickly, the debugger is set.",
)


def _entry(
    key: str,
    *lines: str,
    age_days: float | None = None,
    title: str = "",
    kind: str = "memory",
    scope: str = _MAIN,
    source: str = "",
    **metadata: str,
) -> Entry:
    text = "\n".join(lines)
    at = _NOW - timedelta(days=age_days or 0.0)
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
    document = Document(
        scope=Scope(scope),
        key=key,
        kind=kind,
        text=text,
        content_hash=text,
        created_at=at,
        updated_at=at,
        title=title,
        valid_from=None if age_days is None or "category" in metadata else at,
        metadata=metadata,
        provenance=(Provenance(source),) if source else (),
    )
    passages = (
        Passage(start, start + len(line), n, n)
        for n, (start, line) in enumerate(zip(starts, lines, strict=True), 1)
    )
    return Entry(document, tuple(passages))


@pytest.fixture
def find(tmp_path: Path) -> Find:
    """Return what asks a store of these entries, beside others on other things, as a hook asks
    it.
    """

    def of(
        prompt: str,
        *entries: Entry,
        late_after: int = -1,
        scopes: tuple[str, ...] = (_MAIN,),
        **more: bool,
    ) -> PromptMatches:
        file = tmp_path / "memory.sqlite"
        store = SqliteStore(file)
        store.put([*(_entry(f"filler-{n}.md", text) for n, text in enumerate(_FILLER)), *entries])
        store.close()
        reader = IndexReader(str(file))
        asked = question.build_prompt_questions(prompt)
        return find_matches(
            reader,
            list(scopes),
            asked,
            HookSettings({}),
            _NOW.timestamp(),
            str(tmp_path),
            Late,
            prompt=prompt,
            **more,
        )

    return of


def _levels(found: PromptMatches) -> dict[str, str]:
    return {match.key: match.level for match in found.found}


def _alone(found: PromptMatches, key: str) -> Match:
    (match,) = (match for match in found.found if match.key == key)
    return match


_LINTER = "Our linter is ruff, with the strict preset."


_SHORT = "Use ruff as linter."


@pytest.mark.parametrize(
    ("text", "prompt", "tags", "level"),
    [
        (_LINTER, "which strict linter preset do we run?", "", "high"),  # three words of it
        (_LINTER, "which linter preset?", "", "high"),  # two are enough
        (_LINTER, "which linter?", "", "high"),  # all of its words
        (_SHORT, "which linter did Kim choose?", "", None),  # one of two answers no question
        (
            _SHORT,
            "run the linter on everything",
            "",
            "medium",
        ),  # for a task it is shown, not surely
        (_SHORT, "remember the linter of Kim?", "", "medium"),  # nor where a memory is asked for
        (_SHORT, "which linter did Kim choose?", "linter", "medium"),  # nor where its tag is named
    ],
)
def test_a_level_is_by_the_words_that_are_shared(
    find: Find, text: str, prompt: str, tags: str, level: str | None
) -> None:
    found = find(prompt, _entry("linter.md", text, title="Lint", tags=tags))
    assert _levels(found).get("linter.md") == level


def test_what_asks_the_world_needs_a_lead(find: Find) -> None:
    note = _entry(
        "linter.md",
        (
            "Some say a linter is slow, a compiler and a debugger too, and an editor as well as a "
            "shell."
        ),
    )
    assert "linter.md" in _levels(find("is a linter slow beside a compiler?", note))
    assert "linter.md" not in _levels(
        find("what is a linter in Haskell or Prolog, beside a compiler?", note)
    )


def test_what_is_low_is_left_out_unless_it_is_asked_for(find: Find) -> None:
    note = _entry(
        "linter.md", "The attic, the linter and the boiler are on the list of Kim for the weekend."
    )
    prompt = "which linter formats imports and docstrings of modules?"
    assert "linter.md" not in _levels(find(prompt, note))
    assert _levels(find(prompt, note, with_low=True))["linter.md"] == "low"


def test_a_file_that_is_gone_is_no_memory(find: Find, tmp_path: Path) -> None:
    file = tmp_path / "linter.md"
    file.touch()
    found = _alone(
        find("which linter preset?", _entry("linter.md", _LINTER, source=str(file))), "linter.md"
    )
    assert found.entry.citation == "linter.md#L1"
    file.unlink()
    assert not find("which linter preset?").found


def test_dated_notes_and_summaries_fade_and_decisions_do_not(find: Find) -> None:
    odds: dict[str, float] = {}
    for name, fields in {
        "new": {"age_days": 0.0},
        "old": {"age_days": 400.0},
        "undated": {},
        "decision": {"age_days": 400.0, "category": "decision"},
        "summary": {"age_days": 400.0, "category": "session-summary"},
    }.items():
        odds[name] = _alone(
            find("which linter preset?", _entry("linter.md", _LINTER, **fields)), "linter.md"
        ).probability
    assert odds["new"] == odds["undated"] == odds["decision"]
    assert odds["old"] == odds["summary"] < odds["new"]


def test_a_dated_note_is_shown_with_its_day(find: Find) -> None:
    found = find("which linter preset?", _entry("linter.md", _LINTER, age_days=3.0))
    assert _alone(found, "linter.md").entry.day == "2026-11-18"


def test_a_turn_does_not_fade(find: Find) -> None:
    key, prompt = "sessions/codex/s#1", "which linter preset?"
    odds = [
        _alone(find(prompt, _entry(key, _LINTER, kind="turn", age_days=days)), key).probability
        for days in (0.0, 90.0, 400.0)
    ]
    assert odds[0] == odds[1] == odds[2]


def test_an_author_who_marks_a_line_lifts_it(find: Find) -> None:
    notes = [
        _entry(f"{name}.md", f"{_LINTER} <!-- importance: {mark} -->")
        for name, mark in (("a", 1), ("b", 9), ("c", 5))
    ]
    assert [match.key for match in find("which linter preset?", *notes).found] == [
        "b.md",
        "c.md",
        "a.md",
    ]


def test_of_a_long_note_the_best_passage_is_shown_and_every_turn_of_a_talk(find: Find) -> None:
    prompt = "which strict linter preset?"
    lines = ("The linter is new.", _LINTER, "The linter is quick.")
    note = find(prompt, _entry("linter.md", *lines))
    assert [(match.key, match.first_line) for match in note.found if match.key == "linter.md"] == [
        ("linter.md", 2)
    ]
    talk = find(
        prompt,
        _entry("sessions/codex/s#1", f"User: {_LINTER}", f"User: Yes, {_LINTER}", kind="turn"),
        with_low=True,
    )
    assert sorted(
        match.first_line for match in talk.found if match.key.startswith("sessions/")
    ) == [1, 2]


def test_twelve_documents_are_shown_at_most(find: Find) -> None:
    notes = [_entry(f"n{number:02}.md", f"{_LINTER} Shelf {number}.") for number in range(15)]
    found = find("which strict linter preset?", *notes, with_low=True)
    assert len(found.found) == 12
    assert found.passages == len(_FILLER) + 15


@pytest.mark.parametrize(("strange", "is_asked"), [(1, True), (5, True), (6, False), (9, False)])
def test_a_question_of_which_hardly_anything_occurs_is_not_asked(
    find: Find, strange: int, is_asked: bool
) -> None:
    """Even where it names a tag; a sixth of it, by rarity, is enough."""
    note = _entry("linter.md", _SHORT, title="Lint", tags="linter")
    prompt = "linter " + " ".join(
        ("kubernetes", "ingress", "sidecar", "quota", "volume", "mesh", "probe", "gateway", "etcd")[
            :strange
        ]
    )
    assert ("linter.md" in _levels(find(prompt, note))) is is_asked
    assert find(prompt, note, with_low=True).found


def test_scopes_are_searched_together_and_one_that_is_unknown_holds_nothing(find: Find) -> None:
    other = _entry("linter.md", _LINTER, scope="project:shop")
    found = find("which linter preset?", other, scopes=("agent:none", _MAIN, "project:shop"))
    assert found.passages == len(_FILLER) + 1
    assert _alone(found, "linter.md").entry.scope == "project:shop"
    assert find("which linter preset?", scopes=("agent:none",)).passages == 0


def test_what_was_found_before_it_was_too_late_is_given() -> None:
    class Slow:
        def scope(self, path: str) -> tuple[int, int, float] | None:
            raise Late

    found = find_matches(Slow(), [_MAIN], [{"linter": 1.0}], HookSettings({}), 0.0, "", Late)  # type: ignore[arg-type]
    assert (found.found, found.passages) == ([], 0)


@pytest.mark.parametrize(
    ("metadata", "key", "category"),
    [
        ({"category": "runbook"}, "memory/decision/a.md", "runbook"),
        ({}, "memory/decision/a.md", "decision"),
        ({}, "decision/a.md", "decision"),
        ({}, "decision/deep/a.md", ""),
        ({}, "a.md", ""),
        ({}, "memory/recipes/a.md", ""),
    ],
)
def test_a_category_is_said_by_a_record_or_by_its_folder(
    metadata: dict[str, str], key: str, category: str
) -> None:
    assert find_record_category(metadata, key) == category


def test_a_path_is_one_that_the_agent_can_open_from_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/users/kim")
    assert shown_path("/users/kim/shop/a.md", "/users/kim/shop") == "a.md"
    assert shown_path("/users/kim/shop/..a/b.md", "/users/kim/shop") == "..a/b.md"
    assert shown_path("/users/kim/blog/a.md", "/users/kim/shop") == "~/blog/a.md"
    assert shown_path("/users/kimberly/a.md", "/srv") == "/users/kimberly/a.md"
    assert shown_path("memory/a.md", "/srv") == "memory/a.md"
    monkeypatch.chdir("/")
    assert shown_path("srv/a.md", "/srv") == "srv/a.md"
    assert read_provenance_source(json.dumps([{"source": "/a.md"}, {"source": "/b.md"}])) == "/a.md"
    assert read_provenance_source("[]") == ""


def test_of_common_words_that_most_passages_hold_the_rare_ones_are_searched() -> None:
    holding = {"the": 5_000, "linter": 2, "port": 998, "log": 1}
    weights = dict.fromkeys(("the", "linter", "port", "nowhere"), 1.0)
    assert list(_select_searched_tokens(weights, holding)) == ["nowhere", "linter", "port", "the"]
    assert list(_select_searched_tokens(weights, holding | {"port": 999})) == [
        "nowhere",
        "linter",
        "port",
    ]
    assert list(_select_searched_tokens({"the": 1.0, "nowhere": 1.0}, {"the": 9_000})) == [
        "nowhere",
        "the",
    ], "else nothing is found"
    assert list(_select_searched_tokens({"b": 0.5, "a": 1.0}, {"a": 3, "b": 3})) == ["a", "b"]


def test_lines_beside_each_other_know_of_each_other_within_a_document() -> None:
    rows = {
        passage: _MatchedRow(
            document, f"{document}.md", "", f"line {passage}", 1, 1, 0, None, "{}", "[]", "memory"
        )
        for passage, document in ((1, 7), (2, 7), (3, 7), (4, 8), (6, 8))
    }
    scores = {1: 0.9, 2: 0.1, 3: 0.5, 4: 0.8, 6: 0.2}
    z = {passage: (score - 0.5) / 0.1**0.5 for passage, score in scores.items()}
    made = {one.id: one for one in _build_keyword_evidence(scores, rows)}
    assert {passage: one.keyword for passage, one in made.items()} == scores
    assert {passage: one.keyword_z for passage, one in made.items()} == pytest.approx(z)
    assert {passage: one.fused for passage, one in made.items()} == pytest.approx(z)
    near = {passage: one.near_keyword for passage, one in made.items()}
    assert near == pytest.approx({1: z[2], 2: z[1], 3: z[2], 4: 0.0, 6: 0.0})
    beside = {
        passage: (one.before.id if one.before else 0, one.after.id if one.after else 0)
        for passage, one in made.items()
    }
    assert beside == {1: (0, 2), 2: (1, 3), 3: (2, 0), 4: (0, 0), 6: (0, 0)}
