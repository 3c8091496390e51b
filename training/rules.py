"""The head *rules*: which stretches of a message state a standing rule for the agent.

Each token is tagged: nothing, what the agent must never do, what it must ask about first, how it
must work, or what is allowed beside a rule. A tag carries from one author to another here, because
the words of a rule ("leave that to me", "…는 손대지 말고") are what is looked for, and not its object.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from base import Merged, pad
from bench import Bench, bucket
from heads import TagHead
from rows import RULE_KINDS, Mark, RuleText
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH = 6, 16
_RATE, _HEAD_RATE = 3e-4, 1e-3
#: Tokens of a rule count this much more than others.
_WEIGHT = 2.0
#: Sentences of other forms that join, which state no rule.
_OTHERS = 900
#: Kinds of sentences that are no rules; decisions and preferences may be some.
_NO_RULES = frozenset("none state identity relation event number howto plan".split())
#: Tag of tokens that are not judged.
_UNJUDGED = -100
_ALLOWED = 1 + RULE_KINDS.index("allowed")
_CUTS = (0.3, 0.5, 0.7, 0.8, 0.9)


class _SeenText(NamedTuple):
    ids: list[int]
    tags: list[int]


def fit_rules(bench: Bench, begin: Adapter) -> tuple[Adapter, TagHead]:
    """Return an adapter, begun from another one, and a head."""
    source = bench.seed_all(5)
    seen = [
        _see_text(bench, row.text, row.before, row.marks) for row in bench.fitted(bench.rows.rules)
    ]
    others = [
        row
        for row in bench.fitted(bench.rows.sentences)
        if row.kind in _NO_RULES and len(row.text) > 20
    ]
    chosen = source.permutation(len(others))[:_OTHERS]
    seen += [_see_text(bench, others[number].text, others[number].before, ()) for number in chosen]
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = TagHead().to(bench.device)
    weight = torch.full((1 + len(RULE_KINDS),), _WEIGHT, device=bench.device)
    weight[0] = 1.0

    def loss(batch: np.ndarray) -> Tensor:
        texts = [seen[number] for number in batch]
        ids, mask = pad([text.ids for text in texts], bench.device)
        logits = head(bench.base(ids, mask, adapter.merge(bench.base)))
        tags = torch.full(ids.shape, _UNJUDGED, device=bench.device)
        for row, text in enumerate(texts):
            tags[row, : len(text.tags)] = torch.tensor(text.tags, device=bench.device)
        return functional.cross_entropy(
            logits.flatten(0, 1), tags.flatten(), weight, ignore_index=_UNJUDGED
        )

    sizes = [len(text.ids) for text in seen]
    epochs = bucket(sizes, bench.batch(_BATCH), source, _EPOCHS)
    bench.fit(
        [(adapter, _RATE), (head, _HEAD_RATE)], epochs, loss, label=f"rules ({len(seen)} texts)"
    )
    return adapter, head


def measure_rules(bench: Bench, adapter: Adapter, head: TagHead) -> dict[str, object]:
    """Return, of authors kept out, how surely messages with a rule are told from those without
    (AUROC), and at several cuts the share of each that is taken for one with a rule.
    """
    rows = [row for rows in bench.kept(bench.rows.rules).values() for row in rows]
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    chances = [measure_chance(bench, row, weights, head) for row in rows]
    has_rule = [any(mark.kind != "allowed" for mark in row.marks) for row in rows]
    with_rule = [chance for chance, is_one in zip(chances, has_rule, strict=True) if is_one]
    without = [chance for chance, is_one in zip(chances, has_rule, strict=True) if not is_one]
    figures: dict[str, object] = {"AUROC": _measure_auroc(with_rule, without)}
    for cut in _CUTS:
        figures[f"cut {cut}"] = {
            "found": round(float(np.mean(np.array(with_rule) >= cut)), 3),
            "false": round(float(np.mean(np.array(without) >= cut)), 3),
        }
    return figures


@torch.no_grad()
def measure_chance(bench: Bench, row: RuleText, weights: Merged, head: TagHead) -> float:
    """Return the mean chance of the three tokens that most likely state a rule."""
    seen = _see_text(bench, row.text, row.before, ())
    ids, mask = pad([seen.ids], bench.device)
    states = bench.base(ids, mask, weights)[0, : len(seen.ids)].float()
    chances = head(states).softmax(-1)
    stated = chances[:, 1:_ALLOWED].sum(-1)
    judged = stated[torch.tensor(seen.tags) != _UNJUDGED]
    return float(judged.topk(min(3, len(judged))).values.mean())


def _see_text(bench: Bench, text: str, before: str, marks: Sequence[Mark]) -> _SeenText:
    ids, places = bench.texts.tagged(text, before)
    tags = [
        _UNJUDGED
        if start == end
        else next(
            (
                1 + RULE_KINDS.index(mark.kind)
                for mark in marks
                if start < mark.end and mark.start < end
            ),
            0,
        )
        for start, end in places
    ]
    return _SeenText(ids, tags)


def _measure_auroc(with_rule: Sequence[float], without: Sequence[float]) -> float:
    pairs = [(a > b) + 0.5 * (a == b) for a in with_rule for b in without]
    return round(float(np.mean(pairs)), 3) if pairs else float("nan")
