"""The journal on a server from the command line: one setting, and everything else is as before."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gieok.surfaces.cli import main

_SAID = "We deploy on Fridays, and Nadia approves it."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home whose journal is on a server, and a session of an agent in a project."""
    transcripts = tmp_path / ".claude" / "projects" / "shop"
    transcripts.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    line = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s",
        "cwd": str(tmp_path / "shop"),
        "timestamp": "2026-11-20T09:00:00.000Z",
        "message": {"role": "user", "content": _SAID},
    }
    (transcripts / "s.jsonl").write_text(json.dumps(line) + "\n")
    monkeypatch.chdir(tmp_path / "shop")
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_JOURNAL": "postgres",
    }.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "home"


def _run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main([*arguments, "--json"])
    return status, json.loads(capfd.readouterr().out)


def test_what_is_said_goes_to_the_server_and_is_found(
    home: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    make_database: Callable[[], str],
) -> None:
    monkeypatch.setenv("GIEOK_DATABASE_URL", make_database())
    assert _run(capfd, "index")[0] == 0
    _, found = _run(capfd, "search", "who approves?")
    assert _SAID in json.dumps(found["results"][0])
    _, status = _run(capfd, "status")
    assert status["journal"].startswith("postgresql://")
    _, proven = _run(capfd, "doctor")
    assert status["accounts"] == status["journal"]
    (accounts,) = [check for check in proven["checks"] if check["name"] == "accounts"]
    assert (accounts["ok"], accounts["detail"].endswith("all sums agree")) == (True, True)
    (journal,) = [check for check in proven["checks"] if check["name"] == "journal"]
    assert (journal["ok"], journal["detail"].partition(" in ")[0]) == (True, "1 messages")
    assert not list(home.glob("journal.sqlite*"))
    _, erased = _run(capfd, "erase", "--all", "--dry-run")
    assert "DROP SCHEMA gieok_accounts" in json.dumps(erased)
    _, kept = _run(capfd, "backup", "create")
    assert "pg_dump -n gieok_journal -n gieok_accounts" in json.dumps(kept)


def test_a_server_that_is_down_is_an_error_with_the_next_step(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/memory")
    assert main(["observe", "run", "--once"]) == 2
    err = capfd.readouterr().err
    assert "postgres unreachable: postgresql://me@127.0.0.1:1/memory" in err
    assert "database.url" in err
    assert "hunter2" not in err
    monkeypatch.delenv("GIEOK_DATABASE_URL")
    assert main(["observe", "run", "--once"]) == 2
    assert "`journal: postgres` needs `database.url`" in capfd.readouterr().err
    assert not home.joinpath("journal.sqlite").exists()
