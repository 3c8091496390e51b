"""What was said to agents as memory, by the commands a person uses: OpenClaw's transcripts as files
and as a database.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from gieok.surfaces.cli import main

Lines = list[dict[str, Any]]
_KEY = "sk-" + "ant-" + "a1B2" * 10


def _header(session: str) -> dict[str, Any]:
    return {
        "type": "session",
        "version": 3,
        "id": session,
        "timestamp": "2026-11-20T09:00:00Z",
        "cwd": "/w",
    }


def _turn(number: int, role: str, text: str, **more: object) -> dict[str, Any]:
    at = f"2026-11-2{number // 10}T10:{number % 10:02}:00Z"
    content = [{"type": "text", "text": text}]
    return {
        "type": "message",
        "id": f"e{number}",
        "parentId": None,
        "timestamp": at,
        "message": {"role": role, "content": content, **more},
    }


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
        _turn(
            7,
            "user",
            '<memory-context query="x">\ninjected walrus\n</memory-context>\n서랍 열쇠는 민지가 갖고 있어.',
        ),
        {
            "type": "message",
            "id": "t",
            "parentId": "e7",
            "timestamp": "2026-11-20T10:30:00Z",
            "message": {
                "role": "toolResult",
                "toolName": "read",
                "content": [{"type": "text", "text": "gnu"}],
            },
        },
    ]


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
        if (
            not (folder / f"{session}.jsonl").exists()
            or (folder / f"{session}.jsonl").read_text() != text
        ):
            (folder / f"{session}.jsonl").write_text(text)
    (folder / "sessions.json").write_text(
        json.dumps({key: {"sessionId": session} for session, key in keys.items()})
    )


def _write_database(state: Path, agent: str, talks: dict[str, Lines], keys: dict[str, str]) -> None:
    folder = state / "agents" / agent / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "openclaw-agent.sqlite").unlink(missing_ok=True)
    database = apsw.Connection(str(folder / "openclaw-agent.sqlite"))
    database.execute(
        "CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL);"
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, "
        "event_zstd BLOB);"
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
    assert gieok("index")[1]["turns"] == 1
    found = gieok("search", "서랍 열쇠", "--source", "sessions")[1]["results"][0]
    assert (found["citation"], found["source"]) == ("sessions/openclaw/s1#1#L3", "sessions")
    assert found["date"] == "2026-11-20"
    assert gieok("get", found["citation"])[1]["text"] == "User: 서랍 열쇠는 민지가 갖고 있어."
    assert gieok("get", "sessions/openclaw/s1#1")[1]["text"] == _SAID
    assert gieok("search", "서랍 열쇠", "--source", "memory")[1]["results"] == []
    for word in ("zebra", "walrus", "gnu", "okapi", "Exec"):
        assert gieok("search", word)[1]["results"] == []


def test_a_whole_conversation_is_read_by_the_path_that_openclaw_gives_it(
    write: Write, gieok: Gieok
) -> None:
    lines = [_header("s1"), *(_turn(n, "user", f"word{n}") for n in range(1, 20))]
    write("main", {"s1": lines}, _KEYS)
    assert gieok("index")[1]["turns"] == 2
    said = [f"User: word{n}" for n in range(1, 20)]
    for path in ("sessions/openclaw/s1", "sessions/main/s1.jsonl"):
        assert gieok("get", path)[1]["text"].split("\n") == said
    assert gieok("get", "sessions/main/s1.jsonl#L18-L19")[1]["text"].split("\n") == said[17:]
    assert gieok("get", "sessions/main/other.jsonl")[0] == 2


def test_what_is_added_is_found_and_a_deleted_transcript_is_still_memory(
    write: Write, gieok: Gieok
) -> None:
    two = [_header("s2"), _turn(1, "user", "The launch is on Friday.")]
    write("main", {"s1": _talk("s1"), "s2": two}, _KEYS)
    gieok("index")
    write(
        "main",
        {"s1": _talk("s1"), "s2": [*two, _turn(2, "assistant", "Friday it is: penguin.")]},
        _KEYS,
    )
    assert gieok("index")[1]["turns"] == 1
    assert gieok("search", "penguin")[1]["results"][0]["path"] == "sessions/openclaw/s2#1"
    write("main", {"s1": _talk("s1")}, _KEYS)
    gieok("index")
    assert gieok("search", "penguin")[1][
        "results"
    ]  # the journal keeps what was said; `gieok forget` takes it out


def test_an_agents_scope_holds_its_own_talk(write: Write, gieok: Gieok) -> None:
    keys = {"s1": "agent:main:main"}
    write("main", {"s1": [_header("s1"), _turn(1, "user", "the tulip of main")]}, keys)
    write("work", {"s1": [_header("s1"), _turn(1, "user", "the tulip of work")]}, keys)
    gieok("index")
    for scope in ("main", "work"):
        (found,) = gieok("search", "tulip", "--scope", f"agent:{scope}")[1]["results"]
        assert found["snippet"] == f"User: the tulip of {scope}"


def test_a_setting_turns_them_off_and_takes_out_what_is_there(
    state: Path, gieok: Gieok, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    Path("a.md").write_text("the drawer is brown")
    assert gieok("index", "a.md")[1]["added"] == 1
    counts = gieok("index")[1]
    assert (counts["messages"], counts["turns"]) == (4, 1)  # a tool's message is no turn
    status, answer = gieok("index", "--remove", "--sessions")
    assert (status, answer["error"]["hint"]) == (2, "set `index.sessions: false` first")
    monkeypatch.setenv("GIEOK_INDEX_SESSIONS", "false")
    assert gieok("index", "--sessions")[0] == 2
    gieok("index", "--remove", "--sessions")
    assert {hit["path"] for hit in gieok("search", "drawer")[1]["results"]} == {"a.md"}
    monkeypatch.delenv("GIEOK_INDEX_SESSIONS")
    assert gieok("index")[1]["turns"] == 1


def test_what_was_said_survives_a_rebuild_and_goes_when_it_is_forgotten(
    write: Write, gieok: Gieok
) -> None:
    write("main", {"s1": _talk("s1")}, _KEYS)
    gieok("index")
    assert gieok("rebuild")[1]["documents"] == 1
    assert gieok("get", "sessions/openclaw/s1#1")[1]["text"] == _SAID
    counts = gieok("forget", "--match", "서랍 열쇠", "--yes")[1]
    assert (counts["messages"], counts["documents"]) == (1, 0)
    assert gieok("get", "sessions/openclaw/s1#1")[1]["text"] == _SAID.rpartition("\n")[0]
    gieok("index")
    assert gieok("search", "열쇠는 민지가")[1]["results"] == []


def test_what_was_said_in_a_repository_is_found_there_and_not_in_another(
    state: Path, gieok: Gieok, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shop", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
    folder = tmp_path / "claude" / "projects" / "p"
    folder.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    row = {
        "type": "user",
        "sessionId": "c1",
        "cwd": str(tmp_path / "shop"),
        "uuid": "u1",
        "timestamp": "2026-11-20T09:00:00Z",
        "message": {"role": "user", "content": "the flamingo is pink"},
    }
    (folder / "c1.jsonl").write_text(json.dumps(row) + "\n")
    _write_files(state, "main", {"s1": [_header("s1"), _turn(1, "user", "a grey flamingo")]}, {})
    gieok("index")
    found = {}
    for name in ("shop", "other"):
        monkeypatch.chdir(tmp_path / name)
        found[name] = {hit["snippet"] for hit in gieok("search", "flamingo")[1]["results"]}
    assert found == {
        "shop": {"User: the flamingo is pink", "User: a grey flamingo"},
        "other": {"User: a grey flamingo"},
    }


def test_a_folder_called_sessions_gets_another_name(state: Path, gieok: Gieok) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    Path("sessions").mkdir()
    Path("sessions", "a.md").write_text("a hippo")
    assert gieok("index", "sessions", "--sessions")[1]["added"] == 1
    assert gieok("search", "hippo")[1]["results"][0]["path"] == "a.md"


def test_resets_count_and_dreamt_ones_do_not(state: Path, gieok: Gieok) -> None:
    def said(session: str, word: str) -> str:
        return "".join(
            json.dumps(line) + "\n"
            for line in [_header(session), _turn(1, "user", f"cactus {word}")]
        )

    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    (folder / "r.jsonl.reset.2026-11-20T10-00-00.000Z").write_text(said("r", "reset"))
    (folder / "c.checkpoint.0.jsonl").write_text(said("c", "checkpoint"))
    dream = {
        "type": "custom",
        "customType": "openclaw:bootstrap-context:full",
        "id": "x",
        "parentId": None,
        "data": {"runId": "dreaming-narrative-light-1"},
    }
    (folder / "n.jsonl").write_text(json.dumps(dream) + "\n" + said("n", "dream"))
    gieok("index")
    (found,) = gieok("search", "cactus")[1]["results"]
    assert found["path"] == "sessions/openclaw/r#1"


def test_what_cannot_be_read_keeps_what_is_stored(state: Path, gieok: Gieok) -> None:
    _write_database(state, "main", {"s1": _talk("s1")}, _KEYS)
    assert gieok("index")[1]["turns"] == 1
    (state / "agents" / "main" / "agent" / "openclaw-agent.sqlite").write_bytes(
        b"no database" * 200
    )
    answer = gieok("index")[1]
    assert [failed["path"].endswith("openclaw-agent.sqlite") for failed in answer["failed"]] == [
        True
    ]
    assert gieok("get", "sessions/main/s1.jsonl")[1]["text"] == _SAID


def test_status_says_how_many_turns_there_are_and_what_waits(state: Path, gieok: Gieok) -> None:
    _write_files(state, "main", {"s1": _talk("s1")}, _KEYS)
    gieok("index")
    turns = gieok("status")[1]["sidecar"]["turns"]
    assert (turns["kept"], turns["waiting"]) == (3, 0)
    assert turns["bytes_each"] > 100
