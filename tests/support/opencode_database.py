"""The database of opencode that was recorded, laid out as opencode keeps it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

_RECORDED = Path(__file__).parents[1] / "agents" / "recorded" / "opencode.jsonl"
SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, directory text NOT NULL, parent_id text);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, data text NOT NULL);
CREATE TABLE event (aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL);
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL);
CREATE TRIGGER numbered AFTER INSERT ON event
BEGIN INSERT OR REPLACE INTO event_sequence VALUES (NEW.aggregate_id, NEW.seq); END;
"""


def lay_out_opencode(file: Path, folder: str = "/home/u/shop") -> Path:
    """Write the recorded session as one that a person began in a folder; return the file."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript(SCHEMA)
        text = _RECORDED.read_text(encoding="utf-8").replace("/home/u/shop", folder)
        for line in text.splitlines():
            table, *values = json.loads(line)
            database.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)
        # It was recorded from `opencode run`, which is a script's; a session that a person begins
        # allows to be asked.
        database.execute(
            "UPDATE event SET data = json_remove(data, '$.info.permission') WHERE seq = 0"
        )
        database.commit()
    return file
