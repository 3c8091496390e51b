"""What is known of a project: files, symbols, edges, what ran under coverage."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple


class SourceFile(NamedTuple):
    """A file of a project as it was when its facts were read. `note` says why `status` is not
    `parsed`.
    """

    path: str
    language: str
    content_hash: str
    size: int
    mtime_ns: int
    status: str
    note: str = ""


class Symbol(NamedTuple):
    """A named stretch of a project: `key` is `path::qualified.name` (`path::<module>` for the file
    itself).
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


class Summary(NamedTuple):
    """What a model said that the code of this hash is for; '' where it is still to be asked."""

    code_hash: str
    text: str
    model: str


class Edge(NamedTuple):
    """That one symbol depends on another: how (`kind`), where (`line` of the source's file), how
    sure, and why.
    """

    source: str
    target: str
    kind: str
    tier: int
    reason: str
    line: int


class Execution(NamedTuple):
    """That a test ran a function, with the hash of the code of each at that time ('' where it is
    not known).
    """

    test: str
    function: str
    test_hash: str
    function_hash: str


class Executed(NamedTuple):
    """An execution that is kept, and whether the code of both ends is still what it was."""

    test: str
    function: str
    is_test_same: bool
    is_function_same: bool


class ExecutionCount(NamedTuple):
    """Pairs whose ends are both there, of how many tests and functions; those with changed code;
    and pairs without an end.
    """

    pairs: int
    tests: int
    functions: int
    changed: int
    gone: int


class UnresolvedCall(NamedTuple):
    """A call of which no target is known, though symbols of that name exist."""

    source: str
    name: str
    line: int


class Links(NamedTuple):
    """The edges and unresolved calls of all files of some languages."""

    languages: Collection[str]
    edges: Sequence[Edge]
    unresolved_calls: Sequence[UnresolvedCall]


class GraphChange(NamedTuple):
    """What of the graph differs since files were read again, or are gone."""

    #: All that each of these files holds now.
    symbols: Mapping[str, Sequence[Symbol]]
    #: Files whose edges are the same at other lines: old line → new line.
    moved: Mapping[str, Mapping[int, int]]
    #: What was linked again; None where nothing was.
    links: Links | None
