"""Locks that last longer than a transaction; they end with their connection.

One session holds all locks that a process takes without having to wait for another process, however
many they are: a reply that streams costs no connection. A caller that has to wait takes the lock in
a transaction on a connection of its own, and so does every caller behind a pooler, which may hand a
session on. A transaction that has read nothing keeps no old rows from being cleaned up.
"""

import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import psycopg
from psycopg.pq import TransactionStatus

_BEGIN = (
    "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0; SET "
    "LOCAL statement_timeout = 0"
)
#: The first release of PostgreSQL that has a setting to end idle sessions.
_ENDS_IDLE = 140_000


class Lock(NamedTuple):
    """Lock held by a session, or (`is_own`) by a transaction on a connection of its own."""

    key: int
    db: psycopg.Connection
    is_own: bool


class Locks:
    """Takes advisory locks by number.

    A connection whose lock was released is used for the next lock.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection]) -> None:
        self._connect = connect
        self._guard = threading.Condition()
        #: The session that locks share (None behind a pooler), and the numbers of the locks that
        #: this process holds by it.
        self._session: psycopg.Connection | None = None
        self._is_pooled = False
        self._here: set[int] = set()
        self._free: list[psycopg.Connection] = []
        self._held: set[psycopg.Connection] = set()
        weakref.finalize(self, _close_lock_connections, self._free, self._held)

    def take(self, key: int, *, wait: bool) -> Lock | None:
        """Return the lock; None where another holds it and `wait` is off.

        Raises psycopg.Error.
        """
        with self._guard:
            while key in self._here:
                if not wait:
                    return None
                self._guard.wait()
            taken = self._shared(key)
        if taken or (not wait and not self._is_pooled):
            return taken
        return self._own(key, wait=wait)

    def release(self, lock: Lock) -> None:
        """Release a lock."""
        if lock.is_own:
            self._release_own(lock.db)
            return
        with self._guard:
            if lock.db is self._session:
                with suppress(psycopg.Error):  # the server released what broke
                    lock.db.execute("SELECT pg_advisory_unlock(%s)", (lock.key,))
            self._here.discard(lock.key)
            self._guard.notify_all()

    def close(self) -> None:
        """Release all locks and close their connections."""
        with self._guard:
            self._session = None
            _close_lock_connections(self._free, self._held)

    def _shared(self, key: int) -> Lock | None:
        """Try to take a lock by the shared session.

        None where another process has the lock, and behind a pooler.
        """
        while not self._is_pooled:
            known, db = self._session, self._session or self._opened()
            if self._is_pooled:
                break
            try:
                row = db.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
            except psycopg.OperationalError:
                self._held.discard(db)
                self._session = None
                db.close()
                if known is None:
                    raise
                continue  # it was idle, and the server hung up
            if row and row[0]:
                self._here.add(key)
                return Lock(key, db, is_own=False)
            return None
        return None

    def _opened(self) -> psycopg.Connection:
        """Return a new session; without a pooler it is kept as the shared session.

        A pooler is recognised because it reports its own process, not the server's.
        """
        db = self._connect()
        row = db.execute("SELECT pg_backend_pid()").fetchone()
        if not row or row[0] != db.info.backend_pid:
            self._is_pooled = True
            self._free.append(db)
            return db
        if db.info.server_version >= _ENDS_IDLE:
            db.execute("SET idle_session_timeout = 0")
        self._session = db
        self._held.add(db)
        return db

    def _own(self, key: int, *, wait: bool) -> Lock | None:
        db = self._begun()
        try:
            if wait:
                db.execute("SELECT pg_advisory_xact_lock(%s)", (key,))
                return Lock(key, db, is_own=True)
            row = db.execute("SELECT pg_try_advisory_xact_lock(%s)", (key,)).fetchone()
        except BaseException:
            self._end(db)
            raise
        if row and row[0]:
            return Lock(key, db, is_own=True)
        self._release_own(db)
        return None

    def _release_own(self, db: psycopg.Connection) -> None:
        with suppress(psycopg.Error):  # the server released what broke
            db.execute("ROLLBACK")
        with self._guard:
            if db in self._held and db.info.transaction_status == TransactionStatus.IDLE:
                self._held.remove(db)
                self._free.append(db)
                return
        self._end(db)

    def _begun(self) -> psycopg.Connection:
        while True:
            with self._guard:
                known = self._free.pop() if self._free else None
            db = known or self._connect()
            with self._guard:
                self._held.add(db)
            try:
                db.execute(_BEGIN)
            except psycopg.OperationalError:
                self._end(db)
                if known is None:
                    raise
                continue  # it was idle, and the server or a pooler hung up
            return db

    def _end(self, db: psycopg.Connection) -> None:
        with self._guard:
            self._held.discard(db)
        db.close()


def _close_lock_connections(free: list[psycopg.Connection], held: set[psycopg.Connection]) -> None:
    for db in (*free, *held):
        db.close()
    free.clear()
    held.clear()
