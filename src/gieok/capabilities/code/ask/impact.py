"""What may break: everything from which a change can be reached, surest and nearest first, with the path that leads there.

Depth is not cut: precision was measured to be flat in it (.42 at one step, .53 at four, .47 without limit). What ranks is
how sure the weakest edge of the path is, then the distance. Files that only import the change come last: nothing is
missed there, but most of them are fine.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gieok.capabilities.code.index.graph import IMPORTS, Certainty
from gieok.capabilities.code.languages import places
from gieok.capabilities.code.model.facts import Kind, Trait
from gieok.model.code import Edge, Symbol, UnresolvedCall
from gieok.ports.code import Edges

#: The tiers in which a reader should read: certain, likely, possible.
CERTAINTY: dict[int, str] = {
    Certainty.OBSERVED: "certain",
    Certainty.RESOLVED: "certain",
    Certainty.UNIQUE_NAME: "likely",
    Certainty.AMBIGUOUS: "possible",
    Certainty.IMPORT: "possible",
}
_NEAR = 2
_LONGEST_PATH = 12


class Network:
    """Edges in memory."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._into: dict[str, list[Edge]] = defaultdict(list)
        for edge in edges:
            self._into[edge.target].append(edge)

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""
        return sorted(edge for key in dict.fromkeys(keys) for edge in self._into.get(key, ()))


class Reached(NamedTuple):
    """A symbol that depends on the change. `via` leads from it to the change; `tier` is that of the weakest edge.

    `doubt` says why it is less sure than that, where it is.
    """

    key: str
    distance: int
    tier: int
    via: tuple[Edge, ...]
    doubt: str = ""

    @property
    def risk(self) -> str:
        """Return the risk of breakage: high, medium or low."""
        if self.tier <= Certainty.RESOLVED:
            return "high" if self.distance <= _NEAR else "medium"
        return "medium" if self.tier == Certainty.UNIQUE_NAME and self.distance <= _NEAR else "low"


class FileReach(NamedTuple):
    """A file with the best of what is reached in it; one that only imports has distance in imports."""

    path: str
    distance: int
    tier: int
    symbols: int

    @property
    def risk(self) -> str:
        """Return the risk of its riskiest symbol."""
        return Reached("", self.distance, self.tier, ()).risk


class Impact(NamedTuple):
    """What a change reaches. `tests` are symbols; `test_files` ranks their files, importing ones last."""

    symbols: tuple[Reached, ...]
    files: tuple[FileReach, ...]
    tests: tuple[Reached, ...]
    test_files: tuple[FileReach, ...]
    unresolved_calls: tuple[UnresolvedCall, ...]


def reach(edges: Edges, seeds: Sequence[str]) -> dict[str, Reached]:
    """Return everything that reaches the seeds by calls, references and inheritance, with the surest, then shortest, path."""
    found: dict[str, Reached] = {}
    first: dict[str, Edge] = {}
    distance = dict.fromkeys(sorted(seeds), 0)
    weaker: dict[int, list[Edge]] = defaultdict(list)
    for tier in (Certainty.OBSERVED, Certainty.RESOLVED, Certainty.UNIQUE_NAME, Certainty.AMBIGUOUS):
        frontier = _open(weaker[tier], distance, found, first, tier) if tier else list(distance)
        while frontier:
            fresh: list[str] = []
            for edge in edges.edges_into(frontier):
                if edge.kind == IMPORTS or edge.source in distance:
                    continue
                sure = _tier(edge)
                if sure > tier:
                    weaker[sure].append(edge)
                    continue
                _take(edge, distance, found, first, tier)
                fresh.append(edge.source)
            frontier = fresh
    return {key: one._replace(via=_path(key, first)) for key, one in found.items()}


def _tier(edge: Edge) -> int:
    """Return the certainty that the source breaks with the target; code that calls a test's callback hardly does."""
    path, other = edge.source.partition("::")[0], edge.target.partition("::")[0]
    is_given = path != other and places.is_test(other) and not places.is_test(path)
    return max(edge.tier, Certainty.AMBIGUOUS) if is_given else edge.tier


def _open(
    waiting: list[Edge], distance: dict[str, int], found: dict[str, Reached], first: dict[str, Edge], tier: int
) -> list[str]:
    """Follow the edges of the next certainty tier; return the symbols that they reach."""
    fresh = []
    for edge in sorted(waiting, key=lambda e: (distance[e.target], e)):
        if edge.source not in distance:
            _take(edge, distance, found, first, tier)
            fresh.append(edge.source)
    return fresh


