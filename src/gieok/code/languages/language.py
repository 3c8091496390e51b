"""Description of a language: a row of `table.LANGUAGES`."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import LinkRules
from gieok.ports.code import Parser

#: (text, language, parser) → facts. Raises SyntaxError, ValueError, RecursionError.
Reader = Callable[[str, "Language", Parser], Facts]


class Family(NamedTuple):
    """Languages that may call each other, so that their files are linked together."""

    name: str
    #: Makes the link rules of the family for its files, which are sorted by path; None: calls are
    #: linked by their name alone.
    rules: Callable[[Sequence[tuple[str, Facts]]], LinkRules] | None = None


class Language(NamedTuple):
    """Everything that Gieok knows of one language."""

    name: str
    read: Reader
    #: Suffixes of file names, with the dot, in lower case; and whole names of files that are read
    #: whatever their suffix is.
    extensions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    #: The family; None where the language has no calls.
    family: Family | None = None
    #: `module:function` of the package that holds the grammar, for `Parser`.
    grammar: str = ""
    #: Pattern of the names of test files, without suffix.
    tests: str = ""
    #: Files, without suffix, that serve the tests below their folder, though they are not named as
    #: tests.
    helpers: tuple[str, ...] = ()
    #: Files that mostly re-export definitions of others, and stand for their folder.
    reexports: tuple[str, ...] = ()
    #: Files that are executed before every file below their folder, even if they are not imported.
    run_first: tuple[str, ...] = ()
    #: Files in which a program starts.
    starts: tuple[str, ...] = ()
    #: Whether secrets look like those of source code (quoted, or of a known shape); elsewhere they
    #: look like those of prose and settings.
    is_source: bool = True
    #: Whether the text is searched; the text of a manifest is not.
    is_searched: bool = True
