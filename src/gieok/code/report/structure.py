"""Structure of a project: parts, imports between parts, and layers.

Parts are folders, or files where there are few. Imports are used rather than calls, because a call
through an interface also connects parts that were written to know nothing of each other.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from posixpath import commonpath, dirname
from types import MappingProxyType
from typing import NamedTuple

from gieok.code.ask.statistics import sort_by_count
from gieok.code.index.graph import IMPORTS
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.code.languages.table import LANGUAGES
from gieok.code.model.facts import SymbolKind
from gieok.code.report.circles import circles, ring
from gieok.code.report.soft import ImportLineReader
from gieok.model.code import key_path

#: Upper limit of parts, so that the picture stays readable.
_MOST_PARTS = 32
#: A part with more than this share of the lines is split, as long as there is room.
_OPENED_SHARE = 0.25
#: A part with so few lines that is joined to nothing is an empty `__init__.py` or the like.
_NOTHING_LINES = 10
#: Languages that run nothing, and files that set up tools: they are no parts of the built project.
_NO_CODE = frozenset(
    ("manifest", *(language.name for language in LANGUAGES.values() if language.is_document))
)
_SETTINGS = re.compile(
    (
        r"(^|/)(setup\.py|conftest\.py|[\w.-]+\.config\.[cm]?[jt]s|(gulp|grunt)file\.[cm]?[jt]s"
        r"|Rakefile)$"
    ),
    re.IGNORECASE,
)

_Counts = Mapping[str, Mapping[str, int]]


class Component(NamedTuple):
    """A folder or file of the project.

    `tests` counts the test files that import something of it, `dependants` the parts that do.
    """

    name: str
    files: int
    lines: int
    tests: int
    dependants: int


class Circle(NamedTuple):
    """An import cycle of files: each is loaded before itself.

    `ring` is the shortest way round; it begins and ends with the same file.
    """

    files: int
    ring: tuple[str, ...]


class Structure(NamedTuple):
    """Parts in topological order, importing ones first, and the imports between them."""

    parts: tuple[Component, ...]
    #: importing part → imported part → number of imports of a file by a file (of a package, in Go).
    imports: dict[str, dict[str, int]]
    #: The folder that contains every part, which labels leave out. Ends in a slash, or is empty.
    prefix: str
    #: How many of the imports close no cycle: they run later, are for types alone, or stay inside
    #: one package.
    soft: _Counts = MappingProxyType({})
    #: How many of the imports are part of a cycle of files.
    ringed: _Counts = MappingProxyType({})
    #: The cycles of files, those of most files first; and for two parts, a cycle that leads from
    #: one part to the other.
    circles: tuple[Circle, ...] = ()
    ways: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType({})
    #: Path → its part, and the paths with their lines.
    part_of: Mapping[str, str] = MappingProxyType({})
    files: tuple[tuple[str, int], ...] = ()
    #: The files that import each other, as sorted pairs.
    joined: frozenset[tuple[str, str]] = frozenset()

    def hard(self, source: str, target: str) -> int:
        """Return how many imports of one part by another run while the importing file is loaded."""
        return _read_count(self.imports, source, target) - _read_count(self.soft, source, target)

    def label(self, name: str) -> str:
        """Return a part's name without the common prefix."""
        shown = name.removeprefix(self.prefix)
        return shown if shown != "*" else "/".join(name.split("/")[-2:])

    @property
    def place(self) -> dict[str, int]:
        """Return part → its place in the order."""
        return {part.name: number for number, part in enumerate(self.parts)}

    def against(self) -> list[tuple[str, str, int]]:
        """Return the imports (from, to, count) against the order that are part of a cycle of
        files.
        """
        return [row for row in self._back(partial(_read_count, self.ringed)) if row[2]]

    def mutual(self) -> list[tuple[str, str, int]]:
        """Return the imports against the order that run at load time and close no cycle of files.

        There the two parts import each other, but no file depends on itself.
        """
        return [
            row
            for row in self._back(self.hard)
            if row[2] and not _read_count(self.ringed, *row[:2])
        ]

    def aside(self) -> list[tuple[str, str, int]]:
        """Return the imports against the order of which none runs at load time."""
        return [
            row for row in self._back(partial(_read_count, self.soft)) if not self.hard(*row[:2])
        ]

    def _back(self, count: Callable[[str, str], int]) -> list[tuple[str, str, int]]:
        place = self.place
        back_imports = [
            (a, b, count(a, b))
            for a, row in self.imports.items()
            for b in row
            if place[a] > place[b]
        ]
        return sorted(back_imports, key=lambda row: (-row[2], row))


