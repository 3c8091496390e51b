"""Folds what says the same into its first line: one thing once, with the days on which it was
said.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple, TypeVar

from gieok.hook.records import TOLD, told_days
from gieok.model.memory import Document
from gieok.text.restated import Restatement
from gieok.text.turns import spoken

T = TypeVar("T")
#: Rows that are compared: taking a statement apart costs a tenth of a millisecond.
_MOST = 2_000


class Folded(NamedTuple):
    """The days on which something was said, in order, and the handles of what says the same in
    other places.
    """

    days: tuple[date, ...]
    handles: tuple[str, ...]


class Statement(NamedTuple):
    """What a row says, on which days, and where: one `handle` stands for all that `group` tells
    apart (a scope, a status).
    """

    text: str
    days: tuple[date, ...]
    handle: str
    group: str = ""


def fold(rows: Iterable[T], statement: Callable[[T], Statement]) -> list[tuple[T, Folded]]:
    """Return the rows in their order, without those that say what an earlier one says; with the
    days of all of them.
    """
    rows = list(rows)
    known: dict[object, list[tuple[Restatement, int]]] = defaultdict(list)
    kept: list[tuple[T, list[Statement]]] = []
    for row in rows[:_MOST]:
        said = statement(row)
        one = Restatement(said.text)
        alike = known[said.group, one.key]
        place = next((place for other, place in alike if one.says_same(other)), None)
        if place is None:
            alike.append((one, len(kept)))
            kept.append((row, [said]))
        else:
            kept[place][1].append(said)
    kept += [(row, [statement(row)]) for row in rows[_MOST:]]
    return [(row, _folded(said)) for row, said in kept]


def _folded(said: Sequence[Statement]) -> Folded:
    days = tuple(sorted({day for one in said for day in one.days}))
    handles = dict.fromkeys(one.handle for one in said[1:] if one.handle != said[0].handle)
    return Folded(days, tuple(handles))


def spoken_text(text: str) -> str:
    """Return a statement without who said it."""
    turn = spoken([text], 1) if "\n" not in text else None
    return turn.text if turn else text


def days_of(document: Document | None, day: date | None) -> tuple[date, ...]:
    """Return the days on which a document was told, where its head names them; else its one day."""
    told = told_days(document.metadata) if document and TOLD in document.metadata else ()
    return told or ((day,) if day else ())
