"""Go."""

from collections import defaultdict
from collections.abc import Sequence

from gieok.capabilities.code.languages.go import reader
from gieok.capabilities.code.languages.language import Family, Language
from gieok.capabilities.code.model.facts import Facts
from gieok.capabilities.code.resolve.hierarchy import Hierarchy
from gieok.capabilities.code.resolve.linking import LinkRules, PackageLinker, Target


class _Linker(PackageLinker):
    """Imports by paths that end in a folder of the project; files of one folder share their names."""

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the package that an import names."""
        del name, level
        found = self.package(importer, module)
        return Target(space=found) if found is not None else Target(external=module)

    def is_handed_out(self, file: str) -> bool:
        """Leave out files with tests: go builds them only for the tests of their own folder."""
        return not file.endswith("_test.go")

    def package(self, importer: str, module: str) -> str | None:
        """Return the longest folder that a path ends in."""
        folders = [f for f in self.packages if f and (module == f or module.endswith(f"/{f}"))]
        if folders:
            return max(folders, key=lambda f: (len(f), f))
        # host/owner/project without more is the project's own root, if files below it import it.
        is_root = "" in self.packages and "." in module.partition("/")[0] and module.count("/") == 2
        return "" if is_root and "/" in importer else None


def _satisfy(hierarchy: Hierarchy) -> None:
    """Put a type that has every method of an interface (named `<method>`) below it."""
    attributes = hierarchy.attributes
    wanted = {
        owner: methods
        for owner, names in enumerate(attributes)
        if (methods := [name[1:-1] for name in names if name[:1] == "<"])
    }
    by_method: dict[str, set[int]] = defaultdict(set)
    for owner in range(len(attributes)) if wanted else ():
        for base in hierarchy.linear(owner) if owner not in wanted else ():
            for name in attributes[base]:
                by_method[name].add(owner)
    for owner, methods in wanted.items():
        for below in sorted(set.intersection(*(by_method[name] for name in methods))):
            hierarchy.inherit(below, owner, len(hierarchy.bases(below)))


def _rules(files: Sequence[tuple[str, Facts]]) -> LinkRules:
    return LinkRules(_Linker({path: path.rpartition("/")[0] for path, _ in files}), relate=_satisfy)


LANGUAGES = (
    Language(
        "go", reader.read, (".go",), family=Family("go", _rules), grammar="tree_sitter_go:language", tests=r".*_test",
        reexports=("doc.go",),
    ),
)  # fmt: skip
