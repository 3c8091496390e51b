"""Picture of the parts of a project as an SVG, for light and dark pages.

Importing parts are above imported ones.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from gieok.code.report.structure import Component, Structure, layers, needed
from gieok.text.messages import Words

_HEIGHT, _GAP_X, _GAP_Y, _MARGIN, _HEAD = 50, 22, 56, 24, 76
_NARROW, _WIDE, _CHARACTER, _PASSING = 140, 220, 7.4, 10
_MOST_IN_ROW = 7
#: Number of imports against the order that are drawn: where there are many, more lines tell
#: nothing.
_MOST_BACK = 6
_SWEEPS = 12
_COLOURS = 5
_STYLE = """<style>
text{font-family:system-ui,-apple-system,"Segoe UI","Noto Sans","Noto Sans CJK KR",sans-serif;
font-size:13px;fill:#1d2b45}
.s{font-size:11px;fill:#55637c}.t{font-size:16px;font-weight:600}.b{fill:#fff}
.p{stroke:#8794ad;stroke-width:1}.z{fill:#5b7fb8}
.l{fill:none;stroke:#76839b;stroke-opacity:.75}.h{fill:#76839b}
.x{fill:none;stroke:#d1592c;stroke-dasharray:5 3}.y{fill:#d1592c}
.m{fill:none;stroke:#76839b;stroke-dasharray:2 4}
.c0{fill:#eef2f9}.c1{fill:#e3f1ea}.c2{fill:#fbeee0}.c3{fill:#efe8fa}.c4{fill:#fdeaee}
@media(prefers-color-scheme:dark){text{fill:#e4e9f2}.s{fill:#a3aec2}.b{fill:#0d1117}
.p{stroke:#5d6b84}.z{fill:#7fa3dc}
.l{stroke:#94a1ba}.h{fill:#94a1ba}.x{stroke:#f08a5d}.y{fill:#f08a5d}.m{stroke:#94a1ba}
.c0{fill:#1b2434}.c1{fill:#16302a}.c2{fill:#35281a}.c3{fill:#2a2140}.c4{fill:#3a1f28}}
</style>"""


#: Puts a message into the language of the reader: a template, and its values by name.
Say = Callable[..., str]


class _Node(NamedTuple):
    """A box, or the point at which an import line crosses a row."""

    width: float
    name: str
    row: int


def svg(
    found: Structure,
    title: str,
    link: Callable[[str], str] | None = None,
    words: Say = Words.fill_english,
) -> str:
    """Return the picture; its lines are the transitive reduction of the imports.

    The page's table has all imports.

    With `link`, which gives a part's address, the picture is for the inside of a page: boxes link
    to that address, and the page has the styles, the title and the legend (`list_legend_lines`),
    which would not wrap in a picture. `words` chooses between English and Korean.
    """
    rows, lines = _laid_out(found)
    place = _arrange_columns(rows, lines)
    width = max([620.0, *(place[n] + n.width / 2 + _MARGIN for row in rows for n in row)])
    height = _HEAD + max(0, len(rows) * (_HEIGHT + _GAP_Y) - _GAP_Y) + _MARGIN
    boxes = {n.name: n for row in rows for n in row if n.width != _PASSING}
    most = max((part.lines for part in found.parts), default=1) or 1
    colours = _assign_part_colours(found)
    inside = f' class="map" role="group" aria-label="{escape(title)}"' if link else ""
    top = _HEAD - _MARGIN if link else 0
    size = f"{width:.0f} {height - top}"
    box = f'viewBox="0 {top} {size}" width="{width:.0f}" height="{height - top}"'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg"{inside} {box}>',
        "" if link else _STYLE,
        f"<defs>{_draw_arrow_head('a', 'h')}{_draw_arrow_head('r', 'y')}</defs>",
        f'<rect class="b" width="{width:.0f}" height="{height}"/>',
    ]
    if not link:
        out.append(f'<text class="t" x="{_MARGIN}" y="26">{escape(title)}</text>')
        out += [
            f'<text class="s" x="{_MARGIN}" y="{44 + 15 * n}">{escape(text)}</text>'
            for n, text in enumerate(list_legend_lines(found, words))
        ]
    out += [_draw_import_line(found, line, place) for line in lines]
    circles = [(row, "x", "r") for row in found.against()[:_MOST_BACK]]
    mutual = [(row, "m", "a") for row in found.mutual()[:_MOST_BACK]]
    out += [
        _draw_back_line(found, row, boxes, place, *shape) for row, *shape in (*mutual, *circles)
    ]
    for p in found.parts:
        drawn = _draw_part_box(
            found, p, boxes[p.name], place[boxes[p.name]], p.lines / most, colours[p.name], words
        )
        out.append(f'<a href="{escape(link(p.name))}">{drawn}</a>' if link else drawn)
    return "\n".join([*out, "</svg>"]) + "\n"


def _format_drawn_count(many: int) -> str:
    """Return the number of lines, after the number of drawn ones where fewer are drawn.

    Returns '' for no lines.
    """
    drawn = f"{_MOST_BACK}/" if many > _MOST_BACK else ""
    return f"({drawn}{many})" if many else ""


def list_legend_lines(found: Structure, words: Say) -> list[str]:
    """Return what the lines of the picture mean, and how many are left out."""
    lines = [words("↓ imports; the wider, the more; what follows from other lines is left out")]
    more = []
    if circles := _format_drawn_count(len(found.against())):
        more.append(words("red, dashed: part of a circle of files {circles}", circles=circles))
    if mutual := _format_drawn_count(len(found.mutual())):
        more.append(words("grey, dashed: upwards, no circle of files {mutual}", mutual=mutual))
    if aside := len(found.aside()):
        more.append(
            words(
                (
                    "left out: {aside} upwards for types alone, inside functions, or inside one "
                    "package"
                ),
                aside=aside,
            )
        )
    return [*lines, *(["; ".join(more)] if more else [])]


def _draw_arrow_head(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto" '
        f'markerUnits="userSpaceOnUse"><path class="{colour}" d="M0,0 L8,4 L0,8 z"/></marker>'
    )


class _ImportLine(NamedTuple):
    """Nodes that an import line passes, from the importing part down to the imported one."""

    nodes: tuple[_Node, ...]
    imports: int


def _laid_out(found: Structure) -> tuple[list[list[_Node]], list[_ImportLine]]:
    """Return the rows of boxes and of passing lines, and the lines."""
    names = [
        row[i : i + _MOST_IN_ROW] for row in layers(found) for i in range(0, len(row), _MOST_IN_ROW)
    ]
    rows = [
        [_Node(_compute_box_width(found.label(name)), name, number) for name in row]
        for number, row in enumerate(names)
    ]
    nodes = {node.name: node for row in rows for node in row}
    lines = []
    for source, target, count in needed(found):
        first, last = nodes[source], nodes[target]
        passed = [
            _Node(_PASSING, f"{source}\n{target}", number)
            for number in range(first.row + 1, last.row)
        ]
        for node in passed:
            rows[node.row].append(node)
        lines.append(_ImportLine((first, *passed, last), count))
    return rows, lines


def _arrange_columns(rows: list[list[_Node]], lines: Sequence[_ImportLine]) -> dict[_Node, float]:
    """Order the nodes of each row and give each a middle, near those of the nodes it is joined
    to.
    """
    above: dict[_Node, list[_Node]] = defaultdict(list)
    below: dict[_Node, list[_Node]] = defaultdict(list)
    for line in lines:
        for node, next_one in zip(line.nodes, line.nodes[1:], strict=False):
            below[node].append(next_one)
            above[next_one].append(node)
    place: dict[_Node, float] = {}
    for row in rows:
        _pack_row(row, place, dict.fromkeys(row, 0.0))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            joined = above if sweep % 2 == 0 else below
            wish = {
                n: _compute_mean_place([place[o] for o in joined[n]] or [place[n]]) for n in row
            }
            row.sort(key=lambda n: (wish[n], n.name))
            _pack_row(row, place, wish)
    middle = _compute_mean_place([place[n] for n in (above | below)])
    for row in rows:
        _pack_row(
            row,
            place,
            {
                n: _compute_mean_place([place[o] for o in above[n] + below[n]] or [middle])
                for n in row
            },
        )
    left = min((place[n] - n.width / 2 for row in rows for n in row), default=0.0)
    return {n: x - left + _MARGIN for n, x in place.items()}


def _pack_row(row: Sequence[_Node], place: dict[_Node, float], wish: Mapping[_Node, float]) -> None:
    """Place the boxes of a row in order, without overlap.

    Each box is as near as possible to its wanted position.
    """
    edge = float("-inf")
    for node in row:
        place[node] = max(wish[node], edge + node.width / 2)
        edge = place[node] + node.width / 2 + _GAP_X
    shift = _compute_mean_place([wish[n] - place[n] for n in row])
    for node in row:
        place[node] += shift


def _compute_mean_place(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _compute_row_top(row: int) -> int:
    return _HEAD + row * (_HEIGHT + _GAP_Y)


def _draw_import_line(found: Structure, line: _ImportLine, place: Mapping[_Node, float]) -> str:
    path, y = [f"M{place[line.nodes[0]]:.0f},{_compute_row_top(line.nodes[0].row) + _HEIGHT}"], 0
    for node, other in zip(line.nodes, line.nodes[1:], strict=False):
        y, end = _compute_row_top(node.row) + _HEIGHT, _compute_row_top(other.row)
        middle = (y + end) / 2
        path.append(
            f"C{place[node]:.0f},{middle:.0f} {place[other]:.0f},{middle:.0f} "
            f"{place[other]:.0f},{end}"
        )
        if other is not line.nodes[-1]:
            path.append(f"V{end + _HEIGHT}")
    names = (
        f"{found.label(line.nodes[0].name)} → {found.label(line.nodes[-1].name)}: {line.imports}"
    )
    return (
        f'<path class="l" d="{" ".join(path)}" '
        f'stroke-width="{_compute_stroke_width(line.imports)}" '
        'marker-end="url(#a)">'
        f"<title>{escape(names)}</title></path>"
    )


def _draw_back_line(
    found: Structure,
    row: tuple[str, str, int],
    boxes: Mapping[str, _Node],
    place: Mapping[_Node, float],
    shape: str,
    head: str,
) -> str:
    source, target, count = row
    box, other = boxes[source], boxes[target]
    y1, y2 = _compute_row_top(box.row) + _HEIGHT / 2, _compute_row_top(other.row) + _HEIGHT / 2
    apart = place[other] - place[box]
    side = 1 if apart > 0 else -1
    if abs(apart) > (box.width + other.width) / 2:  # from side to facing side
        x1, x2 = place[box] + side * box.width / 2, place[other] - side * other.width / 2
        bend = (x1 + x2) / 2
    else:
        x1, x2 = place[box] + box.width / 2, place[other] + other.width / 2
        bend = max(x1, x2) + _GAP_X
    way = (
        " → ".join(found.label(file) for file in found.ways.get((source, target), ()))
        if shape == "x"
        else ""
    )
    title = f"{found.label(source)} → {found.label(target)}: {count}" + (f" ({way})" if way else "")
    return (
        f'<path class="{shape}" d="M{x1:.0f},{y1:.0f} C{bend:.0f},{y1:.0f} '
        f'{bend:.0f},{y2:.0f} {x2:.0f},{y2:.0f}" '
        f'stroke-width="{_compute_stroke_width(count)}" '
        f'marker-end="url(#{head})"><title>{escape(title)}</title></path>'
    )


def _compute_stroke_width(count: int) -> str:
    return f"{min(4.0, 0.8 + count**0.5 / 3):.1f}"


def _draw_part_box(
    found: Structure,
    part: Component,
    node: _Node,
    x: float,
    share: float,
    colour: int,
    words: Say,
) -> str:
    left, y, width = x - node.width / 2, _compute_row_top(node.row), node.width
    counted = words("{lines:,} lines", lines=part.lines)
    if part.files > 1:
        counted = words("{files} files · {counted}", files=part.files, counted=counted)
    title = f"{part.name}: {counted}, " + words(
        "imported by {dependants} parts and {tests} test files",
        dependants=part.dependants,
        tests=part.tests,
    )
    return (
        f'<g><title>{escape(title)}</title><rect class="p c{colour}" x="{left:.0f}" y="{y}" '
        f'width="{width:.0f}" '
        f'height="{_HEIGHT}" rx="6"/><rect class="z" x="{left + 8:.0f}" y="{y + _HEIGHT - 7}" '
        f'width="{max(2.0, share * (width - 16)):.0f}" height="3" rx="1.5"/>'
        f'<text x="{x:.0f}" y="{y + 19}" '
        f'text-anchor="middle">{escape(_clip_box_label(found.label(part.name)))}</text>'
        f'<text class="s" x="{x:.0f}" y="{y + 35}" text-anchor="middle">{counted}</text></g>'
    )


def _assign_part_colours(found: Structure) -> dict[str, int]:
    """Give the parts of one folder one colour, where the folder has several parts."""
    folders: dict[str, list[str]] = defaultdict(list)
    for part in found.parts:
        folders[found.label(part.name).rpartition("/")[0]].append(part.name)
    grouped = [names for folder, names in sorted(folders.items()) if folder and len(names) > 1]
    number = {name: 1 + i % (_COLOURS - 1) for i, names in enumerate(grouped) for name in names}
    return {part.name: number.get(part.name, 0) for part in found.parts}


def _columns_of(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _compute_box_width(label: str) -> float:
    return min(_WIDE, max(_NARROW, _columns_of(label) * _CHARACTER + 20))


def _clip_box_label(label: str) -> str:
    """Return the end of a label that is too long for the widest box."""
    shown = label
    while _columns_of(shown) * _CHARACTER + 20 > _WIDE:
        shown = "…" + shown.lstrip("…")[1:]
    return shown
