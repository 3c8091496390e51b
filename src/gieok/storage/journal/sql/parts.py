"""The parts of the journal in one class, and the journal's counts."""

from gieok.model.conversation import JournalStats
from gieok.model.memory import Scope
from gieok.storage.journal.sql.archive_rows import SqlArchived
from gieok.storage.journal.sql.database import Db
from gieok.storage.journal.sql.kept import SqlKept
from gieok.storage.journal.sql.ledger import SqlLedger
from gieok.storage.journal.sql.relocation import SqlRelocation
from gieok.storage.journal.sql.removal import SqlForgetting
from gieok.storage.journal.sql.row_copies import SqlCopies
from gieok.storage.journal.sql.states import SqlStates
from gieok.storage.journal.sql.upkeep import SqlUpkeep


class SqlParts(
    SqlStates, SqlCopies, SqlForgetting, SqlRelocation, SqlKept, SqlArchived, SqlLedger, SqlUpkeep
):
    """`FullJournal` without the methods that each database has its own way for.

    Those are `exclusive`, `compact`, `scrub` and `close`.
    """

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Count messages, documents and what else the journal holds."""
        if scope is None:
            with self._reading() as db:
                return self._counted(db, "", ())
        with self._reading_of(scope) as (db, sid):
            return self._counted(db, " WHERE scope_id = ?", (sid,))

    def _counted(self, db: Db, where: str, values: tuple[int, ...]) -> JournalStats:
        def count(table: str, what: str = "count(*)") -> int:
            of_all = table in ("cursors", "rejects")
            return int(
                db.execute(
                    f"SELECT {what} FROM {table}{'' if of_all else where}", () if of_all else values
                ).fetchone()[0]
            )

        return JournalStats(
            messages=count("messages"),
            tokens=count("messages", "CAST(coalesce(sum(tokens), 0) AS BIGINT)"),
            transcripts=count("cursors"),
            rejects=count("rejects"),
            chunks=count("chunks"),
            undelivered=count("outbox"),
            disk_bytes=self._disk_bytes(db),
        )

    def _disk_bytes(self, db: Db) -> int:
        """Return the size of the whole journal, in bytes."""
        raise NotImplementedError
