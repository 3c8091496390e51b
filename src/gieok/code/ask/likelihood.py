"""Probability that a run of one symbol executes another: per edge, and over all paths.

A call inside a condition is made less often than one that always runs; a call that goes to the
overrides of a method goes to one of them; code that calls a function handed in by a test hardly
breaks with that function. The weights are `ranking/learned/impact`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import exp, log, log1p
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from gieok.code.index import scan
from gieok.code.index.graph import CALLS, GIVEN_BODY, IMPORTS
from gieok.code.languages import places
from gieok.model.code import Edge, Symbol, key_path
from gieok.ranking.learned import impact as learned
from gieok.text.lines import measure_indent

_CONDITION = re.compile(
    r"^\W*(?:if|elif|else|except|catch|case|default|switch|match|when|unless|rescue|guard)\b"
)
_BRANCH = re.compile(r"^\W*(?:elif|else|except|catch|default|rescue)\b")
_LOOP = re.compile(r"^\W*(?:for|while|loop)\b")
_EXIT = re.compile(r"^\s*(?:return|raise|throw|continue|break)\b")
_INLINE = re.compile(r"\bif\b|\belse\b|\band\b|\bor\b|&&|\|\||\?\?| \? ")
_WORD = re.compile(r"[\w$]+")
#: Words of a line that may call several functions by one call.
_LOOPS = frozenset(("for", "while", "loop", "forEach", "map", "reduce"))
_ONE_OF = re.compile(r"one of (\d+)")
#: Edge reasons, recognised by a word in them, each with the feature that the reason sets.
_REASONS = {
    "resolved call": "call", "reads what": "call", "resolved method": "method",
    "property": "property", "operator": "operator", "callback": "callback",
    "possible targets": "targets", "only method": "only", "that name": "namesakes",
    "constructed": "constructed", "handed on": "handed", "base class": "base",
    "defined inside": "inside", "makes an object": "maker", "put together": "computed",
    "by its name": "name", "requests its path": "call", "around a requested path": "targets",
}  # fmt: skip
_RAN = "ran under coverage"
#: By tier: code that ran under coverage does so again; less surely where the function changed
#: since, or the test itself.
SEEN = (0.995, 0.9, 0.7)


class Sources:
    """Lines of a project's files as they are on disk.

    For files of another version (`root` None) nothing is known.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._known: dict[str, tuple[list[str], Outline]] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none where it cannot be read."""
        return self._read(path)[0]

    def outline(self, path: str) -> "Outline":
        """Return the outline of a file."""
        return self._read(path)[1]

    def _read(self, path: str) -> tuple[list[str], "Outline"]:
        outline = self._known.get(path)
        if outline is None:
            outline = _NO_LINES
            if self._root is not None:
                outline = _outline_source_lines(scan.read_source_text(self._root, path))
            self._known[path] = outline
        return outline

    def text(self, symbol: Symbol) -> str:
        """Return the code of a symbol."""
        return "\n".join(self.lines(symbol.path)[symbol.start_line - 1 : symbol.end_line])


class LinePlace(NamedTuple):
    """Numbers of conditions, loops and earlier exits on the way from a function's head to a line.

    `inline`: the line itself chooses, such as by `if`, `and` or `? :`.
    """

    conditions: int
    loops: int
    exits: int
    inline: bool


_NOWHERE = LinePlace(0, 0, 0, False)


class Outline:
    """Lines of a file by indentation: the line that each stands below, and the exits before it.

    A line is examined only when somebody asks for it: most functions of a file are not on a path to
    a change.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._exits: dict[int, list[int]] = {}

    def place(self, start: int, line: int) -> LinePlace:
        """Return the conditions, loops and exits that a line (1-based) of a function depends on.

        `start` is the line at which the function begins.
        """
        if not start < line <= len(self._lines):
            return _NOWHERE
        text, at = self._lines[line - 1], line - 1
        conditions, loops = int(bool(_BRANCH.match(text))), 0
        indent = measure_indent(text) if text.strip() else 0
        while indent > 0 and at > start:
            at -= 1
            above = self._lines[at]
            # An empty line ends the blocks before it, because the weights were fitted that way.
            if (its := measure_indent(above)) < indent:
                indent = its
                if _CONDITION.match(above):
                    conditions += 1
                elif _LOOP.match(above):
                    loops += 1
        return LinePlace(
            conditions, loops, self._count_exits(start, line - 1), bool(_INLINE.search(text))
        )

    def _count_exits(self, start: int, end: int) -> int:
        """Count the exits (such as `return`) in lines[start:end]; each line is looked at only
        once.
        """
        counts = self._exits.setdefault(start, [0])
        for line in self._lines[start + len(counts) - 1 : end]:
            counts.append(counts[-1] + bool(_EXIT.match(line)))
        return counts[end - start]


