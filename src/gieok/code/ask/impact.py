"""Impact of a change: every symbol that reaches it, with the chance that a run executes it.

Depth is not cut: precision was measured to be flat in it (.42 at one step, .53 at four, .47 without
limit). Results are ranked by the chance of their paths to the change (`likelihood`); tests also by
further evidence (`evidence`). Files that only import the change come last: no affected file is
missed among them, but most of them are fine.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from gieok.code.ask import likelihood
from gieok.code.ask.evidence import ChangeEvidence, Tests, singular
from gieok.code.ask.likelihood import Net, Sources, Way
from gieok.code.index.graph import GIVEN_BODY, IMPORTS, INHERITS, Certainty
from gieok.code.languages import places
from gieok.code.model.facts import FUNCTIONS, SymbolKind, Trait
from gieok.model.code import Edge, Symbol, UnresolvedCall, key_path, module_key
from gieok.ports.code import Edges
from gieok.ranking.learned import impact as learned

#: The order of tiers for a reader: certain, likely, possible.
CERTAINTY: dict[int, str] = {
    Certainty.OBSERVED: "certain",
    Certainty.RESOLVED: "certain",
    Certainty.UNIQUE_NAME: "likely",
    Certainty.AMBIGUOUS: "possible",
    Certainty.IMPORT: "possible",
}
#: Lowest chance of each risk word.
_RISKS = (("high", 0.5), ("medium", 0.2), ("low", 0.0))
_LONGEST_PATH = 12
#: How much more recall counts than precision; and the chance below which a test is never to be run.
_RECALL, _UNLIKELY = 1.3, 0.03
#: What a test adds to the rank of its file, beside the test's chance, in a folder named after the
#: module: `models/test_url.py` for `_models.py`.
_BESIDE = 0.5
#: Factor on the chance of a test that was seen not to run the change.
_NOT_SEEN = 0.05


class Network:
    """Edges held in memory."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._into: dict[str, list[Edge]] = defaultdict(list)
        self._out: dict[str, list[Edge]] = defaultdict(list)
        for edge in edges:
            self._into[edge.target].append(edge)
            self._out[edge.source].append(edge)

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""
        return sorted(edge for key in dict.fromkeys(keys) for edge in self._into.get(key, ()))

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that begin in these symbols, sorted."""
        return sorted(edge for key in dict.fromkeys(keys) for edge in self._out.get(key, ()))


class Reached(NamedTuple):
    """A symbol that depends on the change.

    `via` leads from the symbol to the change; `tier` is the tier of the weakest edge on that path.

    `chance` is the probability that a run of the symbol executes the changed code. `doubt` says why
    the chance is less than that of the path.
    """

    key: str
    distance: int
    tier: int
    via: tuple[Edge, ...]
    doubt: str = ""
    chance: float = 0.0

    @property
    def risk(self) -> str:
        """Return the risk of breakage: high, medium or low."""
        return risk_of(self.chance)


class FileReach(NamedTuple):
    """A file, rated by the likeliest reached symbol in it.

    A file that only imports the change has its distance in imports, and no chance.
    """

    path: str
    distance: int
    tier: int
    symbols: int
    chance: float = 0.0

    @property
    def risk(self) -> str:
        """Return the risk of the file's riskiest symbol."""
        return risk_of(self.chance)


class Impact(NamedTuple):
    """Symbols, files and tests that a change reaches, the likeliest first.

    `tests` are symbols; `test_files` ranks their files, with those that only import the change
    last.

    The first `run` of the tests are worth running; they hold the share `held` of the probability of
    all tests.
    """

    symbols: tuple[Reached, ...]
    files: tuple[FileReach, ...]
    tests: tuple[Reached, ...]
    test_files: tuple[FileReach, ...]
    unresolved_calls: tuple[UnresolvedCall, ...]
    run: int = 0
    held: float = 0.0


def risk_of(chance: float) -> str:
    """Return the risk word for a chance that a symbol executes the change."""
    return next(risk for risk, least in _RISKS if chance >= least)


def worth_running(chances: Sequence[float]) -> int:
    """Return how many of the tests, likeliest first, are worth running.

    The number has the best expected F-measure, with recall weighed 1.3 times. As many tests as hold
    nine tenths of the probability would be three times the tests for a sixth more of the findings.
    """
    whole, sum_, best, many = sum(chances), 0.0, 0.0, 0
    for number, chance in enumerate(chances, 1):
        sum_ += chance
        gain = sum_ / (number + _RECALL**2 * whole)
        if gain > best and chance >= _UNLIKELY:
            best, many = gain, number
    return many


