"""Folds restatements: rows that say the same become one row, with the days of all of them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple, TypeVar

from gieok.hook.records import TOLD, told_days
from gieok.model.memory import Document
from gieok.text.restatement import Restatement
from gieok.text.turns import read_spoken_line

T = TypeVar("T")
#: Rows that are compared: taking a statement apart costs a tenth of a millisecond.
_MOST = 2_000


class Folded(NamedTuple):
    """Days on which a statement was said, in order, and handles of its restatements elsewhere."""

    days: tuple[date, ...]
    handles: tuple[str, ...]


class RowStatement(NamedTuple):
    """Statement of a row, its days, and its place.

    A single `handle` stands for all rows of the same `group` (a scope, a status); rows of different
    groups are not folded.
    """

    text: str
    days: tuple[date, ...]
    handle: str
    group: str = ""


def fold_restatements(
    rows: Iterable[T], statement: Callable[[T], RowStatement]
) -> list[tuple[T, Folded]]:
    """Return the rows in order, without restatements of an earlier row.

    Each kept row comes with the days of all its restatements.
    """
    rows = list(rows)
    known: dict[object, list[tuple[Restatement, int]]] = defaultdict(list)
    folded_rows: list[tuple[T, list[RowStatement]]] = []
    for row in rows[:_MOST]:
        row_statement = statement(row)
        restatement = Restatement(row_statement.text)
        alike = known[row_statement.group, restatement.key]
        place = next((place for other, place in alike if restatement.says_same(other)), None)
        if place is None:
            alike.append((restatement, len(folded_rows)))
            folded_rows.append((row, [row_statement]))
        else:
            folded_rows[place][1].append(row_statement)
    folded_rows += [(row, [statement(row)]) for row in rows[_MOST:]]
    return [(row, _merge_restatements(row_statement)) for row, row_statement in folded_rows]


def _merge_restatements(said: Sequence[RowStatement]) -> Folded:
    days = tuple(sorted({day for statement in said for day in statement.days}))
    handles = dict.fromkeys(
        statement.handle for statement in said[1:] if statement.handle != said[0].handle
    )
    return Folded(days, tuple(handles))


def spoken_text(text: str) -> str:
    """Return a statement without its speaker label."""
    turn = read_spoken_line([text], 1) if "\n" not in text else None
    return turn.text if turn else text


def list_told_days(document: Document | None, day: date | None) -> tuple[date, ...]:
    """Return the days on which a document was told, as its head names them; else its one day."""
    told_on = told_days(document.metadata) if document and TOLD in document.metadata else ()
    return told_on or ((day,) if day else ())
