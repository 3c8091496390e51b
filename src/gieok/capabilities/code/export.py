"""The project as a page that a person can read, and as a picture of which folders depend on which."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from html import escape

from gieok.capabilities.code import deeper, places, statistics, summary
from gieok.capabilities.code.facts import Kind
from gieok.capabilities.code.graph import IMPORTS
from gieok.capabilities.code.project import Project, freshness
from gieok.model import Symbol

_MOST_BOXES = 24
_MOST_IN_FILE = 12
_ARROW = (
    '<defs><marker id="a" markerWidth="7" markerHeight="7" refX="6" refY="3" orient="auto" markerUnits="userSpaceOnUse">'
    '<path d="M0,0 L6,3 L0,6" fill="none" stroke="#8a94a6"/></marker></defs>'
)
_WIDTH, _BOX, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 980, 190, 46, 40, 70, 30


def page(project: Project) -> str:
    """Return `intelligence.md`."""
    counted = statistics.count(project)
    state = freshness(project)
    lines = [f"# {project.root.name}", ""]
    commit = f" at commit `{state.commit[:12]}`" if state.commit else ""
    lines += [f"Indexed {state.indexed_at[:19]}{commit}; {len(state.dirty)} files differ on disk.", ""]
    for name, text in deeper.record(project).items():
        lines += [f"**{name.capitalize()}.** {text}", ""]
    lines += ["![architecture](graph.svg)", "", "## What depends on what", ""]
    lines += [
        f"- `{source}` → {', '.join(f'`{t}` ({n})' for t, n in targets)}" for source, targets in folder_edges(project)
    ]
    lines += ["", "## Most depended on", "", "| symbol | dependants |", "|---|---|"]
    lines += [f"| `{_cell(key)}` | {n} |" for key, n in counted.central]
    lines += ["", "## Most complex", "", "| function | branches |", "|---|---|"]
    lines += [f"| `{_cell(key)}` | {n} |" for key, n in counted.complex]
    lines += ["", "## Files", ""]
    told = {row.code_hash: row.text for row in project.store.summaries().values()}
    by_path: dict[str, list[Symbol]] = defaultdict(list)
    markers: list[Symbol] = []
    for symbol in project.store.all_symbols():
        by_path[symbol.path].append(symbol)
        markers += [symbol] if symbol.kind == Kind.MARKER else []
    for path, symbols in sorted(by_path.items()):
        if not places.is_test(path) and not places.is_side(path):
            lines += _file(path, symbols, told)
    if markers:
        lines += ["", "## Markers", ""]
        lines += [f"- {m.name} `{m.path}#L{m.start_line}` {m.signature}" for m in markers]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _file(path: str, symbols: list[Symbol], told: Mapping[str, str]) -> list[str]:
    """Return a file's lines; `told` is what a model said, by the hash of the code."""
    module = next((s for s in symbols if s.kind == Kind.MODULE), None)
    shown = [s for s in symbols if s.kind in (Kind.CLASS, Kind.FUNCTION) and "." not in s.key.partition("::")[2]]
    lines = [f"- `{path}`{_line(module, told) if module else ''}"]
    lines += [f"  - `{s.name}` (L{s.start_line}){_line(s, told)}" for s in shown[:_MOST_IN_FILE]]
    if len(shown) > _MOST_IN_FILE:
        lines.append(f"  - … {len(shown) - _MOST_IN_FILE} more")
    return lines


def _line(symbol: Symbol, told: Mapping[str, str]) -> str:
    text = told.get(symbol.code_hash) or (summary.first_sentence(symbol.doc) if symbol.doc else "")
    return f": {text}" if text else ""


def folders(project: Project) -> dict[str, str]:
    """Return path → the folder that stands for it in the picture: as deep as there are not too many."""
    paths = [
        p for p in project.store.files() if not places.is_test(p) and not places.is_side(p) and not p.endswith(".md")
    ]
    chosen = dict.fromkeys(paths, ".")
    for depth in range(1, 8):
        deeper_names = {path: _folder(path, depth) for path in paths}
        if len(set(deeper_names.values())) > _MOST_BOXES:
            break
        chosen = deeper_names
    return chosen


