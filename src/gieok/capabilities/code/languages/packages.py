"""What the linkers share of languages whose packages are no values and whose files share the names of their package."""

from abc import abstractmethod
from collections.abc import Mapping

from gieok.capabilities.code.resolve.linking import Linker


class PackageLinker(Linker):
    """Imports by package. Subclasses add `target`."""

    def __init__(self, spaces: Mapping[str, str]) -> None:
        self.spaces = spaces
        self.packages = set(spaces.values())

    @abstractmethod
    def package(self, importer: str, module: str) -> str | None:
        """Return the package of the project that an import names."""

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return one file of the package, the importer's own without a name: its names are the package's."""
        del level
        space = self.package(importer, module) if module else self.spaces.get(importer)
        return [path for path, other in self.spaces.items() if other == space and space is not None][:1]
