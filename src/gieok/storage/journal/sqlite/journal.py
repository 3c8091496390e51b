"""The default journal: one SQLite file."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from gieok import fs
from gieok.model.memory import Scope
from gieok.opening import Opening
from gieok.storage.journal.sql.database import Db
from gieok.storage.journal.sql.parts import SqlParts
from gieok.storage.journal.sqlite.talk import SqliteTalk
from gieok.storage.sqlite import files
from gieok.storage.sqlite.failures import translated
from gieok.zone import find_zone


class SqliteJournal(SqliteTalk, SqlParts):
    """`FullJournal` on one SQLite file."""

    @classmethod
    def open(cls, opening: Opening) -> "SqliteJournal":
        """Return the journal of the home folder."""
        return cls(opening.file, sealers=opening.sealers, zone=find_zone(opening.setting("zone")))

    @property
    def location(self) -> str:
        """Return the path of the file."""
        return str(self._file)

    def _disk_bytes(self, db: Db) -> int:  # noqa: ARG002 - the files' size says it
        parts = (self._file, self._file.with_name(self._file.name + "-wal"))
        return sum(file.stat().st_size for file in parts if file.exists())

    @contextmanager
    def exclusive(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock file with this name, next to the journal."""
        if self._own.is_held_inside(name):
            yield True
            return
        safe = "".join(c if c.isalnum() else "-" for c in name)
        file = self._file.with_name(f"{self._file.name}.{safe}.lock")
        with fs.exclusive(file, wait=wait) as is_held, self._own.noting(name, is_held=is_held):
            yield is_held

    @contextmanager
    def transaction(self, scope: Scope, lock: str = "") -> Iterator[None]:
        """Let the reads and writes of this thread inside be one transaction.

        Nobody else writes meanwhile, or holds the lock `lock`.
        """
        with ExitStack() as held:
            if lock and not self._own.is_held(lock):
                held.enter_context(self.exclusive(lock))
            held.enter_context(self._joining(scope))
            yield

    def compact(self, spare_bytes: int = 0) -> int:
        """Give free pages back where that pays; return the freed bytes."""
        with translated(self._file, self.what):
            db: sqlite3.Connection = self._db()
            before = _measure_journal_bytes(db)
            files.give_back_pages(db, spare_bytes)
            return before - _measure_journal_bytes(db)


def _measure_journal_bytes(db: sqlite3.Connection) -> int:
    return files.pragma(db, "page_count") * files.pragma(db, "page_size")
