"""Without a daemon, a search takes in what was said last: within a budget, the newest first,
nothing where nothing is new.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.memory.search import SearchResult
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import catch_up
from gieok.memory.capture import freshness
from gieok.memory.sidecar import Sidecar
from gieok.testing.clock import ManualClock

_NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": tmp_path / "t",
        "GIEOK_SCOPE": "agent:main",
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "t").mkdir()
    return tmp_path


@pytest.fixture
def call(home: Path) -> Iterator[Call]:
    del home
    opened = open_call({}, clock=ManualClock(_NOW), zone=UTC)
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def _say(folder: Path, session: str, *texts: str, age_s: int = 0) -> Path:
    file = folder / "t" / f"{session}.jsonl"
    with file.open("a", encoding="utf-8") as out:
        for text in texts:
            row = {"role": "user", "content": text, "timestamp": "2026-11-20T09:00:00Z"}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    at = _NOW.timestamp() - 3600 - age_s
    os.utime(file, (at, at))
    return file


def _search(call: Call, *words: str) -> SearchResult:
    found: SearchResult = load_command("search")(call, query=list(words))
    return found


def _sidecar(call: Call) -> Sidecar:
    return call.home.sidecar


def test_a_search_finds_what_was_said_since(home: Path, call: Call) -> None:
    _say(home, "a", "the heron is grey")
    assert [hit.snippet for hit in _search(call, "heron").results] == ["User: the heron is grey"]
    _say(home, "a", "a heron again", age_s=-4_000)
    assert len(_search(call, "heron").results) == 2


def test_nothing_is_opened_where_nothing_is_new(
    home: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(home, "a", "the heron is grey")
    _search(call, "heron")

    def never(sidecar: Sidecar) -> None:
        raise AssertionError(sidecar)

    monkeypatch.setattr(catch_up, "catch_up", never)
    assert _search(call, "heron").results
    _say(home, "b", "another", age_s=-3_600)
    with pytest.raises(AssertionError):
        _search(call, "heron")


def test_the_newest_come_first_and_the_rest_is_told_and_taken_by_the_next(
    home: Path, call: Call
) -> None:
    for number in range(6):
        _say(
            home,
            f"s{number}",
            *(f"heron {number}. " + "The lake lay still. " * 45 for _ in range(10)),
            age_s=number,
        )
    left = catch_up.catch_up(_sidecar(call), budget_bytes=15_000)
    assert (left.transcripts, left.messages, left.made) == (4, 0, 4)
    assert "heron 0" in _search(call, "heron", "0").results[0].snippet
    assert _search(call, "heron").behind is None


def test_what_waits_is_said_in_both_languages(
    home: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(home, "a", "the heron is grey")
    found = catch_up.catch_up
    monkeypatch.setattr(
        catch_up, "catch_up", lambda sidecar: found(sidecar, budget_bytes=0) or found(sidecar)
    )
    with pytest.raises(Exception, match="1 transcripts"):
        _search(call, "heron")


def test_a_long_transcript_is_taken_a_portion_at_a_time(home: Path, call: Call) -> None:
    _say(home, "long", *(f"heron {number} " + "x" * 10_000 for number in range(250)))
    sidecar = _sidecar(call)
    seen = [catch_up.catch_up(sidecar).transcripts for _ in range(3)]
    assert seen == [1, 1, 0]
    assert sidecar.journal.stats().messages == 250


def test_turns_wait_where_there_are_too_many_for_one_search(home: Path, call: Call) -> None:
    _say(home, "a", *(f"heron {number}" for number in range(100)))
    sidecar = _sidecar(call)
    waiting = [catch_up.catch_up(sidecar, budget_turns=40).messages for _ in range(3)]
    assert waiting == [60, 20, 0]


def test_what_is_no_transcript_is_looked_at_once(home: Path, call: Call) -> None:
    (home / "t" / "other.jsonl").write_text('{"kind": "telemetry"}\n')
    sidecar = _sidecar(call)
    assert not catch_up.catch_up(sidecar)
    looked = sidecar.journal.kept("catching-up")
    assert list(looked) == [str(home / "t" / "other.jsonl")]


def test_where_transcripts_are_decides_whether_anything_is_new(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    os.utime(tmp_path / "a.jsonl", (100, 100))
    pattern = str(tmp_path / "*.jsonl")
    assert freshness.is_new(str(tmp_path), "me")
    freshness.store_freshness_mark(str(tmp_path), "me", [pattern], 200.0)
    assert not freshness.is_new(str(tmp_path), "me")
    assert freshness.is_new(str(tmp_path), "moved")
    os.utime(tmp_path / "a.jsonl", (199, 199))
    assert freshness.is_new(str(tmp_path), "me")
    (tmp_path / "taken-in.json").write_text("[]")
    assert freshness.is_new(str(tmp_path), "me")
    keys = {freshness.build_freshness_key("auto", "", {"CODEX_HOME": value}) for value in "ab"}
    assert len(keys) == 2
