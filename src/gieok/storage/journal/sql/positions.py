"""Positions of readers, their buffered chunks, the outbox, and replaced documents."""

import json
from collections.abc import Sequence
from datetime import datetime

from gieok.model.conversation import BufferedSpan, HeldWindow, Run, Window, WindowMark
from gieok.model.memory import Document, Entry, Scope
from gieok.storage.index.rows import document_row, to_document, to_ms, utc
from gieok.storage.journal.sql.database import Db, Rows, defer_statement
from gieok.storage.journal.sql.durable import SqlDurable, collect_entry_scopes, to_entry
from gieok.storage.journal.sql.messages import SqlMessages

_POSITION = "SELECT seq FROM positions WHERE scope_id = ? AND reader = ?"
_MARK = f"SELECT ({_POSITION}), (SELECT max(id) FROM changes WHERE scope_id = ?)"
_MOVE = (
    "INSERT INTO positions (scope_id, reader, seq) VALUES (?, ?, ?) "
    "ON CONFLICT (scope_id, reader) DO UPDATE SET seq = excluded.seq"
)
RUN = 'reader, kind, at, start, "end", messages, source_tokens, documents, document_tokens, model'


class SqlPositions(SqlDurable, SqlMessages):
    """`Positions`, `Outbox` and `RunHistory` on an SQL database."""

    def position(self, scope: Scope, reader: str) -> int:
        """Return the number of the last message that a reader has distilled."""
        with self._reading_of(scope) as (db, sid):
            return _read_reader_position(db, sid, reader)

    def window(self, scope: Scope, reader: str, held: HeldWindow | None = None) -> Window:
        """Return the messages after a reader's position, or those after a held window."""
        with self._reading_of(scope) as (db, sid):
            marks_row = defer_statement(db, _MARK, (sid, reader, sid))
            rows = self._defer_window(db, sid, reader, held)
            position, change = marks_row.fetchone()
            return self._window(db, sid, WindowMark(position or 0, change or 0), held, rows)

    def move(self, scope: Scope, reader: str, end: int) -> None:
        """Set a reader's position, whatever it was."""
        with self._writing_to(scope) as (db, sid):
            defer_statement(db, _MOVE, (sid, reader, end))

    def _defer_window(self, db: Db, sid: int, reader: str, held: HeldWindow | None) -> Rows:
        """Return the rows after a held window, with its last one, or else after the position."""
        if held:
            return self._defer_behind(db, sid, "?", held.messages[-1].seq - 1)
        return self._defer_behind(db, sid, f"coalesce(({_POSITION}), 0)", sid, reader)

    def _window(
        self, db: Db, sid: int, mark: WindowMark, held: HeldWindow | None, rows: Rows
    ) -> Window:
        """Return the window of the rows of `_defer_window`; for a stale one, read it anew."""
        messages = self._journalled(sid, rows)
        if held is None:
            return Window(mark, messages)
        if held.mark == mark and messages and messages[0] == held.messages[-1]:
            return Window(mark, messages[1:], is_rest=True)
        return Window(mark, self._journalled(sid, self._defer_behind(db, sid, "?", mark.position)))

    def chunks(self, scope: Scope, reader: str) -> list[BufferedSpan]:
        """Return the buffered chunks in order."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                (
                    'SELECT start, "end", tokens, body FROM chunks WHERE scope_id = ? AND reader '
                    "= ? ORDER BY start"
                ),
                (sid, reader),
            )
            return [BufferedSpan(*row) for row in rows]

    def buffer(self, scope: Scope, reader: str, chunk: BufferedSpan) -> bool:
        """Add a chunk if it continues the last one; return whether it does."""
        with self._writing_to(scope) as (db, sid):
            last = 'SELECT max("end") FROM chunks WHERE scope_id = ? AND reader = ?'
            (end,) = db.execute(last, (sid, reader)).fetchone()
            if chunk.start != (end if end is not None else _read_reader_position(db, sid, reader)):
                return False
            db.execute(
                (
                    'INSERT INTO chunks (scope_id, reader, start, "end", tokens, body) VALUES (?, '
                    "?, ?, ?, ?, ?)"
                ),
                (sid, reader, *chunk),
            )
            return True

    def commit(
        self, expected: int, run: Run, *, put: Sequence[Entry] = (), forget: Sequence[Document] = ()
    ) -> bool:
        """Move a position and hand documents over."""
        gone = [(run.scope, document.key) for document in forget]
        with self._writing_to_all({run.scope} | collect_entry_scopes(put)) as (db, ids):
            sid = ids[run.scope]
            position = _defer_reader_position(db, sid, run.reader)
            chunk = defer_statement(
                db,
                'SELECT 1 FROM chunks WHERE scope_id = ? AND reader = ? AND start < ? AND "end" > '
                "?",
                (sid, run.reader, run.end, run.end),
            )
            if _first_number(position) != expected or chunk.fetchone() is not None:
                return False
            defer_statement(db, _MOVE, (sid, run.reader, run.end))
            defer_statement(
                db,
                'DELETE FROM chunks WHERE scope_id = ? AND reader = ? AND "end" <= ?',
                (sid, run.reader, run.end),
            )
            ((run_id,),) = defer_statement(
                db,
                f"INSERT INTO runs (scope_id, {RUN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "RETURNING id",
                (sid, run.reader, run.kind, to_ms(run.at), *run[4:]),
            ).fetchall()
            db.executemany(
                "INSERT INTO history (scope_id, run_id, document) VALUES (?, ?, ?)",
                [(sid, run_id, json.dumps(document_row(document))) for document in forget],
            )
            self._hand_over(db, ids, put, gone)
            return True

    def undelivered(self, limit: int) -> list[tuple[int, Scope, Entry | str]]:
        """Return the outbox entries that wait for the store, in order."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT o.id, s.path, o.key, o.entry FROM outbox o JOIN scopes s ON s.id = "
                "o.scope_id "
                "ORDER BY o.id LIMIT ?",
                (limit,),
            )
            return [
                (number, Scope(path), to_entry(Scope(path), entry) if entry else key)
                for number, path, key, entry in rows
            ]

    def delivered(self, ids: Sequence[int]) -> None:
        """Remove delivered entries from the outbox."""
        with self._writing() as db:
            db.executemany("DELETE FROM outbox WHERE id = ?", [(number,) for number in ids])

    def history(self, scope: Scope, limit: int) -> list[Document]:
        """Return replaced documents, the newest first."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                "SELECT document FROM history WHERE scope_id = ? ORDER BY id DESC LIMIT ?",
                (sid, limit),
            )
            return [to_document(scope, tuple(json.loads(text))) for (text,) in rows]

    def runs(self, scope: Scope, since: datetime) -> list[Run]:
        """Return the runs of a scope from a time on."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                f"SELECT {RUN} FROM runs WHERE scope_id = ? AND at >= ? ORDER BY id",
                (sid, to_ms(since)),
            )
            return [Run(scope, reader, kind, utc(at), *rest) for reader, kind, at, *rest in rows]


def _read_reader_position(db: Db, sid: int, reader: str) -> int:
    return _first_number(_defer_reader_position(db, sid, reader))


def _defer_reader_position(db: Db, sid: int, reader: str) -> Rows:
    return defer_statement(db, _POSITION, (sid, reader))


def _first_number(rows: Rows) -> int:
    row = rows.fetchone()
    return int(row[0]) if row else 0
