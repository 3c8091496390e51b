"""Stores: what every store does, and the abilities of some."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable

from gieok.model.memory import Document, Entry, LineId, PassageId, Scope, StoreStats
from gieok.model.retrieval import (
    Filter,
    FoundPassage,
    KeywordQuery,
    ManagedRankings,
    NearLine,
    Ranking,
    VectorQuery,
)
from gieok.ports.models import Vector

#: Names of notes that begin so are how far a store's documents are derived from a journal: they
#: hold for that store alone.
DERIVED = "~"
#: Scores are compared at this many digits, so that every store orders near-equal scores by id and
#: agrees.
SCORE_DIGITS = 6


class Documents(Protocol):
    """Keeps documents by (scope, key)."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert documents, or replace those with the same scope and key, passages included.
        Idempotent.
        """

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents with their passages; return how many there were."""

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return the documents that exist, in the order of `keys`."""

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages, in the order of `keys`: what another store can be
        given.
        """

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash of every document of the scope."""

    def scopes(self) -> list[Scope]:
        """Return every scope that holds a document or a note, sorted."""

    def passages(self, ids: Sequence[PassageId], scope: Scope | None = None) -> list[FoundPassage]:
        """Return the passages that still exist, in the order of `ids`; of one scope: a server then
        looks nowhere else.
        """

    def within(self, scope: Scope, where: Filter, limit: int) -> list[PassageId]:
        """Return passages of documents that a filter admits: the newest document first, ties by
        key, then as in its text.
        """


class Notes(Protocol):
    """Keeps small values by name for a rib, per scope (such as the folders that are indexed)."""

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope by name."""

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to what `change` makes of it ('' where there is none); no other process
        writes in between.
        """

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""


class Upkeep(Protocol):
    """What a store tells of itself, and does for itself."""

    @property
    def location(self) -> str:
        """Where it keeps data, as a person reads it: a path, or a URL without its password."""

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count what is held."""

    def check(self) -> list[str]:
        """Verify the store's own integrity by reading all of it; return what is wrong (empty:
        sound).
        """

    def compact(self) -> None:
        """Give back space: drop cached vectors beyond the cap, merge the keyword index. Called
        after bulk writes.
        """

    def close(self) -> None:
        """Release everything; a closed store is not used again."""


class Store(Documents, Notes, Upkeep, Protocol):
    """What every store does. Every method that writes is one transaction, durable when it returns.

    Raises StoreBusy, StoreUnreachable, StoreCorrupt, StoreFull or StoreError; whatever is raised,
    nothing of the call was written.
    """


@runtime_checkable
class Adoptable(Store, Protocol):
    """A store that an older release wrote may hold documents for the journal
    (`MadeDocuments.adopt`).
    """

    def is_unadopted(self) -> bool:
        """Say whether what it holds has not been made durable yet."""

    def set_adopted(self) -> None:
        """Say that it has."""


@runtime_checkable
class Renewable(Protocol):
    """A store that can be rebuilt while others go on using it."""

    def renewed(self) -> AbstractContextManager[Store]:
        """Give an empty store, which replaces this one in one step where the block ends without an
        error.
        """


@runtime_checkable
class ScopeDropping(Protocol):
    """A store that knows scopes by name, and can let go of one."""

    def drop_scope(self, scope: Scope) -> int:
        """Remove the documents and notes of a scope, and its name; return how many documents there
        were.
        """


@runtime_checkable
class Scrubbing(Protocol):
    """A store that can leave nothing of what was forgotten in its files."""

    def scrub(self) -> list[str]:
        """Overwrite what was removed: texts, keywords, vectors of no text; return what could not be
        done, and why.
        """


