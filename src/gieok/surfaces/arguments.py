"""First step of parsing a command line: which command it calls, with which arguments.

Global options may stand in front of the command, within its name or behind it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.surfaces.commands import DEFAULTS, GLOBAL, list_group_commands

HELP = ("-h", "--help")
HELP_IN_KOREAN = "도움말"
VERSION = ("-V", "--version")
_VALUED = tuple(flag for flag, *_ in GLOBAL)


class CommandLine(NamedTuple):
    """Command line: the name of the command (or the unknown word typed for it) and its arguments.

    `is_help`: the person asks only for the help of the command. `is_group`: the name is that of a
    group of commands, without a command of it. `is_sentence`: the name was typed as one argument of
    several words, so that it names no command.
    """

    name: str
    arguments: tuple[str, ...] = ()
    is_help: bool = False
    is_group: bool = False
    is_sentence: bool = False


def read_command_line(arguments: Sequence[str]) -> CommandLine:
    """Return the command and the arguments of a command line.

    Global options may stand in front of the command, within its name or behind it.
    """
    options, rest = _split_leading_options(arguments)
    word, rest = (rest[0], rest[1:]) if rest else ("", [])
    if word in ("", *HELP, *VERSION):
        return CommandLine(
            "", (word, *options) if word in VERSION else tuple(options), is_help=word in HELP
        )
    # alone, for it may begin a question too
    if word == "help" or (word == HELP_IN_KOREAN and not rest):
        return _read_help_line(rest, options)
    if list_group_commands(word):
        return _in_group(word, options, rest)
    return CommandLine(
        word,
        (*options, *rest),
        is_help=_asks_for_help(rest),
        is_sentence=len(word.split()) > 1,
    )


def _read_help_line(rest: list[str], options: list[str]) -> CommandLine:
    """Return the command line for a call of `help`; `help` with an option of its own is a
    command.
    """
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
    """Return the global options in front of the command, and the other arguments."""
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
    """Return whether the arguments ask for help; behind `--` every argument is text."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(word in HELP for word in before)
