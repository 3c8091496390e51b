"""Table of all settings, in the order in which they are shown and documented."""

from gieok.errors import BadConfig
from gieok.settings import hook
from gieok.settings.conversions import CONVERTED
from gieok.settings.option import Option
from gieok.settings.rows import (
    archive,
    characters,
    code,
    models,
    observer,
    person,
    search,
    storage,
    upkeep,
)
from gieok.settings.synonyms import CAPS_OF_A_RUN, NAMES, find_instead

OPTIONS = (
    *person.OPTIONS,
    *storage.OPTIONS,
    *models.OPTIONS,
    *search.OPTIONS,
    *hook.OPTIONS,
    *upkeep.PROCESS_OPTIONS,
    *observer.OPTIONS,
    characters.WINDOWS,
    *archive.OPTIONS,
    *characters.OPTIONS,
    *observer.REFLECTOR_OPTIONS,
    storage.GEMINI_SCHEDULE,
    *upkeep.HOUSEKEEPING_OPTIONS,
    *code.OPTIONS,
    *upkeep.OPTIONS,
    *upkeep.ACTIVE_MEMORY_OPTIONS,
)
BY_NAME = {option.name: option for option in OPTIONS}


def find_option(name: str, origin: str) -> Option:
    """Return a setting by its name, or by the name that a document gives it.

    Raises BadConfig for an unknown name, and for one with another meaning; `origin` is where the
    name stands.
    """
    option = BY_NAME.get(name) or BY_NAME.get(NAMES.get(name, ""))
    if option is None:
        refuse_known_otherwise(name, origin)
        from difflib import get_close_matches  # 2 ms

        near = get_close_matches(name, BY_NAME, 1)
        raise BadConfig(
            "unknown setting {setting!r} in {origin!r}",
            near=", ".join(near),
            hint="did you mean {near!r}?" if near else "`gieok config show` lists them all",
            setting=name,
            origin=origin,
        )
    return option


def refuse_known_otherwise(name: str, origin: str) -> None:
    """Raise BadConfig for a name that is no setting, and of which more is known than that."""
    if name in CAPS_OF_A_RUN:
        raise BadConfig(
            "{setting!r} in {origin!r} counts by run, Gieok by 6,000 tokens of messages",
            hint="set {nearest!r} in its place",
            nearest=CAPS_OF_A_RUN[name],
            setting=name,
            origin=origin,
        )
    if name in CONVERTED:
        raise BadConfig(
            "{setting!r} is understood in a file of settings, and not in {origin!r}",
            hint="set {nearest!r} in its place",
            nearest=CONVERTED[name],
            setting=name,
            origin=origin,
        )
    if example := _find_setting_in(name):
        raise BadConfig(
            "{setting!r} in {origin!r} is a group of settings, and has no value itself",
            hint="set what is in it, such as {example!r}",
            example=example,
            setting=name,
            origin=origin,
        )
    if (instead := find_instead(name)) is not None:
        raise BadConfig(
            "no setting has the meaning of {setting!r} in {origin!r}",
            hint="there is instead: {instead}" if instead else "take it out: none is needed",
            instead=instead,
            setting=name,
            origin=origin,
        )


def _find_setting_in(group: str) -> str:
    """Return the first setting of a group, ours or a document's; '' where it is none."""
    return next(
        (name for name in (*BY_NAME, *NAMES, *CONVERTED) if name.startswith(f"{group}.")), ""
    )
