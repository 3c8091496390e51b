"""Points: an append-only ledger, holds, and days of check-in.

The row of a user has the sum of the ledger (`points`) and the sum of the holds (`held`). The row is
locked before anything of the user is read, and changed in the same transaction as the ledger; a
CHECK keeps `points` from falling below `held`.
"""

from datetime import date, datetime

from gieok.errors import Conflict, NotEnoughPoints
from gieok.model.accounts import CheckIn, Hold, LedgerEntry, Posted, Posting
from gieok.storage.accounts.sql.owners import SEEN, SqlOwners, seen_values, user_number
from gieok.storage.index.rows import to_ms, utc
from gieok.storage.journal.sql.database import Db, Rows, defer_statement

#: The columns of a ledger entry, in the order of `_to_entry`.
ENTRY = "number, at, kind, amount, reference, note, character, slots, balance"
HOLD = "reference, amount, at, purpose"
_SUM_OF_HOLDS = "(SELECT CAST(coalesce(sum(amount), 0) AS bigint) FROM holds WHERE scope_id = ?)"


class SqlPoints(SqlOwners):
    """`Points`."""

    def balance(self, user: str) -> int:
        """Return the points that the user may spend."""
        free = "SELECT points - held FROM users WHERE scope_id = ? AND name = ?"
        with self._reading() as db:
            found = defer_statement(db, free, (user_number(user), user))
        row = found.fetchone()
        return row[0] if row else 0

    def post(self, user: str, posting: Posting, at: datetime) -> Posted:
        """Add a row to the ledger, once."""
        with self._writing_to(user) as (db, sid):
            return _post_ledger_entry(db, sid, posting, at)

    def ledger(self, user: str, offset: int, limit: int) -> tuple[int, list[LedgerEntry]]:
        """Return ledger rows, the newest first.

        Row numbers have no gaps, so a page is found by number.
        """
        with self._reading_of(user) as (db, sid):
            row = db.execute("SELECT entries FROM users WHERE scope_id = ?", (sid,)).fetchone()
            total = row[0] if row else 0
            rows = db.execute(
                (
                    f"SELECT {ENTRY} FROM ledger WHERE scope_id = ? AND number <= ? ORDER BY "
                    "number DESC LIMIT ?"
                ),
                (sid, total - offset, limit),
            )
            return total, [_to_entry(ledger_row) for ledger_row in rows]

    def posted(self, user: str, reference: str) -> LedgerEntry | None:
        """Return the ledger row with a reference."""
        with self._reading_of(user) as (db, sid):
            return _entry_of(db, sid, reference)

    def hold(self, user: str, amount: int, reference: str, at: datetime, purpose: str) -> bool:
        """Set points aside."""
        hold = Hold(user=user, reference=reference, amount=amount, at=at, purpose=purpose)
        with self._writing() as db:
            added, changed = self._defer_hold(db, hold)
        if not changed.rowcount:  # a new user, or too few points
            with self._writing_to(user) as (db, sid):
                added, changed = self._defer_hold(db, hold)
                if not changed.rowcount:
                    _change_point_sums(db, sid, held=amount)  # which says what is missing
        return added.rowcount > 0

    def _defer_hold(self, db: Db, hold: Hold) -> tuple[Rows, Rows]:
        """Set points aside, if there are enough and the reference is new; mark the user as seen.

        Return the rows added, none for a known reference, and changed, none for too few points.
        """
        sid, reference = user_number(hold.user), hold.reference
        self._defer_lock(db, sid)
        added = defer_statement(
            db,
            f"INSERT INTO holds (scope_id, {HOLD}) SELECT u.scope_id, ?, ?, ?, ? FROM users u "
            "WHERE u.scope_id = ? AND u.name = ? AND u.points - u.held >= ? "
            "AND NOT EXISTS (SELECT 1 FROM ledger WHERE scope_id = ? AND reference = ?) "
            "ON CONFLICT DO NOTHING",
            (
                *(reference, hold.amount, to_ms(hold.at), hold.purpose),
                *(sid, hold.user, hold.amount, sid, reference),
            ),
        )
        changed = defer_statement(
            db,
            f"UPDATE users SET held = {_SUM_OF_HOLDS}, {SEEN} WHERE scope_id = ? AND name = ? "
            "AND (EXISTS (SELECT 1 FROM holds WHERE scope_id = ? AND reference = ?) "
            "OR EXISTS (SELECT 1 FROM ledger WHERE scope_id = ? AND reference = ?))",
            (
                *(sid, *seen_values(hold.at), sid, hold.user),
                *(sid, reference, sid, reference),
            ),
        )
        return added, changed

    def settle(self, user: str, reference: str, posting: Posting, at: datetime) -> Posted | None:
        """Turn a hold into a ledger row."""
        # A settlement that a power cut takes is made again: the hold is still there then.
        with self._writing_soon() as db:
            row = self._defer_settlement(db, user, reference, posting, at)
        if added := row.fetchone():
            number, balance = added
            return Posted(LedgerEntry(number, at, posting, balance), is_new=True)
        with self._writing_to(user) as (db, sid):
            amount = _take_hold(db, sid, reference)
            return None if amount is None else _post_ledger_entry(db, sid, posting, at, amount)

    def _defer_settlement(
        self, db: Db, user: str, reference: str, posting: Posting, at: datetime
    ) -> Rows:
        """Turn a hold that suffices into a ledger row with a new reference.

        Return number and balance of the row; no row where it is otherwise, and nothing is done.
        """
        sid = user_number(user)
        self._defer_lock(db, sid)
        added = defer_statement(
            db,
            f"INSERT INTO ledger (scope_id, {ENTRY}) "
            "SELECT u.scope_id, u.entries + 1, ?, ?, ?, ?, ?, ?, ?, u.points + ? FROM users u "
            "JOIN holds h ON h.scope_id = ? AND h.reference = ? "
            "WHERE u.scope_id = ? AND u.name = ? AND u.points - u.held + h.amount + ? >= 0 "
            "AND NOT EXISTS (SELECT 1 FROM ledger WHERE scope_id = ? AND reference = ?) "
            "RETURNING number, balance",
            (
                *(to_ms(at), *posting, posting.amount, sid, reference),
                *(sid, user, posting.amount, sid, posting.reference),
            ),
        )
        is_added = (
            "EXISTS (SELECT 1 FROM ledger l WHERE l.scope_id = ? AND l.reference = ? "
            "AND l.number = (SELECT u.entries + 1 FROM users u WHERE u.scope_id = ?))"
        )
        defer_statement(
            db,
            f"DELETE FROM holds WHERE scope_id = ? AND reference = ? AND {is_added}",
            (sid, reference, sid, posting.reference, sid),
        )
        defer_statement(
            db,
            f"UPDATE users SET points = points + ?, held = {_SUM_OF_HOLDS}, entries = entries + 1 "
            f"WHERE scope_id = ? AND {is_added}",
            (posting.amount, sid, sid, sid, posting.reference, sid),
        )
        return added

    def release(self, user: str, reference: str) -> bool:
        """Release a hold without posting it."""
        with self._writing_to(user) as (db, sid):
            amount = _take_hold(db, sid, reference)
            if amount is not None:
                _change_point_sums(db, sid, held=-amount)
            return amount is not None

    def holds(self, before: datetime, limit: int) -> list[Hold]:
        """Return the holds of all users that were made before a time."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT u.name, h.reference, h.amount, h.at, h.purpose FROM holds h "
                "JOIN users u ON u.scope_id = h.scope_id WHERE h.at < ? ORDER BY h.at, "
                "u.name, h.reference LIMIT ?",
                (to_ms(before), limit),
            )
            return [
                Hold(user=user, reference=reference, amount=amount, at=utc(at), purpose=purpose)
                for user, reference, amount, at, purpose in rows
            ]

    def holds_of(self, user: str) -> list[Hold]:
        """Return the holds of a user."""
        with self._reading_of(user) as (db, sid):
            rows = db.execute(
                f"SELECT {HOLD} FROM holds WHERE scope_id = ? ORDER BY at, reference", (sid,)
            )
            return [
                Hold(user=user, reference=reference, amount=amount, at=utc(at), purpose=purpose)
                for reference, amount, at, purpose in rows
            ]

    def check_in(self, user: str, day: date, amount: int, at: datetime) -> tuple[CheckIn, Posted]:
        """Give points for a day, once.

        A second check-in returns the points that the ledger has for the day, whatever `amount` is
        by now.
        """
        reference = f"check-in:{day.isoformat()}"
        with self._writing_to(user) as (db, sid):
            streak = _read_check_in_streak(db, sid, day)
            if streak:
                entry = _entry_of(db, sid, reference)
                assert entry  # written in one step with the day
                return CheckIn(day, streak), Posted(entry, is_new=False)
            streak = 1 + _read_check_in_streak(db, sid, date.fromordinal(day.toordinal() - 1))
            db.execute(
                "INSERT INTO check_ins (scope_id, day, streak) VALUES (?, ?, ?)",
                (sid, day.isoformat(), streak),
            )
            return CheckIn(day, streak), _post_ledger_entry(
                db, sid, Posting("check-in", amount, reference), at
            )

    def last_check_in(self, user: str) -> CheckIn | None:
        """Return the last day on which the user checked in."""
        with self._reading_of(user) as (db, sid):
            row = db.execute(
                "SELECT day, streak FROM check_ins WHERE scope_id = ? ORDER BY day DESC LIMIT 1",
                (sid,),
            ).fetchone()
            return CheckIn(date.fromisoformat(row[0]), row[1]) if row else None

    def slots(self, user: str, character: str) -> int:
        """Return the slots that were bought for a character."""
        with self._reading_of(user) as (db, sid):
            (bought,) = db.execute(
                "SELECT CAST(coalesce(sum(slots), 0) AS bigint) FROM ledger "
                "WHERE scope_id = ? AND character = ? AND slots <> 0",
                (sid, character),
            ).fetchone()
            return int(bought)


def _post_ledger_entry(db: Db, sid: int, posting: Posting, at: datetime, held: int = 0) -> Posted:
    """Add a ledger row, unless its reference is known.

    `held` is the number of held points that the row replaces.
    """
    existing = _entry_of(db, sid, posting.reference)
    if existing:
        if existing.posting != posting:
            raise Conflict(
                "{reference!r} was used for something else",
                reference=posting.reference,
                hint="use a new key for a new request",
            )
        _change_point_sums(db, sid, held=-held)
        return Posted(existing, is_new=False)
    number, balance = _change_point_sums(db, sid, points=posting.amount, held=-held, entries=1)
    entry = LedgerEntry(number, at, posting, balance)
    row = (sid, number, to_ms(at), *posting, balance)
    db.execute(f"INSERT INTO ledger (scope_id, {ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    return Posted(entry, is_new=True)


def _change_point_sums(
    db: Db, sid: int, *, points: int = 0, held: int = 0, entries: int = 0
) -> tuple[int, int]:
    """Add to the two sums of a user; return the number and balance of the new ledger row.

    Raises NotEnoughPoints.
    """
    if not (points or held or entries):
        return 0, 0
    row = db.execute(
        "UPDATE users SET points = points + ?, held = held + ?, entries = entries + ? "
        "WHERE scope_id = ? AND points - held >= ? RETURNING entries, points",
        (points, held, entries, sid, held - points),
    ).fetchall()
    if not row:
        (free,) = db.execute(
            "SELECT points - held FROM users WHERE scope_id = ?", (sid,)
        ).fetchone()
        raise NotEnoughPoints(
            "points needed: {needed}, left: {free}", needed=held - points, free=free
        )
    return int(row[0][0]), int(row[0][1])


def _entry_of(db: Db, sid: int, reference: str) -> LedgerEntry | None:
    row = db.execute(
        f"SELECT {ENTRY} FROM ledger WHERE scope_id = ? AND reference = ?", (sid, reference)
    ).fetchone()
    return _to_entry(row) if row else None


def _take_hold(db: Db, sid: int, reference: str) -> int | None:
    """Remove a hold and return its points; None where there is no such hold.

    The points stay in the sum `held`: see `_change_point_sums`.
    """
    gone = "DELETE FROM holds WHERE scope_id = ? AND reference = ? RETURNING amount"
    row = db.execute(gone, (sid, reference)).fetchall()
    return int(row[0][0]) if row else None


def _read_check_in_streak(db: Db, sid: int, day: date) -> int:
    row = db.execute(
        "SELECT streak FROM check_ins WHERE scope_id = ? AND day = ?", (sid, day.isoformat())
    ).fetchone()
    return row[0] if row else 0


def _to_entry(row: "tuple[int | str, ...]") -> LedgerEntry:
    number, at, kind, amount, reference, note, character, slots, balance = row
    posting = Posting(
        kind=str(kind),
        amount=int(amount),
        reference=str(reference),
        note=str(note),
        character=str(character),
        slots=int(slots),
    )
    return LedgerEntry(int(number), utc(int(at)), posting, int(balance))
