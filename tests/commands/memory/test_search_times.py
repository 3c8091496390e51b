"""What a search says of the times in its question."""

from datetime import timedelta
from pathlib import Path

import pytest

from gieok.commands.command import Style
from gieok.commands.memory import index, search
from gieok.commands.memory.hits import SearchResult, render_search, sort_for_reading
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def call(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Call:
    notes = tmp_path / "user" / "notes"
    notes.mkdir(parents=True)
    today = clock.now().date()
    for days, text in (
        (90, "We decided to use MySQL for billing."),
        (20, "We decided to use Postgres for billing."),
        (3, "We decided to ship on Tuesdays."),
    ):
        (notes / f"{today - timedelta(days=days)}.md").write_text(f"{text}\n", encoding="utf-8")
    for name, value in (("HOME", "user"), ("GIEOK_HOME", "home")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(notes)
    call = open_call({}, clock=clock)
    index.index_memory(call, paths=[str(notes)])
    return call


def _search(call: Call, question: str) -> SearchResult:
    return search.search_memory(call, query=[question], min_score=0.0)


@pytest.mark.parametrize(
    "question", ["the most recent decision", "최근에 정한 것", "가장 최근에 바뀐 것"]
)
def test_the_most_recent_stands_first(call: Call, question: str) -> None:
    days = [hit.date for hit in _search(call, question).results]
    assert len(days) == 3
    assert days == sorted(days, key=str, reverse=True)


def test_of_what_is_likely_the_newest_stands_first(call: Call) -> None:
    found = _search(call, "latest billing database")
    assert "Postgres" in found.results[0].snippet


def test_a_file_that_names_no_day_stands_behind_what_is_of_a_day_and_says_so(call: Call) -> None:
    (call.caller.folder / "bread.md").write_text("500 g of flour.\n", encoding="utf-8")
    index.index_memory(call, paths=[str(call.caller.folder)])
    days = [hit.date for hit in sort_for_reading(_search(call, "what happened this year"))]
    assert days[-1] is None
    assert days[:-1] == sorted(filter(None, days))
    shown = render_search(_search(call, "what happened this year"), Style("en", colour=False))
    before, said, behind = shown.partition("a file changed then; it names no day")
    assert said
    assert "flour" in behind
    assert "Postgres" in before
    assert "None" not in shown


def test_words_that_are_half_understood_are_named(call: Call) -> None:
    found = _search(call, "what did we decide on billing several weeks ago")
    assert (found.days, found.not_times) == (None, ("several weeks ago",))
    assert "“several weeks ago” was not taken as a time" in render_search(
        found, Style("en", colour=False)
    )
    assert "날짜로 읽지 않았습니다" in render_search(found, Style("ko", colour=False))


def test_a_time_ahead_is_no_day_on_which_something_was_told(call: Call) -> None:
    found = _search(call, "what ships next Tuesday")
    assert (found.days, found.not_times) == (None, None)
    assert "Tuesdays" in found.results[0].snippet
