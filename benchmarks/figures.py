"""Figures that documents quote with a path, measured by one command and kept with their commit.

    python benchmarks/figures.py [--only NAME …] [--data DIR] [--out docs/figures.json]

`--only boards` takes the public boards together (docs/boards.md), `--only records` what
observers keep (docs/figures.md). The boards and the transcripts that are filled up with the output
of tools take an hour and a half, so they run only where they are named.

Runs the measurements below in turn, on two cores in about an hour. Figures without a path come from
other scripts, each named in docs/figures.md. What each measurement prints as JSON is kept in
`docs/figures.json`: all numbers by their path (`korean.hook.all.recalled`), the command, the day,
the commit, and how long it took. A measurement that is not run keeps its last numbers, with their
commit. A measurement whose data set is not in DIR is left out, and said to be.

A document quotes a number with its path behind it, `.43<!--korean.hook.all.recalled-->`;
`tests/test_figures.py` holds quotes and numbers together.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

_BENCHMARKS = Path(__file__).resolve().parent
_REPOSITORY = _BENCHMARKS.parent
FIGURES = _REPOSITORY / "docs" / "figures.json"
#: A number that a document quotes, with its path behind it.
QUOTE = re.compile(r"(-?\d*[.,]?\d+)(?: ?[a-zA-Z%]+)?<!--([\w.@-]+(?: [\w.@-]+)*)-->")
#: What stands above a table that quotes no path: its command, day and commit.
MEASURED = re.compile(r"<!-- measured: ([^;]+); (\d{4}-\d\d-\d\d); ([0-9a-f]{8,9}) -->")
#: A line of a table that says something in figures.
_FIGURES = re.compile(r"^\|.*\d")
_PLAIN = ("nothing", "newest", "words", "bigrams", "vectors", "fused")


@dataclass(frozen=True)
class Measurement:
    """A script that prints numbers as JSON; `data` names what it needs of the data folder."""

    name: str
    script: str
    arguments: tuple[str, ...] = ()
    data: str = ""
    data_option: str = "--data"
    #: A second place of the data folder, by its option.
    beside: tuple[str, str] | None = None
    #: Several measurements that `--only` takes by one name.
    group: str = ""
    #: Left out where it is not named.
    is_long: bool = False

    def list_words(self, folder: Path) -> list[str]:
        """Return the command, without the interpreter."""
        place = [self.data_option, str(folder / self.data)] if self.data else []
        if self.beside:
            option, data = self.beside
            place += [option, str(folder / data)]
        return [f"benchmarks/{self.script}", *self.arguments, *place, "--json"]


def _list_korean_systems() -> tuple[str, ...]:
    systems = f"{sys.executable} {_BENCHMARKS / 'korean' / 'systems.py'}"
    names = (*_PLAIN, "hook", "search")
    return tuple(word for name in names for word in ("--system", f"{name}={systems} {name}"))


MEASUREMENTS = (
    Measurement("korean", "korean/score.py", _list_korean_systems()),
    Measurement("told", "told.py", data="told/told_dev.json"),
    Measurement("retrieval", "retrieval.py", ("--most", "300"), data="memory"),
    Measurement("hook", "hook.py", ("speed", "--sizes", "1000", "10000")),
    Measurement("speed", "speed.py", ("--sizes", "10000"), data="memory"),
    Measurement("sidecar", "sidecar.py"),
    Measurement("record", "record.py", data="told/told_dev.json", group="records"),
    Measurement("record_own", "record.py", group="records"),
    Measurement("record_own_ideal", "record.py", ("--observer", "ideal"), group="records"),
    Measurement(
        "record_unasked", "record.py", data="memaware/unasked_ko_dev.json", group="records"
    ),
    Measurement(
        "record_filled",
        "record.py",
        ("--fill-tokens", "50000"),
        data="told/told_dev.json",
        group="records",
        is_long=True,
    ),
    Measurement(
        "record_ideal",
        "record.py",
        ("--observer", "ideal"),
        data="told/told_dev.json",
        group="records",
    ),
    Measurement(
        "record_ideal_filled",
        "record.py",
        ("--observer", "ideal", "--fill-tokens", "50000"),
        data="told/told_dev.json",
        group="records",
        is_long=True,
    ),
    Measurement("pages", "pages.py"),
    Measurement("soak", "soak.py", ("--minutes", "5", "--pause-s", "0.2")),
    Measurement(
        "board_precision",
        "board_precision.py",
        data="boards/precisionMemBench",
        group="boards",
        is_long=True,
    ),
    Measurement(
        "board_proactive",
        "board_proactive.py",
        data="boards/ProactiveMemBench",
        group="boards",
        is_long=True,
    ),
    Measurement(
        "board_locomo",
        "board_dialogues.py",
        ("locomo",),
        data="boards/locomo",
        group="boards",
        is_long=True,
    ),
    Measurement(
        "board_beam",
        "board_dialogues.py",
        ("beam",),
        data="boards/BEAM",
        group="boards",
        is_long=True,
    ),
    Measurement(
        "board_memaware",
        "memaware.py",
        ("--assistant-chars", "800"),
        data="memaware",
        beside=("--board", "boards/memaware"),
        group="boards",
        is_long=True,
    ),
    Measurement(
        "board_realmem",
        "board_realmem.py",
        data="boards/RealMemBench",
        group="boards",
        is_long=True,
    ),
)


def flatten(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield path → number for all numbers in a JSON value; members of a list by their place."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, int | float):
        yield path, value
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for name, one in pairs:
        yield from flatten(one, f"{path}.{name}" if path else str(name))


def run_measurement(measurement: Measurement, data: Path) -> dict[str, Any]:
    """Run a measurement.

    :return: What is kept of it: command, day, commit, seconds, figures by path.
    :raise SystemExit: It failed.
    """
    words, began = measurement.list_words(data), time.monotonic()
    done = subprocess.run(
        [sys.executable, *words],
        cwd=_REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}")
    return {
        "command": _describe_command(measurement),
        "day": datetime.now(UTC).date().isoformat(),
        "commit": read_commit(),
        "seconds": round(time.monotonic() - began),
        "figures": dict(flatten(json.loads(done.stdout))),
    }


def _describe_command(measurement: Measurement) -> str:
    """Return the command as a reader types it: without this machine's places."""
    words = measurement.list_words(Path("DATA"))
    shown = [word.replace(f"{sys.executable} {_BENCHMARKS}", "python benchmarks") for word in words]
    return " ".join(["python", *(f"'{word}'" if " " in word else word for word in shown)])


