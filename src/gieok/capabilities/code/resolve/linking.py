"""What an import names, by language. The solver asks; it knows no language."""

from collections.abc import Iterable, Mapping
from posixpath import normpath
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from gieok.capabilities.code.resolve.modules import Modules


class Target(NamedTuple):
    """What an import names: a file, a module inside a package, a folder of modules, or something outside."""

    file: str | None = None
    member: str | None = None
    package: str = ""
    external: str = ""
    #: The package in whose space of names the rest is looked up (Java, Go), and what follows inside of what is found.
    space: str | None = None
    path: tuple[str, ...] = ()


class Linker(Protocol):
    """The imports of one language."""

    #: File → the package whose names it shares with other files; empty where every file has its own.
    spaces: Mapping[str, str]

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what `from module import name` means in the file `importer` (`name` may be empty)."""

    def member(self, file: str, name: str) -> str | None:
        """Return the module that lies inside the package whose file is given."""

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the files whose names `from module import *` brings."""


class PythonLinker:
    """Python's imports: absolute ones from every source root, relative ones by folders."""

    spaces: Mapping[str, str] = MappingProxyType({})

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
    """Imports by path, by the project's own packages, by the paths of the nearest `tsconfig.json`; `@/` and `~/` as roots."""

    spaces: Mapping[str, str] = MappingProxyType({})

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, Mapping[str, Any]] = MappingProxyType({})) -> None:
        self._known = set(paths)
        self._roots = sorted(
            {path.partition("/src/")[0] + "/src" for path in self._known if "/src/" in path} | {"src", "", "."}
        )
        #: Folder → what its package.json gives for it; name of a package → its folder.
        self._mains: dict[str, str] = {}
        self._packages: dict[str, str] = {}
        #: Folder → (pattern, places) and the base of its tsconfig.json.
        self._aliases: dict[str, tuple[str, dict[str, list[str]]]] = {}
        for path, said in sorted(manifests.items()):
            folder, _, file = path.rpartition("/")
            if file == "package.json":
                self._mains[folder] = said["main"]
                self._packages.setdefault(said["name"], folder)
            elif said["paths"] or said["base"]:
                self._aliases.setdefault(folder, (said["base"], said["paths"]))

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what an import names."""
        del level
        file = self._find(importer, module)
        return Target(file) if file is not None else Target(external=f"{module}.{name}" if name else module)

    def member(self, file: str, name: str) -> str | None:
        """Return None: modules hold no modules."""
        del file, name
        return None

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the file of `export * from`."""
        del level
        file = self._find(importer, module)
        return [file] if file is not None else []

    def _find(self, importer: str, module: str) -> str | None:
        if module.startswith("."):
            return self._file(normpath(f"{importer.rpartition('/')[0] or '.'}/{module}"))
        found = self._aliased(importer, module)
        if found is None and module.startswith(("@/", "~/")):
            places = (self._file(normpath(f"{root}/{module[2:]}")) for root in self._roots)
            found = next((file for file in places if file is not None), None)
        return found if found is not None else self._packaged(module)

    def _aliased(self, importer: str, module: str) -> str | None:
        """Return what the `paths` or the `baseUrl` of the nearest tsconfig.json make of a name."""
        folder = importer
        while folder and self._aliases:
            folder = folder.rpartition("/")[0]
            base, paths = self._aliases.get(folder, ("", {}))
            start = f"{folder or '.'}/{base or '.'}"
            for pattern in sorted(paths, key=len, reverse=True):
                head, star, tail = pattern.partition("*")
                if module.startswith(head) and module.endswith(tail) if star else module == pattern:
                    middle = module[len(head) : len(module) - len(tail)] if star else ""
                    places = (self._file(normpath(f"{start}/{place.replace('*', middle)}")) for place in paths[pattern])
                    if (file := next((f for f in places if f is not None), None)) is not None:
                        return file
            if base and (file := self._file(normpath(f"{start}/{module}"))) is not None:
                return file
        return None

    def _packaged(self, module: str) -> str | None:
        """Return what a package of the project, or a file inside of it, is."""
        name = module
        while name and name not in self._packages:
            name = name.rpartition("/")[0]
        if not name:
            return None
        folder, inside = self._packages[name], module[len(name) + 1 :]
        if not inside:
            return self._file(folder or ".")
        places = (self._file(normpath(f"{folder or '.'}/{start}{inside}")) for start in ("", "src/", "lib/"))
        return next((file for file in places if file is not None), None)

    def _file(self, place: str) -> str | None:
        bare = place.removesuffix(".js").removesuffix(".jsx").removesuffix(".mjs").removesuffix(".cjs")
        for path in (place, *(f"{base}{suffix}" for base in dict.fromkeys((place, bare)) for suffix in _SUFFIXES)):
            if path in self._known:
                return path
        folder = "" if place == "." else place
        inside = f"{folder}/" if folder else ""
        mains = [self._mains.get(folder, "")]
        mains += [f"src/{mains[0].removeprefix('./').partition('/')[2]}", "src/index"]  # what is built is not there
        for main in mains if folder in self._mains else ():
            if main and not main.endswith("/") and (file := self._file(normpath(inside + main))) is not None:
                return file
        return next((f"{inside}index{suffix}" for suffix in _SUFFIXES if f"{inside}index{suffix}" in self._known), None)


