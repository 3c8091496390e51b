"""Small networks on top of the encoder's states, one for each question that the reader answers."""

import torch
from base import mean
from rows import ABOUT, KINDS, MODES, PREDICATES, RELATIONS, SECRETS, UNTIL, WHOSE
from shape import WIDTH
from torch import Tensor, nn

_HIDDEN = 256
_DROPOUT = 0.1


class TextHead(nn.Module):
    """Answers about a whole text: from its first state and the mean of all, by one hidden layer."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.inner = nn.Linear(2 * WIDTH, _HIDDEN)
        self.drop = nn.Dropout(_DROPOUT)
        self.outer = nn.Linear(_HIDDEN, outputs)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return (texts, outputs) logits."""
        both = torch.cat([states[:, 0], mean(states, mask)], dim=-1)
        return self.outer(self.drop(nn.functional.gelu(self.inner(self.drop(both)))))


def relation_head() -> TextHead:
    """Return a head that says how a later statement relates to an earlier one."""
    return TextHead(len(RELATIONS))


#: What the worth head says, and how many answers each has.
WORTH_PARTS = {
    "worth": 2,
    "kind": len(KINDS),
    "about": len(ABOUT),
    "needs_before": 2,
    "until": len(UNTIL),
}


def worth_head() -> TextHead:
    """Return a head with the logits of all `WORTH_PARTS`, one after the other."""
    return TextHead(sum(WORTH_PARTS.values()))


class SpanHead(nn.Module):
    """Says for each token which kind of secret it belongs to, 0 for none."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(_DROPOUT)
        self.outer = nn.Linear(WIDTH, len(SECRETS))

    def forward(self, states: Tensor) -> Tensor:
        """Return (texts, tokens, kinds) logits."""
        return self.outer(self.drop(states))


class TellHead(nn.Module):
    """Says for each token which predicate's value it belongs to and whether the value begins there;
    and of a value, by the mean of its states and of all, whose it is and in which mode.
    """

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(_DROPOUT)
        #: The last output is that a value begins.
        self.tags = nn.Linear(WIDTH, len(PREDICATES) + 1)
        self.inner = nn.Linear(3 * WIDTH, _HIDDEN)
        self.outer = nn.Linear(_HIDDEN, len(WHOSE) + len(MODES))

    def forward(self, states: Tensor) -> Tensor:
        """Return (texts, tokens, predicates + 1) logits."""
        return self.tags(self.drop(states))

    def judge(self, states: Tensor, mask: Tensor, values: Tensor) -> Tensor:
        """Return (values, whose + modes) logits.

        `values` is (values, tokens), true on the tokens of each; the other two have a row a value.
        """
        joined = torch.cat([mean(states, values), mean(states, mask), states[:, 0]], dim=-1)
        return self.outer(self.drop(nn.functional.gelu(self.inner(self.drop(joined)))))
