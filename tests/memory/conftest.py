from collections.abc import Iterator
from pathlib import Path

import pytest

from gieok.storage.journal.sqlite.journal import SqliteJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "home" / "journal.sqlite")
    yield opened
    opened.close()
