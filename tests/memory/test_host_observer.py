"""An agent's own command as the observer, from the transcript to the bill: nothing of its runs is
remembered.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok import registry
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.prompt.install import OBSERVERS
from gieok.commands.prompt.install import render_install as install_present
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import scope_memory
from gieok.places.home import OWN_RUN
from gieok.testing.clock import ManualClock
from gieok.testing.model_server import ModelServer, read_request_text

_NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
_NOTE = "<observations>\n* 🔴 (11:00) [decision] 출시는 금요일로 정했다 {1}\n</observations>"
#: Claude Code as an older release could be: it knows no switch, keeps a transcript, and runs our
#: hook.
_OLD_CLAUDE = """#!{python}
import json, os, pathlib, subprocess, sys
text = sys.stdin.read()
folder = pathlib.Path(os.environ["HOME"], ".claude", "projects", "-tmp-x")
folder.mkdir(parents=True, exist_ok=True)
said = {{"role": "user", "content": text}}
row = {{"type": "user", "message": said, "uuid": str(len(list(folder.iterdir()))), "cwd": "/tmp/x",
       "timestamp": "2026-11-22T11:30:00.000Z", "sessionId": "own"}}
with open(folder / "own.jsonl", "a") as out:
    out.write(json.dumps(row) + "\\n")
payload = {{"hook_event_name": "SessionEnd", "session_id": "own", "cwd": "/tmp/x"}}
payload["transcript_path"] = str(folder / "own.jsonl")
hook = [sys.executable, "-m", "gieok", "hook", "session-end"]
done = subprocess.run(hook, input=json.dumps(payload), text=True, capture_output=True)
(folder.parent.parent / "hooks").write_text(done.stdout + done.stderr)
usage = {{"input_tokens": 900, "output_tokens": 40}}
print(json.dumps({{"type": "result", "is_error": False, "result": {note!r}, "stop_reason": "end_turn", "usage": usage,
                  "total_cost_usd": 0.02}}))
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's folder with one session of Claude Code."""
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": tmp_path,
        "GIEOK_HOME": tmp_path / ".gieok",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "claude-code,codex",
        "GIEOK_OBSERVE_MODEL": "claude-code",
    }.items():
        monkeypatch.setenv(name, str(value))
    _say(tmp_path, "출시는 금요일로 하자", 0)
    return tmp_path


def _say(user: Path, text: str, minutes: int) -> None:
    folder = user / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True, exist_ok=True)
    (user / "work").mkdir(exist_ok=True)
    at = (datetime(2026, 11, 22, 11, tzinfo=UTC) + timedelta(minutes=minutes)).isoformat()
    row = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"u{minutes}",
        "cwd": str(user / "work"),
        "timestamp": at,
        "sessionId": "s1",
    }
    with (folder / "s1.jsonl").open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _context(clock: ManualClock) -> Call:
    return open_call(
        {}, clock=clock, zone=UTC, wait=lambda seconds: clock.advance(timedelta(seconds=seconds))
    )


def _run(call: Call) -> dict[str, object]:
    done: dict[str, object] = encode(load_command("observe run")(call, once=True))
    return done


@pytest.fixture
def old_claude(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.name == "nt":
        pytest.skip("a script is no command there")
    file = user / "bin" / "claude"
    file.parent.mkdir()
    file.write_text(_OLD_CLAUDE.format(python=sys.executable, note=_NOTE), encoding="utf-8")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(file.parent), prepend=os.pathsep)


@pytest.mark.usefixtures("old_claude")
def test_what_the_command_is_asked_is_never_remembered_even_where_it_keeps_a_transcript(
    user: Path,
) -> None:
    clock = ManualClock(_NOW)
    call = _context(clock)
    _run(call)
    held = scope_memory.load_scope_memory(call.home.store, call.scope)
    assert [o.text for o in held.observations] == ["출시는 금요일로 정했다"]
    assert (user / ".claude" / "projects" / "-tmp-x" / "own.jsonl").exists()
    assert (user / ".claude" / "hooks").read_text() == "", "our hook is silent there"
    assert not list((user / ".gieok" / "spool").glob("*")), "and leaves no event"
    clock.advance(timedelta(hours=1))
    for _ in range(3):
        assert _run(call)["steps"] == {}, "its own transcript is nothing to observe"
    assert call.home.journal.stats().messages == 1
    (used,) = call.home.journal.usage(_NOW.date()).values()
    assert (used.calls, used.input_tokens, used.output_tokens, used.reported_dollars) == (
        1,
        900,
        40,
        0.02,
    )
    stats = load_command("observe stats")(call)
    assert list(stats.costs.values()) == [0.02]


