"""How likely a run of one symbol runs another: the chance of every edge, and what they make of all ways to a change.

A call inside a condition is made less often than one that always runs, one that goes to the overrides of a method goes to
one of them, and code that calls what a test hands it hardly breaks with that. The weights are `engine/learned/impact`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import exp, log, log1p
from pathlib import Path
from typing import NamedTuple

from gieok.capabilities.code.index.graph import CALLS, IMPORTS
from gieok.capabilities.code.languages import places
from gieok.engine.learned import impact as learned
from gieok.model.code import Edge, Symbol

_CONDITION = re.compile(r"^\W*(?:if|elif|else|except|catch|case|default|switch|match|when|unless|rescue|guard)\b")
_BRANCH = re.compile(r"^\W*(?:elif|else|except|catch|default|rescue)\b")
_LOOP = re.compile(r"^\W*(?:for|while|loop)\b")
_EXIT = re.compile(r"^\s*(?:return|raise|throw|continue|break)\b")
_INLINE = re.compile(r"\bif\b|\belse\b|\band\b|\bor\b|&&|\|\||\?\?| \? ")
_ONE_OF = re.compile(r"one of (\d+)")
#: Reasons of edges by a word of theirs, each with the feature that it is.
_REASONS = {
    "resolved call": "call", "reads what": "call", "resolved method": "method", "property": "property", "operator": "operator",
    "callback": "callback", "possible targets": "targets", "only method": "only", "that name": "namesakes",
    "constructed": "constructed", "handed on": "handed", "base class": "base", "defined inside": "inside",
    "makes an object": "maker", "put together": "computed", "by its name": "name",
}  # fmt: skip
_RAN = "ran under coverage"
#: By tier: what ran under coverage does so again; less surely where the function changed since, or the test itself.
SEEN = (0.995, 0.9, 0.7)


class Sources:
    """The lines of a project's files as they are on disk. Nothing is known of files of another version (`root` None)."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._known: dict[str, list[str]] = {}
        self._outlines: dict[str, Outline] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none where it cannot be read."""
        found = self._known.get(path)
        if found is None:
            found = []
            if self._root is not None:
                try:
                    found = (self._root / path).read_text(encoding="utf-8", errors="replace").split("\n")
                except OSError:
                    found = []
            self._known[path] = found
        return found

    def outline(self, path: str) -> "Outline":
        """Return the outline of a file."""
        found = self._outlines.get(path)
        if found is None:
            found = self._outlines[path] = Outline(self.lines(path))
        return found

    def text(self, symbol: Symbol) -> str:
        """Return the code of a symbol."""
        return "\n".join(self.lines(symbol.path)[symbol.start_line - 1 : symbol.end_line])


class Place(NamedTuple):
    """What stands between the head of a function and a line: conditions, loops, ways out before it, a condition in it."""

    conditions: int
    loops: int
    exits: int
    inline: bool


_NOWHERE = Place(0, 0, 0, False)


class Outline:
    """The lines of a file by their indentation: which line each stands below, and how many ways out come before it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._above: list[int] = []
        self._exits = [0]
        open_: list[tuple[int, int]] = []
        for number, line in enumerate(lines):
            body = line.lstrip()
            indent = len(line) - len(body)
            while open_ and open_[-1][1] >= indent:
                open_.pop()
            self._above.append(open_[-1][0] if open_ else -1)
            if body:
                open_.append((number, indent))
            else:
                self._above[-1] = -1
            self._exits.append(self._exits[-1] + bool(body and _EXIT.match(line)))

    def place(self, start: int, line: int) -> Place:
        """Return what a line (1-based) of a function that begins at `start` depends on."""
        if not start < line <= len(self._lines):
            return _NOWHERE
        text, at = self._lines[line - 1], self._above[line - 1]
        conditions, loops = int(bool(_BRANCH.match(text))), 0
        while at >= start:
            if _CONDITION.match(self._lines[at]):
                conditions += 1
            elif _LOOP.match(self._lines[at]):
                loops += 1
            at = self._above[at]
        exits = self._exits[line - 1] - self._exits[start]
        return Place(conditions, loops, exits, bool(_INLINE.search(text)))


class Link(NamedTuple):
    """That one symbol depends on another: the surest of its edges, and the features by which it is judged."""

    edge: Edge
    features: dict[str, float]

    @property
    def chance(self) -> float:
        """Return the probability that a run of the source runs the target."""
        if self.edge.reason.startswith(_RAN):
            return SEEN[self.edge.tier]
        return learned.probability("link", self.features)


