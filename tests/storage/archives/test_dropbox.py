"""Dropbox by its own SDK, against a server that behaves as Dropbox does."""

from collections.abc import Callable, Iterator

import pytest

from gieok.errors import ArchiveConflict, ArchiveFailed
from gieok.storage.archives import dropbox
from gieok.storage.archives.dropbox import DropboxAccess, DropboxArchive
from gieok.testing.contracts import ArchiveContract
from gieok.testing.dropbox_server import DropboxServer, Fault

# The SDK's own use of what Python 3.12 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow")


@pytest.fixture
def server() -> Iterator[DropboxServer]:
    """Return a Dropbox of one person."""
    made = DropboxServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def waits() -> list[float]:
    """Return the pauses that were made."""
    return []


@pytest.fixture
def archive(server: DropboxServer, waits: list[float]) -> Iterator[DropboxArchive]:
    """Return the folder Gieok in it."""
    session = server.session()
    yield DropboxArchive(
        "Gieok", DropboxAccess("refresh-token", "app-key", session=session, wait=waits.append)
    )
    session.close()


class TestDropbox(ArchiveContract):
    """The contract of every archive."""

    @pytest.fixture
    def make_archive(self, archive: DropboxArchive) -> Callable[[], DropboxArchive]:
        return lambda: archive


def test_nothing_is_asked_before_it_is_used(archive: DropboxArchive, server: DropboxServer) -> None:
    assert archive.location == "Dropbox/Gieok"
    assert server.requests == []


def test_a_listing_of_many_pages_is_whole(archive: DropboxArchive, server: DropboxServer) -> None:
    for n in range(8):
        server.put(f"/Gieok/2026/{n}.md", b"x")
    server.put("/other/mine.md", b"x")
    assert [one.path for one in archive.files()] == [f"2026/{n}.md" for n in range(8)]


def test_what_a_person_writes_and_deletes_is_told(
    archive: DropboxArchive, server: DropboxServer
) -> None:
    server.put("/Gieok/a.md", b"1")
    cursor = archive.changes("").cursor
    rev = server.put("/Gieok/B.md", b"2")
    server.remove("/Gieok/a.md")
    found = archive.changes(cursor)
    assert [(one.path, one.revision) for one in found.files] == [("B.md", rev)]
    assert found.removed == ["a.md"]


def test_a_cursor_that_was_reset_lists_everything_anew(
    archive: DropboxArchive, server: DropboxServer
) -> None:
    server.put("/Gieok/a.md", b"1")
    cursor = archive.changes("").cursor
    server.put("/Gieok/b.md", b"2")
    server.oldest = 2
    found = archive.changes(cursor)
    assert [one.path for one in found.files] == ["a.md", "b.md"]
    assert archive.changes(found.cursor).files == []


def test_a_pause_that_dropbox_asks_for_is_made(
    archive: DropboxArchive, server: DropboxServer, waits: list[float]
) -> None:
    busy = {
        "error_summary": "too_many_requests/",
        "error": {"reason": {".tag": "too_many_requests"}, "retry_after": 7},
    }
    server.faults = [Fault("files/upload", (429, busy, {"Retry-After": "7"}))]
    assert archive.write("a.md", b"1", None) == server.files["/gieok/a.md"].rev
    assert waits == [7.0]


def test_a_pause_that_is_too_long_is_left_to_the_next_run(
    archive: DropboxArchive, server: DropboxServer, waits: list[float]
) -> None:
    server.faults = [
        Fault("files/upload", (429, "busy", {"content-type": "text/plain", "retry-after": "300"}))
    ]
    with pytest.raises(ArchiveFailed, match="300 s"):
        archive.write("a.md", b"1", None)
    assert waits == []


def test_an_answer_that_was_lost_is_no_conflict_with_oneself(
    archive: DropboxArchive, server: DropboxServer, waits: list[float]
) -> None:
    server.faults = [Fault("files/upload", None, is_after=True)]
    rev = archive.write("a.md", b"1", None)
    assert (server.files["/gieok/a.md"].data, server.files["/gieok/a.md"].rev) == (b"1", rev)
    server.faults = [Fault("files/upload", None, is_after=True)]
    assert archive.write("a.md", b"2", rev) == server.files["/gieok/a.md"].rev
    server.faults = [Fault("files/delete_v2", None, is_after=True)]
    archive.delete("a.md", server.files["/gieok/a.md"].rev)
    assert server.files == {}


