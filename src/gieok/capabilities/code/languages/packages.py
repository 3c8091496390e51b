"""What the linkers share of languages whose packages are no values and whose files share the names of their package."""

from collections.abc import Mapping


class PackageLinker:
    """Imports by package. Subclasses add `target`."""

    def __init__(self, spaces: Mapping[str, str]) -> None:
        self.spaces = spaces
        self.packages = set(spaces.values())

    def package(self, importer: str, module: str) -> str | None:
        """Return the package of the project that an import names."""
        raise NotImplementedError

    def member(self, file: str, name: str) -> str | None:
        """Return None: packages are not values here."""
        del file, name
        return None

    def all_of(self, importer: str, module: str, level: int) -> list[str]:
        """Return one file of the package, the importer's own without a name: its names are the package's."""
        del level
        space = self.package(importer, module) if module else self.spaces.get(importer)
        return [path for path, other in self.spaces.items() if other == space and space is not None][:1]
