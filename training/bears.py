"""The head *bears*: how surely a line helps with a prompt; and *told*, beside it.

A prompt and one of the few best lines are read together (a cross-encoder). The same encoder answers
whether a user said something of themselves, from a chat line and one reading of it (`tells.py`), and
is fitted on the relations of statements too, which ship as a head of their own: three questions
about two texts, of which each helps the others. Its adapter is begun from *find* at half strength.

Wrong lines of a prompt are those that *find* ranks first among all that the author said. A prompt
that no line helps with has wrong ones alone: so have things that an author said in passing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from base import Merged, mean, pad
from bench import Bench, bucket
from heads import HELPS, SHIPPED, TOLD, TextHead, bears_head
from measure import auc, precision_recall
from relation import STRENGTH, choose_relations, list_examples, measure_allowed_loss
from rows import Memory, Pair
from tells import FILE, Reading, read_readings
from torch import Tensor
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _RATE, _HEAD_RATE = 3, 3e-4, 1e-3
#: Prompts in a batch, wrong lines of each, pairs of statements and readings in a batch.
_PROMPTS, _WRONG, _PAIRS, _READINGS = 32, 7, 128, 96
#: Lines that *find* ranks first, of which wrong ones are drawn: the first ones oftener.
_RANKED = 20
#: Share of lines without `User:` before them, as notes have none.
_PLAIN = 0.12
#: How much a line that helps counts against one that does not, and a true reading against a false.
_HELPING, _TRUE = 3.0, 2.0
#: Certainty that is asked for: rows are labelled by one hand, and some are wrong.
_LABEL = 0.98
#: How much all relations are kept possible.
_SMOOTH = 0.02
_SAME_LINE = -9.0
_FAR = -1e4
#: Lines that are read of a prompt, as in the product, and prompts that need none and get none.
_READ, _SILENT = 8, 0.883


class _Asked(NamedTuple):
    """A prompt, and which topic's line it needs; -1 for one that no line helps with."""

    text: str
    topic: int
    kind: str


@dataclass
class _Corpus:
    """All lines and prompts of one author."""

    lines: list[str] = field(default_factory=list)
    #: Of each line, the topic that it answers; -1 for none. One that may help with the prompts of
    #: topic N beside its own line, such as a change of it, is -2 - N, and is no wrong line there.
    topics: list[int] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    asked: list[_Asked] = field(default_factory=list)

    def add_memory(self, topic: int, row: Memory, *, with_chatter: bool) -> None:
        """Add what one row says and asks."""
        self._add_line(row.text, topic, row.before)
        for text in (*row.near, *row.chatter):
            self._add_line(text, -1)
        for text in row.not_update:
            self._add_line(text, -2 - topic)
        self.asked += [_Asked(ask.text, topic, ask.kind) for ask in row.asks]
        if row.same:
            self.asked.append(_Asked(row.same, topic, "same"))
        self.asked += [_Asked(text, -1, "absent") for text in row.absent]
        if with_chatter:
            self.asked += [_Asked(text, -1, "chatter") for text in row.chatter[:2]]

    def add_pair(self, topic: int, row: Pair) -> None:
        """Add a statement, others beside it, and the question that it answers."""
        self._add_line(row.earlier, topic)
        for kind, text in row.later:
            if kind in {"other", "unrelated"}:
                self._add_line(text, -1)
        if row.ask:
            self.asked.append(_Asked(row.ask, topic, "pair"))

    def rank(self, bench: Bench, weights: Merged, most: int) -> np.ndarray:
        """Return the lines nearest to each prompt, (prompts, `most`), by the vectors of *find*."""
        texts = bench.texts
        prompts = [texts.question(one.text) for one in self.asked]
        lines = [texts.turn(*both) for both in zip(self.lines, self.before, strict=True)]
        asked, said = (
            functional.normalize(bench.read(part, weights, mean), dim=-1)
            for part in (prompts, lines)
        )
        near = asked @ said.T
        topics = torch.tensor(self.topics)
        own = {text: number for number, text in enumerate(self.lines)}
        for number, one in enumerate(self.asked):
            if one.topic >= 0:
                near[number, topics == -2 - one.topic] = _SAME_LINE
            if one.kind == "chatter" and one.text in own:
                near[number, own[one.text]] = _SAME_LINE
        found: np.ndarray = near.topk(min(most, near.shape[1]), 1).indices.numpy()
        return found

    def _add_line(self, text: str, topic: int, before: str = "") -> None:
        self.lines.append(text)
        self.topics.append(topic)
        self.before.append(before)


class _Group(NamedTuple):
    """A prompt with the line that helps, if one does, and wrong ones."""

    corpus: _Corpus
    prompt: str
    right: int | None
    wrong: list[int]


class _Batch(NamedTuple):
    """Prompts with their lines, or the numbers of pairs of statements or of readings."""

    groups: list[_Group]
    pairs: np.ndarray | None = None
    readings: np.ndarray | None = None


