"""Accounts on a PostgreSQL server, for any number of processes on any number of machines.

Every table is hash-partitioned by the number of the user, which is first in every key; no key
refers to another table, and there are no triggers: all of this is what Citus asks of a distributed
table.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gieok.errors import BadConfig
from gieok.opening import Opening
from gieok.storage.accounts.sql.cast import SqlCast
from gieok.storage.accounts.sql.points import SqlPoints
from gieok.storage.accounts.sql.row_copies import SqlAccountCopies
from gieok.storage.accounts.sql.users import SqlUsers
from gieok.storage.postgres.citus import distribute, list_citus_statements
from gieok.storage.postgres.connection import TIMEOUT_S, Connections, configured, read_address
from gieok.storage.postgres.statements import Statements
from gieok.storage.postgres.tables import Tables, partitioned

NAME = "gieok_accounts"
_PARTITIONS = 16
_TEXT = 'text COLLATE "C" NOT NULL'

_OF_USERS = {
    "users": f"""
        scope_id bigint PRIMARY KEY, name {_TEXT}, is_account smallint NOT NULL DEFAULT 0,
        points bigint NOT NULL DEFAULT 0, held bigint NOT NULL DEFAULT 0,
        entries bigint NOT NULL DEFAULT 0,
        zone text NOT NULL DEFAULT 'UTC', lang text NOT NULL DEFAULT 'en',
        mail text NOT NULL DEFAULT '',
        created_at bigint, seen_at bigint, stage text NOT NULL DEFAULT '', staged_at bigint,
        CHECK (held >= 0 AND points >= held)""",
    "ledger": f"""
        scope_id bigint NOT NULL, number bigint NOT NULL, at bigint NOT NULL, kind text NOT NULL,
        amount bigint NOT NULL,
        reference {_TEXT}, note text NOT NULL, character {_TEXT}, slots bigint NOT NULL,
        balance bigint NOT NULL,
        PRIMARY KEY (scope_id, number), UNIQUE (scope_id, reference)""",
    "holds": f"""
        scope_id bigint NOT NULL, reference {_TEXT}, amount bigint NOT NULL, at bigint NOT NULL,
        purpose text NOT NULL,
        PRIMARY KEY (scope_id, reference)""",
    "check_ins": (
        f"scope_id bigint NOT NULL, day {_TEXT}, streak bigint NOT NULL, PRIMARY KEY (scope_id, "
        "day)"
    ),
    "characters": f"""
        scope_id bigint NOT NULL, id {_TEXT}, name text NOT NULL, card text NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL, model text NOT NULL, package_type text NOT NULL,
        package bytea NOT NULL,
        PRIMARY KEY (scope_id, id)""",
    "api_keys": f"""
        scope_id bigint NOT NULL, id {_TEXT}, secret_hash text NOT NULL, role text NOT NULL,
        label text NOT NULL,
        created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, PRIMARY KEY (scope_id,
        id)""",
}
_INDEXES = """
CREATE INDEX ON gieok_accounts.users (name, seen_at);
CREATE INDEX ON gieok_accounts.ledger (scope_id, character) WHERE slots <> 0;
CREATE INDEX ON gieok_accounts.holds (at);
"""
_FIRST = (
    "".join(
        partitioned(f"{NAME}.{name}", columns, _PARTITIONS) for name, columns in _OF_USERS.items()
    )
    + _INDEXES
)

#: Users without a zone of their own live in the zone of the home; in earlier tables their zone was
#: UTC.
_ZONE_OF_HOME = f"""
ALTER TABLE {NAME}.users ALTER COLUMN zone SET DEFAULT '';
UPDATE {NAME}.users SET zone = '' WHERE zone = 'UTC';
"""

TABLES = Tables(NAME, (_FIRST, _ZONE_OF_HOME), lock=5)
#: Every table.
NAMES = tuple(_OF_USERS)
#: Tables of no schema of ours: for a look at the server that makes nothing there.
_NO_TABLES = Tables("pg_catalog", (), lock=5)


class PostgresAccounts(SqlUsers, SqlPoints, SqlCast, SqlAccountCopies):
    """`Accounts` on one database. Nothing is connected before the first call."""

    _lock = " FOR NO KEY UPDATE"

    def __init__(self, url: str, *, password: str = "", timeout_s: float = TIMEOUT_S) -> None:
        address = read_address(url, password)
        self.location = address.location
        self._connections = Connections(address, TABLES, timeout_s=timeout_s, path=NAME)

    @classmethod
    def open(cls, opening: Opening) -> "PostgresAccounts":
        """Return the accounts on `database.url`, or on libpq's own variables."""
        url, password, timeout_s = configured(opening, f"journal: {opening.setting('journal')}")
        return cls(url, password=password, timeout_s=timeout_s)

    @staticmethod
    def is_there(opening: Opening) -> bool:
        """Say whether the accounts' tables exist; none are made."""
        try:
            url, password, timeout_s = configured(opening, "accounts")
        except BadConfig:  # beside a journal on another server, of somebody who needs no accounts
            return False
        looking = Connections(read_address(url, password), _NO_TABLES, timeout_s=timeout_s)
        try:
            with looking.answering() as db:
                return (
                    db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (NAME,)).fetchone()
                    is not None
                )
        finally:
            looking.close()

    @contextmanager
    def _reading(self) -> Iterator[Statements]:
        with self._connections.begin_reading() as transaction:
            yield Statements(transaction)

    @contextmanager
    def _writing(self) -> Iterator[Statements]:
        with self._connections.begin_writing(is_prompt=True) as transaction:
            yield Statements(transaction)

    @contextmanager
    def _writing_soon(self) -> Iterator[Statements]:
        with self._connections.begin_writing(is_prompt=True, is_durable=False) as transaction:
            yield Statements(transaction)

    def distribution(self) -> list[str]:
        """Return the Citus calls that spread the tables over nodes."""
        return list_citus_statements(NAME, NAMES, ("migrations",))

    def distribute(self) -> int:
        """Run the calls of `distribution` and return their number."""
        return distribute(self._connections, self.distribution(), self.location)

    def scrub(self) -> list[str]:
        """Do nothing: the server cleans up by itself.

        Gieok has no access to the server's logs and backups.
        """
        return []

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()
