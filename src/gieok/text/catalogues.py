"""Catalogues of messages: a file of gettext for each language but English.

`locale/LANG/LC_MESSAGES/gieok.po` is what a translator edits; `make docs` compiles it to
`gieok.mo`, which is read here.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import NullTranslations

ENGLISH = "en"
DOMAIN = "gieok"
LOCALES = Path(__file__).parents[1] / "locale"


def list_languages() -> list[str]:
    """Return the languages that a person can choose: English, and each that has a catalogue."""
    return [ENGLISH, *_find_catalogues()]


@cache
def _find_catalogues() -> tuple[str, ...]:
    """Return the languages with a catalogue; a command asks several times, the disk once."""
    return tuple(sorted(path.parts[-3] for path in LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")))


@cache
def load_catalogue(lang: str) -> "NullTranslations":
    """Return the catalogue of a language; one that translates nothing where there is none."""
    import gettext  # 3 ms, which English does not pay

    return gettext.translation(DOMAIN, LOCALES, [lang], fallback=True)


def list_translations(lang: str) -> dict[str, str]:
    """Return message → translation of a language, without those that are told apart by a use."""
    rows: dict[str, str] = getattr(load_catalogue(lang), "_catalog", {})
    return {
        text: translation for text, translation in rows.items() if text and "\x04" not in str(text)
    }
