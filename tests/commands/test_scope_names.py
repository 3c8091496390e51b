"""The user's own scope has one name wherever a command prints it."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest
import world as worlds
from forked import Commands
from world import World

from gieok.commands import NAMES, load_command
from gieok.commands.scope_names import name_scope, name_scope_by_path

#: Commands that stay, ask a person, or take away what the others show.
_LEFT_OUT = (
    *("up", "down", "open", "setup", "install", "service", "code watch", "observe run", "logs"),
    *("erase", "uninstall", "forget", "redact", "retire", "store", "journal", "encryption"),
    *("keys", "sync", "backup restore", "calibrate", "config edit", "config set", "config unset"),
)
#: What a person types: in a command between backticks, or behind the name in brackets.
_TYPED = re.compile(r"`[^`]*`|\(agent:main\)")


def _list_lines() -> list[tuple[str, list[str]]]:
    """Return the command lines of all help examples that show something, each with its command."""
    lines = []
    for name in NAMES:
        if name.startswith(_LEFT_OUT):
            continue
        if name in worlds.CALLS:
            lines.append((name, [*name.split(), *worlds.CALLS[name]]))
        for example in load_command(name).examples:
            words = shlex.split(example.rpartition("|")[2].partition("<")[0])[1:]
            if not {"--json", "--watch", "--follow", "-f"} & set(words):
                lines.append((name, words))
    return lines


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = worlds.make(tmp_path_factory.mktemp("user"))
    transcript = world.user / ".claude" / "projects" / "-shop" / "s.jsonl"
    said = json.loads(transcript.read_text(encoding="utf-8"))
    said |= {"uuid": "u2", "message": {"role": "user", "content": "Never push to main."}}
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(said) + "\n")
    return world


@pytest.fixture(scope="module")
def commands(world: World) -> Iterator[Commands]:
    """Return what runs commands on a home that holds something of everything of the user's own."""
    with forked.commands() as commands:
        for words in (
            ["index", str(world.notes)],
            ["remember", "I prefer short answers.", "--user"],
            ["observe", "run", "--once"],
        ):
            assert _run(commands, world, words, world.user).status == 0
        yield commands


def _run(commands: Commands, world: World, words: list[str], folder: Path) -> forked.Done:
    environment = world.environment(GIEOK_EMBEDDER="none")
    return commands.run([word.format(notes=world.notes) for word in words], environment, folder)


def test_no_command_prints_the_path_of_the_users_own_scope_for_its_name(
    commands: Commands, world: World
) -> None:
    bare = []
    for name, words in _list_lines():
        done = _run(commands, world, words, world.user)
        bare += [
            (words, line)
            for line in (done.out + done.err).split("\n")
            # the value of a setting is what is written into a file
            if "agent:main" in _TYPED.sub("", line) and name != "config show"
        ]
    assert bare == []


@pytest.mark.parametrize("command", ["rules", "archive status", "list", "status", "doctor"])
def test_the_users_own_scope_is_named_alike(commands: Commands, world: World, command: str) -> None:
    done = _run(commands, world, command.split(), world.user)
    assert name_scope("agent:main").en in done.out


def test_the_path_of_a_scope_stands_behind_its_name_where_a_person_types_it() -> None:
    assert name_scope_by_path("agent:main").en == "yours, in all projects (agent:main)"
    assert name_scope_by_path("user:kim").en == "user:kim"
    assert (
        name_scope_by_path("agent:main").say("ko") == "내 기억(모든 프로젝트에서 씀) (agent:main)"
    )
