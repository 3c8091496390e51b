"""A mirror never bloats, never loses what was written without noticing, and is mended whatever
happens to it.
"""

import shutil
import signal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from gieok.errors import StoreError
from gieok.model.retrieval import Filter
from gieok.storage.index.mirrored import mirror
from gieok.storage.index.mirrored.store import MirroredStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import HashEmbedder
from gieok.testing.contracts.processes import (
    StoreProcess,
    finish_store_process,
    go,
    start_store_process,
)
from gieok.testing.samples import (
    HOME,
    OTHER,
    build_entry,
    corpus,
    embed_missing,
    list_ranked_keys,
    near,
)

_ALL = Filter()
_EMBEDDER = HashEmbedder(64)
_ROUNDS = 60


@pytest.fixture(params=["lancedb", "chroma"])
def kind(request: pytest.FixtureRequest) -> type[MirroredStore]:
    """Return a kind of store. Its library is imported here: at collection each worker would."""
    if request.param == "lancedb":
        from gieok.storage.index.lancedb.store import LanceStore

        return LanceStore
    from gieok.storage.index.chroma.store import ChromaStore

    return ChromaStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


def _filled(kind: type[MirroredStore], file: Path, documents: int = 200) -> MirroredStore:
    store = kind(file)
    store.use_model(_EMBEDDER.model, _EMBEDDER.dimension)
    store.put(corpus(1, documents))
    embed_missing(store, _EMBEDDER)
    store.compact()
    return store


def _ranking(store: Any, text: str = "결제 고양이") -> list[str]:
    return list_ranked_keys(store, store.nearest(HOME, near(_EMBEDDER, text), _ALL, 9))


def _exact(file: Path, text: str = "결제 고양이") -> list[str]:
    store = SqliteStore(file)
    try:
        return _ranking(store, text)
    finally:
        store.close()


def _inside(file: Path) -> Path:
    return file.with_suffix("")


