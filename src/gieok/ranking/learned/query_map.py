"""Linear map of a question's vector, for questions to turns: q → q + qDU, of unit length.

The bundled embedder was trained on questions and articles; a statement in passing and the question
that needs the statement months later lie further apart. `scripts/fit_query_map.py` fits the map;
documents other than turns are searched without it.
"""

from array import array
from functools import lru_cache
from math import sqrt
from operator import mul

from gieok.ranking.learned.weights import learned


class QueryMap:
    """Linear map of low rank.

    `down` has a row per hidden number, `up` a row per dimension of the vector.
    """

    def __init__(
        self, model: str, down: list[tuple[float, ...]], up: list[tuple[float, ...]]
    ) -> None:
        """Take the two matrices.

        A row of `down` is as long as a vector; a row of `up` is as long as `down` has rows.
        """
        self.model = model
        self._down, self._up = down, up

    def __call__(self, vector: bytes) -> bytes:
        """Return the mapped vector; both are of unit length, little-endian float32."""
        question = array("f", vector)
        hidden = [sum(map(mul, row, question)) for row in self._down]
        moved = [
            value + sum(map(mul, row, hidden))
            for value, row in zip(question, self._up, strict=True)
        ]
        norm = sqrt(sum(value * value for value in moved)) or 1.0
        return array("f", [value / norm for value in moved]).tobytes()


@lru_cache(1)
def _load_query_map() -> QueryMap:
    weights = learned("query_map")
    return QueryMap(weights.model, weights.matrices["down"], weights.matrices["up"])


def query_map(model: str) -> QueryMap | None:
    """Return the map for questions embedded by this model; None where no map was fitted for it."""
    fitted = _load_query_map()
    return fitted if fitted.model == model else None
