"""Settings files: YAML in, values and errors out.

A project file comes with a repository that somebody else wrote: it counts only after a person
trusted it, and may only set options that are marked `in_project`, never a path, a program or a
destination of data. A secret is in no settings file.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gieok import paths
from gieok.errors import BadConfig
from gieok.places.home import private_file
from gieok.settings.conversions import CONVERTED, convert_document_values
from gieok.settings.option import Value
from gieok.settings.resolved import FileSettings, SettingsFile, keep_parsed_settings, unreadable
from gieok.settings.synonyms import INSTEAD, NAMES, find_instead
from gieok.settings.table import find_option

#: Where the password of an address is set, by the group of the address's setting.
_PASSWORDS = {"redis": "REDIS_PASSWORD", "mongo": "MONGO_PASSWORD"}


def parse_settings_file(home: str, file: SettingsFile) -> FileSettings:
    """Return the content of a settings file, and cache it in the home folder for the next process.

    The cache is `gieok.settings.resolved`.
    """
    file_settings = _read_settings_lines(home, file)
    keep_parsed_settings(home, file, file_settings)
    return file_settings


def find_settings_errors(home: Path, text: str) -> list[BadConfig]:
    """Return the errors that a text would have as the user's settings file."""
    content = text.encode("utf-8", "surrogateescape")
    return _read_settings_lines(
        str(home), SettingsFile(str(paths.locate_user_config(home)), content, in_project=False)
    ).wrong


def _read_settings_lines(home: str, file: SettingsFile) -> FileSettings:
    file_settings = FileSettings({})
    try:
        entries = list(flatten_settings(parse_yaml_mapping(file.path, file.content)))
    except BadConfig as error:
        file_settings.wrong.append(error)
        return file_settings
    for name, value in _order_entries(entries, file.path, file_settings.wrong):
        try:
            parsed = _parse_setting_value(home, file, name, value)
            file_settings.values[NAMES.get(name, name)] = parsed
        except BadConfig as error:
            file_settings.wrong.append(error)
    return file_settings


def _order_entries(
    entries: Sequence[tuple[str, object]], origin: str, wrong: list[BadConfig]
) -> Iterator[tuple[str, object]]:
    """Yield a document's names, then what had to be converted, then our own names, which win."""
    yield from (entry for entry in entries if entry[0] in NAMES)
    given = {name: value for name, value in entries if value is not None}
    yield from convert_document_values(given, origin, wrong)
    yield from (entry for entry in entries if entry[0] not in NAMES and entry[0] not in CONVERTED)


def parse_yaml_mapping(file: str, content: bytes) -> dict[object, object]:
    """Return the mapping in a YAML file."""
    # only where a file is new or changed: parsing costs as much as the rest of a keyword search
    import yaml

    try:
        data = yaml.safe_load(content.decode("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise unreadable(file, error) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadConfig(
            "{file!r} must hold `name: value` lines, not a {kind}",
            file=file,
            kind=type(data).__name__,
            origin=file,
        )
    return data


def flatten_settings(
    data: Mapping[object, object], prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Yield (dotted name, value): `search: {limit: 3}` and `search.limit: 3` are the same.

    Groups within groups are followed only where a document names a setting there.
    """
    for name, value in data.items():
        whole = f"{prefix}{name}"
        is_group = not prefix or any(
            known.startswith(f"{whole}.") for known in (*NAMES, *CONVERTED, *INSTEAD)
        )
        if isinstance(value, dict) and is_group:
            yield from flatten_settings(value, f"{whole}.")
        else:
            yield whole, value


def _parse_setting_value(home: str, file: SettingsFile, name: str, value: object) -> Value:
    """Return the value of one entry of a settings file. Raises BadConfig."""
    origin = file.path
    if isinstance(value, dict) and find_instead(name) is None:
        raise BadConfig(
            "the setting {path!r} in {origin!r} is nested too deeply",
            path=f"{name}.{next(iter(value), '')}",
            hint="write `search: {limit: 3}`, one level",
            setting=name,
            origin=origin,
        )
    option = find_option(name, origin)
    if file.in_project and not option.in_project:
        raise option.bad(
            "{origin!r} sets {setting!r}, which a project may not set",
            origin,
            "move it to the user file ({file}) or remove it",
            file=paths.locate_user_config(Path(home)),
        )
    if value is None:  # a name without a value
        return option.default
    if option.is_address and without_password(str(value)) != str(value):
        variable = _PASSWORDS.get(option.group, "PGPASSWORD")
        raise option.bad(
            "{setting!r} in {origin!r} holds a password",
            origin,
            "take it out, and write `{variable}=…` into {secrets} (chmod 600)",
            variable=variable,
            secrets=private_file(home),
        )
    if option.is_list:
        return option.parse(json.dumps(value, ensure_ascii=False), origin)
    joined = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return option.parse(joined, origin)


def without_password(address: str) -> str:
    """Return a URL or connection string with its password replaced by stars."""
    in_url = re.sub(r"^([\w+.-]+://[^:/?#@]*):[^/?#]*@", r"\1:***@", address)
    return re.sub(
        r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", r"\1***", in_url, flags=re.IGNORECASE
    )
