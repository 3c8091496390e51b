"""What the engine asks of the outside: small protocols, batch first.

An ability that not every store has is a protocol of its own (`KeywordSearch`, `VectorSearch`), never a method
that raises NotImplementedError. `gieok.testing.contracts` pins each sentence below; every backend passes it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from gieok.model import (
    Document,
    Edge,
    Entry,
    Filter,
    FoundPassage,
    KeywordQuery,
    Leg,
    OpenCall,
    PassageId,
    Scope,
    SourceFile,
    StoreStats,
    Symbol,
    VectorQuery,
)

#: One unit vector of `Embedder.dimension` float32 values, little-endian, as raw bytes.
Vector = bytes
#: Scores are compared at this many digits, so that every store orders near-equal scores by id and agrees.
SCORE_DIGITS = 6


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""


class Embedder(Protocol):
    """Turns text into unit vectors. The same text gives the same vector in every process."""

    #: Decides the shape of stored vectors: changes whenever vectors would; e.g. `e5-small-koen-int8@1`.
    model: str
    dimension: int

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. An empty text gives a vector too. Raises EmbedderFailed."""

    def embed_query(self, text: str) -> Vector:
        """Return the vector that finds passages which answer `text`. Raises EmbedderFailed."""


@runtime_checkable
class SelfCheck(Protocol):
    """A backend that can tell what is wrong with itself on this machine."""

    def check(self) -> list[str]:
        """Return what is wrong, each with what to do about it; empty: nothing."""


class Store(Protocol):
    """Keeps documents by (scope, key). Every method that writes is one transaction, durable when it returns.

    Raises StoreBusy, StoreUnreachable, StoreCorrupt, StoreFull or StoreError; whatever is raised, nothing of the call
    was written.
    """

    @property
    def location(self) -> str:
        """Where it keeps data, as a person reads it: a path, or a URL without its password."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert documents, or replace those with the same scope and key, passages included. Idempotent."""

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents with everything that hangs on them; return how many there were."""

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return the documents that exist, in the order of `keys`."""

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages, in the order of `keys`: what another store can be given."""

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash of every document of the scope."""

    def scopes(self) -> list[Scope]:
        """Return every scope that holds a document or a note, sorted."""

    def passages(self, ids: Sequence[PassageId]) -> list[FoundPassage]:
        """Return the passages that still exist, in the order of `ids`."""

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the small key-value notes that a rib keeps beside a scope (such as its roots)."""

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to what `change` makes of it ('' where there is none); nobody else writes in between."""

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count what is held."""

    def check(self) -> list[str]:
        """Verify the store's own integrity by reading all of it; return what is wrong (empty: sound)."""

    def compact(self) -> None:
        """Give back space: forget cached vectors beyond the cap, merge the keyword index. Called after bulk writes."""

    def close(self) -> None:
        """Release everything; a closed store is not used again."""


@runtime_checkable
class KeywordSearch(Protocol):
    """BM25 over keyword tokens with the scope's own statistics; the same scores in every store."""

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Leg:
        """Rank passages by `gieok.text.bm25`, best first, ties (at six digits) by id.

        Passages that hold no token, near or in themselves, are left out. `Leg.ceiling` is `bm25.ceiling` of the query.
        """


@runtime_checkable
class VectorSearch(Protocol):
    """Exact nearest-neighbour search over the active model's vectors."""

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Leg:
        """Return the `limit` passages of highest cosine similarity, best first, ties (at six digits) by id.

        With a `hub_weight`, the scores of those passages are then lowered by it times `hubs.crowding`, and ranked again.
        """

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from. Raises ShapeMismatch if the store holds another one's."""

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""

    def waiting(self, scope: Scope) -> int:
        """Count the passages of a scope that have no vector."""

    def put_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors; ids that are gone by now are skipped. They are kept by text, so equal text is embedded once.

        Raises ShapeMismatch where `model` is not the active one (any more): another process may have switched.
        """


@runtime_checkable
class ManagedSearch(Protocol):
    """Search by a service that embeds and ranks by itself, on passages that the store knows by its own ids."""

    def managed(self, scope: Scope, text: str, where: Filter, limit: int) -> Leg:
        """Return what the service finds for a question, best first. Raises StoreUnreachable: other legs then answer.

        The scores are 0–1. A service that gives none but an order: 1 for the first, falling evenly to 1 / `limit`.
        """


@runtime_checkable
class ManagedCopy(Protocol):
    """Keeps a copy of its documents at a service. `put` and `forget` send nothing; the copy follows when it is told to."""

    #: What a person reads in the place of an embedder: the service makes the vectors.
    service_name: str

    def push(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Bring the copy in line; return how many documents were uploaded or deleted.

        Raises StoreUnreachable, which says what still waits; what was done before stays done, and is not done again.
        """


