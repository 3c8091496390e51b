"""Changes to files of other programs.

Changes are planned as text, written atomically, and undone byte for byte.
"""

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.agents.transcripts.fields import read_object_field
from gieok.errors import BadRequest, find_os_reason
from gieok.text import jsonc

#: The largest file that is read. Claude Code keeps what was pasted in the file of its servers.
_LARGEST_BYTES = 64_000_000


# Plain classes: a frozen data class takes 0.6 ms to make (a plain one 0.01 ms), and a command that
# knows one agent loads all of them.
class Edit(ABC):
    """Gieok's part of one file of another program."""

    #: Whether everything works without the file, so that a person may delete it.
    is_extra = False
    #: Whether the part is the MCP server alone, which a person may add by hand.
    is_server = False

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def add(self, now: str) -> str:
        """Return the file's text with Gieok's part. Raises ValueError."""

    @abstractmethod
    def remove(self, now: str) -> str:
        """Return the file's text without Gieok's part. Raises ValueError."""

    def has_part(self, now: str) -> bool:
        """Return whether a file's text holds Gieok's part. Raises ValueError."""
        return self.remove(now) != now

    def list_shorter_hooks(self, now: str) -> list[str]:
        """Return the native events whose installed hook may take less time than a new one gets.

        A class that does not compare its hooks, or has none, returns no event. Raises ValueError.
        """
        del now
        return []

    def is_outdated(self, now: str) -> bool:
        """Return whether a file holds a program of Gieok's that is not the one of this release."""
        del now
        return False


class InstallChange(NamedTuple):
    """Change to one file, as its content before and after; None: the file does not exist."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def status(self) -> str:
        """Return created, changed, removed or unchanged."""
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"


class WholeFile(Edit):
    """File that is Gieok's as a whole; a file that somebody changed is not removed."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(path)
        self.text = text

    def add(self, now: str) -> str:
        """Return Gieok's text. Raises ValueError where the file is another program's."""
        if now not in ("", self.text) and "gieok" not in now:
            raise ValueError("another file has this name")
        return self.text

    def remove(self, now: str) -> str:
        """Return no text where the file holds Gieok's text, else the text that is there."""
        return "" if now == self.text else now

    def has_part(self, now: str) -> bool:
        """Return whether the file is Gieok's, of whichever release."""
        return "gieok" in now


class ExtraFile(WholeFile):
    """Command or skill of Gieok's that a person may delete."""

    is_extra = True


class KeptFile(WholeFile):
    """File that Gieok creates only where its name is free; a file that is there stays."""

    def add(self, now: str) -> str:
        """Return the text that is there, else Gieok's text."""
        return now or self.text


class RecordedFile(Edit):
    """File of which only the record of installs knows: Gieok's part in it cannot be recognised."""

    def add(self, now: str) -> str:
        """Return the text as it is."""
        return now

    def remove(self, now: str) -> str:
        """Return the text as it is."""
        return now


class Item(NamedTuple):
    """Value of Gieok's in a JSON file: a member, or an element of the list at its place."""

    place: tuple[str, ...]
    value: object
    append: bool = False

    def is_ours(self, found: object) -> bool:
        """Return whether a value at the place is Gieok's: by default, the very value."""
        return found == self.value


class OwnKeyItem(Item):
    """Member whose name is Gieok's own: whatever its value is, it is Gieok's."""

    def is_ours(self, found: object) -> bool:
        """Return True for every value."""
        del found
        return True


class JsonItems(Edit):
    """Items of Gieok's in a JSON file, which may hold comments.

    `first` is the member with which a new file begins.
    """

    def __init__(
        self, path: Path, items: Sequence[Item], first: tuple[str, object] | None = None
    ) -> None:
        super().__init__(path)
        self.items = items
        self.first = first

    def add(self, now: str) -> str:
        """Return the file's text with every item."""
        if self.first and not now.strip():
            name, value = self.first
            now = jsonc.put_jsonc_value(now, (name,), value)
        for item in self.items:
            now = jsonc.put_jsonc_value(now, item.place, item.value, append=item.append)
        return now

    def remove(self, now: str) -> str:
        """Return the file's text without the items."""
        for item in self.items:
            now = jsonc.drop_jsonc_value(now, item.place, item.is_ours)
        return now

    def has_part(self, now: str) -> bool:
        """Return whether the file holds every item."""
        return all(
            jsonc.drop_jsonc_value(now, item.place, item.is_ours) != now for item in self.items
        )


def parse_json_members(now: str) -> Mapping[str, object]:
    """Return the members of a JSON file's object; none where the file is blank or no object.

    Raises ValueError.
    """
    return read_object_field(jsonc.load_jsonc(now)) if now.strip() else {}


class JointEdit(Edit):
    """Several edits of one file; they are removed in the reverse order."""

    def __init__(self, path: Path, parts: Sequence[Edit]) -> None:
        super().__init__(path)
        self.parts = parts

    def add(self, now: str) -> str:
        """Return the file's text with all parts."""
        for part in self.parts:
            now = part.add(now)
        return now

    def remove(self, now: str) -> str:
        """Return the file's text without the parts."""
        for part in reversed(self.parts):
            now = part.remove(now)
        return now

    def has_part(self, now: str) -> bool:
        """Return whether the file holds all parts."""
        return all(part.has_part(now) for part in self.parts)

    def list_shorter_hooks(self, now: str) -> list[str]:
        """Return the events of all parts that leave less time than this version needs."""
        return [event for part in self.parts for event in part.list_shorter_hooks(now)]


