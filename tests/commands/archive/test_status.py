"""`gieok archive`: tiers, limits, what moves next, schedules, and what else is kept."""

import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from contexts import opened_home

from gieok.commands import load_command
from gieok.commands.archive.run import TieringResult
from gieok.commands.archive.status import ArchiveStatusResult
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.home import jobs
from gieok.flow.distil import deliver
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.conversation import Cursor, Message, Role
from gieok.model.memory import Scope, Tier
from gieok.surfaces import cli
from gieok.testing.clock import ManualClock

_NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
_SCOPE = Scope("project:결제-시스템-3fa9c01e")
_WIDTH = 60


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_NOW)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Iterator[Call]:
    with opened_home(tmp_path / "h", monkeypatch, clock, ARCHIVE_HOT_TOKENS=30) as opened:
        yield opened


def _remember(call: Call, *found: tuple[str, int, Priority, Category]) -> None:
    made = tuple(Observation(text, _NOW - timedelta(days=days), p, c) for text, days, p, c in found)
    call.home.journal.hand_over(observation.build_observed_entries(_SCOPE, Observed(made), _NOW))
    deliver(call.home.journal, call.home.store)


def _status(call: Call) -> ArchiveStatusResult:
    result = load_command("archive status")(call)
    assert isinstance(result, ArchiveStatusResult)
    return result


def _run(call: Call) -> TieringResult:
    result = load_command("archive run")(call)
    assert isinstance(result, TieringResult)
    return result


def _shown(call: Call, lang: str) -> list[str]:
    return (
        load_command("archive status")
        .present(_status(call), Style(lang, colour=False))
        .splitlines()
    )


def _width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def test_each_tier_with_its_days_and_sizes_and_what_leaves_hot_for_age_and_for_want_of_room(
    call: Call,
) -> None:
    _remember(
        call,
        ("We settle payments on Tuesdays, always.", 200, Priority.HIGH, Category.DECISION),
        *(
            (
                f"The build number {n} of the service is green again.",
                n + 1,
                Priority.LOW,
                Category.STATE,
            )
            for n in range(3)
        ),
        ("We decided to use Redis Streams for the queue.", 80, Priority.HIGH, Category.DECISION),
    )
    (hot,) = _status(call).tiers
    assert hot[:5] == (_SCOPE, Tier.HOT, 5, date(2026, 5, 7), date(2026, 11, 22))
    (leaving,) = _status(call).next_moves
    done = _run(call)
    assert (leaving.memories, done.moved, done.jobs) == (3, 3, ())
    hot, warm = _status(call).tiers
    assert (hot.memories, warm.memories) == (2, 3)
    assert hot.tokens <= 30
    assert (warm.tier, warm.first, warm.last) == (Tier.WARM, date(2026, 5, 7), date(2026, 11, 21))
    assert warm.bytes
    assert Path(warm.location).is_dir()
    kept = [entry.document.text for entry in call.home.journal.made(_SCOPE)]
    assert "We decided to use Redis Streams for the queue." in kept, (
        "an important decision leaves last"
    )
    assert _status(call).next_moves == ()


def test_it_is_readable_in_sixty_columns_in_both_languages_and_says_the_same_as_json(
    call: Call, clock: ManualClock
) -> None:
    _remember(call, *((f"상태 {n}", 100 + n, Priority.LOW, Category.STATE) for n in range(12)))
    _run(call)
    _remember(call, ("오래된 것", 95, Priority.LOW, Category.STATE))
    jobs.run_due(call)
    clock.advance(timedelta(days=8))
    jobs.run_due(call)
    for lang, words in (
        ("en", ("13 memories", "next 2026-12-02 03:00", "at most 40")),
        ("ko", ("기억 13개", "다음", "30일")),
    ):
        lines = _shown(call, lang)
        assert [line for line in lines if _width(line) > _WIDTH and "/" not in line] == []
        assert all(word in "\n".join(lines) for word in words)
    data = encode(_status(call))
    assert isinstance(data, dict)
    assert [row["tier"] for row in data["tiers"]] == ["warm"]
    assert {row["name"]: row["said"] for row in data["schedules"]}["warm"] == "moved 1"
    assert {row["name"]: row["days"] for row in data["kept"]}["logs"] == 30


