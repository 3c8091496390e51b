"""How often the rules of an escalation are right on the changes of a real project.

    python benchmarks/code_escalations.py --repository DIR [--show] [--json]

DIR is a clone of github.com/encode/httpx. `data/code/escalations_httpx.jsonl` has every tenth of 400
commits that touch Python, each labelled before the rules saw it: is what a strong model wrote of the
project before (its parts, what they are for, how they hang together) wrong or lacking after it? Of
each, the commit before it is indexed, then the commit itself is synced, and its reasons to escalate
are compared with the label.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import gieok

_LABELS = Path(__file__).parent / "data/code/escalations_httpx.jsonl"
_SOURCE = str(Path(gieok.__file__).parents[1])


class Project:
    """Work tree of a repository that lies elsewhere, with an index of its own."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self._tree = folder / "tree"
        self._tree.mkdir()
        self._git = ("git", f"--git-dir={repository}", f"--work-tree={self._tree}")
        self._environment = os.environ | {
            "GIEOK_HOME": str(folder / "home"),
            "GIEOK_EMBEDDER": "none",
            "GIT_INDEX_FILE": str(folder / "index"),
            "PYTHONPATH": _SOURCE,
        }

    def check_out(self, commit: str) -> None:
        """Make the work tree that of a commit."""
        self._run(*self._git, "read-tree", "-u", "--reset", commit)

    def index(self, command: str) -> dict[str, Any]:
        """Run `gieok code init` or `sync`; return what it says."""
        said = self._run(sys.executable, "-m", "gieok", "code", command, "--json")
        return dict(json.loads(said))

    def _run(self, *command: str) -> str:
        return subprocess.run(
            command,
            cwd=self._tree,
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout


def replay_changes(repository: Path) -> list[dict[str, Any]]:
    """Return the labelled changes, each with the reasons for which it was escalated."""
    rows = [json.loads(line) for line in _LABELS.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory(prefix="escalations-") as folder:
        project = Project(Path(folder), repository)
        for number, row in enumerate(rows):
            project.check_out(f"{row['commit']}^")
            project.index("sync" if number else "init")
            project.check_out(row["commit"])
            row["reasons"] = project.index("sync")["escalation"]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print the changes that it got wrong")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = replay_changes(given.repository.resolve())
    escalated = [row for row in rows if row["reasons"]]
    worth = [row for row in rows if row["is_worth"]]
    wrong = [row for row in rows if bool(row["reasons"]) != row["is_worth"]]
    found: dict[str, Any] = {
        "changes": len(rows),
        "worth": len(worth),
        "escalated": len(escalated),
        "escalated_and_worth": sum(row["is_worth"] for row in escalated),
        "right": round(1 - len(wrong) / len(rows), 3),
    }
    if given.show:
        found["wrong"] = [(row["what"], row["is_worth"], row["reasons"]) for row in wrong]
    print(json.dumps(found, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
