"""Lines of the package by folder: a ratchet, so that growth is a decision.

`python tests/support/lines.py` (`make lines`) prints what changed and writes `tests/quality/lines.json` anew.
"""

import json
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_ROOT = Path(__file__).parents[2]
_PACKAGE = _ROOT / "src" / "gieok"
_TABLE = _ROOT / "tests" / "quality" / "lines.json"
#: A folder may hold so many lines more before anyone is asked.
_STEP = 25
LONGEST = 400


class Ratchet(NamedTuple):
    """Folder → most lines, and file → why it may have more than `LONGEST`."""

    folders: dict[str, int]
    long_files: dict[str, str]


def read() -> Ratchet:
    """Return what is allowed."""
    return Ratchet(**json.loads(_TABLE.read_text(encoding="utf-8")))


def files() -> dict[str, int]:
    """Return path below the package → lines."""
    return {f.relative_to(_PACKAGE).as_posix(): _lines(f) for f in sorted(_PACKAGE.rglob("*.py"))}


def folders() -> Counter[str]:
    """Return folder → lines of the files in it, without those of folders below."""
    counted: Counter[str] = Counter()
    for path, lines in files().items():
        counted[str(PurePosixPath(path).parent)] += lines
    return counted


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def _update() -> None:
    old, now = read(), folders()
    new = {folder: -(-lines // _STEP) * _STEP for folder, lines in now.items()}
    for folder in sorted(old.folders.keys() | new.keys()):
        before, after = old.folders.get(folder, 0), new.get(folder, 0)
        print(f"{folder:32}{now[folder]:7} lines, at most {after}" + (f" (was {before})" if before != after else ""))
    print(f"{'all':32}{sum(now.values()):7} lines, at most {sum(new.values())} (was {sum(old.folders.values())})")
    long_files = {path: old.long_files.get(path, "say why") for path, lines in files().items() if lines > LONGEST}
    table = {"folders": new, "long_files": long_files}
    _TABLE.write_text(json.dumps(table, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _update()
