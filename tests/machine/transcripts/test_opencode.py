"""opencode's database, as version 1.18.33 wrote it: read through, followed, and taken back from."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from known_folders import KnownFolders
from tests.support.opencode_database import SCHEMA, lay_out_opencode

from gieok.agents.sources import ScopedTranscript
from gieok.errors import TranscriptUnreadable
from gieok.machine.transcripts.opencode import OpenCodeDatabase, open_transcripts
from gieok.memory.capture.capture import Capture, capture_database
from gieok.model.conversation import Role
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal

_RECORDED = Path(__file__).parents[2] / "agents" / "recorded" / "opencode.jsonl"
_SESSION = "ses_dfc483150ffev9oczdGixiYLz9"
_USER = "msg_203b7cfd2001KAXmv5TLzGBPbm"
_MAIN, _SHOP = Scope("agent:main"), Scope("project:shop")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return lay_out_opencode(tmp_path / "opencode.db")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(tmp_path / "journal.sqlite")) as journal:
        yield journal


def _capture(journal: SqliteJournal, file: Path) -> int:
    capture = Capture(journal, KnownFolders({"/home/u/shop": _SHOP}))
    added = capture_database(
        capture,
        ScopedTranscript(file, _MAIN, "opencode"),
        lambda agent, path: OpenCodeDatabase(path),
    )
    assert capture.captured.troubles == {}
    return added


def _add(file: Path, seq: int, kind: str, **data: object) -> None:
    with closing(sqlite3.connect(file)) as database:
        row = (_SESSION, seq, kind, json.dumps({"sessionID": _SESSION, **data}))
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?)", row)
        database.commit()


def _said(journal: SqliteJournal) -> list[tuple[Role, str]]:
    return [
        (row.message.role, row.message.text)
        for row in journal.read(_SHOP, 0, budget_tokens=1 << 30, limit=1 << 20)
    ]


def test_a_recorded_session_gives_what_was_said_in_the_scope_of_its_project(
    journal: SqliteJournal, file: Path
) -> None:
    assert _capture(journal, file) == 3
    said = _said(journal)
    assert [role for role, _ in said] == [Role.USER, Role.ASSISTANT, Role.ASSISTANT]
    assert said[0][1].startswith("배포는 언제 하기로 했지?")
    assert "memory-" not in str(said), (
        "neither what the plugin added nor what memory_search answered"
    )
    assert _capture(journal, file) == 0


def test_a_part_that_grows_is_one_message_and_a_removed_message_is_taken_back(
    journal: SqliteJournal, file: Path
) -> None:
    part = {"id": "prt_x", "sessionID": _SESSION, "messageID": _USER, "type": "text"}
    _add(file, 40, "message.part.updated.1", part={**part, "text": "린터는"}, time=1795357058773)
    _capture(journal, file)
    _add(
        file,
        41,
        "message.part.updated.1",
        part={**part, "text": "린터는 ruff야"},
        time=1795357058774,
    )
    _capture(journal, file)
    assert [text for _, text in _said(journal)][-1] == "린터는 ruff야"
    _add(file, 42, "message.removed.1", messageID=_USER)
    _capture(journal, file)
    assert [role for role, _ in _said(journal)] == [Role.ASSISTANT, Role.ASSISTANT]


_DENIED = [{"permission": "question", "pattern": "*", "action": "deny"}]
_OLD_SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, directory text NOT NULL, parent_id text, permission text);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
"""
_LOG = SCHEMA[SCHEMA.index("CREATE TABLE event ") :]
_AT = 1795147200000


class _Old:
    """A database whose sessions are older than its log of events, or that has no log."""

    def __init__(self, file: Path, *, has_log: bool = True) -> None:
        self.file, self.count = file, 0
        self.run(_OLD_SCHEMA + (_LOG if has_log else ""))

    def run(self, script: str) -> None:
        with closing(sqlite3.connect(self.file)) as database:
            database.executescript(script)

    def begin(self, session: str, parent: str | None = None, rules: object = None) -> None:
        with closing(sqlite3.connect(self.file)) as database:
            row = (session, "/home/u/shop", parent, json.dumps(rules) if rules else None)
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?)", row)
            database.commit()

    def say(self, session: str, role: str, **part: object) -> str:
        self.count += 1
        message, at = f"m{self.count}", _AT + self.count
        with closing(sqlite3.connect(self.file)) as database:
            data = json.dumps({"role": role})
            database.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (message, session, at, at, data)
            )
            told = (
                f"p{self.count}",
                message,
                session,
                at,
                at,
                json.dumps({"type": "text", **part}),
            )
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", told)
            database.commit()
        return f"p{self.count}"


@pytest.mark.parametrize("has_log", [True, False])
def test_a_session_that_is_older_than_the_log_is_read_from_its_parts(
    journal: SqliteJournal, tmp_path: Path, has_log: bool
) -> None:
    old = _Old(tmp_path / "opencode.db", has_log=has_log)
    old.begin("s")
    old.say("s", "user", text="The kiln stays below 900 degrees.")
    old.say("s", "user", text="Recalled: the kiln is blue.", synthetic=True)
    refused = (
        "The user rejected permission to use this specific tool call with the following feedback: "
        "ask Mina first"
    )
    old.say(
        "s",
        "assistant",
        type="tool",
        tool="bash",
        callID="c",
        state={"status": "error", "error": refused},
    )
    asked = {"questions": [{"question": "Which clay?"}]}
    state = {
        "status": "completed",
        "input": asked,
        "output": "x",
        "metadata": {"answers": [["White"]]},
    }
    grown = old.say(
        "s", "assistant", type="tool", tool="question", callID="d", state={"status": "running"}
    )
    assert _capture(journal, old.file) == 2 + 1  # the second with its tool
    told = json.dumps({"type": "tool", "tool": "question", "callID": "d", "state": state})
    old.run(f"UPDATE part SET data = '{told}', time_updated = {_AT + 60} WHERE id = '{grown}'")
    _capture(journal, old.file)
    said = [text for role, text in _said(journal) if role is Role.USER]
    assert said == ["The kiln stays below 900 degrees.", "ask Mina first", "White"]
    assert _capture(journal, old.file) == 0


