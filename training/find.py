"""The head *find*: vectors in which a prompt lies near the line that helps with it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from base import Merged, pad, pool
from bench import Bench
from measure import auc, find_ranks, leads, share_within
from rows import Memory, Pair
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

STRENGTHS = (0.0, 0.4, 0.5, 0.6, 1.0)
_TEMPERATURE = 0.03
_EPOCHS, _BATCH, _RATE = 5, 128, 4e-4
_NEAR = 2
#: Share of passages without `User:` before them, as notes have none.
_PLAIN = 0.25
Sequences = list[list[int]]


@dataclass(frozen=True, slots=True)
class _Topic:
    """A line as a turn and as a note, with what is asked, what lies near, and what it is not for."""

    passages: Sequences
    asks: Sequences
    near: Sequences
    absent: Sequences


def fit_find(bench: Bench, share: float = 1.0, label: str = "find") -> Adapter:
    """Return an adapter fitted to prompts and lines of the authors that are not kept out."""
    source = bench.seed_all(1)
    topics = [_topic_of_memory(bench, row) for row in bench.fitted(bench.rows.memories, share)]
    topics += [_topic_of_pair(bench, row) for row in bench.fitted(bench.rows.pairs, share)]
    adapter: Adapter = Adapter(bench.seed).to(bench.device)
    epochs = [_draw_epoch(topics, source, bench.batch(_BATCH)) for _ in range(_EPOCHS)]

    def vectors(sequences: Sequences, weights: Merged) -> Tensor:
        ids, mask = pad(sequences, bench.device)
        return pool(bench.base(ids, mask, weights), mask)

    def loss(batch: tuple[Sequences, Sequences, int]) -> Tensor:
        questions, passages, count = batch
        weights = adapter.merge(bench.base)
        asked, said = vectors(questions, weights), vectors(passages, weights)
        right = torch.arange(count, device=bench.device)
        by_ask = functional.cross_entropy(asked[:count] @ said.T / _TEMPERATURE, right)
        by_line = functional.cross_entropy(said[:count] @ asked.T / _TEMPERATURE, right)
        return by_ask + 0.5 * by_line

    bench.fit([(adapter, _RATE)], epochs, loss, label=label)
    return adapter


def measure_find(
    bench: Bench, adapter: Adapter | None, strengths: Sequence[float] = STRENGTHS
) -> dict[str, object]:
    """Return the figures of each strength, on authors kept out and on the measuring sets."""
    found: dict[str, object] = {}
    for strength in strengths[-2:] if bench.smoke else strengths:
        with torch.no_grad():
            weights = adapter.merge(bench.base, strength) if adapter else bench.plain
        figures: dict[str, object] = {}
        for author, memories in bench.kept(bench.rows.memories).items():
            figures[author] = _measure_memories(bench, memories, weights)
        for author, pairs in bench.kept(bench.rows.pairs).items():
            figures[author] = _measure_pairs(bench, pairs, weights)
        figures |= _measure_sets(bench, weights)
        found[f"{strength:g}"] = figures
    return found


def _topic_of_memory(bench: Bench, row: Memory) -> _Topic:
    texts = bench.texts
    asks = [texts.question(ask.text) for ask in row.asks]
    if row.same:
        asks.append(texts.question(row.same))
    return _Topic(
        passages=_both_forms(bench, row.text, row.before),
        asks=asks,
        near=[texts.turn(text) for text in (*row.near, *row.chatter[:1])],
        absent=[texts.question(text) for text in row.absent],
    )


def _topic_of_pair(bench: Bench, row: Pair) -> _Topic:
    texts = bench.texts
    later = dict.fromkeys(text for kind, text in row.later if kind in {"other", "unrelated"})
    same = [text for kind, text in row.later if kind == "same"]
    return _Topic(
        passages=_both_forms(bench, row.earlier, ""),
        asks=[texts.question(text) for text in (row.ask, *same)],
        near=[texts.turn(text) for text in later],
        absent=[],
    )


def _both_forms(bench: Bench, text: str, before: str) -> Sequences:
    turn = bench.texts.turn(text, before)
    return [turn, turn if before else bench.texts.passage(text)]


def _draw_epoch(
    topics: list[_Topic], source: np.random.Generator, size: int
) -> list[tuple[Sequences, Sequences, int]]:
    """Return the batches of an epoch: every ask once, no topic twice in a batch."""
    orders = [source.permutation(len(topic.asks)) for topic in topics]
    batches = []
    for turn in range(max(len(order) for order in orders)):
        open_topics = [number for number, order in enumerate(orders) if len(order) > turn]
        chosen = source.permutation(open_topics)
        # a rest of few topics would have few negatives
        parts = np.array_split(chosen, max(1, round(len(chosen) / size)))
        batches += [
            _draw_batch([(topics[n], orders[n][turn]) for n in part], source) for part in parts
        ]
    return [batches[number] for number in source.permutation(len(batches))]


def _draw_batch(
    items: list[tuple[_Topic, int]], source: np.random.Generator
) -> tuple[Sequences, Sequences, int]:
    questions = [topic.asks[ask] for topic, ask in items]
    passages = [topic.passages[int(source.random() < _PLAIN)] for topic, _ in items]
    for topic, _ in items:
        if topic.absent:
            questions.append(topic.absent[source.integers(len(topic.absent))])
        near = source.permutation(len(topic.near))[:_NEAR]
        passages += [topic.near[number] for number in near]
    return questions, passages, len(items)


def _vectors(bench: Bench, sequences: Sequences, weights: Merged) -> np.ndarray:
    return np.asarray(bench.read(sequences, weights, pool).numpy())


def _measure_memories(bench: Bench, rows: list[Memory], weights: Merged) -> dict[str, object]:
    """Return how early an author's prompts find their lines among all that the author said."""
    texts = bench.texts
    pool_of_lines = [texts.turn(row.text, row.before) for row in rows]
    pool_of_lines += [texts.turn(text) for row in rows for text in (*row.near, *row.chatter)]
    asks = [(number, ask) for number, row in enumerate(rows) for ask in row.asks]
    lines = _vectors(bench, pool_of_lines, weights)
    asked = _vectors(bench, [texts.question(ask.text) for _, ask in asks], weights) @ lines.T
    absent = [texts.question(text) for row in rows for text in row.absent]
    silent = _vectors(bench, absent, weights) @ lines.T
    ranks = find_ranks(asked, [[number] for number, _ in asks])
    figures: dict[str, object] = {"all": share_within(ranks, 1, 5)}
    for kind in sorted({ask.kind for _, ask in asks}):
        chosen = np.array([ask.kind == kind for _, ask in asks])
        figures[kind] = share_within(ranks[chosen], 1, 5)
    for lang in ("ko", "en"):
        chosen = np.array([rows[number].lang == lang for number, _ in asks])
        if chosen.any():
            figures[f"lines in {lang}"] = share_within(ranks[chosen], 1, 5)
    (best, lead), (best_silent, lead_silent) = leads(asked), leads(silent)
    first = ranks == 0
    figures["silence"] = {
        "best": auc(best, best_silent),
        "lead": auc(lead, lead_silent),
        "best, of found first": auc(best[first], best_silent),
        "lead, of found first": auc(lead[first], lead_silent),
    }
    return figures


