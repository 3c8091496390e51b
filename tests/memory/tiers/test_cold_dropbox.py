"""The cold tier in Dropbox, through its SDK: a file a day, both ways, over a network that
breaks.
"""

import dataclasses
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest
import vaults
from vaults import HOME, Vault, observe

from gieok.errors import ArchiveFailed
from gieok.memory.tiers import approval, questions, sync
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.questions import ArchiveQuestionKind
from gieok.memory.tiers.shelf import Shelf
from gieok.model.memory import CORRECTED, Tier
from gieok.storage.archives.dropbox import DropboxAccess, DropboxArchive
from gieok.testing.dropbox_server import DropboxServer, Fault

# The SDK's own use of what Python 3.12 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow")
_DAY = "/gieok/agent-main/2024-08-01.md"


@pytest.fixture
def server() -> Iterator[DropboxServer]:
    """Return a Dropbox of one person."""
    made = DropboxServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Return a vault."""
    made = vaults.make(tmp_path)
    yield made
    made.tiers.journal.close()


@pytest.fixture
def box(vault: Vault, server: DropboxServer) -> Iterator[Vault]:
    """Return the same with its cold tier in Dropbox."""
    with server.session() as session:
        access = DropboxAccess(
            "refresh-token", "app-key", session=session, wait=lambda seconds: None
        )
        archive = DropboxArchive("Gieok/agent-main", access)
        shelves = {
            **vault.tiers.shelves,
            Tier.COLD: Shelf(Tier.COLD, DayForm(UTC), lambda scope: archive),
        }
        yield Vault(vault.folder, dataclasses.replace(vault.tiers, shelves=shelves))


def _edit(server: DropboxServer, old: str, new: str) -> None:
    held = server.files[_DAY]
    server.put(held.path, held.data.decode().replace(old, new).encode())


def test_a_day_goes_to_dropbox_and_an_edit_there_comes_back(
    box: Vault, server: DropboxServer
) -> None:
    observe(box.tiers, "We ship with SQLite", "We deploy on Fridays")
    assert list(server.files) == [_DAY]
    assert box.sync() == sync.Synced()
    _edit(server, "We ship with SQLite", "We ship with DuckDB")
    assert box.sync().corrected == 1
    assert box.document("We ship with DuckDB").metadata[CORRECTED]
    assert box.place(box.document("We deploy on Fridays")) == "2024-08-01.md"
    assert box.sync() == sync.Synced()


def test_a_bullet_that_was_deleted_there_is_asked_about(box: Vault, server: DropboxServer) -> None:
    observe(box.tiers, "We ship with SQLite", "We deploy on Fridays")
    document = box.document("We ship with SQLite")
    lines = server.files[_DAY].data.decode().split("\n")
    at = next(n for n, line in enumerate(lines) if "SQLite" in line)
    server.put("/Gieok/agent-main/2024-08-01.md", "\n".join(lines[:at] + lines[at + 2 :]).encode())
    assert box.sync().asked == 1
    assert box.questions() == [(ArchiveQuestionKind.DELETED, document.key)]
    approval.written_back(box.tiers, questions.load_questions(box.tiers.journal))
    assert "We ship with SQLite" in server.files[_DAY].data.decode()
    assert box.sync() == sync.Synced()


def test_a_cursor_that_was_reset_loses_no_deletion(box: Vault, server: DropboxServer) -> None:
    observe(box.tiers, "We ship with SQLite")
    observe(box.tiers, "We deploy on Fridays", day=1)
    observe(box.tiers, "We log for 90 days", day=2)
    box.sync()
    server.remove(_DAY)
    server.oldest = len(server.log)
    assert box.sync().asked == 1
    assert box.questions() == [
        (ArchiveQuestionKind.DELETED, box.document("We ship with SQLite").key)
    ]


def test_what_breaks_off_leaves_the_memory_where_it_was(box: Vault, server: DropboxServer) -> None:
    server.faults = [Fault("files/upload", (500, "down", {}))] * 4
    observe(box.tiers, "We ship with SQLite")
    (row,) = box.tiers.journal.archived(HOME)
    assert (row.place.tier, server.files) == (Tier.WARM, {})
    assert approval.approve_days(box.tiers, [row.day]).moved == 1
    server.tokens = set()
    server.access = 7
    with pytest.raises(ArchiveFailed, match="DROPBOX_REFRESH_TOKEN"):
        box.sync()
    assert box.questions() == []


def test_where_another_archive_is_chosen_what_is_not_there_is_asked_about_and_written_there(
    vault: Vault, box: Vault, server: DropboxServer
) -> None:
    observe(vault.tiers, "We ship with SQLite", "We deploy on Fridays")
    assert box.sync().asked == 2
    assert approval.written_back(box.tiers, questions.load_questions(box.tiers.journal)).moved == 2
    assert list(server.files) == [_DAY]
    assert box.sync() == sync.Synced()
    assert vault.sync().followed == 2  # chosen again, the notes are there still
    assert vault.sync() == sync.Synced()
