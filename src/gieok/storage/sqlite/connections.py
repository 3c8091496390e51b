"""One SQLite file for any number of processes; each thread has its own connection."""

import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gieok.errors import StoreFull
from gieok.storage.sqlite import readonly
from gieok.storage.sqlite.failures import translated
from gieok.storage.sqlite.files import BUSY_TIMEOUT_MS, pragma, scrub, transaction


class SqliteFile:
    """Transactions on a file, for subclasses, which open the file (`_connect`)."""

    #: Name of the file in messages (see `failures.translated`).
    what = "store"

    def __init__(self, file: Path, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self._file = file
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self._connections: dict[threading.Thread, sqlite3.Connection] = {}
        weakref.finalize(self, _close_thread_connections, self._connections)
        self._db()

    def _connect(self) -> sqlite3.Connection:
        raise NotImplementedError

    def _reopened(self) -> None:
        """Let a subclass drop cached copies of a file that was replaced."""

    def _db(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None and self._is_over(connection):
            self._connections.pop(threading.current_thread(), None)
            connection.close()
            connection = None
        if connection is None:
            stamp = self._stamp()
            connection = self._connect()
            self._local.connection, self._local.inode = connection, self._current_inode()
            is_full = pragma(connection, "query_only") and not readonly.is_read_only(
                str(self._file)
            )
            self._local.full_stamp = stamp if is_full else None
            self._close_of_dead_threads()
            self._connections[threading.current_thread()] = connection
            self._reopened()
        return connection

    def _is_over(self, connection: sqlite3.Connection) -> bool:
        """Say whether a connection must be replaced.

        Its file was moved away, or it met a full disk on which others write again.
        """
        if self._local.inode != self._current_inode():
            return True  # nobody reads what is written there
        full_stamp = self._local.full_stamp
        return (
            full_stamp is not None and not connection.in_transaction and full_stamp != self._stamp()
        )

    def _stamp(self) -> tuple[int, ...]:
        stamp = []
        for file in (self._file, self._file.with_name(f"{self._file.name}-wal")):
            try:
                status = file.stat()
            except OSError:
                continue
            stamp += [status.st_size, status.st_mtime_ns] if status.st_size else []
        return tuple(stamp)

    def _current_inode(self) -> int:
        try:
            return self._file.stat().st_ino
        except OSError:
            return 0

    def _close_of_dead_threads(self) -> None:
        for thread in [thread for thread in list(self._connections) if not thread.is_alive()]:
            # Another thread may close the connection at the same time.
            connection = self._connections.pop(thread, None)
            if connection is not None:
                connection.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Give one snapshot for all statements inside, so that an answer never mixes two states."""
        db = self._db()
        with translated(self._file, self.what), transaction(db, "DEFERRED"):
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        db = self._db()
        if self._local.full_stamp is not None:
            self._local.full_stamp = ()  # there may be room by now
            db = self._db()
        if self._local.full_stamp is not None:
            raise StoreFull("no space left to write {file!r}", file=self._file)
        with translated(self._file, self.what), transaction(db):
            yield db

    def scrub(self) -> list[str]:
        """Write the file anew without removed rows; return what could not be done, and why."""
        with translated(self._file, self.what):
            return scrub(self._db(), self._file)

    def close(self) -> None:
        """Close the connections of every thread."""
        _close_thread_connections(self._connections)
        self._local = threading.local()


def _close_thread_connections(connections: dict[threading.Thread, sqlite3.Connection]) -> None:
    for connection in connections.values():
        connection.close()
    connections.clear()
