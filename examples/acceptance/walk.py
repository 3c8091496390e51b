"""Runner of the acceptance walks: a fresh home, the product's own commands, a line a criterion.

A walk drives `gieok` as a user does and states each criterion of its document once, by one of
four methods:

- `holds`: the criterion as the document asks it. ✓ where the check passed, ✗ where it did not.
- `holds_in_time`: the same of how long something takes. On a busy machine everything takes longer,
  so the limit grows with what a bare Python program takes beside it (`run_bare_python`). Where the
  tests run beside it too, ✗ is –.
- `differs`: the product does something else on purpose. "differently" where what it does instead
  passed its check and `docs/decisions.md` has the paragraph that says why; else ✗.
- `lacks_command`: no command of the walk can show it. – where the named test is there, else ✗.

A criterion that is known to be unmet is listed by the walk in `KNOWN`, with the reason. A known ✗
that passes is an error too, so that the list stays true.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from forked import Commands

ROOT = Path(__file__).resolve().parents[2]
_DECISIONS = ROOT / "docs" / "decisions.md"
_CONVERTED_MODELS = ROOT / ".cache" / "models"


class Verdict(Enum):
    """Outcome of a criterion, as it is printed."""

    WORKS = "✓"
    DIFFERENT = "differently"
    UNTRIED = "–"
    MISSING = "✗"


#: Program that imports some of Python's own modules, as every command does, and what it takes where
#: nothing else runs (two cores, Python 3.11: 58 to 62 ms of CPU).
_BARE_PROGRAM = "import argparse, email.message, json, sqlite3, unittest, xml.dom.minidom"
_QUIET_BARE_S = 0.06
_BARE_RUNS = 5


class Took(NamedTuple):
    """Seconds that a program took, of the processors and on a clock."""

    cpu_s: float
    clock_s: float


class Answer(NamedTuple):
    """What a command answered: its exit status and its two outputs."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the output as JSON; {} where it is none."""
        try:
            return json.loads(self.out)
        except ValueError:
            return {}


class Criterion(NamedTuple):
    """A criterion with its verdict and the figure that was measured."""

    section: str
    asks: str
    verdict: Verdict
    figure: str


