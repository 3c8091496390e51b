"""Messages, and the cursors of their transcripts.

Functions run inside the caller's transaction.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from gieok.model.conversation import (
    Cursor,
    Journalled,
    Message,
    Reject,
    Retraction,
    Role,
    TranscriptEvent,
)
from gieok.model.memory import Scope
from gieok.storage.index.rows import batches, from_ms, marks, to_ms, utc
from gieok.storage.journal.sql.database import (
    Db,
    Owner,
    Rows,
    SaidText,
    SqlJournal,
    defer_statement,
)

CURSOR = 'identity, path, "offset", line, head, head_bytes, tail, tail_bytes, is_rereading'
_HASH_BYTES = 12
_TAKEN_BACK = 1
#: Number of messages per statement: SQLite limits the values of a statement.
_AT_ONCE = 500
REJECT = 'path, line, "offset", length, reason'


#: A row of `SqlMessages._messages`: number, id, role, the row's value for the text, time, session,
#: agent, tokens, path, line, place.
MessageRow = tuple[int, str, str, str, int, str, str, int, str, int, int | None]
_TOKENS = 7


class _Version(NamedTuple):
    seq: int
    text_hash: bytes
    retracted: int


class SqlMessages(SqlJournal):
    """`Journal` on an SQL database."""

    @property
    def _messages(self) -> str:
        """Return the columns and tables of messages, the SQL after SELECT."""
        columns = (
            f"m.seq, m.id, m.role, {self._text}, m.at, s.session, s.agent, m.tokens, s.path, "
            "m.line, m.place"
        )
        return f"{columns} FROM messages m JOIN sources s ON {self._of_source}"

    def append(
        self,
        scope: Scope,
        events: Sequence[TranscriptEvent],
        cursor: Cursor,
        expected: Cursor | None,
        rejects: Sequence[Reject] = (),
    ) -> bool:
        """Add messages and move a cursor."""
        with self._writing_to(scope) as (db, sid):
            own = self._owner(sid)
            if _read_transcript_cursor(db, own, cursor.identity) != expected and not _is_taken_over(
                db, own, expected
            ):
                return False
            self._add(db, sid, events)
            if rejects:
                db.executemany(
                    (
                        f"INSERT INTO rejects ({own.column}{REJECT}) VALUES ({own.mark}?, ?, ?, "
                        "?, ?) ON CONFLICT DO NOTHING"
                    ),
                    [(*own.values, *reject) for reject in rejects],
                )
            _put_cursor(db, own, cursor)
        return True

    def say(self, scope: Scope, events: Sequence[TranscriptEvent]) -> None:
        """Add messages without a transcript, or retract them."""
        if len(events) == 1 and isinstance(events[0], Message) and self.say_new(scope, events[0]):
            return
        with self._writing_to(scope) as (db, sid):
            self._add(db, sid, events)

    def say_new(self, scope: Scope, message: Message) -> Journalled | None:
        """Add a message with a new id, of a known source; None where it is otherwise."""
        if not self._are_texts_in_rows:
            return None
        with self._joining(scope) as (db, sid):
            if not self._is_locked(scope, sid):
                return None
            added = self._insert_new(db, sid, message)
        row = added.fetchone()
        at = from_ms(to_ms(message.at)) or message.at  # as it is stored
        return Journalled(row[0], message._replace(at=at)) if row else None

    def cursors(self) -> list[Cursor]:
        """Return all cursors."""
        with self._reading() as db:
            return [
                _to_cursor(row)
                for row in db.execute(f"SELECT {CURSOR} FROM cursors ORDER BY identity")
            ]

    def rejects(self, limit: int) -> list[Reject]:
        """Return the newest rejects."""
        with self._reading() as db:
            rows = db.execute(f"SELECT {REJECT} FROM rejects ORDER BY id DESC LIMIT ?", (limit,))
            return [Reject(*row) for row in rows]

    def occurrences(self, scope: Scope, ids: Sequence[str]) -> dict[str, int]:
        """Return how many lines have each of these ids.

        The id stands alone, or is followed by `~2`, `~3` …; parts of a line (`#0`) count once.
        """
        lines: set[str] = set()
        with self._reading_of(scope) as (db, sid):
            for some in batches(sorted(set(ids))):
                # An id may be followed by `#` (0x23) or `~` (0x7e).
                ranges = [bound for identity in some for bound in (identity, identity + "\x7f")]
                rows = db.execute(
                    "WITH asked (first, after) AS (VALUES "
                    f"{marks(some).replace('?', '(?, ?)')}) SELECT m.id FROM asked a "
                    "JOIN messages m ON m.scope_id = ? AND m.id >= a.first AND m.id < a.after",
                    (*ranges, sid),
                )
                lines.update(identity.partition("#")[0] for (identity,) in rows)
        counts = Counter(line.partition("~")[0] for line in lines)
        return {identity: counts[identity] for identity in set(ids) if counts[identity]}

    def read(
        self, scope: Scope, after: int, *, budget_tokens: int, limit: int = 10_000
    ) -> list[Journalled]:
        """Return messages in order until their tokens reach the budget."""
        rows: list[MessageRow] = []
        tokens = 0
        with self._reading_of(scope) as (db, sid):
            for row in db.execute(
                (
                    f"SELECT {self._messages} WHERE m.scope_id = ? AND m.seq > ? AND m.retracted "
                    "= 0 ORDER BY m.seq LIMIT ?"
                ),
                (sid, after, limit),
            ):
                rows.append(row)
                tokens += row[_TOKENS]
                if tokens >= budget_tokens:
                    break
            return self._journalled(sid, rows)

    def messages(self, scope: Scope, ids: Sequence[str]) -> list[Journalled]:
        """Return the last version of each of these messages."""
        latest: dict[str, Journalled] = {}
        with self._reading_of(scope) as (db, sid):
            for batch in batches(ids):
                rows = db.execute(
                    (
                        f"SELECT {self._messages} WHERE m.scope_id = ? AND m.id IN "
                        f"({marks(batch)}) ORDER BY m.seq"
                    ),
                    (sid, *batch),
                )
                latest |= {
                    journalled.message.id: journalled for journalled in self._journalled(sid, rows)
                }
        return sorted(latest.values())

    def _journalled(self, sid: int, rows: Iterable[MessageRow]) -> list[Journalled]:
        """Return the messages of rows of `_messages`, with their texts."""
        message_rows = list(rows)
        texts = self._spoken(sid, [(row[1], row[3]) for row in message_rows])
        return [to_journalled(row, text) for row, text in zip(message_rows, texts, strict=True)]

    def scopes(self) -> list[Scope]:
        """Return the scopes that have messages."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT path FROM scopes s WHERE EXISTS (SELECT 1 FROM messages WHERE "
                "scope_id = s.id) ORDER BY path"
            )
            return [Scope(path) for (path,) in rows]

    def _add(self, db: Db, sid: int, events: Iterable[TranscriptEvent]) -> None:
        """Add messages in order, and mark retracted ones."""
        for is_message, group in groupby(events, key=lambda event: isinstance(event, Message)):
            if is_message:
                for messages in _split_message_runs(
                    event for event in group if isinstance(event, Message)
                ):
                    self._add_messages(db, sid, messages)
            else:
                for event in group:
                    if isinstance(event, Retraction):
                        self._retract(db, sid, event)

    def _add_messages(self, db: Db, sid: int, messages: Sequence[Message]) -> None:
        """Add messages with different ids.

        Few enough for one statement that reads the known versions of all.
        """
        known, forgotten = (
            _read_message_versions(db, sid, messages),
            _read_forgotten_hashes(db, sid, messages),
        )
        sources: dict[tuple[str, str, str], int] = {}
        said_texts: list[SaidText] = []
        rows: list[tuple[object, ...]] = []
        for message in messages:
            digest, at, versions = text_hash(message.text), to_ms(message.at), known[message.id]
            same = next((version for version in versions if version.text_hash == digest), None)
            if same:
                # A message that was retracted as a whole and then written again (`$set.messages`)
                # holds again where no later version does. A text that a person forgot stays
                # forgotten.
                if same.retracted == _TAKEN_BACK and all(version.retracted for version in versions):
                    self._set_retracted(db, sid, [same.seq], 0)
                continue
            if (at, digest) in forgotten:
                continue  # a copy, in another transcript, of what a person forgot
            if versions:
                self._take_back(
                    db, sid, [version.seq for version in versions if not version.retracted]
                )
            source = message.session, message.agent, message.source
            if source not in sources:
                sources[source] = source_id(db, self._owner(sid), source)
            said_texts.append(
                SaidText(
                    id=message.id,
                    text_hash=digest,
                    role=message.role.value,
                    text=message.text,
                    at=at,
                )
            )
            rows.append(
                (
                    message.tokens,
                    sources[source],
                    message.line,
                    versions[0].seq if versions else None,
                )
            )
        texts = self._keep_texts(sid, said_texts)
        db.executemany(
            "INSERT INTO messages (scope_id, id, text_hash, role, text, at, tokens, "
            "source_id, line, place) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (sid, *said_text._replace(text=text), *row)
                for said_text, text, row in zip(said_texts, texts, rows, strict=True)
            ],
        )

    def _insert_new(self, db: Db, sid: int, message: Message) -> Rows:
        """Add a message whose id is new, and whose source is known; return the number as a row.

        Nothing is done for others. One statement, where `_add_messages` needs four.
        """
        own, at, digest = self._owner(sid), to_ms(message.at), text_hash(message.text)
        row = (sid, message.id, digest, message.role.value, message.text, at, message.tokens)
        return defer_statement(
            db,
            "INSERT INTO messages (scope_id, id, text_hash, role, text, at, tokens, source_id, "
            "line) "
            f"SELECT {marks(row)}, s.id, ? FROM sources s "
            f"WHERE s.session = ? AND s.agent = ? AND s.path = ?{own.where} "
            "AND NOT EXISTS (SELECT 1 FROM messages WHERE scope_id = ? AND id = ?) "
            "AND NOT EXISTS (SELECT 1 FROM messages WHERE scope_id = ? AND retracted = 2 "
            "AND at = ? AND text_hash = ?) RETURNING seq",
            (
                *(*row, message.line, message.session, message.agent, message.source),
                *(*own.values, sid, message.id, sid, at, digest),
            ),
        )

    def _defer_behind(self, db: Db, sid: int, after: str, *values: object) -> Rows:
        """Return the rows of the valid messages after a number: an expression with its values."""
        return defer_statement(
            db,
            f"SELECT {self._messages} WHERE m.scope_id = ? AND m.seq > {after} "
            "AND m.retracted = 0 ORDER BY m.seq",
            (sid, *values),
        )

    def _retract(self, db: Db, sid: int, retraction: Retraction) -> None:
        rows = db.execute(
            f"SELECT m.seq, m.id FROM messages m JOIN sources s ON {self._of_source} "
            "WHERE s.session = ? AND ? IN ('', s.path) AND m.scope_id = ? AND m.retracted = 0 "
            "ORDER BY m.seq",
            (retraction.session, retraction.source, sid),
        ).fetchall()
        hit = [seq for seq, identity in rows if identity.partition("#")[0] == retraction.id]
        if not retraction.id:
            self._take_back(db, sid, [seq for seq, _ in rows])
        elif hit and retraction.after:
            self._take_back(db, sid, [seq for seq, _ in rows if seq >= hit[0]])
        else:
            self._take_back(db, sid, hit)

    def _take_back(self, db: Db, sid: int, seqs: Sequence[int]) -> None:
        """Mark messages as retracted.

        Buffered chunks made of these messages, and all chunks after them, are made anew.
        """
        self._set_retracted(db, sid, seqs, _TAKEN_BACK)
        drop_chunks(db, sid, seqs)

    def _set_retracted(self, db: Db, sid: int, seqs: Sequence[int], retracted: int) -> None:
        if seqs:
            db.executemany(
                "UPDATE messages SET retracted = ? WHERE scope_id = ? AND seq = ?",
                [(retracted, sid, seq) for seq in seqs],
            )
            self._changed(db, sid, seqs)


