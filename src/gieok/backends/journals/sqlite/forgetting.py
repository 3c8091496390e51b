"""Takes text out of the journal. Functions run inside the caller's transaction."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from types import MappingProxyType

from gieok.backends.journals.sqlite.conversations import corrections
from gieok.backends.journals.sqlite.file import JournalFile
from gieok.backends.journals.sqlite.journal_reader import CORRECTIONS
from gieok.backends.journals.sqlite.messages import MESSAGE_COLUMNS, TEXT, drop_chunks, text_hash, to_journalled
from gieok.backends.stores.rows import document_row, to_document
from gieok.model.conversation import Journalled
from gieok.model.memory import Document, Scope
from gieok.ports.journal import MessageFilter
from gieok.text.keywords import folded

FORGOTTEN = 2
#: A row does not say whose it is, and need not.
_ANY_SCOPE = Scope("any:any")


class SqliteForgetting(JournalFile):
    """`Forgetting`."""

    def find(self, scope: Scope, wanted: MessageFilter) -> list[Journalled]:
        """Return messages that fit, those that were taken back too, in order."""
        if not any(wanted):
            return []
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                f"SELECT {MESSAGE_COLUMNS} WHERE m.scope_id = ? AND m.retracted < {FORGOTTEN} ORDER BY m.seq", (sid,)
            )
            corrected = corrections(db, scope)
            return [found for found in map(to_journalled, rows) if _fits(found, wanted, corrected)]

    def replaced(self, scope: Scope) -> list[tuple[int, Document]]:
        """Return the history with a number for each document."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute("SELECT id, document FROM history WHERE scope_id = ? ORDER BY id", (sid,))
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
        """Take texts out; the store is told through the outbox."""
        with self._writing_to(scope) as (db, sid):
            _erase_messages(db, sid, seqs, blanks)
            db.executemany("DELETE FROM history WHERE id = ?", [(number,) for number in replaced])
            keys = [(sid, key) for key in documents]
            # What waits to be put is not needed any more, and would stay until it is delivered.
            db.executemany("DELETE FROM outbox WHERE scope_id = ? AND key = ?", keys)
            db.executemany("INSERT INTO outbox (scope_id, key, entry) VALUES (?, ?, NULL)", keys)

    def rewrite(self, change: Callable[[str], str], *, is_dry: bool = False) -> int:
        """Replace texts by what `change` makes of them; return how many differ."""
        with self._writing() as db:
            done = _rewrite_messages(db, change) + _drop_changed_chunks(db, change) + _rewrite_values(db, change)
            if is_dry:
                db.execute("ROLLBACK")
                db.execute("BEGIN")
        return done


def _erase_messages(
    db: sqlite3.Connection, sid: int, seqs: Sequence[int], blanks: Mapping[int, str] = MappingProxyType({})
) -> None:
    db.executemany(
        "DELETE FROM kept WHERE (realm, name) = (SELECT ? || s.path, m.id FROM messages m "
        "JOIN scopes s ON s.id = m.scope_id WHERE m.seq = ?)",
        [(CORRECTIONS, seq) for seq in seqs],
    )
    db.executemany(
        # What its transcript took back has no place in the conversation.
        f"UPDATE messages SET text = iif(retracted = 0, ?, ''), tokens = 0, retracted = {FORGOTTEN} WHERE seq = ?",
        [(blanks.get(seq, ""), seq) for seq in seqs],
    )
    drop_chunks(db, sid, seqs)


def _fits(found: Journalled, wanted: MessageFilter, corrected: Mapping[str, str]) -> bool:
    m = found.message
    text = f"{m.text}\n{corrected.get(m.id, '')}"
    return (
        (not wanted.ids or m.id in wanted.ids)
        and (not wanted.match or folded(wanted.match) in folded(text))
        and (not wanted.source or PurePath(m.source).is_relative_to(wanted.source))
        and (wanted.before is None or m.at < wanted.before)
    )


def _rewrite_messages(db: sqlite3.Connection, change: Callable[[str], str]) -> int:
    done = 0
    for seq, sid, identity, text in db.execute(f"SELECT m.seq, m.scope_id, m.id, {TEXT} FROM messages m").fetchall():
        if (fresh := change(text)) == text:
            continue
        done += 1
        known = db.execute(
            "SELECT 1 FROM messages WHERE scope_id = ? AND id = ? AND text_hash = ? AND seq <> ?",
            (sid, identity, text_hash(fresh), seq),
        ).fetchone()
        if known or not fresh:  # the same turn, read again since: that version stays
            _erase_messages(db, sid, [seq])
        else:
            db.execute("UPDATE messages SET text = ?, text_hash = ? WHERE seq = ?", (fresh, text_hash(fresh), seq))
    return done


def _drop_changed_chunks(db: sqlite3.Connection, change: Callable[[str], str]) -> int:
    """Drop chunks that would differ, and those behind: what they were made of is read again, and a body is the reader's own."""
    rows = db.execute("SELECT scope_id, reader, start, body FROM chunks").fetchall()
    differing = [(sid, reader, start) for sid, reader, start, body in rows if change(body) != body]
    db.executemany("DELETE FROM chunks WHERE scope_id = ? AND reader = ? AND start >= ?", differing)
    return len(differing)


def _rewrite_values(db: sqlite3.Connection, change: Callable[[str], str]) -> int:
    """Rewrite history, incidents, corrections, and summaries of code, each of which is kept as `[text, model]`."""
    history = "SELECT document, id FROM history", "UPDATE history SET document = ? WHERE id = ?"
    incidents = "SELECT detail, name FROM incidents", "UPDATE incidents SET detail = ? WHERE name = ?"
    summaries = (
        "SELECT value, realm, name FROM kept WHERE name LIKE 'summary:%'",
        "UPDATE kept SET value = ? WHERE realm = ? AND name = ?",
    )
    corrected = (
        f"SELECT value, realm, name FROM kept WHERE realm LIKE '{CORRECTIONS}%'",
        "UPDATE kept SET value = ? WHERE realm = ? AND name = ?",
    )
    return (
        _update(db, *corrected, change)
        + _update(db, *history, lambda text: _changed_document(text, change))
        + _update(db, *incidents, change)
        + _update(db, *summaries, lambda text: _changed_list(text, change))
    )


def _update(db: sqlite3.Connection, select: str, update: str, fresh: Callable[[str], str]) -> int:
    """Set texts to what `fresh` makes of them; `select` gives a text and its key. Return how many differ."""
    differing = [(new, *key) for old, *key in db.execute(select).fetchall() if (new := fresh(old)) != old]
    db.executemany(update, differing)
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
