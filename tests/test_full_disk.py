"""On a full disk what is there is found, a person is told, and something can be forgotten.

A small file system in memory that is really full, in a namespace of its own, where the system lets
an ordinary user have one.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import gieok

_SOURCE = str(Path(gieok.__file__).parents[1])
_INSIDE = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'
_CAT = "My cat is called Bori and sleeps on the router."
_RULE = "The staging server is called walrus-nine."
#: Runs commands until `full`, fills the disk, and goes on; prints (status, stdout, stderr) of each.
_DRIVER = """
import json, os, subprocess, sys
disk, steps = sys.argv[1], json.loads(sys.argv[2])
os.makedirs(os.path.join(disk, "user", "shop"))
os.chdir(os.path.join(disk, "user", "shop"))
done = []
for arguments, given, code in steps:
    if arguments == ["full"]:
        size = 1 << 20
        while size >= 1:
            with open(os.path.join(disk, "rest"), "ab", buffering=0) as rest:
                try:
                    rest.write(bytes(size))
                except OSError:
                    size //= 2
        continue
    if arguments == ["free"]:
        os.unlink(os.path.join(disk, "rest"))
        continue
    if arguments[0] == "remove":
        os.unlink(os.path.join(os.environ["GIEOK_HOME"], arguments[1]))
        continue
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "gieok"]
    ran = subprocess.run([*command, *arguments], input=given.encode(), capture_output=True)
    done.append([ran.returncode, ran.stdout.decode(), ran.stderr.decode()])
print(json.dumps(done))
"""
#: Ends without closing, so that the log is not folded into the database.
_KILLED = """
import os, sys
from gieok.surfaces.cli import main
main(sys.argv[1:])
os._exit(0)
"""


class Ran(NamedTuple):
    """What a command gave."""

    status: int
    out: str
    err: str


def _is_possible() -> bool:
    tool = shutil.which("unshare")
    if not tool:
        return False
    tried = [tool, "-rm", "sh", "-c", "mount -t tmpfs none /tmp"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    not _is_possible(), reason="no user namespaces here, in which a disk can be mounted"
)


def _run(
    tmp_path: Path, *steps: tuple[list[str], str] | list[str], size: str = "72m", code: str = ""
) -> list[Ran]:
    disk = tmp_path / "disk"
    disk.mkdir()
    environment = os.environ | {
        "HOME": str(disk / "user"),
        "GIEOK_HOME": str(disk / "user" / "gieok"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_HOOK_DEADLINE_MS": "60000",
        "PYTHONPATH": _SOURCE,
        "TMPDIR": str(disk),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LC_ALL": "C.UTF-8",
    }
    rows = [(step, "", code) if isinstance(step, list) else (*step, "") for step in steps]
    inside = ["unshare", "-rm", "sh", "-c", _INSIDE, "sh", size, str(disk)]
    command = [*inside, sys.executable, "-c", _DRIVER, str(disk), json.dumps(rows)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [Ran(*row) for row in json.loads(done.stdout)]


def _start(agent: str) -> tuple[list[str], str]:
    payload = {"hook_event_name": "SessionStart", "session_id": f"s-{agent}", "source": "startup"}
    return ["hook", "session-start", "--agent", agent], json.dumps(payload)


def test_what_is_there_is_found_and_shown_and_the_person_is_told(tmp_path: Path) -> None:
    prompt = (
        ["hook", "prompt"],
        json.dumps({"session_id": "s", "prompt": "what is my cat called?"}),
    )
    ran = _run(
        tmp_path,
        ["remember", _RULE],
        ["remember", _CAT, "--user"],
        ["full"],
        ["status"],
        ["search", "cat"],
        ["list"],
        _start("claude-code"),
        _start("codex"),
        _start("gemini-cli"),
        prompt,
        ["remember", "A thing."],
    )
    _, _, status, search, listed, *starts, asked, kept = ran
    assert status.status == 0
    assert "1 documents" in status.out
    assert "no space left on the disk" in status.err
    assert "Bori" in search.out
    assert "walrus-nine" in listed.out
    for start in starts:
        assert start.status == 0
        assert "no space left on the disk" in start.out
        assert "staging server" in start.out
    assert "Bori" in asked.out
    assert kept.status == 2
    assert "no space left" in kept.err
    assert "Traceback" not in kept.err


def test_something_is_forgotten_and_gone(tmp_path: Path) -> None:
    ran = _run(
        tmp_path,
        ["remember", _CAT, "--user"],
        ["remember", _RULE, "--user"],
        ["full"],
        ["forget", "--match", "cat is called Bori", "--yes"],
        ["search", "cat called Bori"],
        ["search", "staging"],
        ["free"],
        ["remember", "A thing."],
        ["search", "thing"],
    )
    forgotten, gone, there, kept, found = ran[2:]
    assert (forgotten.status, forgotten.err) == (0, "")
    assert "forgotten: 1" in forgotten.out
    assert "Bori" not in gone.out
    assert "walrus-nine" in there.out
    assert (kept.status, found.status) == (0, 0)


def test_where_nothing_is_put_aside_forgetting_says_so_and_takes_nothing(tmp_path: Path) -> None:
    ran = _run(
        tmp_path,
        ["remember", _CAT, "--user"],
        ["remove", "reserve"],
        ["full"],
        ["forget", "--match", "Bori", "--yes"],
        ["status"],
        ["search", "cat"],
        ["free"],
        ["forget", "--match", "Bori", "--yes"],
        ["search", "cat"],
    )
    refused, status, there, forgotten, gone = ran[1:]
    assert refused.status == 2
    assert "no space left" in refused.err
    assert "put aside" not in status.err
    assert "Bori" in there.out
    assert forgotten.status == 0
    assert "Bori" not in gone.out


def test_what_a_killed_process_left_in_the_log_is_found(tmp_path: Path) -> None:
    ran = _run(
        tmp_path,
        ["remember", _CAT, "--user"],
        ["remove", "memory.sqlite-shm"],
        ["full"],
        ["search", "cat"],
        ["status"],
        code=_KILLED,
    )
    assert "Bori" in ran[1].out
    assert ran[2].status == 0


def test_a_home_without_databases_has_nothing_and_says_so(tmp_path: Path) -> None:
    status, start = _run(tmp_path, ["full"], ["status"], _start("claude-code"))
    assert "no space left" in status.err
    assert "Traceback" not in status.err
    assert start.status == 0
