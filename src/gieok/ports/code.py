"""Ports of the code rib: a project's graph, version control, grammars and test coverage."""

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
    """Files of one project with the facts that were read from them."""

    def files(self) -> dict[str, SourceFile]:
        """Return every stored file, by path."""

    def facts(self, paths: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield (path, facts) of every file that has facts, or of those among `paths`, by path."""

    def replace(
        self,
        files: Sequence[tuple[SourceFile, str]],
        gone: Sequence[str],
        graph: GraphChange | None,
    ) -> None:
        """Store files with their facts, forget others and change the graph, in one transaction.

        With `graph` None, the graph stays as it is.
        """


class Edges(Protocol):
    """Source of edges: the stored graph, or a graph of an older version."""

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
    """Summaries of code by its hash; they outlive the symbols, so that a revert finds them
    again.
    """

    def summaries(self, hashes: Sequence[str] | None = None) -> dict[str, Summary]:
        """Return the summaries of code with these hashes, or all, by hash.

        A summary that waits for a model has no text.
        """

    def write_summaries(self, rows: Sequence[Summary], gone: Sequence[str] = ()) -> None:
        """Store summaries and forget those of the hashes in `gone`, in one transaction.

        A summary that waits for a model replaces no other.
        """


class Executions(Protocol):
    """Record of which test ran which function.

    The record outlives symbols, and counts as far as its test and function exist.
    """

    def put_executions(
        self, seen: Sequence[Execution], tests: Sequence[str], paths: Sequence[str]
    ) -> None:
        """Replace the recorded executions of these tests in these files, in one transaction."""

    def executed(self, functions: Sequence[str]) -> list[Executed]:
        """Return which of the existing tests ran these functions, sorted; includes gone
        functions.
        """

    def settled(self, tests: Sequence[str]) -> set[str]:
        """Return the members of `tests` for which no code has changed since they ran.

        The code is that of the test and of all functions that the test ran.
        """

    def count_executions(self) -> ExecutionCount:
        """Return the number of recorded executions."""

    def forget_executions(self) -> None:
        """Forget all executions."""


class ExecutedGraph(Edges, Executions, Protocol):
    """Edges and executions: tests reach functions by both."""


class Graph(SourceFiles, SymbolGraph, Unembedded, Summaries, Executions, Protocol):
    """Everything that is stored of one project's code, beside its documents."""


class Commit(NamedTuple):
    """A commit: its hash, who made it when, its message, and the files that it changed."""

    id: str
    author: str
    at: datetime
    message: str
    files: tuple[str, ...]


class Versions(Protocol):
    """Version control of a folder; every result is empty where there is none."""

    def head(self) -> str:
        """Return the commit that is checked out, or ''."""

    def author(self) -> str:
        """Return who commits here, or ''."""

    def files(self) -> frozenset[str] | None:
        """Return the files that are tracked or not ignored; None without version control.

        Files of nested repositories are included.
        """

    def ignored(self, paths: Sequence[str]) -> frozenset[str] | None:
        """Return the ignored ones of `paths`, which need not exist; None without git."""

    def diff(self, revision: str) -> str:
        """Return the unified diff, without context, from a revision to the files on disk.

        Raises BadRequest.
        """

    def old_text(self, revision: str, path: str) -> str | None:
        """Return a file as it was at a revision; None where it was not there."""

    def log(self, most: int) -> list[Commit]:
        """Return the newest commits of the current branch without merges, newest first."""

    def hooks_folder(self) -> Path | None:
        """Return where git looks for hooks; None without git."""


class SyntaxNode(Protocol):
    """A node of a syntax tree: its kind, its lines (0-based) and bytes, and its children.

    The ten members are those of tree-sitter's own `Node`, so that no node has to be wrapped.
    """

    @property
    def type(self) -> str:
        """Return the grammar's name for the node's kind."""

    @property
    def text(self) -> bytes | None:
        """Return the node's source."""

    @property
    def start_byte(self) -> int:
        """Return the byte offset of the node's start."""

    @property
    def end_byte(self) -> int:
        """Return the byte offset of the node's end."""

    @property
    def start_point(self) -> tuple[int, int]:
        """Return row and column of the node's start."""

    @property
    def end_point(self) -> tuple[int, int]:
        """Return row and column of the node's end."""

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
        """Return the child with a field name; None where there is none."""


class Parser(Protocol):
    """Grammars of programming languages."""

    def parse(self, grammar: str, source: bytes) -> SyntaxNode:
        """Return the root of the syntax tree; source that does not parse is a node of type ERROR.

        Raises MissingExtra. `grammar` is `module:function`, of the package that holds the grammar.
        """


class CoverageRun(Protocol):
    """Run of tests as a coverage tool recorded it.

    Raises BadRequest for a file that is no such record, or is damaged.
    """

    @property
    def finished_ns(self) -> int:
        """Return when the record was written, in nanoseconds since 1970.

        Code that changed later was not run as it is now.
        """

    def files(self) -> list[str]:
        """Return the paths of all measured files, with `/`, as the tool wrote them, sorted."""

    def contexts(self) -> list[str]:
        """Return the names under which lines were run, without the empty one, sorted."""

    def lines(self, path: str) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield (context, 1-based lines that ran in that context) of a file.

        The context '' holds lines that ran outside any context.
        """
