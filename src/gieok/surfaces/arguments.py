"""Words of the command line put in order before they are parsed: which command, and where its
options stand.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.surfaces.commands import DEFAULTS, GLOBAL, members

HELP = ("-h", "--help")
VERSION = ("-V", "--version")
_VALUED = tuple(flag for flag, *_ in GLOBAL)


class Line(NamedTuple):
    """A command line: the command's name, or what was typed for one, and its own arguments.

    `is_help`: what the command does is asked for, and nothing else. `is_group`: the name is that of
    a group alone.
    """

    name: str
    arguments: tuple[str, ...] = ()
    is_help: bool = False
    is_group: bool = False


def read(arguments: Sequence[str]) -> Line:
    """Return what is called. Global options may stand in front of the command, within its name or
    behind it.
    """
    options, rest = _leading(arguments)
    word, rest = (rest[0], rest[1:]) if rest else ("", [])
    if word in ("", *HELP, *VERSION):
        return Line(
            "", (word, *options) if word in VERSION else tuple(options), is_help=word in HELP
        )
    if word == "help":
        return _helped(rest, options)
    if members(word):
        return _in_group(word, options, rest)
    return Line(word, (*options, *rest), is_help=_asks(rest))


def _helped(rest: list[str], options: list[str]) -> Line:
    """Return what help is asked for; `help` with an option of its own is a command."""
    more, rest = _leading(rest)
    options = [*options, *more]
    if rest[:1] and rest[0].startswith("-") and rest[0] not in HELP:
        return Line("help", (*rest, *options))
    inner = read([word for word in rest if word not in HELP])
    return inner._replace(arguments=(*inner.arguments, *options), is_help=True)


def _in_group(group: str, options: list[str], rest: list[str]) -> Line:
    more, rest = _leading(rest)
    options = [*options, *more]
    if rest and not rest[0].startswith("-"):
        return Line(f"{group} {rest[0]}", (*options, *rest[1:]), is_help=_asks(rest))
    if group in DEFAULTS and not _asks(rest):
        return Line(f"{group} {DEFAULTS[group]}", (*options, *rest))
    return Line(group, tuple(options), is_help=_asks(rest), is_group=True)


def _leading(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
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


def _asks(arguments: Sequence[str]) -> bool:
    """Say whether help is asked for: behind `--` everything is text."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(word in HELP for word in before)
