"""The agents' own commands as models, played by a script on PATH; and by the real ones, where they
are installed.
"""

import json
import os
import select
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gieok import registry
from gieok.errors import GeneratorFailed
from gieok.models.generators.host_command import ClaudeCode, Codex, HostGenerator
from gieok.places.home import OWN_RUN
from gieok.ports.models import Generated, Prompt
from gieok.testing.model_server import ModelServer, TruncatedAnswer
from gieok.text.echo import MARKER

_PROMPT = Prompt(f"{MARKER}\nYou are the memory.", "무엇을 기억할까?", 0.3, 2000)
#: Writes down how it was called, and answers with what stands beside it.
_FAKE = """#!{python}
import json, os, subprocess, sys, time
here = os.path.dirname(os.path.realpath(__file__))
seen = {{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "folder": os.listdir("."), "environment": dict(os.environ)}}
for word in sys.argv:
    if word.startswith("model_instructions_file="):
        seen["instructions"] = open(json.loads(word.partition("=")[2]), encoding="utf-8").read()
json.dump(seen, open(os.path.join(here, "seen.json"), "w"))
plan = json.load(open(os.path.join(here, "plan.json")))
if plan.get("hangs"):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open(os.path.join(here, "child"), "w").write(str(child.pid))
    time.sleep(600)
sys.stdout.write(plan.get("out", ""))
sys.stderr.write(plan.get("err", ""))
sys.exit(plan.get("status", 0))
"""


