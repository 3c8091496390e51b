"""The order of results, shared by every store that ranks in numpy."""

import numpy as np
from numpy.typing import NDArray

from gieok.ports.store import SCORE_DIGITS


def best(scores: NDArray[np.float64] | NDArray[np.float32], slots: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return the places of the highest scores, best first, ties at six digits by slot."""
    rounded = np.round(scores, SCORE_DIGITS)
    if 0 < 4 * limit < len(rounded):
        bound = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        kept = np.flatnonzero(rounded >= bound)
    else:
        kept = np.arange(len(rounded))
    return kept[np.lexsort((slots[kept], -rounded[kept]))][:limit]
