"""Decide which files are ignored: by git inside a repository, else by `.gitignore` patterns."""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from gieok import fs
from gieok.places.home import PROJECT_FOLDER

if TYPE_CHECKING:
    from gieok.machine.git import Git

#: Never scanned, even where git lists what is in them: copies of other people's packages.
_PACKAGE_FOLDERS = frozenset(("node_modules", "site-packages"))
#: With Gieok's own files, and git's.
_NEVER_SCANNED = _PACKAGE_FOLDERS | {PROJECT_FOLDER, ".git"}
#: Never scanned where git does not say which files are the project's: build output and third-party
#: code.
_SKIPPED_FOLDERS = frozenset(
    """
        .git .hg .svn .gieok .venv venv env node_modules bower_components vendor third_party
        __pycache__ .tox .nox .mypy_cache .pytest_cache .ruff_cache .idea .vscode .next
        .nuxt .gradle .cargo site-packages dist-packages .eggs dist build target coverage
        htmlcov .cache
    """.split()
)
#: Subset: folders that a project may track as its own source, so that files left out there are
#: counted.
_PERHAPS_OWN = frozenset("build dist target coverage env vendor third_party".split())
#: Number of entries that are examined to find whether such a folder, outside of git, holds source.
_MOST_LOOKED_AT = 2_000
#: Subset: folders that are scanned all the same if they are a Python package
#: (`src/build/__init__.py`).
_PERHAPS_SOURCE = frozenset("build dist target coverage env vendor".split())


#: A larger `.gitignore` is not read.
_LARGEST_BYTES = 1_000_000


class IgnoreRules(NamedTuple):
    """Sources of ignore rules.

    These are the user's patterns, and git or, outside of repositories, `.gitignore`.
    """

    patterns: tuple[str, ...] = ()
    versions: "Git | None" = None


