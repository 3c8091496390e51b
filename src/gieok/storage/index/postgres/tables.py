"""Requirements of the store's tables on a server, and their renewal for a later release."""

import psycopg

from gieok.errors import StoreError
from gieok.storage.index.postgres.renewal import renew_keywords
from gieok.storage.index.postgres.schema import MIGRATING, MIGRATIONS
from gieok.storage.index.prepared import are_keywords_old
from gieok.storage.postgres.tables import Tables

_HALFVEC = "SELECT 1 FROM pg_type WHERE typname = 'halfvec'"


class StoreTables(Tables):
    """The store's tables, which need pgvector."""

    def prepare(self, db: psycopg.Connection, location: str) -> None:
        """Register pgvector's types.

        Raises StoreError where pgvector is missing.
        """
        if _is_postgres_object_missing(db, _HALFVEC):
            _create_extension(db, location)

    def verify(self, db: psycopg.Connection, location: str) -> bool:
        """Say whether an earlier release made the keywords.

        Raises ShapeMismatch for tables of a newer release.
        """
        super().verify(db, location)
        row = db.execute("SELECT value FROM gieok.meta WHERE name = 'keywords_version'").fetchone()
        return are_keywords_old(int(row[0]) if row else 0, location)

    def renew(self, db: psycopg.Connection) -> None:
        """Rebuild the keywords."""
        renew_keywords(db)


def _create_extension(db: psycopg.Connection, location: str) -> None:
    """Create the extension pgvector in this database, or name the command that does."""
    try:
        with db.transaction():
            db.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise StoreError(
            "{location} has no pgvector",
            location=location,
            hint=(
                "install it on the server (Debian: `apt install postgresql-18-pgvector`, with "
                "your version for 18)"
            ),
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            "{location} has pgvector, but this user may not enable it",
            location=location,
            database=db.info.dbname,
            hint="as a superuser: `psql -d {database} -c 'CREATE EXTENSION vector'`",
        ) from error
    if _is_postgres_object_missing(db, _HALFVEC):
        raise StoreError(
            "{location} has a pgvector older than 0.7",
            location=location,
            database=db.info.dbname,
            hint=(
                "update it, then as its owner: `psql -d {database} -c 'ALTER EXTENSION vector "
                "UPDATE'`"
            ),
        )


def _is_postgres_object_missing(db: psycopg.Connection, lookup: str) -> bool:
    row = db.execute(lookup).fetchone()
    return row is None or row[0] is None


TABLES = StoreTables("gieok", MIGRATIONS, lock=MIGRATING)
