"""Copies a journal as rows that another journal can take.

Rows are copied a scope at a time, then those that belong to no scope.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any

from gieok.model.conversation import JournalRow
from gieok.model.memory import Scope
from gieok.storage.index.rows import marks
from gieok.storage.journal.sql.archive_rows import COLUMNS as ARCHIVED
from gieok.storage.journal.sql.database import Db, Owner, SaidText
from gieok.storage.journal.sql.ledger import USAGE
from gieok.storage.journal.sql.messages import CURSOR, REJECT, SqlMessages, source_id
from gieok.storage.journal.sql.positions import RUN

#: Table → columns of a scope's rows, without messages and changes, which name their source. The
#: rows that SQLite's triggers make when `outbox` is filled are replaced by the tables after it.
_OF_SCOPE = {
    "positions": "reader, seq",
    "chunks": 'reader, start, "end", tokens, body',
    "runs": f"id, {RUN}",
    "history": "id, run_id, document",
    "outbox": "id, key, entry, is_archived",
    "made": "key, entry",
    "archived": ARCHIVED,
    "stale_places": "tier, place, id",
}
#: Table → columns of the rows that belong to no scope; some of these tables have owners (`_OWNED`).
_OF_ALL = {
    "cursors": CURSOR,
    "rejects": REJECT,
    "kept": "realm, name, value",
    "usage": f"day, role, {USAGE}",
    "incidents": "name, detail, since, tries, next_try",
}
_OWNED = ("cursors", "rejects", "kept")
_CHANGE = "m.id, s.agent, s.session, s.path"
#: Index of the text in `_MESSAGE`, and the number of messages that are copied at once.
_TEXT, _AT_ONCE = 4, 1_000
_MESSAGE = "seq, id, text_hash, role, text, at, tokens, line, retracted, place"


class SqlCopies(SqlMessages):
    """`CopiedJournal` on an SQL database."""

    def copied_scopes(self, prefix: str = "") -> list[Scope]:
        """Return every scope of the journal whose name begins with `prefix`."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes WHERE path >= ? AND path < ? ORDER BY path",
                (prefix, prefix + chr(0x10FFFF)),
            )
            return [Scope(path) for (path,) in rows]

    def copied_rows(self, scope: Scope | None) -> Iterator[JournalRow]:
        """Yield the rows of a scope; None: the rows that belong to no scope."""
        if scope is None:
            with self._reading() as db:
                for table, columns in _OF_ALL.items():
                    for row in db.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3"):
                        yield JournalRow(table, tuple(map(_plain_column_value, row)))
            return
        with self._reading_of(scope) as (db, sid):
            message_columns = _MESSAGE.replace(", ", ", m.").replace("m.text,", f"{self._text},")
            joined = f"JOIN sources s ON {self._of_source} WHERE m.scope_id = ?"
            selected = (
                f"SELECT m.{message_columns}, s.agent, s.session, s.path FROM messages m {joined} "
                "ORDER BY m.seq"
            )
            message_rows = iter(db.execute(selected, (sid,)))
            while some := tuple(islice(message_rows, _AT_ONCE)):
                texts = self._spoken(sid, [(row[1], row[_TEXT]) for row in some], is_needed=False)
                for row, text in zip(some, texts, strict=True):
                    yield JournalRow("messages", (*row[:_TEXT], text, *row[_TEXT + 1 :]))
            for row in db.execute(
                f"SELECT {_CHANGE} FROM changes m {joined} ORDER BY m.id", (sid,)
            ):
                yield JournalRow("changes", tuple(row))
            for table, columns in _OF_SCOPE.items():
                for row in db.execute(
                    f"SELECT {columns} FROM {table} WHERE scope_id = ? ORDER BY 1, 2", (sid,)
                ):
                    yield JournalRow(table, tuple(row))

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        """Replace the rows of a scope in one step; None: the rows that belong to no scope."""
        tables = {
            table: [row.values for row in group]
            for table, group in groupby(rows, key=lambda row: row.table)
        }
        if scope is None:
            with self._writing() as db:
                for table, columns in _OF_ALL.items():
                    db.execute(f"DELETE FROM {table}")
                    for values in tables.get(table, ()):
                        # The cursor's scope takes the cursor over when its transcript goes on.
                        own = (
                            self._owner_of(values[0] if table == "kept" else "")
                            if table in _OWNED
                            else None
                        )
                        _insert_copied_row(db, table, columns, values, own)
            return
        with self._writing_to(scope) as (db, sid):
            # Texts of the scope that are in files leave the files.
            db.execute("UPDATE messages SET retracted = 2 WHERE scope_id = ?", (sid,))
            for table in (
                "messages",
                "changes",
                "positions",
                "chunks",
                "runs",
                "history",
                "outbox",
            ):
                db.execute(f"DELETE FROM {table} WHERE scope_id = ?", (sid,))
            sources: dict[tuple[str, str, str], int] = {}

            def source(agent: str, session: str, path: str) -> int:
                named = (session, agent, path)
                if named not in sources:
                    sources[named] = source_id(db, self._owner(sid), named)
                return sources[named]

            messages = tables.get("messages", [])
            texts = self._keep_texts(
                sid, [SaidText(values[1], values[2], *values[3:6]) for values in messages]
            )
            self._take_all(
                db,
                "messages",
                f"scope_id, {_MESSAGE}, source_id",
                [
                    (sid, *values[:_TEXT], text, *values[_TEXT + 1 : -3], source(*values[-3:]))
                    for values, text in zip(messages, texts, strict=True)
                ],
            )
            self._take_all(
                db,
                "changes",
                "scope_id, id, source_id",
                [(sid, values[0], source(*values[1:])) for values in tables.get("changes", ())],
            )
            for table, columns in _OF_SCOPE.items():
                db.execute(f"DELETE FROM {table} WHERE scope_id = ?", (sid,))
                rows_of = [(sid, *values) for values in tables.get(table, ())]
                self._take_all(db, table, f"scope_id, {columns}", rows_of)
            numbers = [row[1] for row in db.execute(_NUMBERS, (sid,) * 6).fetchall() if row[1]]
            self._numbered(db, max(numbers, default=0))

    def _take_all(self, db: Db, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks(rows[0])})", rows)

    def _numbered(self, db: Db, most: int) -> None:
        """Set the next number above `most`, where the tables do not do so themselves."""


_NUMBERS = " UNION ALL ".join(
    f"SELECT '{table}', max({column}) FROM {table} WHERE scope_id = ?"
    for table, column in (
        ("messages", "seq"),
        ("changes", "id"),
        ("runs", "id"),
        ("history", "id"),
        ("outbox", "id"),
        ("stale_places", "id"),
    )
)


def _insert_copied_row(
    db: Db, table: str, columns: str, values: tuple[Any, ...], own: Owner | None
) -> None:
    column, owner = (own.column, own.values) if own else ("", ())
    if table == "cursors":
        values = (*values[:-1], bool(values[-1]))
    row = (*owner, *values)
    db.execute(f"INSERT INTO {table} ({column}{columns}) VALUES ({marks(row)})", row)


def _plain_column_value(value: Any) -> Any:  # noqa: ANN401 - a value of a column
    return int(value) if isinstance(value, bool) else value
