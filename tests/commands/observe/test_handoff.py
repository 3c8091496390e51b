"""`gieok handoff` on a transcript of each host, as the host leaves it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.opencode_database import lay_out_opencode

from gieok import private
from gieok.commands.observe.handoff import HandoffResult, hand_session_over
from gieok.errors import BadRequest
from gieok.home.calls import open_call
from gieok.memory import catch_up
from gieok.memory.capture import tail
from gieok.surfaces.cli import main
from gieok.text.tokens import estimate_tokens

_ASKED = "Add a retry to the webhook sender."
_RULE = "Never push to main on Fridays."
_DECIDED = "We'll use Postgres for the queue, and keep retries at five."
_AT = "2026-11-20T10:0{}:00.000Z"
_RECORDED = Path(__file__).parents[2] / "agents" / "recorded"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder below the user's."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(project)
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }.items():
        monkeypatch.setenv(name, value)
    return project


def _write(file: Path, *lines: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _claude(user: Path, project: Path) -> None:
    base = {"sessionId": "0ece7224", "cwd": str(project), "isSidechain": False}
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make test"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "3 passed"}
    contents: list[tuple[str, Any]] = [
        ("user", _ASKED),
        ("assistant", [call]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": "Done."}]),
        ("user", f"{_RULE} {_DECIDED}"),
    ]
    rows = [
        {**base, "type": role, "uuid": f"u{n}", "timestamp": _AT.format(n)}
        | {"message": {"role": role, "content": content}}
        for n, (role, content) in enumerate(contents)
    ]
    _write(user / ".claude/projects/-shop/0ece7224.jsonl", *rows)


def _codex(user: Path, project: Path) -> None:
    def item(n: int, **payload: object) -> dict[str, Any]:
        return {"type": "response_item", "timestamp": _AT.format(n), "payload": payload}

    def said(n: int, role: str, kind: str, text: str) -> dict[str, Any]:
        return item(n, type="message", role=role, content=[{"type": kind, "text": text}])

    meta = {"id": "0ece7224", "cwd": str(project), "source": "cli", "originator": "codex_cli_rs"}
    arguments = json.dumps({"command": ["bash", "-lc", "make test"]})
    _write(
        user / ".codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-0ece7224.jsonl",
        {"type": "session_meta", "timestamp": _AT.format(0), "payload": meta},
        said(1, "user", "input_text", _ASKED),
        item(2, type="function_call", name="shell", call_id="c", arguments=arguments),
        item(3, type="function_call_output", call_id="c", output="Exit code: 0\n3 passed"),
        said(4, "assistant", "output_text", "Done."),
        said(5, "user", "input_text", f"{_RULE} {_DECIDED}"),
    )


def _gemini(user: Path, project: Path) -> None:
    call = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "make test"},
        "status": "success",
        "result": [{"functionResponse": {"response": {"output": "3 passed"}}}],
    }
    head = {"sessionId": "0ece7224", "projectHash": "h", "kind": "main"}
    _write(
        user / ".gemini/tmp/shop/chats/session-2026-11-20T10-00-0ece7224.jsonl",
        {**head, "startTime": _AT.format(0), "directories": [str(project)]},
        {"id": "1", "timestamp": _AT.format(1), "type": "user", "content": _ASKED},
        {
            "id": "2",
            "timestamp": _AT.format(2),
            "type": "gemini",
            "content": "Done.",
            "toolCalls": [call],
        },
        {"id": "3", "timestamp": _AT.format(3), "type": "user", "content": f"{_RULE} {_DECIDED}"},
    )
    (user / ".gemini/tmp/shop/.project_root").write_text(str(project))


def _qwen(user: Path, project: Path) -> None:
    base = {"sessionId": "0ece7224", "cwd": str(project), "version": "0.24.4"}
    function = {"id": "c", "name": "run_shell_command", "args": {"command": "make test"}}
    answer = {"id": "c", "name": "run_shell_command", "response": {"output": "3 passed"}}

    def line(n: int, kind: str, provenance: str, *parts: object) -> dict[str, Any]:
        role = "model" if kind == "assistant" else "user"
        return {
            **base,
            "uuid": f"q{n}",
            "timestamp": _AT.format(n),
            "type": kind,
            "provenance": provenance,
            "message": {"role": role, "parts": list(parts)},
        }

    _write(
        user / ".qwen/projects/-shop/chats/0ece7224.jsonl",
        line(1, "user", "real_user", {"text": _ASKED}),
        line(2, "assistant", "assistant_output", {"functionCall": function}),
        line(3, "tool_result", "tool_result", {"functionResponse": answer})
        | {"toolCallResult": {"status": "success"}},
        line(4, "assistant", "assistant_output", {"text": "Done."}),
        line(5, "user", "real_user", {"text": f"{_RULE} {_DECIDED}"}),
    )


def _openclaw(user: Path, project: Path) -> None:
    del project
    call = {"type": "toolCall", "id": "c", "name": "exec", "arguments": {"command": "make test"}}
    rows: list[tuple[dict[str, Any], int]] = [
        ({"role": "user", "content": _ASKED}, 1),
        ({"role": "assistant", "content": [call]}, 2),
        (
            {
                "role": "toolResult",
                "toolCallId": "c",
                "toolName": "exec",
                "content": [{"type": "text", "text": "3 passed"}],
            },
            3,
        ),
        ({"role": "user", "content": f"{_RULE} {_DECIDED}"}, 4),
    ]
    _write(
        user / ".openclaw/agents/main/sessions/0ece7224.jsonl",
        {"type": "session", "id": "0ece7224", "timestamp": _AT.format(0)},
        *(
            {"type": "message", "id": f"e{n}", "timestamp": _AT.format(n), "message": message}
            for message, n in rows
        ),
    )


_HOSTS = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini-cli": _gemini,
    "qwen-code": _qwen,
    "openclaw": _openclaw,
}


def _hand_over(**values: Any) -> HandoffResult:
    call = open_call({})
    result = hand_session_over(call, **values)
    call.home.store.close()
    return result


@pytest.mark.parametrize("host", _HOSTS)
def test_a_transcript_of_each_host_is_handed_over(host: str, folder: Path, tmp_path: Path) -> None:
    _HOSTS[host](tmp_path, folder)
    result = _hand_over(session="0ece7224")
    assert (result.agent, result.session) == (host, "0ece7224")
    assert [quote.text for quote in result.asked] == [_ASKED]
    assert [quote.text for quote in result.rules] == [_RULE]
    assert [quote.text for quote in result.decided] == [_DECIDED]
    assert [(run.command, run.worked) for run in result.commands] == [("make test", True)]
    assert Path(result.transcript).is_file()
    assert estimate_tokens(result.page) <= 1_200


@pytest.mark.parametrize("name", ["qwen_code.jsonl"])
def test_a_recorded_transcript_is_quoted_word_for_word(
    name: str, folder: Path, tmp_path: Path
) -> None:
    text = (_RECORDED / name).read_text(encoding="utf-8").replace("/home/u/shop", str(folder))
    file = tmp_path / ".qwen/projects/-shop/chats/recorded.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    result = _hand_over()
    quotes = (*result.asked, *result.rules, *result.decided, *result.told, *result.open)
    assert quotes
    for quote in quotes:
        assert json.dumps(quote.text[:20], ensure_ascii=False)[1:-1] in text
    assert "Memory was searched" not in result.page, "what Gieok added is not the session's"


def test_a_recorded_session_of_opencode_is_handed_over(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "data/opencode/opencode.db"
    file.parent.mkdir(parents=True)
    lay_out_opencode(file, str(folder))
    result = _hand_over(agent="opencode")
    assert result.asked[0].text.startswith("배포는 언제 하기로 했지?")
    assert (result.agent, result.session) == ("opencode", "ses_dfc483150ffev9oczdGixiYLz9")


def test_the_newest_session_of_the_project_is_meant_where_none_is_named(
    folder: Path, tmp_path: Path
) -> None:
    _claude(tmp_path, folder)
    _codex(tmp_path, tmp_path)  # the user's own, not the project's
    assert _hand_over().agent == "claude-code"


def test_an_unknown_and_an_unclear_id_are_refused_with_what_is_there(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadRequest, match="no session is known"):
        _hand_over()
    _claude(tmp_path, folder)
    with pytest.raises(BadRequest, match="no session 'zzz'"):
        _hand_over(session="zzz")
    _codex(tmp_path, folder)
    with pytest.raises(BadRequest, match="begins several sessions"):
        _hand_over(session="0ece")
    assert _hand_over(session="0ece", agent="codex").agent == "codex"
    with pytest.raises(BadRequest, match="budget is 0"):
        _hand_over(budget=0)


def test_the_page_is_written_to_a_private_file(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _claude(tmp_path, folder)
    assert main(["handoff", "--to", "handoff.md"]) == 0
    file = folder / "handoff.md"
    assert "→ " in capfd.readouterr().out
    assert _RULE in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0


def test_what_was_said_in_a_pause_is_not_handed_over(folder: Path, tmp_path: Path) -> None:
    _claude(tmp_path, folder)
    privacy = private.open_privacy(str(tmp_path / "home"), "", "")
    privacy.begin_session("claude-code", "0ece7224", 0.0)
    with pytest.raises(BadRequest, match="no session is known"):
        _hand_over()


def test_nothing_is_overwritten_by_the_page(folder: Path, tmp_path: Path) -> None:
    _claude(tmp_path, folder)
    (folder / "kept.md").write_text("mine")
    (folder / "link.md").symlink_to(folder / "kept.md")
    (folder / "open.md").symlink_to(folder / "nothing.md")
    os.mkfifo(folder / "pipe.md")
    for name in ("kept.md", "link.md", "open.md", "pipe.md"):
        with pytest.raises(BadRequest, match="is there already"):
            _hand_over(to=name)
    assert (folder / "kept.md").read_text() == "mine"
    assert not (folder / "nothing.md").exists()


def test_a_long_session_is_read_to_its_end(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "PORTION_BYTES", 2_000)
    monkeypatch.setattr(catch_up, "PORTION_BYTES", 2_000)
    _claude(tmp_path, folder)
    file = tmp_path / ".claude/projects/-shop/0ece7224.jsonl"
    base = {"sessionId": "0ece7224", "cwd": str(folder), "type": "user"}
    more = [
        {**base, "uuid": f"m{n}", "timestamp": f"2026-11-20T11:{n:02}:00.000Z"}
        | {"message": {"role": "user", "content": f"Look at part {n} of the queue " + "x" * 900}}
        for n in range(20)
    ]
    with file.open("a", encoding="utf-8") as out:
        out.write("".join(json.dumps(line) + "\n" for line in more))
    assert not _hand_over(transcript=str(file), within_ms=1).is_whole
    result = _hand_over()
    assert result.is_whole
    assert result.ended.isoformat().startswith("2026-11-20T11:19")


def test_a_named_transcript_is_read_alone(folder: Path, tmp_path: Path) -> None:
    _claude(tmp_path, folder)
    _codex(tmp_path, folder)
    own = tmp_path / ".claude/projects/-shop/0ece7224.jsonl"
    assert _hand_over(transcript=str(own)).is_whole
    with pytest.raises(BadRequest, match="no session is known"):
        _hand_over(transcript=str(own), agent="codex")


def test_a_forked_session_begins_with_what_it_goes_on_from(folder: Path, tmp_path: Path) -> None:
    _claude(tmp_path, folder)
    _hand_over()
    file = tmp_path / ".claude/projects/-shop/0ece7224.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    fork = [row | {"sessionId": "1fed7224", "uuid": f"f{n}"} for n, row in enumerate(rows)]
    later = "We decided to host the docs on Cloudflare Pages."
    fork += [
        fork[-1]
        | {"uuid": "f9", "timestamp": "2026-11-20T10:09:00.000Z"}
        | {"message": {"role": "user", "content": later}}
    ]
    _write(file.with_name("1fed7224.jsonl"), *fork)
    result = _hand_over(session="1fed7224")
    assert [quote.text for quote in result.rules] == [_RULE]
    assert [quote.text for quote in result.decided] == [_DECIDED, later]
    assert [(run.command, run.worked) for run in result.commands] == [("make test", True)]
    assert [quote.text for quote in _hand_over(session="0ece7224").decided] == [_DECIDED]
