"""The head *spans*: which values of a text are a secret.

A value is a stretch of a line that may be one: a word, what stands in quotation marks, what follows
a sign or a verb (`gieok.text.secrets.values`, which the kit brings along). The head judges each by
the encoder's states and by the features that the product sees (`…features`). A tag a token, as an
earlier version had it, does not carry from one author to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from base import Merged, pad
from bench import Bench, bucket
from heads import FEATURES, ValueHead
from rows import ChatLine, Mark, SecretText, Sentence
from torch import Tensor
from torch.nn import functional

from adapters import Adapter
from gieok.text.secrets.cues import announces_secret
from gieok.text.secrets.features import number_features
from gieok.text.secrets.values import iter_placed_values

_EPOCHS, _BATCH = 3, 16
_RATE, _HEAD_RATE = 3e-4, 1e-3
#: Secrets count this much more than other values, of which there are twenty times as many.
_WEIGHT = 3.0
#: Values a text that join an epoch: those that overlap a secret, and others.
_OVERLAPPING, _OTHERS = 12, 20
#: Lines without a secret that join, of other forms, with a cue in them.
_HARMLESS = 900
#: A value that holds a whole secret and hardly more is neither right nor wrong.
_HARDLY_MORE = 1.15
_CUTS = (-1.0, 0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class _SeenValue:
    """A value [start, end) of a text, its first and last token, and the numbers of its features.

    `is_secret`: 1 for a secret, 0 for none, -1 where it overlaps one, 2 where it hardly differs.
    """

    start: int
    end: int
    first: int
    last: int
    features: np.ndarray
    is_secret: int


@dataclass(frozen=True, slots=True)
class _SeenText:
    ids: list[int]
    values: list[_SeenValue]


def fit_spans(
    bench: Bench, begin: Adapter, *, swapped: bool = False, label: str = "spans"
) -> tuple[Adapter, ValueHead]:
    """Return an adapter, begun from another one, and a head.

    `swapped` fits to the texts that are kept out otherwise, and to none of the others.
    """
    source = bench.seed_all(4)
    rows = bench.fitted(bench.rows.secrets)
    if swapped:
        rows = [row for kept in bench.kept(bench.rows.secrets).values() for row in kept]
    harmless = _list_harmless(bench, kept=False)
    chosen = source.permutation(len(harmless))[: min(_HARMLESS, 2 * len(rows))]
    seen = [_see_text(bench, row.text, row.secrets) for row in rows]
    seen += [_see_text(bench, harmless[number], ()) for number in chosen]
    seen = [text for text in seen if text.values]
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = ValueHead().to(bench.device)

    def loss(batch: np.ndarray) -> Tensor:
        texts = [seen[number] for number in batch]
        ids, mask = pad([text.ids for text in texts], bench.device)
        states = bench.base(ids, mask, adapter.merge(bench.base))
        judged, wanted = [], []
        for row, text in enumerate(texts):
            values = _draw_values(text.values, source)
            judged.append(_judge_values(head, states[row, : len(text.ids)], values))
            wanted += [float(value.is_secret == 1) for value in values]
        target = torch.tensor(wanted, device=bench.device)
        weight = 1 + (_WEIGHT - 1) * target
        return functional.binary_cross_entropy_with_logits(torch.cat(judged), target, weight)

    sizes = [len(text.ids) for text in seen]
    epochs = bucket(sizes, bench.batch(_BATCH), source, _EPOCHS)
    modules = [(adapter, _RATE), (head, _HEAD_RATE)]
    bench.fit(modules, epochs, loss, label=f"{label} ({len(seen)} texts)")
    return adapter, head


def measure_spans(
    bench: Bench, adapter: Adapter, head: ValueHead, *, swapped: bool = False
) -> dict[str, object]:
    """Return at several cuts: the share of the secrets of authors kept out that are covered whole,
    the share of what is marked that touches a secret, and of texts without any that are touched.

    `other lines` are those of other forms by authors kept out, with a cue in them.
    """
    rows = [row for rows in bench.kept(bench.rows.secrets).values() for row in rows]
    if swapped:
        rows = bench.fitted(bench.rows.secrets)
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    marked = _mark_texts(bench, [row.text for row in rows], weights, head)
    others = _mark_texts(bench, _list_harmless(bench, kept=True), weights, head)
    figures: dict[str, object] = {}
    for cut in _CUTS:
        kept = [[(a, b) for a, b, logit in spans if logit >= cut] for spans in marked]
        part: dict[str, object] = {
            "recall": _share_covered(rows, kept),
            "precision": _share_touching(rows, kept),
            "harmless texts touched": _share(
                [bool(spans) for row, spans in zip(rows, kept, strict=True) if not row.secrets]
            ),
            "other lines touched": _share(
                [any(logit >= cut for *_, logit in spans) for spans in others]
            ),
        }
        for lang in ("ko", "en"):
            mine = [(row, s) for row, s in zip(rows, kept, strict=True) if row.lang == lang]
            part[f"recall, {lang}"] = _share_covered(*zip(*mine, strict=True)) if mine else None
        figures[f"cut {cut}"] = part
    return figures


def _see_text(bench: Bench, text: str, secrets: Sequence[Mark]) -> _SeenText:
    ids, places = bench.texts.tagged(text)
    tokens = [(number, a, b) for number, (a, b) in enumerate(places) if a < b]
    lines, values = text.split("\n"), []
    for row, at, value in iter_placed_values(lines):
        start, end = at + value.start, at + value.end
        inside = [number for number, a, b in tokens if a < end and start < b]
        if inside:
            values.append(
                _SeenValue(
                    start=start,
                    end=end,
                    first=inside[0],
                    last=inside[-1],
                    features=np.array(number_features(lines, row, value, FEATURES)),
                    is_secret=_compare_with_secrets(start, end, secrets),
                )
            )
    return _SeenText(ids, values)


def _compare_with_secrets(start: int, end: int, secrets: Sequence[Mark]) -> int:
    if any((start, end) == (mark.start, mark.end) for mark in secrets):
        return 1
    overlapping = [mark for mark in secrets if start < mark.end and mark.start < end]
    for mark in overlapping:
        holds = start <= mark.start and mark.end <= end
        if holds and end - start <= _HARDLY_MORE * (mark.end - mark.start) + 1:
            return 2
    return -1 if overlapping else 0


def _draw_values(values: Sequence[_SeenValue], source: np.random.Generator) -> list[_SeenValue]:
    drawn = [value for value in values if value.is_secret == 1]
    for kind, most in ((-1, _OVERLAPPING), (0, _OTHERS)):
        mine = [value for value in values if value.is_secret == kind]
        drawn += [mine[number] for number in source.permutation(len(mine))[:most]]
    return drawn


def _judge_values(head: ValueHead, states: Tensor, values: Sequence[_SeenValue]) -> Tensor:
    """Return the logit of each value of one text, whose states are (tokens, 384)."""
    if not values:
        return states.new_zeros(0)
    device = states.device
    first = torch.tensor([value.first for value in values], device=device)
    last = torch.tensor([value.last for value in values], device=device)
    sums = torch.cat([states.new_zeros(1, states.shape[1]), states.cumsum(0)])
    mean = (sums[last + 1] - sums[first]) / (last - first + 1)[:, None]
    before, behind = (first - 1).clamp(min=0), (last + 1).clamp(max=len(states) - 1)
    seen = torch.cat([states[first], states[last], mean, states[before], states[behind]], dim=1)
    sizes = [len(value.features) for value in values]
    stops = torch.tensor([0, *np.cumsum(sizes)[:-1].tolist()], device=device)
    numbers = torch.from_numpy(np.concatenate([value.features for value in values])).to(device)
    return head(seen, numbers, stops)


@torch.no_grad()
def _mark_texts(
    bench: Bench, texts: Sequence[str], weights: Merged, head: ValueHead
) -> list[list[tuple[int, int, float]]]:
    """Return (start, end, logit) of the values of each text that overlap no likelier one."""
    marked = []
    for text in texts:
        seen = _see_text(bench, text, ())
        ids, mask = pad([seen.ids], bench.device)
        states = bench.base(ids, mask, weights)[0, : len(seen.ids)]
        logits = _judge_values(head, states.float(), seen.values).tolist()
        taken: list[tuple[int, int, float]] = []
        for logit, value in sorted(
            zip(logits, seen.values, strict=True), key=lambda pair: -pair[0]
        ):
            if all(value.end <= a or b <= value.start for a, b, _ in taken):
                taken.append((value.start, value.end, logit))
        marked.append(taken)
    return marked


def _share_covered(
    rows: Sequence[SecretText], marked: Sequence[Sequence[tuple[int, int]]]
) -> float:
    return _share(
        [
            any(a <= mark.start and mark.end <= b for a, b in spans)
            for row, spans in zip(rows, marked, strict=True)
            for mark in row.secrets
        ]
    )


def _share_touching(
    rows: Sequence[SecretText], marked: Sequence[Sequence[tuple[int, int]]]
) -> float:
    return _share(
        [
            any(a < mark.end and mark.start < b for mark in row.secrets)
            for row, spans in zip(rows, marked, strict=True)
            for a, b in spans
        ]
    )


def _list_harmless(bench: Bench, *, kept: bool) -> list[str]:
    """Return lines of other forms with a cue in them, in which hardly a secret stands."""
    rows: list[Sentence | ChatLine] = [*bench.rows.sentences, *bench.rows.chats]
    texts = [row.text for row in rows if (row.author in bench.kept_out) == kept]
    texts = [text for text in dict.fromkeys(texts) if announces_secret(text, is_said=True)]
    return texts[: 20 if bench.smoke else None]


def _share(values: Sequence[bool]) -> float:
    return round(float(np.mean(values)), 4) if values else float("nan")
