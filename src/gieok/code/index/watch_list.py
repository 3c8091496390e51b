"""Projects that the daemon keeps up to date.

Each project has a file in Gieok's home, which survives restarts.
"""

import json
from hashlib import sha256
from pathlib import Path

from gieok import fs


def folder(home: Path) -> Path:
    """Return the folder that holds a file for each watched project."""
    return home / "watched"


def watch_project(home: Path, root: Path) -> None:
    """Let the daemon watch a project."""
    fs.replace_private(_find_watch_file(home, root), json.dumps({"root": str(root)}))


def unwatch_project(home: Path, root: Path) -> bool:
    """Stop watching a project; False where it was not watched."""
    try:
        _find_watch_file(home, root).unlink()
    except FileNotFoundError:
        return False
    return True


def list_watched_roots(home: Path) -> list[Path]:
    """Return the watched projects, sorted; other files in the folder are skipped."""
    watched = []
    for file in folder(home).glob("*.json"):
        try:
            root = Path(json.loads(file.read_text(encoding="utf-8"))["root"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        watched += [root] if _find_watch_file(home, root).name == file.name else []
    return sorted(watched)


def name_watched_part(root: Path) -> str:
    """Return the name under which the daemon reports the state of a project."""
    return f"code {root}"


def _find_watch_file(home: Path, root: Path) -> Path:
    return folder(home) / (
        sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:32] + ".json"
    )
