"""OpenClaw's transcripts as memory, as files and as a database: what is said is found and cited, deltas only."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from contexts import watching

from gieok.agents import formats
from gieok.app import open_context
from gieok.capabilities.files import sessions
from gieok.capabilities.files.cut import Cut
from gieok.engine import lifecycle
from gieok.errors import BadRequest, TranscriptUnreadable
from gieok.model.memory import Scope
from gieok.ops.memory.index import IndexRequest, run
from gieok.ports.journal import StoredSession
from gieok.surfaces.cli import main
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore

Lines = list[dict[str, Any]]
MAIN = Scope("agent:main")
_SMALL = Cut(64, 0)
_KEY = "sk-" + "ant-" + "a1B2" * 10


def _header(session: str) -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": session, "timestamp": "2026-11-20T09:00:00Z", "cwd": "/w"}


def _turn(number: int, role: str, text: str, **more: object) -> dict[str, Any]:
    at = f"2026-11-2{number // 10}T10:{number % 10:02}:00Z"
    content = [{"type": "text", "text": text}]
    return {"type": "message", "id": f"e{number}", "parentId": None, "timestamp": at,
            "message": {"role": role, "content": content, **more}}  # fmt: skip


def _talk(session: str) -> Lines:
    internal = {"provenance": {"kind": "inter_session", "sourceTool": "sessions_send"}}
    return [
        _header(session),
        _turn(1, "user", "공유기   비밀번호는\n어디에 적었지?"),
        _turn(2, "assistant", f"In the drawer. The key is {_KEY}."),
        _turn(3, "user", "System: [2026-11-20] Exec finished"),
        _turn(4, "assistant", "HEARTBEAT_OK"),
        _turn(5, "assistant", "NO_REPLY"),
        _turn(6, "user", "a word from another session: zebra", **internal),
        _turn(7, "user", '<memory-context query="x">\ninjected walrus\n</memory-context>\n서랍 열쇠는 민지가 갖고 있어.'),
        {"type": "message", "id": "t", "parentId": "e7", "timestamp": "2026-11-20T10:30:00Z",
         "message": {"role": "toolResult", "toolName": "read", "content": [{"type": "text", "text": "gnu"}]}},
    ]  # fmt: skip


_SAID = (
    "User: 공유기 비밀번호는 어디에 적었지?\n"
    "Assistant: In the drawer. The key is [redacted:anthropic-key].\n"
    "User: 서랍 열쇠는 민지가 갖고 있어."
)


def _write_files(state: Path, agent: str, talks: dict[str, Lines], keys: dict[str, str]) -> None:
    folder = state / "agents" / agent / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jsonl"):
        if old.stem not in talks:
            old.unlink()
    for session, lines in talks.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        if not (folder / f"{session}.jsonl").exists() or (folder / f"{session}.jsonl").read_text() != text:
            (folder / f"{session}.jsonl").write_text(text)
    (folder / "sessions.json").write_text(json.dumps({key: {"sessionId": session} for session, key in keys.items()}))


def _write_database(state: Path, agent: str, talks: dict[str, Lines], keys: dict[str, str]) -> None:
    folder = state / "agents" / agent / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "openclaw-agent.sqlite").unlink(missing_ok=True)
    database = apsw.Connection(str(folder / "openclaw-agent.sqlite"))
    database.execute(
        "CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL);"
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);"
    )
    for session, lines in talks.items():
        database.execute("INSERT INTO session_windows VALUES (?, ?)", (session, keys[session]))
        rows = [(session, number, json.dumps(line)) for number, line in enumerate(lines)]
        database.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, NULL)", rows)
    database.close()


Write = Callable[[str, dict[str, Lines], dict[str, str]], None]
_KEYS = {"s1": "agent:main:main", "s2": "agent:main:telegram:direct:1", "s3": "agent:main:cron:9"}


@pytest.fixture(params=[_write_files, _write_database], ids=["2026.7", "2026.8"])
def write(request: pytest.FixtureRequest, state: Path) -> Write:
    """Return what writes an agent's transcripts, in either form."""
    return lambda agent, talks, keys: request.param(state, agent, talks, keys)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return OpenClaw's state folder, empty."""
    folder = tmp_path / "openclaw"
    folder.mkdir()
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(folder))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


