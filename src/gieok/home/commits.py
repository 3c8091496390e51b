"""Commits of a project, read from its Git log."""

from collections.abc import Sequence
from pathlib import Path

from gieok.home.home import Home
from gieok.ports.code import Commit


def read_commit_log(home: Home, root: Path, most: int) -> Sequence[Commit]:
    """Return the newest commits of the repository at a folder, at most so many."""
    from gieok.machine.git import Git  # with `subprocess`, for a memory that is filled

    return Git(root, home.caller.environment).log(most)
