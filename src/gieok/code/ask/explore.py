"""Explore several symbols at once: named and found symbols, and the paths between them.

A path is the shortest path of calls. Only where there is none, references, inheritance, calls with
several possible targets and the step from a method to its overrides are also followed. A path leads
through tests only where one of its ends is a test.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.ask import lookup
from gieok.code.ask.query import count_callers, is_code_like, search_symbols
from gieok.code.ask.spelling import SpellingIndex
from gieok.code.index.graph import CALLS, CONSTRUCTS, IMPORTS, INHERITS, Certainty
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind
from gieok.model.code import Edge, Symbol, key_path

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.ports.models import Embedder

_NAMESAKES, _JOINED = 3, 5
_LONGEST, _SHORT, _MOST_VISITED = 10, 3, 4_000


class ExploreCandidate(NamedTuple):
    """A symbol to show, with its most important lines as (first, last).

    These are the lines that match the question and the lines that lie on a path.
    """

    symbol: Symbol
    callers: int
    is_named: bool
    lines: tuple[tuple[int, int], ...] = ()
    #: Whether the symbol is an end between which paths are searched, or lies on such a path.
    is_joined: bool = False


class Explored(NamedTuple):
    """Candidates, best first; paths between the first of them; pairs of named symbols without
    one.
    """

    candidates: tuple[ExploreCandidate, ...]
    routes: tuple[tuple[Edge, ...], ...]
    apart: tuple[tuple[str, str], ...]
    degraded: str | None


def explore(
    project: Project, embedder: Embedder | None, text: str, limit: int, folder: Path | None = None
) -> Explored:
    """Return at most `limit` symbols that a text names or asks for, and the paths between them.

    A text that consists of names only is not searched for, unless it is one plain word; the symbols
    on the paths then fill the limit.
    """
    named, is_names = _find_mentioned_symbols(project, text, folder)
    rows = {symbol.key: ExploreCandidate(symbol, 0, is_named=True) for symbol in named}
    degraded = None
    if not is_names:
        result = search_symbols(project, embedder, text, limit, expand=False)
        degraded = result.degraded
        for answer in result.answers:
            lines = (
                ((answer.snippet_line, answer.snippet_line + answer.snippet.count("\n")),)
                if answer.snippet
                else ()
            )
            known = rows.get(
                answer.symbol.key, ExploreCandidate(answer.symbol, 0, answer.why == "name")
            )
            rows[answer.symbol.key] = known._replace(lines=lines)
    ranked = sorted(
        rows.values(), key=lambda row: (not row.is_named, places.is_test_file(row.symbol.path))
    )
    joined = [
        row.symbol for row in ranked if row.is_named or not places.is_test_file(row.symbol.path)
    ][:_JOINED]
    routes = paths(project.store, joined)
    if any(row.is_named for row in ranked):
        ends = (
            set().union(*(_find_member_keys(project.store, s) for s in named)) if named else set()
        )
        routes = [
            route
            for route in routes
            if not ends or route[0].source in ends or route[-1].target in ends
        ]
    chosen = _with_routes(project, ranked, routes, {s.key for s in joined})[:limit]
    count = count_callers(project, [row.symbol.key for row in chosen])
    apart = (
        tuple((a.key, b.key) for a, b in combinations(named[:_JOINED], 2))
        if is_names and not routes
        else ()
    )
    return Explored(
        tuple(row._replace(callers=count.get(row.symbol.key, 0)) for row in chosen),
        tuple(routes),
        apart,
        degraded,
    )


def _find_mentioned_symbols(
    project: Project, text: str, folder: Path | None
) -> tuple[list[Symbol], bool]:
    """Return the symbols that words of a text name, and whether every word names a symbol."""
    mentioned: dict[str, Symbol] = {}
    words = text.replace(",", " ").split()
    spellings = SpellingIndex(project)
    matches = {word: _match_word_symbols(project, word, folder, spellings) for word in words}
    is_names = all(matches.values())
    for word in words:
        if is_names or is_code_like(word):
            ranked = sorted(matches[word], key=lambda s: (places.is_test_file(s.path), s.key))
            mentioned |= {s.key: s for s in ranked[:_NAMESAKES]}
    return list(mentioned.values()), is_names and (len(words) > 1 or is_code_like(text))


def _match_word_symbols(
    project: Project, word: str, folder: Path | None, spellings: SpellingIndex
) -> list[Symbol]:
    """Return what a word names as it stands, or else without the signs of a sentence around it."""
    bare = word.strip("`'\"?().") or word
    found = lookup.matching(project, word, folder, spellings)
    return found or (lookup.matching(project, bare, folder, spellings) if bare != word else [])


def _with_routes(
    project: Project,
    ranked: Sequence[ExploreCandidate],
    routes: Iterable[Sequence[Edge]],
    joined: set[str],
) -> list[ExploreCandidate]:
    """Add the symbols on the paths behind the symbols that the paths join.

    Each added symbol gets the lines from which its path goes on.
    """
    sites: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for route in routes:
        for edge in route:
            sites[edge.source].append((edge.line, edge.line))
            sites[edge.target] += []
    known = {row.symbol.key for row in ranked}
    between = {s.key: s for s in project.store.symbols(keys=sorted(set(sites) - known))}
    first = [row._replace(is_joined=True) for row in ranked if row.symbol.key in joined]
    new = [
        ExploreCandidate(between[key], 0, is_named=False, is_joined=True)
        for key in sites
        if key in between
    ]
    rest = [row for row in ranked if row.symbol.key not in joined]
    return [
        row._replace(lines=(*row.lines, *sites.get(row.symbol.key, ())))
        for row in (*first, *new, *rest)
    ]


def paths(graph: "ProjectStore", symbols: Sequence[Symbol]) -> list[tuple[Edge, ...]]:
    """Return for each pair of symbols the shortest path between them, in either direction.

    A class stands for its methods. A path that passes through a third of the symbols is left out:
    the two parts of such a path are already returned.
    """
    groups = {s.key: _find_member_keys(graph, s) for s in symbols}
    out: list[tuple[Edge, ...]] = []
    forward = {
        key: _find_shortest_routes(graph, keys, groups, is_wide=False)
        for key, keys in groups.items()
    }
    for a, b in combinations(groups, 2):
        there, back = forward[a].get(b), forward[b].get(a)
        is_short = back is not None and len(back) <= _SHORT
        if not there and not is_short and not groups[a] & groups[b]:
            there = _find_shortest_routes(graph, groups[a], {b: groups[b]}, is_wide=True).get(b)
            back = back or _find_shortest_routes(
                graph, groups[b], {a: groups[a]}, is_wide=True
            ).get(a)
        nearer_route = _choose_nearer_route(there, back)
        others = set().union(*(keys for key, keys in groups.items() if key not in (a, b)))
        if nearer_route and not any(edge.target in others for edge in nearer_route[:-1]):
            out.append(nearer_route)
    return sorted(dict.fromkeys(out), key=lambda route: (len(route), route))


def _choose_nearer_route(
    there: tuple[Edge, ...] | None, back: tuple[Edge, ...] | None
) -> tuple[Edge, ...] | None:
    """Return the path in the order in which the symbols are named, or the reverse if much
    shorter.
    """
    if there and back:
        return back if 2 * len(back) <= len(there) else there
    return there or back


def _find_member_keys(graph: "ProjectStore", symbol: Symbol) -> set[str]:
    if symbol.kind != SymbolKind.CLASS:
        return {symbol.key}
    members = graph.symbols(paths=[symbol.path])
    return {symbol.key} | {m.key for m in members if m.key.startswith(f"{symbol.key}.")}


def _find_shortest_routes(
    graph: "ProjectStore", starts: set[str], groups: Mapping[str, set[str]], *, is_wide: bool
) -> dict[str, tuple[Edge, ...]]:
    """Return group → the shortest path from the starts into the group, found breadth first.

    Of several paths of that length the first in sort order is returned.
    """
    goals = {
        key: name for name, keys in groups.items() for key in sorted(keys) if key not in starts
    }
    first: dict[str, Edge] = {}
    visited, frontier = set(starts), sorted(starts)
    routes: dict[str, tuple[Edge, ...]] = {}
    for _ in range(_LONGEST):
        fresh: list[str] = []
        for edge in (
            *graph.edges_out_of(frontier),
            *(_find_override_edges(graph, frontier) if is_wide else ()),
        ):
            if edge.target in visited or not _may_lead_on(edge, is_wide=is_wide):
                continue
            if places.is_test_file(key_path(edge.target)) and edge.target not in goals:
                continue
            visited.add(edge.target)
            first[edge.target] = edge
            fresh.append(edge.target)
            if edge.target in goals:
                routes.setdefault(goals[edge.target], _trace_route_back(edge.target, first))
        if len(routes) == len(set(goals.values())) or not fresh or len(visited) > _MOST_VISITED:
            break
        frontier = sorted(fresh)
    return routes


def _find_override_edges(graph: "ProjectStore", keys: Sequence[str]) -> list[Edge]:
    """Return edges from methods to the methods that override them in subclasses."""
    methods = [s for s in graph.symbols(keys=keys) if s.kind == SymbolKind.METHOD]
    classes = {s.key.rpartition(".")[0] for s in methods}
    below: dict[str, set[str]] = {key: {key} for key in classes}
    frontier = sorted(classes)
    while frontier:
        fresh = set()
        for edge in graph.edges_into(frontier):
            if edge.kind == INHERITS:
                for inside in below.values():
                    if edge.target in inside and edge.source not in inside:
                        inside.add(edge.source)
                        fresh.add(edge.source)
        frontier = sorted(fresh)
    override_pairs = {
        (s, f"{lower}.{s.name}")
        for s in methods
        for lower in below[s.key.rpartition(".")[0]]
        if lower not in classes
    }
    there = {s.key for s in graph.symbols(keys=sorted({key for _, key in override_pairs}))}
    return sorted(
        Edge(
            source=s.key,
            target=key,
            kind="overridden",
            tier=Certainty.AMBIGUOUS,
            reason="overridden",
            line=s.start_line,
        )
        for s, key in override_pairs
        if key in there
    )


def _may_lead_on(edge: Edge, *, is_wide: bool) -> bool:
    if is_wide:
        return edge.kind != IMPORTS
    return edge.kind in (CALLS, CONSTRUCTS) and edge.tier <= Certainty.UNIQUE_NAME


def _trace_route_back(key: str, first: Mapping[str, Edge]) -> tuple[Edge, ...]:
    route: list[Edge] = []
    while key in first:
        route.append(first[key])
        key = first[key].source
    return tuple(reversed(route))
