"""What was said, by conversation, and what changed of it."""

import sqlite3
from secrets import token_hex

from gieok.backends.journals.sqlite.file import JournalFile
from gieok.backends.journals.sqlite.journal_reader import CORRECTIONS
from gieok.backends.journals.sqlite.messages import MESSAGE_COLUMNS, to_journalled
from gieok.model.conversation import Conversation, Heard, Turn
from gieok.model.memory import Scope

_SAID = "m.retracted = 0 AND m.role IN ('user', 'assistant')"
#: What is said, and what was before it was forgotten, where blanks hold its place.
_PLACED = "(m.retracted = 0 OR m.retracted = 2 AND m.text <> '') AND m.role IN ('user', 'assistant')"
_PLACE = "coalesce(m.place, m.seq)"
_TURN = f"SELECT {_PLACE}, m.retracted = 2, {MESSAGE_COLUMNS} WHERE m.source_id = ? AND m.scope_id = ? AND {_PLACED}"
_ALL = (1 << 63) - 1
#: Its own realm and name among the values that are kept.
_IDENTITY = ("journal", "identity")


class SqliteConversations(JournalFile):
    """`Conversations`, and the journal's identity."""

    def conversations(self, scope: Scope, after: Heard, limit: int) -> tuple[Heard, list[Conversation]]:
        """Return what is new up to `limit` messages on, and what changed, in one snapshot."""
        with self._reading_of(scope) as (db, sid):
            changed = db.execute(
                "SELECT c.id, s.agent, s.session FROM changes c JOIN sources s ON s.id = c.source_id "
                "WHERE c.scope_id = ? AND c.id > ? ORDER BY c.id",
                (sid, after.change),
            ).fetchall()
            found = {(agent, session): 0 for _, agent, session in changed}
            upto = db.execute(
                "SELECT max(seq) FROM (SELECT seq FROM messages WHERE scope_id = ? AND seq > ? AND retracted = 0 "
                "ORDER BY seq LIMIT ?)",
                (sid, after.seq, limit),
            ).fetchone()[0]
            rows = db.execute(
                f"SELECT s.agent, s.session, min({_PLACE}) FROM messages m JOIN sources s ON s.id = m.source_id "
                f"WHERE m.scope_id = ? AND m.seq > ? AND m.seq <= ? AND {_SAID} GROUP BY s.agent, s.session "
                "ORDER BY min(m.seq)",
                (sid, after.seq, upto or after.seq),
            )
            for agent, session, place in rows:
                # A version of a message from before: it stands in the middle of what is derived already.
                found.setdefault((agent, session), place if place > after.seq else 0)
        reached = Heard(max(upto or 0, after.seq), changed[-1][0] if changed else after.change)
        return reached, [Conversation(agent, session, place) for (agent, session), place in found.items()]

    def turns(self, scope: Scope, agent: str, session: str, start: int = 0, upto: int = 0) -> list[Turn]:
        """Return what was said from a place on, and the one turn before."""
        found: list[Turn] = []
        before: list[Turn] = []
        with self._reading_of(scope) as (db, sid):
            sources = db.execute("SELECT id FROM sources WHERE session = ? AND agent = ?", (session, agent)).fetchall()
            for (source,) in sources:
                rows = db.execute(
                    f"{_TURN} AND m.seq BETWEEN ? AND ? AND {_PLACE} >= ?", (source, sid, start, upto or _ALL, start)
                )
                found += map(_to_turn, rows)
                if start:
                    before += _before(db, source, sid, start)
            corrected = corrections(db, scope)
        # A version that was said after it was forgotten keeps the place.
        spoken = {turn.place for turn in found if not turn.is_forgotten}
        found = [turn for turn in found if not turn.is_forgotten or turn.place not in spoken]
        found.sort(key=lambda turn: turn.place)
        held = [*([max(before, key=lambda turn: turn.place)] if before else ()), *found]
        return [_corrected(turn, corrected) for turn in held] if corrected else held

    def correct(self, scope: Scope, identity: str, text: str) -> None:
        """Keep what stands in the place of a message."""
        with self._writing_to(scope) as (db, sid):
            if text:
                db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (realm_of(scope), identity, text))
            else:
                db.execute("DELETE FROM kept WHERE realm = ? AND name = ?", (realm_of(scope), identity))
            # Nothing of the message changes; the trigger numbers the change.
            db.execute("UPDATE messages SET text = text WHERE scope_id = ? AND id = ?", (sid, identity))

    def corrections(self, scope: Scope) -> dict[str, str]:
        """Return message id → the text that stands in its place."""
        with self._reading() as db:
            return corrections(db, scope)

    def spoken(self) -> int:
        """Count the turns of all scopes."""
        with self._reading() as db:
            return int(db.execute(f"SELECT count(*) FROM messages m WHERE {_SAID}").fetchone()[0])

    def unheard(self, scope: Scope, after: Heard) -> int:
        """Count messages and changes after a position."""
        with self._reading_of(scope) as (db, sid):
            new = "SELECT count(*) FROM messages WHERE scope_id = ? AND seq > ? AND retracted = 0"
            changed = "SELECT count(*) FROM changes WHERE scope_id = ? AND id > ?"
            return int(
                db.execute(new, (sid, after.seq)).fetchone()[0] + db.execute(changed, (sid, after.change)).fetchone()[0]
            )

    def identity(self) -> str:
        """Return the name that the journal has given itself."""
        with self._reading() as db:
            row = db.execute("SELECT value FROM kept WHERE realm = ? AND name = ?", _IDENTITY).fetchone()
        if row:
            return str(row[0])
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO kept VALUES (?, ?, ?)", (*_IDENTITY, token_hex(4)))
        return self.identity()


def realm_of(scope: Scope) -> str:
    """Return the realm of kept values that holds the corrections of a scope's messages."""
    return f"{CORRECTIONS}{scope.path}"


def corrections(db: sqlite3.Connection, scope: Scope) -> dict[str, str]:
    """Return message id → the text that a person put in its place."""
    return dict(db.execute("SELECT name, value FROM kept WHERE realm = ?", (realm_of(scope),)).fetchall())


def _corrected(turn: Turn, corrected: dict[str, str]) -> Turn:
    text = corrected.get(turn.message.id)
    return turn if text is None else turn._replace(message=turn.message._replace(text=text), said=turn.message.text)


def _before(db: sqlite3.Connection, source: int, sid: int, start: int) -> list[Turn]:
    """Return the last turns of a source before a place: by their own number, and of those that keep an earlier one's place."""
    own = f"{_TURN} AND m.place IS NULL AND m.seq < ? ORDER BY m.seq DESC LIMIT 1"
    moved = f"{_TURN} AND m.place IS NOT NULL AND m.place < ? ORDER BY m.place DESC LIMIT 1"
    return [_to_turn(row) for query in (own, moved) for row in db.execute(query, (source, sid, start))]


def _to_turn(row: tuple[int, int, int, str, str, str, int, str, str, int, str, int]) -> Turn:
    return Turn(row[0], to_journalled(row[2:]).message, is_forgotten=bool(row[1]))
