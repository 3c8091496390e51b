"""A home with the transcripts of six hosts, read by the program itself: no program's word stands
under the user's name.
"""

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gieok.surfaces.cli import main
from gieok.text.redact import user_rules

_DAY = "2026-11-20"
#: What programs write in these transcripts has the first word, what people write the second.
_PROGRAM, _PERSON = "zeppelin", "pelican"
_OPENCODE = """
CREATE TABLE session (id text PRIMARY KEY, directory text NOT NULL, parent_id text);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, data text NOT NULL);
CREATE TABLE event (aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL);
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL);
CREATE TRIGGER numbered AFTER INSERT ON event
BEGIN INSERT OR REPLACE INTO event_sequence VALUES (NEW.aggregate_id, NEW.seq); END;
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    user = tmp_path / "user"
    (user / "shop" / ".git").mkdir(parents=True)
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "QWEN_HOME",
        "QWEN_RUNTIME_DIR",
        "XDG_DATA_HOME",
        "OPENCLAW_STATE_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    for name, value in (
        ("HOME", str(user)),
        ("GIEOK_HOME", str(tmp_path / "home")),
        ("GIEOK_EMBEDDER", "none"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(user / "shop")
    yield user
    user_rules.use_own_rules(())


def _write(file: Path, *lines: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )


def _said(number: int) -> str:
    return f"We keep the {_PERSON} crate number {number} in Busan."


def _made(number: int) -> str:
    return f"I prefer the {_PROGRAM} crate number {number} in Berlin, always."


def _claude_code(user: Path) -> None:
    chats = user / ".claude" / "projects" / "-w-shop"

    def line(kind: str, number: int, content: object = None, **more: object) -> dict[str, object]:
        base = {"type": kind, "uuid": f"c-{number}", "sessionId": "c", "cwd": str(user / "shop")}
        at = {"timestamp": f"{_DAY}T01:{number:02}:00Z"}
        return {
            **base,
            **at,
            **({"message": {"role": kind, "content": content}} if content is not None else {}),
            **more,
        }

    notice = f"<task-notification>\n<summary>{_made(1)}</summary>\n</task-notification>"
    refused = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if "
        "it was a file edit). "
    )
    result = {"type": "tool_result", "tool_use_id": "t", "is_error": True}
    reason = {
        **result,
        "content": f"{refused}To tell you how to proceed, the user said:\n{_said(5)}",
    }
    answer = {"type": "tool_result", "tool_use_id": "a", "content": f'"Which?"="{_said(6)}"'}
    _write(
        chats / "c.jsonl",
        line(
            "user",
            0,
            f"<ide_opened_file>{_made(2)}</ide_opened_file>\n{_said(1)}",
            entrypoint="cli",
            promptSource="typed",
        ),
        line("assistant", 1, [{"type": "text", "text": "Noted."}]),
        line(
            "attachment",
            2,
            attachment={"type": "queued_command", "commandMode": "prompt", "prompt": _said(2)},
        ),
        line(
            "attachment",
            3,
            attachment={
                "type": "queued_command",
                "commandMode": "task-notification",
                "prompt": notice,
            },
        ),
        line("user", 4, notice, origin={"kind": "task-notification"}),
        line(
            "user", 5, f"<command-name>/plan</command-name><command-args>{_said(3)}</command-args>"
        ),
        line("user", 6, f"# The skill\n\n{_made(3)}", isMeta=True),
        line("user", 7, [reason], toolDenialKind="user-rejected"),
        line("user", 8, [answer], toolUseResult={"answers": {"Which?": _said(6)}}),
        line(
            "user",
            9,
            f"This session is being continued from a previous conversation. {_made(4)}",
            isCompactSummary=True,
        ),
        line(
            "user",
            10,
            f'<channel source="plugin:telegram:telegram" user="kim">{_said(4)}</channel>',
            isMeta=True,
            origin={"kind": "channel"},
        ),
        line(
            "user", 11, f"<teammate-message>{_made(5)}</teammate-message>", origin={"kind": "peer"}
        ),
    )
    script = line("user", 20, _made(6), entrypoint="sdk-cli", promptSource="sdk")
    _write(
        chats / "p.jsonl",
        {**script, "sessionId": "p"},
        {**line("assistant", 21, "Done."), "sessionId": "p", "entrypoint": "sdk-cli"},
    )
    observed = (
        f"Hello memory agent, you are continuing to observe the primary Claude session.\n{_made(7)}"
    )
    _write(
        chats.parent / "-o" / "o.jsonl",
        {**line("user", 1, observed), "sessionId": "o", "cwd": "/x/.claude-mem/observer-sessions"},
    )
    for number in range(5):
        again = (
            "Look through the queue of the warehouse and tell me what is in it: "
            f"{_made(10 + number)}"
        )
        _write(
            chats / f"m{number}.jsonl",
            {**line("user", number, again), "uuid": f"m{number}", "sessionId": f"m{number}"},
        )


def _codex(user: Path) -> None:
    folder = user / ".codex" / "sessions" / "2026" / "11" / "20"

    def item(text: str, second: int, role: str = "user") -> dict[str, object]:
        payload = {
            "type": "message",
            "role": role,
            "content": [{"type": "input_text", "text": text}],
        }
        return {
            "timestamp": f"{_DAY}T02:00:{second:02}Z",
            "type": "response_item",
            "payload": payload,
        }

    def meta(identity: str, **more: object) -> dict[str, object]:
        payload = {"id": identity, "cwd": str(user / "shop"), "source": "cli", **more}
        return {"timestamp": f"{_DAY}T02:00:00Z", "type": "session_meta", "payload": payload}

    context = (
        f"# Context from my IDE setup:\n\n## Active file: a.py\n\n{_made(20)}\n\n## My request "
        "for Codex:\n"
    )
    _write(
        folder / "rollout-a.jsonl",
        meta("a"),
        item(f"<environment_context>{_made(21)}</environment_context>", 1),
        item(f"{context}{_said(20)}", 2),
        item(f"# AGENTS.md instructions for shop\n{_made(22)}", 3),
        item(f"<skill>{_made(23)}</skill>", 4),
        item(_made(24), 5, "developer"),
    )
    _write(
        folder / "rollout-b.jsonl",
        meta("b", forked_from_id="a"),
        item(f"{context}{_said(20)}", 30),
        item(_said(21), 40),
    )
    _write(
        folder / "rollout-c.jsonl",
        meta("c", source="exec", originator="codex_exec"),
        item(_made(25), 2),
    )
    old = {"id": "d", "timestamp": f"{_DAY}T02:00:00Z", "instructions": _made(26)}
    _write(folder / "rollout-d.jsonl", old, item(_said(22), 3)["payload"])


def _gemini(user: Path) -> None:
    chats = user / ".gemini" / "tmp" / "shop" / "chats"
    (chats.parent).mkdir(parents=True)
    (chats.parent / ".project_root").write_text(str(user / "shop"))

    def turn(number: int, text: str, kind: str = "user") -> dict[str, object]:
        return {
            "id": str(number),
            "timestamp": f"{_DAY}T03:{number:02}:00Z",
            "type": kind,
            "content": [{"text": text}],
        }

    editor = f"Here is the user's editor context as a JSON object.\n```json\n{_made(30)}\n```"
    file = (
        f"{_said(31)} @a.md\n--- Content from referenced files ---\n{_made(31)}\n--- End of "
        "content ---"
    )
    head = {"sessionId": "g", "startTime": f"{_DAY}T03:00:00Z", "kind": "main"}
    lines = [
        turn(1, f"<session_context>\n{_made(32)}\n</session_context>"),
        turn(2, editor),
        turn(3, _said(30)),
        turn(4, file),
    ]
    _write(chats / "session-1.jsonl", head, *lines, turn(5, _made(33), "info"))
    whole = {
        "sessionId": "h",
        "projectHash": "x",
        "messages": [turn(6, _said(32)), turn(7, "Noted.", "gemini")],
    }
    _write(chats / "session-2025-08-20T03-00-h.json", whole)


def _qwen(user: Path) -> None:
    def line(number: int, text: str, provenance: str) -> dict[str, object]:
        base = {
            "uuid": f"w-{number}",
            "sessionId": "w",
            "type": "user",
            "cwd": str(user / "shop"),
            "provenance": provenance,
        }
        return {
            **base,
            "timestamp": f"{_DAY}T04:{number:02}:00Z",
            "message": {"role": "user", "parts": [{"text": text}]},
        }

    hook = f"<qwen:user-prompt-submit-context>\n{_made(40)}\n</qwen:user-prompt-submit-context>"
    _write(
        user / ".qwen" / "projects" / "-w-shop" / "chats" / "w.jsonl",
        line(1, f"{_said(40)}\n{hook}", "real_user"),
        line(2, _made(41), "cron"),
        line(3, _made(42), "notification"),
    )


def _opencode(user: Path) -> None:
    file = user / ".local" / "share" / "opencode" / "opencode.db"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(_OPENCODE)
        database.execute("INSERT INTO session VALUES ('s', ?, NULL)", (str(user / "shop"),))
        database.execute("INSERT INTO message VALUES ('u', 's', '{\"role\": \"user\"}')")
        info = {"sessionID": "s", "info": {"directory": str(user / "shop")}}
        events: list[tuple[str, dict[str, object]]] = [("session.created.1", info)]
        for number, (text, more) in enumerate(
            [(_said(50), {}), (_made(50), {"synthetic": True}), (_made(51), {"ignored": True})]
        ):
            part = {"id": f"p{number}", "messageID": "u", "type": "text", "text": text, **more}
            events.append(
                (
                    "message.part.updated.1",
                    {"sessionID": "s", "part": part, "time": 1795147200000 + number},
                )
            )
        for seq, (kind, data) in enumerate(events):
            database.execute(
                "INSERT INTO event VALUES ('s', ?, ?, ?)", (seq, kind, json.dumps(data))
            )
        database.commit()


def _openclaw(user: Path) -> None:
    folder = user / ".openclaw" / "agents" / "main" / "sessions"

    def entry(number: int, text: str, **more: object) -> dict[str, object]:
        message = {"role": "user", "content": text, **more}
        return {
            "type": "message",
            "id": f"e{number}",
            "parentId": None,
            "timestamp": f"{_DAY}T05:{number:02}:00Z",
            "message": message,
        }

    envelope = f'Conversation info (untrusted metadata):\n```json\n{{"x": "{_made(61)}"}}\n```\n\n'
    reminder = (
        "A scheduled reminder has been triggered. The reminder content "
        f"is:\n\n{_made(60)}\n\nPlease relay this reminder"
    )
    media = (
        "[media attached: media/a.jpg (image/jpeg) | media/a.jpg]\nTo send an image back, prefer "
        "the message tool.\n"
    )
    _write(
        folder / "k.jsonl",
        {"type": "session", "version": 3, "id": "k", "timestamp": f"{_DAY}T05:00:00Z", "cwd": "/w"},
        entry(1, f"System: [2026-11-20 05:01 UTC] Cron fired\n\n{reminder}"),
        entry(2, f"{envelope}[Telegram Kim {_DAY} 05:02 KST] {_said(60)}"),
        entry(3, f"{media}{_said(61)}"),
        entry(4, _made(62), provenance={"kind": "inter_session"}),
        entry(5, f"[cron:7f job {_DAY} 05:05] {_made(63)}"),
        entry(6, f"[Subagent Context] {_made(64)}"),
        entry(7, f"[Queued messages while agent was busy]\n\n---\nQueued #1\n{_said(62)}"),
    )


_WANTED = {1, 2, 3, 4, 5, 6, 20, 21, 22, 30, 31, 32, 40, 50, 60, 61, 62}


def _listed(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["list", "--kind", "turn", "--limit", "0", "--everywhere", "--json"]) == 0
    return capsys.readouterr().out


def test_no_programs_word_stands_under_the_users_name(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for write in (_claude_code, _codex, _gemini, _qwen, _opencode, _openclaw):
        write(home)
    for _ in range(2):  # reading again adds nothing
        assert main(["observe", "run", "--once"]) == 0
    told = _listed(capsys)
    assert _PROGRAM not in told
    found = [number for number in _WANTED if f"number {number} in Busan" in told]
    assert found == sorted(_WANTED)
    payload = {
        "session_id": "z",
        "cwd": str(home / "shop"),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    hook = [sys.executable, "-m", "gieok", "hook", "session-start", "--agent", "claude-code"]
    start = subprocess.run(
        hook, input=json.dumps(payload).encode(), capture_output=True, check=True, cwd=home / "shop"
    ).stdout
    assert _PROGRAM.encode() not in start
    journal = home.parent / "home"
    kept = [
        file
        for file in journal.rglob("*")
        if file.is_file() and _PROGRAM.encode() in file.read_bytes()
    ]
    assert not kept or all(
        "journal" in file.name for file in kept
    )  # an opening that was taken back is in the journal


def test_each_thing_that_a_person_said_is_one_turn_with_the_day_on_which_it_was_said(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for write in (_claude_code, _codex, _gemini, _qwen, _opencode, _openclaw):
        write(home)
    assert main(["observe", "run", "--once"]) == 0
    told = _listed(capsys)
    for number in _WANTED:
        assert told.count(f"number {number} in Busan") == 1, number
    assert "1970" not in told
    capsys.readouterr()
    asked = [
        "search",
        "pelican crate number 2 Busan",
        "--source",
        "sessions",
        "--everywhere",
        "--json",
    ]
    assert main(asked) == 0
    first = json.loads(capsys.readouterr().out)["results"][0]
    assert f"User: {_said(2)}" in first["snippet"]
    assert first["date"] == _DAY


def test_an_old_session_of_gemini_is_its_projects_where_another_agent_has_named_the_folder(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = home / "shop"
    line = {
        "type": "user",
        "uuid": "1",
        "sessionId": "s",
        "cwd": str(shop),
        "timestamp": f"{_DAY}T01:00:00Z",
    }
    _write(
        home / ".claude/projects/-w/s.jsonl",
        {**line, "message": {"role": "user", "content": _said(1)}},
    )
    assert main(["observe", "run", "--once"]) == 0
    digest = hashlib.sha256(str(shop).encode()).hexdigest()
    turn = {"id": "1", "type": "user", "timestamp": "2025-08-20T03:00:00Z", "content": _said(2)}
    chats = home / ".gemini" / "tmp" / digest / "chats"
    _write(
        chats / "session-2025-08-20T03-00-h.json",
        {"sessionId": "h", "projectHash": digest, "messages": [turn]},
    )
    assert main(["observe", "run", "--once"]) == 0
    capsys.readouterr()
    assert main(["list", "--kind", "turn", "--limit", "0", "--json"]) == 0
    assert _said(2) in capsys.readouterr().out


def test_what_was_observed_of_a_programs_prompt_goes_with_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"type": "user", "cwd": str(home / "shop")}
    for number in range(6):
        text = (
            f"We decided to keep all the {_PROGRAM} crates of the warehouse in the north hall, "
            f"number {number}, from now on."
        )
        at = {"timestamp": f"{_DAY}T0{number}:00:00Z", "message": {"role": "user", "content": text}}
        name = {"uuid": f"m{number}", "sessionId": f"m{number}"}
        _write(home / f".claude/projects/-w/m{number}.jsonl", {**line, **name, **at})
        if number == 2:
            assert main(["observe", "run", "--once"]) == 0
            capsys.readouterr()
            main(["list", "--limit", "0", "--everywhere"])
            assert "observation" in capsys.readouterr().out
    assert main(["observe", "run", "--once"]) == 0
    capsys.readouterr()
    main(["list", "--limit", "0", "--everywhere"])
    assert _PROGRAM not in capsys.readouterr().out
    assert not any(
        _PROGRAM in file.read_text() for file in (home.parent / "home").glob("active_memory*.md")
    )


def test_talk_that_is_not_read_is_named_by_its_file_in_status_and_doctor(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _claude_code(home)
    strange = home / ".codex" / "sessions" / "2026" / "11" / "20" / "rollout-x.jsonl"
    _write(strange, {"hello": "world"}, {"what": "is this"})
    packed = home / ".codex" / "archived_sessions" / "rollout-y.jsonl.zst"
    packed.parent.mkdir()
    packed.write_bytes(b"\x28\xb5\x2f\xfd")
    main(["observe", "run", "--once"])
    for command in ("status", "doctor"):
        capsys.readouterr()
        main([command])
        out = capsys.readouterr().out
        assert str(strange) in out
        assert "not in the format of a known transcript" in out
        assert str(packed) in out
        assert "compressed sessions are not read" in out
