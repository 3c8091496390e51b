"""The head *spans*: which tokens of a text are a secret, and of which kind."""

from collections.abc import Sequence

import numpy as np
import torch
from base import Merged, pad
from bench import Bench, bucket
from heads import SpanHead
from rows import SECRETS, SecretText
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH, _RATE, _HEAD_RATE = 30, 32, 6e-4, 2e-3
_IGNORED = -100
#: Tokens beside a secret belong to it from this chance on.
_GROWN = 0.2
#: Lines without any secret that join each epoch, beside as many texts that were written for it.
_HARMLESS = 900


def fit_spans(
    bench: Bench, begin: Adapter, *, swapped: bool = False, label: str = "spans"
) -> tuple[Adapter, SpanHead]:
    """Return an adapter, begun from that of *find*, and a head.

    `swapped` fits to the texts that are kept out otherwise, and to none of the others.
    """
    source = bench.seed_all(4)
    rows = bench.fitted(bench.rows.secrets)
    if swapped:
        rows = bench.of_authors(bench.rows.secrets, "spans_s4")
    texts: list[tuple[str, Sequence[tuple[int, int, str]]]]
    texts = [(row.text, row.secrets) for row in rows]
    harmless = _harmless(bench, kept=False)
    chosen = source.permutation(len(harmless))[: min(_HARMLESS, 2 * len(rows))]
    texts += [(harmless[number], ()) for number in chosen]
    sequences, labels = [], []
    for text, secrets in texts:
        ids, places = bench.texts.tagged(text)
        sequences.append(ids)
        labels.append(_tags(places, secrets))
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = SpanHead().to(bench.device)

    def loss(batch: np.ndarray) -> Tensor:
        ids, mask = pad([sequences[number] for number in batch], bench.device)
        logits = head(bench.base(ids, mask, adapter.merge(bench.base))).float()
        wanted = np.full(tuple(ids.shape), _IGNORED)
        for row, number in enumerate(batch):
            wanted[row, : len(labels[number])] = labels[number]
        target = torch.from_numpy(wanted).to(bench.device)
        return functional.cross_entropy(logits.flatten(0, 1), target.flatten())

    epochs = bucket([len(sequence) for sequence in sequences], bench.batch(_BATCH), source, _EPOCHS)
    modules = [(adapter, _RATE), (head, _HEAD_RATE)]
    bench.fit(modules, epochs, loss, label=f"{label} ({len(texts)} texts)")
    return adapter, head


def measure_spans(
    bench: Bench, adapter: Adapter, head: SpanHead, *, swapped: bool = False
) -> dict[str, object]:
    """Return how many secrets of authors kept out are covered whole, and how many harmless texts
    are touched, at several cuts; and the cut that touches one harmless text in a hundred.

    `other harmless` are lines of other forms by authors kept out, none written for this head.
    """
    rows = [row for rows in bench.kept(bench.rows.secrets).values() for row in rows]
    if swapped:
        rows = bench.fitted(bench.rows.secrets)
    others = _harmless(bench, kept=True)
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    scored = _score(bench, [row.text for row in rows], weights, head)
    scored_others = _score(bench, others, weights, head)
    peaks = [max((s for _, _, s in found), default=0.0) for found in scored]
    clean = np.array([peak for peak, row in zip(peaks, rows, strict=True) if not row.secrets])
    other_peaks = np.array([max((s for _, _, s in found), default=0.0) for found in scored_others])
    figures: dict[str, object] = {}
    allowed = _cut_for(clean, 0.01)
    for name, cut in {"1 % of harmless": allowed, ".5": 0.5, ".9": 0.9, ".99": 0.99}.items():
        part: dict[str, object] = {
            "cut": round(float(cut), 5),
            "harmless texts touched": round(float((clean >= cut).mean()), 4),
            "other harmless touched": round(float((other_peaks >= cut).mean()), 5),
        }
        covered = [
            (row, secret, _is_covered(found, secret, cut))
            for row, found in zip(rows, scored, strict=True)
            for secret in row.secrets
        ]
        part["recall"] = _share([is_covered for *_, is_covered in covered])
        for lang in ("ko", "en"):
            part[f"recall, {lang}"] = _share([c for row, _, c in covered if row.lang == lang])
        if name == "1 % of harmless":
            for label, key in (("form", lambda row, s: row.form), ("kind", lambda row, s: s.kind)):
                for value in sorted({key(row, secret) for row, secret, _ in covered}):
                    mine = [c for row, secret, c in covered if key(row, secret) == value]
                    part[f"recall, {label} {value}"] = _share(mine)
            part["too much"] = _count_too_much(rows, scored, cut)
        figures[name] = part
    figures["harmless texts"] = len(clean)
    figures["other harmless lines"] = len(others)
    return figures


