"""`gieok erase --all` with the store on PostgreSQL: afterwards no row of ours is there, and what
stays is named.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gieok.surfaces.cli import main

_SAID = "We deploy on Fridays, and Nadia approves it."
#: How the tables are made, which the next user of the database needs.
_FORM = ("meta", "migrations")
_TABLES = """
SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relname <> ALL(%s)
AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'gieok%%')
"""


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_database: Callable[[], str]) -> str:
    """Return a database that is the store of a person's memory."""
    made = make_database()
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
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "cat.md").write_text("고양이 보리는 연어를 좋아한다.\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_STORE": "postgres",
        "GIEOK_DATABASE_URL": made,
    }.items():
        monkeypatch.setenv(name, value)
    return made


def _run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main([*arguments, "--json"])
    return status, json.loads(capfd.readouterr().out)


def _rows(url: str) -> dict[str, int]:
    """Return how many rows each table of ours has, where it has any."""
    with psycopg.connect(url) as db:
        tables = [name for (name,) in db.execute(_TABLES, (list(_FORM),)).fetchall()]
        counts = {name: db.execute(f"SELECT count(*) FROM {name}").fetchone() for name in tables}
    return {name: row[0] for name, row in counts.items() if row and row[0]}


def test_after_erasing_no_row_of_ours_is_on_the_server(
    url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _run(capfd, "index", str(tmp_path / "notes"))[0] == 0
    _run(capfd, "index", str(tmp_path / "empty"), "--scope", "agent:other")
    assert _run(capfd, "remember", "We lint with ruff.")[0] == 0
    assert _run(capfd, "remember", "I work at night.", "--user")[0] == 0
    assert _run(capfd, "search", "who approves?")[1]["results"]
    assert _rows(url)
    status, erased = _run(capfd, "erase", "--all", "--yes")
    assert status == 0
    assert next(one["path"] for one in erased["removed"]).startswith("postgresql://")
    assert _rows(url) == {}
    assert not (tmp_path / "home").exists()


def test_a_dry_run_of_erasing_leaves_every_row(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert _run(capfd, "remember", "We lint with ruff.")[0] == 0
    before = _rows(url)
    assert _run(capfd, "erase", "--all", "--dry-run")[0] == 0
    assert _rows(url) == before


def test_a_server_that_is_away_is_named_as_what_stays_and_the_exit_status_says_so(
    url: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _run(capfd, "remember", "We lint with ruff.")[0] == 0
    monkeypatch.setenv("GIEOK_DATABASE_URL", "postgresql://me@127.0.0.1:1/memory")
    status, erased = _run(capfd, "erase", "--all", "--yes")
    assert status == 1
    assert any("postgres unreachable" in one["reason"] for one in erased["left"])
    assert not any(one["path"].startswith("postgresql://") for one in erased["removed"])
    assert _rows(url)
