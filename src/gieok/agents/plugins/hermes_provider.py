"""Gieok's memory in Hermes: a memory provider. Written by `gieok install hermes`.

What `gieok hook` answers goes before a prompt. Hermes loads the file twice: as the memory provider,
and as a plugin that is asked before a tool runs. It imports nothing of Gieok, and raises nothing.
"""

import json
import os
import signal
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

COMMANDS: dict[str, str] = {}
PROGRAM: list[str] = []
ENVIRONMENT: dict[str, str] = {}
TIMEOUT_S: dict[str, float] = {}
TOOL_TIMEOUT_S = 30.0
#: What is longer is no answer of a hook; what a tool found is cut there.
MOST_BYTES = 1_000_000
MOST_TOOL_CHARS = 50_000
#: Tools of the provider, each a command of Gieok's, where Hermes lacks the library that MCP needs.
TOOLS = {
    "memory_search": (
        "search",
        "Search the user's long-term memory: decisions, preferences, facts, conversations.",
    ),
    "memory_remember": (
        "remember",
        "Keep a statement of the user's in their long-term memory, in the user's own words.",
    ),
}


def answer_hook(event: str, native: str, session: str, **more: object) -> dict[str, Any]:
    """Run a hook and return its answer; {} where it fails or takes too long.

    Memory never stands between a user and their agent. What the hook started is ended with it.
    """
    payload = {"session_id": session, "cwd": find_host_folder(), "hook_event_name": native, **more}
    try:
        data = json.dumps(payload, default=str).encode()
        hook = subprocess.Popen(  # noqa: S602 - the line is for a shell
            COMMANDS[event],
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name != "nt",
        )
    except Exception:  # noqa: BLE001 - what the host hands over may be anything
        return {}
    try:
        out, _ = hook.communicate(data, TIMEOUT_S[event])
        answer = json.loads(out) if 0 < len(out) <= MOST_BYTES else {}
        return answer if isinstance(answer, dict) else {}
    except Exception:  # noqa: BLE001 - as above
        return {}
    finally:
        end_hook(hook)


def end_hook(hook: "subprocess.Popen[bytes]") -> None:
    """End a hook that still runs, and the processes that it started.

    The number of one that has ended may be another process's by now.
    """
    if hook.returncode is None:
        with suppress(OSError, AttributeError):
            os.killpg(hook.pid, signal.SIGKILL) if os.name != "nt" else hook.kill()
    for pipe in (hook.stdin, hook.stdout):
        with suppress(OSError):
            pipe.close() if pipe else None
    with suppress(subprocess.TimeoutExpired):
        hook.wait(1)


def find_host_folder() -> str:
    """Return the folder of this process, also where it is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return os.environ.get("PWD", "/")


class GieokProvider(MemoryProvider):
    """Memory of Gieok's for the sessions in which a person speaks."""

    def __init__(self) -> None:
        self._session = ""
        self._begun = ""
        self._database = ""
        self._is_persons = False
        self._prompt: tuple[str, str] = ("", "")

    @property
    def name(self) -> str:
        return "gieok"

    def is_available(self) -> bool:
        return bool(COMMANDS)

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self._session = session_id
        self._is_persons = kwargs.get("agent_context", "primary") == "primary"
        self._database = os.path.join(str(kwargs.get("hermes_home", "")), "state.db")

    def _call(self, event: str, native: str, session: str = "", **more: object) -> str:
        if not self._is_persons:
            return ""
        more["transcript_path"] = self._database
        answer = answer_hook(event, native, session or self._session, **more)
        return str(answer.get("additional_context") or "")

    def system_prompt_block(self) -> str:
        # Hermes builds its system prompt again after a compaction, in the same session
        again = {"source": "compact"} if self._begun == self._session else {}
        self._begun = self._session
        return self._call("session-start", "system_prompt_block", **again)

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        self._prompt = ("", "")

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        if self._prompt[0] != query:  # asked once a turn, before each request of the turn
            self._prompt = (query, self._call("prompt", "prefetch", session_id, prompt=query))
        return self._prompt[1]

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        return self._call("pre-compact", "on_pre_compress")

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        self._call("stop", "sync_turn", session_id)

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        self._call("session-end", "on_session_end")

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        self._session = new_session_id

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        if find_spec("mcp") is not None:  # the MCP server of the settings has them
            return []
        text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return [
            {"name": name, "description": description, "parameters": text}
            for name, (_, description) in TOOLS.items()
        ]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        try:
            text, name = str(args.get("text", "")), TOOLS[tool_name][0]
            # what is to be kept may hold a secret: any user reads the arguments of a process
            words = [name, "-"] if name == "remember" else [name, "--", text]
            done = subprocess.run(  # noqa: S603 - this Gieok, without a shell
                [*PROGRAM, *words],
                input=text if name == "remember" else "",
                env={**os.environ, **ENVIRONMENT},
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=TOOL_TIMEOUT_S,
                check=False,
            )
            found = (done.stdout or done.stderr)[:MOST_TOOL_CHARS]
            return json.dumps({"result": found}, ensure_ascii=False)
        except Exception as error:  # noqa: BLE001 - a tool that fails says so to the model
            return json.dumps({"error": f"{type(error).__name__}: {error}"})


def judge_tool(
    tool_name: str = "", args: dict[str, Any] | None = None, session_id: str = "", **kwargs: Any
) -> dict[str, str] | None:
    """Ask before a tool runs: None where it may, else what Hermes does instead."""
    more = {"tool_name": tool_name, "tool_input": args or {}}
    answer = answer_hook("pre-tool", "pre_tool_call", session_id, **more)
    reason = str(answer.get("reason") or "")
    return {"action": "block", "message": reason} if reason else None


def register(ctx: Any) -> None:
    """Register the provider, or the gate, whichever Hermes asks for."""
    if hasattr(ctx, "register_memory_provider"):
        ctx.register_memory_provider(GieokProvider())
    else:
        ctx.register_hook("pre_tool_call", judge_tool)
