"""Ports of the code rib: edges of a project's graph, commits, and nodes of syntax trees."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from gieok.model.code import Edge


class Edges(Protocol):
    """Source of edges: the stored graph, or a graph of an older version."""

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin in these symbols, sorted."""


class Commit(NamedTuple):
    """A commit: its hash, who made it when, its message, and the files that it changed."""

    id: str
    author: str
    at: datetime
    message: str
    files: tuple[str, ...]


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
