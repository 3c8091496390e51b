"""What the solver must be told about a family of languages: it knows none."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from gieok.code.resolve.hierarchy import Hierarchy
from gieok.code.resolve.natives import COMMON, Natives


class Target(NamedTuple):
    """What an import names: a file, a module inside a package, a folder of modules, or something
    outside.
    """

    file: str | None = None
    member: str | None = None
    package: str = ""
    external: str = ""
    #: The package in whose space of names the rest is looked up (Java, Go), and what follows inside
    #: of what is found.
    space: str | None = None
    path: tuple[str, ...] = ()


class Linker(ABC):
    """The imports of one language."""

    #: File → the package whose names it shares with other files; empty where every file has its
    #: own.
    spaces: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what `from module import name` means in the file `importer` (`name` may be
        empty).
        """

    def member(self, file: str, name: str) -> str | None:
        """Return the module inside a package, by the package's file; None where modules hold no
        modules.
        """
        del file, name
        return None

    def is_handed_out(self, file: str) -> bool:
        """Say whether a file of a package belongs to what those outside of it import."""
        del file
        return True

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return the files whose names `from module import *` brings."""
        file = self.target(importer, module, "", level).file
        return [file] if file is not None else []


class PackageLinker(Linker):
    """Imports of a language whose packages are no values, and whose files share the names of their
    package.
    """

    def __init__(self, spaces: Mapping[str, str]) -> None:
        self.spaces = spaces
        self.packages = set(spaces.values())

    @abstractmethod
    def package(self, importer: str, module: str) -> str | None:
        """Return the package of the project that an import names."""

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return one file of the package, the importer's own without a name: its names are the
        package's.
        """
        del level
        space = self.package(importer, module) if module else self.spaces.get(importer)
        return [
            path for path, other in self.spaces.items() if other == space and space is not None
        ][:1]


class LinkRules(NamedTuple):
    """The rules of a family of languages, for the files at hand."""

    linker: Linker
    natives: Natives = COMMON
    #: (file of a provider, file that asks) → whether what the first provides by name is there for
    #: the second.
    provides: Callable[[str, str], bool] = lambda origin, path: origin == path
    #: Adds bases that no class names: types that satisfy an interface by what they have.
    relate: Callable[[Hierarchy], None] = lambda hierarchy: None
