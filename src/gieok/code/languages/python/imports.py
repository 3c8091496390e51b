"""Resolve Python imports to files.

Covers source roots, packages with and without `__init__.py`, and relative imports.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Self

from gieok.code.languages.python.natives import NATIVES
from gieok.code.model.facts import Facts, Op
from gieok.code.resolve.import_links import Linker, Target

#: A folder with such a name is a root of imports, also when it is a package itself or has none
#: inside.
_ROOT_FOLDERS = frozenset(("src", "lib", "python"))
#: A project that is a package itself has the name by which it imports so many of its modules.
_FEWEST_OWN_IMPORTS = 2


class PythonLinker(Linker):
    """Linker of Python: absolute imports from every source root, relative ones by folders."""

    natives = NATIVES
    is_by_path = True

    def __init__(self, files: Sequence[tuple[str, Facts]]) -> None:
        self._modules = _Modules(path for path, _ in files)
        self._own_name = _find_own_name(files, self._modules)

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Make the linker of a project's Python files."""
        return cls(files)

    @property
    def is_by_files(self) -> bool:
        """Return whether imports name no package that only the imports themselves tell."""
        return not self._modules.is_package_root

    def provides(self, origin: str, path: str) -> bool:
        """Say whether pytest offers the fixtures of file `origin` to file `path`."""
        folder, _, name = origin.rpartition("/")
        return name == "conftest.py" and (not folder or path.startswith(f"{folder}/"))

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what an import names."""
        modules = self._modules
        if level:
            return modules.find_below(modules.relative(importer, level, module), name)
        first, _, inner = module.partition(".")
        if self._own_name and first == self._own_name:
            return modules.find_below(inner.replace(".", "/") or ".", name)
        file = modules.find(module, importer)
        dotted = f"{module}.{name}" if name else module
        member = modules.find(dotted, importer) if name else None
        if file is not None or member is not None:
            return Target(file, member)
        if modules.is_package(dotted):
            return Target(package=dotted)
        return Target(external=dotted)

    def member(self, file: str, name: str) -> str | None:
        """Return the submodule of a package that has this name."""
        folder, _, last = file.rpartition("/")
        if last not in ("__init__.py", "__init__.pyi"):
            return None
        return self._modules.at(f"{folder}/{name}" if folder else name)


def _find_own_name(files: Sequence[tuple[str, Facts]], modules: "_Modules") -> str:
    """Return the name of the package that a project's root is, as its files import it; else ''.

    A plug-in or a folder of site-packages is such a project. The folder that it lies in may have
    any name, so the name is the one of which every import is a module of the project.
    """
    if not modules.is_package_root:
        return ""
    found: dict[str, set[str]] = defaultdict(set)
    foreign = set(sys.stdlib_module_names)
    for module, name in _iter_absolute_imports(files):
        first, _, inner = module.partition(".")
        target = modules.find_below(inner.replace(".", "/") or ".", name)
        own = target.file if inner else target.member or target.file
        if modules.find(first, "") is not None or own is None:
            foreign.add(first)
        else:
            found[first].add(own)
    names = {
        name: own
        for name, own in found.items()
        if name not in foreign and len(own) >= _FEWEST_OWN_IMPORTS
    }
    return max(sorted(names), key=lambda name: len(names[name]), default="")


def _iter_absolute_imports(files: Sequence[tuple[str, Facts]]) -> Iterator[tuple[str, str]]:
    """Yield module and name, maybe '', of every import that is not relative."""
    for _, facts in files:
        for row in chain(facts.top, facts.inner):
            if row[0] == Op.IMPORT and not row[4]:
                yield str(row[2]), str(row[3])


class _Modules:
    """Importable Python files of a project, by dotted name; a file may have several names."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._known = set(self._paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._packages: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            for root in self._roots(path):
                self._add(path, root)

    def _roots(self, path: str) -> list[str]:
        """Return the folders from which a file may be imported.

        They are the folder above its topmost package, the project's root, and folders like `src`.
        """
        folder = PurePosixPath(path).parent
        package = folder
        while str(package) != "." and f"{package}/__init__.py" in self._known:
            package = package.parent
        named = [str(f) for f in (folder, *folder.parents) if f.name in _ROOT_FOLDERS]
        return list(dict.fromkeys([str(package), ".", *named]))

    def _add(self, path: str, root: str) -> None:
        relative = path if root == "." else path[len(root) + 1 :]
        name = relative.removesuffix(".pyi").removesuffix(".py").replace("/", ".")
        name = name.removesuffix(".__init__") if name != "__init__" else ""
        if path not in self._by_name[name]:
            self._by_name[name].append(path)
        while "." in name:
            name = name.rpartition(".")[0]
            folder = name.replace(".", "/") if root == "." else f"{root}/{name.replace('.', '/')}"
            if folder not in self._packages[name]:
                self._packages[name].append(folder)

    def find(self, name: str, importer: str) -> str | None:
        """Return the file of an absolute dotted name; of several, the nearest to the importer."""
        paths = self._by_name.get(name)
        if not paths:
            return None
        return (
            paths[0]
            if len(paths) == 1
            else min(paths, key=lambda path: (-_count_shared_folders(path, importer), path))
        )

    @property
    def is_package_root(self) -> bool:
        """Say whether the root of the project is a package itself."""
        return "__init__.py" in self._known

    def find_below(self, place: str, name: str) -> Target:
        """Return what `name`, maybe '', means in the folder or file, without suffix, of a place."""
        member = self.at(f"{place}/{name}" if place != "." else name) if name else None
        return Target(self.at(place), member)

    def is_package(self, name: str) -> bool:
        """Say whether a dotted name is a folder with modules below it."""
        return name in self._packages

    def relative(self, importer: str, level: int, module: str) -> str:
        """Return the folder or file, without suffix, that `from ..module import` means."""
        folder = PurePosixPath(importer).parent
        for _ in range(level - 1):
            folder = folder.parent
        return str(folder / module.replace(".", "/")) if module else str(folder)

    def at(self, place: str) -> str | None:
        """Return the file of a package folder, or of a module without its suffix."""
        prefix = "" if place == "." else f"{place}/"
        for path in (
            f"{prefix}__init__.py",
            f"{place}.py",
            f"{prefix}__init__.pyi",
            f"{place}.pyi",
        ):
            if path in self._known:
                return path
        return None


def _count_shared_folders(a: str, b: str) -> int:
    count = 0
    for x, y in zip(a.split("/"), b.split("/"), strict=False):
        if x != y:
            break
        count += 1
    return count
