"""The projects that the daemon keeps up to date: a file for each in Gieok's home, which survives
restarts.
"""

import json
from hashlib import sha256
from pathlib import Path

from gieok import fs


def folder(home: Path) -> Path:
    """Return the folder that holds the files."""
    return home / "watched"


def add(home: Path, root: Path) -> None:
    """Let the daemon watch a project."""
    fs.replace_private(_file(home, root), json.dumps({"root": str(root)}))


def remove(home: Path, root: Path) -> bool:
    """Stop watching a project; False where it was not watched."""
    try:
        _file(home, root).unlink()
    except FileNotFoundError:
        return False
    return True


def roots(home: Path) -> list[Path]:
    """Return the watched projects, sorted. Other files are skipped."""
    found = []
    for file in folder(home).glob("*.json"):
        try:
            root = Path(json.loads(file.read_text(encoding="utf-8"))["root"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found += [root] if _file(home, root).name == file.name else []
    return sorted(found)


def part(root: Path) -> str:
    """Return the name under which the daemon reports the state of a project."""
    return f"code {root}"


def _file(home: Path, root: Path) -> Path:
    return folder(home) / (
        sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:32] + ".json"
    )
