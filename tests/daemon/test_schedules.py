"""Jobs at their time, by a clock that is moved by hand."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from contexts import opened_home, using

from gieok.commands.home import jobs
from gieok.commands.home.jobs import HomeJob, Ran, plan_jobs, run_due
from gieok.daemon.board import Board
from gieok.daemon.schedules import Schedules
from gieok.errors import BadConfig, StoreBusy
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.text.messages import Words

_NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)


class _Told:
    """A job that counts, and fails as long as it is told to; and a notifier."""

    def __init__(self) -> None:
        self.runs: list[datetime] = []
        self.told: list[str] = []
        self.fails = False

    def job(self, clock: ManualClock) -> HomeJob:
        def work(_: Call, is_stopped: jobs.Stopped) -> str:
            assert not is_stopped()
            self.runs.append(clock.now())
            if self.fails:
                raise StoreBusy("somebody has it")
            return "done"

        return HomeJob("count", "reflect.schedule", Words("counting"), work)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_NOW)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Iterator[Call]:
    with opened_home(tmp_path / "home", monkeypatch, clock, REFLECT_SCHEDULE="0 3 * * *") as opened:
        yield opened


def _log(call: Call) -> str:
    file = call.home.folder / "daemon.log"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_what_is_new_waits_for_its_time_and_is_done_once_then(
    call: Call, clock: ManualClock
) -> None:
    told = _Told()
    table = [told.job(clock)]
    assert run_due(call, table) == []
    clock.advance(_DAY)
    assert run_due(call, table) == [Ran("count", True, "done")]
    assert run_due(call, table) == []
    (planned,) = plan_jobs(call, table)
    assert (planned.last_at, planned.next_at) == (
        clock.now(),
        datetime(2026, 11, 25, 3, tzinfo=UTC),
    )


def test_a_month_without_a_daemon_is_made_up_for_once_by_whoever_comes_first(
    call: Call, clock: ManualClock
) -> None:
    told = _Told()
    run_due(call, [told.job(clock)])
    clock.advance(31 * _DAY)
    again = open_call({}, clock=clock, zone=UTC)  # another process
    assert len(run_due(again, [told.job(clock)]) + run_due(call, [told.job(clock)])) == 1
    again.home.journal.close()


def test_a_clock_that_is_set_back_stops_nothing(call: Call, clock: ManualClock) -> None:
    told = _Told()
    table = [told.job(clock)]
    run_due(call, table)
    clock.advance(-400 * _DAY)
    assert run_due(call, table) == []
    clock.advance(_DAY)
    assert len(run_due(call, table)) == 1
    clock.advance(-2 * _HOUR)
    assert run_due(call, table) == []
    clock.advance(_DAY)
    assert len(run_due(call, table)) == 1


def test_what_fails_is_one_incident_tried_again_ever_later_and_told_once(
    call: Call, clock: ManualClock
) -> None:
    told = _Told()
    table = [told.job(clock)]
    run_due(call, table)
    clock.advance(_DAY)
    told.fails = True
    waits = []
    for _ in range(9):
        assert [ran.ok for ran in run_due(call, table)] == [False]
        assert run_due(call, table) == [], "not before its time"
        (planned,) = plan_jobs(call, table)
        assert planned.next_at is not None
        assert planned.failed == "somebody has it"
        waits.append((planned.next_at - clock.now()).total_seconds() / 60)
        clock.advance(planned.next_at - clock.now())
    assert waits[:3] == [5, 10, 20]
    assert waits[-1] == 360
    assert _log(call).count("counting failed") == 1
    assert [incident.name for incident in call.home.journal.incidents()] == ["job count"]
    told.fails = False
    assert [ran.ok for ran in run_due(call, table)] == [True]
    assert call.home.journal.incidents() == []


def test_one_that_fails_does_not_keep_the_others(call: Call, clock: ManualClock) -> None:
    def broken(call: Call, is_stopped: jobs.Stopped) -> str:
        raise ZeroDivisionError

    told = _Told()
    table = [HomeJob("broken", "reflect.schedule", Words("a"), broken), told.job(clock)]
    run_due(call, table)
    clock.advance(_DAY)
    assert [ran.ok for ran in run_due(call, table)] == [False, True]


def test_each_machine_of_a_shared_journal_looks_after_its_own_files_and_one_of_them_after_the_rest(
    call: Call, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = _Told()
    table = [told.job(clock), told.job(clock)._replace(name="own", is_local=True)]
    monkeypatch.setattr(SqliteJournal, "location", "postgresql://server/memory")
    journal = call.home.journal
    stores = call.home.stores
    settings = call.home.settings._replace(home=tmp_path / "other")
    other = using(call, settings=settings, journal=journal, stores=stores)
    for one in (call, other):
        run_due(one, table)
    clock.advance(_DAY)
    assert [ran.name for ran in run_due(call, table)] == ["count", "own"]
    assert [ran.name for ran in run_due(other, table)] == ["own"]


def test_the_daemon_sleeps_until_the_next_job_and_never_longer_than_a_clock_may_be_wrong(
    call: Call, clock: ManualClock
) -> None:
    told, board = _Told(), Board()
    keeper = Schedules(lambda: call, board, [told.job(clock)])
    assert keeper.round() == 600
    assert board.parts["schedules"] == "count at 2026-11-24 03:00"
    clock.advance(timedelta(hours=14, minutes=57))
    assert keeper.round() == 180
    clock.advance(timedelta(minutes=3))
    assert keeper.round() == 600
    assert told.runs == [datetime(2026, 11, 24, 3, tzinfo=UTC)]
    board.stop.set()
    clock.advance(_DAY)
    keeper.keep()
    assert len(told.runs) == 1, "it is to stop"


def test_a_job_that_takes_long_runs_beside_the_others(call: Call) -> None:
    """Validation may ask a model for minutes."""
    assert [job.name for job in jobs.LONG_JOBS] == ["validate"]
    assert {*jobs.SHORT_JOBS, *jobs.LONG_JOBS} == {*jobs.JOBS}
    board = Board()
    Schedules(lambda: call, board, jobs.LONG_JOBS, part="validation").round()
    assert board.parts == {"validation": "validate at 2026-11-23 13:00"}


def test_a_wrong_schedule_names_its_setting(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIEOK_REFLECT_SCHEDULE", "0 25 * * *")
    with pytest.raises(
        BadConfig, match=r"reflect\.schedule is '0 25 \* \* \*' .* bad hour"
    ) as caught:
        open_call({})
    assert '"0 3 * * *": every day' in str(caught.value.hint)
    monkeypatch.setenv("GIEOK_REFLECT_SCHEDULE", "")
    call.home.folder.mkdir()
    (call.home.folder / "config.yaml").write_text("reflect.schedule: '* * *'\n", encoding="utf-8")
    with pytest.raises(BadConfig, match=r"reflect\.schedule .* 5 fields"):
        open_call({})