def around(edges: Edges, seeds: Iterable[str]) -> list[Edge]:
    """Return all edges on the paths to the seeds: calls, references and inheritance."""
    known = set(seeds)
    frontier, path_edges = sorted(known), []
    while frontier:
        fresh = [edge for edge in edges.edges_into(frontier) if edge.kind != IMPORTS]
        path_edges += fresh
        frontier = sorted({edge.source for edge in fresh} - known)
        known.update(frontier)
    return path_edges


def drop_other_bodies(edges: Edges, into: Sequence[Edge], seeds: Collection[str]) -> list[Edge]:
    """Return the edges without the calls of wrappers that run another body than the changed one.

    `save = guarded(async () => …)` calls `guarded`, which calls every body that anybody gives it.
    A way from `load` through `guarded` into the body of `save` is none: each gives its own. Nor is
    one from the line that calls `load()`, and by it what `guarded` returned.
    """
    others = {edge.source for edge in into if edge.reason != GIVEN_BODY}
    wrappers = {edge.source for edge in into if edge.reason == GIVEN_BODY}
    wrappers = wrappers.difference(others, seeds)
    if not wrappers:
        return list(into)
    given = {
        (edge.source, edge.target)
        for edge in edges.edges_out_of(sorted(wrappers))
        if edge.reason == GIVEN_BODY
    }
    callers = sorted({edge.source for edge in into if edge.target in wrappers})
    named: dict[tuple[str, int], set[str]] = defaultdict(set)
    for edge in edges.edges_out_of(callers):
        named[edge.source, edge.line].add(edge.target)
    return [
        edge
        for edge in into
        if edge.target not in wrappers
        or not any(
            (edge.target, body) in given for body in (edge.source, *named[edge.source, edge.line])
        )
    ]


def net_of(
    edges: Edges, into: Sequence[Edge], symbols: Mapping[str, Symbol], sources: Sources
) -> Net:
    """Return a network of weighed edges; `symbols` has at least the sources of these edges."""
    out = edges.edges_out_of(sorted({edge.source for edge in into}))
    return Net(likelihood.build_chance_links(into, out, symbols, sources))


def family(
    edges: Edges, methods: Sequence[Symbol], exist: Callable[[Sequence[str]], Collection[str]]
) -> list[str]:
    """Return the classes whose objects have these methods.

    These are the methods' own classes, and their subclasses that do not override the methods.
    """
    classes: set[str] = set()
    for method in methods:
        frontier = [method.key.rpartition(".")[0]]
        while frontier:
            classes.update(frontier)
            below = {e.source for e in edges.edges_into(frontier) if e.kind == INHERITS} - classes
            own = exist([f"{key}.{method.name}" for key in sorted(below)])
            frontier = sorted(key for key in below if f"{key}.{method.name}" not in own)
    return sorted(classes)


def methods_alone(seeds: Sequence[Symbol]) -> list[Symbol]:
    """Return the seeds where all of them are methods; an empty list otherwise.

    Only then does the making of objects of their classes tell something.
    """
    is_all = all(s.kind == SymbolKind.METHOD for s in seeds)
    return [*seeds] if is_all else []


def is_orphan(ways: Mapping[str, Way], symbols: Mapping[str, Symbol]) -> bool:
    """Return whether no test is known to reach a change."""
    return not any(key in symbols and is_runnable_test(symbols[key]) for key in ways)


def rank_reached_symbols(ways: Mapping[str, Way]) -> dict[str, Reached]:
    """Return every symbol that reaches the change by these ways, with its likeliest way."""
    tiers = {key: _rate_edge_tier(way.edge) for key, way in ways.items() if way.edge is not None}
    return {key: _build_reached_row(key, ways, tiers) for key, way in ways.items() if way.distance}


def _build_reached_row(key: str, ways: Mapping[str, Way], tiers: Mapping[str, int]) -> Reached:
    way, path, at, tier = ways[key], list[Edge](), key, 0
    while (edge := ways[at].edge) is not None and len(path) < _LONGEST_PATH:
        path.append(edge)
        tier = max(tier, tiers[at])
        at = edge.target
    return Reached(
        key=key, distance=way.distance, tier=tier, via=tuple(path), doubt="", chance=way.joint
    )


def _rate_edge_tier(edge: Edge) -> int:
    """Return how certainly the source of an edge breaks with its target.

    Code that calls a callback handed in by a test hardly breaks with the callback.
    """
    return max(edge.tier, Certainty.AMBIGUOUS) if likelihood.is_given(edge) else edge.tier


def find_direct_importers(edges: Edges, paths: Sequence[str]) -> set[str]:
    """Return the files that import one of `paths` themselves."""
    modules = [module_key(path) for path in paths]
    return {key_path(edge.source) for edge in edges.edges_into(modules) if edge.kind == IMPORTS}


