"""The learned map moves a question's vector a little, keeps it a unit vector, and belongs to one
model.
"""

from array import array
from math import sqrt

import pytest

from gieok.models.embedders.e5.runtime import MODEL
from gieok.ranking.learned.query_map import QueryMap, query_map


def _unit(*values: float) -> bytes:
    norm = sqrt(sum(value * value for value in values))
    return array("f", [value / norm for value in values]).tobytes()


def test_what_is_added_is_the_product_of_both_matrices() -> None:
    moved = QueryMap("model@1", down=[(2.0, 0.0)], up=[(0.0,), (0.5,)])(_unit(1, 0))
    assert array("f", moved).tolist() == pytest.approx([1 / sqrt(2), 1 / sqrt(2)])


def test_a_mapped_question_is_of_unit_length_and_near_to_where_it_was() -> None:
    fitted = query_map(MODEL)
    assert fitted is not None
    question = array("f", _unit(*(1.0 if i % 3 else -2.0 for i in range(384))))
    moved = array("f", fitted(question.tobytes()))
    assert sum(value * value for value in moved) == pytest.approx(1, abs=1e-5)
    assert sum(a * b for a, b in zip(question, moved, strict=True)) > 0.5


def test_another_model_has_no_map() -> None:
    assert query_map("other@1") is None
