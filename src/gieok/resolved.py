"""The settings in force, for every process: what files say, `.env`, the environment.

YAML is parsed where a file is new or changed, by `gieok.config`; what it says is kept as JSON in
the home folder, under the sum of its content. So the prompt hook, for which a YAML library is too
slow, reads the same as `gieok config show` prints. Standard library that is quick to import.
"""

import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Mapping

from gieok import __version__, fs, trust
from gieok.errors import BadConfig
from gieok.option import Option, Value

_FOLDER = "resolved"
_VARIABLE = re.compile(r"""\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(["']?)(.*?)\2\s*""")


class SettingsFile:
    """A file of settings as it is now. A project's may set less than the user's."""

    __slots__ = ("content", "in_project", "path")

    def __init__(self, path: str, content: bytes, *, in_project: bool) -> None:
        self.path = path
        self.content = content
        self.in_project = in_project

    @property
    def fingerprint(self) -> str:
        """Return what changes with the content, or with the version that understood it."""
        return f"{__version__} {_sum_settings_bytes(self.content)} {len(self.content)}"


class FileSettings:
    """What a file of settings says: values by name, and what is wrong with the others."""

    __slots__ = ("values", "wrong")

    def __init__(self, values: Mapping[str, Value], wrong: Iterable[BadConfig] = ()) -> None:
        self.values = dict(values)
        self.wrong = list(wrong)


#: Parses a file of settings that is new or changed, given the home folder; it fails for none (see
#: `FileSettings.wrong`).
Parse = Callable[[str, SettingsFile], FileSettings]


def resolve_settings(
    home: str, project: str, options: Iterable[Option], environment: Mapping[str, str], parse: Parse
) -> tuple[dict[str, tuple[Value, str]], list[BadConfig]]:
    """Return name → (value, origin) of these options, and what is wrong in any source; a wrong
    value changes nothing.

    `project` is a project's root or '': its settings count once they are trusted.
    """
    values: dict[str, tuple[Value, str]] = {
        option.name: (option.default, "default") for option in options
    }
    wrong: list[BadConfig] = []
    for file in _list_settings_files(home, project, wrong):
        found = _read_kept_settings(home, file) or parse(home, file)
        values |= {
            name: (value, file.path) for name, value in found.values.items() if name in values
        }
        wrong += found.wrong
    private = _read_private_variables(home, wrong)
    for option in options:
        text, origin = environment.get(option.variable), option.variable
        if not text:
            text, origin = private.get(option.variable), private_file(home)
        try:
            if text:
                values[option.name] = option.parse(text, origin), origin
        except BadConfig as error:
            wrong.append(error)
    return values, wrong


def _list_settings_files(home: str, project: str, wrong: list[BadConfig]) -> list[SettingsFile]:
    """Return the files that count, the stronger last. What nobody trusted is not read, so that not
    even its errors count.
    """
    files = []
    if os.path.isfile(user := os.path.join(home, "config.yaml")):
        try:
            with open(user, "rb") as stream:
                files.append(SettingsFile(user, stream.read(), in_project=False))
        except OSError as error:
            wrong.append(unreadable(user, error))
    if project and (text := trust.settings(home, project)):
        content = text.encode("utf-8", "surrogateescape")
        files.append(SettingsFile(trust.settings_file(project), content, in_project=True))
    return files


def unreadable(file: str, error: Exception) -> BadConfig:
    """Return the error for a file of settings that cannot be read."""
    return BadConfig(
        f"cannot read {file!r}: {' '.join(str(error).split())}",
        hint="mend the file, or move it away",
        origin=file,
    )


def _read_kept_settings(home: str, file: SettingsFile) -> FileSettings | None:
    """Return what a file says, as it was understood when its content was the same."""
    try:
        with open(_kept_file(home, file), encoding="utf-8") as stream:
            row = json.load(stream)
        if row["fingerprint"] != file.fingerprint:
            return None
        wrong = [
            BadConfig(told, hint=hint, setting=name, origin=file.path)
            for name, told, hint in row["wrong"]
        ]
        return FileSettings(row["values"], wrong)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_parsed_settings(home: str, file: SettingsFile, found: FileSettings) -> None:
    """Keep what a file says; a home that cannot be written is no hindrance."""
    wrong = [(error.setting, str(error), error.hint) for error in found.wrong]
    row = {
        "file": file.path,
        "fingerprint": file.fingerprint,
        "values": found.values,
        "wrong": wrong,
    }
    try:
        fs.replace_private(_kept_file(home, file), json.dumps(row))
    except OSError:
        return


def _kept_file(home: str, file: SettingsFile) -> str:
    path = os.path.realpath(file.path).encode("utf-8", "surrogateescape")
    return os.path.join(home, _FOLDER, f"{_sum_settings_bytes(path)}.json")


def _sum_settings_bytes(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def private_file(home: str) -> str:
    """Return the file of secrets, which supplements the environment."""
    return os.path.join(home, ".env")


def _read_private_variables(home: str, wrong: list[BadConfig]) -> dict[str, str]:
    try:
        return private_variables(home)
    except BadConfig as error:
        wrong.append(error)
        return {}


def private_variables(home: str) -> dict[str, str]:
    """Return the variables of `.env`: `NAME=value` lines, quotes and `export` allowed, `#` begins a
    comment line.

    Raises BadConfig: it cannot be read, or others can read it.
    """
    file = private_file(home)
    if not os.path.isfile(file):
        return {}
    if os.name == "posix" and stat.S_IMODE(os.stat(file).st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        told = f"{file!r} holds secrets and can be read by others"
        raise BadConfig(told, hint=f"run `chmod 600 {file}`", origin=file)
    try:
        with open(file, encoding="utf-8") as opened:
            lines = opened.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"cannot read {file!r}: {error}", origin=file) from error
    return {name: value for line in lines for name, value in assigned(line).items()}


def assigned(line: str) -> dict[str, str]:
    """Return what one line of `.env` sets; nothing for a comment."""
    found = _VARIABLE.fullmatch(line)
    return {found[1]: found[3]} if found else {}