class InstallRecord:
    """Record of what was installed, so that each file can be put back exactly.

    For each file the record holds the bytes before the install and the checksum after it.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / "installs"

    @contextmanager
    def alone(self, edits: Sequence[Edit]) -> Iterator[None]:
        """Lock out other installing processes, and clean up after an installer that was killed."""
        with fs.exclusive(self._folder / "lock"):
            for folder in {edit.path.resolve().parent for edit in edits}:
                fs.sweep_temporary_files(folder)
            yield

    def _entry(self, path: Path) -> Path:
        return self._folder / (
            f"{hashlib.sha256(str(path).encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"
        )

    def original(self, path: Path, now: bytes | None) -> tuple[bool, bytes | None]:
        """Return whether a file is as the install left it, and its bytes before the install."""
        entry = self._entry(path)
        if now is None or not entry.exists():
            return False, None
        record = json.loads(entry.read_text(encoding="utf-8"))
        if record["after"] != _hash_file_data(now):
            return False, None
        return True, None if record["before"] is None else bytes.fromhex(record["before"])

    def keep(self, change: InstallChange, before: bytes | None) -> None:
        """Store a file's bytes durably before the file is changed.

        Which of its folders do not exist yet is stored too.
        """
        missing = [str(f) for f in change.path.parents if not f.exists()] or self.folders(
            change.path
        )
        row = {
            "path": str(change.path),
            "before": None if before is None else before.hex(),
            "after": _hash_file_data(change.after or b""),
            "folders": missing,
        }
        fs.replace_private(self._entry(change.path), json.dumps(row))

    def folders(self, path: Path) -> list[str]:
        """Return the folders that were made for a file, innermost first."""
        entry = self._entry(path)
        return (
            list(json.loads(entry.read_text(encoding="utf-8"))["folders"]) if entry.exists() else []
        )

    def paths(self) -> list[Path]:
        """Return every file of which the record holds something."""
        rows = (
            json.loads(entry.read_text(encoding="utf-8"))
            for entry in sorted(self._folder.glob("*.json"))
        )
        return [Path(row["path"]) for row in rows]

    def forget(self, path: Path) -> None:
        """Drop the record of a file that was restored."""
        self._entry(path).unlink(missing_ok=True)


def _hash_file_data(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_foreign_file(path: Path) -> bytes | None:
    """Return a file's bytes; None where the file does not exist.

    A file of settings may be a link; a pipe or a device is never read. Raises BadRequest where the
    file cannot be read.
    """
    try:
        return fs.read_regular_file(os.path.realpath(path), _LARGEST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadRequest(
            "cannot read {path!r}: {reason}",
            path=path,
            reason=find_os_reason(error),
            hint="nothing was changed",
        ) from error


def plan_file_change(edit: Edit, ledger: InstallRecord) -> InstallChange:
    """Return the change that installing makes. Raises BadRequest, which names the file."""
    before = read_foreign_file(edit.path)
    is_as_left, original = ledger.original(edit.path, before)
    base = (original or b"").decode() if is_as_left else _remove_own_part(edit, before or b"")
    with _naming_file(edit.path):
        after = edit.add(base)
    return InstallChange(edit.path, before, after.encode())


def plan_file_removal(edit: Edit, ledger: InstallRecord) -> InstallChange:
    """Return the change that uninstalling makes.

    The bytes from before the install come back where nobody changed the file since; else only
    Gieok's part is removed.
    """
    before = read_foreign_file(edit.path)
    is_as_left, original = ledger.original(edit.path, before)
    if is_as_left or before is None:
        return InstallChange(edit.path, before, original)
    left = _remove_own_part(edit, before).encode()
    return InstallChange(edit.path, before, left if left.strip() or left == before else None)


def _remove_own_part(edit: Edit, data: bytes) -> str:
    with _naming_file(edit.path):
        return edit.remove(data.decode())


@contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Turn a ValueError into a BadRequest that names the file."""
    try:
        yield
    except ValueError as error:  # no JSON, no UTF-8, or another's part in our place
        raise BadRequest(
            "{path!r} is left as it is: {error}",
            path=path,
            error=error,
            hint="mend the file by hand, then run the command again",
        ) from error


def install_edits(
    edits: Sequence[Edit], changes: Sequence[InstallChange], ledger: InstallRecord
) -> None:
    """Write the files, each atomically.

    The former content of all files, and which folders existed, is recorded before the first file is
    written.
    """
    planned = [
        (edit, change)
        for edit, change in zip(edits, changes, strict=True)
        if change.status != "unchanged"
    ]
    for edit, change in planned:
        is_as_left, original = ledger.original(change.path, change.before)
        if not is_as_left and change.before is not None:
            # Somebody may have edited the file since the install, or copied the installed file.
            original = _remove_own_part(edit, change.before).encode()
        ledger.keep(change, original)
    for _, change in planned:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        if read_foreign_file(change.path) not in (change.before, change.after):
            raise BadRequest(
                "{path!r} changed meanwhile", path=change.path, hint="run the command again"
            )
        # Agents keep keys in their own files: a new file is readable by the user alone.
        fs.replace(change.path, change.after or b"")


def uninstall(changes: Sequence[InstallChange], ledger: InstallRecord) -> None:
    """Write the former files back, and remove files and folders that the install created."""
    for change in changes:
        if change.after is None:
            change.path.unlink(missing_ok=True)
            _remove_empty(ledger.folders(change.path))
        elif change.status != "unchanged":
            fs.replace(change.path, change.after)
        ledger.forget(change.path)


def _remove_empty(folders: Sequence[str]) -> None:
    for folder in folders:
        try:
            Path(folder).rmdir()
        except OSError:  # something else is in it by now
            return
