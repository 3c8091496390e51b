"""The SQLite journal keeps the contract, and many processes may open its file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gieok.model.archive import Move
from gieok.storage.journal.sql.durable import to_text
from gieok.storage.journal.sqlite import schema
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.contracts import JournalContract, JournalProcessContract
from gieok.testing.contracts.archive_rows import lives
from gieok.testing.contracts.journal import append_turns
from gieok.testing.samples import HOME, build_entry, build_message


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
            "from pathlib import Path; from gieok.storage.journal.sqlite.journal import "
            "SqliteJournal; "
            f"journal = SqliteJournal(Path({str(tmp_path / 'journal.sqlite')!r}))"
        )


def test_a_journal_of_schema_4_keeps_what_it_holds_and_learns_to_archive(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    old = sqlite3.connect(file)
    tables = schema._TABLES.replace(schema._ARCHIVED, "").replace(schema._TALK, "")
    old.executescript(tables.replace(f"user_version = {schema.SCHEMA_VERSION}", "user_version = 4"))
    old.close()
    kept = build_entry("a", "x")
    old = sqlite3.connect(file)
    old.execute("INSERT INTO scopes VALUES (1, ?)", (HOME.path,))
    old.execute("INSERT INTO outbox (scope_id, key, entry) VALUES (1, 'a', ?)", (to_text(kept),))
    old.commit()
    old.close()
    journal = SqliteJournal(file)
    assert (journal.made(HOME), journal.archived(HOME)) == ([kept], [])
    assert journal.archive([Move(kept, lives(kept))]) == []
    assert (journal.made(HOME), journal.archived(HOME)) == ([], [lives(kept)])
    journal.close()


def test_a_file_is_known_as_a_journal_by_its_number(tmp_path: Path) -> None:
    SqliteJournal(tmp_path / "journal.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (int.from_bytes(b"GIEJ"),)


def test_a_copy_holds_the_same_rows_and_cursors(tmp_path: Path) -> None:
    with (
        closing(SqliteJournal(tmp_path / "one.sqlite")) as one,
        closing(SqliteJournal(tmp_path / "two.sqlite")) as two,
    ):
        append_turns(one, build_message("a"), build_message("b"))
        append_turns(one, build_message("c"), file="2:2")
        one.correct(HOME, "a", "another")
        for scope in (HOME, None):
            two.take_rows(scope, one.copied_rows(scope))
            assert list(two.copied_rows(scope)) == list(one.copied_rows(scope))
        assert (two.cursors(), two.corrections(HOME)) == (one.cursors(), {"a": "another"})
