"""OpenClaw 2026.8 and later: one database per agent, `~/.openclaw/agents/<agent>/agent/openclaw-agent.sqlite`.

Opened read-only while OpenClaw writes it (WAL). Its schema uses functions of SQLite 3.43, without which not even a read is
prepared: where Python's own library is older (Debian 12 has 3.40), the wheel of `apsw` brings one.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gieok.errors import MissingExtra, TranscriptUnreadable
from gieok.ports.journal import StoredSession
from gieok.registry import install_hint

#: Relative to `~/.openclaw/agents`.
PATTERN = "*/agent/openclaw-agent.sqlite"
_OLDEST_SQLITE = (3, 43)
_BUSY_TIMEOUT_MS = 5_000
_INSTALL = install_hint("openclaw")
#: An event has at most 4 MiB (a check of OpenClaw's own schema).
_LARGEST_EVENT_BYTES = 4 * 1024 * 1024

_Rows = Callable[[str, tuple[object, ...]], list[tuple[Any, ...]]]


class OpenClawDatabase:
    """`TranscriptStore` on one agent's database."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows, self._close = _open(file)
        with self._translated():
            known = {row[1] for row in self._rows("PRAGMA table_info(transcript_events)", ())}
        if not {"session_id", "seq", "event_json"} <= known:
            self.close()
            raise TranscriptUnreadable(f"{str(file)!r} is no OpenClaw database that this gieok knows")
        self._compressed = "event_zstd" if "event_zstd" in known else "NULL"

    def sessions(self) -> list[StoredSession]:
        """Return every session."""
        with self._translated():
            rows = self._rows(
                "SELECT w.session_id, w.session_key, "
                "coalesce((SELECT max(seq) FROM transcript_events e WHERE e.session_id = w.session_id), -1) "
                "FROM session_windows w ORDER BY w.session_id",
                (),
            )
        return [StoredSession(*row) for row in rows]

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Return events in order."""
        with self._translated():
            rows = self._rows(
                f"SELECT seq, event_json, {self._compressed} FROM transcript_events "
                "WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                (session, after, limit),
            )
        return [(seq, text if text is not None else _decompress(packed)) for seq, text, packed in rows]

    def close(self) -> None:
        """Close the connection."""
        self._close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not isinstance(error, sqlite3.Error) and type(error).__module__ != "apsw":
                raise
            raise TranscriptUnreadable(f"cannot read {str(self._file)!r}: {error}") from error


def _open(file: Path) -> tuple[_Rows, Callable[[], None]]:
    """Open read-only with whichever SQLite is new enough."""
    # Without a write-ahead log there is no writer, and a read-only folder then needs no shared-memory file.
    immutable = "" if file.with_name(file.name + "-wal").exists() else "&immutable=1"
    uri = f"{file.absolute().as_uri()}?mode=ro{immutable}"
    try:
        if sqlite3.sqlite_version_info >= _OLDEST_SQLITE:
            return _open_stdlib(uri)
        return _open_apsw(uri)
    except ModuleNotFoundError as error:
        needed = ".".join(map(str, _OLDEST_SQLITE))
        raise MissingExtra(
            f"OpenClaw's database needs SQLite {needed}, Python's is {sqlite3.sqlite_version}", hint=_INSTALL
        ) from error
    except Exception as error:
        raise TranscriptUnreadable(f"cannot open {str(file)!r}: {error}") from error


def _open_stdlib(uri: str) -> tuple[_Rows, Callable[[], None]]:
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_MS / 1000, check_same_thread=False)
    return lambda sql, values: connection.execute(sql, values).fetchall(), connection.close


def _open_apsw(uri: str) -> tuple[_Rows, Callable[[], None]]:
    import apsw

    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    return lambda sql, values: list(connection.execute(sql, values)), connection.close


def _decompress(packed: bytes) -> str:
    try:
        import zstandard
    except ModuleNotFoundError as error:
        raise MissingExtra("OpenClaw compresses long events with zstd", hint=_INSTALL) from error
    data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LARGEST_EVENT_BYTES)
    return data.decode("utf-8")
