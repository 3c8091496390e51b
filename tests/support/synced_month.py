"""A month on several devices: everything that can be told, changed and forgotten, in any order,
with a week offline for each device, kills, a changed key and a device that is dropped.
"""

import os
import random
import signal
import sys
import threading
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from devices import MAIN, START, DeviceHome, join_devices, run_git

from gieok.errors import BadRequest, RemoteUnreachable
from gieok.memory import observation
from gieok.testing import ManualClock

#: Calls before which a process is killed: writes, and starts of `git`.
WRITES = {
    "execute", "executemany", "executescript", "replace", "unlink", "link", "rename", "write",
    "fsync", "mkdir", "fork_exec",
}  # fmt: skip
_LAST_KILL = 12.0


class ToldText(NamedTuple):
    """Text that was told: the token of what it is about, when, and where."""

    token: str
    text: str
    at: datetime
    device: str


def sync_killed(
    device: DeviceHome, kill_at: int, command: str = "sync run", **arguments: Any
) -> bool:
    """Run a command in a process that is killed before its so-manieth write; say whether it was."""
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, -signal.SIGKILL), status
        return status != 0
    left = kill_at

    def watch(frame: object, event: str, called: object) -> None:
        nonlocal left
        if event == "c_call" and getattr(called, "__name__", "") in WRITES:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        threading.setprofile(watch)
        sys.setprofile(watch)
        device.run(command, **arguments)
    except RemoteUnreachable:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - a fork must not return
        sys.setprofile(None)
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(3)
    os._exit(0)


