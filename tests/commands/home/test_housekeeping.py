"""What grows beside memories is let go of by a table, and space is given back."""

import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gieok.commands.home import housekeeping, jobs
from gieok.errors import BadConfig
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.conversation import Cursor, Message, Reject, Role, Run, Usage
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.sqlite import files
from gieok.testing.clock import ManualClock

_NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
_DAY = timedelta(days=1)
_SCOPE = Scope("agent:main")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    for name, value in {
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_HOUSEKEEPING_KEEP": "logs=2, usage=0",
    }.items():
        monkeypatch.setenv(name, str(value))
    opened = open_call({}, clock=ManualClock(_NOW), zone=UTC)
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def _write(call: Call, name: str, days: float) -> Path:
    file = call.home.folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x", encoding="utf-8")
    at = (_NOW - days * _DAY).timestamp()
    os.utime(file, (at, at))
    return file


def test_files_go_by_age_and_number_and_what_waits_or_is_a_persons_stays(call: Call) -> None:
    gone = [
        _write(call, name, days)
        for name, days in [
            ("spool/1.bad", 8),
            ("daemon.log.1", 3),
            ("logs/hook.log.1", 3),
            ("hook/calls.jsonl.1", 3),
            ("set-aside/2026-01-01/memory.sqlite", 100),
            ("resolved/a.json", 100),
            ("archive/agent-main/.ab.gieok.tmp", 2),
            *((f"hook/sessions/old{n}.json", 29) for n in range(3)),
            ("hook/sessions/older.json", 31),
        ]
    ]
    os.utime(call.home.folder / "set-aside" / "2026-01-01", ((_NOW - 100 * _DAY).timestamp(),) * 2)
    kept = [
        _write(call, name, days)
        for name, days in [
            ("spool/1.json", 400),
            ("daemon.log", 400),
            ("spool/2.bad", 6),
            ("memory/note.md", 4000),
            ("config.yaml", 4000),
            (".ab.gieok.tmp", 0.5),
            *((f"hook/sessions/{n}.json", n / 2) for n in range(40)),
        ]
    ]
    said = housekeeping.tidy_home(call)
    assert said == "events 1, shown 4, logs 3, damaged 1, settings 1, unfinished 1"
    assert not [file for file in gone if file.exists()]
    assert [file for file in kept if not file.exists()] == []
    assert housekeeping.tidy_home(call) == ""


def _run(at: datetime, start: int, end: int) -> Run:
    return Run(_SCOPE, "reflect", "reflection", at, start, end, 1, 10, 1, 5)


def test_rows_of_the_journal_go_by_age_and_a_run_stays_as_long_as_what_it_replaced(
    call: Call,
) -> None:
    journal = call.home.journal
    made = Observation("x", _NOW, Priority.LOW, Category.STATE)
    (entry,) = observation.build_observed_entries(_SCOPE, Observed((made,)), _NOW)
    assert journal.commit(0, _run(_NOW - 800 * _DAY, 0, 1), put=[entry])
    assert journal.commit(1, _run(_NOW - 700 * _DAY, 1, 2), forget=[entry.document])
    journal.charge(date(2020, 1, 1), "observer", Usage(1, 2, 3))
    rejects = [Reject("t", n, n, 1, "torn") for n in range(10_002)]
    assert journal.append(_SCOPE, [], Cursor("t", "t"), None, rejects)
    assert housekeeping.tidy_home(call) == "runs 1, rejects 2"
    assert journal.grown() == {"history": 1, "runs": 1, "usage": 1, "rejects": 10_000}
    assert journal.rejects(1)[0].line == 10_001, "the newest stay"
    assert journal.prune({"runs": _NOW}) == {"runs": 0}
    assert journal.prune({"runs": _NOW, "history": _NOW, "usage": _NOW}) == {
        "history": 1,
        "runs": 1,
        "usage": 1,
    }


def test_the_table_is_counted_with_the_days_that_the_user_set(call: Call) -> None:
    _write(call, "daemon.log.1", 1)
    found = {
        row.kind.name: (row.kind.days, row.items, row.bytes)
        for row in housekeeping.count_housekept_kinds(call)
    }
    assert found["logs"] == (2, 1, 1)
    assert found["usage"] == (0, None, 0), "there is no journal"
    assert not (call.home.folder / "journal.sqlite").exists()


@pytest.mark.parametrize("wrong", ["logs", "logs=-1", "memories=3", "rejects=3"])
def test_a_wrong_rule_names_the_setting(
    wrong: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOUSEKEEPING_KEEP", wrong)
    with pytest.raises(BadConfig, match=r"housekeeping\.keep .*kinds: events, shown, logs"):
        open_call({})


def test_it_is_a_job_with_a_schedule(call: Call) -> None:
    planned = {p.job.name: p.next_at for p in jobs.plan_jobs(call)}
    assert planned["housekeeping"] == datetime(2026, 11, 24, 4, 30, tzinfo=UTC)


def test_a_journal_gives_back_what_is_free_where_it_pays_also_one_of_an_older_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MANY_PAGES", 200)
    for number, is_old in enumerate((False, True)):
        file = tmp_path / str(number) / "journal.sqlite"
        journal = SqliteJournal(file)
        if is_old:
            journal.close()
            with sqlite3.connect(file) as db:
                db.execute("PRAGMA auto_vacuum = NONE")
                db.execute("VACUUM")
            db.close()
            journal = SqliteJournal(file)
        said = [Message(str(n), Role.USER, f"{n} " * 2_000, _NOW, "s", "a") for n in range(300)]
        journal.append(_SCOPE, said, Cursor("t", "t"), None)
        assert journal.compact() == 0
        journal.erase(
            _SCOPE, [found.seq for found in journal.read(_SCOPE, 0, budget_tokens=1 << 40)][10:]
        )
        assert journal.compact() > 1_000_000
        assert len(journal.read(_SCOPE, 0, budget_tokens=1 << 40)) == 10
        journal.close()


@pytest.mark.parametrize("page", ["schedules.md", "schedules.ko.md"])
def test_the_documents_have_the_tables(page: str) -> None:
    text = (Path(__file__).parents[3] / "docs" / page).read_text(encoding="utf-8")
    rows = {
        cells[1].strip(" `"): line
        for line in text.splitlines()
        if len(cells := line.split("|")) > 4
    }
    for kind in housekeeping.KINDS:
        assert all(f"{number:,}" in rows[kind.name] for number in (kind.days, kind.most) if number)
    assert {job.name: job.setting in rows[job.name] for job in jobs.JOBS} == {
        job.name: True for job in jobs.JOBS
    }


def test_a_folder_that_another_process_removes_meanwhile_is_passed_over(call: Call) -> None:
    kind = next(kind for kind in housekeeping.KINDS if kind.files and "*/" in kind.files[-1])
    for number in range(4):
        _write(call, f"staging-{number}/.x.gieok.tmp", 9)
    found = housekeeping._iter_kind_files(call.home.folder, kind)
    first = next(found)
    for file in call.home.folder.glob("staging-*/.x.gieok.tmp"):
        if file != first:
            file.unlink()
            file.parent.rmdir()
    assert list(found) == []
