"""The head *told of themselves*: which words of a chat line are the value of which predicate,
whose it is, and whether it is held, past, wished, denied or a joke.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from base import Merged, pad
from bench import Bench, bucket
from heads import TellHead
from measure import precision_recall, recall_at_precision
from rows import MODES, PREDICATES, WHOSE, ChatLine, Tell
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH, _RATE, _HEAD_RATE = 40, 32, 6e-4, 2e-3
_IGNORED = -100
#: A token belongs to a value from this chance on; the value's own confidence is cut later.
_LOW = 0.3


class Said(NamedTuple):
    """A value that the head found: where, what, and how sure."""

    start: int
    end: int
    predicate: str
    whose: str
    mode: str
    chance: float


def fit_told(
    bench: Bench, begin: Adapter, *, swapped: bool = False, label: str = "told"
) -> tuple[Adapter, TellHead]:
    """Return an adapter, begun from that of *find*, and a head.

    `swapped` fits to the lines that are kept out otherwise, and to none of the others.
    """
    source = bench.seed_all(5)
    rows = bench.fitted(bench.rows.chats)
    if swapped:
        rows = bench.of_authors(bench.rows.chats, "told_t4")
    lines = [_read_line(bench, row) for row in rows]
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = TellHead().to(bench.device)

    def loss(batch: np.ndarray) -> Tensor:
        ids, mask = pad([lines[number].ids for number in batch], bench.device)
        states = bench.base(ids, mask, adapter.merge(bench.base))
        logits = head(states).float()
        tags = np.full(tuple(ids.shape), _IGNORED)
        begins = np.full(tuple(ids.shape), -1.0, np.float32)
        owners, wanted, values = [], [], []
        for row, number in enumerate(batch):
            line = lines[number]
            tags[row, : len(line.tags)] = line.tags
            begins[row, : len(line.begins)] = line.begins
            for tokens, whose, mode in line.values:
                value = np.zeros(ids.shape[1], bool)
                value[tokens] = True
                owners.append(row)
                values.append(value)
                wanted.append((whose, mode))
        target = torch.from_numpy(tags).to(bench.device)
        total = functional.cross_entropy(
            logits[..., :-1].flatten(0, 1), target.flatten(), ignore_index=_IGNORED
        )
        begin_at = torch.from_numpy(begins).to(bench.device)
        inside = begin_at >= 0
        if inside.any():
            total = total + 0.2 * functional.binary_cross_entropy_with_logits(
                logits[..., -1][inside], begin_at[inside]
            )
        if owners:
            chosen = torch.tensor(owners, device=bench.device)
            marked = torch.from_numpy(np.stack(values)).to(bench.device)
            answers = head.judge(states[chosen], mask[chosen], marked).float()
            goal = torch.tensor(wanted, device=bench.device)
            total = total + 0.3 * functional.cross_entropy(answers[:, : len(WHOSE)], goal[:, 0])
            total = total + 0.3 * functional.cross_entropy(answers[:, len(WHOSE) :], goal[:, 1])
        return total

    epochs = bucket([len(line.ids) for line in lines], bench.batch(_BATCH), source, _EPOCHS)
    modules = [(adapter, _RATE), (head, _HEAD_RATE)]
    bench.fit(modules, epochs, loss, label=f"{label} ({len(lines)} lines)")
    return adapter, head


def measure_told(
    bench: Bench, adapter: Adapter, head: TellHead, *, swapped: bool = False
) -> dict[str, object]:
    """Return how much of what authors kept out told is found: predicate, half of the words, whose
    and mode. `certain` counts what a user holds of themselves, which is what a character keeps.
    """
    rows = [row for rows in bench.kept(bench.rows.chats).values() for row in rows]
    if swapped:
        rows = bench.fitted(bench.rows.chats)
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    said = _say(bench, rows, weights, head)
    figures: dict[str, object] = {}
    for name, langs in {"all": ("ko", "en"), "ko": ("ko",), "en": ("en",)}.items():
        pairs = [(row, mine) for row, mine in zip(rows, said, strict=True) if row.lang in langs]
        figures[name] = {
            "all four": _count(pairs, lambda tell, found: _fits(tell, found, deep=True)),
            "predicate and words": _count(
                pairs, lambda tell, found: _fits(tell, found, deep=False)
            ),
            "words alone": _count(pairs, _overlaps),
            "certain": _count(
                [
                    (
                        _with_tells(row, [t for t in row.tells if _is_certain(t)]),
                        [found for found in mine if _is_certain(found)],
                    )
                    for row, mine in pairs
                ],
                lambda tell, found: _fits(tell, found, deep=True),
            ),
        }
    figures["by predicate"] = {
        name: _count(
            [
                (
                    _with_tells(row, [t for t in row.tells if t.predicate == name]),
                    [found for found in said[number] if found.predicate == name],
                )
                for number, row in enumerate(rows)
            ],
            lambda tell, found: _fits(tell, found, deep=True),
        )
        for name in PREDICATES[1:]
    }
    return figures


class _Line(NamedTuple):
    ids: list[int]
    tags: list[int]
    #: 1 where a value begins, 0 where it goes on, -1 elsewhere.
    begins: list[float]
    #: (tokens, whose, mode)
    values: list[tuple[list[int], int, int]]


def _read_line(bench: Bench, row: ChatLine) -> _Line:
    ids, places = bench.texts.tagged(row.text, row.before)
    tags = [_IGNORED if start == end else 0 for start, end in places]
    begins = [-1.0] * len(ids)
    values = []
    for tell in row.tells:
        tokens = [
            number
            for number, (a, b) in enumerate(places)
            if a < b and a < tell.end and b > tell.start
        ]
        if not tokens:
            continue
        values.append((tokens, WHOSE.index(tell.whose), MODES.index(tell.mode)))
        free = [number for number in tokens if tags[number] == 0]
        for number in free:
            tags[number] = PREDICATES.index(tell.predicate)
            begins[number] = float(number == free[0])
    return _Line(ids, tags, begins, values)


def _say(bench: Bench, rows: list[ChatLine], weights: Merged, head: TellHead) -> list[list[Said]]:
    """Return what the head finds in each line."""
    tagged = [bench.texts.tagged(row.text, row.before) for row in rows]
    width = len(PREDICATES) + 1

    def function(states: Tensor, _mask: Tensor) -> Tensor:
        logits = head(states).float()
        chances = logits[..., :-1].softmax(-1)
        return torch.cat([chances, logits[..., -1:].sigmoid(), states.float()], dim=-1)

    found: list[list[Said]] = []
    # in parts: the states of all lines together would fill a small machine
    for first in range(0, len(rows), 512):
        part = tagged[first : first + 512]
        values = bench.read([ids for ids, _ in part], weights, function)
        for (ids, places), numbers in zip(part, values, strict=True):
            runs = _find_runs(numbers[:, :width].numpy(), places)
            found.append(_judge_runs(head, numbers[: len(ids), width:], places, numbers, runs))
    return found


def _find_runs(chances: np.ndarray, places: list[tuple[int, int]]) -> list[list[int]]:
    """Return the tokens of each value: neighbours that belong to some, cut where one begins."""
    runs: list[list[int]] = []
    last = -2
    for number, (start, end) in enumerate(places):
        if start == end or 1 - chances[number, 0] < _LOW:
            continue
        if number == last + 1 and chances[number, -1] < 0.5:
            runs[-1].append(number)
        else:
            runs.append([number])
        last = number
    return runs


def _judge_runs(
    head: TellHead,
    states: Tensor,
    places: list[tuple[int, int]],
    numbers: Tensor,
    runs: list[list[int]],
) -> list[Said]:
    if not runs:
        return []
    device = next(head.parameters()).device
    marked = torch.zeros(len(runs), len(states), dtype=torch.bool)
    for row, tokens in enumerate(runs):
        marked[row, tokens] = True
    repeated = states[None].expand(len(runs), -1, -1).to(device)
    everything = torch.ones_like(marked).to(device)
    with torch.no_grad():
        answers = head.judge(repeated, everything, marked.to(device)).float().cpu()
    whose, mode = answers[:, : len(WHOSE)].softmax(-1), answers[:, len(WHOSE) :].softmax(-1)
    said = []
    for row, tokens in enumerate(runs):
        predicate = numbers[tokens, : len(PREDICATES)].mean(0)
        best = int(predicate[1:].argmax()) + 1
        chance = float(predicate[best] * whose[row].max() * mode[row].max())
        said.append(
            Said(
                places[tokens[0]][0],
                places[tokens[-1]][1],
                PREDICATES[best],
                WHOSE[int(whose[row].argmax())],
                MODES[int(mode[row].argmax())],
                chance,
            )
        )
    return said


def _count(
    pairs: list[tuple[ChatLine, list[Said]]], fits: Callable[[Tell, Said], bool]
) -> dict[str, object]:
    """Return precision and recall of everything that was said at even odds, and the recall at the
    cut above which 93 and 95 of 100 are right.
    """
    scores, right = [], []
    wanted = sum(len(row.tells) for row, _ in pairs)
    for row, mine in pairs:
        left = list(row.tells)
        for found in sorted(mine, key=lambda item: -item.chance):
            match = next((tell for tell in left if fits(tell, found)), None)
            if match is not None:
                left.remove(match)
            scores.append(found.chance)
            right.append(match is not None)
    even = [is_right for score, is_right in zip(scores, right, strict=True) if score >= 0.5]
    figures: dict[str, object] = {"at .5": precision_recall(sum(even), len(even), wanted)}
    figures["all said"] = precision_recall(sum(right), len(right), wanted)
    for precision in (0.93, 0.95):
        recall, cut = recall_at_precision(scores, right, precision, total=wanted)
        figures[f"recall at precision {precision}"] = recall
        figures[f"cut at {precision}"] = round(cut, 5)
    return figures


def _overlaps(tell: Tell, found: Said) -> bool:
    """Return whether the stretches share half of their words, by characters."""
    shared = min(tell.end, found.end) - max(tell.start, found.start)
    return 2 * shared >= 0.5 * (tell.end - tell.start + found.end - found.start)


def _fits(tell: Tell, found: Said, *, deep: bool) -> bool:
    same = tell.predicate == found.predicate and _overlaps(tell, found)
    return same and (not deep or (tell.whose, tell.mode) == (found.whose, found.mode))


def _is_certain(item: "Tell | Said") -> bool:
    return item.whose == "user" and item.mode == "held"


def _with_tells(row: ChatLine, tells: list[Tell]) -> ChatLine:
    return ChatLine(row.author, row.lang, row.before, row.text, tuple(tells))
