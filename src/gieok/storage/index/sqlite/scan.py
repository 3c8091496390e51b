"""Prefilter of cosine search in memory, by the signs of the vectors' dimensions.

The prefilter finds .999 of the top ten. Small scopes, and the first questions of a process, look at
every vector. Large scopes afterwards: the sign of every dimension, one bit each, picks the vectors
worth an exact look.
"""

import numpy as np
from numpy.typing import NDArray

from gieok.storage.index.order import BLOCK, Floats, Ints

#: Number of passages looked at exactly after the prefilter. 100,000 passages: .999 of the exact top
#: ten in 2.6 CPU ms; all passages: 14.
RESCORED = 6_000


class Signs:
    """One bit per dimension of each vector: is it above the mean of all vectors?

    Hamming distance then follows the angle.
    """

    def __init__(self, values: NDArray[np.int8], scales: Floats) -> None:
        rows, dimension = values.shape
        step = max(rows // 2000, 1)
        self._empty = np.flatnonzero(scales == 0)
        self._mean = (values[::step].astype(np.float32) * scales[::step, None]).mean(axis=0)
        self._padding = -dimension % 64
        # Column by column: the first words of all rows lie together, then the second ones, so that
        # a scan streams.
        self._words = np.empty(((dimension + self._padding) // 64, rows), np.uint64)
        for start in range(0, rows, BLOCK):
            block = slice(start, start + BLOCK)
            self._words[:, block] = self._pack(
                values[block].astype(np.float32) * scales[block, None]
            )

    def near(self, query: Floats, count: int) -> Ints:
        """Return at least `count` rows that are likely nearest to `query`, ascending.

        All rows where there are fewer than `count`.
        """
        words = self._pack(query[None])[:, 0]
        distance = np.zeros(self._words.shape[1], np.uint16)
        for column, word in zip(self._words, words, strict=True):
            distance += np.bitwise_count(column ^ word)
        # Rows without a vector are further than any vector, so that they never take the place of
        # one.
        distance[self._empty] = 64 * len(words) + 1
        reached = np.bincount(distance).cumsum()
        return np.flatnonzero(distance <= np.searchsorted(reached, count))

    def _pack(self, rows: Floats) -> NDArray[np.uint64]:
        bits = np.packbits(rows > self._mean, axis=1)
        if self._padding:
            bits = np.pad(bits, ((0, 0), (0, self._padding // 8)))
        return np.ascontiguousarray(bits.view(np.uint64).T)
