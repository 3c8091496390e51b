"""The head *mends*: whether a chat message puts right what was said or assumed before it.

People put something right in any words: "third, actually", a value said again, whose it is, another
day for a plan without its name. And what looks like it may be none: agreement that begins with "no",
an answer to an open question, an offer refused. So the last lines of the talk and the message are
read together. The adapter is begun from that of *relation*, which knows what ends a statement.

Half of the rows put something right; of chat lines, few do. So lines of *told*, and what users say
within the talks, are drawn beside them in each pass, as messages that put nothing right. How much
of a talk stands before a message says nothing of it: talks are cut short, and lines of other talks
are put before them, at random in each pass.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from base import pad
from bench import Bench, bucket
from heads import TextHead
from measure import auc
from rows import TalkLine
from shape import WIDTH
from torch import Tensor, nn
from torch.nn import functional

from adapters import Adapter

_EPOCHS, _BATCH = 7, 16
_RATE, _HEAD_RATE = 3e-4, 1e-3
#: Layers that keep what the adapter knows that is begun from: on two cores time is short.
_FROZEN = 6
_SMOOTH = 0.02
#: Marks of tokens: none, wrong, right. They are fitted beside the answer, of which they tell more than
#: a yes or no, and are left out when the head is saved. How much they count, and a marked token
#: against one without a mark.
_MARKS, _MARKED, _WEIGHT = 3, 0.5, 4.0
_NO_TOKEN = -100
#: Chat lines beside each row, as messages that put nothing right.
_OTHERS = 0.4
#: Shares of talks that are cut to their last lines, and that get lines of another talk before them.
_CUT, _LENGTHENED = 0.5, 0.4
#: Lines of a talk that are read, as in the product.
_MOST_LINES = 4
#: A chat line that may put something right after all: nobody has said of it whether it does.
_MAY_MEND = re.compile(r"\s*(?:아니|아뇨|아녀|(?:no|nah|nope|not|actually)\b)", re.IGNORECASE)
_MAY_BE_PAST = frozenset(("denied", "past"))
_CUTS = (0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class Example:
    """A message behind the talk before it, whether it puts something right, and the mark of each
    token: which words are wrong, and which right (`Texts.marked_message`).
    """

    ids: list[int]
    mends: bool
    marks: list[int]


def mends_head() -> TextHead:
    """Return a head with one logit: that the message puts something right."""
    return TextHead(1)


def fit_mends(bench: Bench, begin: Adapter) -> tuple[Adapter, TextHead]:
    """Return an adapter, begun from that of *relation*, and a head."""
    source = bench.seed_all(7)
    rows = bench.fitted(bench.rows.talks)
    others = [*_list_inner_messages(rows), *_list_chat_lines(bench)]
    adapter = Adapter(bench.seed).begin_from(begin).to(bench.device)
    head = mends_head().to(bench.device)
    marker = nn.Linear(WIDTH, _MARKS).to(bench.device)
    seen: list[Example] = []
    batches: list[list[np.ndarray]] = []
    for _ in range(_EPOCHS):
        drawn = source.permutation(len(others))[: int(_OTHERS * len(rows))].tolist()
        messages = [*rows, *(others[number] for number in drawn)]
        examples = [
            _build_example(bench, one, _vary_talk(one, messages, source)) for one in messages
        ]
        (epoch,) = bucket([len(one.ids) for one in examples], bench.batch(_BATCH), source, 1)
        batches.append([batch + len(seen) for batch in epoch])
        seen += examples

    def loss(batch: np.ndarray) -> Tensor:
        examples = [seen[number] for number in batch]
        ids, mask = pad([example.ids for example in examples], bench.device)
        states = bench.base(ids, mask, adapter.merge_upper(bench.base, _FROZEN))
        wanted = torch.tensor([float(one.mends) for one in examples], device=bench.device)
        wanted = wanted * (1 - 2 * _SMOOTH) + _SMOOTH
        said = functional.binary_cross_entropy_with_logits(head(states, mask)[:, 0].float(), wanted)
        return said + _MARKED * _measure_marks(marker(states).float(), examples)

    bench.fit(
        [(adapter, _RATE), (head, _HEAD_RATE), (marker, _HEAD_RATE)],
        batches,
        loss,
        label=f"mends ({len(rows)} messages)",
        watch=lambda: f"AUROC {_measure_kept(bench, adapter, head)}",
    )
    return adapter, head


def _build_example(bench: Bench, row: TalkLine, talk: Sequence[tuple[bool, str]]) -> Example:
    ids, marks = bench.texts.marked_message(talk, row.text, row.wrong, row.right)
    return Example(ids, row.mends, marks)


def _measure_marks(logits: Tensor, examples: Sequence[Example]) -> Tensor:
    """Return the loss of (messages, tokens, marks) logits; words that are marked weigh more."""
    size = logits.shape[1]
    marks = torch.tensor(
        [[*one.marks, *([_NO_TOKEN] * (size - len(one.marks)))] for one in examples],
        device=logits.device,
    )
    weight = torch.tensor([1.0, _WEIGHT, _WEIGHT], device=logits.device)
    return functional.cross_entropy(
        logits.reshape(-1, _MARKS), marks.reshape(-1), weight, ignore_index=_NO_TOKEN
    )


def _list_inner_messages(rows: Sequence[TalkLine]) -> list[TalkLine]:
    """Return what users say within the talks, as messages that put nothing right.

    A talk leads to one message; before it, hardly anything is put right.
    """
    return [
        TalkLine(row.author, row.lang, row.talk[:place], text, mends=False, wrong="", right="")
        for row in rows
        for place, (is_user, text) in enumerate(row.talk)
        if place and is_user and not _MAY_MEND.match(text)
    ]


def _list_chat_lines(bench: Bench) -> list[TalkLine]:
    """Return chat lines that most likely put nothing right, behind what was said before them."""
    return [
        TalkLine(
            line.author,
            line.lang,
            ((False, line.before),),
            line.text,
            mends=False,
            wrong="",
            right="",
        )
        for line in bench.fitted(bench.rows.chats)
        if line.before
        and not any(tell.mode in _MAY_BE_PAST for tell in line.tells)
        and not _MAY_MEND.match(line.text)
    ]


def _vary_talk(
    row: TalkLine, others: Sequence[TalkLine], source: np.random.Generator
) -> list[tuple[bool, str]]:
    """Return the talk before a message, cut short or behind lines of another talk, or as it is.

    The line that is put right stays.
    """
    talk = list(row.talk)
    if len(talk) > 1 and source.random() < _CUT:
        least = next(
            (
                len(talk) - place
                for place, line in enumerate(talk)
                if row.wrong and row.wrong in line[1]
            ),
            1,
        )
        talk = talk[-int(source.integers(least, len(talk) + 1)) :]
    # a chat line of *told* has one line before it: a talk of one line would tell that nothing is put right
    is_chat_line = len(row.talk) == 1 and not row.mends
    if len(talk) < _MOST_LINES and (is_chat_line or source.random() < _LENGTHENED):
        other = others[int(source.integers(len(others)))]
        before = [*other.talk, (True, other.text)]
        if other.lang == row.lang and other.text != row.text:
            talk = [*before[-int(source.integers(1, 3)) :], *talk]
    return talk[-_MOST_LINES:]


def _measure_kept(bench: Bench, adapter: Adapter, head: TextHead) -> float:
    """Return how surely messages that put something right are told from others, by authors kept
    out.
    """
    rows = [row for kept in bench.kept(bench.rows.talks).values() for row in kept]
    logits = measure_logits(bench, rows, adapter, head)
    does = np.array([row.mends for row in rows])
    return auc(logits[does].tolist(), logits[~does].tolist())


def measure_mends(bench: Bench, adapter: Adapter, head: TextHead) -> dict[str, object]:
    """Return, of each author kept out, how surely messages that put something right are told from
    others (AUROC), and the shares of both at several cuts of the log-odds.
    """
    figures: dict[str, object] = {}
    for author, rows in bench.kept(bench.rows.talks).items():
        logits = measure_logits(bench, rows, adapter, head)
        does = np.array([row.mends for row in rows])
        figures[author] = {
            "AUROC": auc(logits[does].tolist(), logits[~does].tolist()),
            **{
                f"cut {cut}": f"{(logits[does] >= cut).mean():.3f} heard,"
                f" {(logits[~does] >= cut).mean():.3f} of others"
                for cut in _CUTS
            },
        }
    return figures


def measure_logits(
    bench: Bench, rows: Sequence[TalkLine], adapter: Adapter, head: TextHead
) -> np.ndarray:
    """Return the log-odds that each message puts something right."""
    with torch.no_grad():
        weights = adapter.merge(bench.base)
    sequences = [bench.texts.message_after(row.talk[-_MOST_LINES:], row.text) for row in rows]
    logits = bench.read(sequences, weights, lambda s, m: head(s, m)[:, 0].float())
    found: np.ndarray = logits.numpy()
    return found
