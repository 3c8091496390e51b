"""Redaction: throughput, lines that it touches, and how its time grows with text made to slow it
down.

    python benchmarks/redact.py [FILE or FOLDER …] [--lines N]

Each file is read by itself, in parts of at most `_PART_CHARS`, as messages and notes are. Source
code is read in the dialect of source and as prose too, since transcripts hold both. Folders are
searched for source, documents and configuration; without any, the packages of this interpreter are
read. `--lines N` prints up to N of the touched lines of each kind, before and after, for a
person to judge: nothing in a package that others may install should be a secret, but tests and
documents hold passwords.

Times are CPU seconds of one thread. `growth` is what four times the text costs beside it: 4 is
linear.
"""

import argparse
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from gieok.text.redact import RULES, redact, redact_source

_KINDS = {
    "source": (
        ".py",
        ".pyi",
        ".js",
        ".ts",
        ".c",
        ".h",
        ".cpp",
        ".hpp",
        ".pyx",
        ".go",
        ".java",
        ".rs",
    ),
    "documents": (".md", ".rst", ".txt"),
    "configuration": (
        ".json",
        ".jsonl",
        ".yaml",
        ".yml",
        ".toml",
        ".ini",
        ".cfg",
        ".sh",
        ".sql",
        ".html",
    ),
}
_MOST_BYTES = 400_000
_PART_CHARS = 30_000
_CHARS = 4_000
_SHOWN_CHARS = 160
_UNITS = (
    "password=",
    'pass="',
    "eyJ-",
    "sk-",
    "token token ",
    "the password is ",
    "비밀번호 ",
    "://a:",
    "cookie: a=",
    "mysql -p",
    "1",
    "\u200b",
)


def _seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return max(min(times), 1e-4)


def _growth(unit: str) -> tuple[float, float]:
    texts = [unit * (size // len(unit)) for size in (_CHARS, 4 * _CHARS)]
    few, many = (_seconds(partial(redact, text)) for text in texts)
    return many / few, many


def _parts(path: Path) -> Iterator[str]:
    """Yield the text of a file in parts that end with a line."""
    lines: list[str] = []
    chars = 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True):
        if lines and chars + len(line) > _PART_CHARS:
            yield "".join(lines)
            lines, chars = [], 0
        lines.append(line)
        chars += len(line)
    if lines:
        yield "".join(lines)


def _texts(places: Sequence[Path], endings: tuple[str, ...]) -> list[str]:
    files = [
        file
        for place in places
        for file in (sorted(place.rglob("*")) if place.is_dir() else [place])
    ]
    chosen = [
        file
        for file in files
        if file.is_file() and file.name.endswith(endings) and file.stat().st_size < _MOST_BYTES
    ]
    return [part for file in chosen for part in _parts(file)]


def _report(
    kind: str, dialect: Callable[[str], str], texts: Sequence[str], most_shown: int
) -> None:
    began = time.process_time()
    clean = [dialect(text) for text in texts]
    seconds = max(time.process_time() - began, 1e-4)
    megabytes = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
    lines = sum(text.count("\n") for text in texts)
    touched = [
        (before, after)
        for text, other in zip(texts, clean, strict=True)
        if text != other
        for before, after in zip(text.split("\n"), other.split("\n"), strict=True)
        if before != after
    ]
    share = 10_000 * len(touched) / max(lines, 1)
    print(
        f"{kind:14} {dialect.__name__:14} {megabytes:7.1f} MB {megabytes / seconds:6.1f} MB/s"
        f"  {lines:8} lines, {len(touched):4} touched, {share:.2f} in 10,000"
    )
    for before, after in touched[:most_shown]:
        print(f"    - {before.strip()[:_SHOWN_CHARS]}\n    + {after.strip()[:_SHOWN_CHARS]}")


def main() -> None:
    """Print throughput and touched lines for each kind of file, then the units of text that cost
    most.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("places", nargs="*", type=Path)
    parser.add_argument("--lines", type=int, default=0)
    given = parser.parse_args()
    places = given.places or [Path(sysconfig.get_path("purelib"))]
    for kind, endings in _KINDS.items():
        texts = _texts(places, endings)
        for dialect in (redact_source, redact) if kind == "source" else (redact,):
            if texts:
                _report(kind, dialect, texts, given.lines)
    rows = sorted(
        (
            (*_growth(unit)[::-1], unit)
            for unit in (*_UNITS, *(f"{rule.example} " for rule in RULES))
        ),
        reverse=True,
    )
    for seconds, growth, unit in rows[:12]:
        print(f"{seconds * 1e6 / 4 / _CHARS:6.2f} s/MB  growth {growth:4.1f}  {unit[:50]!r}")


if __name__ == "__main__":
    main()
