"""What may break: everything from which a change can be reached, each with how likely a run of it
runs what changed.

Depth is not cut: precision was measured to be flat in it (.42 at one step, .53 at four, .47 without
limit). What ranks is the chance of the ways there (`likelihood`); of a test also what else speaks
for it (`evidence`). Files that only import the change
come last: nothing is missed there, but most of them are fine.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from gieok.code.ask import likelihood
from gieok.code.ask.evidence import ChangeEvidence, Tests, singular
from gieok.code.ask.likelihood import Net, Sources, Way
from gieok.code.index.graph import IMPORTS, INHERITS, Certainty
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind, Trait
from gieok.model.code import Edge, Symbol, UnresolvedCall
from gieok.ports.code import Edges
from gieok.ranking.learned import impact as learned

#: The tiers in which a reader should read: certain, likely, possible.
CERTAINTY: dict[int, str] = {
    Certainty.OBSERVED: "certain",
    Certainty.RESOLVED: "certain",
    Certainty.UNIQUE_NAME: "likely",
    Certainty.AMBIGUOUS: "possible",
    Certainty.IMPORT: "possible",
}
#: Risks by the least chance that each begins with.
_RISKS = (("high", 0.5), ("medium", 0.2), ("low", 0.0))
_LONGEST_PATH = 12
#: How much finding a test that runs the change counts beside not running one in vain; less likely
#: ones are never to be run.
_RECALL, _UNLIKELY = 1.3, 0.03
#: What a test counts for its file beside its chance in a folder named after the module:
#: `models/test_url.py` for `_models.py`.
_BESIDE = 0.5
#: What is left of the chance of a test that was seen not to run the change.
_NOT_SEEN = 0.05
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)


class Network:
    """Edges in memory."""

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
    """A symbol that depends on the change. `via` leads from it to the change; `tier` is that of the
    weakest edge.

    `chance` is the probability that a run of it runs what changed. `doubt` says why it is less than
    that of its way.
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
    """A file with the best of what is reached in it; one that only imports has distance in imports,
    and no chance.
    """

    path: str
    distance: int
    tier: int
    symbols: int
    chance: float = 0.0

    @property
    def risk(self) -> str:
        """Return the risk of its riskiest symbol."""
        return risk_of(self.chance)


class Impact(NamedTuple):
    """What a change reaches, the likeliest first. `tests` are symbols; `test_files` ranks their
    files, importing ones last.

    The first `run` of the tests are worth running; they hold `held` of all that is likely.
    """

    symbols: tuple[Reached, ...]
    files: tuple[FileReach, ...]
    tests: tuple[Reached, ...]
    test_files: tuple[FileReach, ...]
    unresolved_calls: tuple[UnresolvedCall, ...]
    run: int = 0
    held: float = 0.0


def risk_of(chance: float) -> str:
    """Return how risky it is that something runs what changed by a probability."""
    return next(risk for risk, least in _RISKS if chance >= least)


def worth_running(chances: Sequence[float]) -> int:
    """Return how many of the tests, likeliest first, to run: as many as are expected to do best
    where finding counts for more.

    That is the F-measure with recall weighed 1.3 times. As many as hold nine tenths of the
    probability would be three times the tests for a sixth more of what is found.
    """
    whole, sum_, best, many = sum(chances), 0.0, 0.0, 0
    for number, chance in enumerate(chances, 1):
        sum_ += chance
        gain = sum_ / (number + _RECALL**2 * whole)
        if gain > best and chance >= _UNLIKELY:
            best, many = gain, number
    return many


def around(edges: Edges, seeds: Iterable[str]) -> list[Edge]:
    """Return all edges on the ways to the seeds, by calls, references and inheritance."""
    known = set(seeds)
    frontier, found = sorted(known), []
    while frontier:
        fresh = [edge for edge in edges.edges_into(frontier) if edge.kind != IMPORTS]
        found += fresh
        frontier = sorted({edge.source for edge in fresh} - known)
        known.update(frontier)
    return found


def net_of(
    edges: Edges, into: Sequence[Edge], symbols: Mapping[str, Symbol], sources: Sources
) -> Net:
    """Return edges weighed; `symbols` has at least the sources of these."""
    out = edges.edges_out_of(sorted({edge.source for edge in into}))
    return Net(likelihood.build_chance_links(into, out, symbols, sources))


def family(
    edges: Edges, methods: Sequence[Symbol], exist: Callable[[Sequence[str]], Collection[str]]
) -> list[str]:
    """Return the classes whose objects have these methods: their own, and those below that do not
    override them.
    """
    found: set[str] = set()
    for method in methods:
        frontier = [method.key.rpartition(".")[0]]
        while frontier:
            found.update(frontier)
            below = {e.source for e in edges.edges_into(frontier) if e.kind == INHERITS} - found
            own = exist([f"{key}.{method.name}" for key in sorted(below)])
            frontier = sorted(key for key in below if f"{key}.{method.name}" not in own)
    return sorted(found)


