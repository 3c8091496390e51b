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


def test_missing_folders_are_private_and_one_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    fs.make_private(tmp_path / "open" / "a" / "b")
    fs.make_private(tmp_path / "open" / "a" / "b")
    modes = [(tmp_path / "open" / part).stat().st_mode & 0o777 for part in ("", "a", "a/b")]
    assert modes == [0o755, 0o700, 0o700]
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        fs.make_private(tmp_path / "file")
    with pytest.raises(FileExistsError):
        fs.create_private(tmp_path / "open")


def test_a_mode_is_given_or_private(tmp_path: Path) -> None:
    fs.create_new_file(tmp_path / "a", "x", 0o644)
    fs.create_new_file(tmp_path / "b", "x")
    fs.replace(tmp_path / "c", "x", 0o640)
    fs.replace_private(tmp_path / "d" / "e", "x")
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "b", "c", "d/e", "d")]
    assert modes == [0o644, 0o600, 0o640, 0o600, 0o700]


def test_only_hidden_files_with_the_suffix_are_swept(tmp_path: Path) -> None:
    for name in (".a.gieok.tmp", "b.gieok.tmp", ".c"):
        (tmp_path / name).touch()
    fs.sweep_temporary_files(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == [".c", "b.gieok.tmp"]


class _Disk:
    f_frsize = 1

    def __init__(self, free_bytes: int) -> None:
        self.f_bavail = free_bytes


@pytest.mark.parametrize(("free", "is_full"), [(262_143, True), (262_144, False)])
def test_a_volume_is_full_below_a_quarter_of_the_reserve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, is_full: bool
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda folder: _Disk(free))
    assert fs.is_volume_full(tmp_path) is is_full


def test_a_folder_that_is_not_there_is_on_no_full_volume(tmp_path: Path) -> None:
    assert not fs.is_volume_full(tmp_path / "none")
    fs.keep_reserve(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_the_reserve_is_kept_where_there_is_ample_room_and_given_up_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve = tmp_path / fs.RESERVE
    monkeypatch.setattr(os, "statvfs", lambda folder: _Disk((64 << 20) - 1))
    fs.keep_reserve(tmp_path)
    assert not reserve.exists()
    monkeypatch.setattr(os, "statvfs", lambda folder: _Disk(64 << 20))
    fs.keep_reserve(tmp_path)
    first = reserve.read_bytes()
    assert len(first) == 1 << 20
    fs.keep_reserve(tmp_path)
    assert reserve.read_bytes() == first
    fs.make_room(tmp_path)
    assert reserve.exists()
    assert [file.name for file in tmp_path.iterdir()] == [fs.RESERVE]


def test_a_line_is_appended_in_utf8_and_a_log_below_its_size_stays(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    fs.append_private_text(log, "가\ud800\n", 100)
    assert log.read_bytes() == "가\\ud800\n".encode()
    fs.append_private_text(log, "x" * (100 - log.stat().st_size), 100)
    assert [file.name for file in tmp_path.iterdir()] == ["a.log"]
    fs.append_private_text(log, "x", 100)
    assert log.with_name("a.log.1").stat().st_size == 101
    with fs.exclusive(log):
        fs.append_private_text(log, "y", wait=False)
    assert not log.exists() or log.read_text() == ""


def test_lines_are_rewritten_in_place_and_said_to_differ(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"one\nsecret\xff\nend")
    inode = log.stat().st_ino
    assert fs.rewrite_lines(log, lambda line: line.replace("secret", "-"))
    assert log.read_bytes() == b"one\n-\xff\nend"
    assert not fs.rewrite_lines(log, lambda line: line.replace("secret", "-"))
    assert log.stat().st_ino == inode


def test_earlier_logs_up_to_the_number_stay(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    for name in ("a.log", "a.log.0", "a.log.1", "a.log.2"):
        (tmp_path / name).write_text(name)
    fs.rotate_log_file(log, 0, 2)
    there = {file.name: file.read_text() for file in tmp_path.iterdir() if file.suffix != ".lock"}
    assert there == {"a.log.0": "a.log.0", "a.log.1": "a.log", "a.log.2": "a.log.1"}
    fs.rotate_log_file(log, 0)


def test_a_database_is_removed_or_set_aside_with_what_lies_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "m.sqlite"
    names = ["m.sqlite", "m.sqlite-journal", "m.sqlite-shm", "m.sqlite-wal"]
    assert fs.database_files(file)[-1] == file
    for name in (*names, "m.sqlite-other"):
        (tmp_path / name).write_text(name)
    fs.set_aside(file, tmp_path / "aside")
    assert sorted(path.name for path in (tmp_path / "aside").iterdir()) == names
    for name in names[:2]:
        (tmp_path / name).touch()
    fs.remove_database(file)
    fs.remove_database(file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aside", "m.sqlite-other"]


def test_a_lock_is_taken_once_and_released(tmp_path: Path) -> None:
    file = tmp_path / "locks" / "a.lock"
    with fs.exclusive(file) as held, fs.exclusive(file, wait=False) as second:
        assert (held, second) == (True, False)
    with fs.exclusive(file, wait=False) as again:
        assert again
    (tmp_path / "plain").touch()
    with pytest.raises(OSError, match="plain"), fs.exclusive(tmp_path / "plain" / "a", must=False):
        pass
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "plain")
    home = tmp_path / "home"
    with (
        fs.lock_resource(home, tmp_path / "plain") as first,
        fs.lock_resource(home, link, wait=False) as same,
        fs.lock_resource(home, tmp_path / "other", wait=False) as other,
    ):
        assert (first, same, other) == (True, False, True)


def test_a_lock_file_that_cannot_be_made_is_skipped_where_it_need_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> int:
        raise PermissionError(13, "no", "a.lock")

    monkeypatch.setattr(os, "open", refuse)
    with fs.exclusive(tmp_path / "a.lock", must=False) as is_held:
        assert is_held
    with pytest.raises(PermissionError), fs.exclusive(tmp_path / "a.lock"):
        pass