class _UntrackedOutput:
    """Judge of folders that git lists, and that are build output or third-party code.

    Such a folder is named like one, and git tracks nothing in it: nobody has said yet whether it is
    the project's own. A folder in which a file is tracked is read, with its new files.
    """

    def __init__(
        self, root: Path, versions: "Git", repositories: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        """`repositories`: those of `versions.list_repositories`, where they are listed already."""
        self._root = root
        self._versions = versions
        self._repositories = repositories
        #: Folder → whether it is named like build output.
        self._named: dict[str, bool] = {}

    @cached_property
    def _tracked_folders(self) -> frozenset[str]:
        """Return the folders of such names in which git tracks a file."""
        repositories = self._repositories
        if repositories is None:
            repositories = self._versions.list_repositories() or {}
        return frozenset(
            folder
            for path in self._versions.find_tracked(repositories)
            for folder in _list_parent_folders(path)
            if folder.rpartition("/")[2] in _SKIPPED_FOLDERS
        )

    def find_folder(self, path: str) -> str:
        """Return the outermost such folder above a path; '' for none."""
        for folder in _list_parent_folders(path):
            if folder not in self._named:
                self._named[folder] = _is_build_output(self._root / folder)
            if self._named[folder] and folder not in self._tracked_folders:
                return folder
        return ""


class _Level(NamedTuple):
    """Patterns of one `.gitignore` file.

    `base` is the folder that the file is in; `above` leads from a folder above the project to the
    project.
    """

    base: str
    above: str
    patterns: GitIgnoreSpec

    def says(self, path: str) -> bool | None:
        """Return whether a path is ignored; None where no pattern matches it.

        A folder has a slash behind its path.
        """
        return self.patterns.check_file(self.above + path[len(self.base) :]).include


def iter_unignored_files(
    root: Path,
    rules: IgnoreRules,
    wanted: Callable[[str], object] = str,
    by_name: Counter[str] | None = None,
) -> Iterator[tuple[str, Path]]:
    """Yield the `wanted` files that are not ignored.

    Links to folders are not followed, because a loop of links would never end.

    Where git lists the files, only copies of other people's packages are left out for their name,
    and what is named like build output and not tracked: a folder `build` in which git tracks a file
    is source. `by_name` gets each folder that is left out only
    because of its name and may hold source of the project, with the number of wanted files that git
    lists in it; outside of git, with 1.
    """
    by_name = Counter() if by_name is None else by_name
    repositories = rules.versions.list_repositories() if rules.versions is not None else None
    if rules.versions is None or repositories is None:
        yield from (
            file for file in _walk_unignored_files(root, rules, wanted, by_name) if wanted(file[0])
        )
        return
    own, known = _parse_ignore_patterns(rules.patterns), dict[str, bool]()
    output = _UntrackedOutput(root, rules.versions, repositories)
    for path in sorted(filter(wanted, frozenset().union(*repositories.values()))):
        if _is_scanned_file(root, path, own, known):
            full = root / path
            if folder := output.find_folder(path):
                by_name[folder] += full.is_file()
                continue
            if full.is_file() or full.is_symlink():  # what is tracked may be gone, or a folder now
                yield path, full
        elif (folder := _left_out_by_name(root, path, own)) and (root / path).is_file():
            by_name[folder] += 1


def iter_folder_files(root: Path, folder: str, rules: IgnoreRules) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder that is left out for its name, sorted by path.

    Where git lists files, they are those that it lists; elsewhere all.
    """
    listed = rules.versions.files() if rules.versions is not None else None
    if listed is not None:
        yield from ((path, root / path) for path in sorted(listed) if path.startswith(folder))
        return
    for here, folders, names in os.walk(root / folder):
        folders.sort()
        for name in sorted(names):
            file = Path(here, name)
            yield file.relative_to(root).as_posix(), file


def left_out(root: Path, paths: Sequence[str], rules: IgnoreRules) -> AbstractSet[str]:
    """Return those of `paths` that are ignored; the paths need not exist."""
    own, known = _parse_ignore_patterns(rules.patterns), dict[str, bool]()
    ignored = rules.versions.ignored(paths) if rules.versions is not None else None
    if rules.versions is not None and ignored is not None:
        output = _UntrackedOutput(root, rules.versions)
        return ignored | {
            path
            for path in paths
            if not _is_scanned_file(root, path, own, known) or output.find_folder(path)
        }
    return {
        path
        for path in paths
        if _is_matched(root, path)
        or any(_is_build_output(root / folder) for folder in _list_parent_folders(path))
        or not _is_scanned_file(root, path, own, known)
    }


def _is_scanned_file(root: Path, path: str, own: GitIgnoreSpec, known: dict[str, bool]) -> bool:
    """Say whether the user's patterns and third-party folders leave a file to git's rules."""
    folder = path.rpartition("/")[0]
    return _is_scanned_folder(root, folder, own, known) and not own.check_file(path).include


def _is_scanned_folder(root: Path, folder: str, own: GitIgnoreSpec, known: dict[str, bool]) -> bool:
    """Say whether a folder and those above it are scanned."""
    if not folder:
        return True
    if folder not in known:
        here = root / folder
        known[folder] = (
            _is_scanned_folder(root, folder.rpartition("/")[0], own, known)
            and here.name not in _NEVER_SCANNED
            and not here.is_symlink()
            and not own.check_file(f"{folder}/").include
        )
    return known[folder]


def _is_build_output(folder: Path) -> bool:
    """Say whether a folder holds build output or third-party code, judged without git."""
    if folder.name not in _SKIPPED_FOLDERS:
        return False
    return folder.name not in _PERHAPS_SOURCE or not (folder / "__init__.py").is_file()


def _list_parent_folders(path: str) -> list[str]:
    """Return the folders above a path, outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _left_out_by_name(root: Path, path: str, own: GitIgnoreSpec) -> str:
    """Return the folder of other people's packages above a path, or ''.

    Folders that the user's patterns ignore, and Gieok's own, are not returned.
    """
    for folder in _list_parent_folders(path):
        if own.check_file(f"{folder}/").include or (root / folder).is_symlink():
            return ""
        if (name := folder.rpartition("/")[2]) in _NEVER_SCANNED:
            return folder if name in _PACKAGE_FOLDERS else ""
    return ""


def _has_wanted_file(folder: Path, wanted: Callable[[str], object]) -> bool:
    """Return whether a folder holds a wanted file, judged by its first entries."""
    looked_at = 0
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS - _PERHAPS_OWN]
        looked_at += len(names) + 1
        if any(map(wanted, names)):
            return True
        if looked_at > _MOST_LOOKED_AT:
            return False
    return False


