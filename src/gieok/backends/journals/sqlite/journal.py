"""The default journal: one SQLite file, put together of its parts."""

from collections.abc import Iterator
from contextlib import contextmanager

from gieok import fs
from gieok.backends.journals.sqlite.archived import SqliteArchived
from gieok.backends.journals.sqlite.conversations import SqliteConversations
from gieok.backends.journals.sqlite.durable import SqliteDurable
from gieok.backends.journals.sqlite.forgetting import SqliteForgetting
from gieok.backends.journals.sqlite.ledger import SqliteLedger
from gieok.backends.journals.sqlite.messages import SqliteMessages
from gieok.backends.journals.sqlite.positions import SqlitePositions
from gieok.backends.journals.sqlite.talk import SqliteTalk
from gieok.backends.journals.sqlite.upkeep import SqliteUpkeep
from gieok.model.conversation import JournalStats
from gieok.model.memory import Scope

_OF_SCOPE = "WHERE scope_id = (SELECT id FROM scopes WHERE path = ?)"


class SqliteJournal(
    SqliteMessages,
    SqliteConversations,
    SqlitePositions,
    SqliteDurable,
    SqliteArchived,
    SqliteForgetting,
    SqliteTalk,
    SqliteLedger,
    SqliteUpkeep,
):
    """`FullJournal` on one SQLite file."""

    def stats(self, scope: Scope | None = None) -> JournalStats:
        """Count what is held."""
        with self._reading() as db:
            path = scope.path if scope else ""
            where, values = (_OF_SCOPE, (path,)) if scope else ("", ())

            def count(table: str, condition: str = "", bound: tuple[str, ...] = ()) -> int:
                return int(db.execute(f"SELECT count(*) FROM {table} {condition}", bound).fetchone()[0])

            tokens = db.execute(f"SELECT coalesce(sum(tokens), 0) FROM messages {where}", values).fetchone()[0]
            return JournalStats(
                messages=count("messages", where, values),
                tokens=tokens,
                transcripts=count("cursors"),
                rejects=count("rejects"),
                chunks=count("chunks", where, values),
                undelivered=count("outbox", where, values),
                disk_bytes=self._disk_bytes(),
            )

    def _disk_bytes(self) -> int:
        files = (self._file, self._file.with_name(self._file.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    @contextmanager
    def exclusive(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock file of that name, next to the journal."""
        safe = "".join(c if c.isalnum() else "-" for c in name)
        with fs.exclusive(self._file.with_name(f"{self._file.name}.{safe}.lock"), wait=wait) as held:
            yield held
