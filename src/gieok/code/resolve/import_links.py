"""Interface between the solver, which knows no language, and a family of languages."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Self

from gieok.code.model.facts import Facts
from gieok.code.resolve.hierarchy import Hierarchy
from gieok.code.resolve.natives import COMMON, Natives


class Target(NamedTuple):
    """Target of an import: a file, a module inside a package, a folder of modules, or an
    external.
    """

    file: str | None = None
    member: str | None = None
    package: str = ""
    external: str = ""
    #: The package in whose namespace the name is looked up (Java, Go), and the path inside of the
    #: found value.
    space: str | None = None
    path: tuple[str, ...] = ()


class Linker(ABC):
    """What a family of languages says of the files at hand: imports, and rules of its own."""

    #: Models of builtins and libraries.
    natives: Natives = COMMON
    #: File → the package whose names it shares with other files; empty where every file has its own
    #: names.
    spaces: Mapping[str, str] = MappingProxyType({})
    #: Whether the modules inside of packages are known by the paths of the files alone, and a
    #: change that stays inside of a file may be linked alone.
    is_by_path: ClassVar[bool] = False

    @property
    def is_by_files(self) -> bool:
        """Return whether what imports mean depends on the paths of files and on manifests alone."""
        return True

    @classmethod
    @abstractmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Make the linker of a family's files, which are sorted by path."""

    @abstractmethod
    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the target of `from module import name` in the file `importer`.

        `name` may be empty.
        """

    def member(self, file: str, name: str) -> str | None:
        """Return the module inside a package, given by the package's file.

        None where modules of the language contain no modules.
        """
        del file, name
        return None

    def is_handed_out(self, file: str) -> bool:
        """Return whether importers of a package get the names of this file of the package."""
        del file
        return True

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the files whose names `from module import *` imports."""
        file = self.target(importer, module, "", level).file
        return [file] if file is not None else []

    def provides(self, origin: str, path: str) -> bool:
        """Say whether names that file `origin` provides are visible in another file `path`."""
        del origin, path
        return False

    def relate(self, hierarchy: Hierarchy) -> None:
        """Add bases that no class names: interfaces that a type satisfies by its methods."""
        del hierarchy


class PackageLinker(Linker):
    """Linker of a language whose packages are no values and share the names of their files."""

    def __init__(self, spaces: Mapping[str, str]) -> None:
        self.spaces = spaces
        self.packages = set(spaces.values())

    @abstractmethod
    def package(self, importer: str, module: str) -> str | None:
        """Return the package of the project that an import names."""

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return one file of the package, whose names are the package's.

        Without a module name, the file is the importer.
        """
        del level
        space = self.package(importer, module) if module else self.spaces.get(importer)
        return [
            path for path, other in self.spaces.items() if other == space and space is not None
        ][:1]
