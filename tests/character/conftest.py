from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from character_talk import CharacterTalk

from gieok.character.memory.service import CharacterService
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.memory_store import MemoryStore


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def talk(journal: SqliteJournal) -> CharacterTalk:
    clock = ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    return CharacterTalk(CharacterService(journal=journal, store=MemoryStore(), clock=clock), clock)
