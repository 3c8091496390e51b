"""Evidence, beside the call paths, that a test runs a change.

The evidence is made of shared names and words, of the other tests in the same file or class, and of
the objects that the test makes.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import fsum, log, sqrt
from pathlib import PurePosixPath
from typing import NamedTuple

from gieok.code.ask.likelihood import Sources, Way
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind
from gieok.model.code import Symbol, key_name

_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_FARTHEST, _LEAST, _NOTHING = 12, 1e-4, -6.0
#: Where a change has more names than this, tests are not searched for these names.
_MOST_NAMES = 40


@lru_cache(65_536)
def split_identifier_words(name: str) -> frozenset[str]:
    """Return the words of an identifier in lower case: `set_cookie`, `setCookie` → set, cookie."""
    return frozenset(word.lower() for word in _WORD.findall(name))


@lru_cache(16_384)
def _find_identifiers(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the identifiers in a text, and the words that these identifiers consist of."""
    names = frozenset(_NAME.findall(text))
    return names, frozenset[str]().union(*map(split_identifier_words, names))


@lru_cache(16_384)
def _stem_words(path: str) -> frozenset[str]:
    return split_identifier_words(PurePosixPath(path).stem)


class ChangeEvidence(NamedTuple):
    """The changed symbols, the makers of objects of their classes, and the other symbols nearby.

    Makers are symbols that make an object of a changed method's class; nearby are the other symbols
    of the changed files. Both are mapped to the way by which a symbol comes there.
    """

    symbols: Sequence[Symbol]
    ways: Mapping[str, Way]
    makers: Mapping[str, Way] | None = None
    beside: Mapping[str, Way] | None = None


