"""Messages by conversation, and the changes of older messages."""

from collections.abc import Iterable
from secrets import token_hex

from gieok.model.conversation import Conversation, Heard, Journalled, KnownSession, Turn
from gieok.model.memory import Scope
from gieok.storage.index.rows import utc
from gieok.storage.journal import CORRECTIONS
from gieok.storage.journal.sql.database import Db, Owner
from gieok.storage.journal.sql.kept import drop_kept, kept, put_kept
from gieok.storage.journal.sql.messages import MessageRow, SqlMessages

_SAID = "m.retracted = 0 AND m.role IN ('user', 'assistant')"
#: Messages that hold, and forgotten messages whose place blanks hold.
_PLACED = (
    "(m.retracted = 0 OR m.retracted = 2 AND m.text <> '') AND m.role IN ('user', 'assistant')"
)
_PLACE = "coalesce(m.place, m.seq)"
_ALL = (1 << 63) - 1
#: The realm and the name of the journal's identity among the kept values.
_IDENTITY = ("journal", "identity")


#: A row of `SqlConversations._turn`: the place, whether the message was forgotten, and the message.
TurnRow = tuple[int, int, *MessageRow]


class SqlConversations(SqlMessages):
    """`Conversations` on an SQL database, and the journal's identity."""

    @property
    def _turn(self) -> str:
        return (
            f"SELECT {_PLACE}, m.retracted = 2, {self._messages} WHERE m.source_id = ? AND "
            f"m.scope_id = ? AND {_PLACED}"
        )

    def conversations(
        self, scope: Scope, after: Heard, limit: int
    ) -> tuple[Heard, list[Conversation]]:
        """Return conversations with new or changed messages, in one snapshot.

        New are up to `limit` messages after the position `after`. The first value is the new
        position.
        """
        with self._reading_of(scope) as (db, sid):
            changed = db.execute(
                "SELECT m.id, s.agent, s.session FROM changes m JOIN sources s ON "
                f"{self._of_source} "
                "WHERE m.scope_id = ? AND m.id > ? ORDER BY m.id",
                (sid, after.change),
            ).fetchall()
            places = {(agent, session): 0 for _, agent, session in changed}
            upto = db.execute(
                "SELECT max(seq) FROM (SELECT seq FROM messages WHERE scope_id = ? AND seq > "
                "? AND retracted = 0 "
                "ORDER BY seq LIMIT ?) AS new",
                (sid, after.seq, limit),
            ).fetchone()[0]
            rows = db.execute(
                f"SELECT s.agent, s.session, min({_PLACE}) FROM messages m JOIN sources s ON "
                f"{self._of_source} "
                f"WHERE m.scope_id = ? AND m.seq > ? AND m.seq <= ? AND {_SAID} GROUP BY "
                "s.agent, s.session "
                "ORDER BY min(m.seq)",
                (sid, after.seq, upto or after.seq),
            )
            for agent, session, place in rows:
                # A new version of an older message: it stands in the middle of the derived
                # documents.
                places.setdefault((agent, session), place if place > after.seq else 0)
        reached = Heard(max(upto or 0, after.seq), changed[-1][0] if changed else after.change)
        return reached, [
            Conversation(agent, session, place) for (agent, session), place in places.items()
        ]

    def turns(
        self, scope: Scope, agent: str, session: str, start: int = 0, upto: int = 0
    ) -> list[Turn]:
        """Return the turns of a session from a place on, and the one turn before."""
        turns: list[Turn] = []
        before: list[Turn] = []
        with self._reading_of(scope) as (db, sid):
            for source in self._list_session_sources(db, sid, agent, session):
                rows = db.execute(
                    f"{self._turn} AND m.seq BETWEEN ? AND ? AND {_PLACE} >= ?",
                    (source, sid, start, upto or _ALL, start),
                )
                turns += self._turns(sid, rows)
                if start:
                    before += self._before(db, source, sid, start)
            corrected = corrections(db, self._owner_of(realm_of(scope)), scope)
        # A version that was said again after the message was forgotten keeps the place.
        spoken = {turn.place for turn in turns if not turn.is_forgotten}
        turns = [turn for turn in turns if not turn.is_forgotten or turn.place not in spoken]
        turns.sort(key=lambda turn: turn.place)
        held = [*([max(before, key=lambda turn: turn.place)] if before else ()), *turns]
        return [_correct_turn(turn, corrected) for turn in held] if corrected else held

    def newest_sessions(self, scope: Scope, limit: int) -> list[KnownSession]:
        """Return the newest sessions; a session may have several sources."""
        with self._reading_of(scope) as (db, sid):
            rows = db.execute(
                "SELECT s.agent, s.session, max(m.at) FROM messages m JOIN sources s ON "
                f"{self._of_source} WHERE m.scope_id = ? AND m.retracted = 0 "
                "GROUP BY s.agent, s.session ORDER BY max(m.at) DESC, s.session LIMIT ?",
                (sid, limit),
            ).fetchall()
        return [KnownSession(agent, session, utc(at)) for agent, session, at in rows]

    def session_messages(self, scope: Scope, agent: str, session: str) -> list[Journalled]:
        """Return the messages of all sources of a session, in order."""
        found: list[Journalled] = []
        with self._reading_of(scope) as (db, sid):
            for source in self._list_session_sources(db, sid, agent, session):
                rows = db.execute(
                    f"SELECT {self._messages} WHERE m.source_id = ? AND m.scope_id = ? AND "
                    "m.retracted = 0",
                    (source, sid),
                )
                found += self._journalled(sid, rows)
            corrected = corrections(db, self._owner_of(realm_of(scope)), scope)
        found.sort(key=lambda one: one.place)
        return [_correct_journalled(one, corrected) for one in found]

    def session_gaps(self, scope: Scope, agent: str, session: str) -> list[int]:
        """Return the places of the messages that are all retracted."""
        with self._reading_of(scope) as (db, sid):
            places: set[int] = set()
            for source in self._list_session_sources(db, sid, agent, session):
                rows = db.execute(
                    f"SELECT {_PLACE} FROM messages m WHERE m.source_id = ? AND m.scope_id = ? AND "
                    f"m.role IN ('user', 'assistant') GROUP BY {_PLACE} "
                    "HAVING min(m.retracted) > 0",
                    (source, sid),
                )
                places |= {int(place) for (place,) in rows.fetchall()}
        return sorted(places)

    def _list_session_sources(self, db: Db, sid: int, agent: str, session: str) -> list[int]:
        own = self._owner(sid)
        known = f"SELECT id FROM sources WHERE session = ? AND agent = ?{own.where}"
        rows = db.execute(known, (session, agent, *own.values)).fetchall()
        return [source for (source,) in rows]

    def correct(self, scope: Scope, identity: str, text: str) -> None:
        """Keep a person's correction of a message; an empty text removes the correction."""
        with self._writing_to(scope) as (db, sid):
            own = self._owner_of(realm_of(scope))
            if text:
                put_kept(db, own, realm_of(scope), {identity: text})
            else:
                drop_kept(db, own, realm_of(scope), [identity])
            # The update leaves the message as it is; it only numbers a change.
            db.execute(
                "UPDATE messages SET text = text WHERE scope_id = ? AND id = ?", (sid, identity)
            )
            known = db.execute(
                "SELECT seq FROM messages WHERE scope_id = ? AND id = ?", (sid, identity)
            ).fetchall()
            self._changed(db, sid, [seq for (seq,) in known])

    def corrections(self, scope: Scope) -> dict[str, str]:
        """Return message id → the text of its correction."""
        with self._reading() as db:
            return corrections(db, self._owner_of(realm_of(scope)), scope)

    def spoken(self) -> int:
        """Count the turns of all scopes."""
        with self._reading() as db:
            return int(db.execute(f"SELECT count(*) FROM messages m WHERE {_SAID}").fetchone()[0])

    def unheard(self, scope: Scope, after: Heard) -> int:
        """Count the messages and changes after a position."""
        with self._reading_of(scope) as (db, sid):
            new = "SELECT count(*) FROM messages WHERE scope_id = ? AND seq > ? AND retracted = 0"
            changed = "SELECT count(*) FROM changes WHERE scope_id = ? AND id > ?"
            return int(
                db.execute(new, (sid, after.seq)).fetchone()[0]
                + db.execute(changed, (sid, after.change)).fetchone()[0]
            )

    def identity(self) -> str:
        """Return the name that the journal has given itself."""
        realm, name = _IDENTITY
        own = self._owner_of(realm)
        with self._reading() as db:
            known = kept(db, own, realm)
        if name not in known:
            with self._writing_to_realm(realm) as db:
                known = {name: token_hex(4), **kept(db, own, realm)}
                put_kept(db, own, realm, known)
        return known[name]

    def _before(self, db: Db, source: int, sid: int, start: int) -> list[Turn]:
        """Return the last turns of a source before a place.

        Two kinds of turns: those placed by their own number, and versions that keep the place of an
        earlier version.
        """
        own = f"{self._turn} AND m.place IS NULL AND m.seq < ? ORDER BY m.seq DESC LIMIT 1"
        moved = (
            f"{self._turn} AND m.place IS NOT NULL AND m.place < ? ORDER BY m.place DESC LIMIT 1"
        )
        rows = (row for query in (own, moved) for row in db.execute(query, (source, sid, start)))
        return self._turns(sid, rows)

    def _turns(self, sid: int, rows: Iterable[TurnRow]) -> list[Turn]:
        turn_rows = list(rows)
        messages = self._journalled(sid, [row[2:] for row in turn_rows])
        return [
            Turn(row[0], journalled.message, is_forgotten=bool(row[1]))
            for row, journalled in zip(turn_rows, messages, strict=True)
        ]


def realm_of(scope: Scope) -> str:
    """Return the realm of kept values that holds the corrections of a scope's messages."""
    return f"{CORRECTIONS}{scope.path}"


def corrections(db: Db, own: Owner, scope: Scope) -> dict[str, str]:
    """Return message id → the text of a person's correction."""
    return kept(db, own, realm_of(scope))


def _correct_journalled(journalled: Journalled, corrected: dict[str, str]) -> Journalled:
    text = corrected.get(journalled.message.id)
    if text is None:
        return journalled
    return journalled._replace(message=journalled.message._replace(text=text))


def _correct_turn(turn: Turn, corrected: dict[str, str]) -> Turn:
    text = corrected.get(turn.message.id)
    return (
        turn
        if text is None
        else turn._replace(message=turn.message._replace(text=text), said=turn.message.text)
    )
