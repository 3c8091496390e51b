"""Resolve Rust paths to files."""

from collections.abc import Iterable, Sequence
from typing import Self

from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import Linker, Target


class RustLinker(Linker):
    """Linker of Rust.

    Resolves `crate::`, `self::` and `super::` paths over the tree of files below each `lib.rs` or
    `main.rs`.
    """

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Make the linker of a project's Rust files."""
        return cls(path for path, _ in files)

    def __init__(self, paths: Iterable[str]) -> None:
        self._known = set(paths)
        self._roots = sorted(
            {
                p.rpartition("/")[0]
                for p in self._known
                if p.rpartition("/")[2] in ("lib.rs", "main.rs")
            },
            key=lambda r: (-len(r), r),
        )

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the target of a `use`: a file, and the path inside of it.

        `crate::shapes::Square::new` has such a path.
        """
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
        root = next(
            (r for r in self._roots if importer.startswith(f"{r}/" if r else "")),
            importer.rpartition("/")[0],
        )
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
            crate = self._crate(first)
            place, rest = (crate, rest) if crate is not None else (folder, parts)
        return self._file("/".join(filter(None, (place, *rest))), root)

    def _crate(self, name: str) -> str | None:
        """Return the root of a crate of the project."""
        names = (
            (root, root.removesuffix("/src").rpartition("/")[2].replace("-", "_"))
            for root in self._roots
        )
        return next((root for root, crate in names if root and crate == name), None)

    def _is_root(self, path: str) -> bool:
        return path.rpartition("/")[2] in ("lib.rs", "main.rs")

    def _folder_of(self, path: str) -> str:
        """Return the folder that holds a file's own submodules."""
        folder, _, name = path.rpartition("/")
        return folder if name in ("lib.rs", "main.rs", "mod.rs") else path.removesuffix(".rs")

    def _file(self, place: str, root: str) -> str | None:
        inside = f"{place}/" if place else ""
        choices = [f"{place}.rs", f"{inside}mod.rs"]
        choices += (
            [f"{inside}lib.rs", f"{inside}main.rs"] if place == root or place in self._roots else []
        )
        return next((path for path in choices if path in self._known), None)

    def member(self, file: str, name: str) -> str | None:
        """Return the submodule of a module that has this name."""
        folder = self._folder_of(file)
        return self._file(f"{folder}/{name}" if folder else name, "")
