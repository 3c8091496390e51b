"""Commits of a project, and of single files in it, read from its Git log."""

from collections.abc import Sequence
from pathlib import Path

from gieok.home.home import Home
from gieok.ports.code import Commit


def read_commit_log(home: Home, root: Path, most: int) -> Sequence[Commit]:
    """Return the newest commits of the repository at a folder, at most so many."""
    from gieok.machine.git import Git  # with `subprocess`, for a memory that is filled

    return Git(root, home.caller.environment).log(most)


def has_committed(home: Home, file: Path) -> bool | None:
    """Return whether a commit holds a file, deleted or not; None where git cannot be asked."""
    from gieok.machine.git import Git

    folder = file.parent if file.parent.is_dir() else file.parents[2]
    git = Git(folder, home.caller.environment)
    return git.has_committed(file.relative_to(folder).as_posix())