@dataclass
class Walk:
    """One walk through a document, in a home of its own below `folder`."""

    document: str
    folder: Path
    #: What the document asks and the product does not do → why.
    known: Mapping[str, str] = field(default_factory=dict)
    criteria: list[Criterion] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    #: Runs commands as forks of one process, which the tests ask for; None: each is a program.
    forks: "Commands | None" = None

    def __post_init__(self) -> None:
        """Make the home of a new user, with the converted model where the checkout has one."""
        self.user.mkdir(parents=True, mode=0o700)
        self.home.mkdir(mode=0o700)
        models = Path(os.environ.get("GIEOK_TEST_MODELS", _CONVERTED_MODELS))
        if models.is_dir():
            (self.home / "models").symlink_to(models)
        # An installed package has its bytecode; without it, each command would compile itself.
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIEOK_") and name != "PYTHONDONTWRITEBYTECODE"
        }
        self.environment = own | {
            "HOME": str(self.user),
            "GIEOK_HOME": str(self.home),
            "GIEOK_DAEMON_AUTOSTART": "off",
            "GIEOK_LANG": "en",
            "TZ": "Asia/Seoul",
            "OMP_NUM_THREADS": "1",
        }
        print(f"\n{self.document}\n{'=' * len(self.document)}", flush=True)

    @property
    def user(self) -> Path:
        """Return the user's own folder, `HOME` of every command."""
        return self.folder / "user"

    @property
    def home(self) -> Path:
        """Return Gieok's home."""
        return self.user / ".gieok"

    @property
    def used_cpu_s(self) -> float:
        """Return the CPU seconds that programs took: those of other people do not change them.

        A command whose time is asked for is run by `run_program`.
        """
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def gieok(
        self,
        *arguments: str,
        folder: str | Path | None = None,
        typed: str = "",
        **environment: str,
    ) -> Answer:
        """Run a command in a folder, the user's own by default, with `typed` as its input."""
        if self.forks is None:
            return self.run_program(*arguments, folder=folder, typed=typed, **environment)
        place = Path(folder or self.user)
        return Answer(
            *self.forks.run(arguments, self.environment | environment, place, given=typed)
        )

    def run_program(
        self,
        *arguments: str,
        folder: str | Path | None = None,
        typed: str = "",
        **environment: str,
    ) -> Answer:
        """Run a command as `gieok` does, and start Python for it: its start is measured too."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "gieok", *arguments],
            cwd=folder or self.user,
            env=self.environment | environment,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def run_bare_python(self, runs: int = _BARE_RUNS) -> Took:
        """Run a program of Python's own a few times, and return the medians of what it took."""
        took = []
        for _ in range(runs):
            cpu_s, clock_s = self.used_cpu_s, time.monotonic()
            subprocess.run(
                [sys.executable, "-P", "-c", _BARE_PROGRAM], env=self.environment, check=True
            )
            took.append(Took(self.used_cpu_s - cpu_s, time.monotonic() - clock_s))
        return Took(
            statistics.median(one.cpu_s for one in took),
            statistics.median(one.clock_s for one in took),
        )

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        """Start a command that stays, such as the daemon; the caller ends it."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "gieok", *arguments],
            cwd=self.user,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def write(self, name: str, text: str) -> Path:
        """Write a file below the user's folder."""
        file = self.user / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def chapter(self, title: str) -> None:
        """Begin a chapter of the document."""
        print(f"\n{title}", flush=True)

    def holds(self, section: str, asks: str, *, met: bool, figure: object = "") -> None:
        """State a criterion that the product meets as the document asks it."""
        self._add(section, asks, Verdict.WORKS if met else Verdict.MISSING, figure)

    def holds_in_time(
        self,
        section: str,
        asks: str,
        *,
        took_s: float,
        limit_s: float,
        bare_s: float,
        figure: object,
        met: bool = True,
    ) -> None:
        """State a criterion about time.

        `bare_s` is what bare Python took beside it, in seconds of the same kind. `met`: whether what
        took the time was done.
        """
        is_in_time = took_s < limit_s * max(1.0, bare_s / _QUIET_BARE_S)
        shown = (
            f"{figure}, {took_s / bare_s:.1f} times bare Python; "
            f"the limit is {limit_s / _QUIET_BARE_S:.0f} times"
        )
        if (met and is_in_time) or self.forks is None:
            self.holds(section, asks, met=met and is_in_time, figure=shown)
        else:
            self._add(section, asks, Verdict.UNTRIED, f"{shown}, beside other tests")

    def differs(
        self, section: str, asks: str, *, met: bool, decision: str, figure: object = ""
    ) -> None:
        """State a criterion that the product meets in another way.

        `met` is whether that way works; `decision` opens the paragraph of `docs/decisions.md`.
        """
        is_said = f"- **{decision}" in _DECISIONS.read_text(encoding="utf-8")
        text = figure if is_said else f"no decision {decision!r}"
        self._add(section, asks, Verdict.DIFFERENT if met and is_said else Verdict.MISSING, text)

    def lacks_command(self, section: str, asks: str, *, test: str) -> None:
        """State a criterion that the walk has no command for, and the `file::test` that shows it.

        A benchmark is named by its file alone.
        """
        file, _, name = test.partition("::")
        path = ROOT / file
        is_there = path.is_file() and f"def {name}" in path.read_text(encoding="utf-8")
        self._add(section, asks, Verdict.UNTRIED if is_there else Verdict.MISSING, test)

    def _add(self, section: str, asks: str, verdict: Verdict, figure: object) -> None:
        self.criteria.append(Criterion(section, asks, verdict, str(figure)))
        why = self.known.get(asks, "") if verdict is Verdict.MISSING else ""
        tail = ": ".join(filter(None, (str(figure), f"known, {why}" if why else "")))
        line = f"  {verdict.value} {section}: {asks}"
        print(f"{line} ({tail})" if tail else line, flush=True)

    @property
    def faults(self) -> list[str]:
        """Return the criteria that fail and are not known to, and the known ones that pass."""
        missing = {c.asks for c in self.criteria if c.verdict is Verdict.MISSING}
        return sorted(missing ^ set(self.known))

    def count(self) -> str:
        """Return the line with the number of criteria by verdict."""
        numbers = [
            f"{sum(c.verdict is verdict for c in self.criteria)} {verdict.value}"
            for verdict in Verdict
        ]
        return f"{self.document}: {len(self.criteria)} criteria, {', '.join(numbers)}"