@pytest.fixture
def gieok(capfd: pytest.CaptureFixture[str], state: Path) -> Callable[..., tuple[int, Any]]:
    """Return a function that runs a command, and gives its status and JSON."""
    del state

    def run_it(*arguments: str) -> tuple[int, Any]:
        capfd.readouterr()
        status = main([*arguments, "--json"])
        return status, json.loads(capfd.readouterr().out)

    return run_it


Gieok = Callable[..., tuple[int, Any]]


def test_what_was_said_is_found_cited_and_read_and_nothing_else(write: Write, gieok: Gieok) -> None:
    cron = [_header("s3"), _turn(1, "user", "a scheduled okapi")]
    write("main", {"s1": _talk("s1"), "s3": cron}, _KEYS)
    assert gieok("index", "--sessions")[1]["added"] == 1
    found = gieok("search", "서랍 열쇠", "--source", "sessions")[1]["results"][0]
    assert (found["citation"], found["source"]) == ("sessions/main/s1.jsonl#L1-L3", "sessions")
    assert found["date"] == "2026-11-20"
    assert gieok("get", "sessions/main/s1.jsonl")[1]["text"] == _SAID
    assert gieok("get", found["citation"])[1]["text"] == _SAID
    assert gieok("get", "sessions/main/s1.jsonl:3")[1]["text"] == "User: 서랍 열쇠는 민지가 갖고 있어."
    assert gieok("search", "서랍 열쇠", "--source", "memory")[1]["results"] == []
    for word in ("zebra", "walrus", "gnu", "okapi", "Exec"):
        assert gieok("search", word)[1]["results"] == []


def test_only_what_changed_is_read_again_and_what_is_gone_is_forgotten(write: Write, gieok: Gieok) -> None:
    two = [_header("s2"), _turn(1, "user", "The launch is on Friday.")]
    write("main", {"s1": _talk("s1"), "s2": two}, _KEYS)
    assert gieok("index", "--sessions")[1]["added"] == 2
    write("main", {"s1": _talk("s1"), "s2": [*two, _turn(2, "assistant", "Friday it is: penguin.")]}, _KEYS)
    counts = gieok("index", "--sessions")[1]
    assert [counts[name] for name in ("added", "changed", "removed", "unchanged")] == [0, 1, 0, 1]
    assert gieok("search", "penguin")[1]["results"][0]["path"] == "sessions/main/s2.jsonl"
    write("main", {"s1": _talk("s1")}, _KEYS)
    assert gieok("index", "--sessions")[1]["removed"] == 1
    status, answer = gieok("get", "sessions/main/s2.jsonl:1")
    assert status == 2 or answer["status"] == "not_found"


def test_an_agents_scope_holds_its_own_talk_and_another_scope_that_of_all(write: Write, gieok: Gieok) -> None:
    keys = {"s1": "agent:main:main"}
    write("main", {"s1": [_header("s1"), _turn(1, "user", "the tulip of main")]}, keys)
    write("work", {"s1": [_header("s1"), _turn(1, "user", "the tulip of work")]}, keys)
    paths = {
        scope: {hit["path"] for hit in _search(gieok, scope)} for scope in ("agent:main", "agent:work", "user:kim")
    }
    assert paths["agent:main"] == {"sessions/main/s1.jsonl"}
    assert paths["agent:work"] == {"sessions/work/s1.jsonl"}
    assert paths["user:kim"] == {"sessions/main/s1.jsonl", "sessions/work/s1.jsonl"}


def _search(gieok: Gieok, scope: str) -> list[dict[str, Any]]:
    assert gieok("index", "--sessions", "--scope", scope)[0] == 0
    found: list[dict[str, Any]] = gieok("search", "tulip", "--scope", scope)[1]["results"]
    return found


