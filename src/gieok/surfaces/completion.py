"""`gieok completion SHELL`: prints a completion script for commands, options and values.

shtab makes the script. It is made once and kept in a file, from which the shell loads it at the
first Tab: Gieok itself does not run for a completion.
"""

import argparse
from collections.abc import Mapping
from typing import Any

import shtab

from gieok.agents.table import EVENTS
from gieok.agents.table import NAMES as AGENTS
from gieok.commands import NAMES, load_command
from gieok.commands.command import Surface
from gieok.errors import BadRequest
from gieok.surfaces import parser, streams
from gieok.surfaces.commands import GROUPS, SERVERS, doc_of
from gieok.text.catalogues import list_languages
from gieok.text.messages import Words

SHELLS = ("bash", "zsh", "fish")
#: Parameters whose values are paths of files.
_FILES = frozenset(("path", "paths", "file", "files", "to", "answers", "key_file", "data", "what"))


def main(given: Mapping[str, str], lang: str) -> int:
    """Print the completion script for a shell; return the exit status."""
    shell = given.get("shell", "")
    if shell not in SHELLS:
        raise BadRequest(
            "completion is made for {shells}",
            shells=", ".join(SHELLS),
            hint="such as `gieok completion bash`",
        )
    streams.write_answer_text(shtab.complete(build_completion_parser(lang), shell), "utf-8")
    return 0


def build_completion_parser(lang: str) -> argparse.ArgumentParser:
    """Return a parser that holds every command."""
    whole_parser = argparse.ArgumentParser(prog="gieok", add_help=False, allow_abbrev=False)
    whole_parser.add_argument("-h", "--help", action="help", help=Words("show help").say(lang))
    whole_parser.add_argument(
        "-V", "--version", action="version", help=Words("show the version").say(lang)
    )
    commands = whole_parser.add_subparsers()
    groups: dict[str, Any] = {}
    for name in NAMES:
        if Surface.CLI in load_command(name).surfaces:
            group, _, word = name.rpartition(" ")
            if group and group not in groups:
                groups[group] = _add_completion_group(commands, group, lang)
            _add_completion_command(groups[group] if group else commands, word, name, lang)
    for event in EVENTS:
        _add_completion_command(groups["hook"], event, f"hook {event}", lang)
    for name in SERVERS:
        _add_completion_command(commands, name, name, lang)
    helped = commands.add_parser("help", help=doc_of("help").say(lang), add_help=False)
    helped.add_argument(
        "command", choices=[*dict.fromkeys(name.partition(" ")[0] for name in NAMES), *SERVERS]
    )
    return whole_parser


# Argparse's own type is private.
def _add_completion_group(commands: Any, group: str, lang: str) -> Any:  # noqa: ANN401
    doc = GROUPS.get(group) or doc_of(group)
    return commands.add_parser(group, help=doc.say(lang), add_help=False).add_subparsers()


# As above.
def _add_completion_command(commands: Any, word: str, name: str, lang: str) -> None:  # noqa: ANN401
    """Add a command with the arguments of its own parser."""
    own_parser = parser.of_command(name, lang, lambda error: 2)
    subparser = commands.add_parser(word, help=own_parser.description, add_help=False)
    for action in own_parser._actions:  # noqa: SLF001 - argparse has no other way
        values = _list_argument_values(name, action)
        if values:
            action.choices, action.metavar = values, None
        elif action.dest in _FILES:
            vars(action)["complete"] = shtab.FILE
        subparser._add_action(action)  # noqa: SLF001 - as above


def _list_argument_values(name: str, action: argparse.Action) -> tuple[str, ...]:
    """Return the values that an argument may have; an empty tuple where it may have any value."""
    if action.dest == "lang":
        return tuple(list_languages())
    if name in SERVERS:
        return SERVERS[name].word[1] if SERVERS[name].word[0] == action.dest else ()
    if (name, action.dest) == ("install", "agent"):
        return AGENTS
    if name not in NAMES:
        return tuple(action.choices or ())
    fields = {one.name: one for one in load_command(name).parameters}
    return fields[action.dest].about.choices if action.dest in fields else ()
