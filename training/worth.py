"""The head *worth*: whether a sentence is worth keeping, its kind, whom it is about, whether it
needs the sentence before, and until when it holds.
"""

from collections.abc import Callable

import numpy as np
import torch
from base import Merged, pad, pool
from bench import Bench, bucket
from heads import WORTH_PARTS, TextHead, worth_head
from measure import auc, recall_at_precision
from rows import ABOUT, KINDS, UNTIL, Sentence, sentences_of_memories
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH, _RATE, _HEAD_RATE = 6, 64, 3e-4, 1e-3
_FURTHER_BATCH, _FURTHER_RATE = 32, 2.5e-4
_UNKNOWN = -100


def fit_worth(
    bench: Bench, begin: Adapter, *, share: float = 1.0, label: str = "worth"
) -> tuple[Adapter, TextHead]:
    """Return an adapter, begun from that of *find*, and a head."""
    source = bench.seed_all(3)
    rows = _fitted(bench, share)
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = worth_head().to(bench.device)
    sizes = [len(_sequence(bench, row)) for row in rows]
    epochs = bucket(sizes, bench.batch(_BATCH), source, _EPOCHS)
    label = f"{label} ({len(rows)} sentences)"
    _fit_sentences(bench, adapter, head, rows, epochs, (_RATE, _HEAD_RATE), label)
    return adapter, head


def continue_worth(
    bench: Bench,
    adapter: Adapter,
    head: TextHead,
    authors: tuple[str, ...],
    old: int,
    epochs: int,
) -> None:
    """Fit an adapter and its head further to the rows of new authors, and to some of the others."""
    source = bench.seed_all(3)
    fitted = _fitted(bench, 1.0)
    known = [row for row in fitted if row.author not in authors]
    rows = [row for row in fitted if row.author in authors]
    rows += [known[number] for number in source.permutation(len(known))[:old]]
    sizes = [len(_sequence(bench, row)) for row in rows]
    batches = bucket(sizes, bench.batch(_FURTHER_BATCH), source, epochs)
    label = f"worth, further ({len(rows)} sentences)"
    _fit_sentences(bench, adapter, head, rows, batches, (_FURTHER_RATE, 2 * _FURTHER_RATE), label)


def _fit_sentences(
    bench: Bench,
    adapter: Adapter,
    head: TextHead,
    rows: list[Sentence],
    epochs: list[list[np.ndarray]],
    rates: tuple[float, float],
    label: str,
) -> None:
    sequences = [_sequence(bench, row) for row in rows]
    labels = torch.tensor([_labels(row) for row in rows], device=bench.device)

    def loss(batch: np.ndarray) -> Tensor:
        ids, mask = pad([sequences[number] for number in batch], bench.device)
        logits = head(bench.base(ids, mask, adapter.merge(bench.base)), mask).float()
        wanted = labels[torch.from_numpy(batch).to(bench.device)]
        total = torch.zeros((), device=bench.device)
        for place, part in enumerate(logits.split(list(WORTH_PARTS.values()), dim=-1)):
            known = wanted[:, place] != _UNKNOWN
            terms = functional.cross_entropy(
                part, wanted[:, place], ignore_index=_UNKNOWN, reduction="sum"
            )
            total = total + terms / known.sum().clamp(min=1) * (1.0 if place == 0 else 0.5)
        return total

    bench.fit([(adapter, rates[0]), (head, rates[1])], epochs, loss, label=label)


def measure_worth(bench: Bench, adapter: Adapter, head: TextHead) -> dict[str, dict[str, float]]:
    """Return the figures of the head on authors kept out."""
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    figures: dict[str, dict[str, float]] = {}
    for author, rows in _kept(bench).items():
        logits = bench.read([_sequence(bench, row) for row in rows], weights, head)
        parts = dict(
            zip(WORTH_PARTS, logits.split(list(WORTH_PARTS.values()), dim=-1), strict=True)
        )
        scores = parts["worth"].softmax(-1)[:, 1].numpy()
        figures |= _by_language(author, rows, scores)
        labels = np.array([_labels(row) for row in rows])
        for place, name in enumerate(WORTH_PARTS):
            wanted, said = labels[:, place], parts[name].argmax(-1).numpy()
            known = wanted != _UNKNOWN
            if name in {"kind", "about", "until"}:
                known &= labels[:, 0] == 1
            if known.any() and name != "worth":
                figures[author][name] = round(float((wanted == said)[known].mean()), 4)
    return figures


