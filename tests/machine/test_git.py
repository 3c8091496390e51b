"""Version control by git: whose git it is."""

import os
import subprocess
from pathlib import Path

from gieok.machine.git import Git


def test_git_is_the_callers(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.py").write_text("")
    assert Git(tmp_path, dict(os.environ)).files() == frozenset(("a.py",))
    assert Git(tmp_path, {**os.environ, "PATH": str(tmp_path)}).files() is None