def _measure_pairs(bench: Bench, rows: list[Pair], weights: Merged) -> dict[str, float]:
    texts = bench.texts
    lines = [texts.turn(row.earlier) for row in rows]
    lines += [
        texts.turn(text)
        for row in rows
        for kind, text in row.later
        if kind in {"other", "unrelated", "talk"}
    ]
    asked = _vectors(bench, [texts.question(row.ask) for row in rows], weights)
    similarity = asked @ _vectors(bench, lines, weights).T
    return share_within(find_ranks(similarity, [[number] for number in range(len(rows))]), 1, 5)


def _measure_sets(bench: Bench, weights: Merged) -> dict[str, object]:
    texts = bench.texts
    figures: dict[str, object] = {}
    for found in bench.sets:
        ranks = []
        for group in found.groups[: 1 if bench.smoke else None]:
            questions = group.questions[:3] if bench.smoke else group.questions
            wanted = {gold for question in questions for gold in question.gold}
            names = [n for n in group.passages if not bench.smoke or n in wanted]
            places = {name: place for place, name in enumerate(names)}
            lines = [
                texts.turn(group.passages[name])
                if found.turns
                else texts.passage(group.passages[name], 192)
                for name in names
            ]
            vectors = _vectors(bench, lines, weights)
            known = [
                (question, [places[gold] for gold in question.gold if gold in places])
                for question in questions
            ]
            known = [(question, gold) for question, gold in known if gold]
            asked = _vectors(bench, [texts.question(q.text) for q, _ in known], weights)
            similarity = asked @ vectors.T
            ranks.append(find_ranks(similarity, [gold for _, gold in known]))
            if found.silent:
                silent = [
                    texts.question(text) for text in found.silent[: 3 if bench.smoke else None]
                ]
                quiet = leads(_vectors(bench, silent, weights) @ vectors.T)
                loud = leads(similarity)
                figures[f"{found.name} silence"] = {
                    "best": auc(loud[0], quiet[0]),
                    "lead": auc(loud[1], quiet[1]),
                }
        figures[found.name] = share_within(np.concatenate(ranks), 1, 5, 10)
    return figures
