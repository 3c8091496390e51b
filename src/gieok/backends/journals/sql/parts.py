"""The parts of the journal put together, and its counts."""

from gieok.backends.journals.sql.archived import SqlArchived
from gieok.backends.journals.sql.forgetting import SqlForgetting
from gieok.backends.journals.sql.kept import SqlKept
from gieok.backends.journals.sql.ledger import SqlLedger
from gieok.backends.journals.sql.positions import SqlPositions
from gieok.backends.journals.sql.upkeep import SqlUpkeep
from gieok.model.conversation import JournalStats
from gieok.model.memory import Scope


class SqlParts(SqlPositions, SqlForgetting, SqlKept, SqlArchived, SqlLedger, SqlUpkeep):
    """`FullJournal` but for what a database does its own way: `exclusive`, `compact`, `scrub`, `close`."""

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Count what is held."""
        with self._reading_of(scope) if scope else self._reading() as found:
            db, values = (found[0], (found[1],)) if scope else (found, ())
            where = " WHERE scope_id = ?" if scope else ""

            def count(table: str) -> int:
                return int(db.execute(f"SELECT count(*) FROM {table}{where}", values).fetchone()[0])

            total = f"SELECT CAST(coalesce(sum(tokens), 0) AS BIGINT) FROM messages{where}"
            return JournalStats(
                messages=count("messages"),
                tokens=int(db.execute(total, values).fetchone()[0]),
                transcripts=int(db.execute("SELECT count(*) FROM cursors").fetchone()[0]),
                rejects=int(db.execute("SELECT count(*) FROM rejects").fetchone()[0]),
                chunks=count("chunks"),
                undelivered=count("outbox"),
                disk_bytes=self._disk_bytes(),
            )

    def _disk_bytes(self) -> int:
        """Return the size of everything, in bytes."""
        raise NotImplementedError
