"""The head *bears*: how near the words of a prompt come to the words of a line.

Late interaction over the states of single tokens, as in ColBERT: each token of a prompt finds its
nearest token in the line, and the mean of these, weighted by a learned share of each token, is the
closeness. It is begun from *find* at half strength, and reads the few lines that *find* and
keywords bring.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from base import Merged, mean, pad
from bench import Bench, bucket
from heads import TokenHead
from measure import auc, leads
from rows import Memory, Pair
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

#: Share of *find* that *bears* begins from, as in the product.
STRENGTH = 0.5
_EPOCHS, _BATCH, _RATE, _HEAD_RATE = 1, 48, 1e-4, 2e-4
#: Share of lines without `User:` before them, as notes have none.
_PLAIN = 0.3
#: How much it counts that a line finds its prompt among the others.
_BACK = 0.3
_FAR = -1e4
#: Lines whose closeness is measured; the product reads twelve, which keywords helped to choose.
_READ = 24
Sequences = list[list[int]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A prompt, the line that it needs in two forms, and lines that lie near and help not."""

    prompt: list[int]
    line: Sequences
    near: Sequences
    #: Which line it is: one that two prompts of a batch need is no wrong one for either.
    topic: int


def fit_bears(bench: Bench, begin: Adapter, label: str = "bears") -> tuple[Adapter, TokenHead]:
    """Return an adapter, begun from a share of *find*, and a head."""
    source = bench.seed_all(7)
    asked = _list_asked(bench)
    adapter = Adapter(bench.seed).begin_from(begin).weaken(STRENGTH).to(bench.device)
    head = TokenHead().to(bench.device)
    with torch.no_grad():
        drawn = [one.line[0] for one in asked[:: max(1, len(asked) // 256)]]
        ids, mask = pad(drawn, bench.device)
        head.centre(bench.base(ids, mask, adapter.merge(bench.base))[mask].mean(0))

    def loss(batch: np.ndarray) -> Tensor:
        chosen = [asked[number] for number in batch]
        lines = [one.line[int(source.random() < _PLAIN)] for one in chosen]
        lines += [one.near[int(source.integers(len(one.near)))] for one in chosen if one.near]
        weights = adapter.merge(bench.base)
        prompt_ids, prompt_mask = pad([one.prompt for one in chosen], bench.device)
        line_ids, line_mask = pad(lines, bench.device)
        closeness = head(
            bench.base(prompt_ids, prompt_mask, weights).float(),
            prompt_mask,
            bench.base(line_ids, line_mask, weights).float(),
            line_mask,
        )
        logits = closeness * head.scale.exp()
        topics = torch.tensor([one.topic for one in chosen], device=bench.device)
        count = len(chosen)
        twice = (topics[:, None] == topics[None]) & ~torch.eye(
            count, dtype=torch.bool, device=bench.device
        )
        logits[:, :count] = logits[:, :count].masked_fill(twice, _FAR)
        right = torch.arange(count, device=bench.device)
        return functional.cross_entropy(logits, right) + _BACK * functional.cross_entropy(
            logits[:, :count].T, right
        )

    lengths = [len(one.line[0]) for one in asked]
    epochs = bucket(lengths, bench.batch(_BATCH), source, _EPOCHS)
    bench.fit([(adapter, _RATE), (head, _HEAD_RATE)], epochs, loss, label=label)
    return adapter, head


def measure_bears(
    bench: Bench, begin: Adapter, adapter: Adapter, head: TokenHead
) -> dict[str, object]:
    """Return how often the right line is first and among five, read among those of *find*."""
    with torch.no_grad():
        found, read = begin.merge(bench.base, STRENGTH), adapter.merge(bench.base)
    return {
        author: _measure_author(bench, memories, found, read, head)
        for author, memories in bench.kept(bench.rows.memories).items()
    }


def _list_asked(bench: Bench) -> list[_Asked]:
    asked = []
    topic = 0
    for memory in bench.fitted(bench.rows.memories):
        topic += 1
        near = [bench.texts.turn(text) for text in (*memory.near, *memory.chatter)]
        prompts = [ask.text for ask in memory.asks] + ([memory.same] if memory.same else [])
        asked += [_ask(bench, text, _both_forms(bench, memory), near, topic) for text in prompts]
    for pair in bench.fitted(bench.rows.pairs):
        topic += 1
        if pair.ask:
            asked.append(_ask_pair(bench, pair, topic))
    return asked


def _both_forms(bench: Bench, memory: Memory) -> Sequences:
    turn = bench.texts.turn(memory.text, memory.before)
    return [turn, turn if memory.before else bench.texts.passage(memory.text)]


def _ask_pair(bench: Bench, pair: Pair, topic: int) -> _Asked:
    texts = bench.texts
    later = dict.fromkeys(text for kind, text in pair.later if kind in {"other", "unrelated"})
    line = [texts.turn(pair.earlier), texts.passage(pair.earlier)]
    return _ask(bench, pair.ask, line, [texts.turn(text) for text in later], topic)


def _ask(bench: Bench, text: str, line: Sequences, near: Sequences, topic: int) -> _Asked:
    return _Asked(bench.texts.question(text), line, near, topic)


def _measure_author(
    bench: Bench,
    memories: Sequence[Memory],
    found: Merged,
    read: Merged,
    head: TokenHead,
) -> dict[str, object]:
    texts = bench.texts
    lines = [(texts.turn(memory.text, memory.before), n) for n, memory in enumerate(memories)]
    for memory in memories:
        lines += [(texts.turn(text), -1) for text in (*memory.near, *memory.chatter)]
    prompts = [
        (texts.question(ask.text), n) for n, memory in enumerate(memories) for ask in memory.asks
    ]
    absent = [(texts.question(text), -1) for memory in memories for text in memory.absent]
    needs = np.array([need for _, need in lines])
    vectors = [
        functional.normalize(bench.read([ids for ids, _ in rows], found, mean), dim=-1)
        for rows in (prompts + absent, lines)
    ]
    nearest = torch.topk(vectors[0] @ vectors[1].T, _READ).indices.numpy()
    closeness = np.stack(
        [
            _measure_prompt(bench, prompt, [lines[at][0] for at in near], read, head)
            for (prompt, _), near in zip(prompts + absent, nearest, strict=True)
        ]
    )
    asked = np.array([need for _, need in prompts])
    by_find = needs[nearest[: len(prompts)]] == asked[:, None]
    order = np.argsort(-closeness[: len(prompts)], axis=1, kind="stable")
    by_bears = np.take_along_axis(by_find, order, 1)
    _, lead = leads(closeness)
    return {
        "find first/five": [round(float(by_find[:, :k].any(1).mean()), 3) for k in (1, 5)],
        "bears first/five": [round(float(by_bears[:, :k].any(1).mean()), 3) for k in (1, 5)],
        "silence by lead": auc(lead[: len(prompts)][by_bears[:, 0]], lead[len(prompts) :]),
    }


@torch.no_grad()
def _measure_prompt(
    bench: Bench, prompt: list[int], lines: Sequences, weights: Merged, head: TokenHead
) -> np.ndarray:
    prompt_ids, prompt_mask = pad([prompt], bench.device)
    line_ids, line_mask = pad(lines, bench.device)
    closeness = head(
        bench.base(prompt_ids, prompt_mask, weights).float(),
        prompt_mask,
        bench.base(line_ids, line_mask, weights).float(),
        line_mask,
    )
    return closeness[0].cpu().numpy()
