"""The daemon and the server with everything they do, for an hour: does memory, handles or threads
grow, and is the home whole at the end?

    python benchmarks/soak.py [--minutes 60] [--pause-s 1.0] [--json]

A fresh home with a project of notes and code, watched by a daemon, and a server of characters. In
turns, until the time is over: a session of an agent is written, a prompt asks the installed hook, a
memory is kept, searched, corrected and forgotten, a file of code changes and is asked about, a
character is talked to. Every half minute the daemon's and the server's resident memory, open
files, threads and processes are counted.

Printed is the median of the first fifth after a warm-up of a tenth, beside that of the last fifth,
and what `gieok doctor --free` and SQLite's own check say of the home at the end.
"""

import argparse
import itertools
import json
import random
import re
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import psutil

from told import Asked
from transcripts import Home, Session, write

_AGENT = "claude-code"
_COUNT_EVERY_S = 30.0
_MOST_KEPT = 20
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_THINGS = ("the kiln", "the greenhouse", "the print shop", "배포 서버", "동아리방", "텃밭", "창고")
_VALUES = ("Monday", "Thursday", "07:30", "port 8443", "화요일", "오전 9시", "3층", "파란 열쇠")
_FIGURES = ("memory_mb", "files", "threads", "processes")


@dataclass(frozen=True)
class Count:
    """What a process and its children hold at a moment."""

    memory_mb: float
    files: int
    threads: int
    processes: int


