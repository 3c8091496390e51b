"""A scope's state for one turn, and the hand-out of a scope's own part of the outbox.

The cost follows the scope, whatever other scopes do.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from gieok.model.conversation import HeldWindow, ScopeState, WindowMark
from gieok.model.memory import Entry, Scope
from gieok.storage.journal.sql.database import Db, defer_statement
from gieok.storage.journal.sql.durable import to_entry
from gieok.storage.journal.sql.positions import SqlPositions

#: Names for rows of other numbers in one query; no reader has these names.
_WAITING, _CHANGE = "~waiting", "~change"
_NUMBERS = (
    "SELECT reader, seq FROM positions WHERE scope_id = ? UNION ALL SELECT ?, max(id) FROM "
    "outbox WHERE scope_id = ? "
    "UNION ALL SELECT ?, max(id) FROM changes WHERE scope_id = ?"
)


class SqlStates(SqlPositions):
    """`state` and `skip` of `Positions`, `hand_out` of `Outbox`."""

    def exclusive(self, name: str, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Hold a named lock; give whether it is held."""
        raise NotImplementedError

    def state(self, scope: Scope, reader: str, held: HeldWindow | None = None) -> ScopeState:
        """Return the state of a scope for one turn."""
        with self._reading_of(scope) as (db, sid):
            number_rows = defer_statement(db, _NUMBERS, (sid, _WAITING, sid, _CHANGE, sid))
            entries = defer_statement(
                db, "SELECT entry FROM made WHERE scope_id = ? ORDER BY key", (sid,)
            )
            rows = self._defer_window(db, sid, reader, held)
            numbers: dict[str, int] = {name: number or 0 for name, number in number_rows}
            mark = WindowMark(numbers.get(reader, 0), numbers.pop(_CHANGE))
            window = self._window(db, sid, mark, held, rows)
            entry_rows = entries.fetchall()
        is_waiting = numbers.pop(_WAITING) > 0
        return ScopeState(
            window, numbers, tuple(to_entry(scope, text) for (text,) in entry_rows), is_waiting
        )

    def skip(self, scope: Scope, reader: str, expected: int, end: int) -> bool:
        """Move a reader's position over messages of which no document is made."""
        with self._writing_to(scope) as (db, sid):
            if expected:
                moved = defer_statement(
                    db,
                    "UPDATE positions SET seq = ? WHERE scope_id = ? AND reader = ? AND seq = ?",
                    (end, sid, reader, expected),
                )
            else:
                moved = defer_statement(
                    db,
                    "INSERT INTO positions (scope_id, reader, seq) VALUES (?, ?, ?) "
                    "ON CONFLICT (scope_id, reader) DO UPDATE SET seq = excluded.seq WHERE "
                    "positions.seq = 0",
                    (sid, reader, end),
                )
        return moved.rowcount == 1

    def hand_out(
        self, scope: Scope, take: Callable[[Sequence[Entry | str]], None], limit: int
    ) -> int:
        """Hand a scope's waiting entries to `take`; return how many."""
        with self.exclusive("deliver"):
            with self._reading_of(scope) as (db, sid):
                rows = _read_waiting_outbox(db, sid, scope, limit)
            if rows:
                take([what for _, what in rows])
                with self._writing() as db:
                    _strike_off(db, sid, rows)
        return len(rows)


def _read_waiting_outbox(
    db: Db, sid: int, scope: Scope, limit: int
) -> list[tuple[int, Entry | str]]:
    rows = db.execute(
        "SELECT id, key, entry FROM outbox WHERE scope_id = ? ORDER BY id LIMIT ?", (sid, limit)
    ).fetchall()
    return [(number, to_entry(scope, entry) if entry else key) for number, key, entry in rows]


def _strike_off(db: Db, sid: int, rows: Sequence[tuple[int, Entry | str]]) -> None:
    db.executemany(
        "DELETE FROM outbox WHERE scope_id = ? AND id = ?", [(sid, number) for number, _ in rows]
    )


def handed_out(
    db: Db, sid: int, scope: Scope, take: Callable[[Sequence[Entry | str]], None], limit: int
) -> int:
    """Do the work of `hand_out` inside one transaction, which holds the locks."""
    rows = _read_waiting_outbox(db, sid, scope, limit)
    if rows:
        take([what for _, what in rows])
        _strike_off(db, sid, rows)
    return len(rows)
