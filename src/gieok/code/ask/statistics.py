"""Counts over the graph: sizes, most used symbols, import depth."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from gieok.code.index.graph import IMPORTS, Certainty
from gieok.code.index.project import SCOPE, Project
from gieok.code.languages import places
from gieok.code.model.facts import FUNCTIONS, SymbolKind
from gieok.model.code import Edge, Symbol, key_path

_MOST = 10


class Statistics(NamedTuple):
    """Counts of a project."""

    files: int
    lines: int
    passages: int
    vectors: int
    languages: dict[str, int]
    statuses: dict[str, int]
    kinds: dict[str, int]
    edges: dict[str, int]
    tiers: dict[str, int]
    unresolved_calls: int
    markers: dict[str, int]
    deprecated: int
    #: (symbol, number of dependants), most first; tests, examples and documents are counted on
    #: neither side.
    central: tuple[tuple[str, int], ...]
    complex: tuple[tuple[str, int], ...]
    depth: int
    disk_bytes: int
    #: Executions under coverage: pairs of a test and a function, and how many of these pairs have
    #: an end that changed since or is gone.
    executions: dict[str, int]


def count_graph(project: Project) -> Statistics:
    """Count everything, in one pass over symbols and edges."""
    store = project.store
    files = store.files()
    symbols = list(store.all_symbols())
    edges, tiers = Counter[str](), Counter[str]()
    dependants: dict[str, set[str]] = defaultdict(set)
    imports: list[Edge] = []
    for edge in store.all_edges():
        edges[edge.kind] += 1
        if edge.kind == IMPORTS:
            imports.append(edge)
        else:
            tiers[Certainty(edge.tier).name.lower()] += 1
            dependants[edge.target].add(edge.source)
    aside = {s.key for s in symbols if is_aside(s)}
    own = [s for s in symbols if s.key not in aside]
    used = {s.key: len(dependants[s.key] - aside) for s in own}
    central = sort_by_count(row for row in used.items() if row[1])
    hard = sort_by_count((s.key, s.complexity) for s in own if s.kind in FUNCTIONS)
    stats = store.stats(SCOPE)
    return Statistics(
        files=len(files),
        lines=sum(s.end_line for s in symbols if s.kind == SymbolKind.MODULE),
        passages=stats.passages,
        vectors=stats.vectors,
        languages=_count_by_name(f.language for f in files.values()),
        statuses=_count_by_name(f.status for f in files.values()),
        kinds=_count_by_name(s.kind for s in symbols),
        edges=dict(sorted(edges.items())),
        tiers=dict(sorted(tiers.items())),
        unresolved_calls=store.count_unresolved_calls(),
        markers=_count_by_name(s.name for s in symbols if s.kind == SymbolKind.MARKER),
        deprecated=sum(1 for s in symbols if s.status == "deprecated"),
        central=tuple(central[:_MOST]),
        complex=tuple(hard[:_MOST]),
        depth=_measure_import_depth(imports),
        disk_bytes=stats.disk_bytes,
        executions=store.count_executions()._asdict(),
    )


def _count_by_name(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def sort_by_count(rows: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return (name, count) rows, the highest count first; of equal counts by name."""
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def is_aside(symbol: Symbol) -> bool:
    """Return whether a symbol belongs to tests, examples or documents."""
    return places.is_test_code(symbol.path, symbol.traits) or places.is_side(symbol.path)


def import_depth(project: Project) -> int:
    """Return the import depth of the project."""
    return _measure_import_depth(project.store.all_edges(IMPORTS))


def _measure_import_depth(edges: Iterable[Edge]) -> int:
    """Return the length of the longest import chain in modules; a cycle counts once."""
    imports: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        imports[key_path(edge.source)].add(key_path(edge.target))
    depths: dict[str, int] = {}
    for start in sorted(imports):
        stack = [(start, iter(sorted(imports[start])))]
        on_path = {start}
        best = {start: 1}
        while stack:
            node, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                on_path.discard(node)
                depths[node] = best[node]
                if stack:
                    best[stack[-1][0]] = max(best[stack[-1][0]], 1 + depths[node])
            elif child in depths:
                best[node] = max(best[node], 1 + depths[child])
            elif child not in on_path:
                on_path.add(child)
                best[child] = 1
                stack.append((child, iter(sorted(imports.get(child, ())))))
    return max(depths.values(), default=0)