class _Fake:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def play(self, **plan: object) -> None:
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")

    @property
    def seen(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "seen.json").read_text(encoding="utf-8"))
        return found


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Fake:
    if os.name == "nt":
        pytest.skip("a script is no command there")
    for name in ("claude", "codex"):
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(_FAKE.format(python=sys.executable), encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return _Fake(tmp_path / "bin")


def _claude(text: str, **more: object) -> str:
    usage = {
        "input_tokens": 11,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1000,
        "output_tokens": 7,
    }
    row = {
        "type": "result",
        "is_error": False,
        "result": text,
        "stop_reason": "end_turn",
        "usage": usage,
    }
    return json.dumps({**row, "total_cost_usd": 0.0125, **more})


def _codex(*rows: object) -> str:
    return "\n".join(
        json.dumps(row) for row in ({"type": "thread.started", "thread_id": "x"}, *rows)
    )


def _said(text: str) -> dict[str, object]:
    return {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": text}}


_USED = {
    "type": "turn.completed",
    "usage": {"input_tokens": 11, "cached_input_tokens": 5, "output_tokens": 7},
}


def test_claude_is_asked_alone_and_its_answer_tokens_and_cost_are_read(fake: _Fake) -> None:
    fake.play(out=_claude("* 🔴 출시는 금요일"))
    made: HostGenerator = registry.load_backend(registry.GENERATORS, "claude-code")(
        "claude-code", "", ""
    )
    assert made.generate(_PROMPT) == Generated("* 🔴 출시는 금요일", 1111, 7, False, 0.0125)
    seen = fake.seen
    assert seen["stdin"] == f"{MARKER}\n무엇을 기억할까?"
    assert seen["folder"] == []
    argv = seen["argv"]
    assert argv[argv.index("--model") + 1] == "haiku"
    assert argv[argv.index("--tools") + 1] == ""
    assert json.loads(argv[argv.index("--settings") + 1]) == {"disableAllHooks": True}
    assert {"--no-session-persistence", "--strict-mcp-config", "--disable-slash-commands"} < set(
        argv
    )
    assert "무엇을" not in "".join(argv), "what was said is in no process list"
    assert seen["environment"][OWN_RUN] == "1"
    assert seen["environment"]["CLAUDE_CODE_SAFE_MODE"] == "1"


def test_codex_is_asked_alone_and_its_answer_and_tokens_are_read(
    fake: _Fake, tmp_path: Path
) -> None:
    (tmp_path / ".codex").mkdir()
    config = '[mcp_servers.gieok]\ncommand = "gieok"\n[mcp_servers."odd name"]\ncommand = "x"\n'
    (tmp_path / ".codex" / "config.toml").write_text(config)
    warned = {
        "type": "item.completed",
        "item": {"type": "error", "message": "Model metadata not found"},
    }
    fake.play(out=_codex(warned, {"type": "turn.started"}, _said("* 🔴 출시는 금요일"), _USED))
    made: HostGenerator = registry.load_backend(registry.GENERATORS, "codex")(
        "codex:gpt-5-mini", "", ""
    )
    assert made.generate(_PROMPT) == Generated("* 🔴 출시는 금요일", 11, 7)
    seen = fake.seen
    argv = seen["argv"]
    assert (seen["stdin"], seen["folder"]) == (f"{MARKER}\n무엇을 기억할까?", [])
    assert seen["instructions"] == _PROMPT.system
    assert argv[argv.index("--model") + 1] == "gpt-5-mini"
    assert {
        "--ephemeral",
        "features.hooks=false",
        "mcp_servers.gieok.enabled=false",
        "notify=[]",
    } < set(argv)
    assert seen["environment"][OWN_RUN] == "1"


def test_an_answer_with_another_line_end_in_it_is_read_whole(fake: _Fake) -> None:
    said = _said("* 🔴 출시는 금요일\u2028* 🔴 회의는 월요일\x85")
    fake.play(out="\n".join(json.dumps(row, ensure_ascii=False) for row in (said, _USED)))
    assert Codex("codex", "", "").generate(_PROMPT).text == said["item"]["text"]  # type: ignore[index]


def test_a_session_of_the_agent_that_started_us_is_kept_out_of_it(
    fake: _Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CODEX_THREAD_ID"):
        monkeypatch.setenv(name, "theirs")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/somewhere")
    fake.play(out=_claude("x"))
    ClaudeCode("claude-code", "", "").generate(_PROMPT)
    assert "theirs" not in fake.seen["environment"].values()
    assert fake.seen["environment"]["CLAUDE_CONFIG_DIR"] == "/somewhere"


@pytest.mark.parametrize(
    ("told", "says", "hint", "retry"),
    [
        ("Not logged in · Please run /login", "not logged in", "claude auth login", False),
        (
            "Failed to authenticate. API Error: 401 invalid x-api-key",
            "not logged in",
            "claude auth login",
            False,
        ),
        ("You've hit your session limit · resets 3pm", "limit is reached", "renewed", False),
        ("Claude AI usage limit reached|1763856000", "limit is reached", "renewed", False),
        ("Credit balance is too low", "limit is reached", "renewed", False),
        ("API Error: Request rejected (429) · limit", "limit is reached", "renewed", False),
        ("API Error: 529 overloaded_error", "529", "", True),
        ("API Error: 400 model: nonsense", "400 model", "", False),
    ],
)
def test_claude_says_what_is_wrong(
    fake: _Fake, told: str, says: str, hint: str, retry: bool
) -> None:
    fake.play(out=_claude(told, is_error=True), status=1)
    with pytest.raises(GeneratorFailed, match=says) as failed:
        ClaudeCode("claude-code", "", "").generate(_PROMPT)
    assert hint in failed.value.hint
    assert failed.value.worth_retrying is retry


@pytest.mark.parametrize(
    ("out", "err", "says"),
    [
        (
            _codex(
                {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized"}}
            ),
            "",
            "not logged in",
        ),
        (
            _codex({"type": "error", "message": "You've hit your usage limit. Try again later."}),
            "",
            "limit is reached",
        ),
        ("", "WARNING: x\nError loading config.toml: invalid transport\n", "invalid transport"),
        ("", "error: unexpected argument '--ephemeral' found", "too old"),
        ("not json", "", "status 1 and said nothing"),
        ("", "error: {status: 429, 'x'} of {status}", "{status: 429, 'x'} of {status}"),
    ],
)
def test_codex_says_what_is_wrong(fake: _Fake, out: str, err: str, says: str) -> None:
    fake.play(out=out, err=err, status=1)
    with pytest.raises(GeneratorFailed, match=says):
        Codex("codex", "", "").generate(_PROMPT)


@pytest.mark.parametrize(
    ("make", "out"),
    [
        (ClaudeCode, _claude("* 🔴 half", stop_reason="max_tokens")),
        (
            ClaudeCode,
            _claude("Claude's response exceeded the 4000 output token maximum.", is_error=True),
        ),
        (
            Codex,
            _codex(
                {
                    "type": "turn.failed",
                    "error": {"message": "Incomplete response returned, reason: max_output_tokens"},
                }
            ),
        ),
    ],
)
def test_an_answer_that_was_cut_off_says_so(
    fake: _Fake, make: Callable[..., HostGenerator], out: str
) -> None:
    fake.play(out=out)
    assert make("x", "", "").generate(_PROMPT).is_cut


@pytest.mark.parametrize("make", [ClaudeCode, Codex])
def test_a_command_that_is_not_here_is_named(
    make: Callable[..., HostGenerator], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GeneratorFailed, match="is not here at '/nowhere/at/all'") as failed:
        make("x", "", "/nowhere/at/all").generate(_PROMPT)
    assert "install" in failed.value.hint


def test_a_command_is_found_where_it_installs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".local" / "bin" / "agentx"
    file.parent.mkdir(parents=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    assert registry.find_program("agentx", os.environ) == str(file)
    assert registry.find_program("/elsewhere/agentx", os.environ) == ""


def test_a_command_that_hangs_is_ended_with_all_that_it_started(fake: _Fake) -> None:
    fake.play(hangs=True)
    with pytest.raises(GeneratorFailed, match="did not answer within 3 s") as failed:
        ClaudeCode("claude-code", "", "", timeout_s=3.0).generate(_PROMPT)
    assert not failed.value.worth_retrying, "what may be paid for is not asked again at once"
    assert _ends(int((fake.folder / "child").read_text()))


def _ends(pid: int) -> bool:
    """Wait for the end of a process that was killed: the signal is on its way."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 30)[0])
    finally:
        os.close(process)


def _lay_out(home: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set up both agents in a home of their own against a model of ours, with hooks and servers
    that leave a trace.
    """
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LOOP_KEY", "k")
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    trace = f"echo trace >> {home}/trace"
    hooks = {
        event: [{"hooks": [{"type": "command", "command": trace}]}]
        for event in ("UserPromptSubmit", "SessionStart", "Stop", "SessionEnd")
    }
    (home / ".claude").mkdir(parents=True)
    (home / ".codex").mkdir()
    settings = {"env": {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}, "hooks": hooks}
    (home / ".claude" / "settings.json").write_text(json.dumps(settings))
    (home / ".claude" / "CLAUDE.md").write_text("ANSWER IN LATIN")
    (home / ".claude.json").write_text(
        json.dumps({"mcpServers": {"x": {"command": "sh", "args": ["-c", trace]}}})
    )
    (home / ".codex" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    (home / ".codex" / "config.toml").write_text(
        'model_provider = "loop"\nmodel = "gpt-5"\nnotify = ["sh", "-c", '
        f'"{trace}"]\n[model_providers.loop]\nname = "loop"\n'
        f'base_url = "{server.url}/v1"\nwire_api = "responses"\nenv_key = '
        '"LOOP_KEY"\nrequest_max_retries = 0\n'
        f'stream_max_retries = 0\n[mcp_servers.x]\ncommand = "sh"\nargs = ["-c", "{trace}"]\n'
    )


@pytest.mark.parametrize(("name", "program"), [("claude-code", "claude"), ("codex", "codex")])
def test_the_real_command_answers_from_our_model_and_leaves_no_trace(
    name: str, program: str, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed here")
    _lay_out(tmp_path / "user", server, monkeypatch)
    server.script = ["* 🔴 출시는 금요일"]
    made: HostGenerator = registry.load_backend(registry.GENERATORS, name)(name, "", "")
    found = made.generate(_PROMPT)
    assert (found.text, found.input_tokens, found.output_tokens) == ("* 🔴 출시는 금요일", 11, 7)
    assert (found.dollars > 0) is (name == "claude-code")
    assert len(server.requests) == 1
    asked = json.dumps(server.requests[0][1], ensure_ascii=False)
    assert "You are the memory." in asked
    assert "무엇을 기억할까?" in asked
    assert name == "codex" or "LATIN" not in asked
    assert not (tmp_path / "user" / "trace").exists(), "no hook, no server, no notice"
    assert list((tmp_path / "user").rglob("*.jsonl")) == [], "no transcript"
    server.script = [TruncatedAnswer("* 🔴 half")]
    assert made.generate(_PROMPT).is_cut