@runtime_checkable
class KeywordSearch(Protocol):
    """BM25 over keyword tokens with the scope's own statistics; the same scores in every store."""

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank passages by `gieok.text.bm25`, best first, ties (at six digits) by id.

        Passages that hold no token, near or in themselves, are left out. `Ranking.ceiling` is
        `bm25.ceiling` of the query.
        """


@runtime_checkable
class VectorSearch(Protocol):
    """Exact nearest-neighbour search over the active model's vectors."""

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Return the `limit` passages of highest cosine similarity, best first, ties (at six
        digits) by id.

        With a `hub_weight`, the scores of those passages are then lowered by it times
        `hubs.crowding`, and ranked again.
        """

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from. Raises ShapeMismatch if the store holds another
        one's.
        """

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""

    def waiting(self, scope: Scope) -> int:
        """Count the passages of a scope that have no vector."""

    def put_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors; ids that are gone by now are skipped. They are kept by text, so equal text
        is embedded once.

        Raises ShapeMismatch where `model` is not the active one (any more): another process may
        have switched.
        """


@runtime_checkable
class LineSearch(Protocol):
    """Keeps a vector of each line (`gieok.text.lines`) of the passages of some kinds, beside those
    of passages.
    """

    def best_lines(self, query: VectorQuery, passages: Sequence[PassageId]) -> list[NearLine]:
        """Return the nearest line of each passage that has a vector, in the order of `passages`.

        A passage without vectors of lines is its own line: it has but one, is of another kind, or
        waits. With a `hub_weight`, scores are lowered by it times `hubs.crowding` among these
        lines.
        """

    def missing_lines(self, limit: int, before: LineId | None = None) -> list[tuple[LineId, str]]:
        """Return lines without a vector of the active model below `before`, newest first, each with
        the text to embed.
        """

    def put_lines(self, model: str, vectors: Mapping[LineId, Vector]) -> None:
        """Store vectors; lines that are gone by now are skipped. They are kept by text, as those of
        passages are.

        Raises ShapeMismatch where `model` is not the active one (any more).
        """


@runtime_checkable
class ManagedSearch(Protocol):
    """Search by a service that embeds and ranks by itself, on passages that the store knows by its
    own ids.
    """

    def managed(
        self, scopes: Sequence[Scope], text: str, where: Filter, limit: int
    ) -> ManagedRankings:
        """Return what the service finds for a question in some scopes, best first. One request:
        each is paid, and takes time.

        Raises StoreUnreachable, soon: somebody waits, and other retrievers answer. The scores are
        0–1. A service that gives
        none but an order: 1 for the first, falling evenly to 1 / `limit`.
        """


@runtime_checkable
class ManagedCopy(Protocol):
    """Keeps a copy of its documents at a service. `put` and `forget` send nothing; `push` and
    `prune` do.
    """

    #: Shown in the place of an embedder: the service makes the vectors.
    service_name: str

    def push(
        self, progress: Callable[[int], None] = lambda done: None, *, verify: bool = False
    ) -> int:
        """Synchronise the copy; return how many documents were uploaded or deleted.

        With `verify`, the service is asked what it holds, and what it lost is uploaded again;
        without, what is recorded here counts. Raises StoreUnreachable, which says what still waits;
        what was done before stays done, and is not done again.
        """

    def prune(self) -> int:
        """Delete from the copy what is gone or changed here, and upload nothing: of a store that is
        in use no more.
        """


class RemoteData(NamedTuple):
    """Data of this memory at a service or on a server: what it is called there, and how many
    documents it has.

    `others` is how many documents of others are beside them, which stay.
    """

    name: str
    documents: int
    others: int = 0


@runtime_checkable
class Droppable(Protocol):
    """A store with data at a service or on a server that can be deleted from here."""

    @property
    def by_hand(self) -> str:
        """Say how to delete it without Gieok."""

    def known_remote_data(self) -> list[RemoteData]:
        """Return what is recorded here of it, without asking anybody; empty where nothing was ever
        sent.
        """

    def remote_data(self) -> list[RemoteData]:
        """Ask what is there now. Raises StoreUnreachable."""

    def drop(self, progress: Callable[[int], None] = lambda done: None) -> list[RemoteData]:
        """Delete it, look that it is gone, and return what it was. Raises StoreError where anything
        is left.
        """


@runtime_checkable
class VectorCopy(Protocol):
    """Hands vectors to another store, so that moving costs no embedding."""

    def active_model(self) -> tuple[str, int] | None:
        """Return the name and dimension of the model that vectors are of; None before
        `use_model`.
        """

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Return text → vector of `model` for those texts to embed (as `missing` gives them) that
        have one here.
        """


@runtime_checkable
class Described(Protocol):
    """A store that adds lines to `gieok status`: a server's version, calls, cost."""

    def describe(self) -> list[str]:
        """Return lines that a person reads, without a request that costs money."""


@runtime_checkable
class Distributable(Protocol):
    """Tables on a server that an extension can spread over several, each scope whole on one."""

    @property
    def location(self) -> str:
        """Return the address of the server, without secrets."""

    def distribution(self) -> list[str]:
        """Return the statements that do it, in order."""

    def distribute(self) -> int:
        """Issue those that were not issued before; return how many. Raises StoreError with what to
        install.
        """


@runtime_checkable
class ModelSwitch(VectorSearch, Protocol):
    """Replaces every vector by another model's, without a moment in which search has none."""

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages with an id below `before` whose text has no vector of `model`, newest
        first.
        """

    def prepared(self, model: str) -> int:
        """Count the passages whose text has a vector of `model`, active or not."""

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors of a model that is not active yet; search does not see them."""

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one in one step, and drop the vectors of others."""
