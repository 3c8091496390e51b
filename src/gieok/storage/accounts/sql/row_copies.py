"""Copies accounts as rows that other accounts can take, and checks sums.

Rows are copied a user at a time, then the service's own.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from gieok.model.conversation import JournalRow
from gieok.model.memory import Scope
from gieok.storage.accounts.sql.owners import SqlOwners
from gieok.storage.accounts.sql.points import ENTRY, HOLD
from gieok.storage.index.rows import marks

_USER = "user:"
#: Table → columns beside the number of the user; the first columns identify a row among those of a
#: user.
_TABLES = {
    "users": (
        "name, is_account, points, held, entries, zone, lang, mail, created_at, seen_at, stage, "
        "staged_at"
    ),
    "ledger": ENTRY,
    "holds": HOLD,
    "check_ins": "day, streak",
    "characters": "id, name, card, created_at, updated_at, model, package_type, package",
    "api_keys": "id, secret_hash, role, label, created_at, expires_at, revoked_at",
}
#: Users whose sums do not agree with their rows.
_WRONG = """
SELECT u.name FROM users u LEFT JOIN
    (SELECT scope_id, sum(amount) AS points, count(*) AS entries
    FROM ledger GROUP BY scope_id) l ON l.scope_id = u.scope_id
LEFT JOIN (SELECT scope_id, sum(amount) AS held
    FROM holds GROUP BY scope_id) h ON h.scope_id = u.scope_id
WHERE u.points <> coalesce(l.points, 0) OR u.entries <> coalesce(l.entries, 0)
    OR u.held <> coalesce(h.held, 0)
ORDER BY u.name LIMIT 5
"""


class SqlAccountCopies(SqlOwners):
    """`CopiedJournal` for accounts: each scope is a user."""

    def copied_scopes(self, prefix: str = "") -> list[Scope]:
        """Return every user who has a row and whose scope begins with `prefix`."""
        with self._reading() as db:
            rows = db.execute("SELECT name FROM users WHERE name <> '' ORDER BY name")
            return [Scope(_USER + name) for (name,) in rows if (_USER + name).startswith(prefix)]

    def copied_rows(self, scope: Scope | None) -> Iterator[JournalRow]:
        """Yield the rows of a user; None: the rows of the service."""
        with self._reading_of(_name_copied_user(scope)) as (db, sid):
            for table, columns in _TABLES.items():
                for row in db.execute(
                    f"SELECT {columns} FROM {table} WHERE scope_id = ? ORDER BY 1", (sid,)
                ):
                    yield JournalRow(table, tuple(row))

    def take_rows(self, scope: Scope | None, rows: Iterable[JournalRow]) -> None:
        """Replace all rows of a user by these rows, in one step."""
        tables = {
            table: [row.values for row in table_rows]
            for table, table_rows in groupby(rows, key=lambda row: row.table)
        }
        with self._writing_to(_name_copied_user(scope)) as (db, sid):
            for table, columns in _TABLES.items():
                db.execute(f"DELETE FROM {table} WHERE scope_id = ?", (sid,))
                table_rows = [(sid, *values) for values in tables.get(table, ())]
                if table_rows:
                    db.executemany(
                        (
                            f"INSERT INTO {table} (scope_id, {columns}) VALUES "
                            f"({marks(table_rows[0])})"
                        ),
                        table_rows,
                    )

    def check(self) -> list[str]:
        """Return what is wrong: users whose sums do not agree with their rows."""
        with self._reading() as db:
            return [
                f"the points of {name!r} are not the sum of the ledger"
                for (name,) in db.execute(_WRONG)
            ]


def _name_copied_user(scope: Scope | None) -> str:
    return scope.path.removeprefix(_USER) if scope else ""
