"""Any number of processes read and write one file at once; killing one loses nothing that it had
acknowledged.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.model.retrieval import Filter
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import HashEmbedder
from gieok.testing.contracts import ProcessContract
from gieok.testing.contracts.processes import write_from_process
from gieok.testing.samples import (
    HOME,
    build_entry,
    build_keyword_query,
    corpus,
    embed_missing,
    list_ranked_keys,
    near,
)


def opening(file: Path) -> str:
    """Return statements that open a store."""
    return (
        "from pathlib import Path; from gieok.storage.index.sqlite.store import SqliteStore; "
        f"store = SqliteStore(Path({str(file)!r}), resident=True)"
    )


class TestSqliteProcesses(ProcessContract):
    @pytest.fixture
    def make_store(self, tmp_path: Path) -> Callable[[], SqliteStore]:
        return lambda: SqliteStore(tmp_path / "memory.sqlite")

    @pytest.fixture
    def opening(self, tmp_path: Path) -> str:
        return opening(tmp_path / "memory.sqlite")

    @pytest.fixture
    def new_opening(self, tmp_path: Path) -> str:
        return opening(tmp_path / "folder" / "new.sqlite")


@pytest.mark.parametrize("resident", [False, True])
def test_an_open_handle_sees_what_another_process_writes(tmp_path: Path, resident: bool) -> None:
    store = SqliteStore(tmp_path / "seen.sqlite", resident=resident)
    assert store.keyword(HOME, build_keyword_query("결제"), Filter(), 9).ranked == ()
    for prefix in ("a", "b"):
        write_from_process(opening(tmp_path / "seen.sqlite"), prefix, 2)
        ranking = store.keyword(HOME, build_keyword_query(f"{prefix}-1"), Filter(), 50)
        assert {f"{prefix}-1", "shared"} <= set(list_ranked_keys(store, ranking))
    store.close()


def test_a_resident_handle_sees_vectors_that_another_handle_writes(tmp_path: Path) -> None:
    mine, theirs = (SqliteStore(tmp_path / "seen.sqlite", resident=True) for _ in range(2))
    embedder = HashEmbedder()
    mine.use_model(embedder.model, embedder.dimension)
    for key, text in (("a", "결제"), ("b", "결제 환불"), ("c", "고양이")):
        theirs.put([build_entry(key, text)])
        embed_missing(theirs, embedder)
        assert (
            list_ranked_keys(mine, mine.nearest(HOME, near(embedder, text), Filter(), 9))[0] == key
        )
    theirs.forget(HOME, ["b"])
    assert list_ranked_keys(mine, mine.nearest(HOME, near(embedder, "결제 환불"), Filter(), 9)) == [
        "a",
        "c",
    ]
    mine.close()
    theirs.close()


def test_threads_share_a_store_and_any_of_them_may_close_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "threads.sqlite", resident=True)
    failures: list[Exception] = []

    def write(name: str) -> None:
        try:
            for number in range(20):
                store.put([build_entry(f"{name}{number}", "결제")])
                store.keyword(HOME, build_keyword_query("결제"), Filter(), 9)
        except Exception as error:  # noqa: BLE001 - reported by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert store.stats().documents == 60
    assert store.check() == []
    store.close()


def test_compacting_waits_for_another_writer_instead_of_giving_up(tmp_path: Path) -> None:
    """SQLite's own housekeeping reads before it writes: whoever writes in between must not make it
    fail as busy.
    """
    file = tmp_path / "memory.sqlite"
    store, embedder = SqliteStore(file), HashEmbedder(64)
    store.use_model(embedder.model, embedder.dimension)
    store.put(corpus(1, 50))
    embed_missing(store, embedder)
    store.nearest(HOME, near(embedder, "결제"), Filter(), 9)
    other, seen = sqlite3.connect(file, isolation_level=None, timeout=0), []

    def meanwhile(action: int, *_: object) -> int:
        if action == sqlite3.SQLITE_ANALYZE:
            with contextlib.suppress(sqlite3.OperationalError):
                other.execute("UPDATE meta SET value = value + 1 WHERE name = 'removed_passages'")
            seen.append(action)
        return sqlite3.SQLITE_OK

    store._db().set_authorizer(meanwhile)
    store.compact()
    assert seen
    store.close()
    other.close()
