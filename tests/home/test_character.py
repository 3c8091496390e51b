"""What the application puts together for characters."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.character.accounts.points import SettledHolds
from gieok.character.facts import scope_of
from gieok.character.house import House
from gieok.home.calls import open_call
from gieok.model.conversation import Message, Role
from gieok.testing import ManualClock

_AT = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_AT)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Iterator[House]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_CHARACTER_REPLY_POINTS", "3")
    monkeypatch.chdir(tmp_path)
    call = open_call({}, clock=clock)
    yield call.home.house
    call.home.store.close()
    call.home.journal.close()
    call.home.house.accounts.close()


def test_points_that_a_crash_left_held_are_charged_by_what_the_journal_has(
    house: House, clock: ManualClock
) -> None:
    assert house.points.check_in("min").balance == 20, "the welcome and the day"
    for message in ("delivered", "lost"):
        assert house.points.hold_reply("min", "mina", message)
    reply = Message("delivered", Role.ASSISTANT, "안녕", _AT, "s", "character", 5)
    house.memory.journal.say(scope_of("min", "mina"), [reply])
    clock.advance(timedelta(hours=1))
    assert house.points.settle_stale(clock.now()) == SettledHolds(charged=1, released=1)
    assert house.points.standing("min").balance == 17
