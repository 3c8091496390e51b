"""The default journal. One file, any number of processes; each thread has its own connection."""

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path

from gieok import fs
from gieok.backends.journals.sqlite import durable, forgetting, ledger, messages, positions, schema
from gieok.backends.stores.sqlite.schema import BUSY_TIMEOUT_MS, scrub, translated
from gieok.model.conversation import (
    BufferedSpan,
    Cursor,
    Incident,
    Journalled,
    JournalStats,
    Reject,
    Run,
    TranscriptEvent,
    Usage,
)
from gieok.model.memory import Document, Entry, Scope
from gieok.ports.journal import MessageFilter


class SqliteJournal:
    """`Journal`, `Positions`, `Durable`, `Forgetting` and `Ledger` on one SQLite file."""

    def __init__(self, file: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self._file = file
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self._connections: dict[threading.Thread, sqlite3.Connection] = {}
        weakref.finalize(self, _close, self._connections)
        self._db()

    def _db(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = schema.connect(self._file, self._busy_timeout_ms)
            for thread in [thread for thread in self._connections if not thread.is_alive()]:
                self._connections.pop(thread).close()
            self._connections[threading.current_thread()] = connection
        return connection

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        db = self._db()
        with translated(self._file, "journal"):
            db.execute(f"BEGIN {kind}")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._transaction("DEFERRED") as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._transaction("IMMEDIATE") as db:
            yield db

    # Journal

    def append(
        self,
        scope: Scope,
        turns: Sequence[TranscriptEvent],
        cursor: Cursor,
        expected: Cursor | None,
        rejects: Sequence[Reject] = (),
    ) -> bool:
        """Add messages and move a cursor."""
        with self._writing() as db:
            if messages.cursor(db, cursor.identity) != expected:
                return False
            messages.add(db, messages.scope_id(db, scope), turns)
            messages.add_rejects(db, rejects)
            messages.put_cursor(db, cursor)
        return True

    def cursors(self) -> list[Cursor]:
        """Return all cursors."""
        with self._reading() as db:
            return messages.cursors(db)

    def occurrences(self, scope: Scope, ids: Sequence[str]) -> dict[str, int]:
        """Count the lines with these ids."""
        with self._reading() as db:
            return messages.occurrences(db, messages.known_scope(db, scope), ids)

    def read(self, scope: Scope, after: int, *, budget_tokens: int, limit: int = 10_000) -> list[Journalled]:
        """Return messages in order until their tokens reach the budget."""
        with self._reading() as db:
            return messages.read(db, messages.known_scope(db, scope), after, budget_tokens, limit)

    def messages(self, scope: Scope, ids: Sequence[str]) -> list[Journalled]:
        """Return the last version of each of these messages."""
        with self._reading() as db:
            return messages.find(db, messages.known_scope(db, scope), ids)

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Count what is held."""
        with self._reading() as db:
            where, values = ("WHERE scope_id = ?", (messages.known_scope(db, scope),)) if scope else ("", ())

            def count(table: str, condition: str = "", bound: tuple[int, ...] = ()) -> int:
                return int(db.execute(f"SELECT count(*) FROM {table} {condition}", bound).fetchone()[0])

            tokens = db.execute(f"SELECT coalesce(sum(tokens), 0) FROM messages {where}", values).fetchone()[0]
            return JournalStats(
                messages=count("messages", where, values),
                tokens=tokens,
                transcripts=count("cursors"),
                rejects=count("rejects"),
                chunks=count("chunks", where, values),
                undelivered=count("outbox", where, values),
                disk_bytes=self._disk_bytes(),
            )

    def _disk_bytes(self) -> int:
        files = (self._file, self._file.with_name(self._file.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def scopes(self) -> list[Scope]:
        """Return the scopes that have messages."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes s WHERE EXISTS (SELECT 1 FROM messages WHERE scope_id = s.id) ORDER BY path"
            )
            return [Scope(path) for (path,) in rows]

    def rejects(self, limit: int) -> list[Reject]:
        """Return the newest lines that were set aside."""
        with self._reading() as db:
            return messages.rejects(db, limit)

    @contextmanager
    def exclusive(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold a lock beside the file."""
        safe = "".join(c if c.isalnum() else "-" for c in name)
        with fs.exclusive(self._file.with_name(f"{self._file.name}.{safe}.lock"), wait=wait) as held:
            yield held

    def close(self) -> None:
        """Close the connections of every thread."""
        _close(self._connections)
        self._local = threading.local()

    # Positions

    def position(self, scope: Scope, reader: str) -> int:
        """Return how far a reader is."""
        with self._reading() as db:
            return positions.position(db, messages.known_scope(db, scope), reader)

    def chunks(self, scope: Scope, reader: str) -> list[BufferedSpan]:
        """Return the buffered chunks in order."""
        with self._reading() as db:
            return positions.chunks(db, messages.known_scope(db, scope), reader)

    def buffer(self, scope: Scope, reader: str, chunk: BufferedSpan) -> bool:
        """Add a chunk."""
        with self._writing() as db:
            return positions.buffer(db, messages.scope_id(db, scope), reader, chunk)

    def commit(self, expected: int, run: Run, *, put: Sequence[Entry] = (), forget: Sequence[Document] = ()) -> bool:
        """Move a position and hand documents over."""
        with self._writing() as db:
            return positions.commit(db, expected, run, put, forget)

    def undelivered(self, limit: int) -> list[tuple[int, Scope, Entry | str]]:
        """Return what waits for the store."""
        with self._reading() as db:
            return positions.undelivered(db, limit)

    def delivered(self, ids: Sequence[int]) -> None:
        """Strike off what the store has got."""
        with self._writing() as db:
            positions.delivered(db, ids)

    def history(self, scope: Scope, limit: int) -> list[Document]:
        """Return documents that were replaced."""
        with self._reading() as db:
            return positions.history(db, messages.known_scope(db, scope), scope, limit)

    def runs(self, scope: Scope, since: datetime) -> list[Run]:
        """Return the runs of all readers."""
        with self._reading() as db:
            return positions.runs(db, messages.known_scope(db, scope), scope, since)

    # Durable

    def made_scopes(self) -> list[Scope]:
        """Return the scopes of which there are documents."""
        with self._reading() as db:
            return durable.made_scopes(db)

    def made(self, scope: Scope) -> list[Entry]:
        """Return the documents of a scope."""
        with self._reading() as db:
            return durable.made(db, messages.known_scope(db, scope), scope)

    def hand_over(self, put: Sequence[Entry] = (), forget: Sequence[tuple[Scope, str]] = ()) -> None:
        """Make documents durable and queue them."""
        with self._writing() as db:
            durable.hand_over(db, put, forget)

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Make documents durable that are not known yet."""
        with self._writing() as db:
            durable.adopt(db, entries)

    def realms(self, prefix: str = "") -> list[str]:
        """Return the realms whose name begins so."""
        with self._reading() as db:
            return durable.realms(db, prefix)

    def kept(self, realm: str) -> dict[str, str]:
        """Return the values of a realm."""
        with self._reading() as db:
            return durable.kept(db, realm)

    def keep(self, realm: str, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values and forget others."""
        with self._writing() as db:
            durable.keep(db, realm, values, gone)

    def update_kept(self, realm: str, name: str, change: Callable[[str], str]) -> str:
        """Set one value to what `change` makes of it."""
        with self._writing() as db:
            return durable.update(db, realm, name, change)

    # Forgetting

    def find(self, scope: Scope, wanted: MessageFilter) -> list[Journalled]:
        """Return messages that fit."""
        with self._reading() as db:
            return forgetting.find(db, messages.known_scope(db, scope), wanted)

    def replaced(self, scope: Scope) -> list[tuple[int, Document]]:
        """Return the history with numbers."""
        with self._reading() as db:
            return forgetting.replaced(db, messages.known_scope(db, scope), scope)

    def erase(
        self, scope: Scope, seqs: Sequence[int], documents: Sequence[str] = (), replaced: Sequence[int] = ()
    ) -> None:
        """Take texts out."""
        with self._writing() as db:
            forgetting.erase(db, messages.scope_id(db, scope), seqs, documents, replaced)

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Replace texts by what `change` makes of them."""
        with self._writing() as db:
            done = forgetting.rewrite(db, change)
            if is_dry:
                db.execute("ROLLBACK")
                db.execute("BEGIN")
        return done

    def scrub(self) -> list[str]:
        """Write the file anew without what was removed."""
        with translated(self._file, "journal"):
            return scrub(self._db(), self._file)

    # Ledger

    def charge(self, day: date, role: str, usage: Usage) -> None:
        """Add to what a role used."""
        with self._writing() as db:
            ledger.charge(db, day, role, usage)

    def usage(self, since: date) -> dict[tuple[date, str], Usage]:
        """Return what was used."""
        with self._reading() as db:
            return ledger.usage(db, since)

    def raise_incident(self, incident: Incident) -> bool:
        """Keep an incident."""
        with self._writing() as db:
            return ledger.raise_incident(db, incident)

    def resolve_incident(self, name: str) -> bool:
        """Forget an incident."""
        with self._writing() as db:
            return ledger.resolve_incident(db, name)

    def incidents(self) -> list[Incident]:
        """Return what is wrong right now."""
        with self._reading() as db:
            return ledger.incidents(db)


def _close(connections: dict[threading.Thread, sqlite3.Connection]) -> None:
    for connection in connections.values():
        connection.close()
    connections.clear()