def _read_count(counts: _Counts, source: str, target: str) -> int:
    return counts.get(source, {}).get(target, 0)


class _Between:
    """Counter of the imports between parts, of the later ones, and of those in a cycle."""

    def __init__(self, project: Project, part_of: Mapping[str, str]) -> None:
        self.part_of = part_of
        self.imports: dict[str, Counter[str]] = defaultdict(Counter)
        self.soft: dict[str, Counter[str]] = defaultdict(Counter)
        self.ringed: dict[str, Counter[str]] = defaultdict(Counter)
        self.tested: dict[str, set[str]] = defaultdict(set)
        self.ways: dict[tuple[str, str], tuple[str, ...]] = {}
        self.joined = set[tuple[str, str]]()
        lines_of = defaultdict[tuple[str, str], list[int]](list)
        for edge in project.store.all_edges(IMPORTS):
            lines_of[_split_edge_paths(edge.source, edge.target)].append(edge.line)
        for source, target in lines_of:
            if target in part_of and places.is_test_file(source):
                self.tested[part_of[target]].add(source)
        own = [
            row
            for row in sorted(lines_of)
            if row[0] in part_of and row[1] in part_of and not _is_own_package(*row)
        ]
        soft = ImportLineReader(project).soft({row: lines_of[row] for row in own})
        self._count(own, soft)
        self.circles = self._circle([row for row in own if row not in soft])

    def _count(self, own: Sequence[tuple[str, str]], soft: Collection[tuple[str, str]]) -> None:
        seen = set[tuple[str, str]]()
        for source, target in own:
            self.joined.add((min(source, target), max(source, target)))
            importing, imported = self.part_of[source], self.part_of[target]
            # An import in Go names a package, which is every file of a folder: that counts once.
            once = (source, dirname(target) if target.endswith(".go") else target)
            if importing != imported and once not in seen:
                seen.add(once)
                self.imports[importing][imported] += 1
                self.soft[importing][imported] += (source, target) in soft

    def _circle(self, hard: Sequence[tuple[str, str]]) -> tuple[Circle, ...]:
        graph: dict[str, dict[str, int]] = defaultdict(dict)
        for source, target in hard:
            graph[source][target] = 1
        circle = circles(graph)
        rings: dict[str, tuple[str, ...]] = {}
        for source, target in hard:
            if source not in circle or circle[source] != circle.get(target):
                continue
            importing, imported = self.part_of[source], self.part_of[target]
            way = ring(graph, source, target)
            rings[circle[source]] = _choose_shorter(rings.get(circle[source], way), way)
            if importing != imported:
                self.ringed[importing][imported] += 1
                before = self.ways.get((importing, imported), way)
                self.ways[importing, imported] = _choose_shorter(before, way)
        size = Counter(circle.values())
        cycles = [Circle(size[first], way) for first, way in rings.items()]
        return tuple(sorted(cycles, key=lambda one: (-one.files, one.ring)))


