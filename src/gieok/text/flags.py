"""Flags of the command line in texts, for callers who name parameters instead."""

import re

from gieok.errors import Phrase

#: A text between backquotes, or a flag.
_PART = re.compile(r"(`[^`]*`)|(?<![\w-])--([a-z][a-z-]*)")
_COMMAND = "`gieok"


def name_parameters(text: str) -> Phrase:
    """Return a text with `scope` instead of `--scope` in its template.

    Commands of Gieok stay, and so do the values, which are the caller's own.
    """
    if not isinstance(text, Phrase):
        return Phrase(_rename_flags(text))
    values = {
        name: name_parameters(value) if isinstance(value, Phrase) else value
        for name, value in text.values.items()
    }
    return Phrase(_rename_flags(text.template), **values)


def find_parameters(text: str) -> set[str]:
    """Return the names of the parameters whose flags the template of a text names."""
    phrase = Phrase(text)
    found = set[str]()
    for quoted, flag in _PART.findall(phrase.template):
        if flag:
            found.add(flag.replace("-", "_"))
        elif not quoted.startswith(_COMMAND):
            found |= find_parameters(quoted[1:-1])
    inner = (value for value in phrase.values.values() if isinstance(value, Phrase))
    return found.union(*map(find_parameters, inner))


def _rename_flags(text: str) -> str:
    return _PART.sub(_name_parameter, text)


def _name_parameter(found: re.Match[str]) -> str:
    quoted, flag = found[1], found[2]
    if flag:
        return f"`{flag.replace('-', '_')}`"
    if quoted.startswith(_COMMAND) or "--" not in quoted:
        return quoted
    return f"`{_rename_flags(quoted[1:-1]).replace('`', '')}`"
