"""The head *relation*: how a later statement relates to an earlier one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from base import Merged, mean, pad
from bench import Bench, bucket
from heads import TextHead, relation_head
from measure import auc, recall_at_precision
from rows import RELATIONS, Memory, Pair
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH, _RATE, _HEAD_RATE = 4, 128, 3e-4, 1e-3
#: Share of *find* as in the product, by whose vectors lines are neighbours; neighbours of a line. They are
#: other lines of the same author that lie near, where nothing changed: most of what a product asks.
STRENGTH, _NEIGHBOURS = 0.5, 4
#: Lines of a memory's own topic that may be another's neighbours.
_NEAR = 2
_FURTHER_BATCH, _FURTHER_RATE = 32, 2.5e-4
_CHANGES = [RELATIONS.index("replaces"), RELATIONS.index("ends")]


@dataclass(frozen=True, slots=True)
class Example:
    """Two statements, and the relations that the row allows: one, or several where it says less."""

    author: str
    lang: str
    ids: list[int]
    allowed: frozenset[str]
    #: What the row calls the later one, for the report.
    name: str


def fit_relation(
    bench: Bench,
    begin: Adapter,
    *,
    share: float = 1.0,
    swapped: bool = False,
    label: str = "relation",
) -> tuple[Adapter, TextHead]:
    """Return an adapter, begun from that of *find*, and a head.

    `swapped` fits to the pairs that are kept out otherwise, and to none of the others.
    """
    source = bench.seed_all(2)
    with torch.no_grad():
        found = begin.merge(bench.base, STRENGTH)
    pairs = None
    if swapped:
        pairs = bench.of_authors(bench.rows.pairs, "pairs_en", "pairs_ko")
    examples = list_examples(bench, found, source, share=share, pairs=pairs)
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = relation_head().to(bench.device)
    epochs = bucket(list(map(_size, examples)), bench.batch(_BATCH), source, _EPOCHS)
    rates = (_RATE, _HEAD_RATE)
    _fit_examples(bench, adapter, head, examples, epochs, rates, f"{label} ({len(examples)} pairs)")
    return adapter, head


def list_examples(
    bench: Bench,
    found: Merged,
    source: np.random.Generator,
    *,
    share: float = 1.0,
    pairs: list[Pair] | None = None,
) -> list[Example]:
    """Return all that is fitted to: the rows of pairs, of memories, and neighbours.

    `found` are the weights of *find*; `pairs` stand in for those that are fitted to otherwise.
    """
    of_pairs = bench.fitted(bench.rows.pairs, share) if pairs is None else pairs
    memories = bench.fitted(bench.rows.memories, share)
    return [
        *_examples_of_pairs(bench, of_pairs, source),
        *_examples_of_memories(bench, memories, source),
        *_list_neighbours(bench, found, memories, of_pairs),
    ]


def choose_relations(examples: list[Example]) -> np.ndarray:
    """Return which relations each example allows, (examples, relations)."""
    allowed = np.zeros((len(examples), len(RELATIONS)), bool)
    for number, example in enumerate(examples):
        allowed[number, [RELATIONS.index(name) for name in example.allowed]] = True
    return allowed


def measure_allowed_loss(logits: Tensor, allowed: np.ndarray, smooth: float = 0.0) -> Tensor:
    """Return the loss of (examples, relations) logits, of which each example allows some.

    `smooth` is how much all relations are kept possible.
    """
    chances = logits.log_softmax(-1)
    fits = torch.from_numpy(allowed).to(logits.device)
    loss = -chances.masked_fill(~fits, -torch.inf).logsumexp(-1).mean()
    return loss - smooth * chances.mean() if smooth else loss


def continue_relation(
    bench: Bench,
    adapter: Adapter,
    head: TextHead,
    authors: tuple[str, ...],
    old: int,
    epochs: int,
) -> None:
    """Fit an adapter and its head further to the rows of new authors, and to some of the others."""
    source = bench.seed_all(2)
    pairs, memories = bench.fitted(bench.rows.pairs), bench.fitted(bench.rows.memories)
    new = [
        *_examples_of_pairs(bench, [row for row in pairs if row.author in authors], source),
        *_examples_of_memories(bench, [row for row in memories if row.author in authors], source),
    ]
    known = [
        *_examples_of_pairs(bench, [row for row in pairs if row.author not in authors], source),
        *_examples_of_memories(
            bench, [row for row in memories if row.author not in authors], source
        ),
    ]
    examples = [*new, *(known[number] for number in source.permutation(len(known))[:old])]
    batches = bucket(list(map(_size, examples)), bench.batch(_FURTHER_BATCH), source, epochs)
    label = f"relation, further ({len(examples)} pairs)"
    _fit_examples(
        bench, adapter, head, examples, batches, (_FURTHER_RATE, 2 * _FURTHER_RATE), label
    )


def _size(example: Example) -> int:
    return len(example.ids)


def _fit_examples(
    bench: Bench,
    adapter: Adapter,
    head: TextHead,
    examples: list[Example],
    epochs: list[list[np.ndarray]],
    rates: tuple[float, float],
    label: str,
) -> None:
    allowed = choose_relations(examples)

    def loss(batch: np.ndarray) -> Tensor:
        ids, mask = pad([examples[number].ids for number in batch], bench.device)
        logits = head(bench.base(ids, mask, adapter.merge(bench.base)), mask).float()
        return measure_allowed_loss(logits, allowed[batch])

    bench.fit([(adapter, rates[0]), (head, rates[1])], epochs, loss, label=label)


def measure_relation(
    bench: Bench, adapter: Adapter, head: TextHead, *, swapped: bool = False
) -> dict[str, dict[str, Any]]:
    """Return, by author and language, how well changes (replaced or ended) are told from the rest.

    Partial changes are left out of these. `marked` counts the pairs above the cut at which kept-out
    memories are right in 95 of 100.
    """
    source = np.random.default_rng(0)
    examples = []
    for rows in bench.kept(bench.rows.memories).values():
        examples += _examples_of_memories(bench, rows, source)
    pairs = [row for rows in bench.kept(bench.rows.pairs).values() for row in rows]
    if swapped:
        pairs = bench.fitted(bench.rows.pairs)
    examples += _examples_of_pairs(bench, pairs, source)
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    chances = bench.read(
        [example.ids for example in examples],
        weights,
        lambda states, mask: head(states, mask).float().softmax(-1),
    ).numpy()
    scores = chances[:, _CHANGES].sum(1)
    figures: dict[str, dict[str, Any]] = {}
    groups: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        for name in (example.author, f"{example.author}, {example.lang}"):
            groups.setdefault(name, []).append(number)
    of_memories = [n for n, example in enumerate(examples) if "judge" in example.author]
    cut = _part(examples, scores, of_memories)["cut at .95"]
    for name, members in sorted(groups.items()):
        figures[name] = _part(examples, scores, members)
        marked: dict[str, list[bool]] = {}
        for number in members:
            marked.setdefault(examples[number].name, []).append(bool(scores[number] >= cut))
        figures[name]["marked at the memories' cut"] = {
            kind: f"{sum(said)} of {len(said)}" for kind, said in sorted(marked.items())
        }
    best = chances.argmax(1)
    right = [RELATIONS[best[n]] in example.allowed for n, example in enumerate(examples)]
    for author in sorted({example.author for example in examples}):
        mine = [right[n] for n, example in enumerate(examples) if example.author == author]
        figures[author]["class right"] = round(float(np.mean(mine)), 4)
    return figures


def _part(examples: list[Example], scores: np.ndarray, members: list[int]) -> dict[str, Any]:
    changes = frozenset({"replaces", "ends"})
    whole = [n for n in members if not examples[n].allowed <= {"partial"}]
    right = [bool(examples[n].allowed & changes) for n in whole]
    wrong = [scores[n] for n, is_right in zip(whole, right, strict=True) if not is_right]
    recall, cut = recall_at_precision(scores[whole], right, 0.95)
    return {
        "auc": auc(
            [scores[n] for n, is_right in zip(whole, right, strict=True) if is_right], wrong
        ),
        "recall at precision .95": recall,
        "cut at .95": round(cut, 5),
        "n": len(whole),
    }


def _examples_of_pairs(
    bench: Bench, rows: list[Pair], source: np.random.Generator
) -> list[Example]:
    found = []
    for number, row in enumerate(rows):
        for relation, later in row.later:
            ids = bench.texts.change(row.earlier, later)
            found.append(Example(row.author, row.lang, ids, frozenset({relation}), relation))
        stranger = rows[(number + 1 + source.integers(max(1, len(rows) - 1))) % len(rows)]
        ids = bench.texts.change(row.earlier, stranger.earlier)
        found.append(Example(row.author, row.lang, ids, frozenset({"unrelated"}), "stranger"))
    return found


def _list_neighbours(
    bench: Bench, found: Merged, memories: list[Memory], pairs: list[Pair]
) -> list[Example]:
    """Return each statement with the nearest other lines of its author, where nothing changed."""
    by_author: dict[str, list[Memory | Pair]] = {}
    statements: list[Memory | Pair] = [*memories, *pairs]
    for row in statements:
        by_author.setdefault(row.author, []).append(row)
    examples = []
    for author, rows in by_author.items():
        lines = [(_statement(row), number) for number, row in enumerate(rows)]
        for number, row in enumerate(rows):
            if isinstance(row, Memory):
                lines += [((text, ""), number) for text in row.near[:_NEAR]]
        sequences = [bench.texts.turn(*said) for said, _ in lines]
        vectors = functional.normalize(bench.read(sequences, found, mean), dim=-1)
        near = vectors[: len(rows)] @ vectors.T
        owners = torch.tensor([owner for _, owner in lines])
        near[owners[None] == torch.arange(len(rows))[:, None]] = -9
        nearest = near.topk(min(_NEIGHBOURS, len(lines)), 1).indices.tolist()
        for row, others in zip(rows, nearest, strict=True):
            text, before = _statement(row)
            for other in others:
                ids = bench.texts.change(text, lines[other][0][0], before)
                allowed = frozenset({"other", "unrelated"})
                examples.append(Example(author, row.lang, ids, allowed, "neighbour"))
    return examples


def _statement(row: Memory | Pair) -> tuple[str, str]:
    """Return what a row states, and what was said before it."""
    return (row.text, row.before) if isinstance(row, Memory) else (row.earlier, "")


def _examples_of_memories(
    bench: Bench, rows: list[Memory], source: np.random.Generator
) -> list[Example]:
    """Return what a memory's row says of changes; an update may replace all or a part, and what is
    none may be anything else.
    """
    found = []
    for number, row in enumerate(rows):
        stranger = rows[(number + 1 + source.integers(max(1, len(rows) - 1))) % len(rows)]
        ending = {"ends", "replaces"} if row.how == "cancel" else {"replaces", "partial", "ends"}
        later: list[tuple[str, set[str], str]] = [
            (row.update, ending, "update"),
            (row.same, {"same"}, "same"),
            (stranger.text, {"unrelated"}, "stranger"),
        ]
        none = {"same", "other", "talk", "unrelated"}
        later += [(text, none, "no update") for text in row.not_update]
        later += [(text, {"other", "unrelated"}, "near") for text in row.near]
        for text, allowed, name in later:
            if text:
                ids = bench.texts.change(row.text, text, row.before)
                found.append(Example(row.author, row.lang, ids, frozenset(allowed), name))
    return found
