"""Moves of a memory to another scope or journal, and the removal of a whole scope.

Each method is one transaction.
"""

from collections.abc import Sequence
from typing import ClassVar

from gieok.model.conversation import ForgottenMessage
from gieok.model.memory import Scope
from gieok.storage.index.rows import to_ms
from gieok.storage.journal.sql.messages import SqlMessages, source_id, to_journalled
from gieok.storage.journal.sql.removal import FORGOTTEN

#: Tables with rows of a scope, without stale places: their files are still to be swept.
_TABLES = (
    "outbox",
    "made",
    "archived",
    "history",
    "chunks",
    "positions",
    "runs",
    "changes",
    "messages",
)


class SqlRelocation(SqlMessages):
    """`Relocation` on an SQL database."""

    #: Tables of places whose files are still to be swept: their scope keeps its name until then.
    _places: ClassVar[tuple[str, ...]] = ("stale_places",)

    def forgotten_messages(self, scope: Scope) -> list[ForgottenMessage]:
        """Return the marks of forgotten messages."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                (
                    f"SELECT m.text_hash, {self._messages} WHERE m.scope_id = ? AND m.retracted = "
                    f"{FORGOTTEN} ORDER BY m.seq"
                ),
                (sid,),
            ).fetchall()
            return [
                ForgottenMessage(to_journalled(tuple(row), row[3]).message, bytes(digest).hex())
                for digest, *row in rows
            ]

    def keep_forgotten(self, scope: Scope, marks: Sequence[ForgottenMessage]) -> None:
        """Mark messages as forgotten; known messages stay as they are."""
        known = "SELECT 1 FROM messages WHERE scope_id = ? AND id = ? AND text_hash = ?"
        with self._writing_to(scope) as (db, sid):
            for message, digest in marks:
                data = bytes.fromhex(digest)
                if db.execute(known, (sid, message.id, data)).fetchone():
                    continue
                source = source_id(
                    db, self._owner(sid), (message.session, message.agent, message.source)
                )
                db.execute(
                    "INSERT INTO messages (scope_id, id, text_hash, role, text, at, tokens, "
                    "source_id, line, retracted) "
                    "VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
                    (
                        sid,
                        message.id,
                        data,
                        message.role.value,
                        message.text,
                        to_ms(message.at),
                        source,
                        message.line,
                        FORGOTTEN,
                    ),
                )

    def drop(self, scope: Scope) -> None:
        """Remove all rows of a scope except the stale places of archives, still to be swept."""
        with self._writing_to(scope) as (db, sid):
            for tier, place in db.execute(
                "SELECT DISTINCT tier, place FROM archived WHERE scope_id = ?", (sid,)
            ).fetchall():
                self._left(db, sid, tier, place)
            own = self._owner(sid)
            # Texts of the scope that are in files leave the files.
            db.execute("UPDATE messages SET retracted = 2 WHERE scope_id = ?", (sid,))
            sources = db.execute(
                "SELECT DISTINCT source_id FROM messages WHERE scope_id = ?", (sid,)
            ).fetchall()
            for table in _TABLES:
                db.execute(f"DELETE FROM {table} WHERE scope_id = ?", (sid,))
            # A source is a conversation; in a file, other scopes may have messages of the same
            # source.
            remaining = f"SELECT 1 FROM messages WHERE source_id = ?{own.where}"
            gone = f"DELETE FROM sources WHERE id = ?{own.where} AND NOT EXISTS ({remaining})"
            db.executemany(
                gone, [(number, *own.values, number, *own.values) for (number,) in sources]
            )
            if not any(
                db.execute(f"SELECT 1 FROM {t} WHERE scope_id = ?", (sid,)).fetchone()
                for t in self._places
            ):
                db.execute("DELETE FROM scopes WHERE id = ?", (sid,))
