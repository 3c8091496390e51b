"""Functions that are hard to change well: many branches, many dependants, frequent changes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gieok.code.ask.statistics import is_aside
from gieok.code.index.graph import IMPORTS, Certainty
from gieok.code.index.project import Project
from gieok.code.model.facts import FUNCTIONS
from gieok.model.code import Symbol

_MOST = 10
#: A function with fewer branches is no hot spot, however many symbols depend on it.
_BRANCHES = 5


class HotSpot(NamedTuple):
    """A function with many branches.

    `dependants` counts those in code that is no test, `changes` the commits that changed its file.
    """

    key: str
    branches: int
    lines: int
    dependants: int
    changes: int = 0


def hot_spots(
    project: Project, symbols: Sequence[Symbol], changes: Mapping[str, int]
) -> list[HotSpot]:
    """Return functions, the hottest first.

    Heat is branches, times the square roots of the dependants and of the changes of the file.
    """
    aside = {s.key for s in symbols if is_aside(s)}
    dependants: dict[str, set[str]] = defaultdict(set)
    for edge in project.store.all_edges():
        if edge.kind != IMPORTS and edge.tier <= Certainty.UNIQUE_NAME and edge.source not in aside:
            dependants[edge.target].add(edge.source)
    spots = [
        HotSpot(
            key=s.key,
            branches=s.complexity,
            lines=s.end_line - s.start_line + 1,
            dependants=len(dependants[s.key]),
            changes=changes.get(s.path, 0),
        )
        for s in symbols
        if s.kind in FUNCTIONS and s.complexity >= _BRANCHES and s.key not in aside
    ]
    spots.sort(
        key=lambda one: (-one.branches * ((1 + one.dependants) * (1 + one.changes)) ** 0.5, one.key)
    )
    return spots[:_MOST]
