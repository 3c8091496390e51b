"""Devices of one user: a home each, which commands synchronise over a remote."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.commands.moving.sync import SyncResult
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.exchange import json_lines
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.conversation import Message, Role
from gieok.model.memory import Entry, Scope
from gieok.testing import ManualClock
from gieok.text.handles import build_handle

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
MAIN = Scope("agent:main")
#: Address from which clones of the project of the tests come.
SHOP = "git@example.org:kim/shop.git"


def change_device_environment(patch: pytest.MonkeyPatch) -> None:
    """Let a patch put back what devices change in the environment of this process."""
    for name in ("HOME", "GIEOK_HOME"):
        patch.setenv(name, "/nowhere")
    patch.setenv("GIEOK_EMBEDDER", "none")


class DeviceHome:
    """A home on a device of its own; each command is a process of its own."""

    def __init__(self, folder: Path, clock: ManualClock) -> None:
        self.folder = folder
        self.clock = clock
        self.home = folder / "gieok"
        self.home.mkdir(parents=True)
        #: Settings of this device.
        self.flags: dict[str, str] = {}
        #: Variables of this device, beside those of every process.
        self.environment: dict[str, str] = {}

    def open(self, folder: Path | None = None) -> Call:
        os.environ["GIEOK_HOME"] = str(self.home)
        os.environ["HOME"] = str(self.folder)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIEOK_HOME": str(self.home),
            **self.environment,
        }
        flags = {"embedder": "none", "observe.agents": "none", **self.flags}
        return open_call(
            flags,
            environment=environment,
            folder=folder or self.folder,
            clock=self.clock,
            zone=UTC,
        )

    def run(self, command: str, folder: Path | None = None, **arguments: object) -> Any:
        call = self.open(folder)
        try:
            return load_command(command).function(call, **arguments)
        finally:
            call.home.journal.close()
            call.home.store.close()

    def sync(self) -> SyncResult:
        self.clock.advance(timedelta(seconds=1))
        done = self.run("sync run")
        assert isinstance(done, SyncResult)
        assert done.rejected == ()
        return done

    def remember(self, text: str, **more: Any) -> None:
        self.clock.advance(timedelta(minutes=1))
        before = self.list_records()
        self.run("remember", text=[text], user=True, **more)
        for name, now in self.list_records().items():
            if before.get(name) != now:
                self.date_file(self.home / name)

    def observe(self, text: str, day: datetime = START) -> str:
        call = self.open()
        made = Observation(text, day, Priority.HIGH, Category.DECISION)
        (entry,) = observation.build_observed_entries(MAIN, Observed((made,)), self.clock.now())
        self.put_entry(entry, call)
        return entry.document.key

    def put_entry(self, entry: Entry, call: Call | None = None) -> None:
        call = call or self.open()
        call.home.journal.hand_over(put=[entry])
        call.home.journal.close()

    def say(self, identity: str, text: str) -> None:
        call = self.open()
        message = Message(identity, Role.USER, text, self.clock.now(), "s1", "codex")
        call.home.journal.say(MAIN, [message])
        call.home.journal.close()

    def list_records(self) -> Mapping[str, str]:
        return {
            file.relative_to(self.home).as_posix(): file.read_text("utf-8")
            for shelf in ("memory", "archive", "retired")
            for file in sorted((self.home / shelf).glob("[a-z]*/*.md"))
        }

    def find_record(self, part: str) -> Path:
        (name,) = [
            name for name in self.list_records() if part in name and name.startswith("memory")
        ]
        return self.home / name

    def edit_record(self, part: str, text: str) -> None:
        """Edit a record as an editor does, at the time of the clock."""
        self.clock.advance(timedelta(minutes=1))
        file = self.find_record(part)
        head = file.read_text("utf-8").split("---\n")[1]
        file.write_text(f"---\n{head}---\n{text}\n", "utf-8")
        self.date_file(file)

    def list_handles(self, part: str = "", folder: Path | None = None) -> list[str]:
        """Index, then return the handles of the records in use with a part in their names."""
        self.run("index", folder)
        call = self.open(folder)
        handles = [
            build_handle(scope.path, key)
            for scope in call.home.store.scopes()
            for key in call.home.store.hashes(scope)
            if key.endswith(".md") and part in key and key.startswith("memory")
        ]
        call.home.journal.close()
        call.home.store.close()
        return handles

    def edit_by_command(
        self, part: str, text: str, folder: Path | None = None, *, by_agent: bool = False
    ) -> None:
        """Correct a record as `gieok edit` does, which gives it the name of its new title."""
        self.clock.advance(timedelta(minutes=1))
        (handle,) = self.list_handles(part, folder)
        assert self.run("edit", folder, handle=handle, text=[text], by_agent=by_agent).changed

    def find_id(self) -> str:
        """Return the id under which this device synchronises."""
        return str(json.loads((self.home / "sync" / "sync.json").read_text())["device"])

    def date_file(self, file: Path) -> None:
        moment = self.clock.now().timestamp()
        os.utime(file, (moment, moment))

    def export(self) -> list[str]:
        """Return everything that this home holds, in one order."""
        call = self.open()
        journal, store = call.home.journal, call.home.store
        scopes = sorted({*journal.scopes(), *journal.made_scopes()})
        rows = [
            json.dumps({name: value for name, value in row.items() if name != "scope"})
            for row in json_lines.iter_export_lines(journal, store, scopes)
            if row["is"] != "observed"
        ]
        journal.close()
        store.close()
        return sorted(rows) + [f"{name}\n{text}" for name, text in self.list_records().items()]


def join_devices(tmp_path: Path, clock: ManualClock, remote: Path, *names: str) -> list[DeviceHome]:
    """Return devices that synchronise over a remote: the first one made the key."""
    devices: list[DeviceHome] = []
    key = tmp_path / "carried.key"
    for name in names:
        device = DeviceHome(tmp_path / name, clock)
        key_file = str(key) if devices else ""
        device.run("sync init", remote=str(remote), name=name, key_file=key_file)
        if not devices:
            device.run("sync key", to=str(key))
        devices.append(device)
    return devices


class KeptDevices:
    """Devices in a state with which many tests begin: made once, and put back for each test."""

    def __init__(
        self, folder: Path, *names: str, prepare: Callable[[list[DeviceHome]], object]
    ) -> None:
        place = folder / "devices"
        (place / "remote").mkdir(parents=True)
        self._place = place
        self._clock = ManualClock(START)
        self._devices = join_devices(place, self._clock, place / "remote", *names)
        prepare(self._devices)
        self._moment = self._clock.now()
        self._copy = shutil.copytree(place, folder / "copy", symlinks=True)

    def put_back(self) -> list[DeviceHome]:
        """Return the devices as they were made, at the time of then."""
        shutil.rmtree(self._place)
        shutil.copytree(self._copy, self._place, symlinks=True)
        self._clock.advance(self._moment - self._clock.now())
        for device in self._devices:
            device.flags.clear()
            device.environment.clear()
        return list(self._devices)


def run_git(*words: str) -> str:
    """Run Git as a person with a name; return what it prints."""
    settings = ("-c", "user.name=kim", "-c", "user.email=kim@example.org")
    done = subprocess.run(["git", *settings, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make_repository(folder: Path) -> Path:
    """Make a repository with one commit, of nothing."""
    run_git("init", "--quiet", str(folder))
    run_git("-C", str(folder), "commit", "--quiet", "--allow-empty", "-m", "first")
    return folder


def make_clone(source: Path, folder: Path, origin: str) -> Path:
    """Clone a repository, as one that comes from an address."""
    run_git("clone", "--quiet", str(source), str(folder))
    run_git("-C", str(folder), "remote", "set-url", "origin", origin)
    return folder
