"""One thing once: what is told again is one record with its days, and takes one line of a search
and a list.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.memory.hits import SearchHit
from gieok.commands.memory.listing import ListedMemory
from gieok.commands.memory.remember import RememberResult
from gieok.commands.memory.remember import render_remembered as present_remembered
from gieok.home.calls import open_call
from gieok.testing.clock import ManualClock

_STYLE = Style("en", colour=False)


class Place:
    """A user with a project, on a day that the test says."""

    def __init__(self, user: Path) -> None:
        self.user = user

    def remember(self, text: str, day: int = 20, **fields: object) -> RememberResult:
        clock = ManualClock(datetime(2026, 11, day, 9, tzinfo=UTC))
        call = open_call({}, clock=clock, zone=UTC)
        return load_command("remember")(call, text=[text], **fields)

    def files(self) -> list[Path]:
        return sorted((self.user / "shop" / ".gieok" / "memory").rglob("*.md"))

    def say(self, day: int, *lines: str) -> None:
        file = self.user / ".claude" / "projects" / "-shop" / f"s{day}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "type": "user",
                "uuid": f"u{day}-{n}",
                "sessionId": f"s{day}",
                "timestamp": f"2026-11-{day:02}T09:0{n}:00Z",
                "cwd": str(self.user / "shop"),
                "message": {"role": "user", "content": line},
            }
            for n, line in enumerate(lines)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def search(self, query: str, **fields: object) -> tuple[SearchHit, ...]:
        call = open_call({}, zone=UTC)
        call.home.catch_up()
        return load_command("search")(call, query=[query], min_score=0.0, **fields).results

    def list(self, **fields: object) -> tuple[ListedMemory, ...]:
        call = open_call({}, zone=UTC)
        call.home.catch_up()
        return load_command("list")(call, **fields).memories


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    user = tmp_path / "user"
    (user / "shop" / ".git").mkdir(parents=True)
    for name, value in {
        "HOME": user,
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(user / "shop")
    return Place(user)


def test_a_statement_told_again_is_one_record_with_its_days(place: Place) -> None:
    first = place.remember("We use ruff for linting.", 20)
    again = place.remember("for LINTING, we use Ruff!", 21)
    last = place.remember("We use ruff for linting", 23)
    assert (first.created, again.created, last.created) == (True, False, False)
    assert {one.path for one in (first, again, last)} == {first.path}
    assert len(place.files()) == 1
    assert [day.day for day in last.days] == [20, 21, 23]
    assert "said on 3 days, last 2026-11-23" in present_remembered(last, _STYLE)
    assert place.remember("We use ruff for linting", 23).days == last.days
    (row,) = place.list(words=["ruff"])
    assert [day.day for day in row.said_on or ()] == [20, 21, 23]
    (hit,) = place.search("what lints?  ruff")
    assert hit.said_on == row.said_on


def test_a_statement_that_says_more_or_otherwise_is_a_record_of_its_own(place: Place) -> None:
    for text in (
        "Deploys go out on Tuesday.",
        "Deploys go out on Tuesday mornings.",
        "Deploys never go out on Tuesday.",
        "Deploys go out on Thursday.",
    ):
        assert place.remember(text).created
    assert len(place.files()) == 4


def test_a_record_told_again_gets_the_new_tags_and_is_found_by_them(place: Place) -> None:
    place.remember("배포는 화요일에 한다.", 20, tags="배포")
    place.remember("화요일에 배포합니다", 21, tags="ops")
    (hit,) = place.search("배포", tag="ops")
    assert hit.snippet.endswith("배포는 화요일에 한다.")
    assert place.search("배포", tag="배포")[0].handle == hit.handle


def test_a_record_of_another_category_is_known_too(place: Place) -> None:
    place.remember("Answers are short.", category="preference")
    again = place.remember("Answers are short", 21)
    assert (again.created, again.category) == (False, "preference")


def test_what_is_over_holds_again_where_it_is_told_anew(place: Place) -> None:
    place.remember("Staging is read-only.", 20, until="2026-11-21")
    place.remember("Staging is read-only", 25)
    assert "until" not in place.files()[0].read_text()


def test_one_sentence_of_six_days_takes_one_line_and_leaves_room_for_others(place: Place) -> None:
    for day in range(1, 7):
        place.say(day, "The harbour gate opens at nine.", f"Boat {day} waits at the harbour.")
    found = place.search("harbour gate", limit=5)
    assert len(found) == 5
    gates = [hit for hit in found if "gate opens" in hit.snippet]
    assert len(gates) == 1
    assert [day.day for day in gates[0].said_on or ()] == [1, 2, 3, 4, 5, 6]
    assert len(gates[0].same_as or ()) == 5
    rows = place.list(kind="turn", words=["gate"])
    assert len(rows) == 1
    assert rows[0].day.day == 6


def test_what_was_said_often_and_is_short_stays_as_it_was_said(place: Place) -> None:
    place.say(1, "네", "응", "좋아")
    assert len(place.list(kind="turn")) == 3
