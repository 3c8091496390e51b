"""Every day that a person or a model sees is one of the person's zone: four zones, at the edges of
days and clock changes.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import gieok
from gieok.character.accounts.points import PointsDesk
from gieok.character.memory.service import Bond
from gieok.commands.memory.index import index_memory as index
from gieok.commands.memory.search import search_memory as search
from gieok.errors import BadConfig
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.talk import turns
from gieok.model.accounts import Account
from gieok.model.conversation import Cursor, Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing import ManualClock, MemoryStore
from gieok.text import talk
from gieok.zone import MachineZone, day_in, find_zone, find_zone_name

_SCOPE = Scope("agent:main")
#: Zones with a day at whose edges something is said: an ordinary one, and those on which clocks
#: change.
_EDGES = [
    ("Asia/Seoul", date(2026, 11, 20)),
    ("America/Los_Angeles", date(2026, 11, 20)),
    ("America/Los_Angeles", date(2026, 11, 1)),
    ("America/Los_Angeles", date(2026, 3, 8)),
    ("Asia/Kathmandu", date(2026, 11, 20)),
    ("UTC", date(2026, 11, 20)),
]


def _local(day: date, zone: str, hour: int, minute: int) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(zone)).astimezone(
        UTC
    )


def _said(zone: str, day: date) -> list[Message]:
    """Return what is said in the last minute before a day, in its first and its last, and in the
    first one after it.
    """
    before, after = day - timedelta(days=1), day + timedelta(days=1)
    edges = [
        (before, 23, 59, "the evening before"),
        (day, 0, 0, "the first minute"),
        (day, 23, 59, "the last minute"),
        (after, 0, 0, "the morning after"),
    ]
    return [
        Message(
            f"s/{n}",
            Role.USER,
            f"We spoke of ropes, {text}.",
            _local(on, zone, h, m),
            "s",
            "codex",
            5,
            "/t/s.jsonl",
        )
        for n, (on, h, m, text) in enumerate(edges, start=1)
    ]


def _append(journal: SqliteJournal, said: list[Message]) -> None:
    assert journal.append(_SCOPE, said, Cursor("f", "/t", offset=1), None)


@pytest.fixture(params=_EDGES, ids=lambda edge: f"{edge[0]} {edge[1]}")
def edge(request: pytest.FixtureRequest) -> tuple[str, date]:
    found: tuple[str, date] = request.param
    return found


@pytest.fixture
def call(edge: tuple[str, date], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Return a home whose zone is set, on a machine that is elsewhere; it is noon of the day
    after.
    """
    zone, day = edge
    for name, value in {
        "HOME": tmp_path,
        "EMBEDDER": "none",
        "OBSERVE_AGENTS": "none",
        "ZONE": zone,
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    opened = open_call(
        {}, clock=ManualClock(_local(day + timedelta(days=1), zone, 12, 0)), folder=tmp_path
    )
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def _listed(call: Call, since: str, until: str) -> list[str]:
    found = search(call, since=since, until=until)
    return sorted(hit.snippet.partition(", ")[2].rstrip(".") for hit in found.results)


def test_a_day_of_talk_is_that_of_the_person_in_search_and_in_titles(
    call: Call, edge: tuple[str, date]
) -> None:
    zone, day = edge
    journal = call.home.journal
    _append(journal, _said(zone, day))  # type: ignore[arg-type]
    turns.update_all(journal, call.home.store, zone=call.zone)
    store = call.home.store
    titles = sorted(
        one.title
        for one in store.get(_SCOPE, [k for k in store.hashes(_SCOPE) if turns.is_turns(k)])
    )
    days = [day - timedelta(days=1), day, day + timedelta(days=1)]
    assert [title.split()[1] for title in titles] == [str(one) for one in days]
    assert _listed(call, str(day), str(day)) == ["the first minute", "the last minute"]
    assert _listed(call, "yesterday", "yesterday") == ["the first minute", "the last minute"]
    assert _listed(call, "today", "today") == ["the morning after"]
    found = search(call, query=["ropes"], since=str(day), until=str(day), min_score=0)
    assert {hit.date for hit in found.results} == {day}


def test_a_note_of_a_day_is_of_that_day_everywhere(
    call: Call, edge: tuple[str, date], tmp_path: Path
) -> None:
    _, day = edge
    notes = tmp_path / "notes"
    notes.mkdir()
    for one in (day - timedelta(days=1), day, day + timedelta(days=1)):
        (notes / f"{one}.md").write_text(f"The quay on {one:%A}.\n")
    index(call, paths=[str(notes)])
    found = search(call, since=str(day), until=str(day))
    assert [(hit.date, hit.path) for hit in found.results] == [(day, f"{day}.md")]


def test_a_file_whose_days_are_of_utc_is_read_as_before() -> None:
    found = [
        Journalled(n, one) for n, one in enumerate(_said("Asia/Seoul", date(2026, 11, 1)), start=1)
    ]
    assert talk.parse_month_talk(talk.format_month_talk("agent:main", "2026-10", found)) == {
        one.seq: one for one in found
    }


def test_a_month_is_kept_where_the_person_was(tmp_path: Path, edge: tuple[str, date]) -> None:
    zone, _ = edge
    first = date(2026, 10, 1)
    with closing(SqliteJournal(tmp_path / "journal.sqlite", zone=ZoneInfo(zone))) as journal:
        _append(journal, _said(zone, first))
        journal.archive_talk(datetime(2027, 1, 1, tzinfo=UTC))
        assert [place.month for place in journal.talk_places()] == ["2026-09", "2026-10"]
        texts = [
            one.message.text for one in journal.messages(_SCOPE, [f"s/{n}" for n in range(1, 5)])
        ]
        assert [text.partition(", ")[2] for text in texts] == [
            "the evening before.",
            "the first minute.",
            "the last minute.",
            "the morning after.",
        ]


def test_a_day_of_points_is_that_of_the_home_unless_the_user_has_their_own(
    call: Call, edge: tuple[str, date]
) -> None:
    zone, day = edge
    house = call.home.house
    desk: PointsDesk = house.points
    assert desk.zone == ZoneInfo(zone) == house.memory.zone
    house.accounts.keep_account(Account("far", "Pacific/Kiritimati", created_at=call.clock.now()))
    assert desk.check_in("near").day == day + timedelta(days=1)
    assert desk.check_in("far").day == day_in(call.clock.now(), ZoneInfo("Pacific/Kiritimati"))


def test_tomorrow_is_told_from_where_the_user_is(call: Call, edge: tuple[str, date]) -> None:
    zone, day = edge
    memory = call.home.house.memory
    bond = Bond("min", "mina", zone=memory.zone)
    memory.hear(bond, "내일 병원 예약이 있어", is_user=True, at=_local(day, zone, 0, 30))
    plans = [fact.day for fact in memory.read_snapshot(bond).held.facts if fact.day]
    assert plans == [str(day + timedelta(days=1))]


def test_blocks_that_were_cut_by_days_of_utc_are_cut_anew_once(tmp_path: Path) -> None:
    said = _said("Asia/Seoul", date(2026, 11, 20))
    with closing(SqliteJournal(tmp_path / "journal.sqlite")) as journal:
        _append(journal, said)
        store, fresh = MemoryStore(), MemoryStore()
        turns.update_all(journal, store, zone=UTC)
        old = store.get(_SCOPE, sorted(store.hashes(_SCOPE)))
        assert [message.id for one in old for message in turns.messages_of_lines(journal, one)][
            -1
        ] == "s/4"
        turns.update_all(journal, store, zone=ZoneInfo("Asia/Seoul"))
        turns.update_all(journal, fresh, zone=ZoneInfo("Asia/Seoul"))
        keys = sorted(fresh.hashes(_SCOPE))
        assert store.get(_SCOPE, sorted(store.hashes(_SCOPE))) == fresh.get(_SCOPE, keys)
        assert turns.update_all(journal, store, zone=ZoneInfo("Asia/Seoul")).put == 0
        assert turns.update_all(journal, store).put == 0  # of a machine that is elsewhere
        blocks = fresh.get(_SCOPE, keys)
        assert [[m.id for m in turns.messages_of_lines(journal, one)][-1] for one in blocks] == [
            "s/1",
            "s/3",
            "s/4",
        ]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the clock of a process is set on Unix")
@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/Los_Angeles", "Asia/Kathmandu", "UTC"])
def test_a_process_of_gieok_has_the_clock_of_the_setting(zone: str, tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom gieok.hook import choice\n"
        "from gieok.process_zone import set_process_zone\n"
        f"set_process_zone({zone!r})\nprint([choice.day(float(one)) for one in "
        "sys.argv[1:]])"
    )
    day = date(2026, 11, 20)
    moments = [str(one.at.timestamp()) for one in _said(zone, day)]
    environment = {
        "PATH": os.environ["PATH"],
        "TZ": "Pacific/Honolulu",
        "PYTHONPATH": str(Path(gieok.__file__).parents[1]),
    }
    ran = subprocess.run(
        [sys.executable, "-c", code, *moments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    around = [day - timedelta(days=1), day, day, day + timedelta(days=1)]
    # Midnight UTC stands for a day without a time, wherever one is.
    assert json.loads(ran.stdout.replace("'", '"')) == [str(one) for one in around]


def test_a_zone_that_nobody_knows_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    with pytest.raises(BadConfig, match="zone"):
        open_call({"zone": "Mars/Olympus"})


def test_the_zone_of_the_machine_has_the_name_that_finds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", ":/usr/share/zoneinfo/Asia/Seoul")
    assert find_zone_name(MachineZone()) == "Asia/Seoul"
    assert find_zone(find_zone_name(MachineZone())) == ZoneInfo("Asia/Seoul")
    monkeypatch.setenv("TZ", "KST-9")
    assert find_zone_name(MachineZone()) == ""


def test_a_program_sets_the_zone_of_a_memory_that_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    with gieok.open(tmp_path, zone="Asia/Kathmandu") as memory:
        assert memory.call.zone == ZoneInfo("Asia/Kathmandu")
