"""Journal on a PostgreSQL server, for any number of processes on any number of machines."""

from collections.abc import Callable, Sequence

from gieok.errors import BadConfig
from gieok.model.memory import Entry, Scope
from gieok.opening import Opening
from gieok.storage.journal.postgres.schema import NAME, NAMES, OF_SCOPES
from gieok.storage.journal.postgres.server import DELIVER, JournalServer
from gieok.storage.journal.sql.database import Db
from gieok.storage.journal.sql.parts import SqlParts
from gieok.storage.journal.sql.states import handed_out
from gieok.storage.postgres.citus import distribute, list_citus_statements
from gieok.storage.postgres.connection import configured
from gieok.storage.postgres.numbers import lock_number, scope_number
from gieok.storage.postgres.statements import Elsewhere

_BYTES = (
    "SELECT CAST(coalesce(sum(pg_total_relation_size(oid)), 0) AS bigint) FROM pg_class "
    "WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = "
    f"'{NAME}')"
)


class PostgresJournal(JournalServer, SqlParts):
    """`FullJournal` on one database. Nothing is connected before the first call."""

    @classmethod
    def open(cls, opening: Opening) -> "PostgresJournal":
        """Return the journal at `database.url`, or at the server that libpq's own variables
        name.
        """
        url, password, timeout_s = configured(opening, "journal: postgres")
        return cls(url, password=password, timeout_s=timeout_s)

    def _spoken(
        self,
        sid: int,  # noqa: ARG002
        said: Sequence[tuple[str, str]],
        *,
        is_needed: bool = True,
    ) -> Sequence[str]:
        texts = [text for _, text in said]
        if not any(isinstance(text, Elsewhere) for text in texts):
            return texts
        if is_needed:
            raise BadConfig(
                "texts of {location} are in MongoDB",
                location=self.location,
                hint="set `journal: mongo` and `mongo.url`",
            )
        return ["" if isinstance(text, Elsewhere) else text for text in texts]

    def hand_out(
        self, scope: Scope, take: Callable[[Sequence[Entry | str]], None], limit: int
    ) -> int:
        """Hand up to `limit` entries of a scope's outbox to `take`, and remove them; return how
        many.

        An entry is a document to put, or the key of a document to delete. All happens in one
        transaction, which holds the locks of this scope; other scopes do not wait.
        """
        with self._writing() as db:
            locks = "SELECT pg_advisory_xact_lock_shared(?), pg_advisory_xact_lock(?)"
            db.execute(locks, (lock_number(DELIVER), lock_number(f"{DELIVER} {scope.path}")))
            return handed_out(db, scope_number(scope.path), scope, take, limit)

    def compact(self, spare_bytes: int = 0) -> int:  # noqa: ARG002 - the server knows what is free
        """Vacuum the tables without blocking readers or writers; return by how many bytes they
        shrank.

        0 where they grew, by what others wrote or by the map of free space that is made then.
        """
        before = self._size()
        self._vacuum()
        return max(0, before - self._size())

    def scrub(self) -> list[str]:
        """Vacuum removed rows.

        Gieok has no access to copies in the server's log and in backups.
        """
        self._vacuum()
        return []

    def distribution(self) -> list[str]:
        """Return the Citus calls that spread the tables over nodes."""
        return list_citus_statements(NAME, OF_SCOPES, ("usage", "incidents", "migrations"))

    def distribute(self) -> int:
        """Run the calls of `distribution` and return their number."""
        return distribute(self._connections, self.distribution(), self.location)

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()

    def _vacuum(self) -> None:
        with self._connections.autocommit() as db:
            for name in NAMES:
                db.execute(f"VACUUM (ANALYZE) {NAME}.{name}")

    def _size(self) -> int:
        with self._reading() as db:
            return self._disk_bytes(db)

    def _disk_bytes(self, db: Db) -> int:
        return int(db.execute(_BYTES).fetchone()[0])