def fit_bears(bench: Bench, begin: Adapter, label: str = "bears") -> tuple[Adapter, TextHead]:
    """Return an adapter, begun from a share of *find*, and a head with all logits."""
    source = bench.seed_all(2)
    with torch.no_grad():
        found = begin.merge(bench.base, STRENGTH)
    corpora = _list_corpora(bench)
    ranked = [corpus.rank(bench, found, _RANKED) for corpus in corpora]
    pairs = list_examples(bench, found, source)
    allowed = choose_relations(pairs)
    readings, told = _list_readings(bench, is_fitted=True)
    adapter = Adapter(bench.seed).begin_from(begin).weaken(STRENGTH).to(bench.device)
    head = bears_head().to(bench.device)

    def loss(batch: _Batch) -> Tensor:
        weights = adapter.merge(bench.base)
        if batch.pairs is not None:
            logits = _read(bench, weights, head, [pairs[number].ids for number in batch.pairs])
            return measure_allowed_loss(logits[:, SHIPPED:], allowed[batch.pairs], _SMOOTH)
        if batch.readings is not None:
            logits = _read(bench, weights, head, [told[number] for number in batch.readings])
            wanted = [float(readings[number].is_true) for number in batch.readings]
            return _tell_apart(logits[:, TOLD], wanted, _TRUE, smooth=True)
        return _measure_groups(bench, weights, head, batch.groups, source)

    epochs = []
    for _ in range(_EPOCHS):
        groups = _draw_groups(corpora, ranked, source)
        size = bench.batch(_PROMPTS)
        batches = [_Batch(groups[at : at + size]) for at in range(0, len(groups), size)]
        lengths = [len(example.ids) for example in pairs]
        of_pairs = bucket(lengths, bench.batch(_PAIRS), source, 1)[0]
        of_readings = bucket(list(map(len, told)), bench.batch(_READINGS), source, 1)[0]
        batches += [_Batch([], pairs=part) for part in of_pairs]
        batches += [_Batch([], readings=part) for part in of_readings]
        epochs.append([batches[number] for number in source.permutation(len(batches))])
    bench.fit([(adapter, _RATE), (head, _HEAD_RATE)], epochs, loss, label=label)
    return adapter, head


def measure_bears(
    bench: Bench, begin: Adapter, adapter: Adapter, head: TextHead
) -> dict[str, object]:
    """Return figures on the authors kept out, of prompts and of what chat lines tell.

    `first/five`: the right line is first, or among five, by *find* and by *bears*, which reads the
    best eight. `found, silent`: the share of prompts whose right line is first and above the cut
    below which .883 of the prompts stay that no line helps with.
    """
    with torch.no_grad():
        found, read = begin.merge(bench.base, STRENGTH), adapter.merge(bench.base)
    figures: dict[str, object] = {
        author: _measure_author(bench, memories, found, read, head)
        for author, memories in bench.kept(bench.rows.memories).items()
    }
    readings, told = _list_readings(bench, is_fitted=False)
    logits = bench.read(told, read, head)[:, TOLD]
    for author in sorted({reading.author for reading in readings}):
        mine = [n for n, reading in enumerate(readings) if reading.author == author]
        figures[author] = _measure_told([readings[n] for n in mine], logits[mine].numpy())
    return figures


def _list_corpora(bench: Bench) -> list[_Corpus]:
    corpora: dict[str, _Corpus] = {}
    topic = 0
    for memory in bench.fitted(bench.rows.memories):
        corpora.setdefault(memory.author, _Corpus()).add_memory(topic, memory, with_chatter=True)
        topic += 1
    for pair in bench.fitted(bench.rows.pairs):
        corpora.setdefault(pair.author, _Corpus()).add_pair(topic, pair)
        topic += 1
    return list(corpora.values())


def _list_readings(bench: Bench, *, is_fitted: bool) -> tuple[list[Reading], list[list[int]]]:
    """Return the readings of authors that are fitted to, or of the others, and their sequences."""
    numbers: dict[str, int] = {}
    rows = {}
    for row in bench.rows.chats:
        number = numbers.get(row.author, 0)
        rows[row.author, number] = row
        numbers[row.author] = number + 1
    readings = [
        reading
        for reading in read_readings(bench.kit / FILE)
        if (reading.author not in bench.kept_out) == is_fitted
    ]
    readings = readings[: 40 if bench.smoke else None]
    lines = [rows[reading.author, reading.number] for reading in readings]
    sequences = [
        bench.texts.told_of(row.text, row.before, reading.predicate, reading.value)
        for row, reading in zip(lines, readings, strict=True)
    ]
    return readings, sequences