class SyncedMonth:
    """Devices that live for some days; `kills` counts the processes that were killed."""

    def __init__(
        self, folder: Path, seed: int, *, days: int, acts_a_day: int, kill_share: float = 0.4
    ) -> None:
        self._random = random.Random(seed)
        self._folder = folder
        self._days = days
        self._acts = acts_a_day
        self._kill_share = kill_share
        self._clock = ManualClock(START)
        self._remote = folder / "remote.git"
        run_git("init", "--quiet", "--bare", str(self._remote))
        self.devices = join_devices(folder, self._clock, self._remote, "one", "two")
        self._told: list[ToldText] = []
        self._replaced: set[str] = set()
        self._forgotten: dict[str, datetime] = {}
        self._gone: set[str] = set()
        self.kills = 0
        self.syncs = 0
        self.both_kept = 0
        #: Days in a row that each device was offline, by its name.
        self.offline_days: Counter[str] = Counter()
        self._lost: DeviceHome | None = None
        self._told_at_drop = 0
        self._faults_of_lost: list[str] = []

    @property
    def told(self) -> int:
        """Return how many texts were told."""
        return len(self._told)

    @property
    def forgotten(self) -> int:
        """Return how many texts were forgotten."""
        return len(self._gone)

    def live(self) -> None:
        """Let the days pass, then let every device hear of everything."""
        for day in range(self._days):
            self._live_day(day)
        for _ in range(3):
            for device in self.devices:
                device.sync()
        if self._lost:
            self._try_lost(self._lost)

    def _live_day(self, day: int) -> None:
        third, rotated, dropped = self._days // 4, self._days // 2, self._days * 2 // 3
        if day == third:
            self.devices.append(self._join_by_key("three"))
            self._lost = self._join_by_key("lost")
        if day == rotated:
            self._sync(self.devices[0])
            self.devices[0].run("sync rotate")
        if day == dropped and self._lost:
            self._drop(self._lost)
        used = [*self.devices, *([self._lost] if self._lost and day < dropped else [])]
        away = self._find_away(day, third, rotated)
        if away:
            self.offline_days[away.folder.name] += 1
        self._use_devices(used, {away, self._random.choice([None, *used])})

    def _use_devices(self, used: list[DeviceHome], offline: set[DeviceHome | None]) -> None:
        for _ in range(self._acts):
            for device in used:
                self._clock.advance(timedelta(minutes=self._random.randint(1, 240)))
                self._act(device)
                if device not in offline and self._random.random() < 0.6:
                    self._sync(device)

    def find_faults(self) -> list[str]:
        """Return what is not equal, lost, or there although it was forgotten."""
        exports = [device.export() for device in self.devices]
        faults = [
            *self._faults_of_lost,
            *self._list_differences(exports),
        ]
        everything = "\n".join(exports[0])
        for told in self._told:
            forgotten = self._forgotten.get(told.token)
            is_due = told.text not in self._replaced and (forgotten is None or told.at > forgotten)
            if is_due and told.text not in everything:
                faults.append(f"lost: {told.text!r} of {told.device}")
        later = {
            told.token for told in self._told if told.at > self._forgotten.get(told.token, told.at)
        }
        faults += [
            f"forgotten and there: {text!r}"
            for text in sorted(self._gone)
            if text.split()[0] not in later and text in everything
        ]
        return faults

    def _list_differences(self, exports: list[list[str]]) -> list[str]:
        return [
            f"{self.devices[n].folder.name} differs: {_find_difference(exports[0], other)[:4]}"
            for n, other in enumerate(exports)
            if other != exports[0]
        ]

    def _join_by_key(self, name: str) -> DeviceHome:
        key = self._folder / f"{name}.key"
        self.devices[0].run("sync key", to=str(key))
        device = DeviceHome(self._folder / name, self._clock)
        device.run("sync init", remote=str(self._remote), name=name, key_file=str(key))
        device.sync()
        return device

    def _find_away(self, day: int, third: int, rotated: int) -> DeviceHome | None:
        """Return the device that is offline for a week on this day; None for none.

        One after the other is: the second before the key is changed, the first while the lost one
        is dropped, the third at the end.
        """
        week = max(1, self._days * 7 // 30)
        begins = {1: third + 1, 0: rotated + 1, 2: rotated + 1 + week}
        away = (n for n, begin in begins.items() if begin <= day < begin + week)
        return next((self.devices[n] for n in away), None)

    def _drop(self, lost: DeviceHome) -> None:
        """Drop a device, on another one that has read everything of it."""
        dropper = self.devices[1]
        lost.sync()
        dropper.sync()
        dropper.run("sync devices", drop=lost.find_id())
        self._told_at_drop = len(self._told)

    def _try_lost(self, lost: DeviceHome) -> None:
        """Let the dropped device read and send once more, with the access and the key it had."""
        text = "Whoever found the lost device says this."
        lost.remember(text)
        lost.run("sync run")
        held = "\n".join(lost.export())
        self._faults_of_lost = [
            f"the dropped device reads {told.text!r}"
            for told in self._told[self._told_at_drop :]
            if told.text in held
        ]
        for device in self.devices:
            device.run("sync run")
            if text in "\n".join(device.export()):
                self._faults_of_lost.append(f"{device.folder.name} hears the dropped device")

    def _sync(self, device: DeviceHome) -> None:
        self.syncs += 1
        self._clock.advance(timedelta(seconds=1))
        if self._random.random() < self._kill_share:
            kill_at = int(2 ** self._random.uniform(0, _LAST_KILL))
            self.kills += sync_killed(device, kill_at)
        else:
            self.both_kept += device.sync().both_kept

    # Acts.
    def _act(self, device: DeviceHome) -> None:
        acts = (
            [self._remember] * 4
            + [self._edit_record] * 3
            + [self._observe] * 2
            + [self._correct] * 2
            + [self._say] * 2
            + [self._forget] * 2
            + [self._retire]
        )
        self._random.choice(acts)(device)

    def _tell(self, device: DeviceHome, token: str) -> str:
        text = f"{token} is number {len(self._told):04} of {device.folder.name}."
        self._told.append(ToldText(token, text, self._clock.now(), device.folder.name))
        return text

    def _new_token(self) -> str:
        return f"Token{len(self._told):04}"

    def _remember(self, device: DeviceHome) -> None:
        self._clock.advance(timedelta(minutes=1))
        device.remember(self._tell(device, self._new_token()), title=f"Note {len(self._told)}")

    def _edit_record(self, device: DeviceHome) -> None:
        names = [name for name in device.list_records() if name.startswith("memory/")]
        if names:
            file = device.home / self._random.choice(names)
            _, head, body = file.read_text("utf-8").split("---\n")
            text = self._tell(device, self._find_token(body))
            self._replaced.add(_find_told(body))
            file.write_text(f"---\n{head}---\n{body.replace(_find_told(body), text)}", "utf-8")
            device.date_file(file)

    def _observe(self, device: DeviceHome) -> None:
        device.observe(self._tell(device, self._new_token()), self._clock.now())

    def _correct(self, device: DeviceHome) -> None:
        call = device.open()
        entries = call.home.journal.made(MAIN)
        call.home.journal.close()
        if entries:
            entry = self._random.choice(entries)
            text = self._tell(device, self._find_token(entry.document.text))
            self._replaced.add(_find_told(entry.document.text))
            device.put_entry(observation.corrected(entry.document, text, self._clock.now()))

    def _say(self, device: DeviceHome) -> None:
        token = self._new_token()
        device.say(f"{device.folder.name}-{token}", self._tell(device, token))

    def _forget(self, device: DeviceHome) -> None:
        held = "\n".join(device.export())
        tokens = sorted({told.token for told in self._told if told.text in held})
        if tokens:
            token = self._random.choice(tokens)
            device.run("forget", match=f"{token} is", yes=True)
            self._forgotten[token] = self._clock.now()
            self._gone |= {
                told.text for told in self._told if told.token == token and told.text in held
            }

    def _retire(self, device: DeviceHome) -> None:
        names = [name for name in device.list_records() if name.startswith("memory/")]
        if names:
            name = Path(self._random.choice(names))
            try:
                device.run("retire", memories=[f"{name.parent.name}/{name.stem}"], user=True)
            except BadRequest:
                return
            device.date_file(device.home / "retired" / name.relative_to("memory"))

    def _find_token(self, body: str) -> str:
        return next(word for word in body.split() if word.startswith("Token"))


def _find_difference(first: list[str], second: list[str]) -> list[str]:
    """Return the lines that one export has more often than the other."""
    counts, others = Counter(first), Counter(second)
    return sorted(((counts - others) + (others - counts)).elements())


def _find_told(body: str) -> str:
    return body[body.index("Token") :].partition(".")[0] + "."