def methods_alone(seeds: Sequence[Symbol]) -> list[Symbol]:
    """Return what changed if it is methods and nothing else: then who makes their objects tells
    something.
    """
    is_all = all(s.kind == SymbolKind.METHOD for s in seeds)
    return [*seeds] if is_all else []


def is_orphan(ways: Mapping[str, Way], symbols: Mapping[str, Symbol]) -> bool:
    """Say whether no test is known to come to a change."""
    return not any(key in symbols and is_runnable_test(symbols[key]) for key in ways)


def rank_reached_symbols(ways: Mapping[str, Way]) -> dict[str, Reached]:
    """Return everything that comes to a change by these ways, with the likeliest of them."""
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
    """Return the certainty that the source breaks with the target; code that calls a test's
    callback hardly does.
    """
    return max(edge.tier, Certainty.AMBIGUOUS) if likelihood.is_given(edge) else edge.tier


def importers(edges: Edges, paths: Sequence[str], known: Iterable[str]) -> dict[str, int]:
    """Return every file that imports one of `paths`, however indirectly, with the number of steps.
    Nothing is missed by it.

    Some files are run before all below their folder (`__init__.py`, `conftest.py`).
    """
    files = sorted(known)
    distance = dict.fromkeys(paths, 0)
    frontier = list(paths)
    steps = 0
    while frontier:
        steps += 1
        fresh: list[str] = []
        targets = [f"{path}::<module>" for path in frontier]
        reached = {
            e.source.partition("::")[0] for e in edges.edges_into(targets) if e.kind == IMPORTS
        }
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
        and symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
        and places.is_test_code(symbol.path, symbol.traits)
    )


def judge_tests(
    found: Mapping[str, Reached],
    tests: Tests,
    change: ChangeEvidence,
    seen: Collection[str],
    unlikely: Mapping[str, str],
) -> list[Reached]:
    """Return the tests by how likely they run the change; of those to which no way is known the
    ones that may all the same.

    `seen` ran it under coverage; `unlikely` were seen not to, each with what to say of it.
    """
    rows = []
    for key, features in tests.features(change).items():
        one = found.get(key) or Reached(key, 0, Certainty.IMPORT, ())
        chance = learned.probability("test", features)
        if key in seen:
            chance = likelihood.SEEN[one.tier]
        elif key in unlikely:
            one, chance = (
                one._replace(doubt=unlikely[key], tier=max(one.tier, Certainty.AMBIGUOUS)),
                chance * _NOT_SEEN,
            )
        rows.append(one._replace(chance=chance))
    return sorted(rows, key=lambda r: (-r.chance, r.tier, r.distance, r.key))


def summarise_impact(
    seeds: Sequence[str],
    found: Mapping[str, Reached],
    tests: Sequence[Reached],
    imported: Mapping[str, int],
    unresolved_calls: Sequence[UnresolvedCall],
) -> Impact:
    """Group what is reached into symbols, files and tests. Of `tests`, ranked, those without a way
    are kept if run.
    """
    run = worth_running([one.chance for one in tests])
    shown = [*tests[:run], *(one for one in tests[run:] if one.via)]
    keys = {one.key for one in tests}
    others = sorted(
        (r for r in found.values() if r.key not in keys),
        key=lambda r: (-r.chance, r.tier, r.distance, r.key),
    )
    whole = sum(one.chance for one in tests)
    stems = {singular(places.find_module_stem(seed.partition("::")[0])) for seed in seeds}
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
        held=sum(one.chance for one in tests[:run]) / whole if whole else 0.0,
    )


def _rank_reached_files(
    reached: Sequence[Reached], imported: Mapping[str, int], stems: set[str]
) -> list[FileReach]:
    """Rank files by how many of their symbols are expected to run the change; tests named after the
    module first.
    """
    by_path: dict[str, list[Reached]] = defaultdict(list)
    for one in reached:
        by_path[one.key.partition("::")[0]].append(one)
    rows = []
    for path in sorted({*by_path, *imported}):
        inside = by_path.get(path, [])
        known = [one for one in inside if one.via]
        if known:
            best = min(known, key=lambda r: (r.tier, r.distance))
            row = FileReach(
                path=path,
                distance=best.distance,
                tier=best.tier,
                symbols=len(known),
                chance=max(r.chance for r in inside),
            )
        else:
            row = FileReach(
                path=path,
                distance=imported.get(path, 0),
                tier=Certainty.IMPORT,
                symbols=0,
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
                -sum(one.chance + least for one in inside),
                row.tier,
                row.distance,
                path,
                row,
            )
        )
    return [row for *_, row in sorted(rows)]