_NO_LINES = list[str](), Outline(())


@lru_cache(512)
def _outline_source_lines(text: str) -> tuple[list[str], Outline]:
    """Return the lines of a text and their outline, cached for repeated queries of a server."""
    lines = text.split("\n")
    return lines, Outline(lines)


class JudgedCall(NamedTuple):
    """Input for judging a link between two symbols.

    The input is the surest edge, the lines of all edges, the number of symbols that share the
    target, the calls, and the caller.
    """

    edge: Edge
    lines: tuple[int, ...]
    callers: int
    overrides: int
    caller: tuple[int, int, str] | None
    outline: Outline | None


class ChanceLink:
    """Dependence of one symbol on another: its surest edge, and the features that judge it."""

    __slots__ = ("_call", "_chance", "edge")

    def __init__(self, call: JudgedCall) -> None:
        self.edge, self._call = call.edge, call
        self._chance: float | None = None

    @property
    def features(self) -> Mapping[str, float]:
        """Return the features that are not zero."""
        return _build_call_features(self._call)

    @property
    def chance(self) -> float:
        """Return the probability that a run of the source runs the target."""
        if self._chance is None:
            is_seen = self.edge.reason.startswith(_RAN)
            self._chance = (
                SEEN[self.edge.tier] if is_seen else learned.probability("link", self.features)
            )
        return self._chance


def build_chance_links(
    into: Iterable[Edge], out: Iterable[Edge], symbols: Mapping[str, Symbol], sources: Sources
) -> dict[tuple[str, str], ChanceLink]:
    """Return the links that edges form, by source and target.

    `out` are all edges of the same sources, because edges of one call share the call.
    """
    groups: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in into:
        if edge.kind != IMPORTS and edge.source != edge.target:
            groups[edge.source, edge.target].append(edge)
    callers = Counter([target for _, target in groups])
    calls = {(edge.source, edge.line, edge.target) for edge in out if edge.kind == CALLS}
    shared = Counter([(source, line, _split_last_name(target)) for source, line, target in calls])
    values = _count_called_values(calls, symbols, sources)
    links_by_ends: dict[tuple[str, str], ChanceLink] = {}
    for (source, target), edges in groups.items():
        symbol, name = symbols.get(source), _split_last_name(target)
        call = JudgedCall(
            edge=edges[0]
            if len(edges) == 1
            else min(edges, key=lambda e: (e.tier, e.reason, e.line)),
            lines=tuple([e.line for e in edges]),
            callers=callers[target],
            overrides=min(
                [
                    max(shared[source, e.line, name], values.get((source, e.line, target), 1), 1)
                    for e in edges
                ]
            ),
            caller=(symbol.start_line, symbol.complexity, symbol.traits) if symbol else None,
            outline=sources.outline(symbol.path) if symbol else None,
        )
        links_by_ends[source, target] = ChanceLink(call)
    return links_by_ends


def _count_called_values(
    calls: Collection[tuple[str, int, str]], symbols: Mapping[str, Symbol], sources: Sources
) -> Mapping[tuple[str, int, str], int]:
    """Return call → the number of functions that it goes to through one value.

    The wrapper that a decorator makes calls every function that is decorated, each by a run of its
    own: one run of it is hardly a run of any one of them. Such a function is named nowhere in the
    wrapper. A call in a loop is left out, because it may reach all of them. So is a function that
    nothing calls by its name: its callers may be known by way of the wrapper only.
    """
    targets: dict[tuple[str, int], list[str]] = defaultdict(list)
    for source, line, target in sorted(calls):
        targets[source, line].append(target)
    counts: Counter[tuple[str, int, str]] = Counter()
    for (source, line), called in targets.items():
        symbol = symbols.get(source)
        if len(called) == 1 or symbol is None:
            continue
        if _is_in_loop(symbol, line, sources):
            continue
        words = set(_WORD.findall(sources.text(symbol)))
        names = {target: _split_last_name(target) for target in called}
        # What a name such as `__init__` or `__add__` calls is written otherwise.
        handed = [t for t, name in names.items() if name not in words and name[:2] != "__"]
        counts.update({(source, line, target): len(handed) for target in handed})
    by_name = _list_called_by_name(calls, {target for _, _, target in counts}, symbols, sources)
    return {call: count for call, count in counts.items() if call[2] in by_name}


