"""Small networks on top of the encoder's states, one for each question that the reader answers."""

import torch
from base import mean
from rows import ABOUT, KINDS, MODES, PREDICATES, RELATIONS, UNTIL, WHOSE
from shape import WIDTH
from torch import Tensor, nn

_HIDDEN = 256
_DROPOUT = 0.1
_FAR = -1e4


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


class TokenHead(nn.Module):
    """Says how near the tokens of a prompt come to those of a line, and which of them count."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(WIDTH, WIDTH)
        self.weight = nn.Linear(WIDTH, 1)
        #: Logarithm of what a closeness is multiplied with in the loss.
        self.scale = nn.Parameter(torch.tensor(3.0))
        nn.init.eye_(self.project.weight)
        for start in (self.project.bias, self.weight.weight, self.weight.bias):
            nn.init.zeros_(start)

    @torch.no_grad()
    def centre(self, state: Tensor) -> None:
        """Take the mean state away: all states share most of their direction."""
        self.project.bias.copy_(-state)

    def forward(
        self, prompts: Tensor, prompt_mask: Tensor, lines: Tensor, line_mask: Tensor
    ) -> Tensor:
        """Return (prompts, lines) closeness, -1 to 1, of their states and masks."""
        asked, said = (
            nn.functional.normalize(self.project(states), dim=-1) for states in (prompts, lines)
        )
        logits = self.weight(prompts).squeeze(-1).masked_fill(~prompt_mask, _FAR)
        near = torch.einsum("pih,ljh->pilj", asked, said)
        nearest = near.masked_fill(~line_mask[None, None], _FAR).amax(-1)
        return torch.einsum("pi,pil->pl", logits.softmax(-1), nearest)


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
