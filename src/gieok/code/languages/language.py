"""Description of a language: a row of `table.LANGUAGES`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import Linker

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser


class Family(NamedTuple):
    """Languages that may call each other, so that their files are linked together."""

    name: str
    #: Resolver of the family's imports; None: calls are linked by their name alone.
    linker: type[Linker] | None = None


@dataclass(frozen=True, kw_only=True)
class Language(ABC):
    """Everything that Gieok knows of one language; a subclass reads its files."""

    name: str
    #: Suffixes of file names, with the dot, in lower case; and whole names of files that are read
    #: whatever their suffix is.
    extensions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    #: The family; None where the language has no calls.
    family: Family | None = None
    #: `module:function` of the package that holds the grammar, for the parser.
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
    #: Whether it is prose for people, which runs nothing.
    is_document: bool = False
    #: Whether the text is searched; the text of a manifest is not.
    is_searched: bool = True
    #: Note of the facts of a file that is read whole as far as it is code, where it holds more.
    beside_code: str = ""

    @abstractmethod
    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return the facts of a file. Raises SyntaxError, ValueError, RecursionError."""
