"""Pictures of numbers as SVG, without style attributes: the pages' policy allows none. Each has a text alternative."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

_WIDTH, _HEIGHT, _FOOT = 320, 80, 18


class Column(NamedTuple):
    """A column of a chart: what stands below it, how high it is, and what it says exactly."""

    label: str
    value: float
    title: str
    href: str = ""


def columns(rows: Sequence[Column], label: str, *, every: int = 5) -> Markup:
    """Return columns side by side; each `every`th has its label below."""
    most = max((row.value for row in rows), default=0) or 1
    step = _WIDTH / max(len(rows), 1)
    parts = [
        _column(row, i, step, row.value / most, is_named=i % every == 0 and i < len(rows) - 1)
        for i, row in enumerate(rows)
    ]
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        _WIDTH, _HEIGHT + _FOOT, label, Markup("").join(parts)
    )


def _column(row: Column, place: int, step: float, share: float, *, is_named: bool) -> Markup:
    height = max(share * _HEIGHT, 2.0 if row.value else 0.0)
    left = place * step + step * 0.12
    drawn = Markup('<rect class="b0" x="{:.1f}" y="0" width="{:.1f}" height="{}"/>').format(left, step * 0.76, _HEIGHT)
    drawn += Markup('<rect class="b1" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        left, _HEIGHT - height, step * 0.76, height
    )
    if is_named:
        drawn += Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            left + step * 0.38, _HEIGHT + _FOOT - 4, row.label
        )
    return Markup("<g><title>{}</title>{}</g>").format(row.title, drawn)
