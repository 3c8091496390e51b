"""The graph of a project, its version control, its grammars, its coverage."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from gieok.model.code import (
    Edge,
    Executed,
    Execution,
    ExecutionCount,
    GraphChange,
    SourceFile,
    Summary,
    Symbol,
    UnresolvedCall,
)
from gieok.model.memory import PassageId


class SourceFiles(Protocol):
    """The files of one project with what was read from them."""

    def files(self) -> dict[str, SourceFile]:
        """Return every file that is held, by path."""

    def facts(self, paths: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield (path, facts) of every file that has any, or of those among `paths`, by path."""

    def replace(
        self,
        files: Sequence[tuple[SourceFile, str]],
        gone: Sequence[str],
        graph: GraphChange | None,
    ) -> None:
        """Put files with their facts, forget others and change the graph (None: as it is), in one
        transaction.
        """


class Edges(Protocol):
    """Where edges come from: the stored graph, or one that was made of an older version."""

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin in these symbols, sorted."""


class SymbolGraph(Edges, Protocol):
    """The symbols of one project, the edges between them and the calls without a target."""

    def symbols(
        self, *, keys: Sequence[str] = (), names: Sequence[str] = (), paths: Sequence[str] = ()
    ) -> list[Symbol]:
        """Return symbols by key, name or path, sorted by path and line."""

    def all_symbols(self) -> Iterator[Symbol]:
        """Yield every symbol by path and line."""

    def all_edges(self, kind: str = "") -> Iterator[Edge]:
        """Yield every edge, or those of one kind, sorted."""

    def unresolved_calls(self, names: Sequence[str]) -> list[UnresolvedCall]:
        """Return the unresolved calls of these names, sorted."""

    def count_unresolved_calls(self) -> int:
        """Count the unresolved calls."""


class Unembedded(Protocol):
    """The passages of one project that have no vector."""

    def unembedded(self) -> list[tuple[PassageId, str, str]]:
        """Return (id, path, context) of the passages without a vector, in order of id."""


class Summaries(Protocol):
    """Summaries of code by its hash. They survive the symbols, so that a revert finds them
    again.
    """

    def summaries(self, hashes: Sequence[str] | None = None) -> dict[str, Summary]:
        """Return the summaries of code with these hashes, or all, by hash; those that wait have no
        text.
        """

    def write_summaries(self, rows: Sequence[Summary], gone: Sequence[str] = ()) -> None:
        """Put summaries and forget those of the hashes in `gone`, in one transaction; one that
        waits replaces none.
        """


class Executions(Protocol):
    """Which test ran which function. It stays whatever happens to symbols, and is believed as far
    as its ends exist.
    """

    def put_executions(
        self, seen: Sequence[Execution], tests: Sequence[str], paths: Sequence[str]
    ) -> None:
        """Keep what ran, in place of what is kept of these tests in these files, in one
        transaction.
        """

    def executed(self, functions: Sequence[str]) -> list[Executed]:
        """Return which of the existing tests ran these functions, also functions that are gone,
        sorted.
        """

    def settled(self, tests: Sequence[str]) -> set[str]:
        """Return those of `tests` whose code, and that of all they ran, has not changed since they
        ran.
        """

    def count_executions(self) -> ExecutionCount:
        """Count what is kept."""

    def forget_executions(self) -> None:
        """Forget all of it."""


class ExecutedGraph(Edges, Executions, Protocol):
    """Edges, and what ran: tests reach functions by both."""


class Graph(SourceFiles, SymbolGraph, Unembedded, Summaries, Executions, Protocol):
    """All that is kept of one project's code, next to its documents."""


class Commit(NamedTuple):
    """A commit: its hash, who made it when, its message, and the files that it changed."""

    id: str
    author: str
    at: datetime
    message: str
    files: tuple[str, ...]


class Versions(Protocol):
    """The version control of a folder. Everything is empty where there is none."""

    def head(self) -> str:
        """Return the commit that is checked out, or ''."""

    def author(self) -> str:
        """Return who commits here, or ''."""

    def files(self) -> frozenset[str] | None:
        """Return the files that are tracked or not ignored, those of repositories inside too; None
        where nobody says.
        """

    def ignored(self, paths: Sequence[str]) -> frozenset[str] | None:
        """Return the ignored ones of `paths`, which need not exist; None without git."""

    def diff(self, revision: str) -> str:
        """Return the unified diff, without context, from a revision to the files on disk. Raises
        BadRequest.
        """

    def old_text(self, revision: str, path: str) -> str | None:
        """Return a file as it was at a revision; None where it was not there."""

    def log(self, most: int) -> list[Commit]:
        """Return the newest commits of the branch that is checked out, merges left out, newest
        first.
        """

    def hooks_folder(self) -> Path | None:
        """Return where git looks for hooks; None without git."""


class SyntaxNode(Protocol):
    """A node of a syntax tree: its kind, its lines (0-based) and bytes, and its children.

    The ten members are those of tree-sitter's own `Node`, so that no node has to be wrapped.
    """

    @property
    def type(self) -> str:
        """Return the grammar's name for it."""

    @property
    def text(self) -> bytes | None:
        """Return its source."""

    @property
    def start_byte(self) -> int:
        """Return where it begins."""

    @property
    def end_byte(self) -> int:
        """Return where it ends."""

    @property
    def start_point(self) -> tuple[int, int]:
        """Return row and column of the begin."""

    @property
    def end_point(self) -> tuple[int, int]:
        """Return row and column of the end."""

    @property
    def named_children(self) -> Sequence["SyntaxNode"]:
        """Return the children that the grammar names."""

    @property
    def children(self) -> Sequence["SyntaxNode"]:
        """Return all children."""

    @property
    def has_error(self) -> bool:
        """Say whether something inside could not be parsed."""

    def child_by_field_name(self, name: str, /) -> "SyntaxNode | None":
        """Return the child in a role."""


class Parser(Protocol):
    """Grammars of programming languages."""

    def parse(self, grammar: str, source: bytes) -> SyntaxNode:
        """Return the root of the syntax tree; what does not parse is a node of type ERROR. Raises
        MissingExtra.

        `grammar` is `module:function`, of the package that holds it.
        """


class CoverageRun(Protocol):
    """A run of tests as a coverage tool recorded it. Raises BadRequest for a file that is not one,
    or is damaged.
    """

    @property
    def finished_ns(self) -> int:
        """Return when it was written, in nanoseconds since 1970: what changed later was not run as
        it is now.
        """

    def files(self) -> list[str]:
        """Return the paths of all files that were measured, with `/`, as the tool wrote them,
        sorted.
        """

    def contexts(self) -> list[str]:
        """Return the names under which lines were run, without the empty one, sorted."""

    def lines(self, path: str) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield (context, 1-based lines that ran in it) of a file; '' is what ran outside of
        any.
        """