def test_what_is_due_is_done_without_a_daemon_too_and_once(call: Call, clock: ManualClock) -> None:
    assert _run(call).jobs == ()
    clock.advance(timedelta(days=9))
    done = [ran.name for ran in _run(call).jobs]
    assert done == [
        "reflect",
        "talk",
        "housekeeping",
        "cold",
        "inactivity",
        "service",
        "validate",
        "sync",
    ], "warm: just now"
    assert _run(call).jobs == ()


def test_a_damaged_file_is_told_once_and_shown_until_it_is_well(
    call: Call, clock: ManualClock
) -> None:
    _remember(call, ("오래된 상태", 100, Priority.LOW, Category.STATE))
    _run(call)
    (file,) = (call.home.folder / "archive" / "warm").rglob("*.md")
    file.unlink()
    jobs.run_due(call)
    for _ in range(2):
        clock.advance(timedelta(days=1))
        jobs.run_due(call)
        file.write_text("torn", encoding="utf-8")
    log = (call.home.folder / "daemon.log").read_text(encoding="utf-8")
    assert log.count("something is wrong with the archive") == 1
    assert any("missing" in line for line in _shown(call, "en"))


def test_a_group_that_is_called_alone_shows_its_state(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["archive"]) == 0
    assert "hot holds at most 30 tokens" in capsys.readouterr().out
    assert cli.main(["archive", "--json"]) == 0
    assert '"schedules"' in capsys.readouterr().out
    assert not (call.home.folder / "journal.sqlite").exists(), "a look makes nothing"


def test_what_was_said_over_a_year_ago_leaves_the_database_by_schedule_and_is_found_all_the_same(
    call: Call, clock: ManualClock
) -> None:
    journal = call.home.journal
    said = [
        Message(
            f"m{n}",
            Role.USER,
            f"프록시 포트는 {n}번으로 정했어.",
            _NOW - timedelta(days=300 + 40 * n),
            "s",
            "claude-code",
        )
        for n in range(8)
    ]
    assert journal.append(_SCOPE, said, Cursor("t", "t"), None)
    call.home.sidecar.derive_turns()
    before = journal.turns(_SCOPE, "claude-code", "s")
    jobs.run_due(call)
    clock.advance(timedelta(days=1))
    assert {ran.name: ran.said for ran in jobs.run_due(call)}["talk"] == "moved 5, 0.0 MB"
    status = _status(call)
    assert [place.month for place in status.talk] == [
        "2025-04",
        "2025-06",
        "2025-07",
        "2025-08",
        "2025-09",
    ]
    assert journal.turns(_SCOPE, "claude-code", "s") == before
    assert any(
        line.startswith("said: 8 messages, 5 months in files") for line in _shown(call, "en")
    )
    (where,) = (call.home.folder / "archive" / "talk").iterdir()
    (where / "2025-04.md.gz").unlink()
    assert any("2025-04" in line and line.startswith("✗") for line in _shown(call, "ko"))


@pytest.mark.parametrize("answer", ["approve", "reject"])
def test_an_approval_that_is_due_is_an_incident_told_once_until_it_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock, answer: str
) -> None:
    for name, value in {
        "GIEOK_HOME": tmp_path / "h",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_ARCHIVE_COLD": "folder",
        "GIEOK_ARCHIVE_FOLDER": tmp_path / "old",
        "GIEOK_ARCHIVE_SCHEDULE_COLD": "0 3 * * *",
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine.md").write_text(
        "mine", encoding="utf-8"
    )  # an empty folder may be a disk that is not there
    call = open_call({}, clock=clock, zone=UTC)
    _remember(call, ("We settle payments on Tuesdays.", 400, Priority.HIGH, Category.DECISION))
    _run(call)
    for _ in range(3):
        clock.advance(timedelta(days=1))
        jobs.run_due(call)
    (incident,) = _status(call).incidents
    assert incident.detail == "1 day may go to cold: `gieok archive pending`"
    assert (call.home.folder / "daemon.log").read_text(encoding="utf-8").count(
        "may go to cold"
    ) == 1
    found = load_command(f"archive {answer}")
    found(call, names=["all"])
    assert _status(call).incidents == ()
    assert [row.tier for row in _status(call).tiers] == ["cold" if answer == "approve" else "warm"]
    call.home.journal.close()
    call.home.store.close()
