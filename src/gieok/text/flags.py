"""Flags of the command line in texts, for callers who name parameters instead."""

import re

#: A text between backquotes, or a flag.
_PART = re.compile(r"(`[^`]*`)|(?<![\w-])--([a-z][a-z-]*)")
_COMMAND = "`gieok"


def name_parameters(text: str) -> str:
    """Return a text with `scope` instead of `--scope`; commands of Gieok stay."""
    return _PART.sub(_name_parameter, text)


def _name_parameter(found: re.Match[str]) -> str:
    quoted, flag = found[1], found[2]
    if flag:
        return f"`{flag.replace('-', '_')}`"
    if quoted.startswith(_COMMAND) or "--" not in quoted:
        return quoted
    return f"`{name_parameters(quoted[1:-1]).replace('`', '')}`"
