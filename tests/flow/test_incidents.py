"""When what failed is tried again."""

from datetime import timedelta
from pathlib import Path

import pytest

from gieok.flow.incidents import Incidents
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing import ManualClock

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)


class _Told:
    def __init__(self) -> None:
        self.told: list[str] = []

    def notify(self, title: str, text: str) -> None:
        self.told.append(f"{title}: {text}")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def told() -> _Told:
    return _Told()


@pytest.fixture
def incidents(tmp_path: Path, clock: ManualClock, told: _Told) -> Incidents:
    return Incidents(SqliteJournal(tmp_path / "journal.sqlite"), clock, told)


def _fail(incidents: Incidents) -> timedelta:
    incidents.failed("model", ValueError("down"), "The model", first=_MINUTE, longest=_HOUR)
    found = incidents.find("model")
    assert found
    return found.next_try


def test_each_try_waits_twice_as_long_up_to_the_longest(
    incidents: Incidents, clock: ManualClock, told: _Told
) -> None:
    waits = [(_fail(incidents) - clock.now()) / _MINUTE for _ in range(8)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    assert told.told == ["The model: down"], "once an incident"
    incidents.resolved("model")
    assert incidents.find("model") is None
    assert (_fail(incidents) - clock.now()) / _MINUTE == 1
    assert len(told.told) == 2


def test_it_is_tried_again_when_its_time_has_come(incidents: Incidents, clock: ManualClock) -> None:
    assert not incidents.waits("model")
    _fail(incidents)
    assert incidents.waits("model")
    clock.advance(_MINUTE)
    assert not incidents.waits("model")


def test_a_clock_that_is_set_back_blocks_no_try(incidents: Incidents, clock: ManualClock) -> None:
    _fail(incidents)
    clock.advance(-timedelta(days=2))
    assert not incidents.waits("model")
    clock.advance(2 * _MINUTE)
    assert incidents.waits("model")
