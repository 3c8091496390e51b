"""Resolve JavaScript imports to files: by path, by `package.json` and by `tsconfig.json`."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from posixpath import normpath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from gieok.code.languages.javascript.natives import NATIVES
from gieok.code.languages.language import Language
from gieok.code.model.facts import Builder, Facts
from gieok.code.resolve.import_links import Linker, Target

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
#: Comments and trailing commas, which tsconfig.json may have; quoted text is left alone.
_LOOSE = re.compile(r'("(?:[^"\\]|\\.)*")|/\*.*?\*/|//[^\n]*|,(?=\s*[}\]])', re.DOTALL)


class JavaScriptLinker(Linker):
    """Linker of JavaScript.

    Imports are resolved by path, by the project's own packages, and by the `paths` of the nearest
    `tsconfig.json`; `@/` and `~/` are roots.
    """

    natives = NATIVES
    is_by_path = True

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Make the linker of a project's files and manifests."""
        manifests = {
            path: json.loads(facts.package)
            for path, facts in files
            if facts.language == "manifest" and facts.package
        }
        return cls([path for path, _ in files], manifests)

    def __init__(
        self,
        paths: Iterable[str],
        manifests: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._known = set(paths)
        #: (folder of the importer, module) → the file that the module is in.
        self._found: dict[tuple[str, str], str | None] = {}
        self._roots = sorted(
            {path.partition("/src/")[0] + "/src" for path in self._known if "/src/" in path}
            | {"src", "", "."}
        )
        #: Folder → the file that its package.json exports; name of a package → its folder.
        self._mains: dict[str, str] = {}
        self._packages: dict[str, str] = {}
        #: Folder → what `exports` ("./util") and `imports` ("#util") of its package.json say, with
        #: `*`.
        self._entries: dict[str, dict[str, list[str]]] = {}
        #: Folder → (pattern, targets) and the base folder of its tsconfig.json.
        self._aliases: dict[str, tuple[str, dict[str, list[str]]]] = {}
        for path, manifest in sorted(manifests.items()):
            folder, _, file = path.rpartition("/")
            if file == "package.json":
                self._mains[folder] = manifest["main"]
                self._entries[folder] = manifest["entries"]
                self._packages.setdefault(manifest["name"], folder)
            elif manifest["paths"] or manifest["base"]:
                self._aliases.setdefault(folder, (manifest["base"], manifest["paths"]))

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return what an import names."""
        del level
        file = self._find(importer, module)
        return (
            Target(file)
            if file is not None
            else Target(external=f"{module}.{name}" if name else module)
        )

    def _find(self, importer: str, module: str) -> str | None:
        """Return the file of a module, which is the same for all importers in a folder."""
        place = (importer.rpartition("/")[0], module)
        if place not in self._found:
            self._found[place] = self._look_for(importer, module)
        return self._found[place]

    def _look_for(self, importer: str, module: str) -> str | None:
        if module.startswith("."):
            return self._file(normpath(f"{importer.rpartition('/')[0] or '.'}/{module}"))
        path = self._aliased(importer, module)
        if path is None and module.startswith("#"):
            folders = (
                importer[:at]
                for at in range(len(importer), -1, -1)
                if importer[at : at + 1] == "/" or not at
            )
            return next((self._entered(f, module) for f in folders if f in self._entries), None)
        if path is None and module.startswith(("@/", "~/")):
            places = (self._file(normpath(f"{root}/{module[2:]}")) for root in self._roots)
            path = next((file for file in places if file is not None), None)
        return path if path is not None else self._packaged(module)

    def _aliased(self, importer: str, module: str) -> str | None:
        """Return the file that the nearest tsconfig.json gives for a name, by `paths` or
        `baseUrl`.
        """
        folder = importer
        while folder and self._aliases:
            folder = folder.rpartition("/")[0]
            base, paths = self._aliases.get(folder, ("", {}))
            start = f"{folder or '.'}/{base or '.'}"
            for pattern in sorted(paths, key=len, reverse=True):
                head, star, tail = pattern.partition("*")
                if module.startswith(head) and module.endswith(tail) if star else module == pattern:
                    middle = module[len(head) : len(module) - len(tail)] if star else ""
                    places = (
                        self._file(normpath(f"{start}/{place.replace('*', middle)}"))
                        for place in paths[pattern]
                    )
                    if (file := next((f for f in places if f is not None), None)) is not None:
                        return file
            if base and (file := self._file(normpath(f"{start}/{module}"))) is not None:
                return file
        return None

    def _packaged(self, module: str) -> str | None:
        """Return the file of a package of the project, or of a path inside of such a package."""
        name = module
        while name and name not in self._packages:
            name = name.rpartition("/")[0]
        if not name:
            return None
        folder, inside = self._packages[name], module[len(name) + 1 :]
        if not inside:
            return self._file(folder or ".")
        entered = self._entered(folder, f"./{inside}")
        places = (
            self._file(normpath(f"{folder or '.'}/{start}{inside}"))
            for start in ("", "src/", "lib/")
        )
        return entered or next((file for file in places if file is not None), None)

    def _entered(self, folder: str, name: str) -> str | None:
        """Return the file that a package exports under a name.

        For a built file, the source is searched in `src`.
        """
        for key, places in self._entries.get(folder, {}).items():
            head, star, tail = key.partition("*")
            if not (name.startswith(head) and name.endswith(tail) if star else name == key):
                continue
            middle = name[len(head) : len(name) - len(tail)] if star else ""
            for place in (pattern.replace("*", middle).removeprefix("./") for pattern in places):
                for path in (place, f"src/{place.partition('/')[2]}"):
                    if (file := self._file(normpath(f"{folder or '.'}/{path}"))) is not None:
                        return file
        return None

    def _file(self, place: str) -> str | None:
        bare = (
            place.removesuffix(".js").removesuffix(".jsx").removesuffix(".mjs").removesuffix(".cjs")
        )
        for path in (
            place,
            *(f"{base}{suffix}" for base in dict.fromkeys((place, bare)) for suffix in _SUFFIXES),
        ):
            if path in self._known:
                return path
        folder = "" if place == "." else place
        inside = f"{folder}/" if folder else ""
        mains = [self._mains.get(folder, "")]
        # built files are not in the repository
        mains += [f"src/{mains[0].removeprefix('./').partition('/')[2]}", "src/index"]
        for main in mains if folder in self._mains else ():
            if (
                main
                and not main.endswith("/")
                and (file := self._file(normpath(inside + main))) is not None
            ):
                return file
        return next(
            (
                f"{inside}index{suffix}"
                for suffix in _SUFFIXES
                if f"{inside}index{suffix}" in self._known
            ),
            None,
        )


class JavaScriptManifest(Language):
    """A package.json, tsconfig.json or jsconfig.json."""

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return facts whose `package` is JSON: `{"name", "main", "entries", "paths", "base"}`.

        Raises ValueError where the file is no manifest.
        """
        del parser
        content: Any = json.loads(_LOOSE.sub(lambda match: match[1] or "", text))
        if not isinstance(content, dict):
            raise ValueError("not an object")  # noqa: TRY004 - of the file's text
        options = content.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        paths = options.get("paths")
        manifest = {
            "name": _parse_manifest_text(content.get("name")),
            "main": _find_exports_entry(content.get("exports"))
            or _parse_manifest_text(content.get("module"))
            or _parse_manifest_text(content.get("main")),
            "entries": {
                key: _list_export_leaves(value)
                for section in (content.get("exports"), content.get("imports"))
                for key, value in (section.items() if isinstance(section, dict) else ())
                if key[:1] in "#." and key != "."
            },
            "paths": {
                key: [_parse_manifest_text(place) for place in places]
                for key, places in paths.items()
                if isinstance(places, list)
            }
            if isinstance(paths, dict)
            else {},
            "base": _parse_manifest_text(options.get("baseUrl")),
        }
        builder = Builder(self.name, text.count("\n") + 1)
        builder.package = json.dumps(manifest, sort_keys=True)
        return builder.finish()


def _list_export_leaves(value: object) -> list[str]:
    """Return all files that an entry of `exports` may lead to, under any condition."""
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _list_export_leaves(inner)]
    return [value] if isinstance(value, str) else []


def _parse_manifest_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _find_exports_entry(exports: object) -> str:
    """Return the file that `exports` gives for the package itself.

    Of several conditions, the first that leads to a file counts.
    """
    if isinstance(exports, dict):
        inner = exports.get(".", None if any(key.startswith(".") for key in exports) else exports)
        places = list(inner.values()) if isinstance(inner, dict) else [inner]
        return next(filter(None, map(_find_exports_entry, places)), "")
    return _parse_manifest_text(exports)
