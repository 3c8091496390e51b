"""A file of weights says what it holds, and gives it back to half precision."""

import math

import pytest

from gieok.ranking.learned.weights import LearnedWeights, decode_weights, encoded, learned


def test_weights_come_back_as_they_were_written() -> None:
    written = LearnedWeights(
        "model@1", {"a": [[1.0, -0.5], [0.25, 2.0]], "b": [[3.0]]}, {"bias": -1.5}
    )
    read = decode_weights(encoded(written))
    assert read == ("model@1", {"a": [(1.0, -0.5), (0.25, 2.0)], "b": [(3.0,)]}, {"bias": -1.5})


@pytest.mark.parametrize("name", ["prompts", "heads"])
def test_the_weights_that_ship_are_finite_and_small(name: str) -> None:
    weights = learned(name)
    numbers = [value for rows in weights.matrices.values() for row in rows for value in row]
    assert numbers
    assert all(map(math.isfinite, numbers))
    assert len(numbers) * 2 < 150_000
