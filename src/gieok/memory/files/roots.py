"""The indexed folders of a scope (roots), and the keys of their files: `ROOT/path/in/it.md`.

Roots are stored in a note of the scope, so that `gieok index` without a path means all of them. A
root's name is its folder's, made distinct; it is part of every key, so that two roots may hold
files of the same name.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gieok.errors import BadRequest, NotIndexed
from gieok.memory.files import copies
from gieok.model.memory import Scope
from gieok.places.scope import SEEDS, SESSIONS
from gieok.ports.store import Notes, Store
from gieok.text.keywords import normalise

#: Name of the note that stores the roots.
NOTE = "files.roots"
#: Folders that are never indexed as part of a root; such a folder may be a root itself (a project's
#: records).
SKIPPED_FOLDERS = frozenset(
    (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".gieok", ".dreams")
)
#: Documents of word processors, which are read as text and never written.
DOCUMENT_SUFFIXES = (".docx", ".hwpx")
#: Kinds of files that are read as notes.
SUFFIXES = (".md", ".markdown", ".txt", ".org", *DOCUMENT_SUFFIXES)
#: Kinds of documents in which people keep notes too, and which are not read.
UNREAD_SUFFIXES = (
    ".csv",
    ".doc",
    ".epub",
    ".htm",
    ".html",
    ".hwp",
    ".numbers",
    ".odp",
    ".ods",
    ".odt",
    ".pages",
    ".pdf",
    ".ppt",
    ".pptx",
    ".rtf",
    ".tsv",
    ".xls",
    ".xlsx",
)


def is_memory_file(path: Path) -> bool:
    """Say whether a path is indexable, by its name and folders."""
    is_hidden = any(part in SKIPPED_FOLDERS for part in path.parts) or copies.is_kept_folder(
        path.parts[:-1]
    )
    return path.suffix.lower() in SUFFIXES and not is_hidden and not _is_temporary(path.name)


def is_office_document(path: Path) -> bool:
    """Say whether a file is a document of a word processor, by its name."""
    return path.suffix.lower() in DOCUMENT_SUFFIXES


def is_skipped(folder: str, above: str = "") -> bool:
    """Say whether a folder of this name is left out; a skipped folder may be a root itself."""
    return folder in SKIPPED_FOLDERS or bool(copies.keeper_of(folder, above))


def _is_temporary(name: str) -> bool:
    """Recognise the temporary files of editors."""
    return name.startswith((".#", "~$", ".~")) or name.endswith(("~", ".swp", ".tmp"))


def section_key(key: str, section: str) -> str:
    """Return the key of a part of a file that is a document of its own.

    The key contains two slashes in a row, which no file's path does.
    """
    return f"{key}//{section}"


def file_key(key: str) -> str:
    """Return the key, or path, of the file that a document is of, whole or in part."""
    return key.partition("//")[0]


class Root(NamedTuple):
    """An indexed folder or single file; with `only`, just these files and folders in it.

    A retired root was removed, or became part of another; its documents are not forgotten yet.
    """

    name: str
    path: Path
    only: tuple[str, ...] = ()
    is_retired: bool = False

    @property
    def is_file(self) -> bool:
        """Say whether the root is a single file."""
        return self.path.is_file()

    @property
    def watched(self) -> Path:
        """Return the folder to watch; for a single file, its parent folder.

        An editor puts another file in the place of the old one, which ends the events of the file
        itself.
        """
        return self.path.parent if self.is_file else self.path

    def key_of(self, file: Path) -> str:
        """Return the document key of a path below this root, redacted.

        Undecodable bytes are escaped.
        """
        relative = file.relative_to(self._folder).as_posix()
        from gieok.text.redact.names import (
            redact_path_names,
        )  # slow to import, and a search needs no key

        return redact_path_names(
            str(PurePosixPath(self.name, relative)).encode("utf-8", "backslashreplace").decode()
        )

    def tells_file(self, key: str) -> bool:
        """Say whether the path of a document's file can be told from its key.

        It cannot where a name was redacted or has escaped bytes: nothing is at such a path, and
        the file may be there all the same.
        """
        # the first test is for speed: a search of unchanged notes has no time for the import
        if "[" not in key and "\\" not in key:
            return True
        from gieok.text.redact.names import has_redacted_name

        return "\\" not in key and not has_redacted_name(key)

    def owns(self, key: str) -> bool:
        """Say whether a document key belongs to this root."""
        return key.startswith(f"{self.name}/")

    def takes(self, path: Path) -> bool:
        """Say whether a path at or below this root is indexed, by `only`."""
        if not self.only:
            return True
        relative = path.relative_to(self.path).as_posix()
        return any(relative == name or relative.startswith(f"{name}/") for name in self.only)

    def starts(self) -> list[Path]:
        """Return the paths at which to search for files."""
        return [self.path / name for name in self.only] if self.only else [self.path]

    def file(self, relative: str) -> Path:
        """Return the path on disk of a file in this root, or of the file of a section."""
        return self._folder / file_key(relative)

    @property
    def _folder(self) -> Path:
        return self.path.parent if self.is_file else self.path


def load_roots(notes: Notes, scope: Scope) -> list[Root]:
    """Return the roots of a scope in the order in which they were added."""
    return [
        root for root in _parse_root_rows(notes.notes(scope).get(NOTE, "")) if not root.is_retired
    ]


def list_retired_roots(notes: Notes, scope: Scope) -> list[Root]:
    """Return the retired roots of a scope."""
    return [root for root in _parse_root_rows(notes.notes(scope).get(NOTE, "")) if root.is_retired]


def retire_roots(notes: Notes, scope: Scope, paths: list[Path]) -> list[Root]:
    """Retire the roots at `paths` and return them; their documents stay until the next sync."""
    known = [root for root in load_roots(notes, scope) if root.path in paths]
    notes.update_note(
        scope,
        NOTE,
        lambda raw: _format_root_rows(
            r._replace(is_retired=True) if r in known else r for r in _parse_root_rows(raw)
        ),
    )
    return known


def drop_retired(notes: Notes, scope: Scope) -> None:
    """Remove the retired roots from the note."""
    notes.update_note(
        scope,
        NOTE,
        lambda raw: _format_root_rows(
            root for root in _parse_root_rows(raw) if not root.is_retired
        ),
    )


def add_roots(
    notes: Notes, scope: Scope, paths: list[Path], only: tuple[str, ...] = ()
) -> list[Root]:
    """Return the roots of `paths`, and add the new ones.

    Roots are added in one transaction, because several processes may add at once. A folder inside a
    known root belongs to that root; a known root inside a new one becomes part of it.
    """
    from gieok.text.redact.names import redact_path_names  # see key_of

    for path in paths:
        if (shown := redact_path_names(path.as_posix())) != path.as_posix():
            raise BadRequest(
                "the folder {shown!r} has a secret in its name",
                shown=shown,
                hint="rename it, then index it",
            )
    new_roots = [Root("", path, only) for path in paths]

    def joined(raw: str) -> str:
        known = _parse_root_rows(raw)
        for new in new_roots:
            if (
                _find_covering_root([root for root in known if not root.is_retired], new.path)
                is None
            ):
                known = [
                    root._replace(is_retired=root.is_retired or _is_path_covered(new, root.path))
                    for root in known
                ]
                name = _distinct_name(
                    new.path.name or "root", {SESSIONS, SEEDS, *(root.name for root in known)}
                )
                known.append(new._replace(name=name))
        return _format_root_rows(known)

    notes.update_note(scope, NOTE, joined)
    known = load_roots(notes, scope)
    return list(dict.fromkeys(root for path in paths if (root := _find_covering_root(known, path))))


def is_away(root: Root, known: Iterable[str]) -> bool:
    """Say whether a root is missing, or is empty although it held documents.

    The mount point of an unmounted share is empty in this way.
    """
    try:
        if root.path.is_dir():
            with os.scandir(root.path) as entries:
                is_empty = next(entries, None) is None
            return is_empty and any(map(root.owns, known))
    except OSError:
        return False
    return not root.path.exists()


def not_indexed(store: Store, scope: Scope, folder: Path) -> int:
    """Return how many notes in a folder the store does not hold.

    Notes are compared by name; links are not followed.
    """
    known = set(store.hashes(scope))
    name = next((root.name for root in load_roots(store, scope) if root.path == folder), "")
    note_files = (
        f"{base}/{file}"
        for base, _, files in os.walk(folder)
        for file in files
        if is_memory_file(Path(file))
    )
    # Same result as `Root.key_of`, without a disk access for each file.
    keys = (name + Path(file[len(str(folder)) :]).as_posix() for file in note_files)
    return sum(key.encode("utf-8", "backslashreplace").decode() not in known for key in keys)


def _parse_root_rows(raw: str) -> list[Root]:
    rows = json.loads(raw or "[]")
    return [
        Root(r["name"], Path(r["path"]), tuple(r.get("only", ())), bool(r.get("retired")))
        for r in rows
    ]


def _format_root_rows(known: Iterable[Root]) -> str:
    rows = (
        {"name": r.name, "path": str(r.path), "retired": r.is_retired, "only": r.only}
        for r in known
    )
    return json.dumps([{name: value for name, value in row.items() if value != ()} for row in rows])


def _find_covering_root(known: list[Root], path: Path) -> Root | None:
    covering = (root for root in known if not root.is_file and _is_path_covered(root, path))
    return next((root for root in known if path == root.path), None) or next(covering, None)


def _is_path_covered(root: Root, path: Path) -> bool:
    """Say whether indexing a root includes `path`."""
    if root.path not in path.parents:
        return False
    parts = path.relative_to(root.path).parts
    return not any(map(is_skipped, parts, ("", *parts))) and root.takes(path)


def _distinct_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, len(taken) + 3) if f"{name}-{n}" not in taken)


def display(roots: list[Root], key: str) -> str:
    """Return the path to show for a key: without the root's name if there is only one root.

    Keys without a `/`, and keys of conversations and seeds, are not files of a root: they are shown
    unchanged.
    """
    if key.startswith((f"{SESSIONS}/", f"{SEEDS}/")):
        return key
    key = file_key(key)
    return (key.partition("/")[2] if len(roots) == 1 else "") or key


def resolve_root_file(roots: list[Root], name: str, here: Path | None = None) -> tuple[Root, Path]:
    """Return the root and file of a shown path, a key or an absolute path.

    The file may be missing. `here` is the absolute path that `name` has relative to the caller's
    folder. Raises BadRequest for a path outside of every root (links resolved), or in several.
    """
    if not roots:
        raise NotIndexed("nothing is indexed, so {name!r} is in no known folder", name=name)
    candidates = _list_root_candidates(roots, name, here or Path(name).expanduser().absolute())
    inside = [(root, path) for root, path in candidates if _is_inside_root(root, path)]
    if not inside:
        known = ", ".join(str(root.path) for root in roots)
        raise BadRequest(
            "{name!r} is outside of the indexed folders",
            name=name,
            known=known,
            hint="indexed: {known}",
        )
    existing = {path.resolve(): (root, path.resolve()) for root, path in inside if path.exists()}
    if len(existing) > 1:
        keys = ", ".join(repr(f"{root.name}/{name}") for root, path in inside if path.exists())
        raise BadRequest(
            "{name!r} is in several indexed folders", name=name, keys=keys, hint="name one: {keys}"
        )
    return next(iter(existing.values()), inside[0])


def _as_on_disk(path: Path) -> Path:
    """Return a path with its parts named as on disk, in composed or decomposed Unicode (macOS).

    Parts that do not exist on disk stay as they are.
    """
    try:
        if str(path).isascii() or path.exists() or path == path.parent:
            return path
        folder = _as_on_disk(path.parent)
        names = [entry.name for entry in os.scandir(folder)]
    except (OSError, ValueError):  # or an impossible name
        return path
    return folder / next(
        (name for name in names if normalise(name) == normalise(path.name)), path.name
    )


def _list_root_candidates(roots: list[Root], name: str, here: Path) -> list[tuple[Root, Path]]:
    if Path(name).is_absolute():
        return [(root, _as_on_disk(Path(name))) for root in roots]
    head, _, rest = name.partition("/")
    by_key = [(root, root.file(rest)) for root in roots if root.name == head and rest]
    by_path = [(root, root.file(name)) for root in roots]
    # The form that search shows goes first: with the root's name only if there are several.
    first = (by_path, by_key) if len(roots) == 1 else (by_key, by_path)
    # Last, the path relative to the working folder: injected memories are cited in this form.
    forms = (*first, [(root, here) for root in roots], _iter_redacted_matches(roots, name))
    named = ([(root, _as_on_disk(path)) for root, path in form] for form in forms)
    existing = (
        [(r, path) for r, path in form if _is_inside_root(r, path) and path.exists()]
        for form in named
    )
    return next(filter(None, existing), by_path)


def _iter_redacted_matches(roots: list[Root], name: str) -> Iterator[tuple[Root, Path]]:
    """Yield the files shown under this name because their own contains a secret."""
    for root in roots if "[redacted:" in name else ():
        for path in root.path.rglob("*"):
            if root.key_of(path) in (name, f"{root.name}/{name}"):
                yield root, path


def _is_inside_root(root: Root, path: Path) -> bool:
    try:
        path.exists()  # raises for an impossible name
        real, folder = path.resolve(), root.path.resolve()
        return real.is_relative_to(folder) and root.takes(root.path / real.relative_to(folder))
    except (OSError, RuntimeError, ValueError):  # or a loop of links
        return False
