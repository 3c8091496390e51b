"""What the store refuses: files that are damaged, not ours or of another shape, and a lock that is
not given up.
"""

import random
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.errors import ShapeMismatch, StoreBusy, StoreCorrupt, StoreError
from gieok.model.retrieval import Filter
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing.samples import HOME, build_entry, build_keyword_query, corpus, list_ranked_keys


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a store that holds a corpus and is closed."""
    file = tmp_path / "memory.sqlite"
    store = SqliteStore(file)
    store.put(corpus(41, 200))
    store.close()
    return file


def _use(file: Path) -> None:
    store = SqliteStore(file)
    try:
        store.stats()
        store.keyword(HOME, build_keyword_query("결제"), Filter(), 9)
        store.get(HOME, list(store.hashes(HOME)))
        store.put([build_entry("new", "결제")])
    finally:
        store.close()


def _random_header(data: bytes) -> bytes:
    return random.Random(1).randbytes(100) + data[100:]


def _random_header_after_the_magic(data: bytes) -> bytes:
    return data[:16] + random.Random(2).randbytes(84) + data[100:]


def _half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _odd_end(data: bytes) -> bytes:
    return data[: len(data) - 5000]


def _first_bytes(data: bytes) -> bytes:
    return data[:50]


def _text(data: bytes) -> bytes:
    return ("# 메모\n\n결제\n" * len(data)).encode()[: len(data)]


@pytest.mark.parametrize(
    "damage", [_random_header, _random_header_after_the_magic, _half, _odd_end, _first_bytes, _text]
)
def test_a_damaged_file_is_refused_and_left_as_it_is(
    file: Path, damage: Callable[[bytes], bytes]
) -> None:
    damaged = damage(file.read_bytes())
    file.write_bytes(damaged)
    with pytest.raises(StoreCorrupt, match=r"memory\.sqlite"):
        _use(file)
    assert file.read_bytes() == damaged


@pytest.mark.parametrize("seed", range(5))
def test_damage_in_the_middle_is_found_by_check(file: Path, seed: int) -> None:
    data = bytearray(file.read_bytes())
    at = random.Random(seed).randrange(4096, len(data) - 8192)
    data[at : at + 8192] = random.Random(seed).randbytes(8192)
    file.write_bytes(data)
    try:
        store = SqliteStore(file)
        assert store.check() != []
        store.close()
    except StoreCorrupt:
        pass


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("version", [0, 1, 5])
def test_a_database_of_another_program_is_refused_and_left_as_it_is(
    tmp_path: Path, version: int, journal: str
) -> None:
    file = tmp_path / "other.sqlite"
    other = sqlite3.connect(file)
    other.executescript(
        f"PRAGMA journal_mode = {journal}; CREATE TABLE t (x); PRAGMA user_version = {version};"
    )
    other.close()
    before = file.read_bytes()
    with pytest.raises(StoreCorrupt, match="another program"):
        SqliteStore(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE meta SET value = 999 WHERE name = 'keywords_version'", "999"),
        ("PRAGMA user_version = 77", "77"),
    ],
)
def test_a_store_of_another_shape_is_a_mismatch_that_names_the_version(
    file: Path, change: str, named: str
) -> None:
    db = sqlite3.connect(file, isolation_level=None)
    db.execute(change)
    db.close()
    with pytest.raises(ShapeMismatch, match=named):
        SqliteStore(file)


def test_a_write_lock_that_is_not_given_up_means_busy_and_nothing_is_written(file: Path) -> None:
    store = SqliteStore(file, busy_timeout_ms=1)
    before = store.hashes(HOME)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for write in (
        lambda: store.put([build_entry("new", "결제")]),
        lambda: store.forget(HOME, list(before)),
        lambda: store.write_note(HOME, "a", "b"),
        lambda: store.use_model("m", 3),
        store.compact,
    ):
        with pytest.raises(StoreBusy):
            write()
    assert store.hashes(HOME) == before
    assert list_ranked_keys(store, store.keyword(HOME, build_keyword_query("결제"), Filter(), 9))
    other.execute("ROLLBACK")
    store.put([build_entry("new", "결제")])
    assert store.hashes(HOME).keys() == {*before, "new"}
    store.close()
    other.close()


def test_the_file_and_what_sqlite_puts_beside_it_are_private(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "memory.sqlite"
    store = SqliteStore(file)
    store.put([build_entry("a", "비밀")])
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    store.close()


def test_a_folder_in_the_place_of_the_file_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot create"):
        SqliteStore(tmp_path)


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    file = tmp_path / "empty.sqlite"
    file.touch()
    store = SqliteStore(file)
    assert store.check() == []
    store.close()
