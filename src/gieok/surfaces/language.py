"""The language in which a person reads: English, or one that has a catalogue.

`--lang` decides, else GIEOK_LANG, else the settings, else the locale.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

from gieok.text.catalogues import ENGLISH, list_languages


def language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the language of a call without reading the settings.

    Most commands read the settings anyway, later.
    """
    locale = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)),
        "",
    )
    of_locale = locale.lower()[:2]
    known = list_languages()
    return _find_named_language(arguments, environment) or (
        of_locale if of_locale in known else ENGLISH
    )


def _find_named_language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the language that this call names; '' where it names none."""
    known = list_languages()
    for before, argument in zip(["", *arguments], arguments, strict=False):
        flag, _, value = argument.partition("=")
        if flag == "--lang" and value in known:
            return value
        if before == "--lang" and argument in known:
            return argument
    configured = environment.get("GIEOK_LANG", "")
    return configured if configured in known else ""


class TerminalReader:
    """Language of the person who reads a command's errors, progress and help.

    It is found out when it is first needed.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._arguments, self._environment = arguments, environment

    @cached_property
    def lang(self) -> str:
        """Return the reader's language, from the settings too."""
        if named := _find_named_language(self._arguments, self._environment):
            return named
        configured = _read_configured_language(self._environment)
        return (
            configured
            if configured in list_languages()
            else language(self._arguments, self._environment)
        )

    def told(self, text: str) -> str:
        """Return an English text in the reader's language."""
        from gieok.text.messages import in_language  # a command that succeeds needs no errors

        return in_language(text, self.lang)


def _read_configured_language(environment: Mapping[str, str]) -> str:
    """Return the language in the settings; '' where none is set, or the settings are invalid."""
    from pathlib import Path

    from gieok.errors import GieokError
    from gieok.places.home import build_home_path
    from gieok.places.workplace import project_root

    try:
        home, here = Path(build_home_path()), Path.cwd()
        if not any(
            place.exists() for place in (home / "config.yaml", home / ".env")
        ) and not project_root(str(here)):
            return ""  # help has no time for the table of settings
        from gieok.settings.values import load_effective_settings

        return load_effective_settings({}, environment, here, []).text("lang")
    except (GieokError, OSError):
        return ""