def text_hash(text: str) -> bytes:
    """Return the hash that identifies a version of a message."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_HASH_BYTES]


def _split_message_runs(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Yield runs of messages in order; no run has two messages with one id."""
    run: dict[str, Message] = {}
    for message in messages:
        if message.id in run or len(run) == _AT_ONCE:
            yield list(run.values())
            run.clear()
        run[message.id] = message
    if run:
        yield list(run.values())


def _read_message_versions(
    db: Db, sid: int, messages: Sequence[Message]
) -> dict[str, list[_Version]]:
    """Return the versions of messages by id, in order."""
    ids = list({message.id for message in messages})
    rows = db.execute(
        (
            "SELECT id, seq, text_hash, retracted FROM messages WHERE scope_id = ? AND id IN "
            f"({marks(ids)}) ORDER BY seq"
        ),
        (sid, *ids),
    )
    known: dict[str, list[_Version]] = {identity: [] for identity in ids}
    for identity, *version in rows:
        known[identity].append(_Version(*version))
    return known


def _read_forgotten_hashes(db: Db, sid: int, messages: Sequence[Message]) -> set[tuple[int, bytes]]:
    """Return (time, hash) of forgotten texts with the same times as these messages."""
    times = list({to_ms(message.at) for message in messages})
    rows = db.execute(
        (
            "SELECT at, text_hash FROM messages WHERE scope_id = ? AND retracted = 2 AND at IN "
            f"({marks(times)})"
        ),
        (sid, *times),
    )
    return {(at, digest) for at, digest in rows}


