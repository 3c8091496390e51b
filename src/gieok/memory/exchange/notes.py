"""Mirror of the user's Markdown folders in the folder that an agent indexes.

Other files in that folder are never changed. A mirrored note is Gieok's own while it has the hash
that Gieok wrote. A write is recorded as intended, done, and recorded as done, so that after a kill
at any moment the next run sees how far the last one came.
"""

import hashlib
import json
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.text.redact import redact
from gieok.text.redact.names import redact_path_names
from gieok.text.redact.sense import redact_document

#: A larger file is an export, not a note.
MOST_BYTES = 5_000_000


class MirroredNote(NamedTuple):
    """Mirror of one original. Hashes are hex, '' for none.

    `seen` is the hash of the original at the last look, `written` of the mirror that was written,
    `writing` of an intended one. `is_left`: somebody changed the mirror, and the user was told.
    """

    name: str
    seen: str = ""
    written: str = ""
    writing: str = ""
    is_left: bool = False


class OriginalNote(NamedTuple):
    """Original: its POSIX path below its folder, and the name of the folder."""

    file: Path
    name: str
    folder: str


@dataclass(slots=True)
class Mirrored:
    """Outcome of a run.

    `left`: mirrors that somebody changed, each named once. `troubles`: path → why the path cannot
    be read or written.
    """

    written: int = 0
    deleted: int = 0
    left: list[str] = field(default_factory=list)
    troubles: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Mirrored | None") -> None:
        """Add the outcome of a later run."""
        if other is not None:
            self.written += other.written
            self.deleted += other.deleted
            self.left += other.left
            self.troubles = other.troubles


@dataclass(frozen=True, slots=True)
class NotesMirror:
    """Folders of notes, and the target folder of their mirrors.

    `why_not` explains a missing target. `record` is a file in Gieok's home.
    """

    folders: tuple[Path, ...]
    target: Path | None
    record: Path
    why_not: str = ""

    def run(self) -> Mirrored:
        """Update the mirrors. Raises OSError if the record cannot be written."""
        report = Mirrored()
        if not self.folders:
            return report
        if self.target is None:
            report.troubles["observe.notes_target"] = self.why_not
            return report
        with fs.exclusive(self.record.with_suffix(".lock")):
            _MirrorRun(self, self.target, report).go()
        return report

    def holds(self, path: Path) -> bool:
        """Say whether a changed path may be a note."""
        return any(path.is_relative_to(folder) for folder in self.folders)


def list_changed_mirrors(record: Path) -> list[str]:
    """Return the mirrors that somebody changed, which Gieok leaves alone."""
    return [
        str(Path(target, entry.name))
        for target, entries in _load_mirror_record(record).items()
        for entry in entries.values()
        if entry.is_left
    ]


