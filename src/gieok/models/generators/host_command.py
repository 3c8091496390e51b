"""Language model through the command of a coding agent: `claude -p` and `codex exec`.

A user with a subscription needs no key.

The command is started in an empty folder with nothing of its own around it: no hooks, no tools, no
MCP servers, no memory, no transcript. The prompt begins with the mark of Gieok's own runs, and the
environment carries a variable that `gieok hook` honours, so that the exchange is never remembered,
even where an older command does not know one of these switches.
"""

import json
import os
import re
import signal
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gieok import registry
from gieok.errors import GeneratorFailed, Phrase
from gieok.places.home import OWN_RUN
from gieok.ports.models import Generated, Prompt
from gieok.text.echo import MARKER
from gieok.text.redact import redact

_TIMEOUT_S = 300.0
_MOST_SHOWN = 300
#: Variables of the agent session that started this process: the new command must not see them.
_SESSION = re.compile(
    r"CLAUDECODE|CLAUDE_(?:CODE_(?:ENTRYPOINT|SESSION_ID|SSE_PORT|CHILD_SESSION|EFFORT)"
    r"|PROJECT_DIR|PLUGIN_\w+|ENV_FILE)"
    r"|CODEX_(?:THREAD_ID|SESSION_ID|SANDBOX\w*|INTERNAL_\w+)"
)
_NOT_LOGGED_IN = re.compile(
    (
        r"not logged in|/login|log ?in again|invalid api key|authenticat|unauthorized|\b401\b"
        r"|oauth|missing environment"
    ),
    re.IGNORECASE,
)
_LIMIT = re.compile(
    (
        r"usage limit|limit reached|hit your \w*\s?limit|credit balance|quota|billing|\b429\b"
        r"|rate.?limit"
    ),
    re.IGNORECASE,
)
_CUT = re.compile(
    r"exceeded the \d+ output token maximum|max_output_tokens|max_tokens|incomplete response",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"overloaded|\b5\d\d\b|timed? ?out|connection|stream disconnected|temporarily|try again",
    re.IGNORECASE,
)
#: A name in Codex' settings that needs no quotes.
_BARE = re.compile(r"[\w-]+")
#: Features of Codex beside answering.
_FEATURES = (
    "hooks", "plugins", "apps", "shell_tool", "unified_exec", "multi_agent", "goals", "view_image",
    "skill_search", "tool_suggest", "image_generation", "memories",
)  # fmt: skip


class _Done(NamedTuple):
    """Result of a command that ended."""

    status: int
    output: str
    errors: str


