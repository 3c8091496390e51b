"""The file `.env` of a folder: secrets that stand in for variables of the environment.

Standard library that is quick to import: the hook uses this module.
"""

import os
import re
import stat

from gieok.errors import BadConfig, Phrase
from gieok.places.home import private_file

_VARIABLE = re.compile(r"""\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(["']?)(.*?)\2\s*""")


def private_variables(home: str) -> dict[str, str]:
    """Return the variables of `.env`.

    `NAME=value` lines, quotes and `export` allowed, `#` begins a comment line. Raises BadConfig:
    `.env` cannot be read, or others can read it.
    """
    file = private_file(home)
    if not os.path.isfile(file):
        return {}
    if os.name == "posix" and stat.S_IMODE(os.stat(file).st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        message = Phrase("{file!r} holds secrets and can be read by others", file=file)
        raise BadConfig(message, file=file, hint="run `chmod 600 {file}`", origin=file)
    try:
        with open(file, encoding="utf-8") as opened:
            lines = opened.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(
            "cannot read {file!r}: {error}", file=file, error=error, origin=file
        ) from error
    return {name: value for line in lines for name, value in assigned(line).items()}


def assigned(line: str) -> dict[str, str]:
    """Return the variable that one line of `.env` sets; nothing for a comment."""
    match = _VARIABLE.fullmatch(line)
    return {match[1]: match[3]} if match else {}
