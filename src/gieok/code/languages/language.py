"""What a language is to Gieok: a row of `table.LANGUAGES`."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gieok.code.model.facts import Facts
from gieok.code.resolve.linking import LinkRules
from gieok.ports.code import Parser

#: (text, language, parser) → facts. Raises SyntaxError, ValueError, RecursionError.
Reader = Callable[[str, "Language", Parser], Facts]


class Family(NamedTuple):
    """Languages that may call each other: their files are linked together."""

    name: str
    #: The rules of the family for files, which are sorted by path; None: calls are linked by their
    #: name alone.
    rules: Callable[[Sequence[tuple[str, Facts]]], LinkRules] | None = None


class Language(NamedTuple):
    """One language."""

    name: str
    read: Reader
    #: Ends of file names, with the dot, in lower case; and whole names of files that are read
    #: whatever they end in.
    extensions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    #: None where nothing is called.
    family: Family | None = None
    #: `module:function` of the wheel that holds the grammar, for `Parser`.
    grammar: str = ""
    #: Pattern of the names, without suffix, that files with tests have.
    tests: str = ""
    #: Files that serve the tests below their folder, without suffix, though they are not named as
    #: tests.
    helpers: tuple[str, ...] = ()
    #: Files that mostly hand on what others define, and stand for their folder.
    reexports: tuple[str, ...] = ()
    #: Files that are run before every file below their folder, asked or not.
    run_first: tuple[str, ...] = ()
    #: Files in which a program starts.
    starts: tuple[str, ...] = ()
    #: Secrets look like those of source code (quoted, or of a known shape); elsewhere like those of
    #: prose and settings.
    is_source: bool = True
    #: The text is searched; that of a manifest is not.
    is_searched: bool = True