def _draw_groups(
    corpora: Sequence[_Corpus], ranked: Sequence[np.ndarray], source: np.random.Generator
) -> list[_Group]:
    """Return every prompt once, each with its line and wrong ones that are drawn anew."""
    groups = []
    for corpus, near in zip(corpora, ranked, strict=True):
        topics = np.array(corpus.topics)
        for one, lines in zip(corpus.asked, near, strict=True):
            wrong = lines[topics[lines] != one.topic] if one.topic >= 0 else lines
            chances = 1 / (1 + np.arange(len(wrong)))
            most = _WRONG if one.topic >= 0 else _WRONG // 2 + 1
            drawn = source.choice(
                wrong, min(most, len(wrong)), replace=False, p=chances / chances.sum()
            )
            right = corpus.topics.index(one.topic) if one.topic >= 0 else None
            groups.append(_Group(corpus, one.text, right, drawn.tolist()))
    return [groups[number] for number in source.permutation(len(groups))]


def _measure_groups(
    bench: Bench,
    weights: Merged,
    head: TextHead,
    groups: Sequence[_Group],
    source: np.random.Generator,
) -> Tensor:
    """Return the loss of prompts: each pair by itself, and the right line among the others."""
    sequences, wanted, places = [], [], []
    for row, group in enumerate(groups):
        lines = [*([] if group.right is None else [group.right]), *group.wrong]
        for column, line in enumerate(lines):
            is_turn = source.random() >= _PLAIN
            text = group.corpus.lines[line]
            sequences.append(bench.texts.asked_of(group.prompt, text, is_turn=is_turn))
            wanted.append(float(line == group.right))
            places.append((row, column))
    logits = _read(bench, weights, head, sequences)[:, HELPS]
    among = torch.full((len(groups), _WRONG + 1), _FAR, device=bench.device)
    rows, columns = torch.tensor(places, device=bench.device).T
    among[rows, columns] = logits
    total = _tell_apart(logits, wanted, _HELPING)
    answered = torch.tensor([group.right is not None for group in groups], device=bench.device)
    if answered.any():
        first = torch.zeros(int(answered.sum()), dtype=torch.long, device=bench.device)
        total = total + functional.cross_entropy(among[answered], first)
    return total


def _tell_apart(
    logits: Tensor, wanted: Sequence[float], weight: float, *, smooth: bool = False
) -> Tensor:
    target = torch.tensor(wanted, device=logits.device)
    if smooth:
        target = (1 - _LABEL) + (2 * _LABEL - 1) * target
    right = torch.tensor(weight, device=logits.device)
    return functional.binary_cross_entropy_with_logits(logits, target, pos_weight=right)


def _read(
    bench: Bench, weights: Merged, head: TextHead, sequences: Sequence[Sequence[int]]
) -> Tensor:
    ids, mask = pad(sequences, bench.device)
    logits: Tensor = head(bench.base(ids, mask, weights), mask).float()
    return logits


def _measure_author(
    bench: Bench, memories: Sequence[Memory], found: Merged, read: Merged, head: TextHead
) -> dict[str, object]:
    corpus = _Corpus()
    for topic, memory in enumerate(memories):
        corpus.add_memory(topic, memory, with_chatter=False)
    near = corpus.rank(bench, found, _READ)
    sequences = [
        bench.texts.asked_of(one.text, corpus.lines[line])
        for one, lines in zip(corpus.asked, near, strict=True)
        for line in lines
    ]
    logits = bench.read(sequences, read, head)
    scores = logits[:, HELPS].numpy().reshape(near.shape)
    topics = np.array([one.topic for one in corpus.asked])
    is_asked = np.array([one.topic >= 0 and one.kind != "same" for one in corpus.asked])
    by_find = np.array(corpus.topics)[near] == topics[:, None]
    order = np.argsort(-scores, axis=1, kind="stable")
    by_bears = np.take_along_axis(by_find, order, 1)
    best, silent = scores.max(1), scores.max(1)[topics < 0]
    right = by_bears[:, 0] & is_asked
    cut = np.quantile(silent, _SILENT)
    return {
        "find first/five": _share_first(by_find[is_asked]),
        "bears first/five": _share_first(by_bears[is_asked]),
        "right against absent": auc(best[right], silent),
        "found, silent": round(float((best[right] > cut).sum() / is_asked.sum()), 4),
    }


def _share_first(is_right: np.ndarray) -> list[float]:
    return [round(float(is_right[:, :depth].any(1).mean()), 3) for depth in (1, 5)]


def _measure_told(readings: Sequence[Reading], logits: np.ndarray) -> dict[str, object]:
    """Return how well true readings are told from each kind of false ones."""
    true = [x for reading, x in zip(readings, logits, strict=True) if reading.is_true]
    figures: dict[str, object] = {}
    for kind in sorted({reading.kind for reading in readings}):
        false = [
            x
            for reading, x in zip(readings, logits, strict=True)
            if reading.kind == kind and not reading.is_true
        ]
        figures[f"true against false of kind {kind}"] = auc(true, false)
    rules = [
        (reading.is_true, x)
        for reading, x in zip(readings, logits, strict=True)
        if reading.kind == "rule"
    ]
    wanted = sum(is_true for is_true, _ in rules)
    for cut in (_FAR, -1.0, 0.0, 1.0):
        said = [is_true for is_true, x in rules if x > cut]
        figures[f"rules above {cut:g}"] = precision_recall(sum(said), len(said), wanted)
    return figures
