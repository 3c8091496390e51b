"""Kept values: small values by realm and name."""

from collections.abc import Callable, Iterable, Mapping

from gieok.storage.journal.sql.database import Db, Owner, Rows, SqlJournal, defer_statement

#: A character above every other, the end of a range of names.
_LAST = chr(0x10FFFF)


class SqlKept(SqlJournal):
    """`KeptValues` on an SQL database."""

    def realms(self, prefix: str = "") -> list[str]:
        """Return the realms whose name begins with `prefix`."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT DISTINCT realm FROM kept WHERE realm >= ? AND realm < ? ORDER BY realm",
                (prefix, prefix + _LAST),
            )
            return [realm for (realm,) in rows]

    def kept(self, realm: str) -> dict[str, str]:
        """Return the values of a realm."""
        with self._reading() as db:
            rows = _defer_kept(db, self._owner_of(realm), realm)
        return dict(rows.fetchall())

    def keep(self, realm: str, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values and forget others."""
        own = self._owner_of(realm)
        with self._writing_to_realm(realm) as db:
            drop_kept(db, own, realm, gone)
            put_kept(db, own, realm, values)

    def update_kept(self, realm: str, name: str, change: Callable[[str], str]) -> str:
        """Replace a value by the result of `change`."""
        own = self._owner_of(realm)
        with self._writing_to_realm(realm) as db:
            known = f"SELECT value FROM kept WHERE realm = ? AND name = ?{own.where}"
            row = db.execute(known, (realm, name, *own.values)).fetchone()
            value = change(row[0] if row else "")
            put_kept(db, own, realm, {name: value})
        return value


def kept(db: Db, own: Owner, realm: str) -> dict[str, str]:
    """Return the values of a realm by name."""
    return dict(_defer_kept(db, own, realm).fetchall())


def _defer_kept(db: Db, own: Owner, realm: str) -> Rows:
    values = f"SELECT name, value FROM kept WHERE realm = ?{own.where} ORDER BY name"
    return defer_statement(db, values, (realm, *own.values))


def put_kept(db: Db, own: Owner, realm: str, values: Mapping[str, str]) -> None:
    """Set values of a realm."""
    db.executemany(
        f"INSERT INTO kept ({own.column}realm, name, value) VALUES ({own.mark}?, ?, ?) "
        f"ON CONFLICT ({own.column}realm, name) DO UPDATE SET value = excluded.value",
        [(*own.values, realm, *pair) for pair in values.items()],
    )


def drop_kept(db: Db, own: Owner, realm: str, names: Iterable[str]) -> None:
    """Forget values of a realm."""
    db.executemany(
        f"DELETE FROM kept WHERE realm = ? AND name = ?{own.where}",
        [(realm, name, *own.values) for name in names],
    )
