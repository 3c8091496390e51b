"""The head *breaks*: whether a use of a tool is what a user's rule forbids, or asks about first.

A rule in natural words and the command that breaks it often share no word ("the production cluster
is mine" and `helm upgrade …`), and commands that share all its words may be harmless. So both are
read together. Beside the written uses, each is held against rules of others, which it does not
break: an agent uses many tools, and nearly all of them have nothing to do with a rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from base import pad
from bench import Bench, bucket
from heads import TextHead
from measure import auc
from rows import UsedRule
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH = 4, 32
_RATE, _HEAD_RATE = 3e-4, 1e-3
#: Layers that keep what the adapter knows that is begun from: on two cores time is short.
_FROZEN = 6
#: How many rules of other messages a use is held against in each epoch: one that breaks a rule, and
#: one that does not. With a third of one for all, whatever does much was taken to break any rule.
_OTHERS = {True: 2.0, False: 0.3}
_SMOOTH = 0.02
_CUTS = (0.5, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Example:
    """A rule and a use of a tool, and whether the use breaks it."""

    ids: list[int]
    breaks: bool


def breaks_head() -> TextHead:
    """Return a head with one logit: that the use breaks the rule."""
    return TextHead(1)


def fit_breaks(
    bench: Bench, begin: Adapter, head: TextHead | None = None, epochs: int = _EPOCHS
) -> tuple[Adapter, TextHead]:
    """Return an adapter, begun from another one, and a head; `head` is fitted further."""
    source = bench.seed_all(6)
    rows = bench.fitted(bench.rows.uses)
    written = [example for row in rows for example in list_examples(bench, row, whole=False)]
    written_whole = [example for row in rows for example in list_examples(bench, row, whole=True)]
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = (head or breaks_head()).to(bench.device)
    seen: list[Example] = []
    batches: list[list[np.ndarray]] = []
    for _ in range(epochs):
        drawn = [
            whole if source.random() < 0.3 else part
            for part, whole in zip(written, written_whole, strict=True)
        ]
        drawn += draw_others(bench, rows, source)
        (epoch,) = bucket([len(example.ids) for example in drawn], bench.batch(_BATCH), source, 1)
        batches.append([batch + len(seen) for batch in epoch])
        seen += drawn

    def loss(batch: np.ndarray) -> Tensor:
        examples = [seen[number] for number in batch]
        ids, mask = pad([example.ids for example in examples], bench.device)
        states = bench.base(ids, mask, adapter.merge_upper(bench.base, _FROZEN))
        wanted = torch.tensor([float(one.breaks) for one in examples], device=bench.device)
        wanted = wanted * (1 - 2 * _SMOOTH) + _SMOOTH
        return functional.binary_cross_entropy_with_logits(head(states, mask)[:, 0].float(), wanted)

    bench.fit(
        [(adapter, _RATE), (head, _HEAD_RATE)],
        batches,
        loss,
        label=f"breaks ({len(rows)} rules, {len(written)} uses)",
        watch=lambda: f"AUROC {_measure_kept(bench, adapter, head)}",
    )
    return adapter, head


def _measure_kept(bench: Bench, adapter: Adapter, head: TextHead) -> float:
    """Return how surely uses that break a rule are told from others by authors kept out."""
    kept = [row for rows in bench.kept(bench.rows.uses).values() for row in rows]
    written = [one for row in kept for one in list_examples(bench, row, whole=False)]
    chances = measure_chances(bench, written, adapter, head)
    does = np.array([one.breaks for one in written])
    return auc(chances[does].tolist(), chances[~does].tolist())


def list_examples(bench: Bench, row: UsedRule, *, whole: bool) -> list[Example]:
    """Return the uses written for a rule, held against the message or what it states."""
    rule = row.text if whole else row.stated
    return [Example(bench.texts.used_under(rule, use.text), use.breaks) for use in row.uses]


def draw_others(
    bench: Bench, rows: Sequence[UsedRule], source: np.random.Generator
) -> list[Example]:
    """Return uses with rules of other messages, drawn anew.

    Left out is a rule that some use of the same program breaks.
    """
    programs = [{_find_program(use.text) for use in row.uses if use.breaks} for row in rows]
    found: list[Example] = []
    for row in rows:
        for use in row.uses:
            share = _OTHERS[use.breaks]
            count = int(share) + int(source.random() < share % 1)
            for number in source.integers(len(rows), size=count).tolist():
                other = rows[number]
                if other is row or _find_program(use.text) in programs[number]:
                    continue
                ids = bench.texts.used_under(other.stated, use.text)
                found.append(Example(ids, breaks=False))
    return found


def measure_breaks(bench: Bench, adapter: Adapter, head: TextHead) -> dict[str, object]:
    """Return, of each author kept out, how surely uses that break a rule are told from others
    (AUROC), and at several cuts the share of each that is asked about; and the same of uses under
    rules of other messages.
    """
    figures: dict[str, object] = {}
    source = np.random.default_rng(0)
    for author, rows in bench.kept(bench.rows.uses).items():
        written = [one for row in rows for one in list_examples(bench, row, whole=False)]
        chances = measure_chances(bench, written, adapter, head)
        others = measure_chances(bench, draw_others(bench, rows, source), adapter, head)
        does = np.array([one.breaks for one in written])
        figures[author] = {
            "AUROC": auc(chances[does].tolist(), chances[~does].tolist()),
            **{
                f"cut {cut}": f"{(chances[does] >= cut).mean():.3f} asked,"
                f" {(chances[~does] >= cut).mean():.3f} of near ones,"
                f" {(others >= cut).mean():.4f} of others"
                for cut in _CUTS
            },
        }
    return figures


def measure_chances(
    bench: Bench, examples: Sequence[Example], adapter: Adapter, head: TextHead
) -> np.ndarray:
    """Return the chance that each use breaks its rule."""
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    logits = bench.read(
        [example.ids for example in examples], weights, lambda s, m: head(s, m)[:, 0].float()
    )
    chances: np.ndarray = logits.sigmoid().numpy()
    return chances


def _find_program(use: str) -> str:
    return use.split(maxsplit=1)[0]
