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
from gieok.text.turns import read_spoken_line

T = TypeVar("T")
#: Rows that are compared: taking a statement apart costs a tenth of a millisecond.
_MOST = 2_000


class Folded(NamedTuple):
    """The days on which something was said, in order, and the handles of what says the same in
    other places.
    """

    days: tuple[date, ...]
    handles: tuple[str, ...]


class RowStatement(NamedTuple):
    """What a row says, on which days, and where: one `handle` stands for all that `group` tells
    apart (a scope, a status).
    """

    text: str
    days: tuple[date, ...]
    handle: str
    group: str = ""


def fold_restatements(
    rows: Iterable[T], statement: Callable[[T], RowStatement]
) -> list[tuple[T, Folded]]:
    """Return the rows in their order, without those that say what an earlier one says; with the
    days of all of them.
    """
    rows = list(rows)
    known: dict[object, list[tuple[Restatement, int]]] = defaultdict(list)
    folded_rows: list[tuple[T, list[RowStatement]]] = []
    for row in rows[:_MOST]:
        row_statement = statement(row)
        one = Restatement(row_statement.text)
        alike = known[row_statement.group, one.key]
        place = next((place for other, place in alike if one.says_same(other)), None)
        if place is None:
            alike.append((one, len(folded_rows)))
            folded_rows.append((row, [row_statement]))
        else:
            folded_rows[place][1].append(row_statement)
    folded_rows += [(row, [statement(row)]) for row in rows[_MOST:]]
    return [(row, _merge_restatements(row_statement)) for row, row_statement in folded_rows]


def _merge_restatements(said: Sequence[RowStatement]) -> Folded:
    days = tuple(sorted({day for one in said for day in one.days}))
    handles = dict.fromkeys(one.handle for one in said[1:] if one.handle != said[0].handle)
    return Folded(days, tuple(handles))


def spoken_text(text: str) -> str:
    """Return a statement without who said it."""
    turn = read_spoken_line([text], 1) if "\n" not in text else None
    return turn.text if turn else text


def list_told_days(document: Document | None, day: date | None) -> tuple[date, ...]:
    """Return the days on which a document was told, where its head names them; else its one day."""
    told_on = told_days(document.metadata) if document and TOLD in document.metadata else ()
    return told_on or ((day,) if day else ())
