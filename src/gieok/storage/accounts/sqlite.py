"""Accounts in one SQLite file, for a service on one machine.

Any number of processes; one writes at a time.
"""

import sqlite3
from pathlib import Path

from gieok.opening import Opening
from gieok.storage.accounts.sql.cast import SqlCast
from gieok.storage.accounts.sql.points import SqlPoints
from gieok.storage.accounts.sql.row_copies import SqlAccountCopies
from gieok.storage.accounts.sql.users import SqlUsers
from gieok.storage.sqlite.connections import SqliteFile
from gieok.storage.sqlite.files import (
    create_tables,
    open_private,
    pragma,
    upgrade,
    use_wal,
    verify_owner,
)

#: "GIEC": marks the file as ours.
_APPLICATION_ID = 0x47494543
_VERSION = 2
#: Numbers of users are those of their scopes on a server (see `user_number`), so that rows are
#: copied without renumbering.
_TABLES = f"""
CREATE TABLE users (
    scope_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, is_account INTEGER NOT NULL DEFAULT 0,
    points INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,
    entries INTEGER NOT NULL DEFAULT 0,
    zone TEXT NOT NULL DEFAULT '', lang TEXT NOT NULL DEFAULT 'en', mail TEXT NOT NULL DEFAULT '',
    created_at INTEGER, seen_at INTEGER, stage TEXT NOT NULL DEFAULT '', staged_at INTEGER,
    CHECK (held >= 0 AND points >= held)
);
CREATE TABLE ledger (
    scope_id INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    reference TEXT NOT NULL, note TEXT NOT NULL, character TEXT NOT NULL, slots INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    PRIMARY KEY (scope_id, number), UNIQUE (scope_id, reference)
) WITHOUT ROWID;
CREATE INDEX ledger_of_slots ON ledger (scope_id, character) WHERE slots <> 0;
CREATE TABLE holds (
    scope_id INTEGER NOT NULL, reference TEXT NOT NULL, amount INTEGER NOT NULL,
    at INTEGER NOT NULL, purpose TEXT NOT NULL,
    PRIMARY KEY (scope_id, reference)
) WITHOUT ROWID;
CREATE INDEX holds_by_time ON holds (at);
CREATE TABLE check_ins (
    scope_id INTEGER NOT NULL, day TEXT NOT NULL, streak INTEGER NOT NULL, PRIMARY KEY (scope_id,
    day)
) WITHOUT ROWID;
CREATE TABLE characters (
    scope_id INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, card TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, model TEXT NOT NULL, package_type TEXT NOT NULL,
    package BLOB NOT NULL,
    PRIMARY KEY (scope_id, id)
);
CREATE TABLE api_keys (
    scope_id INTEGER NOT NULL, id TEXT NOT NULL, secret_hash TEXT NOT NULL, role TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, PRIMARY KEY (scope_id, id)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_VERSION};
"""


class SqliteAccounts(SqliteFile, SqlUsers, SqlPoints, SqlCast, SqlAccountCopies):
    """`Accounts` on one SQLite file."""

    what = "file of accounts"

    @classmethod
    def open(cls, opening: Opening) -> "SqliteAccounts":
        """Return the accounts of the home folder."""
        return cls(opening.file)

    @staticmethod
    def is_there(opening: Opening) -> bool:
        """Say whether the accounts' file exists; none is made."""
        return opening.file.is_file()

    @property
    def location(self) -> str:
        """Return the path of the file."""
        return str(self._file)

    def _connect(self) -> sqlite3.Connection:
        return open_private(self._file, self.what, self._busy_timeout_ms, _prepare_accounts_file)


def _use_home_zone(connection: sqlite3.Connection) -> None:
    """Give users without a zone of their own the zone of the home.

    In earlier files their zone was UTC.
    """
    connection.execute("UPDATE users SET zone = '' WHERE zone = 'UTC'")


def _prepare_accounts_file(connection: sqlite3.Connection, file: Path) -> None:
    if pragma(connection, "user_version") == 0:
        create_tables(connection, file, _TABLES)
    verify_owner(connection, file, _APPLICATION_ID)
    upgrade(connection, file, SqliteAccounts.what, (_use_home_zone,))
    use_wal(connection)
