"""The SQLite journal keeps the contract, and many processes may open its file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.backends.journals.sqlite.journal import SqliteJournal
from gieok.testing.contracts import JournalContract, JournalProcessContract


class TestSqliteJournal(JournalContract):
    @pytest.fixture
    def make_journal(self, tmp_path: Path) -> Callable[[], SqliteJournal]:
        self.files: dict[SqliteJournal, Path] = {}
        return lambda: self.open(tmp_path / f"{len(self.files)}.sqlite")

    def open(self, file: Path) -> SqliteJournal:
        journal = SqliteJournal(file)
        self.files[journal] = file
        return journal

    def reopen(self, journal: SqliteJournal) -> SqliteJournal:
        return self.open(self.files[journal])


class TestSqliteJournalProcesses(JournalProcessContract):
    @pytest.fixture
    def make_journal(self, tmp_path: Path) -> Callable[[], SqliteJournal]:
        return lambda: SqliteJournal(tmp_path / "journal.sqlite")

    @pytest.fixture
    def opening(self, tmp_path: Path) -> str:
        return (
            "from pathlib import Path; from gieok.backends.journals.sqlite.journal import SqliteJournal; "
            f"journal = SqliteJournal(Path({str(tmp_path / 'journal.sqlite')!r}))"
        )
