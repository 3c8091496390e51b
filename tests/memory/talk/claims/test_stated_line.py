"""Which lines state something, when they were made, and which say one thing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.support.talk import AT, SHOP, build_turns

from gieok.memory import observation
from gieok.memory.talk.claims import stated_line
from gieok.memory.talk.claims.stated_line import StatedLine
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import CORRECTED, MADE_THEN, Document
from gieok.text.handles import line_check

_AT_S = int(AT.timestamp())


def _note(
    key: str = "memory/a.md",
    day: datetime | None = AT,
    written_after: timedelta = timedelta(),
    metadata: Mapping[str, str] | None = None,
    kind: str = "memory",
) -> Document:
    return Document(
        scope=SHOP,
        key=key,
        kind=kind,
        text="x",
        content_hash="x",
        created_at=AT,
        updated_at=AT + written_after,
        valid_from=day,
        metadata=metadata or {},
    )


def _state(document: Document, text: str = "x", line: int = 1) -> StatedLine:
    (stated,) = stated_line.list_statements(document, line, text, b"")
    return stated


@pytest.mark.parametrize(
    ("words", "start", "length"),
    [
        ("The port is 1111.", 6, 17),
        ("Ana knows.", 24, 10),
        ("Nobody said so.", 6, 28),
    ],
)
def test_a_sentence_of_a_turn_is_a_claim_behind_its_label(
    words: str, start: int, length: int
) -> None:
    said = "User: The port is 1111. Ana knows."
    claim = _state(build_turns("s", 0, "x").document, said, 4).claim(words)
    assert (claim.start, claim.length) == (start, length)
    assert claim.check == line_check(said[start : start + length])
    assert (claim.line, claim.at) == (4, _AT_S)


def test_of_talk_only_what_a_user_says_is_a_claim() -> None:
    said = (
        "User: The port is 1111.",
        "Assistant: The port is 2222.",
        "User: [redacted: key] is the port.",
        "Assistant: [redacted: key] is the port.",
    )
    turn = build_turns("s", 0, "x").document
    assert [
        [one.text for one in stated_line.list_statements(turn, number, line, b"")]
        for number, line in enumerate(said, 1)
    ] == [["The port is 1111."], [], [], []]


def test_the_lines_of_a_note_state_something_but_for_its_marks() -> None:
    text = "# Ports\n\n  The port is 1111.\n```\n---\nAna knows."
    found = stated_line.list_statements(_note(), 3, text, b"")
    assert [(one.line, one.offset, one.text) for one in found] == [
        (5, 2, "The port is 1111."),
        (8, 0, "Ana knows."),
    ]
    for kind in (observation.TASK_KIND, observation.PATTERN_KIND):
        assert stated_line.list_statements(_note(kind=kind), 1, text, b"") == []


_MADE = {MADE_THEN: "yes"}
_CORRECTED = {CORRECTED: (AT + timedelta(days=3)).isoformat()}
_NEXT_DAY = AT + timedelta(days=1)


@pytest.mark.parametrize(
    ("document", "is_dated", "said_at"),
    [
        (_note(), True, AT),
        (_note(written_after=timedelta(days=2)), True, AT),
        (_note(day=None, written_after=timedelta(days=2)), False, AT + timedelta(days=2)),
        (_note(metadata=_MADE, written_after=timedelta(minutes=1)), True, AT),
        (
            _note(metadata=_MADE, written_after=timedelta(seconds=61)),
            False,
            AT + timedelta(seconds=61),
        ),
        (_note(day=None, metadata=_MADE), False, AT),
        (build_turns("s", 0, "x").document, True, AT),
        (replace(build_turns("s", 0, "x").document, valid_from=None), True, AT),
        (_note(metadata=_CORRECTED), True, AT + timedelta(days=3)),
    ],
    ids=["day", "written on", "no day", "made", "made before", "never", "turn", "old", "corrected"],
)
def test_a_document_was_said_on_its_day_where_that_is_known(
    document: Document, *, is_dated: bool, said_at: datetime
) -> None:
    assert stated_line.is_dated(document) is is_dated
    assert stated_line.second_of(document) == int(said_at.timestamp())


@pytest.mark.parametrize(
    ("new", "old", "is_later"),
    [
        (_state(_note(day=_NEXT_DAY)), _state(_note("b")), True),
        (_state(_note()), _state(_note("b", day=_NEXT_DAY)), False),
        (_state(_note(day=None, written_after=timedelta(days=1))), _state(_note("b")), False),
        (_state(_note("b")), _state(_note("a")), True),
        (_state(_note("b", metadata=_MADE)), _state(_note("a", metadata=_MADE)), False),
        (_state(_note(metadata=_MADE), line=2), _state(_note(metadata=_MADE)), True),
        (_state(_note()), _state(_note()), False),
        (
            _state(_note("b", day=_NEXT_DAY, written_after=timedelta(days=1), metadata=_MADE)),
            _state(_note()),
            True,
        ),
    ],
    ids=["day", "before", "undated", "key", "one second", "line", "itself", "made"],
)
def test_a_statement_is_later_where_that_is_known(
    new: StatedLine, old: StatedLine, *, is_later: bool
) -> None:
    assert stated_line.is_known_later(new, old) is is_later


@pytest.mark.parametrize(
    ("text", "metadata", "is_protected"),
    [
        ("x", {}, False),
        (f"x{CORRECTED_MARK}2026-03-02)", {}, True),
        ("x", _CORRECTED, True),
    ],
)
def test_what_a_person_corrected_is_protected(
    text: str, metadata: Mapping[str, str], *, is_protected: bool
) -> None:
    assert stated_line.is_protected(_state(_note(metadata=metadata), text)) is is_protected


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [("we use ruff", "User: we use ruff", True), ("we use ruff", "we use Ruff", False)],
)
def test_a_statement_within_another_is_the_same_claim(
    one: str, other: str, *, is_same: bool
) -> None:
    assert stated_line.is_same_claim(one, other) is is_same
    assert stated_line.is_same_claim(other, one) is is_same


@pytest.mark.parametrize(
    ("new", "is_retold"),
    [
        ("It opens at six. (2026-03-01)", True),
        ("Which hour? – It opens – at six", True),
        ("When does it open? – at six!", True),
        ("at six – at seven", False),
        ("It opens at six, and closes", False),
    ],
)
def test_an_observation_says_again_what_its_turn_says(new: str, *, is_retold: bool) -> None:
    old = _state(_note(), "It opens at six")
    assert stated_line.is_retold(old, _state(_note("b"), new)) is is_retold


@pytest.mark.parametrize(
    ("said", "may_be_changed"),
    [("It opens at six.", True), ("Is it open?", False), ("Is it open? Ana has a key.", True)],
)
def test_a_turn_that_asks_and_says_nothing_is_never_changed(
    said: str, *, may_be_changed: bool
) -> None:
    turn = build_turns("s", 0, "x").document
    assert stated_line.may_be_changed(_state(turn, f"User: {said}")) is may_be_changed
    assert not stated_line.may_be_changed(_state(_note(), said)), "a note is no turn"


def test_the_blocks_of_a_conversation_are_of_one_session() -> None:
    turn = build_turns("s", 0, "x").document
    keys: Sequence[str] = ("sessions/codex/s#1", "sessions/codex/s#2")
    assert {stated_line.session_of(_state(replace(turn, key=key), "User: x")) for key in keys} == {
        "sessions/codex/s"
    }


def test_an_observation_is_not_ended_by_the_line_that_it_was_made_of() -> None:
    block = build_turns("s", 0, "x").document
    observed = _state(replace(_note("observe:a", kind=observation.KIND), valid_from=AT))
    first, second = (_state(block, "User: x", line) for line in (1, 2))
    assert first.at == observed.at
    assert not stated_line.is_known_later(first, observed)
    assert stated_line.is_known_later(second, observed)
