"""Head of rules: which stretches of a message state a standing rule for the agent.

Every piece is tagged by its state alone; `training/rules.py` fits head and encoder together.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gieok.models.local.adapter import Adapter
from gieok.models.local.value_head import apply_gelu
from gieok.ports.models import RuleKind, RuleStretch

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from gieok.models.local.tokenizer import TextPiece

#: Kinds in the order of the logits behind the first, which says that a piece states nothing.
_KINDS = (RuleKind.NEVER, RuleKind.ASK, RuleKind.DO, RuleKind.ALLOWED)
_ALLOWED = 1 + _KINDS.index(RuleKind.ALLOWED)
#: A piece belongs to a stretch from this chance on; so many others may stand inside of one.
_INSIDE, _LONGEST_GAP = 0.5, 2
#: Pieces whose mean is the chance of a stretch.
_SUREST = 3


class TagHead:
    """Small network over the states of an encoder."""

    def __init__(self, adapter: Adapter) -> None:
        """Read the numbers of the head that came with an adapter."""
        self._inner = adapter.head("inner.weight"), adapter.head("inner.bias")
        self._outer = adapter.head("outer.weight"), adapter.head("outer.bias")

    def find_stretches(
        self, states: "NDArray[float32]", pieces: Sequence["TextPiece"]
    ) -> list[RuleStretch]:
        """Return the stretches that state rules or allow something, each in order.

        `states` has a row for each piece.
        """
        chances = self._judge_pieces(states)
        places = [(row, piece) for row, piece in enumerate(pieces) if piece.end]
        stated = chances[:, 1:_ALLOWED].sum(axis=1)
        found: list[RuleStretch] = []
        for judged, kinds in ((stated, _KINDS[: _ALLOWED - 1]), (chances[:, _ALLOWED], ())):
            for run in _join_runs([place for place in places if judged[place[0]] >= _INSIDE]):
                rows = [row for row, _ in run]
                surest = sorted((float(judged[row]) for row in rows), reverse=True)[:_SUREST]
                sums = chances[rows, 1:_ALLOWED].sum(axis=0)
                found.append(
                    RuleStretch(
                        start=run[0][1].start,
                        end=run[-1][1].end,
                        kind=kinds[int(sums.argmax())] if kinds else RuleKind.ALLOWED,
                        chance=sum(surest) / len(surest),
                    )
                )
        return sorted(found)

    def _judge_pieces(self, states: "NDArray[float32]") -> "NDArray[float32]":
        """Return the chances of the tags of each piece, (pieces, 5)."""
        import numpy as np

        weight, bias = self._inner
        hidden = apply_gelu(states @ weight.T + bias)
        weight, bias = self._outer
        logits = hidden @ weight.T + bias
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)


def _join_runs(
    places: Sequence[tuple[int, "TextPiece"]],
) -> list[list[tuple[int, "TextPiece"]]]:
    """Return the pieces in runs; a few others may stand between two of a run."""
    runs: list[list[tuple[int, TextPiece]]] = []
    for row, piece in places:
        if runs and row - runs[-1][-1][0] <= 1 + _LONGEST_GAP:
            runs[-1].append((row, piece))
        else:
            runs.append([(row, piece)])
    return runs