def _folder(path: str, depth: int) -> str:
    parts = path.split("/")
    return "/".join(parts[: min(depth, len(parts) - 1)]) or "."


def folder_edges(project: Project) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return folder → (folder it depends on, by how many edges), most first."""
    names = folders(project)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for edge in project.store.all_edges():
        source, target = names.get(edge.source.partition("::")[0]), names.get(edge.target.partition("::")[0])
        if source and target and source != target and edge.kind != IMPORTS:
            counts[source][target] += 1
    return [(source, sorted(c.items(), key=lambda row: (-row[1], row[0]))) for source, c in sorted(counts.items())]


def picture(project: Project) -> str:
    """Return an SVG: folders in layers, those that depend on others above them; the wider a line, the more edges."""
    edges = {source: dict(targets) for source, targets in folder_edges(project)}
    sizes = Counter(folders(project).values())
    layers = _layers(sorted(sizes), edges)
    place: dict[str, tuple[float, float]] = {}
    for row, names in enumerate(layers):
        step = _WIDTH / (len(names) + 1)
        for column, name in enumerate(names):
            place[name] = ((column + 1) * step, _MARGIN + row * (_HEIGHT + _GAP_Y))
    height = 2 * _MARGIN + len(layers) * (_HEIGHT + _GAP_Y) - _GAP_Y
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        _ARROW,
    ]
    out += [line for source in edges for line in _lines(source, edges[source], place)]
    out += [_box(name, place[name], sizes[name], _step_width(layers, name)) for name in sorted(place)]
    return "\n".join([*out, "</svg>"]) + "\n"


def _step_width(layers: list[list[str]], name: str) -> float:
    row = next(names for names in layers if name in names)
    return min(_BOX, _WIDTH / (len(row) + 1) - 8)


def _layers(names: list[str], edges: dict[str, dict[str, int]]) -> list[list[str]]:
    """Put each folder below those that depend on it; of two that depend on each other, by the greater number."""
    level = dict.fromkeys(names, 0)
    for _ in names:
        moved = False
        for source in names:
            for target, count in sorted(edges.get(source, {}).items()):
                if count > edges.get(target, {}).get(source, 0) and level[target] <= level[source] < len(names):
                    level[target] = level[source] + 1
                    moved = True
        if not moved:
            break
    rows = defaultdict(list)
    for name in names:
        rows[level[name]].append(name)
    per_row = max(1, _WIDTH // (_BOX + _GAP_X) + 2)
    return [row[i : i + per_row] for _, row in sorted(rows.items()) for i in range(0, len(row), per_row)]


def _lines(source: str, targets: dict[str, int], place: dict[str, tuple[float, float]]) -> list[str]:
    found = []
    for target, count in targets.items():
        (x1, y1), (x2, y2) = place[source], place[target]
        begin, end = (y1 + _HEIGHT, y2) if y2 > y1 else (y1, y2 + _HEIGHT) if y2 < y1 else (y1 + _HEIGHT, y2 + _HEIGHT)
        bend = (begin + end) / 2 + (30 if y1 == y2 else 0)
        width = min(4.0, 0.6 + count**0.5 / 5)
        found.append(
            f'<path d="M{x1:.0f},{begin:.0f} C{x1:.0f},{bend:.0f} {x2:.0f},{bend:.0f} {x2:.0f},{end:.0f}" fill="none" '
            f'stroke="#8a94a6" stroke-opacity=".55" stroke-width="{width:.1f}" marker-end="url(#a)">'
            f"<title>{escape(source)} → {escape(target)}: {count}</title></path>"
        )
    return found


def _box(name: str, place: tuple[float, float], files: int, width: float) -> str:
    x, y = place
    most = max(4, int(width / 7.5))
    shown = name if len(name) <= most else f"…{name[-most + 1 :]}"
    return (
        f'<g><title>{escape(name)}</title><rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width:.0f}" height="{_HEIGHT}" '
        f'rx="7" fill="#eef3fb" stroke="#4a6fa5"/><text x="{x:.0f}" y="{y + 20:.0f}" text-anchor="middle" fill="#1d2b45">'
        f'{escape(shown)}</text><text x="{x:.0f}" y="{y + 36:.0f}" text-anchor="middle" font-size="11" fill="#5b6b85">'
        f"{files}</text></g>"
    )
