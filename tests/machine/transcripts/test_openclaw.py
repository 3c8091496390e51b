import json
from pathlib import Path

import pytest

from gieok.errors import TranscriptUnreadable
from gieok.machine.transcripts.openclaw import OpenClawDatabase
from gieok.ports.transcripts import StoredSession

apsw = pytest.importorskip("apsw")
zstandard = pytest.importorskip("zstandard")

#: As in OpenClaw's schema, with a function that old versions of SQLite do not have.
_TABLES = """
CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, extra TEXT);
CREATE TABLE transcript_events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB,
    PRIMARY KEY (session_id, seq), CHECK (event_json IS NULL OR octet_length(event_json) > 0)
);
"""


def _write(file: Path, events: list[tuple[str, int, str | None, bytes | None]]) -> None:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(_TABLES)
    connection.execute(
        "INSERT INTO session_windows VALUES ('s1', 'agent:main:main', ''), ('s2', "
        "'agent:main:cron:1', '')"
    )
    connection.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, 0, ?)", events)
    connection.close()


def test_events_come_in_order_and_compressed_ones_are_read(tmp_path: Path) -> None:
    file, event = (
        tmp_path / "openclaw-agent.sqlite",
        json.dumps({"type": "message", "text": "기억" * 600}),
    )
    packed = zstandard.ZstdCompressor().compress(event.encode())
    _write(file, [("s1", 0, '{"n":0}', None), ("s1", 2, None, packed), ("s1", 1, '{"n":1}', None)])
    database = OpenClawDatabase(file)
    assert database.sessions() == [
        StoredSession("s1", "agent:main:main", 2),
        StoredSession("s2", "agent:main:cron:1", -1),
    ]
    assert database.events("s1", -1, 10) == [(0, '{"n":0}'), (1, '{"n":1}'), (2, event)]
    assert database.events("s1", 0, 1) == [(1, '{"n":1}')]
    database.close()


def test_a_database_that_is_being_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "openclaw-agent.sqlite"
    _write(file, [])
    writer = apsw.Connection(str(file))
    database = OpenClawDatabase(file)
    writer.execute("INSERT INTO transcript_events VALUES ('s1', 0, '{}', 0, NULL)")
    reopened = OpenClawDatabase(file)
    assert reopened.events("s1", -1, 10) == [(0, "{}")]
    for opened in (database, reopened, writer):
        opened.close()


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be one" * 40, b""])
def test_what_is_no_openclaw_database_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "openclaw-agent.sqlite"
    file.write_bytes(content)
    with pytest.raises(TranscriptUnreadable, match=r"openclaw-agent\.sqlite"):
        OpenClawDatabase(file)
