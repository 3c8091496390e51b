"""Locks that a process holds for as long as it lives: the server releases those of a connection that ends.

Each is held by an open transaction of a connection of its own, not by a session, because a pooler may hand a session on. A
transaction that has read nothing keeps no old rows from being cleaned up.
"""

import threading
import weakref
from collections.abc import Callable
from contextlib import suppress

import psycopg
from psycopg.pq import TransactionStatus

_BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0"


class Locks:
    """Takes advisory locks by number. A connection that a lock was released by is used for the next."""

    def __init__(self, connect: Callable[[], psycopg.Connection]) -> None:
        self._connect = connect
        self._guard = threading.Lock()
        self._free: list[psycopg.Connection] = []
        self._held: set[psycopg.Connection] = set()
        weakref.finalize(self, _close, self._free, self._held)

    def take(self, key: int, *, wait: bool) -> psycopg.Connection | None:
        """Return the connection that holds the lock; None where it is taken and `wait` is off. Raises psycopg.Error."""
        db = self._begun()
        try:
            if wait:
                db.execute("SELECT pg_advisory_xact_lock(%s)", (key,))
                return db
            row = db.execute("SELECT pg_try_advisory_xact_lock(%s)", (key,)).fetchone()
        except BaseException:
            self._end(db)
            raise
        if row and row[0]:
            return db
        self.release(db)
        return None

    def release(self, db: psycopg.Connection) -> None:
        """Release what a connection holds."""
        with suppress(psycopg.Error):  # the server released what broke
            db.execute("ROLLBACK")
        with self._guard:
            if db in self._held and db.info.transaction_status == TransactionStatus.IDLE:
                self._held.remove(db)
                self._free.append(db)
                return
        self._end(db)

    def close(self) -> None:
        """Release everything."""
        with self._guard:
            _close(self._free, self._held)

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


def _close(free: list[psycopg.Connection], held: set[psycopg.Connection]) -> None:
    for db in (*free, *held):
        db.close()
    free.clear()
    held.clear()
