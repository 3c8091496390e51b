"""The head *rules*: which stretches of a message state a standing rule for the agent.

Each token is tagged: nothing, what the agent must never do, what it must ask about first, how it
must work, or what is allowed beside a rule. A tag carries from one author to another here, because
the words of a rule ("leave that to me", "…는 손대지 말고") are what is looked for, and not its object.
Beside the tags, the head says of the whole message whether it states a rule: without that, single
words of ordinary talk about work were tagged.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from base import Merged, pad
from bench import Bench, bucket
from heads import RuleHead
from measure import auc
from rows import RULE_KINDS, Mark, RuleText, Sentence, sentences_of_memories
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH = 6, 16
_RATE, _HEAD_RATE = 3e-4, 1e-3
#: Tokens of a rule count this much more than others.
_WEIGHT = 2.0
#: Texts of other forms that join each epoch, drawn anew: they state no rule.
_OTHERS = 1_200
_SHORTEST_OTHER = 16
#: Kinds of sentences that are no rules; decisions, preferences and howtos may be some.
_NO_RULES = frozenset("none state identity relation event number plan".split())
#: Tag of tokens that are not judged.
_UNJUDGED = -100
_ALLOWED = 1 + RULE_KINDS.index("allowed")
_CUTS = (0.3, 0.5, 0.7, 0.8, 0.9)


class _SeenText(NamedTuple):
    ids: list[int]
    tags: list[int]

    @property
    def has_rule(self) -> bool:
        return any(0 < tag < _ALLOWED for tag in self.tags)


def fit_rules(
    bench: Bench, begin: Adapter, head: RuleHead | None = None, epochs: int = _EPOCHS
) -> tuple[Adapter, RuleHead]:
    """Return an adapter, begun from another one, and a head; `head` is fitted further."""
    source = bench.seed_all(5)
    rows = [
        _see_text(bench, row.text, row.before, row.marks) for row in bench.fitted(bench.rows.rules)
    ]
    others = _list_others(bench)
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = (head or RuleHead()).to(bench.device)
    weight = torch.full((1 + len(RULE_KINDS),), _WEIGHT, device=bench.device)
    weight[0] = 1.0
    seen: list[_SeenText] = []
    batches: list[list[np.ndarray]] = []
    for _ in range(epochs):
        chosen = source.permutation(len(others))[: min(_OTHERS, 2 * len(rows))]
        joining = [others[number] for number in chosen.tolist()]
        drawn = [*rows, *(_see_text(bench, text, before, ()) for text, before in joining)]
        sizes = [len(text.ids) for text in drawn]
        (epoch,) = bucket(sizes, bench.batch(_BATCH), source, 1)
        batches.append([batch + len(seen) for batch in epoch])
        seen += drawn

    def loss(batch: np.ndarray) -> Tensor:
        texts = [seen[number] for number in batch]
        ids, mask = pad([text.ids for text in texts], bench.device)
        states = bench.base(ids, mask, adapter.merge(bench.base))
        tags = torch.full(ids.shape, _UNJUDGED, device=bench.device)
        for row, text in enumerate(texts):
            tags[row, : len(text.tags)] = torch.tensor(text.tags, device=bench.device)
        wanted = torch.tensor([float(text.has_rule) for text in texts], device=bench.device)
        tagged = functional.cross_entropy(
            head(states).flatten(0, 1).float(), tags.flatten(), weight, ignore_index=_UNJUDGED
        )
        whole = functional.binary_cross_entropy_with_logits(
            head.whole(states, mask)[:, 0].float(), wanted
        )
        return tagged + whole

    bench.fit(
        [(adapter, _RATE), (head, _HEAD_RATE)],
        batches,
        loss,
        label=f"rules ({len(rows)} and {len(others)} texts)",
    )
    return adapter, head


def measure_rules(bench: Bench, adapter: Adapter, head: RuleHead) -> dict[str, object]:
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
    figures: dict[str, object] = {"AUROC": auc(with_rule, without)}
    for cut in _CUTS:
        figures[f"cut {cut}"] = {
            "found": round(float(np.mean(np.array(with_rule) >= cut)), 3),
            "false": round(float(np.mean(np.array(without) >= cut)), 3),
        }
    return figures


def measure_chance(bench: Bench, row: RuleText, weights: Merged, head: RuleHead) -> float:
    """Return the chance that a message states a rule."""
    seen = _see_text(bench, row.text, row.before, ())
    ids, mask = pad([seen.ids], bench.device)
    with torch.no_grad():
        states = bench.base(ids, mask, weights)
        return float(head.whole(states, mask)[0, 0].sigmoid())


def _list_others(bench: Bench) -> list[tuple[str, str]]:
    """Return (text, what was said before it) of texts of other forms that state no rule."""
    sentences: list[Sentence] = [*bench.rows.sentences, *sentences_of_memories(bench.rows.memories)]
    found = [
        (row.text, row.before)
        for row in bench.fitted(sentences)
        if row.kind in _NO_RULES and len(row.text) >= _SHORTEST_OTHER
    ]
    found += [(row.text, row.before) for row in bench.fitted(bench.rows.chats)]
    return list(dict.fromkeys(found))


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
