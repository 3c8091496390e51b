"""`gieok remember --until`: what holds until a day, and is shown as ended afterwards."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from gieok.commands.memory import remember, search
from gieok.commands.memory.hits import SearchHit
from gieok.commands.memory.remember import RememberResult
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def call(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Call:
    (tmp_path / "user").mkdir()
    for name, value in (("HOME", "user"), ("GIEOK_HOME", "home")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path / "user")
    return open_call({}, clock=clock)


def _remember(call: Call, text: str, until: str = "") -> RememberResult:
    return remember.remember_record(call, text=[text], until=until, user=True)


def _found(call: Call, question: str) -> SearchHit:
    return search.search_memory(call, query=[question], min_score=0.0).results[0]


def test_what_is_remembered_until_a_day_has_ended_on_the_day_after(
    call: Call, clock: ManualClock
) -> None:
    today = clock.now().astimezone(call.zone).date()
    result = _remember(call, "The staging database is read-only.", "tomorrow")
    assert result.until == today + timedelta(days=1)
    assert _found(call, "is the staging database read-only").status == "stands"
    clock.advance(timedelta(days=3))
    hit = _found(call, "was the staging database read-only")
    assert hit.status == "ended"


def test_a_record_whose_text_says_its_end_has_it(call: Call, clock: ManualClock) -> None:
    today = clock.now().astimezone(call.zone).date()
    assert _remember(call, "오늘만 8080 포트를 써").until == today
    assert _remember(call, "The report is due by Friday").until is None


def test_what_is_known_already_gets_its_last_day(call: Call) -> None:
    first = _remember(call, "Deploys go through Kim.")
    again = _remember(call, "Deploys go through Kim.", "2199-01-02")
    assert (first.until, again.created, again.until) == (None, False, date(2199, 1, 2))
    file = next(Path.home().parent.rglob("deploys-go-through-kim.md"))
    assert "until: 2199-01-02\n" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "until", ["2020-01-01", "last week", "soon", "friday 2199-01-02", "2월 31일"]
)
def test_a_last_day_that_is_over_or_is_none_is_refused(call: Call, until: str) -> None:
    with pytest.raises(BadRequest, match=r"is over|is no day"):
        _remember(call, "Deploys go through Kim.", until)
