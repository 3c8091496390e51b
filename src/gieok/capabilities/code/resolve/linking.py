"""What an import names, by language. The solver asks; it knows no language."""

from collections.abc import Iterable
from posixpath import normpath
from typing import NamedTuple, Protocol

from gieok.capabilities.code.resolve.modules import Modules


class Target(NamedTuple):
    """What an import names: a file, a module inside a package, a folder of modules, or something outside."""

    file: str | None = None
    member: str | None = None
    package: str = ""
    external: str = ""
    #: The name inside of `file`, where it is another than the one that is imported.
    name: str = ""


class Linker(Protocol):
    """The imports of one language."""

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what `from module import name` means in the file `importer` (`name` may be empty)."""

    def member(self, file: str, name: str) -> str | None:
        """Return the module that lies inside the package whose file is given."""

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the files whose names `from module import *` brings."""


class PythonLinker:
    """Python's imports: absolute ones from every source root, relative ones by folders."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what an import names."""
        modules = self._modules
        if level:
            place = modules.relative(importer, level, module)
            file = modules.at(place)
            member = modules.at(f"{place}/{name}" if place != "." else name) if name else None
            return Target(file, member)
        file = modules.find(module, importer)
        dotted = f"{module}.{name}" if name else module
        member = modules.find(dotted, importer) if name else None
        if file is not None or member is not None:
            return Target(file, member)
        if modules.is_package(dotted):
            return Target(package=dotted)
        return Target(external=dotted)

    def member(self, file: str, name: str) -> str | None:
        """Return the submodule of a package."""
        folder, _, last = file.rpartition("/")
        if last not in ("__init__.py", "__init__.pyi"):
            return None
        return self._modules.at(f"{folder}/{name}" if folder else name)

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the file of a star import."""
        target = self.target(importer, module, "", level)
        return [target.file] if target.file is not None else []


class JavaScriptLinker:
    """Imports by path: relative to the file, with the extensions and index files that are left out; `@/` and `~/` as roots."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._known = set(paths)
        self._roots = sorted({path.partition("/src/")[0] + "/src" for path in self._known if "/src/" in path} | {"src", "", "."})

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what an import names."""
        del level
        file = self._find(importer, module)
        return Target(file) if file is not None else Target(external=f"{module}.{name}" if name else module)

    def member(self, file: str, name: str) -> str | None:
        """Return None: modules hold no modules."""
        del file, name

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the file of `export * from`."""
        del level
        file = self._find(importer, module)
        return [file] if file is not None else []

    def _find(self, importer: str, module: str) -> str | None:
        if module.startswith("."):
            return self._file(normpath(f"{importer.rpartition('/')[0] or '.'}/{module}"))
        if module.startswith(("@/", "~/")):
            found = (self._file(normpath(f"{root}/{module[2:]}")) for root in self._roots)
            return next((file for file in found if file is not None), None)
        return None

    def _file(self, place: str) -> str | None:
        bare = place.removesuffix(".js").removesuffix(".jsx").removesuffix(".mjs").removesuffix(".cjs")
        for path in (place, *(f"{base}{suffix}" for base in dict.fromkeys((place, bare)) for suffix in _SUFFIXES)):
            if path in self._known:
                return path
        inside = "" if place == "." else f"{place}/"
        return next((f"{inside}index{suffix}" for suffix in _SUFFIXES if f"{inside}index{suffix}" in self._known), None)


_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
