"""Documents, notes and keyword search: the code that all stores on SQL databases share.

The differences are SQL: the modules `reading` and `writing` in a store's folder.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Generic, NamedTuple, Protocol, TypeVar

from gieok.model.memory import Document, Entry, PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, FoundPassage, KeywordQuery, Ranking
from gieok.storage.index.prepared import PreparedEntry, prepare_entry
from gieok.text import bm25

#: A connection to the database.
Db = TypeVar("Db")
_Db_contra = TypeVar("_Db_contra", contravariant=True)


class ScopeStatistics(NamedTuple):
    """Statistics of a scope for BM25.

    `generation` grows with every write: a copy in memory compares it to find out whether it is
    stale.
    """

    id: int
    path: str
    passages: int
    mean_length: float
    generation: int = 0


class _DocumentReading(Protocol[_Db_contra]):
    def get(self, db: _Db_contra, scope: Scope, keys: Sequence[str], /) -> list[Document]: ...
    def entries(self, db: _Db_contra, scope: Scope, keys: Sequence[str], /) -> list[Entry]: ...
    def hashes(self, db: _Db_contra, scope: Scope, /) -> dict[str, str]: ...
    def scopes(self, db: _Db_contra, /) -> list[Scope]: ...
    def passages(
        self, db: _Db_contra, ids: Sequence[PassageId], scope: Scope | None, /
    ) -> list[FoundPassage]: ...
    def within(
        self, db: _Db_contra, scope: Scope, where: Filter, limit: int, /
    ) -> list[PassageId]: ...
    def notes(self, db: _Db_contra, scope: Scope, /) -> dict[str, str]: ...
    def is_unadopted(self, db: _Db_contra, /) -> bool: ...


class _Counting(Protocol[_Db_contra]):
    def stats(self, db: _Db_contra, scope: Scope | None, /) -> StoreStats: ...
    def check(self, db: _Db_contra, /) -> list[str]: ...


class _Reading(_DocumentReading[_Db_contra], _Counting[_Db_contra], Protocol[_Db_contra]):
    """Module of functions that read; each runs inside one snapshot."""


class _WordReading(_Reading[_Db_contra], Protocol[_Db_contra]):
    """Module of functions that read, and that rank by keywords in several steps."""

    def scope_statistics(self, db: _Db_contra, scope: Scope, /) -> ScopeStatistics | None: ...
    def term_statistics(
        self, db: _Db_contra, sid: int, tokens: Iterable[str], /
    ) -> dict[str, int]: ...
    def keyword_ranking(
        self,
        db: _Db_contra,
        known: ScopeStatistics,
        query: KeywordQuery,
        weights: Mapping[str, float],
        where: Filter,
        limit: int,
        /,
    ) -> list[tuple[PassageId, float]]: ...


class _Writing(Protocol[_Db_contra]):
    """Module of functions that write; each runs inside the caller's transaction."""

    def put(self, db: _Db_contra, prepared: Sequence[PreparedEntry], /) -> None: ...
    def forget(self, db: _Db_contra, scope: Scope, keys: Sequence[str], /) -> int: ...
    def drop_scope(self, db: _Db_contra, scope: Scope, /) -> int: ...
    def update_note(
        self, db: _Db_contra, scope: Scope, name: str, change: Callable[[str], str], /
    ) -> None: ...
    def set_adopted(self, db: _Db_contra, /) -> None: ...