def links(
    into: Iterable[Edge], out: Iterable[Edge], symbols: Mapping[str, Symbol], sources: Sources
) -> dict[tuple[str, str], Link]:
    """Return the links that edges make, by source and target. `out` are all edges of the same sources, which share calls."""
    groups: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in into:
        if edge.kind != IMPORTS and edge.source != edge.target:
            groups[edge.source, edge.target].append(edge)
    callers = Counter(target for _, target in groups)
    shared: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    for edge in out:
        if edge.kind == CALLS:
            shared[edge.source, edge.line, _last(edge.target)].add(edge.target)
    return {
        pair: Link(
            min(edges, key=lambda e: (e.tier, e.reason, e.line)),
            _features(edges, callers[pair[1]], shared, symbols.get(pair[0]), sources),
        )
        for pair, edges in groups.items()
    }


def _features(
    edges: Sequence[Edge],
    callers: int,
    shared: Mapping[tuple[str, int, str], set[str]],
    symbol: Symbol | None,
    sources: Sources,
) -> dict[str, float]:
    best = min(edges, key=lambda e: (e.tier, e.reason, e.line))
    reason = next((name for words, name in _REASONS.items() if words in best.reason), "other")
    found = {reason: 1.0, "callers": log(callers), "sites": log(len({e.line for e in edges}))}
    if symbol is not None:
        outline = sources.outline(symbol.path)
        spots = [outline.place(symbol.start_line, e.line) for e in edges if e.line]
        at = min(spots, key=lambda p: (p.conditions, p.exits), default=_NOWHERE)
        found |= {
            "condition": float(at.conditions > 0), "conditions": max(at.conditions - 1.0, 0.0), "loop": float(at.loops > 0),
            "exits": log1p(at.exits), "inline": float(at.inline), "branches": log1p(symbol.complexity),
        }  # fmt: skip
    overrides = min((len(shared.get((e.source, e.line, _last(e.target)), ())) or 1) for e in edges)
    one_of = _ONE_OF.search(best.reason)
    found |= {"overrides": log(overrides), "one_of": log(int(one_of[1])) if one_of else 0.0}
    return found | _ends(best, symbol)


def _ends(edge: Edge, symbol: Symbol | None) -> dict[str, float]:
    """Return what is known from where the ends of an edge stand."""
    path, other = edge.source.partition("::")[0], edge.target.partition("::")[0]
    from_test = places.is_test(path)
    is_test = symbol is not None and from_test and "test" in symbol.traits.split()
    return {
        "same_class": float("." in edge.target and path == other and _around(edge.source) == _around(edge.target)),
        "same_file": float(path == other),
        "test": float(is_test),
        "support": float(from_test and not is_test),
        "given": float(is_given(edge)),
    }


def is_given(edge: Edge) -> bool:
    """Say whether code calls what a test hands it: it hardly breaks with that."""
    path, other = edge.source.partition("::")[0], edge.target.partition("::")[0]
    return path != other and places.is_test(other) and not places.is_test(path)


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _around(key: str) -> str:
    return key.rpartition(".")[0]


class Way(NamedTuple):
    """How a symbol comes to a change: the chance of its likeliest way, of any of them, its length, and its first edge."""

    best: float
    joint: float
    distance: int
    edge: Edge | None


class Net:
    """Links by what they lead to."""

    def __init__(self, found: Mapping[tuple[str, str], Link]) -> None:
        self._into: dict[str, list[tuple[str, float, Edge]]] = defaultdict(list)
        for (source, target), link in sorted(found.items()):
            self._into[target].append((source, max(link.chance, 1e-6), link.edge))

    def spread(self, seeds: Iterable[str]) -> dict[str, Way]:
        """Return how everything that reaches the seeds comes there, the likeliest first; ties by key.

        `joint` takes ways for independent, and follows a link only from the less likely end to the likelier one: no circles.
        """
        heap: list[tuple[float, int, str, Edge | None]] = [(0.0, 0, key, None) for key in seeds]
        heapify(heap)
        missed: dict[str, float] = defaultdict(lambda: 1.0)
        found: dict[str, Way] = {}
        while heap:
            cost, steps, key, first = heappop(heap)
            if key in found:
                continue
            joint = 1 - missed[key] if steps else 1.0
            found[key] = Way(exp(-cost), joint, steps, first)
            for source, chance, edge in self._into.get(key, ()):
                if source not in found:
                    missed[source] *= 1 - chance * joint
                    heappush(heap, (cost - log(chance), steps + 1, source, edge))
        return found
