"""Hermes's database: which messages are read, and which are not."""

import json
import sqlite3
from pathlib import Path

import pytest

from gieok.errors import TranscriptUnreadable
from gieok.machine.transcripts.hermes import HermesDatabase

_SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, cwd TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, active INTEGER DEFAULT 1,
  compacted INTEGER DEFAULT 0, api_content TEXT);
INSERT INTO sessions VALUES ('a', 'cli', NULL, '/home/u/shop'), ('b', 'cron', NULL, '/home/u');
"""
_LONG = "The depot opens at nine on every day but Sunday, when it is closed."


def _open(folder: Path, *rows: tuple[str, str, int, int]) -> HermesDatabase:
    file = folder / "state.db"
    connection = sqlite3.connect(file)
    connection.executescript(_SCHEMA)
    for session, content, active, compacted in rows:
        connection.execute(
            "INSERT INTO messages (session_id, role, content, timestamp, active, compacted, "
            "api_content) VALUES (?, 'user', ?, 1795781585.5, ?, ?, 'with memory')",
            (session, content, active, compacted),
        )
    connection.commit()
    connection.close()
    return HermesDatabase(file)


def _said(database: HermesDatabase, session: str = "a", after: int = -1) -> list[str]:
    rows = database.events(session, after, 99)
    return [json.loads(line)["message"]["content"] for _, line in rows]


def test_a_session_has_its_messages_with_where_it_ran(tmp_path: Path) -> None:
    database = _open(tmp_path, ("a", "one", 1, 0), ("b", "two", 1, 0), ("a", "three", 1, 0))
    assert [tuple(session) for session in database.sessions()] == [
        ("a", "cli", 3),
        ("b", "cron", 2),
    ]
    assert (_said(database), _said(database, "b"), _said(database, "a", 1)) == (
        ["one", "three"],
        ["two"],
        ["three"],
    )
    line = json.loads(database.events("a", -1, 1)[0][1])
    assert line["session"] == {"id": "a", "source": "cli", "cwd": "/home/u/shop", "parent": None}
    assert "with memory" not in str(line)


def test_what_a_person_took_back_is_not_read(tmp_path: Path) -> None:
    assert _said(_open(tmp_path, ("a", "no", 0, 0), ("a", "yes", 1, 0))) == ["yes"]


def test_what_was_compacted_is_read_once(tmp_path: Path) -> None:
    database = _open(
        tmp_path, ("a", _LONG, 0, 1), ("a", "ok", 0, 1), ("a", _LONG, 1, 0), ("a", "ok", 1, 0)
    )
    assert _said(database) == [_LONG, "ok", "ok"]


def test_a_value_that_no_json_holds_ends_no_session(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    _open(tmp_path, ("a", "one", 1, 0), ("a", "two", 1, 0), ("a", "three", 1, 0)).close()
    connection = sqlite3.connect(file)
    connection.execute("UPDATE messages SET content = x'00ff', tool_calls = x'5b5d' WHERE id = 2")
    connection.execute("UPDATE messages SET tool_calls = '[', tool_name = x'ff' WHERE id = 3")
    connection.commit()
    connection.close()
    assert _said(HermesDatabase(file)) == ["one", None, "three"]


def test_a_long_session_is_read_in_a_time_that_grows_with_its_length(tmp_path: Path) -> None:
    rows = [("a", f"{_LONG} {number % 4_000}", 0, 1) for number in range(8_000)]
    database = _open(tmp_path, *rows)
    steps = [0]

    def count() -> None:
        steps[0] += 1

    connection = sqlite3.connect(tmp_path / "state.db")
    connection.set_progress_handler(count, 1_000)
    said = connection.execute(database.EVENTS, ("a", -1, 9_999)).fetchall()
    assert len(said) == 4_000
    assert steps[0] < 5_000, "thousands of instructions of SQLite's"


def test_a_picture_that_was_compacted_is_read_once(tmp_path: Path) -> None:
    parts = "\0json:" + json.dumps([{"type": "text", "text": _LONG}])
    assert _said(_open(tmp_path, ("a", parts, 0, 1), ("a", parts, 1, 0))) == [parts]


def test_another_database_is_said_to_be_unknown(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "state.db").execute("CREATE TABLE messages (id INTEGER)")
    with pytest.raises(TranscriptUnreadable, match="Hermes"):
        HermesDatabase(tmp_path / "state.db")
