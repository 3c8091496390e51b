"""Characters by owner, and API keys by user."""

from typing import Any

from gieok.model.accounts import Account, IssuedKey, KeyRole, StoredCharacter
from gieok.storage.accounts.sql.owners import OF_OWNER, SqlOwners, user_number
from gieok.storage.accounts.sql.users import ACCOUNT, to_account
from gieok.storage.index.rows import from_ms, marks, to_ms, utc
from gieok.storage.journal.sql.database import defer_statement

_CHARACTER = "id, name, card, created_at, updated_at, model, package_type"
_ACCOUNT_OF_USER = [f"u.{name}" for name in (*ACCOUNT.split(", "), "is_account")]
#: Columns of a user's account, and of the user's character.
_TALKER = ", ".join([*_ACCOUNT_OF_USER, *(f"c.{name}" for name in _CHARACTER.split(", "))])
_KEY = "id, secret_hash, role, label, created_at, expires_at, revoked_at"


class SqlCast(SqlOwners):
    """`Cast` and `Keys`."""

    def character(
        self, owner: str, identity: str, *, with_file: bool = True
    ) -> StoredCharacter | None:
        """Return a character of this owner."""
        columns = f"{_CHARACTER}, package" if with_file else _CHARACTER
        with self._reading() as db:
            row = db.execute(
                f"SELECT {columns} FROM characters WHERE scope_id = ? AND id = ? AND {OF_OWNER}",
                (user_number(owner), identity, user_number(owner), owner),
            ).fetchone()
            return _to_character(owner, tuple(row) if with_file else (*row, b"")) if row else None

    def talkers(self, user: str, identity: str) -> tuple[list[StoredCharacter], Account | None]:
        """Return a user's and the service's character of an id, and the user's account."""
        sid, nobody = user_number(user), user_number("")
        with self._reading() as db:
            account_rows = defer_statement(
                db,
                f"SELECT {_TALKER} FROM users u LEFT JOIN characters c "
                "ON c.scope_id = ? AND c.id = ? WHERE u.scope_id = ? AND u.name = ?",
                (sid, identity, sid, user),
            )
            of_service = defer_statement(
                db,
                f"SELECT {_CHARACTER} FROM characters WHERE scope_id = ? AND id = ? AND {OF_OWNER}",
                (nobody, identity, nobody, ""),
            )
        row = account_rows.fetchone()
        characters = [_to_character("", (*one, b"")) for one in of_service.fetchall()]
        if row is None:
            return characters, None
        *account, is_account = row[: len(_ACCOUNT_OF_USER)]
        own = row[len(_ACCOUNT_OF_USER) :]
        if user and own[0] is not None:
            characters.insert(0, _to_character(user, (*own, b"")))
        return characters, to_account(account) if is_account else None

    def characters(self, owner: str, offset: int, limit: int) -> tuple[int, list[StoredCharacter]]:
        """Return characters of an owner by id."""
        with self._reading_of(owner) as (db, sid):
            (total,) = db.execute(
                "SELECT count(*) FROM characters WHERE scope_id = ?", (sid,)
            ).fetchone()
            rows = db.execute(
                (
                    f"SELECT {_CHARACTER} FROM characters WHERE scope_id = ? ORDER BY id LIMIT ? "
                    "OFFSET ?"
                ),
                (sid, limit, offset),
            )
            return total, [_to_character(owner, (*row, b"")) for row in rows]

    def keep_character(self, character: StoredCharacter, *, is_new: bool) -> bool:
        """Add or replace a character."""
        values = (
            character.id,
            character.name,
            character.card,
            to_ms(character.created_at),
            to_ms(character.updated_at),
            character.model,
            character.package_type,
            character.package,
        )
        with self._writing_to(character.owner) as (db, sid):
            if is_new:
                added = (
                    f"INSERT INTO characters (scope_id, {_CHARACTER}, package) VALUES "
                    f"({marks((sid, *values))})"
                )
                return db.execute(f"{added} ON CONFLICT DO NOTHING", (sid, *values)).rowcount > 0
            columns = ", ".join(f"{name} = ?" for name in [*_CHARACTER.split(", ")[1:], "package"])
            replaced = f"UPDATE characters SET {columns} WHERE scope_id = ? AND id = ?"
            return db.execute(replaced, (*values[1:], sid, character.id)).rowcount > 0

    def drop_character(self, owner: str, identity: str) -> bool:
        """Remove a character."""
        with self._writing_to(owner) as (db, sid):
            gone = db.execute(
                "DELETE FROM characters WHERE scope_id = ? AND id = ?", (sid, identity)
            )
            return gone.rowcount > 0

    def key(self, user: str, identity: str) -> IssuedKey | None:
        """Return a key of a user."""
        sid = user_number(user)
        with self._reading() as db:
            found = defer_statement(
                db,
                f"SELECT {_KEY} FROM api_keys WHERE scope_id = ? AND id = ? AND {OF_OWNER}",
                (sid, identity, sid, user),
            )
        row = found.fetchone()
        return _to_key(user, row) if row else None

    def keys(self, user: str) -> list[IssuedKey]:
        """Return the keys of a user, oldest first."""
        with self._reading_of(user) as (db, sid):
            rows = db.execute(
                f"SELECT {_KEY} FROM api_keys WHERE scope_id = ? ORDER BY created_at, id", (sid,)
            )
            return [_to_key(user, row) for row in rows]

    def keep_key(self, key: IssuedKey) -> None:
        """Add or replace a key."""
        _, identity, secret_hash, role, label, created, expires, revoked = key
        row = (
            identity,
            secret_hash,
            role.value,
            label,
            to_ms(created),
            to_ms(expires),
            to_ms(revoked),
        )
        with self._writing_to(key.user) as (db, sid):
            columns = ", ".join(f"{name} = excluded.{name}" for name in _KEY.split(", ")[1:])
            db.execute(
                f"INSERT INTO api_keys (scope_id, {_KEY}) VALUES ({marks((sid, *row))}) "
                f"ON CONFLICT (scope_id, id) DO UPDATE SET {columns}",
                (sid, *row),
            )


def _to_character(owner: str, row: tuple[Any, ...]) -> StoredCharacter:
    identity, name, card, created, updated, model, package_type, package = row
    created_at, changed = utc(created), utc(updated)
    return StoredCharacter(
        owner=owner,
        id=identity,
        name=name,
        card=card,
        created_at=created_at,
        updated_at=changed,
        model=model,
        package=bytes(package),
        package_type=package_type,
    )


def _to_key(user: str, row: tuple[Any, ...]) -> IssuedKey:
    identity, secret_hash, role, label, created, expires, revoked = row
    return IssuedKey(
        user=user,
        id=identity,
        secret_hash=secret_hash,
        role=KeyRole(role),
        label=label,
        created_at=utc(created),
        expires_at=from_ms(expires),
        revoked_at=from_ms(revoked),
    )
