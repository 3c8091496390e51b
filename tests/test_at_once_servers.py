"""Many callers at once, with what they write on servers: PostgreSQL, and texts in what speaks
MongoDB's protocol.

The property and the writers are those of `test_at_once`; there locks of files keep callers apart,
here the servers do.
"""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import at_once
import pytest
from at_once import Answered, Asked
from at_once_writers import WRITERS, Place, list_calls, make_place
from mongo_server import running_mongo

_CALLERS = 4


def _talk(place: Place) -> None:
    """Leave a transcript that nobody has read: what was read is on the server for good."""
    row = {
        "role": "user",
        "text": "We decided to use Redis Streams.",
        "timestamp": "2026-11-10T09:00:00Z",
    }
    (place.user / "talk").mkdir()
    (place.user / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")


_WRITERS = {**WRITERS, "a transcript": WRITERS["a transcript"]._replace(before=_talk)}


@pytest.fixture(scope="module")
def mongo() -> Iterator[str]:
    with running_mongo() as url:
        yield url


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made, environment = make_place(tmp_path, is_closed=True)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(made.project)
    return made


def _check(place: Place, name: str) -> None:
    """Call at once, each caller with connections of its own."""
    calls, before = list_calls(place, _WRITERS[name], _CALLERS)
    start = threading.Barrier(_CALLERS)

    def call(asked: Asked) -> Answered:
        start.wait()
        return at_once.answer(asked, is_closed=True)

    with ThreadPoolExecutor(_CALLERS) as callers:
        answers = list(callers.map(call, calls))
    _WRITERS[name].check(place, answers, before)


@pytest.mark.parametrize(
    "name",
    [
        "equal records",
        "folders",
        "an observation is edited",
        "an observation is put away",
        "points of a day",
    ],
)
def test_on_postgresql_nothing_is_lost_or_repeated(
    place: Place, monkeypatch: pytest.MonkeyPatch, make_database: Callable[[], str], name: str
) -> None:
    for variable, value in {
        "STORE": "postgres",
        "JOURNAL": "postgres",
        "DATABASE_URL": make_database(),
    }.items():
        monkeypatch.setenv(f"GIEOK_{variable}", value)
    _check(place, name)


def test_tables_that_are_made_at_once_are_made_once(
    place: Place, monkeypatch: pytest.MonkeyPatch, make_empty_database: Callable[[], str]
) -> None:
    for variable, value in {
        "STORE": "postgres",
        "JOURNAL": "postgres",
        "DATABASE_URL": make_empty_database(),
    }.items():
        monkeypatch.setenv(f"GIEOK_{variable}", value)
    _check(place, "a transcript")


@pytest.mark.parametrize("name", ["an observation is edited", "a transcript"])
def test_with_texts_in_mongodb_nothing_is_lost_or_repeated(
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    make_database: Callable[[], str],
    mongo: str,
    name: str,
) -> None:
    for variable, value in {
        "JOURNAL": "mongo",
        "DATABASE_URL": make_database(),
        "MONGO_URL": mongo,
    }.items():
        monkeypatch.setenv(f"GIEOK_{variable}", value)
    _check(place, name)
