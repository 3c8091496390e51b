"""The hook's own reading of the settings: config.yaml, the project's, the environment. No YAML library: it is third-party.

Reads what settings are made of: `hook.limit: 3`, or `limit: 3` below `hook:`, or `hook: {limit: 3}`. A value that it cannot
use is left at its default and named in the log; `gieok config show` then says what is wrong.
"""

import os
import re
from collections.abc import Mapping

from gieok import trust
from gieok.capabilities.prompt.options import BOOLEANS, OPTIONS, STORE_OPTIONS, HookSettings, Row, Value

_LINE = re.compile(r"""(\s*)(['"]?)([\w.]+)\2\s*:(?:\s+(.*?))?\s*$""")
_PAIR = re.compile(r"""\s*([\w.]+)\s*:\s+("[^"]*"|'[^']*'|[^,]*)(?:,|$)""")
_QUOTES = "\"'"


def load(home: str, project: str, environment: Mapping[str, str]) -> HookSettings:
    """Return the settings. `project` is a project's root or '': its own count once they are trusted."""
    values: dict[str, Value] = {}
    wrong: list[str] = []
    user = os.path.join(home, "config.yaml")
    found = [(name, text, user, False) for name, text in _read(user, wrong).items()]
    if project:
        of_project = flat(trust.settings(home, project))
        found += [(name, text, trust.settings_file(project), True) for name, text in of_project.items()]
    found += [
        (row[0], environment[variable], variable, False)
        for row in (*OPTIONS, *STORE_OPTIONS)
        if environment.get(variable := "GIEOK_" + row[0].replace(".", "_").upper())
    ]
    rows = {row[0]: row for row in (*OPTIONS, *STORE_OPTIONS)}
    for name, text, origin, in_project in found:
        if name in rows and (rows[name][3] or not in_project):
            value = _value(rows[name], text)
            if value is None:
                wrong.append(f"{name} is {text!r} in {origin}")
            else:
                values[name] = value
    return HookSettings(values, wrong)


def _read(file: str, wrong: list[str]) -> dict[str, str]:
    try:
        with open(file, encoding="utf-8-sig") as opened:
            return flat(opened.read(100_000))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        wrong.append(f"cannot read {file}: {error}")
        return {}


def flat(text: str) -> dict[str, str]:
    """Return dotted name → text of a settings file."""
    values: dict[str, str] = {}
    group = ""
    for line in text.splitlines():
        found = _LINE.match(_without_comment(line))
        if not found:
            continue
        indent, _, name, value = found.groups()
        group = group if indent else ""
        if not value:
            group = "" if indent else f"{name}."
        elif value.startswith("{") and value.endswith("}"):
            values.update({f"{name}.{inner}": _plain(text.strip()) for inner, text in _PAIR.findall(value[1:-1])})
        else:
            values[group + name] = _plain(value)
    return values


def _without_comment(line: str) -> str:
    """Return a line without what follows a `#` that begins a word, outside of quotes."""
    quote = ""
    for at, char in enumerate(line):
        begins = at == 0 or line[at - 1] in " \t:{,"
        if quote:
            quote = "" if char == quote else quote
        elif char in _QUOTES and begins:
            quote = char
        elif char == "#" and (at == 0 or line[at - 1].isspace()):
            return line[:at]
    return line


def _plain(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES else text


def _value(row: Row, text: str) -> Value | None:
    """Return the value of a setting's text, or None where it cannot be one."""
    default, choices, low = row[1], row[4], row[5]
    if isinstance(default, bool):
        return BOOLEANS.get(text.lower())
    if isinstance(default, str):
        return text if not choices or text in choices else None
    try:
        number = type(default)(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") and (low is None or number >= low) else None