@runtime_checkable
class VectorCopy(Protocol):
    """Hands vectors to another store, so that moving costs no embedding."""

    def active_model(self) -> tuple[str, int] | None:
        """Return the name and dimension of the model that vectors are of; None before `use_model`."""

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Return text → vector of `model` for those texts to embed (as `missing` gives them) that have one here."""


@runtime_checkable
class Described(Protocol):
    """A store with something of its own to tell in `gieok status`: a server's version, calls, cost."""

    def describe(self) -> list[str]:
        """Return lines that a person reads, without asking a remote service for more than it costs nothing."""


@runtime_checkable
class ModelSwitch(VectorSearch, Protocol):
    """Replaces every vector by another model's, without a moment in which search has none."""

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages with an id below `before` whose text has no vector of `model`, newest first."""

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors of a model that is not active yet; search does not see them."""

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one in one step, and drop the vectors of others."""


class Watcher(Protocol):
    """Tells what changed below folders."""

    def changes(self, folders: Sequence[Path], debounce_ms: int, rescan_s: int) -> Iterator[set[Path]]:
        """Yield the paths that changed, once all have been quiet for `debounce_ms`; an empty set when a rescan is due.

        Ends when the process is interrupted.
        """


@runtime_checkable
class Graph(Protocol):
    """Symbols of one project and the edges between them, kept beside its documents."""

    def files(self) -> dict[str, SourceFile]:
        """Return every file that is held, by path."""

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield (path, facts) of every file that has any, by path."""

    def replace(
        self,
        files: Sequence[tuple[SourceFile, str]],
        gone: Sequence[str],
        graph: tuple[Sequence[Symbol], Sequence[Edge], Sequence[OpenCall]] | None,
    ) -> None:
        """Put files with their facts, forget others and make the graph what is given (None: as it is), in one transaction."""

    def symbols(
        self, *, keys: Sequence[str] = (), names: Sequence[str] = (), paths: Sequence[str] = (), ending: str = ""
    ) -> list[Symbol]:
        """Return symbols by key, name, path, or by the end of their qualified name, sorted by path and line."""

    def all_symbols(self) -> Iterator[Symbol]:
        """Yield every symbol by path and line."""

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin in these symbols, sorted."""

    def all_edges(self, kind: str = "") -> Iterator[Edge]:
        """Yield every edge, or those of one kind, sorted."""

    def open_calls(self, names: Sequence[str]) -> list[OpenCall]:
        """Return the calls that bear one of these names and whose target is not known, sorted."""

    def count_open_calls(self) -> int:
        """Count the calls whose target is not known."""


class Versions(Protocol):
    """The version control of a folder. Everything is empty where there is none."""

    def head(self) -> str:
        """Return the commit that is checked out, or ''."""

    def author(self) -> str:
        """Return who commits here, or ''."""

    def ignored_folders(self) -> Sequence[str]:
        """Return patterns of the user and of the clone that are in no `.gitignore` of the tree."""

    def diff(self, revision: str) -> str:
        """Return the unified diff, without context, from a revision to the files on disk. Raises BadRequest."""

    def old_text(self, revision: str, path: str) -> str | None:
        """Return a file as it was at a revision; None where it was not there."""

    def hooks_folder(self) -> Path | None:
        """Return where git looks for hooks; None without git."""


class SyntaxNode(Protocol):
    """A node of a syntax tree: its kind, its lines (0-based) and bytes, and what is inside of it."""

    @property
    def type(self) -> str:
        """Return the grammar's name for it."""

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

    def parse(self, language: str, source: bytes) -> SyntaxNode:
        """Return the root of the syntax tree; what does not parse is a node of type ERROR. Raises MissingExtra."""


class Writer(Protocol):
    """A language model that writes a text."""

    #: Provider and model.
    model: str

    def write(self, instructions: str, text: str) -> str:
        """Return what the model answers; never empty. Raises GieokError."""
