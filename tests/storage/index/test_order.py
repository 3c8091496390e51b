"""Ranked lists from scores, and the crowding of their vectors."""

import numpy as np
import pytest

from gieok.model.retrieval import VectorQuery
from gieok.storage.index import order
from gieok.storage.index.hubs import crowding
from gieok.storage.index.order import best
from gieok.storage.index.quantise import pack, unpack


def _unit_rows(*degrees: float) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_rows_are_crowded_by_their_nearest_others() -> None:
    assert crowding(_unit_rows()).tolist() == []
    assert crowding(_unit_rows(30)).tolist() == [0]
    assert crowding(_unit_rows(0, 60)).tolist() == pytest.approx([0.5, 0.5])
    # Of eleven others the ten nearest count: the one that points the other way does not.
    assert crowding(_unit_rows(*[0] * 11, 180))[0] == pytest.approx(1)
    assert crowding(_unit_rows(*[0] * 10, 180))[0] == pytest.approx(0.8)


def test_scores_are_equal_to_six_digits_and_cut_at_the_limit() -> None:
    scores = np.array([0.1234561, 0.1234564, 0.123457, 0.2, *[0.0] * 20])
    assert best(scores, np.arange(len(scores)), 4).tolist() == [3, 2, 0, 1]
    assert best(scores, np.arange(len(scores)), 5).tolist() == [3, 2, 0, 1, 4]


@pytest.mark.parametrize("block", [1, 2, 4096])
def test_cosines_are_computed_block_by_block(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(order, "BLOCK", block)
    values = np.array([[127, 0], [0, 127], [-127, 0]], np.int8)
    scales = np.array([1 / 127, 0.5 / 127, 1 / 127], np.float32)
    assert order.dots(values, scales, _unit_rows(60)[0]).tolist() == pytest.approx(
        [0.5, 0.5 * 3**0.5 / 2, -0.5]
    )


def _pack_rows(*degrees: float) -> list[bytes]:
    return [pack(row.tobytes()) for row in _unit_rows(*degrees)]


def test_a_crowded_passage_comes_behind_one_that_stands_alone() -> None:
    values, scales = unpack(_pack_rows(0, 0, 40, 170), 2)
    ids = np.array([4, 3, 2, 1])
    vector = _unit_rows(10)[0].tobytes()
    plain = order.rank_near(ids, values, scales, vector, 0.0, 3)
    assert [passage for passage, _ in plain.ranked] == [3, 4, 2]
    weighed = order.rank_near(ids, values, scales, vector, 2.0, 3)
    # The first two are as near as can be to each other.
    assert [passage for passage, _ in weighed.ranked] == [2, 3, 4]
    assert weighed.cosines == pytest.approx([0.866, 0.985, 0.985], abs=0.01)
    assert [score for _, score in weighed.ranked] == pytest.approx(
        [0.866 - 2 * 0.766, 0.985 - 2 * 0.883, 0.985 - 2 * 0.883], abs=0.01
    )


def test_the_nearest_line_stands_for_its_passage() -> None:
    packed = _pack_rows(90, 0, 0, 40)
    rows = [(7, 0, 3, packed[0]), (7, 9, 12, packed[2]), (7, 4, 8, packed[1]), (5, 0, 2, packed[3])]
    query = VectorQuery(vector=_unit_rows(0)[0].tobytes())
    found = order.near_lines(rows, query, [5, 6, 7], 2)
    # Of two lines that are as near, the first.
    assert [line[:3] for line in found] == [(5, 0, 2), (7, 4, 8)]
    assert [line.cosine for line in found] == pytest.approx([0.766, 1], abs=0.01)
    assert [line.score for line in found] == [line.cosine for line in found]
    crowded = order.near_lines(rows, query._replace(hub_weight=0.5), [5, 6, 7], 2)
    assert [line.score for line in crowded] == pytest.approx([0.766 - 0.383, 1 - 0.383], abs=0.01)
    assert order.near_lines([], query, [5], 2) == []


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 9, 100])
def test_the_highest_scores_come_first_and_equal_ones_by_slot(limit: int) -> None:
    scores = np.array([0.5, 0.9, 0.5, 0.1, 0.9000001, 0.5, 0.3, 0.2, 0.2])
    slots = np.arange(len(scores))[::-1].copy()
    assert best(scores, slots, limit).tolist() == [4, 1, 5, 2, 0, 6, 8, 7, 3][:limit]
