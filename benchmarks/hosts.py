"""Drive real agents through told and asked, a forbidden push and an edit, on a model of our own.

    python benchmarks/hosts.py [--hosts opencode pi] [--json]

Takes the programs that are on PATH (`npm install opencode-ai @earendil-works/pi-coding-agent
@anthropic-ai/claude-code @openai/codex @qwen-code/qwen-code @google/gemini-cli @github/copilot`).
Each agent works in a throwaway home with Gieok installed, in a repository with a remote, and asks a
model server on loopback, which uses the tools that this script tells it to use:

1. the user told Claude Code a name and a rule there, in Korean; `gieok observe run --once` reads
   its transcript (a prompt of `opencode run` counts as a program's: no person can be asked there);
2. the user asks this agent for the name: does the request to the model hold it?
3. the model runs `git push origin main`: does the remote stay empty, and does the model read why?
4. the model edits a file that a record names: does the tool's result hold the record?

Every tool is allowed in the agent itself, so that Gieok alone stops it. What an agent has no way to
do is left out. A line is printed for each agent; the exit status is 1 where an answer is no.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gieok.agents.agent import HOME, URL, Rehearsal, load_agent
from gieok.testing.model_server import Answer, ModelServer, read_request_text

_TOLD = "우리 스테이징 서버 이름은 heron이야. 그리고 main에 바로 푸시하지 마."
_ASKED = "스테이징 서버 이름이 뭐였지?"
_NAME = "heron"
_PUSH = "git push origin main"
_KEPT = "src/cart.py rounds half up, because the bank does."
_BEFORE, _AFTER = "return round(total)", "return int(total + 0.5)"
_SETTINGS = "embedder: none\nhook:\n  deadline_ms: 20000\n  action: true\n"
_TIMEOUT_S = 240
_VERSION = re.compile(r"\d+\.\d+[\w.-]*")
Tool = tuple[str, dict[str, Any]]


class HostTools(NamedTuple):
    """How the model of a host asks for a command, and for an edit of a file.

    None and () for what Gieok does not do there. `arguments` allow all tools in the host itself.
    """

    push: Tool | None
    edit: tuple[Tool, ...] = ()
    arguments: tuple[str, ...] = ()


_OPENCODE = HostTools(
    push=("bash", {"command": _PUSH, "description": "Push"}),
    edit=(
        ("read", {"filePath": "{file}"}),
        ("edit", {"filePath": "{file}", "oldString": _BEFORE, "newString": _AFTER}),
    ),
)
_HOSTS = {
    "claude-code": HostTools(
        push=("Bash", {"command": _PUSH, "description": "Push"}),
        edit=(
            ("Read", {"file_path": "{file}"}),
            ("Edit", {"file_path": "{file}", "old_string": _BEFORE, "new_string": _AFTER}),
        ),
        arguments=("--allowedTools=Bash,Read,Edit",),
    ),
    "codex": HostTools(
        push=("exec_command", {"cmd": _PUSH}),
        arguments=("--sandbox", "danger-full-access"),
    ),
    "copilot-cli": HostTools(
        push=("bash", {"command": _PUSH, "description": "Push"}),
    ),
    "gemini-cli": HostTools(push=None),
    "qwen-code": HostTools(
        push=("run_shell_command", {"command": _PUSH, "is_background": False}),
        arguments=("--yolo",),
    ),
    "kilo": _OPENCODE,
    "opencode": _OPENCODE,
    "pi": HostTools(
        push=("bash", {"command": _PUSH}),
        edit=(("edit", {"path": "{file}", "edits": [{"oldText": _BEFORE, "newText": _AFTER}]}),),
    ),
}


class HostTrial:
    """One agent in a throwaway home: its program, its project and what its model was asked."""

    def __init__(self, name: str, home: Path) -> None:
        rehearsal = load_agent(name).rehearsal
        if rehearsal is None:
            raise ValueError(f"{name} answers no prompt without its window")
        self._name, self._home, self._rehearsal = name, home, rehearsal
        self.project, self._remote = home / "shop", home / "remote.git"
        self._program = str(shutil.which(rehearsal.program))
        self._environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": str(home),
            "TMPDIR": str(home),
            "TERM": "dumb",
            "NO_COLOR": "1",
            "GIEOK_DAEMON_AUTOSTART": "off",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def set_up(self, url: str) -> None:
        """Make the project, its remote and the agent's settings; install Gieok in the agent."""
        (self._home / ".gieok").mkdir()
        (self._home / ".gieok" / "config.yaml").write_text(_SETTINGS, encoding="utf-8")
        (self.project / "src").mkdir(parents=True)
        file = self.project / "src" / "cart.py"
        file.write_text(f"def pay(total):\n    {_BEFORE}\n", encoding="utf-8")
        self._run("git", "init", "-q", "--bare", str(self._remote))
        self._run("git", "init", "-q", "-b", "main")
        self._run("git", "add", ".")
        who = ("-c", "user.name=Mina", "-c", "user.email=mina@example.com")
        self._run("git", *who, "commit", "-qm", "cart")
        self._run("git", "remote", "add", "origin", str(self._remote))
        for name, text in self._rehearsal.files.items():
            settings = self._home / name
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(text.replace(URL, url).replace(HOME, str(self._home)))
        self._gieok("install", self._name)
        # The title alone is told at a session's start: what was told is not said again at the edit.
        self._gieok("remember", _KEPT, "--category", "decision", "--title", "Money")

    def read_release(self) -> str:
        """Return the release that the program names, on either of its outputs."""
        done = self._run(self._program, "--version")
        found = _VERSION.search(done.stdout + done.stderr)
        return found[0].rstrip(".") if found else "?"

    def prompt(self, server: ModelServer, text: str, tools: Sequence[Tool] = ()) -> list[str]:
        """Let the agent answer a prompt, and return what its model was sent, request by request."""
        before = len(server.requests)
        server.script = [self._use_tools(tools)]
        more = {
            name: value.replace(URL, server.url).replace(HOME, str(self._home))
            for name, value in self._rehearsal.environment.items()
        }
        head, last = self._rehearsal.arguments[:-1], self._rehearsal.arguments[-1:]
        words = (*head, *_HOSTS[self._name].arguments, *last)
        if last and not last[0].startswith("-"):
            words = (*head, *last, *_HOSTS[self._name].arguments)
        self._run(self._program, *words, text, more=more, is_checked=False)
        sent = [body for _, body in server.requests[before:]]
        return [read_request_text(body) for body in sent if text in read_request_text(body)]

    def tell(self, text: str) -> None:
        """Let the user say something to Claude Code in the project, and read its transcript."""
        session = "0ece7224-1111-4222-8333-000000000001"
        line = {
            "type": "user",
            "uuid": "u1",
            "sessionId": session,
            "cwd": str(self.project),
            "timestamp": "2026-11-28T05:00:00Z",
            "message": {"role": "user", "content": text},
        }
        file = self._home / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
        self._gieok("observe", "run", "--once")

    def is_remote_empty(self) -> bool:
        """Return whether nothing was pushed."""
        return not self._run("git", "ls-remote", str(self._remote)).stdout.strip()

    def _use_tools(self, tools: Sequence[Tool]) -> Callable[[dict[str, Any]], Answer]:
        """Return the model: it asks for one tool after the other, and is done then."""
        file = str(self.project / "src" / "cart.py")

        def answer(body: dict[str, Any]) -> Answer:
            used = _count_tool_results(body)
            if not body.get("tools") or used >= len(tools):
                return "done"
            name, values = tools[used]
            filled = json.loads(json.dumps(values).replace("{file}", file))
            return 200, _stream_tool_call(body, name, filled, used), "text/event-stream"

        return answer

    def _gieok(self, *words: str) -> None:
        self._run(sys.executable, "-m", "gieok", *words)

    def _run(
        self, *words: str, more: dict[str, str] | None = None, is_checked: bool = True
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.project,
            env=self._environment | (more or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=is_checked,
            timeout=_TIMEOUT_S,
        )


def _count_tool_results(body: dict[str, Any]) -> int:
    """Return how many results of tools a request holds, in the form of any provider."""
    turns = [*body.get("messages", ()), *body.get("input", ())]
    parts = [
        part
        for turn in turns
        if isinstance(turn.get("content"), list)
        for part in turn["content"]
        if isinstance(part, dict)
    ]
    kinds = [str(part.get("type")) for part in (*turns, *parts)]
    results = [kind for kind in kinds if kind.endswith(("tool_result", "call_output"))]
    return len(results) + len([turn for turn in turns if turn.get("role") == "tool"])


def _stream_tool_call(
    body: dict[str, Any], name: str, values: dict[str, Any], number: int
) -> bytes:
    """Return a streamed answer that asks for one tool, in the form of the request's provider."""
    if "input" in body:
        events = _build_responses_call(name, values, number)
    elif any("input_schema" in tool for tool in body["tools"]):
        events = _build_messages_call(name, values, number)
    else:
        return _stream_chat_call(name, values, number)
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    ).encode()


