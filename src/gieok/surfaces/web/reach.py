"""The picture of a `code impact` result: what a change reaches.

There is a column for each distance, and tests have a mark of their own.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from markupsafe import Markup

from gieok.commands.code.impact import ImpactResult, ReachedSymbol
from gieok.commands.command import Style

_WIDTH, _GAP, _HEIGHT, _SPACE, _TOP = 204, 50, 44, 10, 30
_MOST_IN_COLUMN, _FAR, _CHARS = 12, 3, 24
_MODULE = "<module>"


class Spot(NamedTuple):
    """A box of the picture: the symbol or file that it names, its column and row, its kinds.

    `key` is the symbol to which the box links.
    """

    key: str
    name: str
    place: str
    column: int
    row: int
    kinds: str
    title: str


def draw_impact_reach(result: ImpactResult, style: Style, link: Callable[[str], str]) -> Markup:
    """Return the picture of an impact.

    `style` translates words for the reader; `link` returns the address of a symbol's own impact.
    """
    words = style.say
    spots, hidden = _place_reach_spots(result, style)
    rows = max((spot.row for spot in spots.values()), default=0) + 1 + any(hidden.values())
    columns = max((spot.column for spot in spots.values()), default=0) + 1
    width, height = columns * (_WIDTH + _GAP) - _GAP + 4, _TOP + rows * (_HEIGHT + _SPACE)
    heads = [
        words("changed"),
        words("one step away"),
        words("two steps"),
        words("farther"),
    ]
    parts = [
        Markup('<text class="head" x="{}" y="18">{}</text>').format(
            _locate_reach_column(n), heads[n]
        )
        for n in range(columns)
    ]
    parts += [
        _draw_reach_line(spots[a], spots[b], tier)
        for a, b, tier in _link_reach_spots(result, spots)
    ]
    parts += [_draw_reach_box(spot, link) for spot in spots.values()]
    parts += [
        Markup('<text class="place" x="{}" y="{}">{}</text>').format(
            _locate_reach_column(column) + 4,
            _TOP + _count_spots_in_column(spots, column) * (_HEIGHT + _SPACE) + 18,
            words("and {n} more", n=n),
        )
        for column, n in hidden.items()
        if n
    ]
    label = words("What the change reaches, by distance")
    return Markup(
        '<svg class="reach" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="group" '
        'aria-label="{2}">{3}</svg>'
    ).format(width, height, label, Markup("").join(parts))


def _place_reach_spots(
    result: ImpactResult, style: Style
) -> tuple[dict[str, Spot], dict[int, int]]:
    """Return the boxes by key, and how many boxes each column leaves out."""
    spots = {
        key: Spot(
            key=key,
            name=_shorten_spot_name(_find_spot_name(key)),
            place=key.partition("::")[0],
            column=0,
            row=row,
            kinds="changed",
            title=key,
        )
        for row, key in enumerate(result.changed[:_MOST_IN_COLUMN])
    }
    hidden = {0: max(len(result.changed) - _MOST_IN_COLUMN, 0)}
    by_column: dict[int, list[tuple[ReachedSymbol, bool]]] = defaultdict(list)
    of_tests = {file.path for file in result.test_files}
    for symbol in (*result.symbols, *result.test_code, *result.tests):
        by_column[min(max(symbol.distance, 1), _FAR)].append((symbol, symbol.path in of_tests))
    for column, rows in by_column.items():
        rows.sort(key=lambda row: row[1])  # as the operation ranks them, tests below
        for row, (symbol, is_test) in enumerate(rows[:_MOST_IN_COLUMN]):
            key = f"{symbol.path}::{symbol.symbol}"
            kinds = f"{'test' if is_test else 'code'} tier{min(symbol.tier, 4)}"
            grades = [
                style.say(grade, about="a grade") for grade in (symbol.certainty, symbol.risk)
            ]
            title = f"{key}: {100 * symbol.chance:.0f} %, {', '.join(grades)}" + (
                f" ({style.told(symbol.weakest)})" if symbol.weakest else ""
            )
            spots[key] = Spot(
                key=key,
                name=_shorten_spot_name(_find_spot_name(key)),
                place=symbol.path,
                column=column,
                row=row,
                kinds=kinds,
                title=title,
            )
        hidden[column] = max(len(rows) - _MOST_IN_COLUMN, 0)
    return spots, hidden


def _link_reach_spots(result: ImpactResult, spots: dict[str, Spot]) -> list[tuple[str, str, int]]:
    """Return the lines (from, to, tier) between boxes in neighbouring columns.

    A line is the last step of the path by which the change reaches the symbol, drawn from the side
    of the change.
    """
    whole = {
        spot.place: key for key, spot in spots.items() if spot.column == 0 and key.endswith(_MODULE)
    }
    tier_by_link = {}
    for symbol in (*result.symbols, *result.test_code, *result.tests):
        key = f"{symbol.path}::{symbol.symbol}"
        steps = (
            edge.to if edge.to in spots else whole.get(edge.to.partition("::")[0], "")
            for edge in symbol.via
        )
        towards = next((step for step in steps if step and step != key), None)
        # A line across a column would run behind unrelated boxes.
        if key in spots and towards is not None and spots[key].column - spots[towards].column == 1:
            tier_by_link[towards, key] = max((edge.tier for edge in symbol.via), default=0)
    return [(a, b, tier) for (a, b), tier in tier_by_link.items()]


def _draw_reach_line(one: Spot, other: Spot, tier: int) -> Markup:
    x1, x2 = _locate_reach_column(one.column) + _WIDTH, _locate_reach_column(other.column)
    y1, y2 = (_TOP + spot.row * (_HEIGHT + _SPACE) + _HEIGHT / 2 for spot in (one, other))
    middle = (x1 + x2) / 2
    path = f"M{x1},{y1:.0f} C{middle:.0f},{y1:.0f} {middle:.0f},{y2:.0f} {x2},{y2:.0f}"
    return Markup('<path class="way tier{}" d="{}"/>').format(min(tier, 4), path)


def _draw_reach_box(spot: Spot, link: Callable[[str], str]) -> Markup:
    x, y = _locate_reach_column(spot.column), _TOP + spot.row * (_HEIGHT + _SPACE)
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
        _shorten_spot_path(spot.place),
    )


def _locate_reach_column(column: int) -> int:
    return 2 + column * (_WIDTH + _GAP)


def _count_spots_in_column(spots: dict[str, Spot], column: int) -> int:
    return sum(spot.column == column for spot in spots.values())


def _find_spot_name(key: str) -> str:
    path, _, name = key.partition("::")
    return path.rpartition("/")[2] if not name or name == _MODULE else name


def _shorten_spot_name(shown: str) -> str:
    return shown if len(shown) <= _CHARS else f"…{shown[-_CHARS + 1 :]}"


def _shorten_spot_path(path: str) -> str:
    return path if len(path) <= _CHARS + 6 else f"…{path[-_CHARS - 5 :]}"