def test_a_session_whose_log_begins_later_is_read_whole_and_once(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    old = _Old(tmp_path / "opencode.db")
    old.begin("s")
    old.say("s", "user", text="The kiln stays below 900 degrees.")
    old.say("s", "user", text="And it rests on Sundays.")
    part = json.dumps(
        {
            "sessionID": "s",
            "part": {
                "id": "p2",
                "messageID": "m2",
                "type": "text",
                "text": "And it rests on Sundays.",
            },
        }
    )
    old.run(f"INSERT INTO event VALUES ('s', 7, 'message.part.updated.1', '{part}')")
    _capture(journal, old.file)
    assert [text for _, text in _said(journal)] == [
        "The kiln stays below 900 degrees.",
        "And it rests on Sundays.",
    ]


def test_an_older_session_of_a_sub_agent_or_of_a_command_is_nobodys(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    old = _Old(tmp_path / "opencode.db")
    old.begin("s")
    old.begin("child", "s")
    old.begin("run", rules=_DENIED)
    old.say("child", "user", text="I prefer the blue kiln.")
    old.say("run", "user", text='"I prefer the red kiln."')
    old.say("run", "user", text="and this is piped into it")
    assert _capture(journal, old.file) == 0


def _store(storage: Path, name: str, **record: object) -> None:
    file = storage / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record), encoding="utf-8")


def test_a_file_each_message_is_read_whole_and_once_and_goes_on_in_the_database(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    storage = tmp_path / "storage"

    def begin(session: str, changed: int, **more: object) -> None:
        time = {"created": _AT, "updated": _AT + changed}
        _store(
            storage, f"session/p/{session}", id=session, directory="/home/u/shop", time=time, **more
        )

    def say(session: str, number: int, role: str, text: str, **more: object) -> None:
        message = {"id": f"m{number:04}", "role": role, "time": {"created": _AT + number}}
        _store(storage, f"message/{session}/m{number:04}", **message)
        part = {
            "id": f"p{number:04}",
            "messageID": f"m{number:04}",
            "type": "text",
            "text": text,
            **more,
        }
        _store(storage, f"part/m{number:04}/p{number:04}", **part)

    def read() -> list[str]:
        capture = Capture(journal, KnownFolders({"/home/u/shop": _SHOP}))
        capture_database(
            capture,
            ScopedTranscript(storage / "message", _MAIN, "opencode"),
            lambda agent, path: open_transcripts(path),
        )
        assert capture.captured.troubles == {}
        return [text for role, text in _said(journal) if role is Role.USER]

    begin("s", 1)
    wanted = [f"Crate {number} is red." for number in range(600)]
    for number, text in enumerate(wanted):
        say("s", number, "user", text)
    say("s", 700, "user", "Recalled: crates are blue.", synthetic=True)
    begin("child", 1, parentID="s")
    say("child", 800, "user", "I prefer blue crates.")
    _store(storage, "part/m0000/p9999")
    (storage / "part" / "m0000" / "torn.json").write_text("{")
    assert read() == wanted
    assert read() == wanted
    say("s", 701, "user", "And nothing on Sundays.")
    begin("s", 2)
    assert read() == [*wanted, "And nothing on Sundays."]
    old = _Old(tmp_path / "opencode.db")
    old.begin("s")
    old.run(
        "INSERT INTO message VALUES ('m0701', 's', 1, 1, '{\"role\": \"user\"}');"
        f"INSERT INTO part VALUES ('p0701', 'm0701', 's', {_AT}, {_AT}, "
        '\'{"type": "text", "text": "And nothing on Sundays."}\');'
    )
    _capture(journal, old.file)
    assert read() == [*wanted, "And nothing on Sundays."]


def test_what_a_command_began_is_a_scripts(journal: SqliteJournal, file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        rules = json.dumps(_DENIED)
        database.execute(
            "UPDATE event SET data = json_set(data, '$.info.permission', json(?)) WHERE seq = 0",
            (rules,),
        )
        database.commit()
    _capture(journal, file)
    assert Role.USER not in [role for role, _ in _said(journal)]


def test_a_sub_agents_session_is_passed_over(journal: SqliteJournal, file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute(
            "UPDATE event SET data = json_set(data, '$.info.parentID', 'ses_other') WHERE seq = 0"
        )
        database.commit()
    assert _capture(journal, file) == 0


def test_an_event_that_is_no_json_is_rejected_and_the_rest_is_read(
    journal: SqliteJournal, file: Path
) -> None:
    with closing(sqlite3.connect(file)) as database:
        row = (_SESSION, 50, "message.part.updated.1", '{"torn": ')
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?)", row)
        database.commit()
    assert _capture(journal, file) == 3
    assert len(journal.rejects(9)) == 1


def test_another_database_is_named_as_such(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        database.execute("CREATE TABLE event (id)")
    with pytest.raises(TranscriptUnreadable, match="no opencode database"):
        OpenCodeDatabase(tmp_path / "x.db")
