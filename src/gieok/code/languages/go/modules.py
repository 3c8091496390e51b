"""Resolve Go imports to folders, by go.mod, go.work, `vendor/` and the standard library.

Without a go.mod, an import is resolved by the end of its path.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple, Self

from gieok.code.languages.go.standard import STANDARD
from gieok.code.languages.language import Language
from gieok.code.model.facts import Builder, Facts, Op
from gieok.code.resolve.hierarchy import Hierarchy
from gieok.code.resolve.import_links import PackageLinker, Target

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)', re.MULTILINE)
_REPLACED = re.compile(
    r"^\s*(?:replace\s+)?([^\s()/]\S*)(?:\s+v\S+)?\s*=>\s*(\.\.?(?:/\S*)?)\s*(?://.*)?$",
    re.MULTILINE,
)
#: Hosts whose projects have an owner: `github.com/owner/project`.
_OWNED = frozenset(("github.com", "gitlab.com", "bitbucket.org", "codeberg.org"))


class Module(NamedTuple):
    """A go.mod: its folder, the path that its packages' imports begin with, and its replacements.

    Replacements map module paths to folders.
    """

    folder: str
    path: str
    replaced: Mapping[str, str]


class GoManifest(Language):
    """A go.mod or go.work."""

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return facts whose `package` is JSON: `{"module", "replaced"}`."""
        del parser
        module = _MODULE.search(text)
        fields = {"module": module[1] if module else "", "replaced": dict(_REPLACED.findall(text))}
        builder = Builder(self.name, text.count("\n") + 1)
        builder.package = json.dumps(fields, sort_keys=True)
        return builder.finish()


class GoLinker(PackageLinker):
    """Linker of Go: imports are resolved by modules, and files of one folder share their names."""

    def __init__(
        self,
        sources: Iterable[str],
        manifests: Mapping[str, str],
        imported: Iterable[tuple[str, str]],
    ) -> None:
        own = {path: path.rpartition("/")[0] for path in sources}
        super().__init__({**own, **{path: f"<{path}>" for path in manifests}})
        self.packages = set(own.values())
        self._modules = sorted(_iter_go_modules(manifests), key=lambda m: (-len(m.path), m.folder))
        self._folders = {module.folder for module in self._modules if module.path}
        self._root = self._guessed(module for path, module in imported if self._home(path) is None)

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Make the linker of a project's Go files and manifests."""
        manifests = {
            path: facts.package
            for path, facts in files
            if facts.language == "go.mod" and facts.package
        }
        sources = [(path, facts) for path, facts in files if facts.language != "go.mod"]
        imported = (
            (path, str(row[2]))
            for path, facts in sources
            for row in facts.top
            if row[0] == Op.IMPORT
        )
        return cls([path for path, _ in sources], manifests, imported)

    def relate(self, hierarchy: Hierarchy) -> None:
        """Make each type a subclass of the interfaces whose methods it has all.

        Such methods are named `<method(types)types>`.
        """
        attributes = hierarchy.attributes
        interfaces = {
            owner: methods
            for owner, names in enumerate(attributes)
            if (methods := [name[1:-1] for name in names if name[:1] == "<"])
        }
        by_method: dict[str, set[int]] = defaultdict(set)
        for owner in range(len(attributes)) if interfaces else ():
            for base in hierarchy.linear(owner) if owner not in interfaces else ():
                for name in attributes[base]:
                    by_method[name].add(owner)
        for owner, methods in interfaces.items():
            for below in sorted(set.intersection(*(by_method[name] for name in methods))):
                hierarchy.inherit(below, owner, len(hierarchy.bases(below)))

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the folder that an import names.

        For a package outside of the project, the result is the import path.
        """
        del name, level
        folder = self.package(importer, module)
        return Target(space=folder) if folder is not None else Target(external=module)

    def is_handed_out(self, file: str) -> bool:
        """Return False for test files: go builds them only for the tests of their own folder."""
        return not file.endswith("_test.go")

    def package(self, importer: str, module: str) -> str | None:
        """Return the folder that an import names; None for a package outside of the project."""
        if module.startswith("."):
            return self._known(f"{importer.rpartition('/')[0] or '.'}/{module}")
        vendored = self._vendored(importer, module)
        if vendored is not None:
            return vendored
        home = self._home(importer)
        for where in (home, ""):  # `replace` counts in the main module and in go.work alone
            for go_module in self._modules:
                if (
                    go_module.folder == where
                    and (folder := self._below(go_module.replaced, go_module.folder, module))
                    is not None
                ):
                    return folder
        for go_module in self._modules:
            if go_module.path and _is_in_module(module, go_module.path):
                return self._known(f"{go_module.folder or '.'}/{module[len(go_module.path) :]}")
        return self._by_end(module) if home is None and module not in STANDARD else None

    def _below(self, replaced: Mapping[str, str], folder: str, module: str) -> str | None:
        path = max(
            (path for path in replaced if _is_in_module(module, path)), key=len, default=None
        )
        return (
            self._known(f"{folder or '.'}/{replaced[path]}/{module[len(path) :]}")
            if path is not None
            else None
        )

    def _known(self, place: str) -> str | None:
        folder = normpath(place)
        folder = "" if folder == "." else folder
        return folder if folder in self.packages else None

    def _home(self, path: str) -> str | None:
        """Return the folder of the nearest go.mod around a file; None where there is none."""
        return next(
            (folder for folder in _list_folders_above(path) if folder in self._folders), None
        )

    def _vendored(self, importer: str, module: str) -> str | None:
        places = (
            f"{folder}/vendor/{module}" if folder else f"vendor/{module}"
            for folder in _list_folders_above(importer)
        )
        return next((place for place in places if place in self.packages), None)

    # Without a go.mod

    def _by_end(self, module: str) -> str | None:
        """Return the folder of a module path, found by the end of the path.

        The folder is below `src`, has this very path, or is below the prefix that the project's own
        imports begin with.
        """
        exact = [f for f in self.packages if f and (f == module or f.endswith(f"src/{module}"))]
        if exact:
            return min(exact, key=lambda f: (len(f), f))
        return (
            self._known(f"./{module[len(self._root) :]}")
            if self._root and _is_in_module(module, self._root)
            else None
        )

    def _guessed(self, imported: Iterable[str]) -> str:
        """Return the commonest prefix of the imports that end in a folder of the project.

        Returns '' where the imports do not tell.
        """
        counts: Counter[str] = Counter()
        for module in imported:
            folders = (
                [f for f in self.packages if f and module.endswith(f"/{f}")]
                if module not in STANDARD
                else []
            )
            if folders:
                root = module[: -len(max(folders, key=len)) - 1]
                parts = root.split("/")
                if parts[0] not in _OWNED or len(parts) > 2:
                    counts[root] += 1
        most = max(counts.values(), default=0)
        likely = sorted(root for root, count in counts.items() if count == most)
        return likely[0] if len(likely) == 1 else ""


def _iter_go_modules(manifests: Mapping[str, str]) -> Iterable[Module]:
    for path, text in manifests.items():
        fields = json.loads(text)
        yield Module(path.rpartition("/")[0], fields["module"], fields["replaced"])


def _is_in_module(module: str, path: str) -> bool:
    return module == path or module.startswith(f"{path}/")


def _list_folders_above(path: str) -> Sequence[str]:
    """Return the folders around a file, from the nearest to the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]
