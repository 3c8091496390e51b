"""What ends together with a turn, and what is reversed where a change is taken back."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from tests.support.talk import AT, SHOP, build_block, build_key

from gieok.memory import observation
from gieok.memory.talk import turns
from gieok.memory.talk.cancelled_changes import TakenBack
from gieok.memory.talk.claims import shared_ends
from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink
from gieok.memory.talk.claims.compared_scope import Findings
from gieok.model.conversation import Cursor, Message, Role
from gieok.model.memory import CORRECTED, Document, Entry, Passage, Provenance, Scope
from gieok.places.scope import PROMOTED, USER_SCOPE
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore
from gieok.text.handles import line_check

_PORT, _REST = "The port is 1111.", "Reviews are done by Jun, on weekdays, in the small room."
_SAID = (f"{_PORT} {_REST}", "The lamp is on.", "The door is shut.")
_KEY = build_key("s")
_OBSERVED = f"{observation.PREFIX}1"


@pytest.fixture
def store(journal: SqliteJournal) -> MemoryStore:
    """Return a store of the turns that a journal holds."""
    messages = [
        Message(f"s/{n}", Role.USER, text, AT + timedelta(minutes=n), "s", "codex", 3, "/t")
        for n, text in enumerate(_SAID, 1)
    ]
    assert journal.append(SHOP, messages, Cursor("f", "/t", offset=1), None)
    store = MemoryStore()
    turns.update_all(journal, store)
    return store


def _build_observation(
    text: str, *message_ids: str, key: str = _OBSERVED, metadata: dict[str, str] | None = None
) -> Document:
    return Document(
        scope=SHOP,
        key=key,
        kind=observation.KIND,
        text=text,
        content_hash=text,
        created_at=AT,
        updated_at=AT,
        valid_from=AT,
        metadata=metadata or {},
        provenance=(Provenance("/t", message_ids=message_ids),),
    )


def _end(line: int, words: str, key: str = _KEY, at: int = 9) -> ClaimEnd:
    start = f"User: {_SAID[line - 1]}".index(words)
    return ClaimEnd(Claim(key, line, start, len(words), line_check(words), 5), None, at)


@pytest.mark.parametrize(
    ("document", "parts"),
    [
        (_build_observation(f"{_PORT} {_REST}", "s/1"), [_PORT]),
        (_build_observation("The port is 1111. (2026-03-01)", "s/1"), ["The port is 1111. (2026-03-01)"]),
        (_build_observation(_REST, "s/1"), []),
        (_build_observation(f"{_PORT}\nMore of it.", "s/1"), [_PORT]),
        (_build_observation("Light in the hall.", "s/2"), ["Light in the hall."]),
        (_build_observation(_PORT, "s/3"), []),
        (_build_observation(_PORT, "s/1", "s/2"), []),
        (_build_observation(_PORT), []),
        (_build_observation(_PORT, "gone"), []),
        (_build_observation(_PORT, "s/1", metadata={CORRECTED: "2026-03-02"}), []),
        (_build_observation(_PORT, "s/1", key="observe:known"), []),
    ],
    ids=[
        "part", "dated", "rest", "lines", "short turn", "stands", "two turns", "none", "gone",
        "corrected", "known",
    ],
)  # fmt: skip
def test_what_was_observed_of_a_turn_ends_with_it(
    store: MemoryStore, journal: SqliteJournal, document: Document, parts: Sequence[str]
) -> None:
    rows = [_end(1, _PORT), _end(2, _SAID[1], at=8)]
    rows.append(ClaimEnd(Claim("observe:known", 1, 0, 5, 0, 5), None, 9))
    found = shared_ends.share_with_observed(store, journal, SHOP, rows, [document])
    assert [document.text[one.old.start :][: one.old.length] for one in found] == parts
    for one in found:
        assert (one.old.key, one.old.line, one.old.at) == (document.key, 1, int(AT.timestamp()))
        assert one.at == (8 if document.message_ids == {"s/2"} else 9)
        assert one.old.check == line_check(parts[0])


def test_of_rows_without_turns_nothing_is_shared(
    store: MemoryStore, journal: SqliteJournal
) -> None:
    rows = [ClaimEnd(Claim("observe:known", 1, 0, 5, 0, 5), None, 9)]
    seen = [_build_observation(_PORT, "s/1")]
    assert shared_ends.share_with_observed(store, journal, SHOP, rows, seen) == []


@pytest.mark.parametrize(
    ("observed", "words", "turn", "parts"),
    [
        (
            "Write a note to Ana. Never send mail unread.",
            "Write a note to Ana.",
            "Write a note to Ana. Never send mail unread.",
            ["Write a note to Ana."],
        ),
        (
            "A note to Ana is due. (2026-03-02)",
            "Write a note to Ana.",
            "Write a note to Ana. Never send mail unread.",
            ["A note to Ana is due. (2026-03-02)"],
        ),
        (
            "Never send mail unread.",
            "Write a note to Ana.",
            "Write a note to Ana. Never send mail unread.",
            [],
        ),
        (
            "Never send mail. A note to Ana. Send a note to Ana.",
            "a note to Ana",
            "Write a note to Ana. Never send mail unread.",
            ["A note to Ana.", "Send a note to Ana."],
        ),
        ("A note. A note.", "a note", "a note, and never send mail", ["A note. A note."]),
        (
            "Bring it. Bring it. Call Ana.",
            "Bring it",
            "Bring it. Never mind.",
            ["Bring it.", "Bring it."],
        ),
        ("Wr\u200bite a note to Ana. Never mind.", "Write a note", "Write a note. Never mind.", []),
        ("Hm.", "x" * 67, "x" * 100, ["Hm."]),
        ("Hm.", "x" * 66, "x" * 100, []),
    ],
    ids=[
        "sentence",
        "all",
        "rest",
        "two",
        "each",
        "again",
        "other letters",
        "most of the turn",
        "less of it",
    ],
)
def test_of_what_was_observed_of_a_turn_the_sentences_of_its_ended_claim_end(
    observed: str, words: str, turn: str, parts: Sequence[str]
) -> None:
    found = shared_ends._find_claim_in(observed, words, turn)
    assert [observed[place : place + length] for place, length in found] == parts
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("text", "words", "has_most"),
    [
        ("port 1111", "port 1111 today now", True),
        ("port 1111", "port 1111 today now then", False),
        ("port 1111", "the new port 1111 x y z", True),
        ("port of it", "of x y z", True),
        ("the lamp", "port", False),
        ("the lamp", "x", False),
    ],
)
def test_half_of_a_claims_words_are_most_of_them(text: str, words: str, *, has_most: bool) -> None:
    assert shared_ends._has_most_words(text, words) is has_most


def _claim(key: str, line: int = 1, check: int = 0, at: int = 0) -> Claim:
    return Claim(key, line, 0, 5, check, at)


_OLD, _NEW = _claim("sessions/a#1", check=1, at=1), _claim("sessions/b#1", 2, check=2, at=2)
_UNDO = TakenBack("sessions/b#1", 3, "sessions/b#1", 2, 9)


def _link(old: Claim, new: Claim) -> ClaimLink:
    return ClaimLink(old, new, takes_back=True, at=4)


def _put_back(*links: ClaimLink, observed: frozenset[str] = frozenset()) -> set[ClaimLink]:
    return set(shared_ends.put_back(links, [(_UNDO, observed)]))


def test_what_was_replaced_replaces_the_change_that_was_taken_back() -> None:
    back = ClaimLink(_NEW, _OLD, takes_back=False, at=9)
    other = _link(_claim("x", check=3), _claim("y", check=4))
    beside = _link(_claim("x", check=3), _NEW._replace(line=1, check=5))
    assert _put_back(_link(_OLD, _NEW), other, beside) == {back, other, beside}


def test_with_a_change_its_observations_and_copies_are_reversed() -> None:
    seen, copy = _claim("observe:1", check=7), _NEW._replace(key="copy")
    old = _claim("observe:0", check=8, at=7)
    links = _link(old, seen), _link(_OLD, copy), _link(_OLD, _NEW)
    assert _put_back(*links, observed=frozenset({"observe:1"})) == {
        ClaimLink(new, _OLD, takes_back=False, at=9) for new in (seen, copy, _NEW)
    }, "a turn stands rather than an observation"
    assert links[0] in _put_back(*links)


def test_a_line_that_stated_two_changes_is_not_reversed() -> None:
    links = {_link(_OLD, _NEW), _link(_OLD, _NEW._replace(start=6))}
    assert _put_back(*links) == links


def _copy(key: str, scope: str) -> Entry:
    block = build_block(Scope(USER_SCOPE), key, "User: x", metadata={"scope": scope})
    return Entry(block.document, (Passage(0, 7, 1, 1),))


def test_what_ends_in_the_users_own_scope_ends_where_it_was_said() -> None:
    store = MemoryStore()
    store.put([_copy(f"sessions/{name}#1{PROMOTED}", str(SHOP)) for name in "abc"])
    copies = [ClaimEnd(_claim(f"sessions/{name}#1{PROMOTED}"), None, 3) for name in "abcd"]
    note = ClaimEnd(_claim("memory/x.md"), None, 3)
    known = [
        ClaimEnd(_claim("sessions/a#1")._replace(length=9), None, 2),
        ClaimEnd(_claim("sessions/b#1")._replace(start=3), None, 2),
        ClaimEnd(_claim("sessions/c#1", line=2), None, 2),
    ]
    ended = {
        USER_SCOPE: [(row, USER_SCOPE) for row in (*copies, note)],
        str(SHOP): [(row, str(SHOP)) for row in known],
    }
    shared_ends.end_where_said(store, ended)
    assert [(row.old.key, whose) for row, whose in ended[str(SHOP)][3:]] == [
        ("sessions/b#1", USER_SCOPE),
        ("sessions/c#1", USER_SCOPE),
    ]


def test_what_ends_in_a_project_ends_in_its_copy_in_the_users_own_scope() -> None:
    store = MemoryStore()
    store.put([_copy(f"sessions/{name}#1{PROMOTED}", str(SHOP)) for name in "ab"])
    by = _claim("sessions/z#1", at=8)
    rows = [ClaimEnd(_claim(f"sessions/{name}#1"), by, 8) for name in "abc"]
    known = ClaimEnd(_claim(f"sessions/a#1{PROMOTED}"), None, 3)
    ended = {str(SHOP): [(row, str(SHOP)) for row in rows], USER_SCOPE: [(known, USER_SCOPE)]}
    shared_ends.end_where_promoted(store, ended)
    copy = rows[1]._replace(old=rows[1].old._replace(key=f"sessions/b#1{PROMOTED}"))
    assert ended[USER_SCOPE] == [(known, USER_SCOPE), (copy, str(SHOP))]


def test_statements_that_were_taken_back_have_their_observations(
    store: MemoryStore, journal: SqliteJournal
) -> None:
    statement = TakenBack(_KEY, 3, _KEY, 2, 9)
    gone = TakenBack("gone#1", 3, "gone#1", 2, 9)
    found = {str(SHOP): Findings(taken_back=[statement, gone])}
    seen = [
        _build_observation("The lamp is on.", "s/2"),
        _build_observation("It is lit.", "s/2", key="observe:2"),
        _build_observation("The door is shut.", "s/3", key="observe:3"),
        _build_observation("Both.", "s/2", "s/3", key="observe:4"),
        _build_observation("The lamp is on.", "s/2", key="memory/x.md"),
    ]
    store.put([Entry(document, (Passage(0, len(document.text), 1, 1),)) for document in seen])
    taken_back = shared_ends.list_taken_back(store, journal, str(SHOP), found)
    assert taken_back == [(statement, {"observe:1", "observe:2"}), (gone, frozenset())]
    without = shared_ends.list_taken_back(store, None, str(SHOP), found)
    assert without == [(statement, frozenset()), (gone, frozenset())]
    of_user = shared_ends.list_taken_back(store, journal, USER_SCOPE, found)
    assert of_user[0] == (statement._replace(changed_key=_KEY + PROMOTED), frozenset())
    assert shared_ends.list_taken_back(store, journal, "x", {"x": Findings()}) == []
