"""What a search says of the times in its question."""

from datetime import timedelta
from pathlib import Path

import pytest

from gieok.app import open_context
from gieok.ops.context import Context
from gieok.ops.memory import index, search
from gieok.ops.memory.hits import SearchResult, render_search
from gieok.ops.memory.index import IndexRequest
from gieok.ops.memory.search import SearchRequest
from gieok.ops.operation import Style
from gieok.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def context(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Context:
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
    context = open_context({}, clock=clock)
    index.index_memory(context, IndexRequest(paths=[str(notes)]))
    return context


def _search(context: Context, question: str) -> SearchResult:
    return search.search_memory(context, SearchRequest(query=[question], min_score=0.0))


@pytest.mark.parametrize(
    "question", ["the most recent decision", "최근에 정한 것", "가장 최근에 바뀐 것"]
)
def test_the_most_recent_stands_first(context: Context, question: str) -> None:
    days = [hit.date for hit in _search(context, question).results]
    assert len(days) == 3
    assert days == sorted(days, key=str, reverse=True)


def test_of_what_is_likely_the_newest_stands_first(context: Context) -> None:
    found = _search(context, "latest billing database")
    assert "Postgres" in found.results[0].snippet


def test_words_that_are_half_understood_are_named(context: Context) -> None:
    found = _search(context, "what did we decide on billing several weeks ago")
    assert (found.days, found.not_times) == (None, ("several weeks ago",))
    assert "“several weeks ago” was not taken as a time" in render_search(
        found, Style("en", colour=False)
    )
    assert "때로 보지 않았습니다" in render_search(found, Style("ko", colour=False))


def test_a_time_ahead_is_no_day_on_which_something_was_told(context: Context) -> None:
    found = _search(context, "what ships next Tuesday")
    assert (found.days, found.not_times) == (None, None)
    assert "Tuesdays" in found.results[0].snippet
