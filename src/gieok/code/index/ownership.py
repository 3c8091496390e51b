"""Check that an index was made by this user.

An index that came with a repository could answer anything, so it is neither opened nor believed.
The home folder keeps a random token for each project's path; the index holds the same token. Nobody
else knows the token.
"""

import secrets
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import fs
from gieok.code.index.project import SCOPE
from gieok.code.model import layout
from gieok.errors import NotIndexed

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore

_NOTE = "code.owner"


def check_index_owner(home: Path, root: Path) -> None:
    """Raise NotIndexed where an index exists that this user did not make in this place."""
    if layout.index_file(root).exists() and not _read_claim_word(home, root):
        raise _build_foreign_error(root)


def claim_index(home: Path, root: Path, store: "ProjectStore") -> None:
    """Mark an empty index as made by this user.

    Raises NotIndexed where an index with content is not this user's.
    """
    word, stored_word = _read_claim_word(home, root), store.notes(SCOPE).get(_NOTE, "")
    if word and stored_word == word:
        if root not in list_indexed_roots(home):  # kept by an older release
            fs.replace_private(_find_claim_file(home, root), _format_claim_line(word, root))
        return
    if stored_word or store.files():
        raise _build_foreign_error(root)
    if not word:
        word = secrets.token_hex(16)
        fs.replace_private(_find_claim_file(home, root), _format_claim_line(word, root))
    store.write_note(SCOPE, _NOTE, word)


def discard(home: Path, root: Path) -> None:
    """Remove the index of `root` and SQLite's side files; the next index gets a new token."""
    index = layout.index_file(root)
    for file in (
        index,
        *(index.with_name(index.name + end) for end in ("-wal", "-shm", "-journal")),
        _find_claim_file(home, root),
    ):
        file.unlink(missing_ok=True)


def find_index_lock(home: Path, root: Path, what: str) -> Path:
    """Return the lock file that serialises `what` on an index."""
    file = _find_claim_file(home, root)
    return file.with_name(f"{file.name}.{what}.lock")


def find_index_record(home: Path, root: Path, what: str) -> Path:
    """Return the file in which this home keeps `what` of a project."""
    file = _find_claim_file(home, root)
    return file.with_name(f"{file.name}.{what}.json")


def list_indexed_roots(home: Path) -> list[Path]:
    """Return the projects that this user indexed and that still have an index, sorted."""
    indexed = []
    for file in (home / "code").glob("*"):
        try:
            path = file.read_text(encoding="utf-8").partition("\n")[2].strip()
        except (OSError, UnicodeDecodeError):
            continue
        root = Path(path)
        if path and _find_claim_file(home, root) == file and layout.index_file(root).exists():
            indexed.append(root)
    return sorted(indexed)


def _format_claim_line(word: str, root: Path) -> str:
    """Return the stored line of a project: its token and its path."""
    return f"{word}\n{root}\n"


def _build_foreign_error(root: Path) -> NotIndexed:
    return NotIndexed(
        "the index in {folder!r} was not made by you in this place, and is not believed",
        folder=layout.index_file(root).parent,
        hint="`gieok code init` makes it anew (a project that was moved or copied needs it too)",
    )


def _find_claim_file(home: Path, root: Path) -> Path:
    return (
        home
        / "code"
        / sha256(str(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    )


def _read_claim_word(home: Path, root: Path) -> str:
    try:
        return _find_claim_file(home, root).read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        return ""