def source_id(db: Db, own: Owner, source: tuple[str, str, str]) -> int:
    """Return the number of a source, a session in a file; a new source gets a row."""
    known = f"SELECT id FROM sources WHERE session = ? AND agent = ? AND path = ?{own.where}"
    row = db.execute(known, (*source, *own.values)).fetchone()
    if row is None:
        insert = (
            f"INSERT INTO sources ({own.column}session, agent, path) VALUES ({own.mark}?, ?, ?) "
            "RETURNING id"
        )
        (row,) = db.execute(insert, (*own.values, *source)).fetchall()
    return int(row[0])


def _read_transcript_cursor(db: Db, own: Owner, identity: str) -> Cursor | None:
    row = db.execute(
        f"SELECT {CURSOR} FROM cursors WHERE identity = ?{own.where}", (identity, *own.values)
    ).fetchone()
    return _to_cursor(row) if row else None


def _is_taken_over(db: Db, own: Owner, expected: Cursor | None) -> bool:
    """Take a transcript's cursor over from another scope; return whether that was done.

    Only where cursors belong to scopes.
    """
    if expected is None or not own.where or _read_transcript_cursor(db, own, expected.identity):
        return False
    rows = db.execute(
        f"SELECT {CURSOR} FROM cursors WHERE identity = ? FOR UPDATE", (expected.identity,)
    ).fetchall()
    if expected not in map(_to_cursor, rows):
        return False
    db.execute("DELETE FROM cursors WHERE identity = ?", (expected.identity,))
    return True