def test_a_conflict_after_a_break_stays_one(archive: DropboxArchive, server: DropboxServer) -> None:
    server.put("/Gieok/a.md", b"theirs")
    server.faults = [Fault("files/upload", (503, "down", {}))]
    with pytest.raises(ArchiveConflict):
        archive.write("a.md", b"ours", None)
    assert server.files["/gieok/a.md"].data == b"theirs"


def test_a_service_that_is_down_is_tried_four_times(
    archive: DropboxArchive, server: DropboxServer, waits: list[float]
) -> None:
    server.faults = [Fault("files/upload", (500, "down", {}))] * 4
    with pytest.raises(ArchiveFailed, match="does not answer"):
        archive.write("a.md", b"1", None)
    assert waits == [1.0, 4.0, 15.0]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small contents go up in parts."""
    monkeypatch.setattr(dropbox, "MOST_AT_ONCE_BYTES", 10)
    monkeypatch.setattr(dropbox, "PART_BYTES", 4)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("route", ["start", "append_v2", "finish"])
def test_an_upload_goes_on_where_it_broke_off(
    archive: DropboxArchive, server: DropboxServer, route: str, *, is_after: bool
) -> None:
    data = bytes(range(23))
    server.faults = [Fault(f"files/upload_session/{route}", None, is_after=is_after)]
    rev = archive.write("big.md", data, None)
    assert (server.files["/gieok/big.md"].data, server.files["/gieok/big.md"].rev) == (data, rev)
    assert server.most_session_bytes == 4
    again = archive.write("big.md", data[::-1], rev)
    assert archive.read("big.md") == (data[::-1], again)


@pytest.mark.usefixtures("parts")
def test_a_large_file_overwrites_nothing_unexpected(
    archive: DropboxArchive, server: DropboxServer
) -> None:
    server.put("/Gieok/big.md", b"theirs")
    with pytest.raises(ArchiveConflict):
        archive.write("big.md", bytes(30), None)
    assert server.files["/gieok/big.md"].data == b"theirs"


def test_what_arrives_damaged_is_told(archive: DropboxArchive, server: DropboxServer) -> None:
    rev = archive.write("a.md", b"1", None)
    held = server.files["/gieok/a.md"]
    times = dict.fromkeys(("client_modified", "server_modified"), "2026-11-21T00:00:00Z")
    facts = {
        "name": "a.md",
        "id": "id:abc1234567890123456",
        **times,
        "rev": rev,
        "size": 1,
        "content_hash": "0" * 64,
    }
    server.faults = [Fault("files/upload", (200, facts, {}))]
    with pytest.raises(ArchiveFailed, match="damaged"):
        archive.write("b.md", b"1", None)
    server.files["/gieok/a.md"] = held
    assert archive.read("a.md") == (b"1", rev)


def test_a_token_that_was_revoked_is_named(archive: DropboxArchive, server: DropboxServer) -> None:
    server.tokens = set()
    with pytest.raises(ArchiveFailed, match="DROPBOX_REFRESH_TOKEN") as caught:
        list(archive.files())
    assert "gieok keys set DROPBOX_REFRESH_TOKEN" in str(caught.value.hint)
    assert "refresh-token" not in str(caught.value)


def test_an_app_that_is_unknown_is_named(server: DropboxServer) -> None:
    with server.session() as session:
        archive = DropboxArchive(
            "Gieok", DropboxAccess("refresh-token", "another", session=session)
        )
        with pytest.raises(ArchiveFailed, match="DROPBOX_APP_KEY"):
            list(archive.files())


@pytest.mark.parametrize(
    ("token", "key", "named"), [("", "k", "DROPBOX_REFRESH_TOKEN"), ("t", "", "DROPBOX_APP_KEY")]
)
def test_what_is_not_set_is_named(token: str, key: str, named: str) -> None:
    with pytest.raises(ArchiveFailed, match=named):
        DropboxArchive("Gieok", DropboxAccess(token, key))


def test_an_access_token_that_ran_out_is_renewed(
    archive: DropboxArchive, server: DropboxServer
) -> None:
    archive.write("a.md", b"1", None)
    server.access = 7
    archive.write("b.md", b"1", None)
    assert server.requests.count("oauth2/token") == 2


def test_a_dropbox_that_is_full_says_so(archive: DropboxArchive, server: DropboxServer) -> None:
    full = {".tag": "path", "reason": {".tag": "insufficient_space"}, "upload_session_id": "u"}
    server.faults = [
        Fault(
            "files/upload", (409, {"error_summary": "path/insufficient_space/", "error": full}, {})
        )
    ]
    with pytest.raises(ArchiveFailed, match="full"):
        archive.write("a.md", b"1", None)
