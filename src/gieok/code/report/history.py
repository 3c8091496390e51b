"""History of a project from its newest commits.

The history tells which files change together, who works on which parts, and which files change
often.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from posixpath import dirname
from typing import NamedTuple

from gieok.code.ask.statistics import sort_by_count
from gieok.code.languages import places
from gieok.ports.code import Commit

#: Number of commits that are read; a commit of more files than the second number says nothing of
#: any two of them.
COMMITS, _MOST_FILES = 500, 20
_LEAST_TOGETHER = 3
_MOST = 10
_PROGRAM = re.compile(
    r"\[bot\]|^(dependabot|renovate|github[- ]actions?|greenkeeper|pre-commit)\b|[- ]bot$",
    re.IGNORECASE,
)


class Together(NamedTuple):
    """Two files that change in the same commits.

    `share` is the share of these among the commits that change either file. `is_joined` is true
    where one file imports the other.
    """

    one: str
    other: str
    commits: int
    share: float
    is_joined: bool = False


class Worker(NamedTuple):
    """An author: name, number of commits, the part with most of them, and time of the last one."""

    name: str
    commits: int
    part: str
    last: datetime


class History(NamedTuple):
    """Facts from the newest commits of a project.

    Every field is empty without git or without commits. `together` holds files that change
    together, and `workers` the authors.
    """

    commits: int = 0
    since: datetime | None = None
    together: tuple[Together, ...] = ()
    workers: tuple[Worker, ...] = ()
    #: Part → its authors, each with the share of the part's commits, most first.
    owners: Mapping[str, tuple[tuple[str, float], ...]] = {}
    #: File → number of commits that changed it.
    changes: Mapping[str, int] = {}


def history(
    commits: Sequence[Commit],
    files: Collection[str],
    part_of: Mapping[str, str],
    joined: Collection[tuple[str, str]],
) -> History:
    """Return the history of `files` from commits.

    `joined` has the files that import each other, as sorted pairs. Commits of programs (dependency
    updates) have no author here, and do not count for pairs of files.
    """
    people = [commit for commit in commits if not _PROGRAM.search(commit.author)]
    changes = Counter(file for commit in people for file in commit.files if file in files)
    return History(
        commits=len(people),
        since=min((commit.at for commit in people), default=None),
        together=tuple(_find_joint_changes(people, files, joined)),
        workers=tuple(_rank_workers(people, part_of)),
        owners=_find_part_owners(people, part_of),
        changes=changes,
    )


def _find_joint_changes(
    commits: Sequence[Commit], files: Collection[str], joined: Collection[tuple[str, str]]
) -> list[Together]:
    alone, pairs = Counter[str](), Counter[tuple[str, str]]()
    for commit in commits:
        changed = sorted({file for file in commit.files if file in files})
        if len(changed) <= _MOST_FILES:
            alone.update(changed)
            pairs.update(pair for pair in combinations(changed, 2) if not _is_expected(*pair))
    joint = [
        Together(
            one=a,
            other=b,
            commits=n,
            share=n / (alone[a] + alone[b] - n),
            is_joined=(a, b) in joined,
        )
        for (a, b), n in pairs.items()
        if n >= _LEAST_TOGETHER
    ]
    return sorted(joint, key=lambda row: (-row.commits * row.share, row.one, row.other))[:_MOST]


def _is_expected(one: str, other: str) -> bool:
    """Return whether it is no finding that two files change together.

    This holds for a test and the file that it tests, for two tests, and for two documents.
    """
    if places.is_test_file(one) == places.is_test_file(other):
        return places.is_test_file(one) or (places.is_document(one) and places.is_document(other))
    return dirname(one) == dirname(other) or places.tested_stem(one) == places.tested_stem(other)


def _rank_workers(commits: Sequence[Commit], part_of: Mapping[str, str]) -> list[Worker]:
    count = Counter(commit.author for commit in commits)
    where: dict[str, Counter[str]] = defaultdict(Counter)
    last: dict[str, datetime] = {}
    for commit in commits:
        where[commit.author].update({part_of[file] for file in commit.files if file in part_of})
        last[commit.author] = max(commit.at, last.get(commit.author, commit.at))
    return [
        Worker(
            name,
            number,
            next((part for part, _ in sort_by_count(where[name].items())), ""),
            last[name],
        )
        for name, number in sort_by_count(count.items())[:_MOST]
    ]


def _find_part_owners(
    commits: Sequence[Commit], part_of: Mapping[str, str]
) -> dict[str, tuple[tuple[str, float], ...]]:
    by: dict[str, Counter[str]] = defaultdict(Counter)
    for commit in commits:
        for part in {part_of[file] for file in commit.files if file in part_of}:
            by[part][commit.author] += 1
    return {
        part: tuple((name, n / authors.total()) for name, n in sort_by_count(authors.items()))
        for part, authors in sorted(by.items())
    }