class SqlDocuments(ABC, Generic[Db]):
    """`Documents`, `Notes` and `Adoptable` on an SQL database.

    A subclass opens the transactions and names its modules of statements.
    """

    _reads: _Reading[Db]
    _writes: _Writing[Db]

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Db]:
        """Give one snapshot for all statements inside, so that an answer never mixes two states."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Db]:
        """Give one transaction, durable when the block ends."""

    def _answering(self) -> AbstractContextManager[Db]:
        """Give a snapshot as `_reading`, for a question that a person waits for."""
        return self._reading()

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace documents; of several entries with one key the last counts."""
        latest = {(entry.document.scope, entry.document.key): entry for entry in entries}
        if prepared := [prepare_entry(entry) for entry in latest.values()]:
            with self._writing() as db:
                self._writes.put(db, prepared)

    def forget(self, scope: Scope, keys: Sequence[str]) -> int:
        """Remove documents; return how many existed."""
        with self._writing() as db:
            return self._writes.forget(db, scope, keys)

    def drop_scope(self, scope: Scope) -> int:
        """Remove a scope with its documents and notes."""
        with self._writing() as db:
            return self._writes.drop_scope(db, scope)

    def get(self, scope: Scope, keys: Sequence[str]) -> list[Document]:
        """Return documents in the order of `keys`."""
        with self._answering() as db:
            return self._reads.get(db, scope, keys)

    def entries(self, scope: Scope, keys: Sequence[str]) -> list[Entry]:
        """Return documents with their passages, in the order of `keys`."""
        with self._reading() as db:
            return self._reads.entries(db, scope, keys)

    def hashes(self, scope: Scope) -> dict[str, str]:
        """Return key → content hash."""
        with self._reading() as db:
            return self._reads.hashes(db, scope)

    def scopes(self) -> list[Scope]:
        """Return the scopes that hold a document or a note."""
        with self._answering() as db:
            return self._reads.scopes(db)

    def passages(self, ids: Sequence[PassageId], scope: Scope | None = None) -> list[FoundPassage]:
        """Return the passages with these ids that still exist, in the order of `ids`.

        With `scope`, passages of other scopes are left out.
        """
        with self._answering() as db:
            return self._reads.passages(db, ids, scope)

    def within(self, scope: Scope, where: Filter, limit: int) -> list[PassageId]:
        """Return passages of the documents that a filter admits, the newest document first."""
        with self._answering() as db:
            return self._reads.within(db, scope, where, limit)

    def notes(self, scope: Scope) -> dict[str, str]:
        """Return the notes of a scope by name."""
        with self._answering() as db:
            return self._reads.notes(db, scope)

    def write_note(self, scope: Scope, name: str, value: str) -> None:
        """Set one note."""
        self.update_note(scope, name, lambda _: value)

    def update_note(self, scope: Scope, name: str, change: Callable[[str], str]) -> None:
        """Replace the value of a note by the result of `change`."""
        with self._writing() as db:
            self._writes.update_note(db, scope, name, change)

    def is_unadopted(self) -> bool:
        """Say whether an older release wrote documents that the journal does not know yet."""
        with self._reading() as db:
            return self._reads.is_unadopted(db)

    def set_adopted(self) -> None:
        """Record that the journal knows the documents of this store."""
        with self._writing() as db:
            self._writes.set_adopted(db)

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count documents, passages and vectors."""
        with self._reading() as db:
            return self._reads.stats(db, scope)

    def check(self) -> list[str]:
        """Read everything, and compare the keyword index with the texts it was made from."""
        with self._reading() as db:
            return self._reads.check(db)


class SqlKeywords(SqlDocuments[Db]):
    """`KeywordSearch` on an SQL database, by a statement a step."""

    _reads: _WordReading[Db]

    def keyword(self, scope: Scope, query: KeywordQuery, where: Filter, limit: int) -> Ranking:
        """Rank by BM25 with the scope's own statistics."""
        with self._answering() as db:
            known = self._reads.scope_statistics(db, scope)
            return self._ranked(db, known, query, where, limit) if known else Ranking("keyword", ())

    def _ranked(
        self, db: Db, known: ScopeStatistics, query: KeywordQuery, where: Filter, limit: int
    ) -> Ranking:
        holding = self._reads.term_statistics(db, known.id, query.weights)
        weights = bm25.token_weights(query, known.passages, holding)
        ranked = self._reads.keyword_ranking(db, known, query, weights, where, limit)
        ceiling = bm25.ceiling(query, known.passages, holding)
        return Ranking("keyword", tuple(ranked), ceiling, passages=known.passages, holding=holding)
