"""Journal in PostgreSQL with the texts of messages in MongoDB.

A text is in MongoDB before its row is committed, inside the transaction that holds the scope. So a
row never lacks its text, and a text without a row is one whose keeping nobody was promised. A text
that leaves its row (a person forgets it, it is rewritten, a scope is dropped) leaves MongoDB after
the commit: under the lock of the scope, where nobody writes, every text of the scope without a row
is removed. A mark in PostgreSQL announces the removal beforehand: a kill between the two leaves the
mark, and the next process that looks finishes the removal.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from secrets import token_hex
from types import MappingProxyType

from gieok.errors import StoreError
from gieok.model.conversation import JournalRow
from gieok.model.memory import Scope
from gieok.opening import Opening
from gieok.storage.journal.mongo.texts import Texts, build_version_key
from gieok.storage.journal.postgres.journal import PostgresJournal
from gieok.storage.journal.sql.database import SaidText
from gieok.storage.postgres.connection import LOCK_TIMEOUT_MS, TIMEOUT_S, configured
from gieok.storage.postgres.statements import Elsewhere

#: Names of kept values that belong to this journal alone and are not copied to another: the name of
#: its collection, and a name for each removal in progress → the scope.
_OWN = "mongo:"
_COLLECTION, _UNSWEPT = f"{_OWN}collection", f"{_OWN}unswept"
_NAME = "name"
_ALL = "*"
_HERE = Elsewhere("")


class MongoJournal(PostgresJournal):
    """`FullJournal` on two servers."""

    _are_texts_in_rows = False

    def __init__(
        self,
        url: str,
        texts: Texts,
        *,
        password: str = "",
        lock_timeout_ms: int = LOCK_TIMEOUT_MS,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        super().__init__(
            url, password=password, lock_timeout_ms=lock_timeout_ms, timeout_s=timeout_s
        )
        self.location = f"{self.location} + {texts.location}"
        self._unnamed = texts

    @classmethod
    def open(cls, opening: Opening) -> "MongoJournal":
        """Return the journal at `database.url` and `mongo.url`.

        Raises BadConfig.
        """
        url, password, timeout_s = configured(opening, "journal: mongo")
        return cls(url, Texts.open(opening), password=password, timeout_s=timeout_s)

    def erase(
        self,
        scope: Scope,
        seqs: Sequence[int],
        documents: Sequence[str] = (),
        replaced: Sequence[int] = (),
        *,
        blanks: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Remove texts from MongoDB and from PostgreSQL."""
        if not seqs:
            return super().erase(scope, seqs, documents, replaced, blanks=blanks)
        with self._sweeping(scope):
            return super().erase(scope, seqs, documents, replaced, blanks=blanks)

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Replace texts; the new texts are in the rows."""
        if is_dry:
            return super().rewrite(change, is_dry=True)
        with self._sweeping(None):
            return super().rewrite(change)

    def drop(self, scope: Scope) -> None:
        """Remove every row and text of a scope."""
        with self._sweeping(scope):
            super().drop(scope)

    def copied_rows(self, scope: Scope | None) -> Iterator[JournalRow]:
        """Yield the rows of a scope; None: the rows that belong to no scope."""
        return (row for row in super().copied_rows(scope) if not _is_mongo_row(row))

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        """Replace the rows of a scope; None: the rows that belong to no scope."""
        if scope is None:
            super().take_rows(
                None, [*(row for row in rows if not _is_mongo_row(row)), *self._own_rows()]
            )
            return
        with self._sweeping(scope):
            super().take_rows(scope, rows)

    def prune(self, before: Mapping[str, datetime], *, most_rejects: int = 0) -> dict[str, int]:
        """Drop old rows, and finish removals that were killed."""
        self._sweep_killed()
        return super().prune(before, most_rejects=most_rejects)

    def scrub(self) -> list[str]:
        """Vacuum the tables after removals, and finish removals that were killed."""
        self._sweep_killed()
        return super().scrub()

    def close(self) -> None:
        """Close the connections to both servers."""
        self._unnamed.close()
        super().close()

    @property
    def _texts(self) -> Texts:
        return self._unnamed.named(self._collection)

    def _collection(self) -> str:
        """Return the name of the collection.

        The name stays when the journal becomes a copy of another.
        """
        known = self.kept(_COLLECTION).get(_NAME)
        return known or self.update_kept(
            _COLLECTION, _NAME, lambda name: name or f"messages_{token_hex(4)}"
        )

    def _own_rows(self) -> list[JournalRow]:
        return [row for row in super().copied_rows(None) if _is_mongo_row(row)]

    def _keep_texts(self, sid: int, said: Sequence[SaidText]) -> Sequence[str]:
        # Blanks hold the place of a forgotten text.
        texts = [said_text for said_text in said if said_text.text.strip()]
        if texts:
            self._texts.put(sid, texts)
        return [_HERE if said_text.text.strip() else said_text.text for said_text in said]

    def _spoken(
        self,
        sid: int,
        said: Sequence[tuple[str, str]],
        *,
        is_needed: bool = True,  # noqa: ARG002
    ) -> Sequence[str]:
        keys = [
            build_version_key(sid, identity, text) if isinstance(text, Elsewhere) else ""
            for identity, text in said
        ]
        texts = self._texts.get([key for key in keys if key]) if any(keys) else {}
        lost = sum(key not in texts for key in keys if key)
        if lost:
            hint = "see whether mongo.url names the right database; restore it from a backup"
            raise StoreError(
                "{location} lacks {lost} texts of the journal",
                location=self._unnamed.location,
                lost=lost,
                hint=hint,
            )
        return [
            texts.get(key, "") if key else text for key, (_, text) in zip(keys, said, strict=True)
        ]

    @contextmanager
    def _sweeping(self, scope: Scope | None) -> Iterator[None]:
        """Remove from MongoDB the texts that lose their row inside the block.

        None: the texts of any scope.
        """
        name = token_hex(8)
        with self.exclusive(f"{_UNSWEPT} {name}"):
            self.keep(_UNSWEPT, {name: scope.path if scope else _ALL})
            yield
            self._sweep(name, scope)

    def _sweep_killed(self) -> None:
        """Finish removals of killed processes; removals of live processes are left alone."""
        for name, path in self.kept(_UNSWEPT).items():
            with self.exclusive(f"{_UNSWEPT} {name}", wait=False) as is_ours:
                if is_ours:
                    self._sweep(name, None if path == _ALL else Scope(path))

    def _sweep(self, name: str, scope: Scope | None) -> None:
        for swept in [scope] if scope else self.copied_scopes():
            with self._writing_to(swept) as (db, sid):
                rows = db.execute(
                    "SELECT id, text_hash FROM messages WHERE scope_id = ? AND text = ?",
                    (sid, _HERE),
                )
                living = {
                    build_version_key(sid, identity, bytes(digest).hex())
                    for identity, digest in rows
                }
                self._texts.leave(sid, living)
        self.keep(_UNSWEPT, {}, [name])


def _is_mongo_row(row: JournalRow) -> bool:
    return row.table == "kept" and str(row.values[0]).startswith(_OWN)
