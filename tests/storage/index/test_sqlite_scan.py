"""The one-bit prefilter finds what an exact scan finds."""

from pathlib import Path

import numpy as np
import pytest

from gieok.model.retrieval import Filter, VectorQuery
from gieok.storage.index.order import Floats, dots
from gieok.storage.index.quantise import pack, unpack
from gieok.storage.index.sqlite import scan
from gieok.storage.index.sqlite.scan import Signs
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing.samples import HOME, build_entry

_ROWS, _DIMENSION, _CLUSTERS = 20_000, 384, 200


def _clustered(random: np.random.Generator, rows: int) -> Floats:
    """Return unit vectors around common centres, all shifted one way as those of real models
    are.
    """
    centres = np.random.default_rng(0).normal(size=(_CLUSTERS, _DIMENSION)) + 0.7
    vectors = centres[random.integers(_CLUSTERS, size=rows)] + random.normal(
        size=(rows, _DIMENSION)
    )
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _top(scores: Floats) -> set[int]:
    return set(np.argsort(-scores, kind="stable")[:10].tolist())


def test_the_prefilter_keeps_the_exact_top_ten() -> None:
    random = np.random.default_rng(7)
    vectors, queries = _clustered(random, _ROWS), _clustered(random, 60)
    values, scales = unpack([pack(v.tobytes()) for v in vectors], _DIMENSION)
    signs = Signs(values, scales)
    kept = [len(_top(dots(values, scales, q)) & set(signs.near(q, 1200).tolist())) for q in queries]
    assert sum(kept) / (10 * len(queries)) >= 0.99


def test_the_prefilter_returns_ascending_rows_and_all_of_them_when_there_are_few() -> None:
    vectors = _clustered(np.random.default_rng(8), 100)
    signs = Signs(*unpack([pack(v.tobytes()) for v in vectors], _DIMENSION))
    assert signs.near(vectors[0], 1000).tolist() == list(range(100))
    assert 10 <= len(signs.near(vectors[0], 10)) < 100


def test_rows_without_a_vector_never_take_the_place_of_one() -> None:
    vectors = _clustered(np.random.default_rng(9), 1000)
    values, scales = unpack([pack(v.tobytes()) for v in vectors], _DIMENSION)
    held = np.arange(0, 1000, 100)
    empty = np.setdiff1d(np.arange(1000), held)
    values[empty], scales[empty] = 0, 0
    assert Signs(values, scales).near(vectors[3], len(held)).tolist() == held.tolist()


@pytest.mark.parametrize(("rows", "block"), [(9, 4), (8, 4), (4001, 4096)])
@pytest.mark.parametrize("dimension", [3, 8, 64, 70])
def test_the_nearest_are_those_that_lie_on_most_sides_of_the_mean(
    monkeypatch: pytest.MonkeyPatch, rows: int, block: int, dimension: int
) -> None:
    monkeypatch.setattr(scan, "BLOCK", block)
    random = np.random.default_rng(rows + dimension)
    vectors = random.normal(size=(rows, dimension)).astype(np.float32)
    values, scales = unpack([pack(v.tobytes()) for v in vectors], dimension)
    values[1], scales[1] = 0, 0
    restored = values.astype(np.float32) * scales[:, None]
    mean = restored[:: max(rows // 2000, 1)].mean(axis=0)
    query = random.normal(size=dimension).astype(np.float32)
    apart = ((restored > mean) != (query > mean)).sum(axis=1)
    apart[1] = dimension + 1
    signs = Signs(values, scales)
    for count in (1, 2, 5, rows - 1):
        farthest = np.sort(apart)[count - 1]
        assert signs.near(query, count).tolist() == np.flatnonzero(apart <= farthest).tolist()


@pytest.mark.parametrize("dimension", [1, 8, 12, 63, 64, 65, 384])
def test_any_dimension_fits(dimension: int) -> None:
    vectors = np.random.default_rng(dimension).normal(size=(50, dimension)).astype(np.float32)
    values, scales = unpack([pack(v.tobytes()) for v in vectors], dimension)
    assert 0 in Signs(values, scales).near(vectors[0], 1)


def test_eight_bits_keep_the_cosine() -> None:
    vectors = _clustered(np.random.default_rng(10), 500)
    values, scales = unpack([pack(v.tobytes()) for v in vectors], _DIMENSION)
    assert np.abs(dots(values, scales, vectors[0]) - vectors @ vectors[0]).max() < 0.003


def test_a_large_scope_answers_the_same_before_and_after_the_prefilter_is_built(
    tmp_path: Path,
) -> None:
    random = np.random.default_rng(11)
    vectors, queries = _clustered(random, 24_100), _clustered(random, 10)
    store = SqliteStore(tmp_path / "large.sqlite", resident=True)
    store.use_model("random@1", _DIMENSION)
    store.put([build_entry(str(n), *(f"{n}-{line}" for line in range(100))) for n in range(241)])
    ids = [passage for passage, _ in store.missing(len(vectors))]
    store.put_vectors(
        "random@1",
        {passage: vector.tobytes() for passage, vector in zip(ids, vectors, strict=True)},
    )
    first, *others = [VectorQuery(vector=q.tobytes()) for q in queries]
    before = store.nearest(HOME, first, Filter(), 10)
    for query in others:
        assert len(store.nearest(HOME, query, Filter(), 10).ranked) == 10
    after = store.nearest(HOME, first, Filter(), 10)
    assert [i for i, _ in after.ranked] == [i for i, _ in before.ranked]
    assert len(store.nearest(HOME, first, Filter(), 7000).ranked) == 7000
    store.close()