def _choose_shorter(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return min(one, other, key=lambda way: (len(way), way))


def structure(project: Project) -> Structure:
    """Return the structure of the project without tests, examples, documents and settings."""
    lines = {s.path: s.end_line for s in project.store.all_symbols() if s.kind == SymbolKind.MODULE}
    sources = {
        path: lines.get(path, 0)
        for path, file in project.store.files().items()
        if file.language not in _NO_CODE
        and not (places.is_outside_product(path) or _SETTINGS.search(path))
    }
    part_of = split_into_parts(sources)
    between = _Between(project, part_of)
    rows = {name: dict(sort_by_count(row.items())) for name, row in sorted(between.imports.items())}
    files, size = Counter(part_of.values()), _sum_part_lines(part_of, sources)
    dependants = Counter(target for row in rows.values() for target in row)
    joined = {*rows, *dependants}
    shown = [name for name in sorted(files) if name in joined or size[name] > _NOTHING_LINES]
    components = (
        Component(
            name=name,
            files=files[name],
            lines=size[name],
            tests=len(between.tested[name]),
            dependants=dependants[name],
        )
        for name in _order_parts(shown, rows, between)
    )
    shared = commonpath([dirname(name) for name in files]) if files else ""
    return Structure(
        parts=tuple(components),
        imports=rows,
        prefix=f"{shared}/" if shared else "",
        soft=between.soft,
        ringed=between.ringed,
        circles=between.circles,
        ways=between.ways,
        part_of=part_of,
        files=tuple(sources.items()),
        joined=frozenset(between.joined),
    )


def _order_parts(names: Sequence[str], imports: _Counts, between: _Between) -> list[str]:
    """Return the parts in an order that few load-time imports run against.

    Of such orders, one is returned that fits all imports well.
    """
    soft = between.soft
    hard = {
        a: {b: n - soft[a][b] for b, n in row.items() if n > soft[a][b]}
        for a, row in imports.items()
    }
    return ordered(ordered(names, imports)[::-1], hard)


def _is_own_package(source: str, target: str) -> bool:
    """Return whether `target` is the `__init__.py` of a folder around `source`.

    Python executes that file before `source`, even without an import.
    """
    folder, _, name = target.rpartition("/")
    return (
        name in places.REEXPORTS and places.is_run_first(target) and source.startswith(f"{folder}/")
    )


def _split_edge_paths(source: str, target: str) -> tuple[str, str]:
    return key_path(source), key_path(target)


def split_into_parts(sources: Mapping[str, int]) -> dict[str, str]:
    """Return path → part; the largest folder is split further while the picture has room."""
    part_of = dict.fromkeys(sources, ".")
    closed: set[str] = set()
    while True:
        size = _sum_part_lines(part_of, sources)
        names = [
            n
            for n in sorted(size, key=lambda n: (-size[n], n))
            if n not in closed and n not in sources
        ]
        if not names or size[names[0]] < _OPENED_SHARE * sum(size.values()):
            return part_of
        opened = _open_part_folder(
            names[0], [path for path, name in part_of.items() if name == names[0]]
        )
        if len(size) - 1 + len(set(opened.values())) > _MOST_PARTS:
            opened = {
                path: name if name != path else f"{names[0]}/*" for path, name in opened.items()
            }
        inner = set(opened.values())
        if inner == {f"{names[0]}/*"} or len(size) - 1 + len(inner) > _MOST_PARTS:
            closed.add(names[0])
        else:
            part_of |= opened
            closed.add(f"{names[0]}/*")


def _sum_part_lines(part_of: Mapping[str, str], lines: Mapping[str, int]) -> Counter[str]:
    size = Counter[str]()
    for path, name in part_of.items():
        size[name] += lines[path]
    return size


def _open_part_folder(folder: str, paths: Sequence[str]) -> dict[str, str]:
    depth = 0 if folder == "." else folder.count("/") + 1
    return {path: "/".join(path.split("/")[: depth + 1]) for path in paths}


def ordered(names: Sequence[str], edges: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return names in an order that few edges run against. Source: Eades, Lin, Smyth 1993."""
    rest, first, last = dict.fromkeys(names), list[str](), list[str]()
    into: dict[str, dict[str, int]] = defaultdict(dict)
    for source, row in edges.items():
        for target, count in row.items():
            into[target][source] = count

    def weight(found: Mapping[str, int]) -> int:
        return sum(count for name, count in found.items() if name in rest)

    while rest:
        if name := next((n for n in rest if not weight(edges.get(n, {}))), None):
            last.append(name)
        else:
            name = max(
                rest,
                key=lambda n: (
                    not weight(into[n]),
                    weight(edges[n]) - weight(into[n]),
                    -len(into[n]),
                ),
            )
            first.append(name)
        del rest[name]
    return first + last[::-1]


def layers(found: Structure) -> list[list[str]]:
    """Return the parts in rows: each part is below all parts that import it.

    Imports against the order are not counted. A part that nothing imports is right above the first
    part that it imports; parts that are joined to nothing come last.
    """
    level: dict[str, int] = {}
    roots: list[str] = []
    for part in found.parts:
        above = [
            level[name] for name, row in found.imports.items() if part.name in row and name in level
        ]
        level[part.name] = 1 + max(above, default=-1)
        roots += [] if above else [part.name]
    place = found.place
    for name in roots:
        below = [
            level[target] for target in found.imports.get(name, {}) if place[target] > place[name]
        ]
        level[name] = min(below, default=len(found.parts) + 1) - 1
    rows: dict[int, list[str]] = defaultdict(list)
    for name, row in level.items():
        rows[row].append(name)
    return [rows[row] for row in sorted(rows)]


def needed(found: Structure) -> list[tuple[str, str, int]]:
    """Return the transitive reduction of the imports along the order.

    a–c is left out where a–b–c exists.
    """
    place = found.place
    below: dict[str, set[str]] = {}
    direct_imports: list[tuple[str, str, int]] = []
    for part in reversed(found.parts):
        targets = [t for t in found.imports.get(part.name, {}) if place[t] > place[part.name]]
        indirect = set().union(*(below[t] for t in targets))
        below[part.name] = indirect | set(targets)
        direct_imports += [
            (part.name, t, found.imports[part.name][t]) for t in targets if t not in indirect
        ]
    return sorted(direct_imports)