def measure_plain_worth(
    bench: Bench, weights: Merged, share: float = 1.0
) -> tuple[dict[str, object], np.ndarray]:
    """Return the figures of a logistic regression on frozen vectors, and its weights and bias."""
    rows = _fitted(bench, share)
    vectors = bench.read([_sequence(bench, row) for row in rows], weights, pool)
    regression = _fit_regression(vectors, torch.tensor([float(row.worth) for row in rows]))
    figures: dict[str, object] = {}
    for author, kept in _kept(bench).items():
        found = bench.read([_sequence(bench, row) for row in kept], weights, pool)
        figures |= _by_language(author, kept, regression(found).sigmoid().numpy())
    return figures, regression.numbers


class _Regression:
    def __init__(self, mean: Tensor, spread: Tensor, weights: Tensor, bias: Tensor) -> None:
        weights = weights / spread
        self.numbers = torch.cat([weights, (bias - mean @ weights)[None]]).numpy()

    def __call__(self, vectors: Tensor) -> Tensor:
        numbers = torch.from_numpy(self.numbers)
        return vectors @ numbers[:-1] + numbers[-1]


def _fit_regression(vectors: Tensor, wanted: Tensor, penalty: float = 3e-3) -> _Regression:
    mean, spread = vectors.mean(0), vectors.std(0) + 1e-6
    scaled = (vectors - mean) / spread
    weights = torch.zeros(vectors.shape[1], requires_grad=True)
    bias = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=100, line_search_fn="strong_wolfe")

    def close() -> Tensor:
        optimizer.zero_grad()
        value = functional.binary_cross_entropy_with_logits(scaled @ weights + bias, wanted)
        value = value + penalty * (weights @ weights)
        value.backward()
        return value

    step: Callable[[Callable[[], Tensor]], Tensor] = optimizer.step
    step(close)
    return _Regression(mean, spread, weights.detach(), bias.detach())


def _fitted(bench: Bench, share: float) -> list[Sentence]:
    memories = bench.fitted(bench.rows.memories, share)
    return [
        *bench.fitted(bench.rows.sentences, share),
        *sentences_of_memories(tuple(memories)),
    ]


def _kept(bench: Bench) -> dict[str, list[Sentence]]:
    found = bench.kept(bench.rows.sentences)
    for author, memories in bench.kept(bench.rows.memories).items():
        found[author] = list(sentences_of_memories(tuple(memories)))
    return found


def _sequence(bench: Bench, row: Sentence) -> list[int]:
    return bench.texts.turn(row.text, row.before)


def _labels(row: Sentence) -> list[int]:
    def place(value: str | None, values: "list[str] | tuple[str, ...]") -> int:
        return _UNKNOWN if value is None else values.index(value)

    return [
        int(row.worth),
        place(row.kind, KINDS),
        place(row.about, ABOUT),
        _UNKNOWN if row.needs_before is None else int(row.needs_before),
        place(row.until, UNTIL),
    ]


def _by_language(
    author: str, rows: list[Sentence], scores: np.ndarray
) -> dict[str, dict[str, float]]:
    right = np.array([row.worth for row in rows])
    figures = {author: _part(scores, right)}
    for lang in ("ko", "en"):
        chosen = np.array([row.lang == lang for row in rows])
        if 0 < chosen.sum() < len(rows):
            figures[f"{author}, {lang}"] = _part(scores[chosen], right[chosen])
    return figures


def _part(scores: np.ndarray, right: np.ndarray) -> dict[str, float]:
    recall, cut = recall_at_precision(scores, right, 0.9)
    said = scores >= 0.5
    return {
        "auc": auc(scores[right], scores[~right]),
        "right at .5": round(float((said == right).mean()), 4),
        "precision at .5": round(float(right[said].mean()), 4) if said.any() else 0.0,
        "recall at precision .9": recall,
        "cut at .9": round(cut, 5),
        "n": len(scores),
    }