def _walk_unignored_files(
    root: Path, rules: IgnoreRules, wanted: Callable[[str], object], by_name: Counter[str]
) -> Iterator[tuple[str, Path]]:
    own = _parse_ignore_patterns(rules.patterns)
    stack = [("", _levels_above(root))]
    while stack:
        folder, inherited = stack.pop()
        here = root / folder
        levels = [*_read_folder_patterns(root, folder), *inherited]
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            shown = f"{path}/" if is_folder else path
            if own.check_file(shown).include or _is_ignored_at(levels, shown):
                continue
            if not is_folder:
                yield path, Path(entry.path)
            elif not _is_build_output(Path(entry.path)):
                stack.append((path, levels))
            elif entry.name in _PERHAPS_OWN and _has_wanted_file(Path(entry.path), wanted):
                by_name[path] = 1


def _is_matched(root: Path, path: str) -> bool:
    """Return whether `.gitignore` patterns ignore a path or a folder above it."""
    levels = _levels_above(root)
    parts = path.split("/")
    for depth in range(len(parts)):
        folder = "/".join(parts[:depth])
        levels = [*_read_folder_patterns(root, folder), *levels]
        step = "/".join(parts[: depth + 1])
        if _is_ignored_at(
            levels, step + ("/" if depth + 1 < len(parts) or (root / step).is_dir() else "")
        ):
            return True
    return False


def _is_ignored_at(levels: Sequence[_Level], path: str) -> bool:
    """Return whether the nearest file with a matching pattern ignores a path."""
    return next((verdict for level in levels if (verdict := level.says(path)) is not None), False)


def _levels_above(root: Path) -> list[_Level]:
    """Return the patterns of the enclosing repository that hold for the project, nearest first.

    They come from folders outside of the project. None hold for a project that the repository
    ignores, because such a project does not belong to the repository.
    """
    levels: list[_Level] = []
    above = ""
    for folder in (root, *root.parents):
        if folder != root:
            levels += _read_ignore_level(folder / ".gitignore", "", above)
        if (folder / ".git").exists():
            levels += _read_ignore_level(folder / ".git" / "info" / "exclude", "", above)
            return [] if above and _is_ignored_at(levels, "") else levels
        above = f"{folder.name}/{above}"
    return []


def _read_folder_patterns(root: Path, folder: str) -> list[_Level]:
    """Return the patterns in a folder of the project; '' is the project itself."""
    return _read_ignore_level(root / folder / ".gitignore", f"{folder}/" if folder else "")


def _read_ignore_level(file: Path, base: str, above: str = "") -> list[_Level]:
    try:
        lines = fs.read_regular_file(file, _LARGEST_BYTES).decode("utf-8", "replace").split("\n")
    except OSError:
        return []
    return [_Level(base, above, _parse_ignore_patterns(lines))]


def _parse_ignore_patterns(lines: Sequence[str]) -> GitIgnoreSpec:
    """Return compiled patterns; an invalid one (`!` alone) matches nothing, as in git."""
    parsed: list[GitIgnoreSpecPattern] = []
    # `[[]x` as a Python regular expression raises a FutureWarning
    with warnings.catch_warnings(action="ignore", category=FutureWarning):
        for line in lines:
            with suppress(ValueError):
                parsed.append(GitIgnoreSpecPattern(line))
    return GitIgnoreSpec(parsed)
