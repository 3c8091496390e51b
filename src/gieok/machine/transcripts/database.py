"""SQLite database of an agent, opened read-only while the agent writes to it (WAL)."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gieok import extras
from gieok.errors import MissingExtra, TranscriptUnreadable
from gieok.ports.transcripts import StoredSession
from gieok.storage.sqlite import readonly

_BUSY_TIMEOUT_MS = 5_000

Rows = Callable[[str, tuple[object, ...]], list[tuple[Any, ...]]]


class TranscriptDatabase:
    """`TranscriptStore` of any agent; a subclass names the table it reads and its SQL statements.

    `SESSIONS` returns (id, key, number of the last event); `EVENTS` takes (session, after, limit)
    and returns (number, line, …).
    """

    AGENT = ""
    #: A table, and the columns without which nothing is read.
    NEEDS: tuple[str, frozenset[str]]
    SESSIONS = ""
    EVENTS = ""
    #: The SQLite version that the agent's schema needs to be read at all, and the extra that
    #: installs it.
    OLDEST_SQLITE = (3, 38)
    EXTRA = ""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._execute, self._close = self._open(file)
        table, needed = self.NEEDS
        self.columns = {row[1] for row in self._rows(f"PRAGMA table_info({table})")}
        if not needed <= self.columns:
            self.close()
            raise TranscriptUnreadable(
                "{file!r} is no {agent} database that this gieok knows", file=file, agent=self.AGENT
            )

    def sessions(self) -> list[StoredSession]:
        """Return every session."""
        return [StoredSession(*row) for row in self._rows(self.SESSIONS)]

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return events of a session in order."""
        return [(row[0], self.line(row)) for row in self._rows(self.EVENTS, session, after, limit)]

    def line(self, row: tuple[Any, ...]) -> str:
        """Return the JSON of a row of `EVENTS`."""
        return str(row[1])

    def close(self) -> None:
        """Close the connection."""
        self._close()

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._execute(sql, values)
        except Exception as error:
            if not isinstance(error, sqlite3.Error) and type(error).__module__ != "apsw":
                raise
            raise TranscriptUnreadable(
                "cannot read {file!r}: {error}", file=self._file, error=error
            ) from error

    def _open(self, file: Path) -> tuple[Rows, Callable[[], None]]:
        """Open the file read-only with an SQLite that is new enough.

        That is Python's own SQLite, or the SQLite in the wheel of `apsw`.
        """
        try:
            if sqlite3.sqlite_version_info >= self.OLDEST_SQLITE:
                return _connect_by_stdlib(file)
            return _connect_by_apsw(file, self.EXTRA)
        except MissingExtra as error:
            needed = ".".join(map(str, self.OLDEST_SQLITE))
            raise MissingExtra(
                "{agent}'s database needs SQLite {needed}, Python's is {version}",
                agent=self.AGENT,
                needed=needed,
                version=sqlite3.sqlite_version,
                hint=error.hint,
            ) from error
        except Exception as error:
            raise TranscriptUnreadable(
                "cannot open {file!r}: {error}", file=file, error=error
            ) from error


def _connect_by_stdlib(file: Path) -> tuple[Rows, Callable[[], None]]:
    connection = readonly.connect_readonly(str(file), _BUSY_TIMEOUT_MS / 1000)
    return lambda sql, values: connection.execute(sql, values).fetchall(), connection.close


def _connect_by_apsw(file: Path, extra: str) -> tuple[Rows, Callable[[], None]]:
    with extras.imports_of(extra, file.name):
        import apsw

    # Without a write-ahead log no process is writing, and a read-only folder then needs no shared
    # memory file.
    immutable = "" if file.with_name(file.name + "-wal").exists() else "&immutable=1"
    uri = f"{file.absolute().as_uri()}?mode=ro{immutable}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    return lambda sql, values: list(connection.execute(sql, values)), connection.close
