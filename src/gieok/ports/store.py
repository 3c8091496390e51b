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

#: Prefix of notes on how far a store's documents are derived from a journal: such notes hold for
#: that store alone.
DERIVED = "~"
#: Scores are compared at this many digits, so that every store orders near-equal scores by id and
#: agrees.
SCORE_DIGITS = 6


class Documents(Protocol):
    """Documents by (scope, key)."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert documents, or replace those with the same scope and key; idempotent.

        Passages are replaced too.
        """

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents with their passages; return how many there were."""

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return the documents that exist, in the order of `keys`."""

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages, in the order of `keys`, for another store."""

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash of every document of the scope."""

    def scopes(self) -> list[Scope]:
        """Return every scope that holds a document or a note, sorted."""

    def passages(self, ids: Sequence[PassageId], scope: Scope | None = None) -> list[FoundPassage]:
        """Return the passages that still exist, in the order of `ids`.

        With `scope`, a server looks in that scope only.
        """

    def within(self, scope: Scope, where: Filter, limit: int) -> list[PassageId]:
        """Return passages of documents that a filter admits, newest document first.

        Ties are ordered by key, passages of a document as in its text.
        """


class Notes(Protocol):
    """Keeps small values by name for a rib, per scope (such as the folders that are indexed)."""

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope by name."""

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Set one note to the result of `change`; no other process writes in between.

        `change` gets '' for a missing note.
        """

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""


class Upkeep(Protocol):
    """State and maintenance of a store."""

    @property
    def location(self) -> str:
        """Place of the data, as a person reads it: a path, or a URL without its password."""

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Return counts of what the store holds."""

    def check(self) -> list[str]:
        """Verify the store's integrity by reading all of it; return the errors (empty: sound)."""

    def compact(self) -> None:
        """Free space: drop cached vectors beyond the cap, merge the keyword index.

        Called after bulk writes.
        """

    def close(self) -> None:
        """Release all resources; a closed store is not used again."""


class Store(Documents, Notes, Upkeep, Protocol):
    """Protocol of every store.

    Every method that writes is one transaction, durable when the method returns. Raises StoreBusy,
    StoreUnreachable, StoreCorrupt, StoreFull or StoreError; whatever is raised, nothing of the call
    was written.
    """


@runtime_checkable
class Adoptable(Store, Protocol):
    """Store of an older release that may hold documents for the journal.

    See `MadeDocuments.adopt`.
    """

    def is_unadopted(self) -> bool:
        """Return whether the store's documents have not been made durable yet."""

    def set_adopted(self) -> None:
        """Record that the store's documents have been made durable."""


@runtime_checkable
class Renewable(Protocol):
    """A store that can be rebuilt while others go on using it."""

    def renewed(self) -> AbstractContextManager[Store]:
        """Return an empty store, which replaces this store when the block ends without an error.

        The replacement is one step.
        """


@runtime_checkable
class ScopeDropping(Protocol):
    """Store that can remove a scope with its name."""

    def drop_scope(self, scope: Scope) -> int:
        """Remove the documents, notes and name of a scope; return the number of documents."""


@runtime_checkable
class Scrubbing(Protocol):
    """Store that can scrub forgotten data from its files."""

    def scrub(self) -> list[str]:
        """Overwrite removed data; return what could not be done, and why.

        The data is texts, keywords, and vectors of no text.
        """


