"""Reads the store's file for the prompt hook: read-only, without locks, within a deadline.

Standard library, and none of it that is slow to import (see `ranking`).
"""

import os
import time
from collections.abc import Callable, Collection, Mapping

from gieok.storage.index.sqlite import ranking
from gieok.storage.sqlite import driver, readonly
from gieok.text import keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from gieok.model.memory import PassageId
    from gieok.model.retrieval import KeywordQuery

    T = TypeVar("T")

_BUSY_S = 0.05
#: Steps of SQLite's virtual machine (a microsecond or less each) between two looks at the deadline.
_STEPS = 2_000
#: SQL for: does a scope hold conversations (`SESSIONS`), by the index of keys.
_HAS_TALK = (
    "SELECT 1 FROM documents WHERE scope_id = ? AND key >= 'sessions/' AND key < 'sessions0' "
    "LIMIT 1"
)
#: The documents of a scope that are notes: a conversation has no title that would say anything.
_TALK = "('session', 'turn')"
_NOTES = (
    "FROM documents WHERE scope_id = (SELECT id FROM scopes WHERE path = ?) AND kind NOT IN "
    f"{_TALK}"
)


class Missing(Exception):
    """There is no index yet."""


class Mismatch(Exception):
    """Another version made the index; the message says which."""


class Late(Exception):
    """The deadline passed in the middle of a query."""


class IndexReader:
    """Read-only connection for one call.

    `deadline` is compared with `now`, in seconds.
    """

    def __init__(
        self, file: str, deadline: float = float("inf"), now: Callable[[], float] = time.monotonic
    ) -> None:
        """Open the file. Raises Missing, Mismatch, sqlite3.Error."""
        if not os.path.exists(file):
            raise Missing(file)
        self._db = readonly.connect_readonly(file, _BUSY_S)
        self._deadline, self._now = deadline, now
        version = self._one("PRAGMA user_version")[0]
        if version == 0:
            raise Missing(file)
        if version not in ranking.READABLE_VERSIONS:
            raise Mismatch(
                f"{file} has schema {version}, this gieok reads {ranking.SCHEMA_VERSION}"
            )
        tokens = self._one("SELECT value FROM meta WHERE name = 'keywords_version'")
        if tokens not in [(str(version),) for version in keywords.READABLE]:
            raise Mismatch(
                f"{file} has keyword tokens of version {tokens and tokens[0]}, this gieok "
                f"makes {keywords.VERSION}"
            )
        # The deadline counts from here on: the checks above must not be cut short.
        self._db.set_progress_handler(self._is_late, _STEPS)

    def scope(self, path: str) -> tuple[int, int, float] | None:
        """Return a scope's id, the number of its passages and their mean length.

        None where the scope holds no passage. Raises Late.
        """
        row = self._one(
            "SELECT id, passages, tokens FROM scopes WHERE path = ? AND passages > 0", path
        )
        return (row[0], row[1], max(row[2] / row[1], 1.0)) if row else None

    def holding(self, sid: int, tokens: Collection[str]) -> dict[str, int]:
        """Return how many passages of the scope hold each token; unknown tokens are left out.

        Raises Late.
        """
        return self._timely(lambda: ranking.term_statistics(self._db, sid, tokens))

    def has_talk(self, sid: int) -> bool:
        """Say whether the scope holds conversations. Raises Late."""
        return self._one(_HAS_TALK, sid) is not None

    def ranked(
        self,
        sid: int,
        mean_length: float,
        query: "KeywordQuery",
        weights: Mapping[str, float],
        limit: int,
        kinds: str = "",
    ) -> "list[tuple[PassageId, float]]":
        """Return the best passages by BM25.

        `weights` is weight · idf. `kinds`: 'turns', 'notes', '' for all. Raises Late.
        """
        which = {"turns": " AND d.kind = 'turn'", "notes": f" AND d.kind NOT IN {_TALK}"}.get(
            kinds, ""
        )
        return self._timely(
            lambda: ranking.rank_sqlite_keywords(
                self._db, sid, mean_length, query, weights, limit, which
            )
        )

    def row(self, passage: "PassageId") -> "tuple[Any, ...]":
        """Return the columns of a passage and its document.

        Document id, key, title, text, first and last line, updated and day in ms, metadata,
        provenance, kind. Raises Late.
        """
        row: tuple[Any, ...] = self._one(
            'SELECT d.id, d.key, d.title, substr(d.text, p.start + 1, p."end" - p.start), '
            "p.start_line, p.end_line, "
            "d.updated_at, d.valid_from, d.metadata, d.provenance, d.kind "
            "FROM passages p JOIN documents d ON d.id = p.document_id WHERE p.id = ?",
            passage,
        )
        return row

    def newest(self, scope: str, limit: int, kind: str = "") -> list[tuple[str, str, str, str]]:
        """Return the notes of a scope that changed last, of one kind where `kind` is given.

        Key, title, metadata and provenance of each. Raises Late.
        """
        return self._timely(
            lambda: self._db.execute(
                f"SELECT key, title, metadata, provenance {_NOTES} AND ? IN ('', kind) "
                "ORDER BY updated_at DESC, id DESC LIMIT ?",
                (scope, kind, limit),
            ).fetchall()
        )

    def lines(self, scope: str, key: str) -> list[str]:
        """Return the lines of a document's text; nothing where the document is gone.

        Raises Late.
        """
        row = self._one(
            (
                "SELECT text FROM documents WHERE scope_id = (SELECT id FROM scopes WHERE path = "
                "?) AND key = ?"
            ),
            scope,
            key,
        )
        return str(row[0]).split("\n") if row else []

    def line(self, scope: str, key: str, number: int) -> str:
        """Return a line (1-based) of a document's text; '' where the document is gone.

        Raises Late.
        """
        lines = self.lines(scope, key)
        return lines[number - 1] if len(lines) >= number else ""

    def count(self, scope: str, kind: str = "") -> int:
        """Return how many notes (of a kind) a scope holds. Raises Late."""
        row = self._one(f"SELECT count(*) {_NOTES} AND ? IN ('', kind)", scope, kind)
        return int(row[0])

    def _is_late(self) -> bool:
        return self._now() > self._deadline

    def _one(self, statement: str, *values: object) -> "Any":  # noqa: ANN401 - a row, or None
        return self._timely(lambda: self._db.execute(statement, values).fetchone())

    def _timely(self, look: "Callable[[], T]") -> "T":
        try:
            return look()
        except driver.OPERATIONAL as error:
            if self._is_late():
                raise Late from error
            raise
