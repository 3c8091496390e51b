"""Files are private, whole after a crash, and never written over where the name is taken; locks are
between processes.
"""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gieok import fs

_TRY_LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def _is_locked(file: Path) -> bool:
    done = subprocess.run(
        [sys.executable, "-c", _TRY_LOCK, str(file)], capture_output=True, check=False
    )
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


def test_a_replaced_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    file, link = tmp_path / "real" / "settings.json", tmp_path / "link.json"
    file.parent.mkdir()
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    fs.replace(link, "new")
    assert (link.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (
        True,
        "new",
        0o640,
    )
    fs.replace_private(link, b"mine")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("mine", 0o600)
    fs.replace(tmp_path / "fresh", "x")
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o600


def test_a_name_that_is_taken_is_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / ("n" * 252 + ".md")
    assert fs.create_new_file(file, "first")
    assert not fs.create_new_file(file, "second")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert not fs.create_new_file(tmp_path / "dangling", "second")
    assert (file.read_text(), sorted(tmp_path.iterdir())) == (
        "first",
        sorted([file, tmp_path / "dangling"]),
    )


def test_a_write_that_fails_leaves_the_old_text_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        fs.replace(tmp_path / "folder", "text")
    with pytest.raises(UnicodeEncodeError):
        fs.replace(tmp_path / "file", "\ud800")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


def test_what_a_killed_writer_left_is_swept_away_and_nothing_else(tmp_path: Path) -> None:
    killed = "import os, signal; os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
    killed += "import sys; from gieok import fs; fs.replace(sys.argv[1], 'new')"
    for name in ("config.yaml", ".other.tmp"):
        (tmp_path / name).write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", killed, str(tmp_path / "config.yaml")], check=False
    )
    assert (done.returncode, len(list(tmp_path.iterdir()))) == (-signal.SIGKILL, 3)
    fs.sweep_temporary_files(tmp_path)
    fs.sweep_temporary_files(tmp_path / "missing")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "config.yaml": "old",
        ".other.tmp": "old",
    }


def test_a_log_that_is_too_large_becomes_the_old_one(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "hook.log"
    for line in ("one\n", "two\n", "three\n"):
        fs.append_private_text(log, line, 6)
    assert (log.read_text(), (tmp_path / "logs" / "hook.log.1").read_text()) == (
        "three\n",
        "one\ntwo\n",
    )
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_file_of_others_is_read_only_where_it_is_regular_and_bounded(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"12345")
    assert fs.read_regular_file(plain, 5) == b"12345"
    (tmp_path / "link").symlink_to(plain)
    (tmp_path / "endless").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for name, most_bytes in (("plain", 4), ("link", 9), ("endless", 9), ("pipe", 9), (".", 9)):
        with pytest.raises(OSError, match=r"not a regular file|File too large"):
            fs.read_regular_file(tmp_path / name, most_bytes)
    with pytest.raises(FileNotFoundError):
        fs.read_regular_file(tmp_path / "gone", 9)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    """More memory than there is would be asked for, if the file were read up to the limit."""
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 1 << 42)
    with pytest.raises(OSError, match="File too large"):
        fs.read_regular_file(tmp_path / "large", (1 << 42) - 1)


def test_earlier_logs_move_up_from_the_numbers_that_are_there(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    for end in ("", ".1", ".3", ".9", ".old"):
        log.with_name(f"daemon.log{end}").write_text(f"log{end}")
    fs.rotate_log_file(log, 0, 3)
    there = {file.name: file.read_text() for file in tmp_path.iterdir() if file.suffix != ".lock"}
    assert there == {
        "daemon.log.1": "log",
        "daemon.log.2": "log.1",
        "daemon.log.3": "log.3",
        "daemon.log.9": "log.9",
        "daemon.log.old": "log.old",
    }


def test_as_many_logs_as_one_wants_are_kept_in_a_moment(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    log.write_text("log")
    fs.rotate_log_file(log, 0, 10**12)
    assert log.with_name("daemon.log.1").read_text() == "log"