def read_commit() -> str:
    """Return the short id of the commit that is measured; a `+` where files differ from it."""
    told = ["git", "describe", "--always", "--exclude", "*", "--dirty=+", "--abbrev=9"]
    done = subprocess.run(told, cwd=_REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def read_figures(file: Path = FIGURES) -> dict[str, dict[str, Any]]:
    """Read what was measured last: name → what `run_measurement` returned."""
    if not file.is_file():
        return {}
    kept: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def list_unfounded_tables(document: str) -> list[str]:
    """Return the first lines of the tables with figures that neither quote a path nor have above
    them the command, the day and the commit.
    """
    unfounded = list[str]()
    blocks = re.split(r"\n(?:\s*\n)+", document)
    for before, block in pairwise(["", *blocks]):
        rows = block.strip().split("\n")
        if not rows[0].startswith("|") or not any(map(_FIGURES.match, rows[2:])):
            continue
        if not QUOTE.search(block) and not MEASURED.fullmatch(before.strip()):
            unfounded.append(rows[0])
    return unfounded


def write_figures(file: Path, kept: Mapping[str, Any]) -> None:
    text = json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True)
    file.write_text(text + "\n", encoding="utf-8")


def choose(only: Sequence[str]) -> list[Measurement]:
    """Return the measurements that are asked for; all but the long ones where none is named."""
    if not only:
        return [one for one in MEASUREMENTS if not one.is_long]
    return [one for one in MEASUREMENTS if one.name in only or one.group in only]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    names = [one.name for one in MEASUREMENTS] + sorted({one.group for one in MEASUREMENTS} - {""})
    parser.add_argument("--only", nargs="+", default=[], choices=names)
    parser.add_argument("--data", type=Path, default=_REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=FIGURES)
    arguments = parser.parse_args()
    for measurement in choose(arguments.only):
        if measurement.data and not (arguments.data / measurement.data).exists():
            print(f"{measurement.name}: left out, {measurement.data} is not in the data folder")
            continue
        row = run_measurement(measurement, arguments.data)
        write_figures(arguments.out, read_figures(arguments.out) | {measurement.name: row})
        print(
            f"{measurement.name}: {len(row['figures'])} figures in {row['seconds']} s", flush=True
        )


if __name__ == "__main__":
    main()
