"""A project as the page of code shows it: its parts, where it starts, what is hot, who works on what, what changes together."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from gieok.capabilities.code.index import ownership, watched
from gieok.capabilities.code.index.project import Project
from gieok.capabilities.code.model import layout
from gieok.capabilities.code.report import export
from gieok.capabilities.code.report.export import HotSpot
from gieok.capabilities.code.report.structure import Structure, structure
from gieok.ops.code.project import opened
from gieok.ops.context import Context
from gieok.ports.code import Commit

#: Commits that are looked at; one of more files than the other number says nothing of any two of them.
_COMMITS, _MOST_FILES = 500, 20
_LEAST_TOGETHER = 3
_MOST = 10


class Together(NamedTuple):
    """Two files that change in the same commits; `share` of those that change either."""

    one: str
    other: str
    commits: int
    share: float


class Worker(NamedTuple):
    """Who made commits, how many, and the part that most of them are in."""

    name: str
    commits: int
    part: str


class Overview(NamedTuple):
    """The project without what `code status` says."""

    root: Path
    found: Structure
    starts: tuple[tuple[str, str], ...]
    hot: tuple[HotSpot, ...]
    together: tuple[Together, ...]
    workers: tuple[Worker, ...]
    commits: int


class PartOfProject(NamedTuple):
    """A part: its files with their lines, what it imports and who imports it, by how many imports."""

    name: str
    files: tuple[tuple[str, int], ...]
    imports: tuple[tuple[str, int], ...]
    imported_by: tuple[tuple[str, int], ...]


def roots(context: Context) -> list[Path]:
    """Return the projects of this user that are indexed: that of the folder first."""
    here = layout.find_root(context.caller.folder)
    known = [*([here] if here else []), *ownership.roots(context.home), *watched.roots(context.home)]
    return [root for root in dict.fromkeys(known) if layout.index_file(root).exists()]


def overview(context: Context) -> Overview:
    """Return the overview of the project in the caller's folder. Raises NotIndexed."""
    project = opened(context)
    symbols = list(project.store.all_symbols())
    found = structure(project)
    commits = context.memory.seeds.log(project.root, _COMMITS)
    return Overview(
        project.root, found, tuple(export.starts(project, symbols)), tuple(export.hot_spots(project, symbols)),
        tuple(_together(commits, project)), tuple(_workers(commits, found)), len(commits),
    )  # fmt: skip


def part(context: Context, name: str) -> PartOfProject | None:
    """Return a part of the project in the caller's folder; None where it has none of this name. Raises NotIndexed."""
    project = opened(context)
    found = structure(project)
    if name not in {one.name for one in found.parts}:
        return None
    lines = {path: size for path, size in found.files if found.part_of[path] == name}
    into = [(a, row[name]) for a, row in found.imports.items() if name in row]
    return PartOfProject(
        name, tuple(sorted(lines.items(), key=lambda row: (-row[1], row[0]))), tuple(found.imports.get(name, {}).items()),
        tuple(sorted(into, key=lambda row: (-row[1], row[0]))),
    )  # fmt: skip


def _together(commits: Sequence[Commit], project: Project) -> list[Together]:
    known = project.store.files()
    alone, pairs = Counter[str](), Counter[tuple[str, str]]()
    for commit in commits:
        files = sorted({file for file in commit.files if file in known})
        if len(files) <= _MOST_FILES:
            alone.update(files)
            pairs.update(combinations(files, 2))
    found = [Together(a, b, n, n / (alone[a] + alone[b] - n)) for (a, b), n in pairs.items() if n >= _LEAST_TOGETHER]
    return sorted(found, key=lambda row: (-row.commits * row.share, row.one, row.other))[:_MOST]


def _workers(commits: Sequence[Commit], found: Structure) -> list[Worker]:
    count = Counter(commit.author for commit in commits)
    where: dict[str, Counter[str]] = defaultdict(Counter)
    for commit in commits:
        where[commit.author].update({found.part_of[file] for file in commit.files if file in found.part_of})
    return [
        Worker(name, number, next((part for part, _ in where[name].most_common(1)), ""))
        for name, number in count.most_common(_MOST)
    ]
