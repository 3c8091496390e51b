"""`gieok doctor` and `status --deep` of what lies on servers: PostgreSQL and Dropbox that answer,
and that do not.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import dropbox.dropbox_client
import pytest

from gieok.commands import load_command
from gieok.commands.home.doctor import Check
from gieok.home.calls import open_call
from gieok.surfaces.cli import main
from gieok.testing.dropbox_server import DropboxServer, Fault

# The SDK's own use of what Python 3.12 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow")
_NOBODY = "postgresql://me@127.0.0.1:1/memory"
_DOWN: tuple[int, object, Mapping[str, str]] = (503, "", {})


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of somebody who uses nothing yet."""
    for name in [
        name for name in os.environ if name.endswith(("_API_KEY", "_CONFIG_DIR", "_HOME"))
    ]:
        monkeypatch.delenv(name)
    for name, value in {
        "HOME": tmp_path,
        "GIEOK_HOME": tmp_path / "g",
        "GIEOK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Iterator[DropboxServer]:
    """Return a Dropbox of one person, in place of the one at Dropbox."""
    made = DropboxServer()
    monkeypatch.setattr(dropbox.dropbox_client, "create_session", lambda **_: made.session())
    monkeypatch.setenv("DROPBOX_REFRESH_TOKEN", "refresh-token")
    monkeypatch.setenv("DROPBOX_APP_KEY", "app-key")
    yield made
    made.shutdown()
    made.server_close()


def _checks(name: str, **flags: str) -> dict[str, Check]:
    """Return what `doctor`, or `status --deep`, says of each chain."""
    call = open_call(
        {name.replace("__", "."): value for name, value in flags.items()}, forgiving=True
    )
    values = {} if name == "doctor" else {"deep": True}
    return {check.name: check for check in load_command(name)(call, **values).checks}


@pytest.mark.parametrize("name", ["doctor", "status"])
def test_a_postgresql_that_answers_is_written_to_and_read(
    make_database: Callable[[], str], name: str
) -> None:
    checks = _checks(name, store="postgres", journal="postgres", database__url=make_database())
    assert checks["store"].ok
    assert checks["store"].detail.startswith("postgres is sound: ")
    assert checks["journal"].ok
    assert checks["write, read back, search"].ok


def test_a_postgresql_that_does_not_answer_gets_no_tick_and_nothing_that_needs_it() -> None:
    checks = _checks("doctor", store="postgres", database__url=_NOBODY)
    assert checks["store"].ok is False
    assert "127.0.0.1" in checks["store"].detail
    assert checks["store"].hint
    assert "write, read back, search" not in checks


def test_status_of_a_postgresql_that_does_not_answer_says_so_and_counts_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIEOK_STORE", "postgres")
    monkeypatch.setenv("GIEOK_DATABASE_URL", _NOBODY)
    assert main(["status", "--deep"]) != 0
    printed = capfd.readouterr()
    assert (printed.out, "postgres unreachable" in printed.err) == ("", True)


def test_a_journal_on_a_postgresql_that_does_not_answer_gets_no_tick() -> None:
    assert _checks("doctor", journal="postgres", database__url=_NOBODY)["journal"].ok is False


@pytest.mark.parametrize("name", ["doctor", "status"])
def test_a_dropbox_that_answers_is_asked_for_its_files(box: DropboxServer, name: str) -> None:
    check = _checks(name, archive__cold="dropbox")["archive"]
    assert (check.ok, check.detail) == (True, "Dropbox/Gieok/agent-main")
    assert "files/list_folder" in box.requests


@pytest.mark.parametrize("name", ["doctor", "status"])
def test_a_dropbox_that_does_not_answer_is_tried_once_and_said(
    box: DropboxServer, name: str
) -> None:
    box.faults = [Fault("files/list_folder", _DOWN)]
    check = _checks(name, archive__cold="dropbox")["archive"]
    assert (check.ok, check.detail) == (False, "Dropbox does not answer")
    assert box.requests.count("files/list_folder") == 1


def test_a_dropbox_that_takes_the_token_no_more_is_said_with_the_next_step(
    box: DropboxServer,
) -> None:
    box.tokens.clear()
    check = _checks("doctor", archive__cold="dropbox")["archive"]
    assert check.ok is False
    assert "DROPBOX_REFRESH_TOKEN" in check.detail
    assert "gieok keys set" in check.hint