def test_they_are_off_until_a_flag_or_the_setting_asks_for_them(
    state: Path, gieok: Gieok, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    Path("notes").mkdir()
    Path("notes", "a.md").write_text("the drawer is brown")
    assert gieok("index", "notes")[1]["added"] == 1
    monkeypatch.setenv("GIEOK_INDEX_SESSIONS", "true")
    assert gieok("index")[1]["added"] == 1
    monkeypatch.delenv("GIEOK_INDEX_SESSIONS")
    assert gieok("index")[1]["removed"] == 0  # not asked for, not forgotten
    paths = {hit["path"] for hit in gieok("search", "drawer")[1]["results"]}
    assert paths == {"a.md", "sessions/main/s1.jsonl"}
    assert gieok("index", "--remove", "--sessions")[1]["removed"] == 1
    assert {hit["path"] for hit in gieok("search", "drawer")[1]["results"]} == {"a.md"}


def test_the_setting_is_not_for_projects_and_needs_no_openclaw(
    state: Path, gieok: Gieok, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    monkeypatch.setenv("GIEOK_INDEX_SESSIONS", "true")
    Path(".gieok").mkdir()
    Path("a.md").write_text("a note")
    assert gieok("index", "a.md")[1]["added"] == 1
    Path(".gieok").rmdir()
    monkeypatch.setenv("OPENCLAW_STATE_DIR", "/nowhere/at/all")
    assert gieok("index", "a.md")[1]["added"] == 1
    status, answer = gieok("index", "--sessions")
    assert (status, answer["error"]["code"]) == (2, "bad_request")


def test_a_folder_called_sessions_gets_another_name(state: Path, gieok: Gieok) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    Path("sessions").mkdir()
    Path("sessions", "a.md").write_text("a hippo")
    assert gieok("index", "sessions", "--sessions")[1]["added"] == 2
    assert gieok("index", "--sessions")[1]["unchanged"] == 2
    assert gieok("search", "hippo")[1]["results"][0]["path"] == "a.md"


def test_resets_count_and_deleted_and_dreamt_ones_do_not(state: Path, gieok: Gieok) -> None:
    def said(session: str, word: str) -> str:
        return "".join(json.dumps(line) + "\n" for line in [_header(session), _turn(1, "user", f"cactus {word}")])

    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    (folder / "r.jsonl.reset.2026-11-20T10-00-00.000Z").write_text(said("r", "reset"))
    (folder / "d.jsonl.deleted.2026-11-20T10-00-00.000Z").write_text(said("d", "deleted"))
    (folder / "c.checkpoint.0.jsonl").write_text(said("c", "checkpoint"))
    dream = {"type": "custom", "customType": "openclaw:bootstrap-context:full", "id": "x", "parentId": None,
             "data": {"runId": "dreaming-narrative-light-1"}}  # fmt: skip
    (folder / "n.jsonl").write_text(json.dumps(dream) + "\n" + said("n", "dream"))
    assert gieok("index", "--sessions")[1]["added"] == 1
    (found,) = gieok("search", "cactus")[1]["results"]
    assert found["path"] == "sessions/main/r.jsonl.reset.2026-11-20T10-00-00.000Z"


def test_what_cannot_be_read_keeps_what_is_stored(state: Path, gieok: Gieok) -> None:
    _write_database(state, "main", {"s1": _talk("s1")}, _KEYS)
    assert gieok("index", "--sessions")[1]["added"] == 1
    (state / "agents" / "main" / "agent" / "openclaw-agent.sqlite").write_bytes(b"no database" * 200)
    answer = gieok("index", "--sessions")[1]
    assert (answer["removed"], [f["path"] for f in answer["failed"]]) == (0, ["sessions/main"])
    assert gieok("get", "sessions/main/s1.jsonl")[1]["text"] == _SAID


def test_a_migration_to_the_database_changes_no_path(state: Path, gieok: Gieok) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    assert gieok("index", "--sessions")[1]["added"] == 1
    _write_database(state, "main", {"s1": _talk("s1")}, _KEYS)
    answer = gieok("index", "--sessions")[1]
    assert [answer[name] for name in ("added", "changed", "removed")] == [0, 1, 0]


def _no_database(file: Path) -> Any:
    raise TranscriptUnreadable(str(file))


def _sync(store: MemoryStore, state: Path, cut: Cut = _SMALL) -> Any:
    return sessions.sync(store, MAIN, state, cut, _no_database)


def test_a_conversation_that_grew_keeps_the_vectors_of_what_was_said_before(state: Path) -> None:
    lines = [_header("s1"), *(_turn(n, "user", f"word{n} " * 20) for n in range(1, 10))]
    _write_files(state, "main", {"s1": lines}, {})
    store, embedder = MemoryStore(), HashEmbedder()
    _sync(store, state)
    first = lifecycle.fill_vectors(store, embedder)
    _write_files(state, "main", {"s1": [*lines, _turn(19, "assistant", "one line more")]}, {})
    assert _sync(store, state).changed == ["sessions/main/s1.jsonl"]
    again = lifecycle.fill_vectors(store, embedder)
    assert 0 < again <= 2 < first


def test_long_messages_go_on_in_more_lines_of_at_most_800_characters(state: Path) -> None:
    text = "가나다라 " * 300 + "x" * 2000 + f" {_KEY} " + "```\n# no heading\n"
    _write_files(state, "main", {"s1": [_header("s1"), _turn(1, "user", text)]}, {})
    store = MemoryStore()
    _sync(store, state)
    (document,) = store.get(MAIN, ["sessions/main/s1.jsonl"])
    lines = document.text.split("\n")
    assert all(line.startswith("User: ") and len(line) <= len("User: ") + 800 for line in lines)
    said = "".join(line.removeprefix("User: ") for line in lines)
    assert said.replace(" ", "") == text.replace(_KEY, "[redacted:anthropic-key]").replace("\n", "").replace(" ", "")


def test_a_line_that_is_longer_than_any_may_be_is_passed_over(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "LONGEST_LINE_BYTES", 2_000)
    talk = [_header("s1"), _turn(1, "user", "apple"), _turn(2, "user", "x" * 9_000), _turn(3, "user", "pear")]
    _write_files(state, "main", {"s1": talk}, {})
    store = MemoryStore()
    _sync(store, state)
    (document,) = store.get(MAIN, ["sessions/main/s1.jsonl"])
    assert document.text == "User: apple\nUser: pear"


def test_another_cut_cuts_conversations_again(state: Path) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, {})
    store = MemoryStore()
    assert _sync(store, state).added
    assert _sync(store, state, Cut(32, 0)).changed
    assert _sync(store, state, Cut(32, 0)).unchanged == 1


def test_an_unchanged_conversation_is_not_opened(state: Path) -> None:
    class Once:
        """A database whose events may be read once."""

        reads = 0

        def sessions(self) -> list[StoredSession]:
            return [StoredSession("s1", "agent:main:main", 1)]

        def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
            del session, limit
            self.reads += 1
            rows = [json.dumps(line) for line in (_header("s1"), _turn(1, "user", "once"))]
            return list(enumerate(rows))[after + 1 :]

        def close(self) -> None:
            pass

    (state / "agents" / "main" / "agent").mkdir(parents=True)
    (state / "agents" / "main" / "agent" / "openclaw-agent.sqlite").touch()
    store, database = MemoryStore(), Once()
    sessions.sync(store, MAIN, state, Cut(), lambda file: database)
    reads = database.reads
    report = sessions.sync(store, MAIN, state, Cut(), lambda file: database)
    assert (report.unchanged, database.reads) == (1, reads)


def test_while_watching_a_conversation_is_followed(state: Path) -> None:

    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    file = state / "agents" / "main" / "sessions" / "s1.jsonl"

    class Scripted:
        """Tells of one change."""

        def changes(self, folders: list[Path], debounce_ms: int, rescan_s: int) -> Any:
            del debounce_ms, rescan_s
            assert state / "agents" in folders
            with file.open("a") as opened:
                opened.write(json.dumps(_turn(9, "user", "a late flamingo")) + "\n")
            os.utime(file, ns=(1, 1))
            yield {file}

    context = watching(open_context({}), Scripted)
    result = run(context, IndexRequest(sessions=True, watch=True))
    assert result.report.changed == ["sessions/main/s1.jsonl"]


def test_a_folder_indexed_under_the_name_before_is_named(state: Path) -> None:
    store = MemoryStore()
    store.write_note(MAIN, "files.roots", json.dumps([{"name": "sessions", "path": "/n/sessions"}]))
    with pytest.raises(BadRequest, match="under the name"):
        _sync(store, state)