def importers(edges: Edges, paths: Sequence[str], known: Iterable[str]) -> dict[str, int]:
    """Return every file that imports one of `paths`, directly or not, with the number of steps.

    No importing file is missed. Some files are executed before all files below their folder
    (`__init__.py`, `conftest.py`).
    """
    files = sorted(known)
    distance = dict.fromkeys(paths, 0)
    frontier = list(paths)
    steps = 0
    while frontier:
        steps += 1
        fresh: list[str] = []
        reached = find_direct_importers(edges, frontier)
        for path in frontier:
            if places.is_run_first(path):
                folder = path[: path.rfind("/") + 1]
                reached |= {f for f in files if f.startswith(folder)}
        for path in sorted(reached):
            if path not in distance:
                distance[path] = steps
                fresh.append(path)
        frontier = fresh
    return {path: far for path, far in distance.items() if far}


def is_runnable_test(symbol: Symbol) -> bool:
    """Say whether a symbol is a test that can be run."""
    return (
        Trait.TEST in symbol.traits.split()
        and symbol.kind in FUNCTIONS
        and places.is_test_code(symbol.path, symbol.traits)
    )


def judge_tests(
    found: Mapping[str, Reached],
    tests: Tests,
    change: ChangeEvidence,
    seen: Collection[str],
    unlikely: Mapping[str, str],
) -> list[Reached]:
    """Return the tests, ranked by how likely they run the change.

    Tests without a known path to the change are included where they may run it all the same.

    The tests in `seen` ran the change under coverage; those in `unlikely` were seen not to run it,
    each with a sentence that says so.
    """
    rows = []
    for key, features in tests.features(change).items():
        row = found.get(key) or Reached(key, 0, Certainty.IMPORT, ())
        chance = learned.probability("test", features)
        if key in seen:
            chance = likelihood.SEEN[row.tier]
        elif key in unlikely:
            row, chance = (
                row._replace(doubt=unlikely[key], tier=max(row.tier, Certainty.AMBIGUOUS)),
                chance * _NOT_SEEN,
            )
        rows.append(row._replace(chance=chance))
    return sorted(rows, key=_rank_by_chance)


def _rank_by_chance(row: Reached) -> tuple[float, int, int, str]:
    return -row.chance, row.tier, row.distance, row.key


def summarise_impact(
    seeds: Sequence[str],
    found: Mapping[str, Reached],
    tests: Sequence[Reached],
    imported: Mapping[str, int],
    unresolved_calls: Sequence[UnresolvedCall],
) -> Impact:
    """Group the reached symbols into symbols, files and tests.

    `tests` is ranked; a test without a path is kept only where it is worth running.
    """
    run = worth_running([test.chance for test in tests])
    shown = [*tests[:run], *(test for test in tests[run:] if test.via)]
    keys = {test.key for test in tests}
    others = sorted((r for r in found.values() if r.key not in keys), key=_rank_by_chance)
    whole = sum(test.chance for test in tests)
    stems = {singular(places.find_module_stem(key_path(seed))) for seed in seeds}
    return Impact(
        symbols=tuple(others),
        files=tuple(
            f
            for f in _rank_reached_files(others, imported, set())
            if not places.is_test_file(f.path)
        ),
        tests=tuple(shown),
        test_files=tuple(
            f for f in _rank_reached_files(tests, imported, stems) if places.is_test_file(f.path)
        ),
        unresolved_calls=tuple(unresolved_calls),
        run=run,
        held=sum(test.chance for test in tests[:run]) / whole if whole else 0.0,
    )


def _rank_reached_files(
    reached: Sequence[Reached], imported: Mapping[str, int], stems: set[str]
) -> list[FileReach]:
    """Rank files by how many of their symbols are expected to execute the change.

    Tests named after the changed module come first.
    """
    by_path: dict[str, list[Reached]] = defaultdict(list)
    for symbol in reached:
        by_path[key_path(symbol.key)].append(symbol)
    rows = []
    for path in sorted({*by_path, *imported}):
        inside = by_path.get(path, [])
        known = [symbol for symbol in inside if symbol.via]
        best = min(known, key=lambda r: (r.tier, r.distance), default=None)
        row = FileReach(
            path=path,
            distance=best.distance if best else imported.get(path, 0),
            tier=best.tier if best else Certainty.IMPORT,
            symbols=len(known),
            chance=max((r.chance for r in inside), default=0.0),
        )
        helps = places.is_test_file(path) and places.is_helper(path)
        least = (
            _BESIDE if not stems.isdisjoint(map(singular, path.lower().split("/")[:-1])) else 0.0
        )
        named = not helps and singular(places.tested_stem(path)) in stems
        rows.append(
            (
                not named,
                helps,
                -sum(symbol.chance + least for symbol in inside),
                row.tier,
                row.distance,
                path,
                row,
            )
        )
    return [row for *_, row in sorted(rows)]
