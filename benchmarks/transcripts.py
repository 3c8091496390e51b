"""Lays conversations out as an agent's real transcripts, with a clock that the benchmark moves.

The programs under test see the time of the moved clock: `clock/sitecustomize.py` is put on their
PYTHONPATH, and takes the time from the age of a file.
"""

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import gieok

_SOURCE = str(Path(gieok.__file__).parents[1])
_BETWEEN = timedelta(seconds=40)
_MODELS = {"claude-code": "claude-opus-4-5", "codex": "gpt-5-codex"}


@dataclass(frozen=True)
class Session:
    """A conversation: its turns are (role, text), the role user, assistant or tool."""

    id: str
    at: datetime
    folder: Path
    turns: Sequence[tuple[str, str]]

    @property
    def end(self) -> datetime:
        return self.at + _BETWEEN * (len(self.turns) + 1)


@dataclass(frozen=True)
class Home:
    """A person's home of its own, in which programs are run at the time of a moved clock."""

    path: Path
    #: More variables, such as settings.
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def memory(self) -> Path:
        return self.path / ".gieok"

    def set_clock(self, now: datetime) -> None:
        file = self.path / "clock"
        file.touch()
        os.utime(file, (now.timestamp(), now.timestamp()))

    def environment(self) -> dict[str, str]:
        """Return what `env -i` would leave, with the clock."""
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        # The program of this checkout, also where another one is installed.
        own = os.pathsep.join((str(Path(__file__).parent / "clock"), _SOURCE))
        return {
            "HOME": str(self.path),
            "PATH": tools,
            "LANG": "C.UTF-8",
            "TZ": "Asia/Seoul",
            "PYTHONPATH": own,
            "BENCHMARK_CLOCK": str(self.path / "clock"),
            "OMP_NUM_THREADS": "1",
            "GIEOK_DAEMON_AUTOSTART": "off",
            **self.more,
        }

    def run(
        self, command: Sequence[str] | str, folder: Path, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env=self.environment(),
            input=given,
            capture_output=True,
            text=True,
            shell=isinstance(command, str),
            check=False,
            timeout=900,
        )

    def gieok(self, *arguments: str, folder: Path | None = None) -> str:
        done = self.run(["gieok", *arguments], folder or self.path)
        if done.returncode not in (0, 1):  # 1: nothing was found
            raise SystemExit(
                f"gieok {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout


def write(home: Home, agent: str, session: Session) -> Path:
    """Write a session where the agent keeps its transcripts; return the file."""
    file = home.path / _file(agent, session)
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = _LINES[agent](session)
    file.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    os.utime(file, (session.end.timestamp(), session.end.timestamp()))
    return file


def transcript_file(home: Home, agent: str, session: Session) -> Path:
    """Return where the agent keeps the transcript of a session."""
    return home.path / _file(agent, session)


def session_uuid(session: Session) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, session.id))


def _file(agent: str, session: Session) -> Path:
    own = session_uuid(session)
    if agent == "codex":
        at = session.at.astimezone(UTC)
        return Path(f".codex/sessions/{at:%Y/%m/%d}/rollout-{at:%Y-%m-%dT%H-%M-%S}-{own}.jsonl")
    return Path(
        ".claude/projects", re.sub(r"[^0-9A-Za-z]", "-", str(session.folder)), f"{own}.jsonl"
    )


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _dated(session: Session) -> Iterator[tuple[str, str, str, str]]:
    """Yield each turn with its stamp and an id."""
    for number, (role, text) in enumerate(session.turns):
        moment = session.at + _BETWEEN * number
        yield (
            role,
            text,
            _stamp(moment),
            str(uuid.uuid5(uuid.NAMESPACE_URL, f"{session.id}/{number}")),
        )


def _claude_lines(session: Session) -> Iterator[Mapping[str, Any]]:
    own, before = session_uuid(session), None
    common = {
        "isSidechain": False,
        "userType": "external",
        "cwd": str(session.folder),
        "sessionId": own,
    }
    common |= {"version": "2.1.330", "gitBranch": "main"}
    for role, text, stamp, number in _dated(session):
        call = f"toolu_{number[:8]}"
        if role == "tool":
            use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "…"}}
            asked = {
                "role": "assistant",
                "model": _MODELS["claude-code"],
                "id": f"msg_{number[:12]}",
                "content": [use],
            }
            line = {
                "type": "assistant",
                "parentUuid": before,
                "uuid": f"{number[:-1]}a",
                "timestamp": stamp,
            }
            yield {**common, **line, "message": asked}
            before = line["uuid"]
            result = [{"type": "tool_result", "tool_use_id": call, "content": text}]
            message: dict[str, Any] = {"role": "user", "content": result}
        elif role == "user":
            message = {"role": "user", "content": text}
        else:
            content = [{"type": "text", "text": text}]
            message = {
                "role": "assistant",
                "model": _MODELS["claude-code"],
                "id": f"msg_{number[:12]}",
                "content": content,
            }
        kind = "assistant" if role == "assistant" else "user"
        yield {
            **common,
            "type": kind,
            "parentUuid": before,
            "uuid": number,
            "timestamp": stamp,
            "message": message,
        }
        before = number


def _codex_lines(session: Session) -> Iterator[Mapping[str, Any]]:
    own, stamp, folder = session_uuid(session), _stamp(session.at), str(session.folder)
    meta = {
        "session_id": own,
        "id": own,
        "timestamp": stamp,
        "cwd": folder,
        "originator": "codex_cli_rs",
    }
    meta |= {
        "cli_version": "0.169.0",
        "source": "cli",
        "thread_source": "user",
        "model_provider": "openai",
    }
    rows: list[tuple[str, str, Mapping[str, Any]]] = [(stamp, "session_meta", meta)]
    context = (
        f"<environment_context>\n  <cwd>{folder}</cwd>\n  "
        f"<shell>bash</shell>\n</environment_context>"
    )
    rows.append((stamp, "response_item", _codex_message("user", context, f"msg_{own}")))
    for role, text, moment, number in _dated(session):
        if role == "tool":
            call = f"call_{number[:12]}"
            used = {
                "type": "function_call",
                "name": "shell",
                "arguments": '{"command":["…"]}',
                "call_id": call,
            }
            rows.append((moment, "response_item", used))
            rows.append(
                (
                    moment,
                    "response_item",
                    {"type": "function_call_output", "call_id": call, "output": text},
                )
            )
        else:
            rows.append((moment, "response_item", _codex_message(role, text, f"msg_{number}")))
    for ordinal, (moment, kind, payload) in enumerate(rows):
        yield {"timestamp": moment, "ordinal": ordinal, "type": kind, "payload": payload}


def _codex_message(role: str, text: str, number: str) -> Mapping[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {
        "type": "message",
        "id": number,
        "role": role,
        "content": [{"type": kind, "text": text}],
    }


_LINES = {"claude-code": _claude_lines, "codex": _codex_lines}
AGENTS = tuple(_LINES)
