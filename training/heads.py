"""Small networks on top of the encoder's states, one for each question that the reader answers."""

import torch
from base import mean
from rows import ABOUT, KINDS, RELATIONS, UNTIL
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


#: Logits of the head *bears*: that a line helps with a prompt, and that a user said something of
#: themselves. It is fitted with those of *relation* behind them, which are left out when it is saved.
HELPS, TOLD = 0, 1
#: How many of them ship.
SHIPPED = 2


def bears_head() -> TextHead:
    """Return a head for all questions about two texts: helps, told, and the relations."""
    return TextHead(SHIPPED + len(RELATIONS))


def keep_bears(fitted: TextHead) -> TextHead:
    """Return the part of `bears_head` that ships: helps and told."""
    kept: TextHead = TextHead(SHIPPED).to(fitted.outer.weight.device)
    numbers = fitted.state_dict()
    numbers |= {name: numbers[name][:SHIPPED] for name in ("outer.weight", "outer.bias")}
    kept.load_state_dict(numbers)
    return kept


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


#: Numbers that stand for the features of values.
FEATURES = 1 << 15
#: States that are seen of a value: first, last, mean, before, behind.
_SEEN_STATES = 5
_VALUE_HIDDEN = 96
#: The logit of a value that nothing speaks for or against: few are secrets.
_START = -3.0


class ValueHead(nn.Module):
    """Says whether a value is a secret: from states of its tokens, and a weight a feature."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(_DROPOUT)
        self.inner = nn.Linear(_SEEN_STATES * WIDTH, _VALUE_HIDDEN)
        self.outer = nn.Linear(_VALUE_HIDDEN, 1)
        self.shapes = nn.EmbeddingBag(FEATURES, 1, mode="sum")
        nn.init.zeros_(self.shapes.weight)

    def forward(self, states: Tensor, features: Tensor, stops: Tensor) -> Tensor:
        """Return (values) logits: of (values, 5 · 384) states and the features of all in a row."""
        hidden = self.drop(nn.functional.gelu(self.inner(self.drop(states))))
        return (self.outer(hidden) + self.shapes(features, stops))[:, 0] + _START
