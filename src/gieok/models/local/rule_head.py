"""Head of rules: whether a message states a standing rule for the agent, and with which words.

The whole message is judged by its first state and the mean of all, each piece by its own state.
`training/rules.py` fits all of it together with the encoder.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gieok.models.local.adapter import Adapter
from gieok.models.local.value_head import apply_gelu, soften_logit
from gieok.ports.models import RuleKind, RuleStretch

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from gieok.models.local.tokenizer import TextPiece

#: Kinds in the order of the logits behind the first, which says that a piece states nothing.
_KINDS = (RuleKind.NEVER, RuleKind.ASK, RuleKind.DO, RuleKind.ALLOWED)
_ALLOWED = 1 + _KINDS.index(RuleKind.ALLOWED)
#: A piece belongs to a stretch from this chance on; so many others may stand inside of one, and so
#: many pieces it has at least.
_INSIDE, _LONGEST_GAP, _FEWEST_PIECES = 0.5, 2, 2
#: A message that less likely states a rule has no stretches.
_LEAST_CHANCE = 0.05


class RuleHead:
    """Small network over the states of an encoder."""

    def __init__(self, adapter: Adapter) -> None:
        """Read the numbers of the head that came with an adapter."""
        self._adapter = adapter

    def find_stretches(
        self, states: "NDArray[float32]", lead: int, pieces: Sequence["TextPiece"]
    ) -> list[RuleStretch]:
        """Return the stretches that state rules or allow something, in order.

        `states`: of `lead` marks, of the pieces, and of the mark behind them.
        """
        whole = self._judge_message(states)
        if whole < _LEAST_CHANCE:
            return []
        chances = self._judge_pieces(states[lead : lead + len(pieces)])
        places = [(row, piece) for row, piece in enumerate(pieces) if piece.end]
        stated = chances[:, 1:_ALLOWED].sum(axis=1)
        told = _join_runs([place for place in places if stated[place[0]] >= _INSIDE])
        allowed = _join_runs([p for p in places if chances[p[0], _ALLOWED] >= _INSIDE])
        sums = [chances[[row for row, _ in run], 1:_ALLOWED].sum(axis=0) for run in told]
        kinds = [_KINDS[int(each.argmax())] for each in sums]
        kinds += [RuleKind.ALLOWED] * len(allowed)
        return sorted(
            RuleStretch(start=run[0][1].start, end=run[-1][1].end, kind=kind, chance=whole)
            for run, kind in zip([*told, *allowed], kinds, strict=True)
        )

    def _judge_message(self, states: "NDArray[float32]") -> float:
        """Return the chance that a message states a rule."""
        import numpy as np

        both = np.concatenate([states[0], states.mean(axis=0)])[None]
        (logit,) = self._apply_layers(both, "whole.")[0]
        return soften_logit(float(logit))

    def _judge_pieces(self, states: "NDArray[float32]") -> "NDArray[float32]":
        """Return the chances of the tags of each piece, (pieces, 5)."""
        import numpy as np

        logits = self._apply_layers(states, "")
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)

    def _apply_layers(self, states: "NDArray[float32]", name: str) -> "NDArray[float32]":
        """Return the logits of one of the two networks."""
        head = self._adapter.head
        hidden = apply_gelu(states @ head(f"{name}inner.weight").T + head(f"{name}inner.bias"))
        logits: NDArray[float32] = hidden @ head(f"{name}outer.weight").T + head(
            f"{name}outer.bias"
        )
        return logits


def _join_runs(
    places: Sequence[tuple[int, "TextPiece"]],
) -> list[list[tuple[int, "TextPiece"]]]:
    """Return the pieces in runs of some length; a few others may stand between two of a run."""
    runs: list[list[tuple[int, TextPiece]]] = []
    for row, piece in places:
        if runs and row - runs[-1][-1][0] <= 1 + _LONGEST_GAP:
            runs[-1].append((row, piece))
        else:
            runs.append([(row, piece)])
    return [run for run in runs if len(run) >= _FEWEST_PIECES]