_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")


class PackageLinker:
    """Imports by package: Java's dotted names, Go's paths, which end in a folder of the project."""

    def __init__(self, spaces: Mapping[str, str], separator: str) -> None:
        self.spaces = spaces
        self._packages = set(spaces.values())
        self._separator = separator

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the package that an import names, and what inside of it."""
        del level
        if self._separator == "/":
            found = self._folder(importer, module)
            return Target(space=found) if found is not None else Target(external=module)
        parts = module.split(".")
        for length in range(len(parts) - 1, -1, -1):
            package = ".".join(parts[:length])
            if package in self._packages:
                return Target(space=package, path=tuple(parts[length:]))
        return Target(external=f"{module}.{name}" if name else module)

    def _folder(self, importer: str, module: str) -> str | None:
        folders = [f for f in self._packages if f and (module == f or module.endswith(f"/{f}"))]
        if folders:
            return max(folders, key=lambda f: (len(f), f))
        # host/owner/project without more is the project's own root, if files below it import it.
        is_root = "" in self._packages and "." in module.partition("/")[0] and module.count("/") == 2
        return "" if is_root and "/" in importer else None

    def member(self, file: str, name: str) -> str | None:
        """Return None: packages are not values here."""
        del file, name
        return None

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return one file of the package: its names are the package's."""
        del level
        space = (
            self.spaces.get(importer)
            if not module
            else module
            if self._separator == "."
            else self._folder(importer, module)
        )
        return [path for path, other in self.spaces.items() if other == space and space is not None][:1]


class RustLinker:
    """`crate::`, `self::` and `super::` paths over the tree of files below each `lib.rs` or `main.rs`."""

    spaces: Mapping[str, str] = MappingProxyType({})

    def __init__(self, paths: Iterable[str]) -> None:
        self._known = set(paths)
        self._roots = sorted(
            {p.rpartition("/")[0] for p in self._known if p.rpartition("/")[2] in ("lib.rs", "main.rs")},
            key=lambda r: (-len(r), r),
        )

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what a `use` names; behind a file, the way to it: `crate::shapes::Square::new`."""
        del level
        parts = module.split("::")
        file = self._find(importer, parts)
        member = self._find(importer, [*parts, name]) if name else None
        if file is None and member is None:
            for length in range(len(parts) - 1, 0, -1):
                if name and (file := self._find(importer, parts[:length])) is not None:
                    return Target(file, path=(*parts[length:], name))
            return Target(external=f"{module}.{name}" if name else module)
        return Target(file, member if member != file else None)

    def _find(self, importer: str, parts: list[str]) -> str | None:
        folder = self._folder_of(importer)
        root = next((r for r in self._roots if importer.startswith(f"{r}/" if r else "")), importer.rpartition("/")[0])
        first, rest = parts[0], parts[1:]
        if first == "crate":
            place = root
        elif first == "self":
            place = folder
        elif first == "super":
            place = folder.rpartition("/")[0] if not self._is_root(importer) else folder
            while rest[:1] == ["super"]:
                place, rest = place.rpartition("/")[0], rest[1:]
        else:
            place, rest = self._crate(first, folder, root), rest if self._is_crate(first) else parts
        return self._file("/".join(filter(None, (place, *rest))), root)

    def _is_crate(self, name: str) -> bool:
        return any(r.removesuffix("/src").rpartition("/")[2].replace("-", "_") == name for r in self._roots if r)

    def _crate(self, name: str, folder: str, root: str) -> str:
        del root
        named = (r for r in self._roots if r and r.removesuffix("/src").rpartition("/")[2].replace("-", "_") == name)
        return next(named, folder)

    def _is_root(self, path: str) -> bool:
        return path.rpartition("/")[2] in ("lib.rs", "main.rs")

    def _folder_of(self, path: str) -> str:
        """Return the folder in which a file's own modules lie."""
        folder, _, name = path.rpartition("/")
        return folder if name in ("lib.rs", "main.rs", "mod.rs") else path.removesuffix(".rs")

    def _file(self, place: str, root: str) -> str | None:
        inside = f"{place}/" if place else ""
        choices = [f"{place}.rs", f"{inside}mod.rs"]
        choices += [f"{inside}lib.rs", f"{inside}main.rs"] if place == root or place in self._roots else []
        return next((path for path in choices if path in self._known), None)

    def member(self, file: str, name: str) -> str | None:
        """Return the module below a module."""
        folder = self._folder_of(file)
        return self._file(f"{folder}/{name}" if folder else name, "")

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the file of `use module::*`."""
        del level
        file = self._find(importer, module.split("::"))
        return [file] if file is not None else []
