"""Messages, and the cursors of their transcripts. Functions run inside the caller's transaction."""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from gieok.backends.journals.sqlite.file import JournalFile, scope_id
from gieok.backends.stores.rows import batches, marks, to_ms, utc
from gieok.model.conversation import Cursor, Journalled, Message, Reject, Retraction, Role, TranscriptEvent
from gieok.model.memory import Scope

_CURSOR = 'identity, path, "offset", line, head, head_bytes, tail, tail_bytes, is_rereading'
#: What a message says: where its row has no text, its file may have it (`talk`).
TEXT = (
    "CASE m.text WHEN '' THEN coalesce((SELECT spoken(p.path, t.seq) FROM talk t JOIN talk_places p ON p.id = t.place_id "
    "WHERE t.seq = m.seq), '') ELSE m.text END"
)
#: Columns and tables: what follows SELECT.
MESSAGE_COLUMNS = (
    f"m.seq, m.id, m.role, {TEXT}, m.at, s.session, s.agent, m.tokens, s.path, m.line "
    "FROM messages m JOIN sources s ON s.id = m.source_id"
)
_HASH_BYTES = 12
_TAKEN_BACK = 1
_REJECT = 'path, line, "offset", length, reason'


class SqliteMessages(JournalFile):
    """`Journal`."""

    def append(
        self,
        scope: Scope,
        events: Sequence[TranscriptEvent],
        cursor: Cursor,
        expected: Cursor | None,
        rejects: Sequence[Reject] = (),
    ) -> bool:
        """Add messages and move a cursor."""
        with self._writing() as db:
            row = db.execute(f"SELECT {_CURSOR} FROM cursors WHERE identity = ?", (cursor.identity,)).fetchone()
            if (_to_cursor(row) if row else None) != expected:
                return False
            _add(db, scope_id(db, scope), events)
            db.executemany(f"INSERT OR IGNORE INTO rejects ({_REJECT}) VALUES (?, ?, ?, ?, ?)", rejects)
            db.execute(f"INSERT OR REPLACE INTO cursors ({_CURSOR}) VALUES ({marks(cursor)})", cursor)
        return True

    def cursors(self) -> list[Cursor]:
        """Return all cursors."""
        with self._reading() as db:
            return [_to_cursor(row) for row in db.execute(f"SELECT {_CURSOR} FROM cursors ORDER BY identity")]

    def rejects(self, limit: int) -> list[Reject]:
        """Return the newest rejects."""
        with self._reading() as db:
            rows = db.execute(f"SELECT {_REJECT} FROM rejects ORDER BY id DESC LIMIT ?", (limit,))
            return [Reject(*row) for row in rows]

    def occurrences(self, scope: Scope, ids: Sequence[str]) -> dict[str, int]:
        """Count the lines whose id is one of `ids`, or that followed by `~2`, `~3` …; parts of a line (`#0`) count once."""
        counts: Counter[str] = Counter()
        with self._reading_of(scope) as (db, sid):
            for identity in set(ids):
                # Behind an id may stand `#` (0x23) or `~` (0x7e).
                rows = db.execute(
                    "SELECT id FROM messages WHERE scope_id = ? AND id >= ? AND id < ?",
                    (sid, identity, identity + "\x7f"),
                )
                lines = {found.partition("#")[0] for (found,) in rows}
                counts[identity] = sum(1 for line in lines if line.partition("~")[0] == identity)
        return {identity: count for identity, count in counts.items() if count}

    def read(self, scope: Scope, after: int, *, budget_tokens: int, limit: int = 10_000) -> list[Journalled]:
        """Return messages in order until their tokens reach the budget."""
        found: list[Journalled] = []
        tokens = 0
        with self._reading_of(scope) as (db, sid):
            for row in db.execute(
                f"SELECT {MESSAGE_COLUMNS} WHERE m.scope_id = ? AND m.seq > ? AND m.retracted = 0 ORDER BY m.seq LIMIT ?",
                (sid, after, limit),
            ):
                found.append(to_journalled(row))
                tokens += found[-1].message.tokens
                if tokens >= budget_tokens:
                    break
        return found

    def messages(self, scope: Scope, ids: Sequence[str]) -> list[Journalled]:
        """Return the last version of each of these messages."""
        latest: dict[str, Journalled] = {}
        with self._reading_of(scope) as (db, sid):
            for batch in batches(ids):
                rows = db.execute(
                    f"SELECT {MESSAGE_COLUMNS} WHERE m.scope_id = ? AND m.id IN ({marks(batch)}) ORDER BY m.seq",
                    (sid, *batch),
                )
                latest |= {found.message.id: found for found in map(to_journalled, rows)}
        return sorted(latest.values())

    def scopes(self) -> list[Scope]:
        """Return the scopes that have messages."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes s WHERE EXISTS (SELECT 1 FROM messages WHERE scope_id = s.id) ORDER BY path"
            )
            return [Scope(path) for (path,) in rows]


def _add(db: sqlite3.Connection, sid: int, events: Iterable[TranscriptEvent]) -> None:
    """Add messages in order, and take back what is retracted."""
    for event in events:
        if isinstance(event, Message):
            _add_message(db, sid, event)
        else:
            _retract(db, sid, event)


def _add_message(db: sqlite3.Connection, sid: int, message: Message) -> None:
    digest = text_hash(message.text)
    known = db.execute(
        "SELECT seq, text_hash, retracted FROM messages WHERE scope_id = ? AND id = ? ORDER BY seq", (sid, message.id)
    )
    versions = known.fetchall()
    same = next(((seq, retracted) for seq, found, retracted in versions if found == digest), None)
    if same:
        # Taken back as a whole and then written again (`$set.messages`): it holds again where no later version does.
        # What a person forgot stays forgotten.
        if same[1] == _TAKEN_BACK and all(retracted for *_, retracted in versions):
            db.execute("UPDATE messages SET retracted = 0 WHERE seq = ?", (same[0],))
        return
    at = to_ms(message.at)
    copied = "SELECT 1 FROM messages WHERE scope_id = ? AND at = ? AND text_hash = ? AND retracted = 2"
    if db.execute(copied, (sid, at, digest)).fetchone():
        return  # a copy, in another transcript, of what a person forgot
    if versions:
        _take_back(db, sid, [seq for seq, _, retracted in versions if not retracted])
    db.execute(
        "INSERT INTO messages (scope_id, id, text_hash, role, text, at, tokens, source_id, line, place) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            sid, message.id, digest, message.role.value, message.text, at,
            message.tokens, _source_id(db, message), message.line, versions[0][0] if versions else None,
        ),
    )  # fmt: skip


def text_hash(text: str) -> bytes:
    """Return the hash that identifies a version of a message."""
    return hashlib.sha256(text.encode()).digest()[:_HASH_BYTES]


def _source_id(db: sqlite3.Connection, message: Message) -> int:
    values = (message.session, message.agent, message.source)
    found = db.execute("SELECT id FROM sources WHERE session = ? AND agent = ? AND path = ?", values).fetchone()
    if found is None:
        db.execute("INSERT INTO sources (session, agent, path) VALUES (?, ?, ?)", values)
        return int(db.execute("SELECT last_insert_rowid()").fetchone()[0])
    return int(found[0])


def _retract(db: sqlite3.Connection, sid: int, retraction: Retraction) -> None:
    rows = db.execute(
        "SELECT m.seq, m.id FROM messages m JOIN sources s ON s.id = m.source_id "
        "WHERE s.session = ? AND ? IN ('', s.path) AND m.scope_id = ? AND m.retracted = 0 ORDER BY m.seq",
        (retraction.session, retraction.source, sid),
    ).fetchall()
    hit = [seq for seq, identity in rows if identity.partition("#")[0] == retraction.id]
    if not retraction.id:
        _take_back(db, sid, [seq for seq, _ in rows])
    elif hit and retraction.after:
        _take_back(db, sid, [seq for seq, _ in rows if seq >= hit[0]])
    else:
        _take_back(db, sid, hit)


def _take_back(db: sqlite3.Connection, sid: int, seqs: Sequence[int]) -> None:
    """Mark messages as retracted; buffered chunks that were made of them, and all after those, are made anew."""
    db.executemany(f"UPDATE messages SET retracted = {_TAKEN_BACK} WHERE seq = ?", [(seq,) for seq in seqs])
    drop_chunks(db, sid, seqs)


def drop_chunks(db: sqlite3.Connection, sid: int, seqs: Sequence[int]) -> None:
    """Drop buffered chunks that were made of messages, and all after those."""
    if seqs:
        db.execute('DELETE FROM chunks WHERE scope_id = ? AND "end" >= ?', (sid, min(seqs)))


def _to_cursor(row: tuple[object, ...]) -> Cursor:
    found = Cursor(*row)  # type: ignore[arg-type]
    return found._replace(is_rereading=bool(found.is_rereading))


def to_journalled(row: tuple[int, str, str, str, int, str, str, int, str, int]) -> Journalled:
    """Return the message of a row of `MESSAGE_COLUMNS`."""
    seq, identity, role, text, at, session, agent, tokens, source, line = row
    when = utc(at)
    return Journalled(seq, Message(identity, Role(role), text, when, session, agent, tokens, source, line))
