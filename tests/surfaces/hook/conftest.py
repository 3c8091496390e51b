"""A home and a project with memory, and the hook as an agent runs it: another process, JSON in,
JSON out.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import forked
import pytest
from forked import Commands

import gieok
from gieok.commands import load_command
from gieok.home.calls import open_call

_SOURCE = str(Path(gieok.__file__).parents[1])


class Said(NamedTuple):
    """What the hook gave."""

    status: int
    out: bytes
    err: bytes

    @property
    def context(self) -> str:
        """What is put before the model."""
        printed = json.loads(self.out or b"{}")
        inside = printed.get("hookSpecificOutput", {}).get("additionalContext")
        names = ("additional_context", "additionalContext", "message")
        return next(filter(None, (inside, *map(printed.get, names))), "")

    @property
    def notice(self) -> str:
        """What is shown to the person."""
        return json.loads(self.out or b"{}").get("systemMessage", "")


class Place:
    """A user's folder with Gieok's home and one project."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, patient: Commands) -> None:
        self._sessions = 0
        self._patient = patient
        self.user, self.home, self.project = (
            folder / "user",
            folder / "home",
            folder / "user" / "shop",
        )
        (self.project / ".git").mkdir(parents=True)
        monkeypatch.chdir(self.project)
        # A shared machine is slow at times: no test but those of the deadline depends on it.
        self.environment = {
            "HOME": str(self.user),
            "GIEOK_HOME": str(self.home),
            "GIEOK_EMBEDDER": "none",
            "GIEOK_HOOK_DEADLINE_MS": "600000",
            "GIEOK_DAEMON_AUTOSTART": "off",
        }
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    @property
    def database(self) -> Path:
        return self.home / "memory.sqlite"

    def remember(self, text: str, **fields: object) -> Path:
        """Keep a record, and leave the database closed; return the record's file."""
        call = open_call({})
        result = load_command("remember")(call, text=[text], **fields)
        call.home.store.close()
        return (self.home.parent if fields.get("user") else self.project) / result.path

    def trust(self) -> None:
        """Trust what the project brings along, as a person would."""
        call = open_call({})
        load_command("trust")(call, yes=True)
        call.home.store.close()

    def payload(self, prompt: object, **fields: object) -> dict[str, object]:
        return {"session_id": "s", "cwd": str(self.project), "prompt": prompt, **fields}

    def run(
        self, event: str, payload: bytes, *arguments: str, code: str = "", **environment: str
    ) -> Said:
        """Run `gieok hook EVENT`, or a program in its place, on a payload as it is.

        A session's start is a fork that has all the time it needs to index.
        """
        if event == "session-start" and not code:
            done = self._patient.run(
                ["hook", event, *arguments],
                os.environ | self.environment | environment,
                self.user,
                given=payload.decode(),
            )
            return Said(done.status, done.out.encode(), done.err.encode())
        command = ["-c", code] if code else ["-m", "gieok", "hook"]
        program = subprocess.run(
            [sys.executable, *command, event, *arguments],
            input=payload,
            capture_output=True,
            check=False,
            cwd=self.user,
            env=os.environ | self.environment | {"PYTHONPATH": _SOURCE} | environment,
        )
        return Said(program.returncode, program.stdout, program.stderr)

    def hook(
        self, event: str, payload: Mapping[str, object], *arguments: str, **environment: str
    ) -> Said:
        """Run `gieok hook EVENT`; it must end well and keep stderr clean.

        Each call is of a session of its own, unless the payload names one: in one session nothing
        is injected twice.
        """
        if payload.get("session_id") == "s":
            self._sessions += 1
            payload = {**payload, "session_id": f"5e55{self._sessions}"}
        said = self.run(event, json.dumps(payload).encode(), *arguments, **environment)
        assert (said.status, said.err) == (0, b"")
        return said

    def log(self) -> list[str]:
        file = self.home / "logs" / "hook.log"
        return file.read_text().splitlines() if file.is_file() else []

    def calls(self) -> list[dict[str, object]]:
        file = self.home / "hook" / "calls.jsonl"
        return (
            [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []
        )

    def spooled(self) -> list[dict[str, object]]:
        return [
            json.loads(file.read_text()) for file in sorted((self.home / "spool").glob("*.json"))
        ]


@pytest.fixture(scope="session")
def patient() -> Iterator[Commands]:
    with forked.commands("patient_hook") as server:
        yield server


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patient: Commands) -> Place:
    return Place(tmp_path, monkeypatch, patient)


@pytest.fixture
def known(place: Place) -> Place:
    place.remember("린터는 ruff를 쓰기로 했다. flake8은 느려서 버렸다.", tags="lint, ruff")
    place.remember(
        "Deploys go out on Tuesday mornings.", title="Deploy window", category="constraint"
    )
    place.remember(
        "Retry webhooks with exponential backoff, at most five times.", category="preference"
    )
    place.remember("보고서는 항상 존댓말로 짧게 쓴다.", category="preference", user=True)
    return place
