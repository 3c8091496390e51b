"""What a change reaches, drawn from the result of `code impact`: a column for each distance, tests
with a mark of their own.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from markupsafe import Markup

from gieok.ops.code.impact import ImpactResult, ReachedSymbol
from gieok.ops.operation import Style

_WIDTH, _GAP, _HEIGHT, _SPACE, _TOP = 204, 50, 44, 10, 30
_MOST_IN_COLUMN, _FAR, _CHARS = 12, 3, 24
_MODULE = "<module>"


class Spot(NamedTuple):
    """A box: what it names, in which column and row, and what it leads to."""

    key: str
    name: str
    place: str
    column: int
    row: int
    kinds: str
    title: str


_GRADES = {
    "certain": "확실",
    "likely": "아마도",
    "possible": "어쩌면",
    "high": "위험 높음",
    "medium": "위험 중간",
    "low": "위험 낮음",
}


def reached(result: ImpactResult, style: Style, link: Callable[[str], str]) -> Markup:
    """Return the picture; `style` has the reader's words, `link` gives the address of a symbol's
    own impact.
    """
    words = style.say
    spots, left = _spots(result, style)
    rows = max((spot.row for spot in spots.values()), default=0) + 1 + any(left.values())
    columns = max((spot.column for spot in spots.values()), default=0) + 1
    width, height = columns * (_WIDTH + _GAP) - _GAP + 4, _TOP + rows * (_HEIGHT + _SPACE)
    heads = [
        words("changed", "바뀐 것"),
        words("one step away", "한 걸음"),
        words("two steps", "두 걸음"),
        words("farther", "더 멀리"),
    ]
    parts = [
        Markup('<text class="head" x="{}" y="18">{}</text>').format(_x(n), heads[n])
        for n in range(columns)
    ]
    parts += [_line(spots[a], spots[b], tier) for a, b, tier in _joined(result, spots)]
    parts += [_box(spot, link) for spot in spots.values()]
    parts += [
        Markup('<text class="place" x="{}" y="{}">{}</text>').format(
            _x(column) + 4,
            _TOP + _in(spots, column) * (_HEIGHT + _SPACE) + 18,
            words(f"and {n} more", f"그리고 {n}개 더"),
        )
        for column, n in left.items()
        if n
    ]
    label = words("What the change reaches, by distance", "바꾸면 닿는 것, 거리별로")
    return Markup(
        '<svg class="reach" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="group" '
        'aria-label="{2}">{3}</svg>'
    ).format(width, height, label, Markup("").join(parts))


def _spots(result: ImpactResult, style: Style) -> tuple[dict[str, Spot], dict[int, int]]:
    """Return boxes by key, and how many each column left out."""
    found = {
        key: Spot(
            key=key,
            name=_short(_named(key)),
            place=key.partition("::")[0],
            column=0,
            row=row,
            kinds="changed",
            title=key,
        )
        for row, key in enumerate(result.changed[:_MOST_IN_COLUMN])
    }
    left = {0: max(len(result.changed) - _MOST_IN_COLUMN, 0)}
    by_column: dict[int, list[tuple[ReachedSymbol, bool]]] = defaultdict(list)
    of_tests = {file.path for file in result.test_files}
    for one in (*result.symbols, *result.tests):
        by_column[min(max(one.distance, 1), _FAR)].append((one, one.path in of_tests))
    for column, rows in by_column.items():
        rows.sort(key=lambda row: row[1])  # as the operation ranks them, tests below
        for row, (one, is_test) in enumerate(rows[:_MOST_IN_COLUMN]):
            key = f"{one.path}::{one.symbol}"
            kinds = f"{'test' if is_test else 'code'} tier{min(one.tier, 4)}"
            grades = [
                style.say(grade, _GRADES.get(grade, grade)) for grade in (one.certainty, one.risk)
            ]
            title = f"{key}: {100 * one.chance:.0f} %, {', '.join(grades)}" + (
                f" ({style.told(one.weakest)})" if one.weakest else ""
            )
            found[key] = Spot(
                key=key,
                name=_short(_named(key)),
                place=one.path,
                column=column,
                row=row,
                kinds=kinds,
                title=title,
            )
        left[column] = max(len(rows) - _MOST_IN_COLUMN, 0)
    return found, left


def _joined(result: ImpactResult, spots: dict[str, Spot]) -> list[tuple[str, str, int]]:
    """Return the last step of each way that leads to a box that is there, from what changes to what
    that reaches.
    """
    whole = {
        spot.place: key for key, spot in spots.items() if spot.column == 0 and key.endswith(_MODULE)
    }
    found = {}
    for one in (*result.symbols, *result.tests):
        key = f"{one.path}::{one.symbol}"
        steps = (
            edge.to if edge.to in spots else whole.get(edge.to.partition("::")[0], "")
            for edge in one.via
        )
        towards = next((step for step in steps if step and step != key), None)
        # A line over a column would run behind boxes that have nothing to do with it.
        if key in spots and towards is not None and spots[key].column - spots[towards].column == 1:
            found[towards, key] = max((edge.tier for edge in one.via), default=0)
    return [(a, b, tier) for (a, b), tier in found.items()]


def _line(one: Spot, other: Spot, tier: int) -> Markup:
    x1, x2 = _x(one.column) + _WIDTH, _x(other.column)
    y1, y2 = (_TOP + spot.row * (_HEIGHT + _SPACE) + _HEIGHT / 2 for spot in (one, other))
    middle = (x1 + x2) / 2
    path = f"M{x1},{y1:.0f} C{middle:.0f},{y1:.0f} {middle:.0f},{y2:.0f} {x2},{y2:.0f}"
    return Markup('<path class="way tier{}" d="{}"/>').format(min(tier, 4), path)


def _box(spot: Spot, link: Callable[[str], str]) -> Markup:
    x, y = _x(spot.column), _TOP + spot.row * (_HEIGHT + _SPACE)
    return Markup(
        '<a href="{}"><g class="spotbox {}"><title>{}</title><rect x="{}" y="{}" width="{}" '
        'height="{}" rx="8"/>'
        '<text x="{}" y="{}">{}</text><text class="place" x="{}" y="{}">{}</text></g></a>'
    ).format(
        link(spot.key),
        spot.kinds,
        spot.title,
        x,
        y,
        _WIDTH,
        _HEIGHT,
        x + 10,
        y + 19,
        spot.name,
        x + 10,
        y + 35,
        _end(spot.place),
    )


def _x(column: int) -> int:
    return 2 + column * (_WIDTH + _GAP)


def _in(spots: dict[str, Spot], column: int) -> int:
    return sum(spot.column == column for spot in spots.values())


def _named(key: str) -> str:
    path, _, name = key.partition("::")
    return path.rpartition("/")[2] if not name or name == _MODULE else name


def _short(shown: str) -> str:
    return shown if len(shown) <= _CHARS else f"…{shown[-_CHARS + 1 :]}"


def _end(path: str) -> str:
    return path if len(path) <= _CHARS + 6 else f"…{path[-_CHARS - 5 :]}"