class Tests:
    """The tests that may run a change, with the words in them."""

    def __init__(
        self, tests: Sequence[Symbol], sources: Sources, imported: Mapping[str, int]
    ) -> None:
        self.all = sorted(tests, key=lambda s: s.key)
        self._sources, self._imported = sources, imported
        identifiers = {s.key: _find_identifiers(sources.text(s)) for s in self.all}
        self._names = {key: names for key, (names, _) in identifiers.items()}
        self._words = {key: own for key, (_, own) in identifiers.items()}
        self._bearing = Counter(chain.from_iterable(self._names.values()))
        self._using = Counter(chain.from_iterable(self._words.values()))
        squares = {word: self._rarity(word) ** 2 for word in self._using}
        self._lengths = {
            key: sqrt(fsum(map(squares.__getitem__, own))) or 1.0
            for key, own in self._words.items()
        }
        self._titles = {
            s.key: split_identifier_words(s.qualified) | _stem_words(s.path) for s in self.all
        }
        self._groups = {s.key: (s.path, s.key.rpartition(".")[0] or s.path) for s in self.all}

    def _rarity(self, word: str) -> float:
        return log((len(self.all) + 1) / (self._using[word] + 0.5))

    def _rare_name(self, name: str) -> float:
        return min(log((len(self.all) + 1) / (self._bearing[name] + 0.5)), 6.0) / 6.0

    def features(self, change: ChangeEvidence) -> dict[str, dict[str, float]]:
        """Return key of test → its features; the model `test` of `ranking/learned/impact` weighs
        them.
        """
        ways = change.ways
        reached = sum(s.key in ways for s in self.all)
        share = (reached + 1) / (len(self.all) + 2)
        hub = log(share / (1 - share))
        most = max((ways[s.key].joint for s in self.all if s.key in ways), default=0.0)
        company = self._company(ways)
        change_words = self._said(change.symbols)
        rows = {}
        for test in self.all:
            row = self._way(ways.get(test.key), hub, most)
            file, group = (company[name] for name in self._groups[test.key])
            row |= {"file": file, "group": group, "imports": float(test.path in self._imported)}
            row |= self._spoken(test, change_words)
            if change.makers is not None:
                maker = change.makers.get(test.key)
                row |= {
                    "method": 1.0,
                    "makes": maker.joint if maker else 0.0,
                    "makes_none": float(maker is None),
                }
            if change.beside is not None:
                near = change.beside.get(test.key)
                row |= {
                    "orphan": 1.0,
                    "orphan_beside": near.joint if near else 0.0,
                    "orphan_makes": row.get("makes", 0.0),
                }
            rows[test.key] = row
        return rows

    def _way(self, way: Way | None, hub: float, most: float) -> dict[str, float]:
        if way is None:
            return {"hub": hub}
        joint = log((way.joint + _LEAST) / (1 - way.joint + _LEAST))
        return {
            "reached": 1.0,
            "best": log(max(way.best, _LEAST)),
            "joint": joint,
            "hub": hub,
            "hub_joint": hub * joint,
            "steps": float(min(way.distance, _FARTHEST)),
            "direct": float(way.distance == 1),
            "relative": log((way.joint + _LEAST) / (most + _LEAST)),
            "hub_reached": hub,
        }

    def _company(self, ways: Mapping[str, Way]) -> dict[str, float]:
        """Return the mean chance of the tests of each file and of each class."""
        sums: dict[str, list[float]] = defaultdict(list)
        for key, groups in self._groups.items():
            for name in {*groups}:
                sums[name].append(ways[key].joint if key in ways else 0.0)
        return {name: sum(values) / len(values) for name, values in sums.items()}

    def _said(self, symbols: Sequence[Symbol]) -> "_Said":
        stems = {places.find_module_stem(s.path) for s in symbols}
        named = [s for s in symbols if s.kind not in (SymbolKind.MODULE, SymbolKind.MARKER)][
            :_MOST_NAMES
        ]
        names = {s.name for s in named}
        classes = {_find_owner_class(s.key) for s in named} - {""}
        _, words = _find_identifiers(" ".join(self._sources.text(s) for s in named))
        body = {word: self._rarity(word) ** 2 for word in words if self._using[word]}
        around = frozenset[str]().union(*map(split_identifier_words, [*stems, *classes]))
        return _Said(
            names={name: self._rare_name(name) for name in names},
            classes={name: self._rare_name(name) for name in classes},
            words={
                word: self._rarity(word) for name in names for word in split_identifier_words(name)
            },
            around=dict.fromkeys(around, 1.0),
            body=body,
            length=sqrt(fsum(body.values())) or 1.0,
            stems={singular(stem) for stem in stems},
        )

    def _spoken(self, test: Symbol, said: "_Said") -> dict[str, float]:
        names, own, title = self._names[test.key], self._words[test.key], self._titles[test.key]
        alike = (
            fsum(weight for word, weight in said.body.items() if word in own)
            / self._lengths[test.key]
            / said.length
        )
        stem = places.tested_stem(test.path)
        return {
            "names_it": _find_rarest(said.names, names),
            "names_class": _find_rarest(said.classes, names),
            "words": alike,
            "said": _weigh_shared_words(said.words, own),
            "title": _weigh_shared_words(said.words, title),
            "around": _weigh_shared_words(said.around, title),
            "stem": float(singular(stem) in said.stems),
        }


class _Said(NamedTuple):
    """The names and words of a change, each with how rare it is among the tests."""

    names: Mapping[str, float]
    classes: Mapping[str, float]
    words: Mapping[str, float]
    around: Mapping[str, float]
    body: Mapping[str, float]
    length: float
    stems: Collection[str]


def _find_rarest(wanted: Mapping[str, float], found: Collection[str]) -> float:
    """Return how rare the rarest of the wanted names is that is found."""
    return max((rare for name, rare in wanted.items() if name in found), default=0.0)


def _weigh_shared_words(wanted: Mapping[str, float], found: Collection[str]) -> float:
    """Return the share of the wanted words that are found; rare words count more."""
    return fsum(weight for word, weight in wanted.items() if word in found) / (
        fsum(wanted.values()) or 1.0
    )


def _find_owner_class(key: str) -> str:
    """Return the name of the class around a symbol; '' where there is no class."""
    return key_name(key).rpartition(".")[0].rpartition(".")[2]


def singular(stem: str) -> str:
    """Return a file's name without a plural ending, because `error.test.ts` tests `errors.ts`."""
    return stem.removesuffix("s")