def _harmless(bench: Bench, *, kept: bool) -> list[str]:
    """Return lines of other forms, in which hardly a secret stands."""
    rows = [*bench.rows.sentences, *bench.rows.chats]
    texts = [row.text for row in rows if (row.author in bench.kept_out) == kept]
    for row in bench.rows.memories:
        if (row.author in bench.kept_out) == kept:
            texts += [*row.chatter, *row.near]
    return texts[: 20 if bench.smoke else None]


def _tags(places: list[tuple[int, int]], secrets: Sequence[tuple[int, int, str]]) -> list[int]:
    found = []
    for start, end in places:
        kinds = [kind for a, b, kind in secrets if start < b and end > a]
        found.append(_IGNORED if start == end else SECRETS.index(kinds[0]) if kinds else 0)
    return found


def _score(
    bench: Bench, texts: list[str], weights: Merged, head: SpanHead
) -> list[list[tuple[int, int, float]]]:
    """Return (from, to, chance of a secret) of the tokens of each text."""
    tagged = [bench.texts.tagged(text) for text in texts]
    chances = bench.read(
        [ids for ids, _ in tagged],
        weights,
        lambda states, mask: 1 - head(states).float().softmax(-1)[..., :1],
    )[..., 0].tolist()
    return [
        [(a, b, score) for (a, b), score in zip(places, row, strict=False) if a < b]
        for (_, places), row in zip(tagged, chances, strict=True)
    ]


def _is_covered(
    found: list[tuple[int, int, float]], secret: tuple[int, int, str], cut: float
) -> bool:
    """Return whether every token of a secret is marked: one reaches the cut, and those between
    reach the lower one.
    """
    start, end, _ = secret
    inside = [score for a, b, score in found if a < end and b > start]
    reached = found[-1][1] if found else 0
    return end <= reached and bool(inside) and max(inside) >= cut and min(inside) >= _low(cut)


def _low(cut: float) -> float:
    return min(cut, _GROWN)


def _count_too_much(
    rows: list[SecretText], scored: list[list[tuple[int, int, float]]], cut: float
) -> dict[str, int]:
    """Count the marked stretches in texts with secrets, and those that touch none."""
    stretches = beside = 0
    for row, found in zip(rows, scored, strict=True):
        run: list[tuple[int, int, float]] = []
        for token in [*found, (0, 0, 0.0)]:
            if token[2] >= _low(cut):
                run.append(token)
                continue
            if row.secrets and run and max(score for *_, score in run) >= cut:
                stretches += 1
                beside += not any(run[0][0] < s.end and run[-1][1] > s.start for s in row.secrets)
            run = []
    return {"stretches": stretches, "touch no secret": beside}


def _cut_for(peaks: np.ndarray, share: float) -> float:
    """Return the lowest cut that at most this share of the peaks reaches."""
    if not len(peaks):
        return 1.0
    ordered = np.sort(peaks)[::-1]
    return float(np.nextafter(ordered[int(share * len(ordered))], 2))


def _share(values: list[bool]) -> float:
    return round(float(np.mean(values)), 4) if values else float("nan")
