"""Java."""

from collections.abc import Sequence

from gieok.code.languages.java import reader
from gieok.code.languages.language import Family, Language
from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import LinkRules, PackageLinker, Target


class _Linker(PackageLinker):
    """Linker of Java: imports are dotted names, and files of one package share their names."""

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
        """Return the package that a dotted name belongs to."""
        del importer
        return module


def _build_java_rules(files: Sequence[tuple[str, Facts]]) -> LinkRules:
    return LinkRules(_Linker({path: facts.package for path, facts in files}))


LANGUAGES = (
    Language(
        "java",
        reader.read,
        (".java",),
        family=Family("java", _build_java_rules),
        grammar="tree_sitter_java:language",
        tests=r".*Tests?|.*TestCase|.*IT",
        reexports=("package-info.java",),
    ),
)
