"""Commands in the texts of errors, as the calls of the Python API that do the same."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from gieok.commands import NAMES, load_command
from gieok.commands.command import CommandParameter, Effect
from gieok.commands.request import default_of, find_parameter_name
from gieok.errors import Phrase
from gieok.text.flags import name_parameters

#: Commands that a person runs at a terminal, or whose use is theirs to decide: a program is told
#: the command.
FOR_PEOPLE = frozenset(
    (
        "setup",
        "open",
        "trust",
        "erase",
        "uninstall",
        "keys set",
        "keys rotate",
        "config edit",
        "character chat",
        "encryption on",
        "encryption off",
        "encryption rotate",
    )
)
_QUOTED_COMMAND = re.compile(r"`gieok ([^`]*)`")
#: A flag and its value between backquotes, such as `--match TEXT`.
_QUOTED_OPTION = re.compile(r"`--([a-z][a-z-]*) ([A-Z]+)`")
_WORD = re.compile(r'"[^"]*"|\S+')
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*")
#: Values that Python takes as they stand: numbers, places of a template that quote themselves.
_LITERAL = re.compile(r'-?\d+(?:\.\d+)?|\{\w+!r\}|"[^"]*"')
#: Words that make a line more than one call: a choice, a pipe, a second command, an option.
_NO_CALL = re.compile(r"[|&<>\[\]]")
_BY_PLACE, _SEVERAL = (
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


def name_calls(text: str, methods: Mapping[str, Callable[..., Any]]) -> Phrase:
    """Return a text with calls and parameters in place of commands and flags.

    `methods` are the methods of `Memory` by the command that each runs. Values of the template are
    the caller's own and stay.
    """
    phrase = Phrase(text)
    values = {
        name: name_calls(value, methods) if isinstance(value, Phrase) else value
        for name, value in phrase.values.items()
    }
    template = _QUOTED_COMMAND.sub(
        lambda found: _render_command(found[1], methods) or found[0], phrase.template
    )
    template = _QUOTED_OPTION.sub(_render_option, template)
    return name_parameters(Phrase(template, **values))


def _render_option(found: re.Match[str]) -> str:
    return f"`{found[1].replace('-', '_')}={found[2].lower()}`"


def _render_command(line: str, methods: Mapping[str, Callable[..., Any]]) -> str:
    """Return the call that does what a command line does; '' where there is none."""
    words = _WORD.findall(line)
    names = (" ".join(words[:count]) for count in (2, 1))
    name = next((name for name in names if name in NAMES), "")
    if not name or name in FOR_PEOPLE or _NO_CALL.search(line):
        return ""
    arguments = _read_arguments(load_command(name).parameters, words[len(name.split()) :])
    if arguments is None:
        return ""
    placed, named = arguments
    method = methods.get(name)
    if method is None:
        return _render_run_call(name, placed, named)
    known = inspect.signature(method).parameters.values()
    if not named.keys() <= {parameter.name for parameter in known}:
        return _render_run_call(name, placed, named)
    given = [value for values in placed.values() for value in values]
    by_place = [parameter for parameter in known if parameter.kind is _BY_PLACE][1:]
    needed = [one.name for one in by_place if one.default is inspect.Parameter.empty]
    given += needed[len(given) :]
    if not given and not named:
        given = [parameter.name for parameter in by_place]
        # a call that takes several goes without any, unless it would destroy nobody knows what
        if load_command(name).effect is Effect.DESTROY:
            several = (parameter.name for parameter in known if parameter.kind is _SEVERAL)
            given += [one.removesuffix("s") for one in several]
    given += [f"{key}={value}" for key, value in named.items()]
    return f"`memory.{method.__name__}({', '.join(given)})`"


def _render_run_call(name: str, placed: Mapping[str, list[str]], named: Mapping[str, str]) -> str:
    """Return the call of a command that has no method; one text does for a list of one."""
    given = [f'"{name}"']
    for parameter in load_command(name).parameters:
        key = find_parameter_name(parameter)
        if parameter.about.needed and key not in placed and key not in named:
            given.append(f"{key}={key}")
    for key, values in placed.items():
        listed = ", ".join(values)
        given.append(f"{key}={listed}" if len(values) == 1 else f"{key}=[{listed}]")
    given += [f"{key}={value}" for key, value in named.items()]
    return f"`memory.run({', '.join(given)})`"


def _read_arguments(
    parameters: tuple[CommandParameter, ...], words: list[str]
) -> tuple[dict[str, list[str]], dict[str, str]] | None:
    """Return values by place and values by name; None where a word belongs to no parameter."""
    by_flag = {find_parameter_name(parameter): parameter for parameter in parameters}
    places = [parameter for parameter in parameters if parameter.about.positional]
    placed, named = dict[str, list[str]](), dict[str, str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            flag = word[2:].replace("-", "_")
            parameter = by_flag.get(flag)
            if parameter is None:
                return None
            is_switch = isinstance(default_of(parameter), bool)
            named[flag] = "True" if is_switch else _render_value(rest.pop(0) if rest else flag)
        elif places:
            name = find_parameter_name(places[0])
            placed.setdefault(name, []).append(_render_value(word))
            if not isinstance(default_of(places[0]), list):
                places.pop(0)
        else:
            return None
    return placed, named


def _render_value(word: str) -> str:
    """Return a word of a command line as an expression of Python."""
    if word == "…":
        return word
    if _PLACEHOLDER.fullmatch(word):
        return word.lower()
    return word if _LITERAL.fullmatch(word) else f'"{word}"'
