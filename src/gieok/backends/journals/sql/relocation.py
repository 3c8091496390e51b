"""What goes along when memory moves to another scope or journal, and nothing of it stays; one transaction each."""

from collections.abc import Sequence

from gieok.backends.journals.sql.forgetting import FORGOTTEN
from gieok.backends.journals.sql.messages import SqlMessages, source_id, to_journalled
from gieok.backends.stores.rows import to_ms
from gieok.model.conversation import ForgottenMessage
from gieok.model.memory import Scope

#: Tables with rows of a scope, but for stale places: their files are still to be swept.
_TABLES = ("outbox", "made", "archived", "history", "chunks", "positions", "runs", "changes", "messages")


class SqlRelocation(SqlMessages):
    """`Relocation`."""

    def forgotten_messages(self, scope: Scope) -> list[ForgottenMessage]:
        """Return what stands for messages that were forgotten."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                f"SELECT m.text_hash, {self._messages} WHERE m.scope_id = ? AND m.retracted = {FORGOTTEN} ORDER BY m.seq",
                (sid,),
            ).fetchall()
            return [
                ForgottenMessage(to_journalled(tuple(row), row[3]).message, bytes(digest).hex())
                for digest, *row in rows
            ]

    def keep_forgotten(self, scope: Scope, marks: Sequence[ForgottenMessage]) -> None:
        """Let messages count as forgotten that are not known."""
        known = "SELECT 1 FROM messages WHERE scope_id = ? AND id = ? AND text_hash = ?"
        with self._writing_to(scope) as (db, sid):
            for message, digest in marks:
                data = bytes.fromhex(digest)
                if db.execute(known, (sid, message.id, data)).fetchone():
                    continue
                source = source_id(db, self._owner(sid), (message.session, message.agent, message.source))
                db.execute(
                    "INSERT INTO messages (scope_id, id, text_hash, role, text, at, tokens, source_id, line, retracted) "
                    "VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
                    (
                        sid, message.id, data, message.role.value, message.text, to_ms(message.at), source, message.line,
                        FORGOTTEN,
                    ),
                )  # fmt: skip

    def drop(self, scope: Scope) -> None:
        """Leave nothing of a scope but the files of archives that are to be swept."""
        with self._writing_to(scope) as (db, sid):
            for tier, place in db.execute(
                "SELECT DISTINCT tier, place FROM archived WHERE scope_id = ?", (sid,)
            ).fetchall():
                self._left(db, sid, tier, place)
            for table in _TABLES:
                db.execute(f"DELETE FROM {table} WHERE scope_id = ?", (sid,))
