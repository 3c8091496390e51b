"""Rows by owner: the row of a user, which writers lock and readers look up by name.

Base of the parts of accounts. The statements are written once, in the SQL that SQLite and
PostgreSQL both understand (see `journals.sql.database`). Each statement names the number of one
user, except those that go through all users by name.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any, ClassVar

from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.storage.index.rows import to_ms
from gieok.storage.journal.sql.database import Db, defer_statement
from gieok.storage.postgres.numbers import scope_number

#: Number that stands for an unknown user.
_NOBODY = 0
#: Condition that a number is that of a user of this name, for a read of one statement.
OF_OWNER = "EXISTS (SELECT 1 FROM users WHERE scope_id = ? AND name = ?)"

_IS_LATER = "(is_account = 0 OR seen_at IS NULL OR seen_at < ?)"
#: Assignments that record that a user said something, unless they did so later.
SEEN = (
    f"created_at = CASE WHEN {_IS_LATER} THEN coalesce(created_at, ?) ELSE created_at END, "
    f"stage = CASE WHEN {_IS_LATER} THEN '' ELSE stage END, "
    f"staged_at = CASE WHEN {_IS_LATER} THEN NULL ELSE staged_at END, "
    f"seen_at = CASE WHEN {_IS_LATER} THEN ? ELSE seen_at END, is_account = 1"
)


class SqlOwners:
    """Transactions on the rows of a user; writers of one user take turns."""

    #: SQL clause that locks a row until the end of the transaction; '' where the whole file is
    #: locked instead.
    _lock: ClassVar[str] = ""

    def _reading(self) -> AbstractContextManager[Db]:
        """Read in one snapshot."""
        raise NotImplementedError

    def _writing(self) -> AbstractContextManager[Db]:
        """Write in one transaction."""
        raise NotImplementedError

    def _writing_soon(self) -> AbstractContextManager[Db]:
        """Write in one transaction that a power cut within a second may take, as if it were
        not.
        """
        return self._writing()

    @contextmanager
    def _reading_of(self, user: str) -> Iterator[tuple[Db, int]]:
        """Read in one snapshot, with the number of a user.

        For an unknown user the number is that of no row.
        """
        with self._reading() as db:
            number = user_number(user)
            # Compare the name too: whoever may choose a name could find two with one number.
            known = db.execute(
                "SELECT 1 FROM users WHERE scope_id = ? AND name = ?", (number, user)
            ).fetchone()
            yield db, number if known else _NOBODY

    @contextmanager
    def _writing_to(self, user: str) -> Iterator[tuple[Db, int]]:
        """Write in one transaction, in which the user has a row and no other writer."""
        with self._writing() as db:
            yield db, self._locked(db, user)[0]

    def _mark_seen(self, db: Db, sid: int, at: datetime) -> None:
        """Record that the user of a locked row said something, unless they did so later."""
        db.execute(f"UPDATE users SET {SEEN} WHERE scope_id = ?", (*seen_values(at), sid))

    def _defer_lock(self, db: Db, sid: int) -> None:
        """Lock the row of a user, if there is one, with the next statement."""
        if self._lock:
            defer_statement(db, f"SELECT name FROM users WHERE scope_id = ?{self._lock}", (sid,))

    def _locked(self, db: Db, user: str, columns: str = "name") -> "tuple[int, tuple[Any, ...]]":
        """Return the number of a user, and columns of the user's row, which is locked.

        The first column is the name.
        """
        number = user_number(user)
        known = f"SELECT {columns} FROM users WHERE scope_id = ?{self._lock}"
        row = db.execute(known, (number,)).fetchone()
        if row is None:
            db.execute(
                "INSERT INTO users (scope_id, name, zone) VALUES (?, ?, '') ON CONFLICT DO NOTHING",
                (number, user),
            )
            row = db.execute(known, (number,)).fetchone()
        if row is None or row[0] != user:
            raise StoreError(
                "user {user!r} has the number of another user",
                user=user,
                hint="use another name for them",
            )
        return number, row


def seen_values(at: datetime) -> tuple[int | None, ...]:
    """Return the values of `SEEN` for a time."""
    return (to_ms(at),) * 6


def user_number(user: str) -> int:
    """Return the number of a user, the same in every database.

    The number is that of the scope of the user's own memory. Raises BadRequest.
    """
    return scope_number(Scope(f"user:{user}").path if user else "user:")
