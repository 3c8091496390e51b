"""The hook's look at the store: the same ranking as the store's own, and an end at the deadline."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.hook import levels, matches
from gieok.model.memory import Entry
from gieok.model.retrieval import Filter, KeywordQuery
from gieok.settings.hook import HookSettings
from gieok.storage.index.sqlite.index_reader import IndexReader, Late, Mismatch, Missing
from gieok.storage.index.sqlite.ranking import SCHEMA_VERSION
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing.samples import HOME, OTHER, build_entry, corpus
from gieok.text.annotations import importance_factor
from gieok.text.bm25 import NOTES, token_weights
from gieok.text.keywords import query_tokens

_NOW = datetime(2026, 11, 21, tzinfo=UTC)
_FLOORLESS = HookSettings({"hook.floor": 0.0, "hook.limit": 9})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "50% #1?.sqlite")
    yield store
    store.close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "50% #1?.sqlite")


def _recall(
    reader: IndexReader, scopes: list[str], text: str, chosen: HookSettings = _FLOORLESS
) -> list[matches.Match]:
    return matches.find_matches(
        reader, scopes, [query_tokens(text)], chosen, _NOW.timestamp(), "", Late
    ).found


@pytest.mark.parametrize(
    "question", ["결제 서버", "deploy retry timeout", "parseInvoiceDate 김치찌개", "nowhere"]
)
def test_a_glance_ranks_as_the_store_does(store: SqliteStore, file: str, question: str) -> None:
    store.put(corpus(7, 120))
    query = KeywordQuery(query_tokens(question), NOTES.k1, NOTES.b, NOTES.context_weight)
    reader = IndexReader(file)
    known = reader.scope(str(HOME))
    assert known
    sid, passages, mean_length = known
    holding = reader.holding(sid, query.weights.keys())
    ranked = reader.ranked(sid, mean_length, query, token_weights(query, passages, holding), 20)
    assert tuple(ranked) == store.keyword(HOME, query, Filter(), 20).ranked
    assert bool(ranked) is (question != "nowhere")


def test_a_glance_writes_nothing_and_sees_what_others_write(store: SqliteStore, file: str) -> None:
    store.put([build_entry("a.md", "결제")])
    reader = IndexReader(file)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._one("DELETE FROM documents RETURNING id")
    store.put([build_entry("b.md", "정산")])
    assert reader.count(str(HOME)) == 2
    assert [row[0] for row in reader.newest(str(HOME), 1)] == ["b.md"]
    assert reader.scope("agent:nobody") is None
    assert reader.newest("agent:nobody", 9) == []


class _Watch:
    """A clock that is past every deadline from its `looks`-th look on."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def __call__(self) -> float:
        self.left -= 1
        return 0.0 if self.left >= 0 else 2.0


@pytest.fixture
def large(store: SqliteStore) -> SqliteStore:
    """Return a store whose second scope takes long to search."""
    store.put([build_entry("small.md", "결제 정산")])
    store.put([build_entry(f"{n}.md", "결제 정산 환불", scope=OTHER) for n in range(1500)])
    return store


@pytest.mark.parametrize("looks", [0, 1, 7])
def test_a_query_ends_in_its_middle_at_the_deadline(
    large: SqliteStore, file: str, looks: int
) -> None:
    reader = IndexReader(file, 1.0, _Watch(looks))
    sid, _, mean_length = reader.scope(str(OTHER)) or (0, 0, 0.0)
    with pytest.raises(Late):
        reader.ranked(sid, mean_length, NOTES, {"결제": 1.0, "정산": 1.0}, 12)


def test_at_the_deadline_what_was_found_until_then_is_shown(large: SqliteStore, file: str) -> None:
    scopes = [str(HOME), str(OTHER)]
    assert len(_recall(IndexReader(file), scopes, "결제 정산")) > 1
    (found,) = _recall(IndexReader(file, 1.0, _Watch(3)), scopes, "결제 정산")
    assert (found.key, found.entry.text) == ("small.md", "결제 정산")
    assert _recall(IndexReader(file, 1.0, _Watch(0)), scopes[::-1], "결제 정산") == []


def _kept(key: str, text: str, days_old: int, *, category: str = "", dated: bool = False) -> Entry:
    made = build_entry(key, text)
    moment = _NOW - timedelta(days=days_old)
    metadata = {"category": category} if category else {}
    document = replace(
        made.document, updated_at=moment, valid_from=moment if dated else None, metadata=metadata
    )
    return Entry(document, made.passages)


