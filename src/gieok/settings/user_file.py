"""Changes to the user's settings file: planned, checked, written in one step."""

from collections.abc import Mapping
from pathlib import Path

from gieok import fs, paths
from gieok.errors import BadConfig, BadRequest
from gieok.settings.file import flatten_settings, parse_yaml_mapping
from gieok.settings.option import Value
from gieok.settings.resolved import unreadable
from gieok.settings.table import BY_NAME, find_option
from gieok.settings.values import Settings


def choose(settings: Settings, name: str, value: str) -> None:
    """Set one setting permanently in the user's file; see `change_settings`."""
    change_settings(settings, {name: value})


def change_settings(settings: Settings, texts: Mapping[str, str]) -> None:
    """Set settings permanently in the user's file, all in one step.

    The rest of the file, comments included, stays as it is. `texts` is name → text. After a kill at
    any moment, the file is the old one or the new one. Raises as `plan_settings_change`.
    """
    with changing(settings.home):
        write_settings_change(settings, texts)


def write_settings_change(settings: Settings, texts: Mapping[str, str]) -> None:
    """Set settings permanently, for a caller that holds the lock (`changing`).

    Such a caller read the settings under the lock, because the new value depends on the old one.
    """
    if new_text := plan_settings_change(settings, texts):
        fs.replace_private(paths.locate_user_config(settings.home), new_text)


def changing(home: Path) -> fs.exclusive:
    """Return the lock under which the user's file is read and then written."""
    return fs.lock_resource(home, paths.locate_user_config(home))


def plan_settings_change(settings: Settings, texts: Mapping[str, str]) -> str:
    """Return the user's file with settings changed; '' where nothing changes.

    Raises BadRequest where another source would override the file, BadConfig for a wrong value.
    """
    file = paths.locate_user_config(settings.home)
    for name in texts:
        if (origin := settings.values[name].origin) not in ("default", str(file)):
            raise BadRequest(
                "{name!r} is set by {origin!r}, which wins over {file!r}",
                name=name,
                origin=origin,
                file=file,
                hint="remove it there first",
            )
    values = {
        name: find_option(name, str(file)).parse(text, str(file)) for name, text in texts.items()
    }
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    new_text = _rewrite_settings_text(str(file), text, values)
    reread = dict(flatten_settings(parse_yaml_mapping(str(file), new_text.encode())))
    if any(reread.get(name) != value for name, value in values.items()):
        raise BadConfig(
            "{file!r} is written in a way that cannot be changed without losing something",
            file=file,
            lines="; ".join(f"{name}: {texts[name]}" for name in texts),
            hint="write there yourself: {lines}",
        )
    return new_text if new_text != text else ""


def _rewrite_settings_text(file: str, text: str, values: Mapping[str, Value]) -> str:
    import yaml

    from gieok.settings.file_text import change_settings_text  # for commands that write settings

    try:
        return change_settings_text(text, values, BY_NAME)
    except yaml.YAMLError as error:
        raise unreadable(file, error) from error
