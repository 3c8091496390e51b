"""Head of closeness: how near the words of a question come to the words of a line.

A vector of a whole line is a mean, in which the one word that matters is a few per cent. This head
keeps a small vector for each piece, and asks for each piece of the question how near the nearest
piece of the line is (late interaction, as in ColBERT: Khattab and Zaharia, 2020). How much a piece
of the question counts is learned too. `training/bears.py` fits all of it together.
"""

from typing import TYPE_CHECKING, NamedTuple

from gieok.models.local.adapter import Adapter

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class ReadQuestion(NamedTuple):
    """Unit vectors of a question's pieces, (pieces, 384), and their shares, which sum to 1."""

    pieces: "NDArray[float32]"
    shares: "NDArray[float32]"


class TokenHead:
    """Projection of an encoder's states, and the weight of each piece of a question."""

    def __init__(self, adapter: Adapter) -> None:
        """Read the numbers of the head that came with an adapter."""
        self._project = adapter.head("project.weight"), adapter.head("project.bias")
        self._weight = adapter.head("weight.weight")[0], adapter.head("weight.bias")[0]

    def read_line(self, states: "NDArray[float32]") -> "NDArray[float32]":
        """Return the unit vectors of a line's pieces, (pieces, 384) float32, of its states."""
        import numpy as np

        weight, bias = self._project
        pieces = states @ weight.T + bias
        lengths = np.sqrt((pieces * pieces).sum(axis=1, keepdims=True))
        return np.asarray(pieces / np.maximum(lengths, 1e-6), np.float32)

    def read_question(self, states: "NDArray[float32]") -> ReadQuestion:
        """Return what is asked for in a question, of its states."""
        import numpy as np

        weight, bias = self._weight
        logits = states @ weight + bias
        shares = np.exp(logits - logits.max())
        return ReadQuestion(self.read_line(states), np.asarray(shares / shares.sum(), np.float32))

    def measure_closeness(self, question: ReadQuestion, line: "NDArray[float32]") -> float:
        """Return the closeness of a line to a question, -1 to 1."""
        nearest = (question.pieces @ line.T).max(axis=1)
        return float(question.shares @ nearest)