@pytest.mark.parametrize(
    ("fields", "fades"),
    [
        ({}, False),
        ({"category": "decision"}, False),
        ({"category": "session-summary"}, True),
        ({"dated": True}, True),
    ],
)
def test_what_is_dated_fades_and_what_holds_does_not(
    store: SqliteStore, file: str, fields: dict[str, object], fades: bool
) -> None:
    store.put(
        [_kept("old.md", "결제 정산", 30, **fields), _kept("new.md", "결제 정산", 0, **fields)]
    )
    odds = {
        found.key: _odds(found) for found in _recall(IndexReader(file), [str(HOME)], "결제 정산")
    }
    assert odds["old.md"] / odds["new.md"] == pytest.approx(0.85 if fades else 1.0)
    unfaded = HookSettings({"hook.floor": 0.0, "hook.half_life_days": 0})
    assert (
        len(
            {
                round(_odds(f), 9)
                for f in _recall(IndexReader(file), [str(HOME)], "결제 정산", unfaded)
            }
        )
        == 1
    )


def _odds(found: matches.Match) -> float:
    return found.probability / (1 - found.probability)


def test_an_importance_mark_counts_as_it_does_in_a_search(store: SqliteStore, file: str) -> None:
    marked, plain = "결제 정산 <!-- importance: 10 -->", "결제 정산 <!-- importance: 05 -->"
    store.put([build_entry("plain.md", plain), build_entry("marked.md", marked)])
    found = {
        match.key: _odds(match) for match in _recall(IndexReader(file), [str(HOME)], "결제 정산")
    }
    expected = importance_factor(marked) / importance_factor(plain)
    assert found["marked.md"] / found["plain.md"] == pytest.approx(expected)
    assert expected > 1


def test_a_lone_weak_match_is_not_sure(store: SqliteStore, file: str) -> None:
    store.put(
        [
            build_entry("a.md", "결제 화면의 색"),
            *(build_entry(f"{n}.md", f"기린 {n}") for n in range(40)),
        ]
    )
    asked = "결제 취소 한도 환불 정책"
    # a floor of 0
    assert [found.level for found in _recall(IndexReader(file), [str(HOME)], asked)] == [
        levels.HIGH
    ]
    assert _recall(IndexReader(file), [str(HOME)], asked, HookSettings({})) == []


def test_a_scope_never_sees_what_another_holds(store: SqliteStore, file: str) -> None:
    store.put(
        [build_entry("mine.md", "결제 정산"), build_entry("theirs.md", "결제 정산", scope=OTHER)]
    )
    for scopes, keys in (
        ([HOME], ["mine.md"]),
        ([OTHER], ["theirs.md"]),
        ([], []),
        ([OTHER, HOME], ["mine.md", "theirs.md"]),
    ):
        assert (
            sorted(
                found.key
                for found in _recall(IndexReader(file), [str(s) for s in scopes], "결제 정산")
            )
            == keys
        )


def test_lines_scopes_and_notes_are_read_as_the_store_has_them(
    store: SqliteStore, file: str
) -> None:
    store.put([build_entry("a.md", "redis\n\nlast"), build_entry("empty.md", "!", scope=OTHER)])
    reader = IndexReader(file)
    assert reader.lines(HOME.path, "a.md") == ["redis", "", "last"]
    assert [reader.line(HOME.path, "a.md", n) for n in (1, 3, 4)] == ["redis", "last", ""]
    assert reader.lines(HOME.path, "gone.md") == []
    assert reader.scope(HOME.path) == (1, 1, 2.0)
    # A passage without a word is as long as one word.
    assert reader.scope(OTHER.path) == (2, 1, 1.0)
    assert reader.count(HOME.path) == 1


@pytest.mark.parametrize(("version", "raised"), [(0, Missing), (4, Mismatch)])
def test_a_file_without_tables_or_of_a_later_release_is_not_read(
    store: SqliteStore, file: str, version: int, raised: type[Exception]
) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(raised):
        IndexReader(file)
    with pytest.raises(Missing):
        IndexReader(f"{file}.none")


def test_this_release_writes_the_third_form_of_the_tables(store: SqliteStore, file: str) -> None:
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,)
        assert db.execute("PRAGMA application_id").fetchone() == (int.from_bytes(b"GIEK"),)


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_file_of_every_release_is_read_before_the_next_command_upgrades_it(
    store: SqliteStore, file: str, version: int
) -> None:
    store.put([build_entry("a.md", "redis")])
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version = {version}")
    reader = IndexReader(file)
    assert _recall(reader, [HOME.path], "redis")
