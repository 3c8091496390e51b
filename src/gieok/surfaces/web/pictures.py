"""Charts as SVG with text alternatives.

They have no style attributes, which the content security policy of the pages forbids.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

_WIDTH, _HEIGHT, _FOOT = 320, 80, 18


class Column(NamedTuple):
    """Column of a chart: label below, height, and exact value in words."""

    label: str
    value: float
    title: str
    href: str = ""


def draw_columns(rows: Sequence[Column], label: str, *, every: int = 5) -> Markup:
    """Return columns side by side; each `every`th column shows its label below."""
    most = max((row.value for row in rows), default=0) or 1
    step = _WIDTH / max(len(rows), 1)
    parts = [
        _draw_column(row, i, step, row.value / most, is_named=i % every == 0 and i < len(rows) - 1)
        for i, row in enumerate(rows)
    ]
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(_WIDTH, _HEIGHT + _FOOT, label, Markup("").join(parts))


def _draw_column(row: Column, place: int, step: float, share: float, *, is_named: bool) -> Markup:
    height = max(share * _HEIGHT, 2.0 if row.value else 0.0)
    left = place * step + step * 0.12
    drawn = Markup('<rect class="b0" x="{:.1f}" y="0" width="{:.1f}" height="{}"/>').format(
        left, step * 0.76, _HEIGHT
    )
    drawn += Markup(
        '<rect class="b1" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
    ).format(left, _HEIGHT - height, step * 0.76, height)
    if is_named:
        drawn += Markup(
            '<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>'
        ).format(left + step * 0.38, _HEIGHT + _FOOT - 4, row.label)
    return Markup("<g><title>{}</title>{}</g>").format(row.title, drawn)


def area(values: Sequence[float], titles: Sequence[str], label: str) -> Markup:
    """Return a curve over equal steps, filled down to zero, with a tooltip at each step."""
    most, last = max(values, default=0) or 1, max(len(values) - 1, 1)
    spots = [
        (n * _WIDTH / last, _HEIGHT - value / most * (_HEIGHT - 4))
        for n, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    step = _WIDTH / last
    hover = Markup("").join(
        Markup(
            '<rect class="clear" x="{:.1f}" y="0" width="{:.1f}" '
            'height="{}"><title>{}</title></rect>'
        ).format(x - step / 2, step, _HEIGHT, title)
        for (x, _), title in zip(spots, titles, strict=True)
    )
    return Markup(
        '<svg class="chart" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">'
        '<polygon class="under" points="0,{1} {3} {0},{1}"/>'
        '<polyline class="curve" points="{3}"/>{4}</svg>'
    ).format(_WIDTH, _HEIGHT, label, Markup(line), hover)  # noqa: S704 - numbers of our own


class Stack(NamedTuple):
    """Stacked column: the sizes of its parts from below, label below, and exact values in words."""

    label: str
    parts: tuple[float, ...]
    title: str


def stacks(rows: Sequence[Stack], label: str) -> Markup:
    """Return stacked columns; the parts have the classes p0, p1 and so on."""
    most = max((sum(row.parts) for row in rows), default=0) or 1
    step = _WIDTH / max(len(rows), 1)
    drawn = Markup("").join(
        _draw_stack(row, n * step, step, most, is_named=n % 3 == 1) for n, row in enumerate(rows)
    )
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(_WIDTH, _HEIGHT + _FOOT, label, drawn)


def _draw_stack(row: Stack, x: float, step: float, most: float, *, is_named: bool) -> Markup:
    parts, top = Markup(""), float(_HEIGHT)
    for number, part in enumerate(row.parts):
        height = part / most * _HEIGHT
        top -= height
        parts += Markup(
            '<rect class="p{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
        ).format(number, x + step * 0.12, top, step * 0.76, height)
    named = Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
        x + step / 2, _HEIGHT + _FOOT - 4, row.label
    )
    base = Markup('<rect class="clear" x="{:.1f}" y="0" width="{:.1f}" height="{}"/>').format(
        x, step, _HEIGHT
    )
    return Markup("<g><title>{}</title>{}{}{}</g>").format(
        row.title, base, parts, named if is_named else ""
    )


def draw_reliability(bins: Sequence[tuple[float, float, int]], label: str) -> Markup:
    """Return a reliability diagram.

    The stated probability runs across, the share that was right upwards. On the diagonal,
    statements were right exactly as often as stated.
    """
    side, edge = 200.0, 30.0
    most = max((count for *_, count in bins), default=1) or 1
    spots = Markup("").join(
        Markup(
            '<circle class="spot" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"><title>{:.0%} → {:.0%} '
            "({})</title></circle>"
        ).format(
            edge + claimed * side,
            10 + (1 - right) * side,
            4 + 8 * (count / most) ** 0.5,
            claimed,
            right,
            count,
        )
        for claimed, right, count in bins
    )
    ticks = Markup("").join(
        Markup(
            '<text class="tick" x="{:.0f}" y="{:.0f}" text-anchor="middle">{}</text>'
            '<text class="tick" x="{:.0f}" y="{:.0f}" text-anchor="end">{}</text>'
        ).format(
            edge + n / 100 * side, 10 + side + 16, n, edge - 5, 10 + (1 - n / 100) * side + 4, n
        )
        for n in (0, 50, 100)
    )
    return Markup(
        '<svg class="square" viewBox="0 0 250 232" role="img" aria-label="{}">'
        '<rect class="b0" x="{}" y="10" width="{}" height="{}"/>'
        '<line class="ideal" x1="{}" y1="{}" x2="{}" y2="10"/>{}{}</svg>'
    ).format(label, edge, side, side, edge, 10 + side, edge + side, ticks, spots)


def draw_shares(parts: Sequence[tuple[float, str]], whole: float, label: str) -> Markup:
    """Return the parts of a whole in one bar, each with its class; the remainder stays empty."""
    drawn, at = Markup('<rect class="b0" width="100" height="6"/>'), 0.0
    for size, name in parts:
        width = min(size / whole * 100 if whole else 0.0, 100 - at)
        drawn += Markup('<rect class="{}" x="{:.2f}" width="{:.2f}" height="6"/>').format(
            name, at, width
        )
        at += width
    return Markup(
        '<svg class="shares" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" '
        'aria-label="{}">{}</svg>'
    ).format(label, drawn)