def _list_called_by_name(
    calls: Iterable[tuple[str, int, str]],
    targets: Container[str],
    symbols: Mapping[str, Symbol],
    sources: Sources,
) -> set[str]:
    """Return those of some functions that code calls by their names."""
    found: set[str] = set()
    for source, _, target in calls:
        if target in found or target not in targets or source not in symbols:
            continue
        if _split_last_name(target) in _WORD.findall(sources.text(symbols[source])):
            found.add(target)
    return found


def _is_in_loop(symbol: Symbol, line: int, sources: Sources) -> bool:
    """Say whether a line of a symbol runs in a loop, or has one in itself."""
    lines = sources.lines(symbol.path)[line - 1 : line]
    is_around = sources.outline(symbol.path).place(symbol.start_line, line).loops > 0
    return is_around or any(not _LOOPS.isdisjoint(_WORD.findall(text)) for text in lines)


@lru_cache(16_384)
def _build_call_features(call: JudgedCall) -> Mapping[str, float]:
    edge = call.edge
    reason = next((name for words, name in _REASONS.items() if words in edge.reason), "other")
    features = {reason: 1.0, "callers": log(call.callers), "sites": log(len({*call.lines}))}
    if call.caller is not None and call.outline is not None:
        start, complexity, _ = call.caller
        spots = [call.outline.place(start, line) for line in call.lines if line]
        at = min(spots, key=lambda p: (p.conditions, p.exits), default=_NOWHERE)
        features |= {
            "condition": float(at.conditions > 0),
            "conditions": max(at.conditions - 1.0, 0.0),
            "loop": float(at.loops > 0),
            "exits": log1p(at.exits),
            "inline": float(at.inline),
            "branches": log1p(complexity),
        }
    one_of = _ONE_OF.search(edge.reason)
    features |= {"overrides": log(call.overrides), "one_of": log(int(one_of[1])) if one_of else 0.0}
    features |= _build_end_features(edge, call.caller[2] if call.caller else "")
    return {name: value for name, value in features.items() if value}


def _build_end_features(edge: Edge, traits: str) -> dict[str, float]:
    """Return the features that follow from where the two ends of an edge are defined."""
    path, other = key_path(edge.source), key_path(edge.target)
    from_test = places.is_test_file(path)
    is_test = from_test and "test" in traits.split()
    return {
        "same_class": float(
            "." in edge.target
            and path == other
            and _split_enclosing_key(edge.source) == _split_enclosing_key(edge.target)
        ),
        "same_file": float(path == other),
        "test": float(is_test),
        "support": float(from_test and not is_test),
        "given": float(is_given(edge)),
    }


def is_given(edge: Edge) -> bool:
    """Return whether code calls what a test, or a symbol's own call, hands in.

    The code hardly breaks with it: a wrapper of handlers is not any one of them.
    """
    path, other = key_path(edge.source), key_path(edge.target)
    if edge.reason == GIVEN_BODY:
        return True
    return path != other and places.is_test_file(other) and not places.is_test_file(path)


def _split_last_name(key: str) -> str:
    return key.rpartition(".")[2]


def _split_enclosing_key(key: str) -> str:
    return key.rpartition(".")[0]


class Way(NamedTuple):
    """How a symbol reaches a change.

    Fields are the chance of the likeliest path, the chance of any path, the length and the first
    edge.
    """

    best: float
    joint: float
    distance: int
    edge: Edge | None


class Net:
    """Links by their target."""

    def __init__(self, found: Mapping[tuple[str, str], ChanceLink]) -> None:
        self._into: dict[str, list[tuple[str, ChanceLink]]] = defaultdict(list)
        for (source, target), link in found.items():
            self._into[target].append((source, link))
        for into in self._into.values():
            into.sort(key=itemgetter(0))

    def spread(self, seeds: Iterable[str]) -> dict[str, Way]:
        """Return symbol → its way to the seeds, for every symbol that reaches them, likeliest
        first.

        Ties are ordered by key.

        `joint` treats paths as independent, and follows a link only from the less likely end to the
        likelier one, so that there are no cycles.
        """
        heap: list[tuple[float, int, str, Edge | None]] = [(0.0, 0, key, None) for key in seeds]
        heapify(heap)
        missed: dict[str, float] = defaultdict(lambda: 1.0)
        ways: dict[str, Way] = {}
        while heap:
            cost, steps, key, first = heappop(heap)
            if key in ways:
                continue
            joint = 1 - missed[key] if steps else 1.0
            ways[key] = Way(exp(-cost), joint, steps, first)
            for source, link in self._into.get(key, ()):
                if source not in ways:
                    chance = max(link.chance, 1e-6)
                    missed[source] *= 1 - chance * joint
                    heappush(heap, (cost - log(chance), steps + 1, source, link.edge))
        return ways
