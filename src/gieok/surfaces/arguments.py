"""Words of the command line put in order before they are parsed: which command, and where its
options stand.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.surfaces.commands import DEFAULTS, GLOBAL, list_group_commands

HELP = ("-h", "--help")
VERSION = ("-V", "--version")
_VALUED = tuple(flag for flag, *_ in GLOBAL)


class CommandLine(NamedTuple):
    """A command line: the command's name, or what was typed for one, and its own arguments.

    `is_help`: what the command does is asked for, and nothing else. `is_group`: the name is that of
    a group alone.
    """

    name: str
    arguments: tuple[str, ...] = ()
    is_help: bool = False
    is_group: bool = False


def read_command_line(arguments: Sequence[str]) -> CommandLine:
    """Return what is called. Global options may stand in front of the command, within its name or
    behind it.
    """
    options, rest = _split_leading_options(arguments)
    word, rest = (rest[0], rest[1:]) if rest else ("", [])
    if word in ("", *HELP, *VERSION):
        return CommandLine(
            "", (word, *options) if word in VERSION else tuple(options), is_help=word in HELP
        )
    if word == "help":
        return _read_help_line(rest, options)
    if list_group_commands(word):
        return _in_group(word, options, rest)
    return CommandLine(word, (*options, *rest), is_help=_asks_for_help(rest))


def _read_help_line(rest: list[str], options: list[str]) -> CommandLine:
    """Return what help is asked for; `help` with an option of its own is a command."""
    more, rest = _split_leading_options(rest)
    options = [*options, *more]
    if rest[:1] and rest[0].startswith("-") and rest[0] not in HELP:
        return CommandLine("help", (*rest, *options))
    inner = read_command_line([word for word in rest if word not in HELP])
    return inner._replace(arguments=(*inner.arguments, *options), is_help=True)


def _in_group(group: str, options: list[str], rest: list[str]) -> CommandLine:
    more, rest = _split_leading_options(rest)
    options = [*options, *more]
    if rest and not rest[0].startswith("-"):
        return CommandLine(
            f"{group} {rest[0]}", (*options, *rest[1:]), is_help=_asks_for_help(rest)
        )
    if group in DEFAULTS and not _asks_for_help(rest):
        return CommandLine(f"{group} {DEFAULTS[group]}", (*options, *rest))
    return CommandLine(group, tuple(options), is_help=_asks_for_help(rest), is_group=True)


def _split_leading_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the global options that stand in front, and the rest."""
    options, rest = list[str](), list(arguments)
    while rest:
        if rest[0] == "--json" or rest[0].startswith(tuple(f"{flag}=" for flag in _VALUED)):
            options.append(rest.pop(0))
        elif rest[0] in _VALUED and len(rest) > 1:
            options += [rest.pop(0), rest.pop(0)]
        else:
            break
    return options, rest


def _asks_for_help(arguments: Sequence[str]) -> bool:
    """Say whether help is asked for: behind `--` everything is text."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(word in HELP for word in before)
