"""Closeness of a line to a question: each piece finds its nearest, and counts by its share."""

from io import BytesIO

import numpy as np
import pytest

from gieok.models.local.adapter import Adapter
from gieok.models.local.token_head import TokenHead

_RANDOM = np.random.default_rng(5)


@pytest.fixture
def head() -> TokenHead:
    arrays = {
        "head.project.weight": _RANDOM.normal(size=(6, 6)),
        "head.project.bias": _RANDOM.normal(size=6),
        "head.weight.weight": _RANDOM.normal(size=(1, 6)),
        "head.weight.bias": _RANDOM.normal(size=1),
    }
    content = BytesIO()
    np.savez(content, **{name: value.astype(np.float16) for name, value in arrays.items()})
    return TokenHead(Adapter(content.getvalue(), 1.0))


def test_closeness_is_the_weighted_mean_of_the_nearest_pieces(head: TokenHead) -> None:
    asked, line = (_RANDOM.normal(size=(count, 6)).astype(np.float32) for count in (4, 9))
    question, pieces = head.read_question(asked), head.read_line(line)
    assert question.shares.sum() == pytest.approx(1, abs=1e-6)
    expected = sum(
        share * max(float(piece @ other) for other in pieces)
        for share, piece in zip(question.shares, question.pieces, strict=True)
    )
    assert head.measure_closeness(question, pieces) == pytest.approx(expected, abs=1e-6)


def test_a_text_is_as_close_as_can_be_to_itself(head: TokenHead) -> None:
    states = _RANDOM.normal(size=(7, 6)).astype(np.float32)
    assert head.measure_closeness(head.read_question(states), head.read_line(states)) == (
        pytest.approx(1, abs=1e-6)
    )