@pytest.mark.usefixtures("old_claude")
def test_the_commands_calls_count_against_the_day(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_DAILY_TOKENS", "15000")
    clock = ManualClock(_NOW)
    call = _context(clock)
    for minutes in range(60, 660, 100):
        _run(call)
        clock.advance(timedelta(minutes=100))
        _say(user, f"결정 {minutes}", minutes)
    (used,) = call.home.journal.usage(_NOW.date()).values()
    assert used.input_tokens + used.output_tokens <= 15_000
    assert 0 < used.calls < 6
    assert "of 15,000 model tokens" in str(_run(call)["waiting"])


def test_a_command_that_is_not_here_lets_the_work_wait_and_says_so(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_BASE_URL", str(user / "nowhere" / "claude"))
    call = _context(ManualClock(_NOW))
    waiting = str(_run(call)["waiting"])
    assert "claude-code needs the command `claude`, which is not here at" in waiting
    status = load_command("status")(call)
    assert "needs the command" in load_command("status").present(status, Style("en", False))
    assert call.home.journal.stats().messages == 1


@pytest.mark.usefixtures("old_claude")
@pytest.mark.parametrize(
    ("model", "key", "said"),
    [
        (
            "rules",
            "",
            (
                "`observe.model: claude-code` in the settings lets the agent's own command "
                "choose what is kept, without a key"
            ),
        ),
        ("rules", "k", "rules, no model: weaker"),
        ("claude-code", "", "claude-code, by '"),
    ],
)
def test_the_doctor_says_who_observes_and_that_a_command_here_could(
    user: Path, monkeypatch: pytest.MonkeyPatch, model: str, key: str, said: str
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_MODEL", model)
    monkeypatch.setenv("GEMINI_API_KEY", key)
    found = load_command("doctor")(_context(ManualClock(_NOW)))
    (check,) = (check for check in found.checks if check.name == "observer")
    assert check.ok
    assert said in check.detail
    assert check.detail.endswith("it observed a sentence")


def test_the_doctor_names_a_command_that_is_not_here(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_BASE_URL", str(user / "nowhere"))
    found = load_command("doctor")(_context(ManualClock(_NOW)))
    (check,) = (check for check in found.checks if check.name == "observer")
    assert not check.ok
    assert "nowhere" in check.detail


def test_an_installation_says_that_the_agents_command_could_observe(user: Path) -> None:
    assert {name for name, row in registry.GENERATORS.items() if row.program} == set(OBSERVERS)
    call = _context(ManualClock(_NOW))
    for agent in ("codex", "cursor"):
        done = load_command("install")(call, agent=agent)
        assert (f"`observe.model: {agent}`" in install_present(done, Style("en", False))) is (
            agent == "codex"
        )


def test_our_hook_is_silent_where_gieok_asks_the_agent(user: Path) -> None:
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "x",
        "cwd": str(user),
        "prompt": "출시가 언제지?",
    }
    environment = {**os.environ, OWN_RUN: "1"}
    done = subprocess.run(
        [sys.executable, "-m", "gieok", "hook", "prompt"],
        input=json.dumps(payload),
        text=True,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (user / ".gieok").exists()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize(("model", "program"), [("claude-code", "claude"), ("codex", "codex")])
def test_the_real_command_observes_with_our_hooks_installed(
    model: str, program: str, user: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed here")
    monkeypatch.setenv("GIEOK_OBSERVE_MODEL", model)
    monkeypatch.setenv("LOOP_KEY", "k")
    trace = f"echo hook >> {user}/trace"
    hook = f"{sys.executable} -m gieok hook"
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"{trace}; {hook} {ours}"}]}]
        for event, ours in (
            ("UserPromptSubmit", "prompt"),
            ("SessionStart", "session-start"),
            ("SessionEnd", "session-end"),
        )
    }
    settings = {"env": {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}, "hooks": hooks}
    (user / ".claude" / "settings.json").write_text(json.dumps(settings))
    (user / ".codex").mkdir()
    (user / ".codex" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    (user / ".codex" / "config.toml").write_text(
        'model_provider = "loop"\nmodel = "gpt-5"\n[model_providers.loop]\nname = '
        f'"loop"\nbase_url = "{server.url}/v1"\n'
        'wire_api = "responses"\nenv_key = "LOOP_KEY"\nrequest_max_retries = '
        "0\nstream_max_retries = 0\n"
    )
    server.script = [_NOTE]
    call = _context(ManualClock(_NOW))
    _run(call)
    assert [
        o.text for o in scope_memory.load_scope_memory(call.home.store, call.scope).observations
    ] == ["출시는 금요일로 정했다"]
    assert len(server.requests) == 1
    assert "출시는 금요일로 하자" in read_request_text(server.requests[0][1])
    assert not (user / "trace").exists(), "no hook ran"
    assert _run(call)["steps"] == {}
    assert len(server.requests) == 1
    (used,) = call.home.journal.usage(_NOW.date()).values()
    assert (used.calls, used.input_tokens, used.output_tokens) == (1, 11, 7)
    assert (used.reported_dollars > 0) is (model == "claude-code")