class HostGenerator:
    """`Generator` that starts a command for each question."""

    #: The command, the agent's name as people know it, and how one logs in.
    program = agent = login = ""

    def __init__(self, model: str, key: str, address: str, timeout_s: float = _TIMEOUT_S) -> None:
        """Set up the command at `address`, '' to look for it; `key` is ignored.

        The command uses its own login.
        """
        del key
        self.model = model
        self._path = address
        self._timeout_s = timeout_s

    def generate(self, prompt: Prompt) -> Generated:
        """Ask once. Raises GeneratorFailed."""
        command = self._command()
        with TemporaryDirectory(prefix="gieok-", ignore_cleanup_errors=True) as folder_name:
            folder = Path(folder_name)
            (folder / "empty").mkdir()
            instructions = folder / "instructions.md"
            instructions.write_text(prompt.system, encoding="utf-8")
            words = [command, *self._arguments(prompt, instructions)]
            environment = {
                name: value for name, value in os.environ.items() if not _SESSION.fullmatch(name)
            }
            environment |= {OWN_RUN: "1", "NO_COLOR": "1", **self._variables(prompt)}
            timeout_s = prompt.timeout_s or self._timeout_s
            result = self._run(
                words, f"{MARKER}\n{prompt.text}", folder / "empty", environment, timeout_s
            )
        return self._read(result)

    def _arguments(self, prompt: Prompt, instructions: Path) -> Iterable[str]:
        raise NotImplementedError

    def _variables(self, prompt: Prompt) -> Mapping[str, str]:
        del prompt
        return {}

    def _read(self, done: _Done) -> Generated:
        raise NotImplementedError

    @property
    def _name(self) -> str:
        return self.model.partition(":")[2]

    def _command(self) -> str:
        program = registry.find_program(self._path or self.program, os.environ)
        if not program:
            raise GeneratorFailed(
                "{model} needs the command `{program}`, which is not here at {path!r}"
                if self._path
                else "{model} needs the command `{program}`, which is not here",
                model=self.model,
                program=self.program,
                path=self._path,
                agent=self.agent,
                hint=(
                    "install {agent}, or name the command's path in the `base_url` beside the "
                    "model's setting"
                ),
            )
        return program

    def _run(
        self,
        words: list[str],
        text: str,
        folder: Path,
        environment: Mapping[str, str],
        timeout_s: float,
    ) -> _Done:
        """Start the command and wait for its end; kill it and its children after `timeout_s`."""
        try:
            # A command that the user named in the settings.
            process = subprocess.Popen(  # noqa: S603
                words,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise GeneratorFailed(
                "{program} cannot be started: {error}",
                program=self.program,
                error=error,
                agent=self.agent,
                hint="reinstall {agent}",
            ) from error
        try:
            output, errors = process.communicate(text, timeout=timeout_s)
        except BaseException as error:
            _kill_command_group(process)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            # No immediate retry: the call may have been paid for.
            raise GeneratorFailed(
                "{program} did not answer within {timeout_s:g} s",
                program=self.program,
                timeout_s=timeout_s,
            ) from error
        return _Done(process.returncode, output, errors)

    def _failed(self, told: str, status: int = 0) -> GeneratorFailed:
        """Return the error for a failed command's output."""
        told = " ".join(redact(told).split())[:_MOST_SHOWN]
        silent = Phrase("it ended with status {status} and said nothing", status=status)
        said = Phrase(told) if told else silent
        if _NOT_LOGGED_IN.search(said):
            return GeneratorFailed(
                "{program}: {said} (it is not logged in)",
                program=self.program,
                said=said,
                login=self.login,
                hint="run `{login}`",
            )
        if _LIMIT.search(said):
            return GeneratorFailed(
                "{program}: {said} (its limit is reached)",
                program=self.program,
                said=said,
                hint="it goes on by itself once the limit is renewed",
            )
        if "unknown option" in said or "unexpected argument" in said:
            return GeneratorFailed(
                "{program}: {said} (it is too old)",
                program=self.program,
                said=said,
                agent=self.agent,
                hint="update {agent}",
            )
        return GeneratorFailed(
            "{program}: {said}",
            program=self.program,
            said=said,
            worth_retrying=bool(_PASSING.search(said)),
        )


class ClaudeCode(HostGenerator):
    """`Generator` on Claude Code; the smallest model unless a model is named: notes need no
    more.
    """

    program, agent, login = "claude", "Claude Code", "claude auth login"

    def _arguments(self, prompt: Prompt, instructions: Path) -> Iterable[str]:
        del instructions  # a file of them is not known to every release
        # The user's settings hold how one logs in; the rest of them is switched off.
        return (
            "-p",
            "--output-format",
            "json",
            "--model",
            self._name or "haiku",
            "--setting-sources",
            "user",
            "--settings",
            '{"disableAllHooks": true}',
            "--strict-mcp-config",
            "--tools",
            "",
            "--disable-slash-commands",
            "--no-session-persistence",
            "--system-prompt",
            prompt.system,
        )

    def _variables(self, prompt: Prompt) -> Mapping[str, str]:
        return {
            "CLAUDE_CODE_SAFE_MODE": "1",
            "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(prompt.max_output_tokens + prompt.thinking_tokens),
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "MAX_THINKING_TOKENS": "0",
        }

    def _read(self, done: _Done) -> Generated:
        result = next(
            (
                row
                for row in reversed(list(_iter_reply_objects(done.output)))
                if row.get("type") == "result"
            ),
            None,
        )
        if result is None:
            raise self._failed(done.errors or done.output, done.status)
        text, usage = str(result.get("result") or ""), _select_mapping(result.get("usage"))
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        answer = Generated(
            text=text,
            input_tokens=sum(_read_token_count(usage, name) for name in names),
            output_tokens=_read_token_count(usage, "output_tokens"),
            is_cut=result.get("stop_reason") == "max_tokens",
            dollars=_read_dollar_cost(result.get("total_cost_usd")),
        )
        if not result.get("is_error"):
            return answer
        if _CUT.search(text):
            return answer._replace(text="", is_cut=True)
        status = result.get("api_error_status")
        raise self._failed(
            text + (f" ({status})" if status and str(status) not in text else ""), done.status
        )


class Codex(HostGenerator):
    """`Generator` on Codex CLI; the model of Codex' own settings unless a model is named."""

    program, agent, login = "codex", "Codex", "codex login"

    def _arguments(self, prompt: Prompt, instructions: Path) -> Iterable[str]:
        del prompt
        yield from (
            "exec",
            "--json",
            "--ephemeral",
            "--skip-git-repo-check",
            "--sandbox",
            "read-only",
            "--color",
            "never",
        )
        if self._name:
            yield from ("--model", self._name)
        settings = [f"features.{name}=false" for name in _FEATURES]
        settings += [f"mcp_servers.{name}.enabled=false" for name in _iter_codex_mcp_servers()]
        settings += [
            f"model_instructions_file={json.dumps(str(instructions))}",
            'model_reasoning_effort="low"',
            "project_doc_max_bytes=0",
            'web_search="disabled"',
            "notify=[]",
        ]
        for setting in settings:
            yield from ("-c", setting)
        yield "-"

    def _read(self, done: _Done) -> Generated:
        text, failure, usage = "", "", dict[str, Any]()
        for row in _iter_reply_objects(done.output):
            item = _select_mapping(row.get("item"))
            if row.get("type") == "item.completed" and item.get("type") == "agent_message":
                text = str(item.get("text") or "")
            elif row.get("type") == "turn.completed":
                usage = _select_mapping(row.get("usage"))
            elif row.get("type") in ("error", "turn.failed"):
                failure = str(
                    row.get("message") or _select_mapping(row.get("error")).get("message") or ""
                )
        if usage:
            return Generated(
                text,
                _read_token_count(usage, "input_tokens"),
                _read_token_count(usage, "output_tokens"),
            )
        if _CUT.search(failure):
            return Generated("", is_cut=True)
        raise self._failed(failure or _find_last_printed_line(done.errors), done.status)


def _iter_codex_mcp_servers() -> Iterator[str]:
    """Yield the names of the MCP servers in Codex' settings: no switch turns all of them off."""
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    try:
        server_table = tomllib.loads((home / "config.toml").read_text(encoding="utf-8")).get(
            "mcp_servers"
        )
    except (OSError, ValueError):
        return
    yield from (name for name in _select_mapping(server_table) if _BARE.fullmatch(name))


def _kill_command_group(process: subprocess.Popen[str]) -> None:
    """Kill a command and its child processes."""
    with suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=5)


def _iter_reply_objects(text: str) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):  # a string in JSON may hold other line ends
        with suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def _select_mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_token_count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return max(value, 0) if isinstance(value, int) else 0


def _read_dollar_cost(value: object) -> float:
    return max(float(value), 0.0) if isinstance(value, int | float) else 0.0


def _find_last_printed_line(text: str) -> str:
    """Return the last non-empty line of an output: warnings stand before it."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")
