"""Tables of a schema: numbered migrations that only go forward.

The migrations are applied under an advisory lock, so that many processes may start at once.
"""

from collections.abc import Callable, Sequence

import psycopg

from gieok.errors import Phrase, ShapeMismatch

#: First number of all our advisory locks, which have two numbers.
OURS = 4749454


#: Statements, or a function that looks at the database before it changes it.
Step = str | Callable[[psycopg.Connection], None]


class Tables:
    """Tables of the schema `name`.

    Each migration is applied once, in order, and never changed after a release.
    """

    def __init__(self, name: str, steps: Sequence[Step], *, lock: int) -> None:
        self.name = name
        self.steps = tuple(steps)
        self._lock = lock

    def are_ready(self, db: psycopg.Connection) -> bool:
        """Say whether no migration is needed."""
        return self.version(db) >= len(self.steps)

    def migrate(self, db: psycopg.Connection, location: str, lock_timeout_ms: int) -> None:
        """Bring the tables to this version. Raises StoreError."""
        with db.transaction():
            db.execute(f"SET LOCAL lock_timeout = {lock_timeout_ms}")
            db.execute(f"SELECT pg_advisory_xact_lock({OURS}, {self._lock})")
            # Check again, under the lock: another process may have been faster.
            version = self.version(db)
            if version >= len(self.steps):
                return
            self.prepare(db, location)
            if version == 0:
                db.execute(f"CREATE SCHEMA IF NOT EXISTS {self.name}")
                columns = "version int PRIMARY KEY, applied_at timestamptz DEFAULT now()"
                db.execute(f"CREATE TABLE {self.name}.migrations ({columns})")
            for number, step in enumerate(self.steps[version:], version + 1):
                if callable(step):
                    step(db)
                else:
                    db.execute(step)
                db.execute(f"INSERT INTO {self.name}.migrations (version) VALUES (%s)", (number,))

    def prepare(self, db: psycopg.Connection, location: str) -> None:
        """Make what the tables need, such as extensions, before the first migration.

        Raises StoreError.
        """

    def verify(self, db: psycopg.Connection, location: str) -> bool:
        """Say whether `renew` is needed.

        Raises ShapeMismatch for tables of a newer release.
        """
        version = self.version(db)
        if version > len(self.steps):
            message = Phrase(
                "{location} has schema {version} of {name}, this gieok reads {count}",
                location=location,
                version=version,
                name=self.name,
                count=len(self.steps),
            )
            raise ShapeMismatch(message, hint="update gieok")
        return False

    def renew(self, db: psycopg.Connection) -> None:
        """Rebuild data that an earlier release made in another way."""

    def version(self, db: psycopg.Connection) -> int:
        """Return the number of the last applied migration."""
        # Not to_regclass, which remembers that a name was missing when another process makes it
        # meanwhile.
        schema = f"(SELECT oid FROM pg_namespace WHERE nspname = '{self.name}')"
        named = f"SELECT 1 FROM pg_class WHERE relname = 'migrations' AND relnamespace = {schema}"
        if db.execute(named).fetchone() is None:
            return 0
        row = db.execute(f"SELECT coalesce(max(version), 0) FROM {self.name}.migrations").fetchone()
        return int(row[0]) if row else 0


def partitioned(
    name: str, columns: str, partitions: int, *, by: str = "scope_id", options: str = ""
) -> str:
    """Return statements that make a table and its partitions by hash.

    `name` includes the schema.
    """
    parts = (
        (
            f"CREATE TABLE {name}_{n} PARTITION OF {name} FOR VALUES WITH (MODULUS {partitions}, "
            f"REMAINDER {n}){options};"
        )
        for n in range(partitions)
    )
    return f"CREATE TABLE {name} ({columns}) PARTITION BY HASH ({by});" + "".join(parts)
