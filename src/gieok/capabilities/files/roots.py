"""Which folders a scope's files come from, and how a file is named: `ROOT/path/in/it.md`.

Roots are kept as a note beside the scope, so that `gieok index` without a path means all of them. A root's name is its
folder's, made distinct; it is part of every key, so that two roots may hold files of the same name.
"""

import json
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gieok.errors import BadRequest, NotIndexed
from gieok.model import Scope
from gieok.ports import Store

_NOTE = "files.roots"


class Root(NamedTuple):
    """A folder, or a single file, that is indexed."""

    name: str
    path: Path

    @property
    def is_file(self) -> bool:
        """True where the root itself is one file."""
        return self.path.is_file()

    def key_of(self, file: Path) -> str:
        """Return the document key of a path on disk below this root. Names that are not UTF-8 get replacements."""
        relative = file.relative_to(self._folder).as_posix()
        return str(PurePosixPath(self.name, relative)).encode("utf-8", "replace").decode()

    def owns(self, key: str) -> bool:
        """Say whether a document key belongs to this root."""
        return key.startswith(f"{self.name}/")

    def file(self, relative: str) -> Path:
        """Return the path on disk of a file in this root."""
        return self._folder / relative

    @property
    def _folder(self) -> Path:
        return self.path.parent if self.is_file else self.path


def load(store: Store, scope: Scope) -> list[Root]:
    """Return the roots of a scope in the order in which they were added."""
    raw = store.notes(scope).get(_NOTE, "[]")
    return [Root(item["name"], Path(item["path"])) for item in json.loads(raw)]


def add(store: Store, scope: Scope, paths: list[Path]) -> list[Root]:
    """Return the roots that `paths` stand for, remembering new ones.

    A folder inside a known root is that root; a known root inside a new one becomes part of it.
    """
    known = load(store, scope)
    wanted: list[Root] = []
    for path in paths:
        root = _find(known, path)
        if root is None:
            inner = [r for r in known if path in r.path.parents]
            store.forget(scope, [key for key in store.hashes(scope) if any(r.owns(key) for r in inner)])
            root = Root(_distinct_name(path.name or "root", {r.name for r in known}), path)
            known = [*(r for r in known if r not in inner), root]
            store.write_note(scope, _NOTE, json.dumps([{"name": r.name, "path": str(r.path)} for r in known]))
        if root not in wanted:
            wanted.append(root)
    return wanted


def _find(known: list[Root], path: Path) -> Root | None:
    return next((root for root in known if path == root.path or (not root.is_file and root.path in path.parents)), None)


def _distinct_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, len(taken) + 3) if f"{name}-{n}" not in taken)


def display(roots: list[Root], key: str) -> str:
    """Return the path to show for a key: without the root's name while there is only one root."""
    return key.partition("/")[2] if len(roots) == 1 else key


def resolve(roots: list[Root], name: str) -> Path:
    """Return the file that a shown path, a key or an absolute path means; it lies inside a root, links followed.

    Raises BadRequest where it would leave every root, or where several roots hold such a file. The file may be missing.
    """
    if not roots:
        raise NotIndexed(f"nothing is indexed, so {name!r} is in no known folder")
    candidates = _candidates(roots, name)
    inside = [(root, path) for root, path in candidates if _contains(root, path)]
    if not inside:
        known = ", ".join(str(root.path) for root in roots)
        raise BadRequest(f"{name!r} is outside of the indexed folders", hint=f"indexed: {known}")
    existing = {path.resolve() for _, path in inside if path.exists()}
    if len(existing) > 1:
        keys = ", ".join(repr(f"{root.name}/{name}") for root, path in inside if path.exists())
        raise BadRequest(f"{name!r} is in several indexed folders", hint=f"say which: {keys}")
    return existing.pop() if existing else inside[0][1]


def _candidates(roots: list[Root], name: str) -> list[tuple[Root, Path]]:
    if Path(name).is_absolute():
        return [(root, Path(name)) for root in roots]
    head, _, rest = name.partition("/")
    by_key = [(root, root.file(rest)) for root in roots if root.name == head and rest]
    return [(root, path) for root, path in by_key if _contains(root, path) and path.exists()] or [
        (root, root.file(name)) for root in roots
    ]


def _contains(root: Root, path: Path) -> bool:
    try:
        path.exists()  # raises where no file can have such a name
        return path.resolve().is_relative_to(root.path.resolve())
    except (OSError, RuntimeError, ValueError):  # or a loop of links
        return False