def _take(edge: Edge, distance: dict[str, int], found: dict[str, Reached], first: dict[str, Edge], tier: int) -> None:
    distance[edge.source] = distance[edge.target] + 1
    first[edge.source] = edge
    found[edge.source] = Reached(edge.source, distance[edge.source], tier, ())


def _path(key: str, first: Mapping[str, Edge]) -> tuple[Edge, ...]:
    path: list[Edge] = []
    while key in first and len(path) < _LONGEST_PATH:
        path.append(first[key])
        key = first[key].target
    return tuple(path)


def importers(edges: Edges, paths: Sequence[str], known: Iterable[str]) -> dict[str, int]:
    """Return every file that imports one of `paths`, however indirectly, with the number of steps. Nothing is missed by it.

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
        reached = {e.source.partition("::")[0] for e in edges.edges_into(targets) if e.kind == IMPORTS}
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


def is_test(symbol: Symbol) -> bool:
    """Say whether a symbol is a test that can be run."""
    return (
        Trait.TEST in symbol.traits.split()
        and symbol.kind in (Kind.FUNCTION, Kind.METHOD)
        and places.is_test_code(symbol.path, symbol.traits)
    )


def summarise(
    seeds: Sequence[str],
    found: Mapping[str, Reached],
    imported: Mapping[str, int],
    symbols: Mapping[str, Symbol],
    unresolved_calls: Sequence[UnresolvedCall],
) -> Impact:
    """Group the reached symbols into symbols, files and tests, each ranked."""
    ranked = sorted(found.values(), key=lambda r: (r.tier, r.distance, r.key))
    tests = [r for r in ranked if r.key in symbols and is_test(symbols[r.key])]
    test_keys = {r.key for r in tests}
    others = [r for r in ranked if r.key not in test_keys]
    paths = {seed.partition("::")[0] for seed in seeds}
    stems = {places.stem(path) for path in paths}
    beside = Counter(
        s.path for s in symbols.values() if is_test(s) and s.path in imported and _is_beside(s.path, stems)
    )
    files = _files(ranked, imported, set(), {})
    return Impact(
        tuple(others),
        tuple(f for f in files if not places.is_test(f.path)),
        tuple(tests),
        tuple(f for f in _files(tests, imported, stems, beside) if places.is_test(f.path)),
        tuple(unresolved_calls),
    )


def beside(paths: Sequence[str], imported: Iterable[str]) -> list[str]:
    """Return the test files in a folder named after one of these modules, as `tests/models/test_url.py` for `_models.py`.

    Their tests weigh in `summarise`, although no call may lead from them, where their symbols are among those it is given.
    """
    stems = {places.stem(path) for path in paths}
    return sorted(path for path in imported if places.is_test(path) and _is_beside(path, stems))


def _is_beside(path: str, stems: set[str]) -> bool:
    return not stems.isdisjoint(path.lower().split("/")[:-1])


def _files(
    reached: Sequence[Reached], imported: Mapping[str, int], stems: set[str], beside: Mapping[str, int]
) -> list[FileReach]:
    """Rank files by the symbols reached in them, and tests by name where they are named after the changed module."""
    by_path: dict[str, list[Reached]] = defaultdict(list)
    for one in reached:
        by_path[one.key.partition("::")[0]].append(one)
    rows = []
    singular = {_singular(stem) for stem in stems}
    for path in sorted({*by_path, *imported}):
        inside = by_path.get(path, [])
        if inside:
            best = min(inside, key=lambda r: (r.tier, r.distance))
            row = FileReach(path, best.distance, best.tier, len(inside))
        else:
            row = FileReach(path, imported[path], Certainty.IMPORT, 0)
        sure = _weight(inside, Certainty.RESOLVED) + beside.get(path, 0) / _NEAR
        weight = (-sure, -_weight(inside, Certainty.UNIQUE_NAME))
        helps = places.is_test(path) and places.is_helper(path)
        named = not helps and _singular(places.tested_stem(path)) in singular
        rows.append((not named, helps, weight, row.tier, row.distance, path, row))
    return [row for *_, row in sorted(rows)]


def _weight(reached: Sequence[Reached], tier: int) -> float:
    """Return the number of tests or symbols of the same certainty, weighted down by distance."""
    return sum(1 / one.distance for one in reached if one.tier <= tier)


def _singular(stem: str) -> str:
    """Return a name without its plural ending: `error.test.ts` tests `errors.ts`."""
    return stem.removesuffix("s")