def test_sixty_rounds_of_indexing_leave_neither_rows_nor_disk(
    kind: type[MirroredStore], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a cap that sixty rounds of 20 documents would pass
    monkeypatch.setattr(mirror, "_ROOM_BYTES", 600_000)
    store = kind(file)
    store.use_model(_EMBEDDER.model, _EMBEDDER.dimension)
    sizes = []
    for round_ in range(_ROUNDS):
        store.put(
            [
                build_entry(str(n), f"{n} 결제 {round_}", f"고양이 {(round_ * 31 + n) % 97}")
                for n in range(20)
            ]
        )
        embed_missing(store, _EMBEDDER)
        store.compact()
        sizes.append(store._mirror.disk_bytes())
    assert store.stats().passages == store.stats().vectors == 40
    wanted = next(iter(store._held.values())).wanted
    assert store._mirror.in_line(wanted, store._fetch).count() == len(wanted.numbers) <= 40
    # the cap, and what one round adds before it is seen
    assert max(sizes) < 660_000 + 4 * 4 * 64 * 40 + 600_000
    assert store.check() == []
    assert (
        _ranking(store, f"17 결제 {_ROUNDS - 1}")[0]
        == _exact(file, f"17 결제 {_ROUNDS - 1}")[0]
        == "17"
    )
    store.close()


def test_a_mirror_that_lost_vectors_is_mended_and_told_of(
    kind: type[MirroredStore], file: Path
) -> None:
    store = _filled(kind, file)
    wanted = next(iter(store._held.values())).wanted
    held = store._mirror.in_line(wanted, store._fetch)
    held.remove(wanted.numbers[:50])
    assert store.check() == [
        f"the {kind.library_name} mirror of agent:main does not hold the vectors of the store"
    ]
    for text in ("결제", "고양이 회의", "invoice cat"):
        assert _ranking(store, text) == _exact(file, text)
    assert store.check() == []
    store.close()


@pytest.mark.parametrize("how", ["gone", "emptied", "garbled"])
def test_a_damaged_mirror_is_made_again(kind: type[MirroredStore], file: Path, how: str) -> None:
    expected = _exact_after(kind, file)
    folder = _inside(file)
    if how == "gone":
        shutil.rmtree(folder)
    for found in sorted(folder.rglob("*")):
        if found.is_file() and found.parent != folder:
            found.write_bytes(b"" if how == "emptied" else b"\x00garbage" * 500)
    # Another process: what this one has open of the folder would hide the damage.
    child = start_store_process(_ASK, _describe_opening(kind, file))
    go(child)
    assert finish_store_process(child) == expected


def _exact_after(kind: type[MirroredStore], file: Path) -> list[str]:
    store = _filled(kind, file)
    expected = _ranking(store)
    assert expected == _exact(file)
    store.close()
    return expected


def test_a_library_that_swallows_writes_is_never_reported_as_success(
    kind: type[MirroredStore], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_kind = {"LanceStore": "LanceTable", "ChromaStore": "ChromaCollection"}[kind.__name__]
    monkeypatch.setattr(f"{kind.__module__}.{of_kind}.add", lambda self, numbers, vectors: None)
    store = kind(file)
    store.use_model(_EMBEDDER.model, _EMBEDDER.dimension)
    store.put(corpus(1, 20))
    embed_missing(store, _EMBEDDER)
    with pytest.raises(StoreError, match="0 vectors are held where"):
        store.compact()
    with pytest.raises(StoreError):
        store.nearest(HOME, near(_EMBEDDER, "결제"), _ALL, 2)
    monkeypatch.undo()
    assert _ranking(store) == _exact(file)
    store.close()


def test_what_plain_sqlite_wrote_meanwhile_is_found(kind: type[MirroredStore], file: Path) -> None:
    store = _filled(kind, file)
    plain = SqliteStore(file)
    plain.put([build_entry("fresh", "결제 새소식")])
    embed_missing(plain, _EMBEDDER)
    plain.forget(HOME, _ranking(store)[1:3])
    plain.close()
    assert _ranking(store, "결제 새소식")[0] == "fresh"
    assert _ranking(store) == _exact(file)
    store.close()


def test_scopes_are_sets_of_their_own(kind: type[MirroredStore], file: Path) -> None:
    store = _filled(kind, file)
    store.put([build_entry("theirs", "결제 고양이", scope=OTHER)])
    embed_missing(store, _EMBEDDER)
    assert list_ranked_keys(store, store.nearest(OTHER, near(_EMBEDDER, "결제"), _ALL, 1)) == [
        "theirs"
    ]
    assert "theirs" not in _ranking(store)
    store.close()


def test_another_models_vectors_replace_the_old_set(kind: type[MirroredStore], file: Path) -> None:
    store = _filled(kind, file)
    new = HashEmbedder(32, model="new@1")
    waiting = store.missing_for(new.model, 32, None, 10_000)
    store.keep_vectors(new.model, {i: new.embed_query(text) for i, text in waiting})
    store.switch_model(new.model, 32)
    store.compact()
    assert len(store._mirror._library.names()) == 1  # type: ignore[union-attr]
    assert list_ranked_keys(store, store.nearest(HOME, near(new, "결제"), _ALL, 5)) == _exact_of(
        file, new
    )
    store.close()


def _exact_of(file: Path, embedder: HashEmbedder) -> list[str]:
    store = SqliteStore(file)
    try:
        return list_ranked_keys(store, store.nearest(HOME, near(embedder, "결제"), _ALL, 5))
    finally:
        store.close()


def test_the_graph_of_chroma_finds_nearly_all_of_the_exact_top_ten(file: Path) -> None:
    """Random unit vectors of 48 dimensions are harder than text: their distances hardly differ."""
    from gieok.storage.index.chroma.store import ChromaStore

    random, dimension = np.random.default_rng(1), 48
    store = ChromaStore(file)
    store.use_model("random@1", dimension)
    store.put([build_entry(str(n), str(n)) for n in range(3000)])
    rows = random.standard_normal((3000, dimension)).astype("<f4")
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    waiting = store.missing(3000)
    store.put_vectors("random@1", {i: rows[n].tobytes() for n, (i, _) in enumerate(waiting)})
    plain, found, asked = SqliteStore(file), 0, 40
    for n in range(asked):
        query = near(_EMBEDDER, "x")._replace(vector=rows[n * 7].tobytes())
        ours, exact = (
            {i for i, _ in s.nearest(HOME, query, _ALL, 10).ranked} for s in (store, plain)
        )
        found += len(ours & exact)
    assert found / (10 * asked) > 0.98
    plain.close()
    store.close()


_ASK = """
import sys
from gieok.model.retrieval import Filter
from gieok.testing import HashEmbedder
from gieok.testing.samples import HOME, list_ranked_keys, near
print("ready", flush=True)
sys.stdin.readline()
{opening}
print(*list_ranked_keys(store, store.nearest(HOME, near(HashEmbedder(64), "결제 고양이"), Filter(), 9)), sep="\\n")
store.close()
"""

#: Puts documents of its own, embeds them and brings the mirror in line, and prints how far it is.
_WRITE = """
import sys
from gieok.testing import HashEmbedder
from gieok.testing.samples import embed_missing, build_entry
name, rounds = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
{opening}
embedder = HashEmbedder(64)
store.use_model(embedder.model, embedder.dimension)
for round_ in range(rounds):
    store.put([build_entry(f"{{name}}-{{n}}", f"{{name}} 결제 {{round_ * n}}", f"고양이 {{n}}") for n in range(20)])
    embed_missing(store, embedder)
    store.compact()
    print(round_, flush=True)
store.close()
"""


def _describe_opening(kind: type[MirroredStore], file: Path) -> str:
    """Return the statements by which another process opens the store."""
    return f"""
from pathlib import Path
from {kind.__module__} import {kind.__name__}
store = {kind.__name__}(Path({str(file)!r}))
"""


def _start_writer(kind: type[MirroredStore], file: Path, name: str, rounds: int) -> StoreProcess:
    writer = start_store_process(_WRITE, _describe_opening(kind, file), name, rounds)
    go(writer)
    return writer


def test_processes_write_and_search_one_mirror_at_once(
    kind: type[MirroredStore], file: Path
) -> None:
    store = _filled(kind, file, 30)
    writers = [_start_writer(kind, file, name, 8) for name in ("one", "two")]
    for writer in writers:
        assert writer.stdout
        for _ in writer.stdout:
            assert len(store.nearest(HOME, near(_EMBEDDER, "결제 고양이"), _ALL, 9).ranked) == 9
    for writer in writers:
        finish_store_process(writer)
    assert {"one-1", "two-1"} <= store.hashes(HOME).keys()
    for text in ("one 결제", "two 고양이", "결제 19"):
        assert _ranking(store, text) == _exact(file, text)
    assert store.check() == []
    store.close()


def test_a_writer_killed_at_any_moment_leaves_a_mirror_that_is_mended(
    kind: type[MirroredStore], file: Path
) -> None:
    chance = Random(3)
    for number in range(4):
        with _start_writer(kind, file, f"run{number}", 1000) as writer:
            assert writer.stdout
            for _ in range(1 + chance.randrange(4)):
                writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
    store = kind(file)
    assert store.check() == []
    embed_missing(store, _EMBEDDER)
    store.compact()
    for text in ("run1 결제", "고양이 7"):
        assert _ranking(store, text) == _exact(file, text)
    assert store.check() == []
    store.close()