@dataclass
class Watched:
    """A process that is counted from time to time."""

    name: str
    process: psutil.Process
    counts: list[Count] = field(default_factory=list)

    def count(self) -> None:
        family = [self.process, *self.process.children(recursive=True)]
        with self.process.oneshot():
            self.counts.append(
                Count(
                    sum(one.memory_info().rss for one in family) / 1e6,
                    self.process.num_fds(),
                    self.process.num_threads(),
                    len(family),
                )
            )

    def growth(self) -> dict[str, tuple[float, float]]:
        """Return figure → its median early, and late."""
        warm = self.counts[len(self.counts) // 10 :]
        part = max(len(warm) // 5, 1)
        return {
            name: (
                median(getattr(count, name) for count in warm[:part]),
                median(getattr(count, name) for count in warm[-part:]),
            )
            for name in _FIGURES
        }


class Person:
    """Somebody who uses everything, in turns; seeded."""

    def __init__(self, home: Home, project: Path, server: str, key: str) -> None:
        self._home, self._project = home, project
        self._server, self._key = server, key
        self._chance = random.Random(37)
        self._asked = Asked(home, _AGENT)
        self._number = 0
        self.done: Counter[str] = Counter()

    def deeds(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield what is done next, for ever."""
        yield from itertools.cycle(
            (
                ("session", self._hold_session),
                ("prompt", self._ask_hook),
                ("remember", self._remember),
                ("search", self._search),
                ("talk", self._talk),
                ("code", self._change_code),
                ("correct", self._correct),
                ("forget", self._forget),
            )
        )

    def _say(self) -> str:
        self._number += 1
        thing, value = self._chance.choice(_THINGS), self._chance.choice(_VALUES)
        return f"{thing} {self._number}: {value}"

    def _hold_session(self) -> None:
        turns = [
            (role, f"We settled it: {self._say()}." if role == "user" else "Noted.")
            for role in ("user", "assistant") * 4
        ]
        now = datetime.now(UTC) - timedelta(minutes=10)
        write(self._home, _AGENT, Session(f"soak-{self._number}", now, self._project, turns))

    def _ask_hook(self) -> None:
        ask = f"when is {self._chance.choice(_THINGS)} open?"
        self._asked.inject("prompt", self._project, self._asked.session(), ask)

    def _remember(self) -> None:
        self._run("remember", self._say())

    def _search(self) -> None:
        self._run("search", "--json", self._chance.choice(_THINGS))

    def _correct(self) -> None:
        self._run("edit", self._list_records()[0], self._say())

    def _forget(self) -> None:
        kept = self._list_records()
        if len(kept) > _MOST_KEPT:
            self._run("forget", "--yes", kept[-1])

    def _list_records(self) -> list[str]:
        """List handles of what was kept by hand, the newest first."""
        found = json.loads(self._run("list", "--kind", "record", "--limit", "0", "--json"))
        return [row["handle"] for row in found["memories"]]

    def _change_code(self) -> None:
        file = self._project / f"part_{self._chance.randrange(40)}.py"
        name = f"step_{self._number}"
        file.write_text(f"def {name}(order):\n    return order.total * 2\n", encoding="utf-8")
        self._run("code", "query", name)

    def _talk(self) -> None:
        request = urllib.request.Request(
            f"{self._server}/api/characters/soak/messages",
            json.dumps({"text": self._say()}).encode(),
            {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()

    def _run(self, *arguments: str) -> str:
        return self._home.gieok(*arguments, folder=self._project)


@contextmanager
def serving(home: Home) -> Iterator[tuple[psutil.Process, str]]:
    """Run a server of characters; yield its process and its address."""
    process = subprocess.Popen(
        ["gieok", "serve", "--port", "0"],
        cwd=home.path,
        env=home.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    found = None
    while found is None:
        line = process.stdout.readline()
        if not line:
            raise SystemExit("gieok serve ended before it said where it listens")
        found = _ADDRESS.search(line)
    try:
        yield psutil.Process(process.pid), found[0]
    finally:
        process.terminate()
        process.wait(60)


def prepare(place: Path, models: Path) -> tuple[Home, Path]:
    """Make a home and a project in it, with an agent's hooks and a running daemon."""
    home = Home(place)
    project = home.path / "work" / "orders"
    project.mkdir(parents=True)
    home.run("git init -q", project)
    for number in range(40):
        text = f"def step_{number}(order):\n    return order.total + {number}\n"
        (project / f"part_{number}.py").write_text(text, encoding="utf-8")
    (project / "notes.md").write_text("# Orders\n\nThe queue is drained at 02:00.\n")
    home.memory.mkdir(mode=0o700)
    if models.is_dir():
        (home.memory / "models").symlink_to(models.resolve())
    home.set_clock(datetime.now(UTC))
    home.gieok("install", _AGENT, folder=project)
    home.gieok("index", "notes.md", folder=project)
    home.gieok("code", "init", folder=project)
    home.gieok("character", "create", "Soak", "--id", "soak")
    home.gieok("up")
    return home, project


def find_daemon(home: Home) -> psutil.Process:
    """Find the daemon of a home."""
    row = json.loads((home.memory / "daemon.json").read_text(encoding="utf-8"))
    return psutil.Process(row["pid"])


def use(person: Person, watched: list[Watched], home: Home, seconds: float, pause_s: float) -> None:
    """Do everything in turns for a time, and count from time to time."""
    until, next_count = time.monotonic() + seconds, 0.0
    for name, deed in person.deeds():
        now = time.monotonic()
        if now >= until:
            return
        if now >= next_count:
            next_count = now + _COUNT_EVERY_S
            for one in watched:
                one.count()
        home.set_clock(datetime.now(UTC))
        deed()
        person.done[name] += 1
        time.sleep(pause_s)


def check_home(home: Home, project: Path) -> dict[str, str]:
    """Say whether the home is whole: SQLite's own check of each database, and what doctor finds."""
    said = {}
    for file in sorted(home.memory.rglob("*.sqlite")):
        with sqlite3.connect(file) as database:
            found = database.execute("PRAGMA integrity_check").fetchone()[0]
        said[str(file.relative_to(home.memory))] = str(found)
    done = home.run(["gieok", "doctor", "--free"], project)
    said["doctor"] = f"exit {done.returncode}: {done.stdout.strip().splitlines()[-1]}"
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pause-s", type=float, default=1.0, help="rest after each deed")
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        home, project = prepare(Path(place).resolve(), arguments.models)
        try:
            with serving(home) as (server, address):
                key = json.loads(
                    home.gieok("character", "key", "create", "--user", "soaker", "--json")
                )["key"]
                home.gieok("character", "points", "soaker", "--credit", "1000000")
                watched = [Watched("daemon", find_daemon(home)), Watched("server", server)]
                person = Person(home, project, address, key)
                use(person, watched, home, arguments.minutes * 60, arguments.pause_s)
            row = {
                "minutes": arguments.minutes,
                "done": dict(person.done),
                "growth": {one.name: one.growth() for one in watched},
                "home": check_home(home, project),
            }
        finally:
            home.run(["gieok", "down"], home.path)
    if arguments.json:
        print(json.dumps(row, ensure_ascii=False))
        return
    print("done", row["done"])
    for one in watched:
        print(
            f"{one.name:8}", {name: f"{a:.0f} → {b:.0f}" for name, (a, b) in one.growth().items()}
        )
    for name, found in row["home"].items():
        print(f"{name:28} {found}")


if __name__ == "__main__":
    main()