def _build_responses_call(name: str, values: dict[str, Any], number: int) -> list[dict[str, Any]]:
    item = {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": json.dumps(values),
    }
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {"id": "r1", "output": [item], "usage": usage},
        },
    ]


def _build_messages_call(name: str, values: dict[str, Any], number: int) -> list[dict[str, Any]]:
    usage = {"input_tokens": 11, "output_tokens": 7}
    message: dict[str, Any] = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "one",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(values)}
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": use},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]


def _stream_chat_call(name: str, values: dict[str, Any], number: int) -> bytes:
    """Return a streamed answer of chat completions that asks for one tool."""
    function = {"name": name, "arguments": json.dumps(values)}
    use = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    deltas = [
        ({"role": "assistant", "content": None, "tool_calls": [use]}, None),
        ({}, "tool_calls"),
    ]
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "one"}
    events = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in deltas
    ]
    lines = [*(json.dumps(event) for event in events), "[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def try_host(name: str) -> dict[str, str | bool]:
    """Drive one agent, and return what was seen."""
    tools = _HOSTS[name]
    with tempfile.TemporaryDirectory() as folder, ModelServer() as server:
        trial = HostTrial(name, Path(folder).resolve())
        trial.set_up(server.url)
        trial.tell(_TOLD)
        asked = trial.prompt(server, _ASKED)
        seen: dict[str, str | bool] = {
            "host": name,
            "release": trial.read_release(),
            "told_and_asked": any(_NAME in text for text in asked),
        }
        if tools.push is not None:
            pushed = trial.prompt(server, "Bring it to the others.", [tools.push])
            told = pushed[-1].partition(_PUSH)[2] if pushed else ""
            seen["push_stopped"] = trial.is_remote_empty()
            seen["reason_read"] = "푸시하지 마" in told
        if tools.edit:
            edited = trial.prompt(server, "Change that line.", tools.edit)
            told = edited[-1].partition(_AFTER)[2] if edited else ""
            seen["line_at_edit"] = "rounds half up" in told
        server.shutdown()
    return seen


def main() -> int:
    """Drive the agents whose programs are on PATH."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", nargs="*", choices=tuple(_HOSTS), default=tuple(_HOSTS))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    is_right = True
    for name in given.hosts:
        rehearsal: Rehearsal | None = load_agent(name).rehearsal
        if rehearsal is None or not shutil.which(rehearsal.program):
            print(f"{name}: its program is not on PATH", file=sys.stderr)
            continue
        seen = try_host(name)
        is_right = is_right and all(seen.values())
        shown = json.dumps(seen) if given.json else "  ".join(f"{k} {v}" for k, v in seen.items())
        print(shown, flush=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
