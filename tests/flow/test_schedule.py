"""Cron expressions where clocks change, are set back, or nobody was awake."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest

from gieok.flow import schedule
from gieok.flow.schedule import Schedule
from gieok.zone import MachineZone

_BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"


@pytest.fixture(params=["zoneinfo", "system"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tzinfo]:
    if request.param == "zoneinfo":
        yield ZoneInfo("Europe/Berlin")
        return
    with monkeypatch.context() as patched:
        patched.setenv("TZ", _BERLIN)
        time.tzset()
        yield MachineZone()
    time.tzset()


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "moment", "expected"),
    [
        ("0 3 * * *", "2026-11-23T01:59:59", "2026-11-23T02:00:00"),  # 03:00 in winter
        ("0 3 * * *", "2026-11-23T02:00:00", "2026-11-24T02:00:00"),
        ("0 3 * * *", "2026-07-01T00:00:00", "2026-07-01T01:00:00"),  # and in summer
        ("0 2 * * 0", "2026-11-23T12:00:00", "2026-11-29T01:00:00"),  # the next Sunday
        # 29 March: 02:00 becomes 03:00, there is no 02:30
        ("30 2 * * *", "2026-03-28T12:00:00", "2026-03-29T01:00:00"),
        ("30 2 * * *", "2026-03-29T01:00:00", "2026-03-30T00:30:00"),
        # 25 October: 03:00 becomes 02:00, 02:30 comes twice and counts once
        ("30 2 * * *", "2026-10-24T12:00:00", "2026-10-25T00:30:00"),
        ("30 2 * * *", "2026-10-25T00:30:00", "2026-10-26T01:30:00"),
        # asked in the second such hour
        ("30 2 * * *", "2026-10-25T01:10:00", "2026-10-26T01:30:00"),
        ("30 * * * *", "2026-10-25T00:30:00", "2026-10-25T01:30:00"),  # each hour is each hour
        ("0 0 1 2 *", "2026-11-23T00:00:00", "2027-01-31T23:00:00"),
    ],
)
def test_the_next_time(zone: tzinfo, expression: str, moment: str, expected: str) -> None:
    assert Schedule(expression, zone).after(_utc(moment)) == _utc(expected)


def test_over_two_years_each_day_has_one_time_and_none_is_before_what_it_follows(
    zone: tzinfo,
) -> None:
    daily, at = Schedule("30 2 * * *", zone), _utc("2026-01-01T00:00:00")
    days = []
    while at < _utc("2028-01-01T00:00:00"):
        found = daily.after(at)
        assert found is not None
        assert found > at
        days.append(found.astimezone(zone).date())
        at = found
    assert days == [days[0] + timedelta(days=n) for n in range(len(days))]


def test_what_was_missed_for_a_month_is_due_once() -> None:
    daily, now = Schedule("0 3 * * *", UTC), _utc("2026-11-23T12:00:00")
    assert daily.is_due(now - timedelta(days=31), now)
    assert not daily.is_due(now, now)
    assert not Schedule("", UTC).is_due(now - timedelta(days=31), now)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("daily", "5 fields, not 1"),
        ("0 0 3 * * *", "5 fields, not 6"),
        ("61 3 * * *", "bad minute"),
        ("0 25 * * *", "bad hour"),
        ("0 3 30 2 *", "bad day-of-month"),
        ("0 3 * * someday", "bad day-of-week"),
    ],
)
def test_a_wrong_expression_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        schedule.check_cron_expression(text)


def test_a_zone_of_the_system_is_that_of_each_moment(zone: tzinfo) -> None:
    at = _utc("2026-10-24T23:00:00")
    for _ in range(12):  # over the hour that comes twice
        assert at.astimezone(zone).astimezone(UTC) == at
        at += timedelta(minutes=30)
    assert _utc("2026-07-01T12:00:00").astimezone(zone).hour == 14
    assert _utc("2026-12-01T12:00:00").astimezone(zone).hour == 13
