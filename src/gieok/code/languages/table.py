"""Table of all languages.

To add a language: add a module or package beside this one that makes the row, and its name here.
"""

from gieok.code.languages import (
    go,
    java,
    javascript,
    markdown,
    named,
    python,
    restructured,
    rust,
)
from gieok.code.languages.language import Language

_ROWS: tuple[Language, ...] = (
    *python.LANGUAGES,
    *javascript.LANGUAGES,
    *go.LANGUAGES,
    *rust.LANGUAGES,
    *java.LANGUAGES,
    *named.LANGUAGES,
    *markdown.LANGUAGES,
    *restructured.LANGUAGES,
)
LANGUAGES = {language.name: language for language in _ROWS}
_BY_EXTENSION = {
    extension: language.name for language in _ROWS for extension in language.extensions
}
_BY_FILE = {file: language.name for language in _ROWS for file in language.files}


def find_source_language(path: str) -> str | None:
    """Return the language of a file by its name; None for a file that is not read."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return _BY_FILE.get(name) or _BY_EXTENSION.get(f"{dot}{suffix.lower()}")
