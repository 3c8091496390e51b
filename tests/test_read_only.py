"""A home that cannot be written still answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import world as worlds
from conversation import Conversation
from world import GIEOK, World

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")

#: Root writes where it may not; without these two rights it is like others.
_AS_OTHERS = """
import ctypes, os, sys
drop_right, override, search = 24, 1, 2
for right in (override, search) if sys.platform == "linux" and os.geteuid() == 0 else ():
    ctypes.CDLL(None).prctl(drop_right, right, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
#: Ends without closing: another connection keeps the log from being folded into the file before.
_KILLED = """
import os, sqlite3, sys
from gieok.surfaces.cli import main
kept = sqlite3.connect(os.path.join(os.environ["GIEOK_HOME"], "memory.sqlite"))
kept.execute("SELECT * FROM meta").fetchall()
main(sys.argv[1:])
os._exit(0)
"""
_OFFLINE = {"GIEOK_EMBEDDER": "none", "GIEOK_HOOK_DEADLINE_MS": "60000"}


def _run(world: World, *arguments: str, given: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", _AS_OTHERS, *GIEOK, *arguments],
        input=given.encode(),
        cwd=world.project,
        env=world.environment(**_OFFLINE),
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def world(tmp_path: Path):
    world = worlds.make(tmp_path / "user")
    for name in ("index", "remember"):
        subprocess.run(
            world.command(name), cwd=world.project, env=world.environment(**_OFFLINE), check=True
        )
    (world.home / "hook").mkdir(exist_ok=True)
    yield world
    for path in (world.home, *world.home.rglob("*")):
        path.chmod(0o700)


def _close(world: World) -> None:
    for path in (*world.home.rglob("*"), world.home):
        path.chmod(0o500 if path.is_dir() else 0o400)


def test_what_is_there_is_found_and_nothing_is_written(world: World) -> None:
    _close(world)
    before = sorted((str(path), path.stat().st_mtime_ns) for path in world.home.rglob("*"))
    for arguments, part in (
        (["search", "어떤 린터를 쓰지?"], "ruff"),
        (["search", "결제는 언제 정산하지?"], "화요일"),
        (["get", "MEMORY.md"], "화요일"),
        (["status"], "documents"),
        (["observe", "show"], ""),
        (["observe", "stats"], ""),
        (["config", "show"], "store"),
    ):
        status, out, err = _run(world, *arguments)
        assert status in (0, 1), (arguments, err)
        assert part in out, (arguments, out)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in world.home.rglob("*")) == before


def test_the_hook_and_mcp_answer(world: World) -> None:
    _close(world)
    payload = json.dumps(
        {"session_id": "s", "cwd": str(world.project), "prompt": "어떤 린터를 쓰기로 했지?"}
    )
    for event in ("prompt", "session-start"):
        status, out, err = _run(world, "hook", event, given=payload)
        assert (status, err) == (0, "")
        assert "ruff" in out
    command = [sys.executable, "-c", _AS_OTHERS, *GIEOK, "mcp"]
    with subprocess.Popen(
        command,
        cwd=world.project,
        env=world.environment(**_OFFLINE),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        conversation = Conversation(server)
        conversation.begin()
        answer = conversation.ask(
            "tools/call", {"name": "memory_search", "arguments": {"query": "린터"}}
        )
        assert "ruff" in answer["result"]["content"][0]["text"]
        conversation.end()


def test_what_cannot_be_written_is_said(world: World) -> None:
    _close(world)
    (world.notes / "new.md").write_text("# New\n")
    status, out, err = _run(world, "index", "--json")
    assert (status, json.loads(out)["error"]["code"]) == (2, "store_read_only")
    assert "read-only" in err
    status, out, err = _run(world, "remember", "We ship on Fridays.", "--json")
    assert (status, json.loads(out)["indexed"]) == (0, False)
    assert "read-only" in err
    assert "Traceback" not in err


def test_what_a_killed_process_left_in_the_log_is_read(world: World) -> None:
    command = [sys.executable, "-c", _KILLED, "remember", "The heron nests at the north pond."]
    subprocess.run(command, cwd=world.project, env=world.environment(**_OFFLINE), check=True)
    assert (world.home / "memory.sqlite-wal").stat().st_size
    (world.home / "memory.sqlite-shm").unlink()  # as in a copy
    _close(world)
    status, out, _ = _run(world, "search", "where does the heron nest?")
    assert status == 0
    assert "north pond" in out


def test_an_empty_home_has_nothing_and_says_so(world: World, tmp_path: Path) -> None:
    empty = world._replace(user=tmp_path / "other")
    empty.home.mkdir(parents=True)
    empty.project.mkdir()
    empty.home.chmod(0o500)
    status, _, err = _run(empty, "search", "anything")
    assert status == 2
    assert "nothing is remembered yet" in err
