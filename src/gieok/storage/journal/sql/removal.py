"""Removes text from the journal.

Functions run inside the caller's transaction.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from types import MappingProxyType

from gieok.model.conversation import Journalled
from gieok.model.memory import Document, Scope
from gieok.ports.journal import MessageFilter
from gieok.storage.index.rows import document_row, to_document
from gieok.storage.journal.sql.conversations import SqlConversations, corrections, realm_of
from gieok.storage.journal.sql.database import Db
from gieok.storage.journal.sql.kept import drop_kept
from gieok.storage.journal.sql.messages import drop_chunks, text_hash
from gieok.text.keywords import fold_for_search

FORGOTTEN = 2
#: A placeholder: a row does not name its scope, and need not.
_ANY_SCOPE = Scope("any:any")


class SqlForgetting(SqlConversations):
    """`Forgetting` on an SQL database."""

    def find(self, scope: Scope, wanted: MessageFilter) -> list[Journalled]:
        """Return messages that match a filter, in order; retracted messages too."""
        if not any(wanted):
            return []
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                (
                    f"SELECT {self._messages} WHERE m.scope_id = ? AND m.retracted < {FORGOTTEN} "
                    "ORDER BY m.seq"
                ),
                (sid,),
            )
            corrected = corrections(db, self._owner_of(realm_of(scope)), scope)
            return [
                journalled
                for journalled in self._journalled(sid, rows)
                if _fits_message_filter(journalled, wanted, corrected)
            ]

    def replaced(self, scope: Scope) -> list[tuple[int, Document]]:
        """Return the replaced documents in the history, with a number for each."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                "SELECT id, document FROM history WHERE scope_id = ? ORDER BY id", (sid,)
            )
            return [(number, to_document(scope, tuple(json.loads(text)))) for number, text in rows]

    def erase(
        self,
        scope: Scope,
        seqs: Sequence[int],
        documents: Sequence[str] = (),
        replaced: Sequence[int] = (),
        *,
        blanks: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Remove texts; the store hears of the removal through the outbox."""
        with self._writing_to(scope) as (db, sid):
            self._erase_messages(db, sid, scope, seqs, blanks)
            gone = "DELETE FROM history WHERE scope_id = ? AND id = ?"
            db.executemany(gone, [(sid, number) for number in replaced])
            # A queued document is not needed any more, and its text would stay until it is
            # delivered.
            gone = "DELETE FROM outbox WHERE scope_id = ? AND key = ?"
            db.executemany(gone, [(sid, key) for key in documents])
            self._queue(db, sid, [(key, None) for key in documents])

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Replace every text by the result of `change`, a scope at a time.

        Returns how many texts differ.
        """
        with self._reading() as db:
            scopes = [
                Scope(path) for (path,) in db.execute("SELECT path FROM scopes ORDER BY path")
            ]
        count = 0
        for scope in scopes:
            with self._writing_to(scope) as (db, sid):
                count += _try_change(
                    db, partial(self._rewrite_scope, db, sid, scope, change), is_dry=is_dry
                )
        with self._writing() as db:
            count += _try_change(db, partial(_rewrite_values, db, change), is_dry=is_dry)
        return count

    def _rewrite_scope(self, db: Db, sid: int, scope: Scope, change: Callable[[str], str]) -> int:
        own, realm = self._owner_of(realm_of(scope)), realm_of(scope)
        return (
            self._rewrite_messages(db, sid, scope, change)
            + _drop_changed_chunks(db, sid, change)
            + _update_journal_texts(
                db,
                f"kept WHERE realm = ?{own.where}",
                "value",
                ("realm", "name"),
                (realm, *own.values),
                change,
            )
            + _update_journal_texts(
                db,
                "history WHERE scope_id = ?",
                "document",
                ("scope_id", "id"),
                (sid,),
                lambda text: _changed_document(text, change),
            )
        )

    def _rewrite_messages(
        self, db: Db, sid: int, scope: Scope, change: Callable[[str], str]
    ) -> int:
        count = 0
        rows = db.execute(
            f"SELECT m.seq, m.id, {self._text} FROM messages m WHERE m.scope_id = ?", (sid,)
        ).fetchall()
        texts = self._spoken(sid, [(identity, text) for _, identity, text in rows])
        for (seq, identity, _), text in zip(rows, texts, strict=True):
            if (fresh := change(text)) == text:
                continue
            count += 1
            known = db.execute(
                (
                    "SELECT 1 FROM messages WHERE scope_id = ? AND id = ? AND text_hash = ? AND "
                    "seq <> ?"
                ),
                (sid, identity, text_hash(fresh), seq),
            ).fetchone()
            if known or not fresh:  # the same turn, read again since: that version stays
                self._erase_messages(db, sid, scope, [seq])
            else:
                changed = (
                    "UPDATE messages SET text = ?, text_hash = ? WHERE scope_id = ? AND seq = ?"
                )
                db.execute(changed, (fresh, text_hash(fresh), sid, seq))
                self._changed(db, sid, [seq])
        return count

    def _erase_messages(
        self,
        db: Db,
        sid: int,
        scope: Scope,
        seqs: Sequence[int],
        blanks: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        identity = "SELECT id FROM messages WHERE scope_id = ? AND seq = ?"
        names = [name for seq in seqs for (name,) in db.execute(identity, (sid, seq)).fetchall()]
        drop_kept(db, self._owner_of(realm_of(scope)), realm_of(scope), names)
        db.executemany(
            # A message that its transcript retracted has no place in the conversation.
            "UPDATE messages SET text = CASE WHEN retracted = 0 THEN ? ELSE '' END, tokens = 0, "
            f"retracted = {FORGOTTEN} WHERE scope_id = ? AND seq = ?",
            [(blanks.get(seq, ""), sid, seq) for seq in seqs],
        )
        self._changed(db, sid, seqs)
        drop_chunks(db, sid, seqs)


def _try_change(db: Db, change: Callable[[], int], *, is_dry: bool) -> int:
    """Return the result of a change; roll a dry change back."""
    db.execute("SAVEPOINT tried")
    changed = change()
    if is_dry:
        db.execute("ROLLBACK TO tried")
    db.execute("RELEASE tried")
    return changed


def _fits_message_filter(
    found: Journalled, wanted: MessageFilter, corrected: Mapping[str, str]
) -> bool:
    m = found.message
    text = f"{m.text}\n{corrected.get(m.id, '')}"
    return (
        (not wanted.ids or m.id in wanted.ids)
        and (not wanted.match or fold_for_search(wanted.match) in fold_for_search(text))
        and (not wanted.source or PurePath(m.source).is_relative_to(wanted.source))
        and (wanted.before is None or m.at < wanted.before)
    )


def _drop_changed_chunks(db: Db, sid: int, change: Callable[[str], str]) -> int:
    """Drop chunks that `change` would alter, and all chunks after them.

    The messages of these chunks are read again: the format of a body is the reader's own, so a body
    cannot be rewritten.
    """
    rows = db.execute(
        "SELECT reader, start, body FROM chunks WHERE scope_id = ?", (sid,)
    ).fetchall()
    differing = [(sid, reader, start) for reader, start, body in rows if change(body) != body]
    db.executemany("DELETE FROM chunks WHERE scope_id = ? AND reader = ? AND start >= ?", differing)
    return len(differing)


def _rewrite_values(db: Db, change: Callable[[str], str]) -> int:
    """Rewrite incidents, and summaries of code, each of which is kept as `[text, model]`."""
    summaries = _update_journal_texts(
        db,
        "kept WHERE name LIKE 'summary:%'",
        "value",
        ("realm", "name"),
        (),
        lambda text: _changed_list(text, change),
    )
    return summaries + _update_journal_texts(db, "incidents", "detail", ("name",), (), change)


def _update_journal_texts(
    db: Db,
    where: str,
    column: str,
    key: Sequence[str],
    values: Sequence[object],
    fresh: Callable[[str], str],
) -> int:
    """Replace the texts of a table by the result of `fresh`; return how many differ.

    A condition may follow the table's name in `where`. A text that another process writes meanwhile
    is left alone.
    """
    rows = db.execute(f"SELECT {column}, {', '.join(key)} FROM {where}", values).fetchall()
    differing = [(new, *of, old) for old, *of in rows if (new := fresh(old)) != old]
    same = " AND ".join(f"{name} = ?" for name in (*key, column))
    db.executemany(f"UPDATE {where.partition(' ')[0]} SET {column} = ? WHERE {same}", differing)
    return len(differing)


def _changed_document(text: str, change: Callable[[str], str]) -> str:
    old = to_document(_ANY_SCOPE, tuple(json.loads(text)))
    metadata = {name: change(value) for name, value in old.metadata.items()}
    new = replace(old, text=change(old.text), title=change(old.title), metadata=metadata)
    return text if new == old else json.dumps(document_row(new))


def _changed_list(text: str, change: Callable[[str], str]) -> str:
    old = json.loads(text)
    new = [change(part) for part in old]
    return text if new == old else json.dumps(new, ensure_ascii=False)