@runtime_checkable
class KeywordSearch(Protocol):
    """BM25 over keyword tokens with the scope's own statistics; the same scores in every store."""

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank passages by `gieok.text.bm25`, best first, ties (at six digits) by id.

        Passages without a token of the query, in themselves or nearby, are left out.
        `Ranking.ceiling` is `bm25.ceiling` of the query.
        """


@runtime_checkable
class VectorSearch(Protocol):
    """Exact nearest-neighbour search over the active model's vectors."""

    def nearest(self, scope: Scope, query: VectorQuery, where: Filter, limit: int) -> Ranking:
        """Return the `limit` passages of highest cosine similarity, best first.

        Ties (at six digits) are ordered by id. With a `hub_weight`, the scores of these passages
        are then lowered by `hub_weight` times `hubs.crowding`, and ranked again.
        """

    def use_model(self, model: str, dimension: int) -> None:
        """Declare the model that vectors come from.

        Raises ShapeMismatch if the store holds another one's.
        """

    def missing(self, limit: int) -> list[tuple[PassageId, str]]:
        """Return passages without a vector, newest first, each with the text to embed."""

    def waiting(self, scope: Scope) -> int:
        """Count the passages of a scope that have no vector."""

    def put_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors; ids that no longer exist are skipped.

        Vectors are kept by text, so equal text is embedded once. Raises ShapeMismatch where `model`
        is not the active model (any more): another process may have switched.
        """


@runtime_checkable
class JointSearch(Protocol):
    """Search by keywords and by vectors at once, where that costs less."""

    def rank_both(
        self,
        scope: Scope,
        words: KeywordQuery | None,
        vector: VectorQuery | None,
        where: Filter,
        limit: int,
    ) -> tuple[Ranking, Ranking]:
        """Return what `keyword` and `nearest` return; an empty ranking for None."""


@runtime_checkable
class LineSearch(Protocol):
    """Search by line, with a vector for each line (`gieok.text.lines`) of some kinds of passages.

    The vectors of lines are kept beside those of passages.
    """

    def best_lines(self, query: VectorQuery, passages: Sequence[PassageId]) -> list[NearLine]:
        """Return the nearest line of each passage that has a vector, in the order of `passages`.

        A passage without line vectors counts as its own line: it has only one line, is of another
        kind, or still waits. With a `hub_weight`, scores are lowered by `hub_weight` times
        `hubs.crowding` among these lines.
        """

    def missing_lines(self, limit: int, before: LineId | None = None) -> list[tuple[LineId, str]]:
        """Return lines below `before` without a vector of the active model, newest first.

        Each comes with the text to embed.
        """

    def put_lines(self, model: str, vectors: Mapping[LineId, Vector]) -> None:
        """Store vectors of lines; lines that no longer exist are skipped.

        Vectors are kept by text, as those of passages are. Raises ShapeMismatch where `model` is
        not the active model (any more).
        """


@runtime_checkable
class ManagedStore(Protocol):
    """Replica of the documents at a service that embeds and ranks by itself.

    `put` and `forget` send nothing; `push` and `prune` do.
    """

    #: Shown in place of an embedder: the service makes the vectors.
    service_name: str

    def managed(
        self, scopes: Sequence[Scope], text: str, where: Filter, limit: int
    ) -> ManagedRankings:
        """Return the service's ranking for a question in some scopes, best first.

        The ranking has the store's own passage ids. One request: each is paid, and takes time.
        Raises StoreUnreachable quickly: somebody waits, and other retrievers answer. The scores are
        0–1. A service that gives only an order: 1 for the first, falling evenly to 1 / `limit`.
        """

    def push(
        self,
        progress: Callable[[int], None] = lambda done: None,
        *,
        verify: bool = False,
        anew: bool = False,
    ) -> int:
        """Synchronise the replica; return how many documents were uploaded or deleted.

        With `verify`, the service is asked what it holds, and lost documents are uploaded again;
        without, the local record counts. With `anew`, every document is uploaded again, and
        replaces its former copy once it is searchable; where an earlier such call broke off, only
        the rest is. Raises StoreUnreachable, which says what still waits;
        finished uploads stay, and are not repeated.
        """

    def prune(self) -> int:
        """Delete from the replica what is gone or changed here, without uploading.

        For a store that is no longer in use.
        """


class TrialStep(NamedTuple):
    """A step of the trial: what was done, whether it worked, and the observation."""

    name: str
    ok: bool
    detail: str
    hint: str = ""
    seconds: float = 0.0


class TrialResult(NamedTuple):
    """Steps of a trial up to the first that failed, and the recording as JSON."""

    steps: tuple[TrialStep, ...]
    recording: str


class RemoteData(NamedTuple):
    """Data of this memory at a service or on a server: its name and document count there.

    `others` is the number of other people's documents beside it, which stay.
    """

    name: str
    documents: int
    others: int = 0


@runtime_checkable
class Droppable(Protocol):
    """Store whose data at a service or on a server can be deleted from here."""

    @property
    def by_hand(self) -> str:
        """Return how to delete the remote data without Gieok."""

    def known_remote_data(self) -> list[RemoteData]:
        """Return the remote data by the local record, without a request.

        Empty where nothing was ever sent.
        """

    def remote_data(self) -> list[RemoteData]:
        """Ask the service which data exists now. Raises StoreUnreachable."""

    def drop(self, progress: Callable[[int], None] = lambda done: None) -> list[RemoteData]:
        """Delete the remote data, verify that it is gone, and return what was deleted.

        Raises StoreError where anything is left.
        """


@runtime_checkable
class VectorCopy(Protocol):
    """Export of vectors to another store, so that moving costs no embedding."""

    def active_model(self) -> tuple[str, int] | None:
        """Return the name and dimension of the vectors' model; None before `use_model`."""

    def vectors_of(self, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Return text → vector of `model` for the texts that have a vector here.

        `texts` are texts to embed, as `missing` gives them.
        """


@runtime_checkable
class Described(Protocol):
    """A store that adds lines to `gieok status`: a server's version, calls, cost."""

    def describe(self) -> list[str]:
        """Return lines that a person reads, without a request that costs money."""


@runtime_checkable
class Distributable(Protocol):
    """Tables on a server that an extension can spread over several servers.

    Each scope is whole on one server.
    """

    @property
    def location(self) -> str:
        """Return the address of the server, without secrets."""

    def distribution(self) -> list[str]:
        """Return the SQL statements that distribute the tables, in order."""

    def distribute(self) -> int:
        """Issue the statements that were not issued before; return how many.

        Raises StoreError with what to install.
        """


@runtime_checkable
class ModelSwitch(VectorSearch, Protocol):
    """Replacement of every vector by another model's, without a gap in search."""

    def missing_for(
        self, model: str, dimension: int, before: PassageId | None, limit: int
    ) -> list[tuple[PassageId, str]]:
        """Return passages below id `before` whose text has no vector of `model`, newest first."""

    def prepared(self, model: str) -> int:
        """Count the passages whose text has a vector of `model`, active or not."""

    def keep_vectors(self, model: str, vectors: Mapping[PassageId, Vector]) -> None:
        """Store vectors of a model that is not active yet; search does not see them."""

    def switch_model(self, model: str, dimension: int) -> None:
        """Make `model` the active one in one step, and drop the vectors of others."""
