"""Files are private from the start, and making one never disturbs one that is there."""

import fcntl
import subprocess
import sys
from pathlib import Path

from gieok import fs

_TRY_LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def _is_locked(file: Path) -> bool:
    done = subprocess.run([sys.executable, "-c", _TRY_LOCK, str(file)], capture_output=True, check=False)
    return done.returncode != 0


def test_a_new_file_and_its_folder_are_the_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "home" / "memory.sqlite"
    fs.create_private(file)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_file_that_exists_keeps_its_text_and_the_locks_on_it(tmp_path: Path) -> None:
    file = tmp_path / "memory.sqlite"
    file.write_text("kept")
    with file.open("r+") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        fs.create_private(file)
        assert _is_locked(file)
    assert not _is_locked(file)
    assert file.read_text() == "kept"
