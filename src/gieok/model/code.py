"""Facts about a code project: files, symbols, edges, and executions under coverage."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple


class SourceFile(NamedTuple):
    """File of a project at the time when its facts were read.

    `note` says why `status` is not `parsed`.
    """

    path: str
    language: str
    content_hash: str
    size: int
    mtime_ns: int
    status: str
    note: str = ""


class Symbol(NamedTuple):
    """Named range of a project's source.

    `key` is `path::qualified.name` (`path::<module>` for the file itself).
    """

    key: str
    path: str
    name: str
    kind: str
    start_line: int
    end_line: int
    parent: str
    signature: str
    doc: str
    complexity: int
    traits: str
    status: str
    code_hash: str

    @property
    def qualified(self) -> str:
        """Return the name with those of the symbols around it, without the path."""
        return key_name(self.key)


def key_path(key: str) -> str:
    """Return the path of the file that holds a symbol."""
    return key.partition("::")[0]


def key_name(key: str) -> str:
    """Return the qualified name of a symbol in its file."""
    return key.partition("::")[2]


def module_key(path: str) -> str:
    """Return the key of the symbol that stands for a whole file."""
    return f"{path}::<module>"


class Summary(NamedTuple):
    """Model's summary of the purpose of the code with this hash; '' where no model was asked
    yet.
    """

    code_hash: str
    text: str
    model: str


class Edge(NamedTuple):
    """Dependency of one symbol on another, with its certainty and the reason.

    `kind` says how it depends, `line` is in the source's file.
    """

    source: str
    target: str
    kind: str
    tier: int
    reason: str
    line: int


class Execution(NamedTuple):
    """Record that a test ran a function, with the code hash of each at that time ('' if
    unknown).
    """

    test: str
    function: str
    test_hash: str
    function_hash: str


class Executed(NamedTuple):
    """Stored execution, and whether the code of both ends is unchanged since."""

    test: str
    function: str
    is_test_same: bool
    is_function_same: bool


class ExecutionCount(NamedTuple):
    """Counts of executions, each a pair of a test and a function.

    `pairs` whose ends both exist, with the numbers of their tests and functions; of these the pairs
    with `changed` code; and the pairs with a `gone` end.
    """

    pairs: int
    tests: int
    functions: int
    changed: int
    gone: int


class UnresolvedCall(NamedTuple):
    """Call without a known target, though symbols of that name exist."""

    source: str
    name: str
    line: int


class Links(NamedTuple):
    """Edges and unresolved calls of all files of some languages, or of some files alone."""

    languages: Collection[str]
    edges: Sequence[Edge]
    unresolved_calls: Sequence[UnresolvedCall]
    #: Family → what its linking found, kept for changes that stay inside of a file; empty where
    #: nothing is kept. Every family whose files were all linked is named.
    solutions: Mapping[str, bytes] = MappingProxyType({})
    #: The files alone whose links these are; None for all files of the languages.
    paths: Collection[str] | None = None


class LinkedFile(NamedTuple):
    """File that changed since all files were linked: its facts and links as they were then."""

    path: str
    facts: str
    edges: Sequence[Edge]
    unresolved_calls: Sequence[UnresolvedCall]


class Keeping(NamedTuple):
    """What is kept of the last link of all files when files change."""

    #: Files to keep as they were then; those that are kept already stay as they are.
    paths: Collection[str] = ()
    #: Families whose solutions are dropped: all of their files are to be linked again.
    outdated: Collection[str] = ()


#: Nothing is kept, and nothing dropped.
KEEPS_NOTHING = Keeping()


class GraphChange(NamedTuple):
    """Difference in the graph after files were read again, or were removed."""

    #: File → everything that the file holds now.
    symbols: Mapping[str, Sequence[Symbol]]
    #: Files whose edges are the same at other lines: old line → new line.
    moved: Mapping[str, Mapping[int, int]]
    #: Links that were computed again; None where none were.
    links: Links | None
