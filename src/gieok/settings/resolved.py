"""Settings in force, for every process: from settings files, `.env` and the environment.

`gieok.settings.file` parses YAML when a file is new or changed; the result is kept as JSON in the
home folder, under the checksum of the file's content. So the prompt hook, for which a YAML library
is too slow, reads the same settings as `gieok config show` prints. Standard library that is quick
to import.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping

from gieok import __version__, fs
from gieok.errors import BadConfig, Phrase, decode_phrase, encode_phrase
from gieok.places.home import private_file
from gieok.settings import trust
from gieok.settings.option import Option, Value

_FOLDER = "resolved"


class SettingsFile:
    """Settings file as it is now.

    A project's file may set less than the user's file.
    """

    __slots__ = ("content", "in_project", "path")

    def __init__(self, path: str, content: bytes, *, in_project: bool) -> None:
        self.path = path
        self.content = content
        self.in_project = in_project

    @property
    def fingerprint(self) -> str:
        """Return a hash of the content and of the version that parsed it."""
        return f"{__version__} {_sum_settings_bytes(self.content)} {len(self.content)}"


class FileSettings:
    """Parsed settings file: values by name, and the errors of the other values."""

    __slots__ = ("values", "wrong")

    def __init__(self, values: Mapping[str, Value], wrong: Iterable[BadConfig] = ()) -> None:
        self.values = dict(values)
        self.wrong = list(wrong)


#: Parser of a new or changed settings file, given the home folder; it raises for no file (see
#: `FileSettings.wrong`).
Parse = Callable[[str, SettingsFile], FileSettings]


def resolve_settings(
    home: str, project: str, options: Iterable[Option], environment: Mapping[str, str], parse: Parse
) -> tuple[dict[str, tuple[Value, str]], list[BadConfig]]:
    """Return name → (value, origin) of these options, and the errors of every source.

    A wrong value changes nothing. `project` is a project's root or '': its settings count once the
    user trusts them.
    """
    values: dict[str, tuple[Value, str]] = {
        option.name: (option.default, "default") for option in options
    }
    wrong: list[BadConfig] = []
    for file in _list_settings_files(home, project, wrong):
        settings = _read_kept_settings(home, file) or parse(home, file)
        values |= {
            name: (value, file.path) for name, value in settings.values.items() if name in values
        }
        wrong += settings.wrong
    private = _read_private_variables(home, wrong)
    for option in options:
        text, origin = environment.get(option.variable), option.variable
        if not text and private:
            text, origin = private.get(option.variable), private_file(home)
        if not text:
            continue
        try:
            values[option.name] = option.parse(text, origin), origin
        except BadConfig as error:
            wrong.append(error)
    return values, wrong


def _list_settings_files(home: str, project: str, wrong: list[BadConfig]) -> list[SettingsFile]:
    """Return the settings files that count, the stronger last.

    A file that nobody trusts is not read, so that not even its errors count.
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
        "cannot read {file!r}: {error}",
        file=file,
        error=Phrase(" ".join(str(error).split())),
        hint="mend the file, or move it away",
        origin=file,
    )


def _read_kept_settings(home: str, file: SettingsFile) -> FileSettings | None:
    """Return the kept parse result of a file with the same content."""
    try:
        with open(_kept_file(home, file), encoding="utf-8") as stream:
            row = json.load(stream)
        if row["fingerprint"] != file.fingerprint:
            return None
        wrong = [
            BadConfig(
                decode_phrase(message), hint=decode_phrase(hint), setting=name, origin=file.path
            )
            for name, message, hint in row["wrong"]
        ]
        return FileSettings(row["values"], wrong)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_parsed_settings(home: str, file: SettingsFile, found: FileSettings) -> None:
    """Keep the parsed settings of a file; a home that cannot be written raises nothing."""
    wrong = [
        (error.setting, encode_phrase(str(error)), encode_phrase(error.hint))
        for error in found.wrong
    ]
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


def _read_private_variables(home: str, wrong: list[BadConfig]) -> dict[str, str]:
    if not os.path.isfile(private_file(home)):
        return {}
    from gieok.env_file import private_variables  # few homes have the file

    try:
        return private_variables(home)
    except BadConfig as error:
        wrong.append(error)
        return {}
