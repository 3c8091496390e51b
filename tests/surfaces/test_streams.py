"""How every command ends whose standard output or error is closed, full, or read by nobody."""

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest
import world as worlds
from forked import Commands, Done
from world import GIEOK, QMD, World

from gieok.agents.table import EVENTS

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")

#: Name → redirection of a real program.
_OUTPUT_LOST = {"closed": ">&-", "full": ">/dev/full"}
_TALK_LOST = {"closed": "2>&-", "full": "2>/dev/full"}


def _run(world: World, command: list[str], redirection: str, given: str = "") -> tuple[int, str]:
    """Run a command in a shell that redirects it; return its exit status and what it said on
    stderr.
    """
    script = f"exec {shlex.join(command)} {redirection}"
    environment = world.environment(GIEOK_EMBEDDER="none", GIEOK_HOOK_DEADLINE_MS="60000")
    done = subprocess.run(
        ["sh", "-c", script],
        input=given.encode(),
        capture_output=True,
        check=False,
        cwd=world.project,
        env=environment,
    )
    return done.returncode, done.stderr.decode()


def _read_by_nobody(world: World, command: list[str], given: str = "") -> tuple[int, str]:
    """Run a command whose output is a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = world.environment(GIEOK_EMBEDDER="none", GIEOK_HOOK_DEADLINE_MS="60000")
    done = subprocess.run(
        command,
        input=given.encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        cwd=world.project,
        env=environment,
    )
    os.close(writing)
    return done.returncode, done.stderr.decode()


Run = Callable[..., Done]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return worlds.make(tmp_path / "user")


@pytest.fixture
def run(commands: Commands, world: World) -> Iterator[Run]:
    """Return what runs an operation in the world, its streams as told."""
    environment = world.environment(GIEOK_EMBEDDER="none")
    yield lambda name, **streams: commands.run(
        world.words(name), environment, world.project, **streams
    )
    commands.run(["down"], environment, world.project)


@pytest.fixture(scope="module")
def statuses(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Return how each operation ends where its output can be written."""
    world = worlds.make(tmp_path_factory.mktemp("statuses") / "user")
    environment = world.environment(GIEOK_EMBEDDER="none")
    return {
        name: commands.run(world.words(name), environment, world.project).status
        for name in worlds.CALLS
    }


def test_an_answer_that_nobody_gets_is_an_error_unless_the_reader_left(
    run: Run, statuses: dict[str, int]
) -> None:
    """Each operation loses its output in one way, in turn: what writes is the same for all."""
    for name, way in zip(worlds.CALLS, cycle(("closed", "full", "unread"))):
        status, _, said = run(name, out=way)
        if way == "unread":
            assert status == statuses[name], (name, said)
            assert "written" not in said
        else:
            assert status == 2, (name, said)
            assert statuses[name] == 2 or "the answer could not be written" in said, (name, said)
        assert "Traceback" not in said, (name, said)


def test_talk_that_cannot_be_written_changes_no_exit_status(
    run: Run, statuses: dict[str, int]
) -> None:
    ways = zip(worlds.CALLS, cycle(("closed", "full")))
    assert {name: run(name, err=way).status for name, way in ways} == statuses


def test_a_fork_ends_as_a_program_does(world: World, run: Run) -> None:
    """What the walks above imitate, held against real programs: each way, of a command that answers
    and of one that fails.
    """
    for name, statuses in (("config show", (0, 2, 2, 0)), ("why", (2, 2, 2, 2))):
        ends = [run(name, out=way).status for way in ("kept", "closed", "full", "unread")]
        real = [_run(world, world.command(name), way)[0] for way in ("", *_OUTPUT_LOST.values())]
        assert (*real, _read_by_nobody(world, world.command(name))[0]) == tuple(ends) == statuses
        for way, redirection in _TALK_LOST.items():
            assert (
                run(name, err=way).status
                == _run(world, world.command(name), redirection)[0]
                == statuses[0]
            )


@pytest.mark.parametrize(
    "arguments", [["--help"], ["search", "--help"], ["--version"]], ids=" ".join
)
def test_help_that_cannot_be_written_is_an_error(world: World, arguments: list[str]) -> None:
    for redirection in _OUTPUT_LOST.values():
        status, said = _run(world, [*GIEOK, *arguments], redirection)
        assert status == 2
        assert "could not be written" in said
    assert _read_by_nobody(world, [*GIEOK, *arguments]) == (0, "")


def test_a_wrong_command_line_keeps_its_status(world: World) -> None:
    for redirection in (*_OUTPUT_LOST.values(), *_TALK_LOST.values()):
        assert _run(world, [*GIEOK, "search", "--limit", "x", "--json"], redirection)[0] == 2


@pytest.mark.parametrize("event", EVENTS)
def test_the_hook_is_silent_and_ends_well(world: World, run: Run, event: str) -> None:
    assert [run(name).status for name in ("index", "remember")] == [0, 0]
    payload = json.dumps(
        {"session_id": "s", "cwd": str(world.project), "prompt": "어떤 린터를 쓰기로 했지?"}
    )
    command = [*GIEOK, "hook", event]
    for redirection in (
        *_OUTPUT_LOST.values(),
        *_TALK_LOST.values(),
        ">&- 2>&- <&-",
        ">/dev/full 2>/dev/full",
    ):
        assert _run(world, command, redirection, payload) == (0, "")
    assert _read_by_nobody(world, command, payload) == (0, "")


def test_servers_end_without_a_traceback(world: World, run: Run) -> None:
    assert run("index").status == 0
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    for redirection in _OUTPUT_LOST.values():
        status, said = _run(world, [*GIEOK, "mcp"], redirection, asked)
        assert status == 2
        assert "could not be written" in said
        assert "Traceback" not in said
        assert _run(world, [*QMD, "status"], redirection)[0] == 1  # qmd's own status of any error
    assert _read_by_nobody(world, [*GIEOK, "mcp"], asked) == (0, "")
    assert _read_by_nobody(world, [*QMD, "status"]) == (0, "")
