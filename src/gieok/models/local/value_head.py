"""Head of secrets: how likely each value of a text is one.

A value is seen by the states of its first and last piece, their mean, and the states beside it, and
by the features of `text.secrets.features`, each of which has a weight. `training/spans.py` fits
all of it together.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gieok.models.local.adapter import Adapter
from gieok.text.secrets.features import forget_texts, number_features
from gieok.text.secrets.values import iter_placed_values

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from gieok.models.local.tokenizer import TextPiece

#: The logit of a value that nothing speaks for or against.
_START = -3.0


class SeenValue(NamedTuple):
    """Value of a text: its characters [start, end), its first and last piece, and the weight of its
    features.
    """

    start: int
    end: int
    first: int
    last: int
    weight: float


class ValueHead:
    """Small network over the states of an encoder."""

    def __init__(self, adapter: Adapter) -> None:
        """Read the numbers of the head that came with an adapter."""
        self._inner = adapter.head("inner.weight"), adapter.head("inner.bias")
        self._outer = adapter.head("outer.weight")[0], adapter.head("outer.bias")[0]
        self._shapes = adapter.head("shapes.weight")[:, 0]

    def see_values(self, lines: Sequence[str], pieces: Sequence["TextPiece"]) -> list[SeenValue]:
        """Return the values of a window's lines of which at least one piece is read.

        `pieces` are those of the lines joined by line breaks, with their places there.
        """
        import numpy as np

        covering = [(n, piece.start, piece.end) for n, piece in enumerate(pieces) if piece.end]
        starts, ends = [start for _, start, _ in covering], [end for _, _, end in covering]
        values = []
        for row, at, value in iter_placed_values(lines):
            start, end = at + value.start, at + value.end
            first, last = bisect_right(ends, start), bisect_left(starts, end) - 1
            if first <= last:
                numbers = number_features(lines, row, value, len(self._shapes))
                values.append(
                    SeenValue(
                        start=start,
                        end=end,
                        first=covering[first][0],
                        last=covering[last][0],
                        weight=float(self._shapes[np.array(numbers)].sum()),
                    )
                )
        forget_texts()
        return values

    def judge_values(
        self, states: "NDArray[float32]", lead: int, values: Sequence[SeenValue]
    ) -> list[float]:
        """Return the logit of each value. `states`: of `lead` marks, then of the pieces."""
        import numpy as np

        first = np.array([value.first for value in values]) + lead
        last = np.array([value.last for value in values]) + lead
        sums = np.concatenate([np.zeros((1, states.shape[1]), np.float32), states.cumsum(0)])
        mean = (sums[last + 1] - sums[first]) / (last - first + 1)[:, None]
        seen = np.concatenate(
            [
                states[first],
                states[last],
                mean,
                states[np.maximum(first - 1, 0)],
                states[np.minimum(last + 1, len(states) - 1)],
            ],
            axis=1,
        )
        weight, bias = self._inner
        hidden = apply_gelu(seen @ weight.T + bias)
        weight, bias = self._outer
        shapes = np.array([value.weight for value in values])
        logits: list[float] = (hidden @ weight + bias + shapes + _START).tolist()
        return logits


def soften_logit(logit: float) -> float:
    """Return the probability of a logit."""
    return 1.0 / (1.0 + math.exp(-logit))


def apply_gelu(values: "NDArray[float32]") -> "NDArray[float32]":
    """Return x·Φ(x)."""
    import numpy as np

    shares: NDArray[float32] = np.vectorize(math.erf, otypes=[np.float32])(values / math.sqrt(2.0))
    return np.asarray(values * 0.5 * (1.0 + shares), np.float32)
