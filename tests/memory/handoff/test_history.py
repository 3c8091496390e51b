"""What a session goes on from: the turns that it copied, and no others."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gieok.memory.capture.copies import FORKS
from gieok.memory.handoff.history import SourceSession, read_session_history
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal

_AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
_OTHER, _OWN = Scope("project:other-1"), Scope("project:shop-1")


def _say(journal: SqliteJournal, scope: Scope, session: str, *texts: str) -> None:
    messages = [
        Message(
            f"{session}{number}",
            Role.ASSISTANT if number % 2 else Role.USER,
            text,
            _AT + timedelta(minutes=number),
            session,
            "codex",
        )
        for number, text in enumerate(texts)
    ]
    journal.say(scope, messages)


def test_a_fork_has_what_it_copied_also_where_its_parent_began_in_another_scope(
    tmp_path: Path,
) -> None:
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    _say(journal, _OTHER, "A", "a0", "a1")
    _say(journal, _OWN, "B", "b0", "b1", "never copied 2", "never copied 3")
    _say(journal, _OWN, "C", "c0", "c1")
    journal.keep(
        f"{FORKS}codex",
        {"B": json.dumps([str(_OTHER), "A", 0, 2]), "C": json.dumps([str(_OWN), "B", 0, 4])},
    )
    name = SourceSession(_OWN, "codex", "C")
    both, names = read_session_history(journal, name, {_OTHER, _OWN})
    assert [one.message.text for one in both] == ["a0", "a1", "b0", "b1", "c0", "c1"]
    assert [one.session for one in names] == ["A", "B", "C"]
    own, names = read_session_history(journal, name, {_OWN})
    assert [one.message.text for one in own] == ["b0", "b1", "c0", "c1"]
    assert [one.session for one in names] == ["B", "C"]
