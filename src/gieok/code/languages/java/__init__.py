"""Java."""

from collections.abc import Sequence
from typing import Self

from gieok.code.languages.java.reader import JavaReader
from gieok.code.languages.language import Family
from gieok.code.languages.tree import TreeLanguage
from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import PackageLinker, Target


class _Linker(PackageLinker):
    """Linker of Java: imports are dotted names, and files of one package share their names."""

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Make the linker of a project's Java files."""
        return cls({path: facts.package for path, facts in files})

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the package that an import names, and the name inside of the package."""
        del importer, level
        parts = module.split(".")
        for length in range(len(parts) - 1, -1, -1):
            package = ".".join(parts[:length])
            if package in self.packages:
                return Target(space=package, path=tuple(parts[length:]))
        return Target(external=f"{module}.{name}" if name else module)

    def package(self, importer: str, module: str) -> str | None:
        """Return the dotted name as it is, because an import of Java names its package."""
        del importer
        return module


LANGUAGES = (
    TreeLanguage(
        name="java",
        reader=JavaReader,
        extensions=(".java",),
        family=Family("java", _Linker),
        grammar="tree_sitter_java:language",
        tests=r".*Tests?|.*TestCase|.*IT",
        reexports=("package-info.java",),
    ),
)