class _MirrorRun:
    """One run, under the lock."""

    def __init__(self, mirror: NotesMirror, target: Path, done: Mirrored) -> None:
        self._mirror, self._target, self._done = mirror, target, done
        self._all = _load_mirror_record(mirror.record)
        self._entries = self._all.setdefault(str(target), {})
        self._unread: list[Path] = []

    def go(self) -> None:
        notes = {
            redact_path_names(note.file.as_posix()): note
            for folder in self._mirror.folders
            for note in self._notes(folder)
        }
        self._forget(notes)
        taken = {_fold_mirror_name(entry.name) for entry in self._entries.values()}
        texts: dict[str, str] = {}
        for origin, note in notes.items():
            if (content := self._read(note.file)) is not None:
                self._intend(origin, note, *content, texts, taken)
        if texts:
            self._save()
        for origin, text in texts.items():
            self._write(origin, text)
        self._save()

    # Originals

    def _notes(self, folder: Path) -> Iterator[OriginalNote]:
        """Yield the notes of a folder, except the agent's own memory; links are not followed."""
        if not folder.is_dir():
            self._unreadable(folder, "the folder does not exist")
            return
        target = self._target.resolve()
        for name, folders, files in os.walk(
            folder, onerror=lambda e: self._unreadable(Path(e.filename), str(e))
        ):
            here = Path(name)
            if here.resolve().is_relative_to(target):
                folders.clear()
                continue
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for file in sorted(files):
                path = here / file
                if path.suffix.lower() == ".md" and not file.startswith(".") and _is_regular(path):
                    yield OriginalNote(
                        path,
                        redact_path_names(_normalise_to_nfc(path.relative_to(folder).as_posix())),
                        redact_path_names(_normalise_to_nfc(folder.name)),
                    )

    def _unreadable(self, path: Path, why: str) -> None:
        """Record an unreadable folder (an unmounted disk), whose notes are not deleted."""
        self._done.troubles[str(path)] = why
        self._unread.append(path)

    def _read(self, file: Path) -> tuple[str, str] | None:
        """Return a note's hash and its redacted text; None if it cannot be read."""
        try:
            if file.stat().st_size > MOST_BYTES:
                # Reported like the other troubles.
                raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")  # noqa: TRY301
            data = file.read_bytes()
            return _hash_note_bytes(data), redact_document(data.decode("utf-8"))
        except (OSError, ValueError) as error:
            self._done.troubles[redact_path_names(file.as_posix())] = redact(str(error))
            return None

    # Mirrors

    def _forget(self, notes: dict[str, OriginalNote]) -> None:
        """Delete the mirrors of deleted notes, if nobody changed them."""
        for origin, entry in list(self._entries.items()):
            path = Path(origin)
            is_kept = origin in notes or any(path.is_relative_to(folder) for folder in self._unread)
            if is_kept or not self._mirror.holds(path):
                continue
            mirror = self._target / entry.name
            if self._is_ours(mirror, entry):
                try:
                    mirror.unlink()
                except OSError as error:
                    self._done.troubles[str(mirror)] = str(error)
                    continue
                self._done.deleted += 1
            elif os.path.lexists(mirror) and not entry.is_left:
                self._done.left.append(str(mirror))
            del self._entries[origin]

    def _intend(
        self,
        origin: str,
        note: OriginalNote,
        seen: str,
        text: str,
        texts: dict[str, str],
        taken: set[str],
    ) -> None:
        """Record an intended write and put its text into `texts`."""
        entry, digest = self._entries.get(origin), _hash_note_bytes(text.encode())
        if entry is None:
            name = next(
                (name for name in _iter_mirror_names(note) if self._is_free(name, taken)), None
            )
            if name is None:
                self._done.troubles[origin] = "all names for its mirror are taken"
                return
            taken.add(_fold_mirror_name(name))
            entry = MirroredNote(name)
        elif seen == entry.seen and not entry.writing and not entry.is_left:
            return  # also if the mirror is gone: somebody deleted it on purpose
        mirror = self._target / entry.name
        if os.path.lexists(mirror) and not self._is_ours(mirror, entry):
            if not entry.is_left:
                self._done.left.append(str(mirror))
            self._entries[origin] = entry._replace(seen=seen, writing="", is_left=True)
            return
        self._entries[origin] = entry._replace(seen=seen, writing=digest, is_left=False)
        texts[origin] = text

    def _write(self, origin: str, text: str) -> None:
        """Write one mirror and record it. A file that appeared in the meantime is not touched."""
        entry = self._entries[origin]
        mirror = self._target / entry.name
        try:
            if _hash_of(mirror) != entry.writing:
                mirror.parent.mkdir(parents=True, exist_ok=True)
                if not self._is_inside(mirror):
                    raise FileExistsError  # noqa: TRY301 - somebody's link leads out
                _write_mirror_file(mirror, text, lambda: self._is_ours(mirror, entry))
                self._done.written += 1
        except FileExistsError:
            self._done.left.append(str(mirror))
            self._entries[origin] = entry._replace(writing="", is_left=True)
        except OSError as error:
            # `writing` stays: the next run tries again.
            self._done.troubles[str(mirror)] = str(error)
        else:
            self._entries[origin] = entry._replace(written=entry.writing, writing="")

    def _is_free(self, name: str, taken: set[str]) -> bool:
        return _fold_mirror_name(name) not in taken and not os.path.lexists(self._target / name)

    def _is_ours(self, mirror: Path, entry: MirroredNote) -> bool:
        digest = _hash_of(mirror)
        return bool(digest) and digest in (entry.written, entry.writing) and self._is_inside(mirror)

    def _is_inside(self, mirror: Path) -> bool:
        return mirror.parent.resolve().is_relative_to(self._target.resolve())

    def _save(self) -> None:
        rows = {target: entries for target, entries in self._all.items() if entries}
        text = json.dumps(rows, ensure_ascii=False, indent=0) + "\n"
        if (
            not self._mirror.record.exists()
            or self._mirror.record.read_text(encoding="utf-8") != text
        ):
            fs.replace_private(self._mirror.record, text)


def _load_mirror_record(record: Path) -> dict[str, dict[str, MirroredNote]]:
    """Return target → original → entry. Without the record, no file counts as Gieok's own."""
    try:
        rows = json.loads(record.read_text(encoding="utf-8"))
        return {
            t: {origin: MirroredNote(*row) for origin, row in entries.items()}
            for t, entries in rows.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _iter_mirror_names(note: OriginalNote) -> Iterator[str]:
    """Yield names for a mirror, the plainest first."""
    yield note.name
    parent, _, last = note.name.rpartition("/")
    prefix = f"{parent}/" if parent else ""
    yield f"{prefix}{note.folder}-{last}"
    yield f"{prefix}{note.folder}-{_hash_note_bytes(os.fsencode(note.file))[:8]}-{last}"


def _write_mirror_file(mirror: Path, text: str, is_ours: Callable[[], bool]) -> None:
    """Write a mirror in one step. Raises FileExistsError for a file that is not Gieok's own."""
    if is_ours():
        fs.replace(mirror, text, fs.PRIVATE)
    elif not fs.create_new_file(mirror, text):
        raise FileExistsError(mirror)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return True  # reading it reports why


def _hash_of(file: Path) -> str:
    """Return the hash of a regular file, '' if it cannot be read."""
    try:
        return _hash_note_bytes(file.read_bytes()) if stat.S_ISREG(file.lstat().st_mode) else ""
    except OSError:
        return ""


def _hash_note_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _normalise_to_nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _fold_mirror_name(name: str) -> str:
    """Return a key that is equal for names that are one file on some file systems."""
    return _normalise_to_nfc(name).casefold()