def _put_cursor(db: Db, own: Owner, cursor: Cursor) -> None:
    changed = ", ".join(f"{name} = excluded.{name}" for name in CURSOR.split(", ")[1:])
    db.execute(
        f"INSERT INTO cursors ({own.column}{CURSOR}) VALUES ({own.mark}{marks(cursor)}) "
        f"ON CONFLICT ({own.column}identity) DO UPDATE SET {changed}",
        (*own.values, *cursor),
    )


def drop_chunks(db: Db, sid: int, seqs: Sequence[int]) -> None:
    """Drop buffered chunks that were made of messages, and all chunks after them."""
    if seqs:
        db.execute('DELETE FROM chunks WHERE scope_id = ? AND "end" >= ?', (sid, min(seqs)))


def _to_cursor(row: tuple[object, ...]) -> Cursor:
    cursor = Cursor(*row)  # type: ignore[arg-type]
    return cursor._replace(is_rereading=bool(cursor.is_rereading))


def to_journalled(row: MessageRow, text: str) -> Journalled:
    """Return the message of a row of `SqlMessages._messages`, with its text."""
    seq, identity, role, _, at, session, agent, tokens, source, line, first = row
    when = utc(at)
    return Journalled(
        seq,
        Message(
            id=identity,
            role=Role(role),
            text=text,
            at=when,
            session=session,
            agent=agent,
            tokens=tokens,
            source=source,
            line=line,
        ),
        first or 0,
    )
