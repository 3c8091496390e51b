"""What the store makes anew in its file: words, lines, space that is given back, the file itself."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gieok.model.memory import Scope
from gieok.model.retrieval import Filter
from gieok.ports import store as store_port
from gieok.storage.index.sqlite import ranking
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing.samples import HOME, OTHER, build_entry, build_keyword_query, list_ranked_keys


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(file)) as opened:
        yield opened


def _read(store: SqliteStore, query: str) -> list[tuple[object, ...]]:
    with store._reading() as db:
        return db.execute(query).fetchall()


def _read_removed(store: SqliteStore) -> int:
    ((removed,),) = _read(store, "SELECT value FROM meta WHERE name = 'removed_passages'")
    return int(str(removed))


def test_words_and_lines_of_an_earlier_version_are_made_anew(
    store: SqliteStore, file: Path
) -> None:
    store.put(
        [
            build_entry("a.md", "결제 서버", "환불", kind="memory", context="정산"),
            *(build_entry(f"{n}.md", f"기린 {n}", "다른 줄", scope=OTHER) for n in range(200)),
        ]
    )
    tables = ("lines", "scopes", "passages", "keyword_df", "keyword_tf")
    before = {table: _read(store, f"SELECT * FROM {table}") for table in tables}
    with store._writing() as db:
        db.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
        db.execute("DELETE FROM lines")
        db.execute("UPDATE passages SET length = 99")
        db.execute("UPDATE meta SET value = '0' WHERE name LIKE '%s_version'")
    said: list[str] = []
    with closing(SqliteStore(file, say=said.append)) as again:
        assert again.check() == []
        after = {table: _read(again, f"SELECT * FROM {table}") for table in tables}
        # Copies in memory are told by the generation.
        grown = [(*row[:2], row[2] + 1, *row[3:]) for row in before.pop("scopes")]
        assert after.pop("scopes") == grown
        assert after == before
        ranked = again.keyword(HOME, build_keyword_query("환불 정산"), Filter(), 9)
        assert list_ranked_keys(again, ranked) == ["a.md", "a.md"]
    assert said == ["keywords made anew 200 of 201", "keywords made anew 201 of 201"]
    SqliteStore(file, say=said.append).close()
    assert len(said) == 2


@pytest.mark.parametrize(("documents", "removed"), [(4, 1), (3, 0)])
def test_space_is_given_back_once_half_as_much_is_removed_as_is_held(
    store: SqliteStore, documents: int, removed: int
) -> None:
    store.put([build_entry(f"{n}.md", "결제") for n in range(documents)])
    assert store.forget(HOME, ["0.md", "gone.md"]) == 1
    assert _read_removed(store) == 1
    store.compact()
    assert _read_removed(store) == removed


def test_each_passage_that_goes_is_counted(store: SqliteStore) -> None:
    store.put([build_entry("a.md", "결제", "정산", "환불"), build_entry("b.md", "결제")])
    store.put([build_entry("a.md", "결제", "정산")])
    assert _read_removed(store) == 3
    assert store.forget(Scope("agent:nobody"), ["a.md"]) == 0
    assert store.drop_scope(Scope("agent:nobody")) == 0
    assert store.drop_scope(HOME) == 2
    assert _read_removed(store) == 6
    assert store.scopes() == []


def test_numbers_are_never_given_again_where_the_file_is_renewed(store: SqliteStore) -> None:
    store.put([build_entry("a.md", "결제", "정산")])
    store.put([build_entry("there.md", "결제", scope=OTHER)])
    store.put([build_entry("there.md", "환불", scope=OTHER)])
    scopes = {path: (number, made) for number, path, made in _read(store, _SCOPES)}
    (last,) = _read(store, "SELECT max(id) FROM passages")[0]
    with store.renewed() as fresh:
        fresh.put([build_entry("new.md", "결제", scope=OTHER)])
    renewed = {path: (number, made) for number, path, made in _read(store, _SCOPES)}
    assert renewed.keys() == scopes.keys()
    for path, (number, generation) in scopes.items():
        assert renewed[path][0] == number
        assert int(str(renewed[path][1])) > int(str(generation))
    assert _read(store, "SELECT id FROM passages") == [(int(str(last)) + 1,)]
    assert store.check() == []


_SCOPES = "SELECT id, path, generation FROM scopes"


def test_the_hook_rounds_scores_as_the_store_does() -> None:
    assert ranking.SCORE_DIGITS == store_port.SCORE_DIGITS
