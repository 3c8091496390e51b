"""Users of the service."""

from datetime import datetime
from typing import Any

from gieok.model.accounts import Account
from gieok.storage.accounts.sql.owners import SqlOwners, user_number
from gieok.storage.index.rows import from_ms, to_ms

#: Columns of an account.
ACCOUNT = "name, zone, lang, mail, created_at, seen_at, stage, staged_at"
#: Tables with rows of a user, in the order in which the rows are removed.
_OWNED = ("ledger", "holds", "check_ins", "characters", "api_keys")


class SqlUsers(SqlOwners):
    """`Users` on an SQL database.

    A row of `users` whose `is_account` is 0 belongs to somebody who owns rows but never used the
    service.
    """

    def account(self, user: str) -> Account | None:
        """Return a user."""
        with self._reading() as db:
            row = db.execute(
                f"SELECT {ACCOUNT} FROM users WHERE scope_id = ? AND name = ? AND is_account = 1",
                (user_number(user), user),
            ).fetchone()
            return to_account(row) if row else None

    def keep_account(self, account: Account) -> None:
        """Add or replace a user."""
        with self._writing_to(account.user) as (db, sid):
            db.execute(
                "UPDATE users SET is_account = 1, zone = ?, lang = ?, mail = ?, created_at = "
                "?, seen_at = ?, stage = ?, "
                "staged_at = ? WHERE scope_id = ?",
                (
                    account.zone,
                    account.lang,
                    account.mail,
                    to_ms(account.created_at),
                    to_ms(account.seen_at),
                    account.stage,
                    to_ms(account.staged_at),
                    sid,
                ),
            )

    def describe(self, user: str, zone: str, lang: str, mail: str, at: datetime) -> Account:
        """Keep the zone, language and mail address that a user gave.

        The time when the user was last seen and the stage of inactivity stay, even if they changed
        meanwhile.
        """
        with self._writing_to(user) as (db, sid):
            (row,) = db.execute(
                "UPDATE users SET zone = ?, lang = ?, mail = ?, is_account = 1, created_at = "
                "coalesce(created_at, ?) "
                f"WHERE scope_id = ? RETURNING {ACCOUNT}",
                (zone, lang, mail, to_ms(at), sid),
            ).fetchall()
            return to_account(row)

    def fill_account(self, user: str, zone: str, lang: str, at: datetime) -> None:
        """Add a new user; a known user keeps all but an empty zone."""
        with self._writing_to(user) as (db, sid):
            db.execute(
                "UPDATE users SET zone = CASE WHEN zone = '' THEN ? ELSE zone END, "
                "lang = CASE WHEN is_account = 0 THEN ? ELSE lang END, is_account = 1, "
                "created_at = coalesce(created_at, ?) WHERE scope_id = ?",
                (zone, lang, to_ms(at), sid),
            )

    def seen(self, user: str, at: datetime) -> Account:
        """Record that a user said something; return the account as it was before.

        A user who never came before has no times in the returned account.
        """
        with self._writing() as db:
            sid, (*row, is_account) = self._locked(db, user, f"{ACCOUNT}, is_account")
            self._mark_seen(db, sid, at)
            return to_account(row) if is_account else Account(user)

    def stage(self, account: Account, stage: str, at: datetime) -> bool:
        """Record the stage of a user's inactivity, unless the account changed since it was read."""
        with self._writing_to(account.user) as (db, sid):
            changed = db.execute(
                (
                    "UPDATE users SET stage = ?, staged_at = ? WHERE scope_id = ? AND is_account "
                    "= 1 AND seen_at = ? AND stage = ?"
                ),
                (stage, to_ms(at), sid, to_ms(account.seen_at), account.stage),
            )
            return changed.rowcount == 1

    def accounts_unseen_since(self, before: datetime, after_user: str, limit: int) -> list[Account]:
        """Return users last seen before a time; without users who never said anything."""
        with self._reading() as db:
            rows = db.execute(
                (
                    f"SELECT {ACCOUNT} FROM users WHERE is_account = 1 AND name > ? AND seen_at "
                    "< ? ORDER BY name LIMIT ?"
                ),
                (after_user, to_ms(before), limit),
            )
            return [to_account(row) for row in rows]

    def users(self, after: str, limit: int) -> list[str]:
        """Return names of users; the service's own row is left out."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT name FROM users WHERE name > ? AND name <> '' ORDER BY name LIMIT ?",
                (after, limit),
            )
            return [name for (name,) in rows]

    def erase_account(self, user: str) -> dict[str, int]:
        """Remove all rows of a user; return the number of removed rows by table."""
        with self._reading_of(user) as (_, sid):
            if not sid:
                return dict.fromkeys(("users", *_OWNED), 0)
        with self._writing_to(user) as (db, sid):
            gone = {
                table: db.execute(f"DELETE FROM {table} WHERE scope_id = ?", (sid,)).rowcount
                for table in _OWNED
            }
            return {
                "users": db.execute("DELETE FROM users WHERE scope_id = ?", (sid,)).rowcount,
                **gone,
            }


def to_account(row: "tuple[Any, ...] | list[Any]") -> Account:
    """Return the account of a row of `ACCOUNT`."""
    user, zone, lang, mail, created, seen, stage, staged = row
    return Account(
        user=user,
        zone=zone,
        lang=lang,
        mail=mail,
        created_at=from_ms(created),
        seen_at=from_ms(seen),
        stage=stage,
        staged_at=from_ms(staged),
    )
