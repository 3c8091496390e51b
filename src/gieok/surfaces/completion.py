"""`gieok completion SHELL`: prints a script that completes commands, options and their values, made
by shtab.

The script is made once and kept in a file, where the shell loads it at the first Tab: nothing of
Gieok runs for it.
"""

import argparse
from collections.abc import Mapping
from typing import Any

import shtab

from gieok.agents.table import EVENTS
from gieok.agents.table import NAMES as AGENTS
from gieok.errors import BadRequest
from gieok.ops import NAMES, operation
from gieok.ops.operation import Surface, Words
from gieok.surfaces import parser, streams
from gieok.surfaces.commands import GROUPS, SERVERS, doc_of

SHELLS = ("bash", "zsh", "fish")
#: Parameters whose values are files.
_FILES = frozenset(("path", "paths", "file", "files", "to", "answers", "key_file", "data", "what"))


def main(given: Mapping[str, str], lang: str) -> int:
    """Print the script for a shell."""
    shell = given.get("shell", "")
    if shell not in SHELLS:
        told = Words(
            f"completion is made for {', '.join(SHELLS)}",
            f"자동 완성이 되는 셸: {', '.join(SHELLS)}",
        )
        hint = Words("such as `gieok completion bash`", "예: `gieok completion bash`")
        raise BadRequest(told.say(lang), hint=hint.say(lang))
    streams.write(shtab.complete(whole(lang), shell), "utf-8")
    return 0


def whole(lang: str) -> argparse.ArgumentParser:
    """Return a parser that holds every command."""
    made = argparse.ArgumentParser(prog="gieok", add_help=False, allow_abbrev=False)
    made.add_argument("-h", "--help", action="help", help=Words("show help", "도움말").say(lang))
    made.add_argument(
        "-V", "--version", action="version", help=Words("show the version", "버전").say(lang)
    )
    commands = made.add_subparsers()
    groups: dict[str, Any] = {}
    for name in NAMES:
        if Surface.CLI in operation(name).surfaces:
            group, _, word = name.rpartition(" ")
            if group and group not in groups:
                groups[group] = _group(commands, group, lang)
            _add(groups[group] if group else commands, word, name, lang)
    for event in EVENTS:
        _add(groups["hook"], event, f"hook {event}", lang)
    for name in SERVERS:
        _add(commands, name, name, lang)
    helped = commands.add_parser("help", help=doc_of("help").say(lang), add_help=False)
    helped.add_argument(
        "command", choices=[*dict.fromkeys(name.partition(" ")[0] for name in NAMES), *SERVERS]
    )
    return made


# Argparse's own type is private.
def _group(commands: Any, group: str, lang: str) -> Any:  # noqa: ANN401
    doc = GROUPS.get(group) or doc_of(group)
    return commands.add_parser(group, help=doc.say(lang), add_help=False).add_subparsers()


def _add(commands: Any, word: str, name: str, lang: str) -> None:  # noqa: ANN401 - as above
    """Add a command with the arguments of its own parser."""
    made = parser.of_command(name, lang, lambda error: 2)
    added = commands.add_parser(word, help=made.description, add_help=False)
    for action in made._actions:  # noqa: SLF001 - argparse has no other way
        values = _values(name, action)
        if values:
            action.choices, action.metavar = values, None
        elif action.dest in _FILES:
            vars(action)["complete"] = shtab.FILE
        added._add_action(action)  # noqa: SLF001 - as above


def _values(name: str, action: argparse.Action) -> tuple[str, ...]:
    """Return the values that an argument may have; nothing where it may have any."""
    if action.dest == "lang":
        return ("en", "ko")
    if name in SERVERS:
        return SERVERS[name].word[1] if SERVERS[name].word[0] == action.dest else ()
    if (name, action.dest) == ("install", "agent"):
        return AGENTS
    if name not in NAMES:
        return tuple(action.choices or ())
    fields = operation(name).request.__dataclass_fields__
    return fields[action.dest].metadata["choices"] if action.dest in fields else ()
