"""Changes to files of other programs.

Changes are planned as text, written atomically, and undone byte for byte.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.agents.transcripts.fields import read_object_field
from gieok.errors import BadRequest
from gieok.text import jsonc


class Edit(NamedTuple):
    """What Gieok changes in one file.

    `add` puts Gieok's part into the file's text, `remove` takes that part out. Both raise
    ValueError.
    """

    path: Path
    add: Callable[[str], str]
    remove: Callable[[str], str]


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


def own_file(path: Path, text: str) -> Edit:
    """Return the edit that creates a whole file; a file that somebody changed is not removed."""

    def add(now: str) -> str:
        if now not in ("", text) and "gieok" not in now:
            raise ValueError("another file has this name")
        return text

    return Edit(path, add, lambda now: "" if now == text else now)


def kept_file(path: Path, text: str) -> Edit:
    """Return the edit that creates a whole file, unless the name is taken or our file was changed.

    In both cases the file that is there stays.
    """
    return Edit(path, lambda now: now or text, lambda now: "" if now == text else now)


class Item(NamedTuple):
    """Value of Gieok's in a JSON file.

    The fields give its path, how it is recognised there, and whether it is an element of a list.
    """

    place: tuple[str, ...]
    value: object
    is_ours: Callable[[object], bool]
    append: bool = False


def json_items(path: Path, items: Sequence[Item]) -> Edit:
    """Return the edit that adds items to a JSON file, which may hold comments."""

    def remove(now: str) -> str:
        for item in items:
            now = jsonc.drop_jsonc_value(now, item.place, item.is_ours)
        return now

    def add(now: str) -> str:
        for item in items:
            now = jsonc.put_jsonc_value(now, item.place, item.value, append=item.append)
        return now

    return Edit(path, add, remove)


def parse_json_members(now: str) -> Mapping[str, object]:
    """Return the members of a JSON file's object; none where the file is blank or no object.

    Raises ValueError.
    """
    return read_object_field(jsonc.load_jsonc(now)) if now.strip() else {}


def toml_table(
    path: Path, table: tuple[str, str], lines: Sequence[str], is_ours: Callable[[object], bool]
) -> Edit:
    """Return the edit that adds a table at the end of a TOML file.

    The table is recognised by its name and content, not by marker comments around it: the agent
    rewrites the file, and would put other tables between the markers.
    """
    header = re.compile(rf"\s*\[\s*{table[0]}\s*\.\s*[\"']?{table[1]}[\"']?\s*[.\]]")

    def held(now: str) -> object:
        group = tomllib.loads(now.removeprefix("\ufeff")).get(table[0])
        return group.get(table[1]) if isinstance(group, dict) else None

    def remove(now: str) -> str:
        if not is_ours(held(now)):
            return now
        remaining: list[str] = []
        inside = False
        for line in now.splitlines(keepends=True):
            inside = bool(header.match(line)) or (inside and not line.lstrip().startswith("["))
            if inside and remaining and not remaining[-1].strip() and header.match(line):
                remaining.pop()  # the empty line that we put before it
            if not inside:
                remaining.append(line)
        return "".join(remaining)

    def add(now: str) -> str:
        if held(now) is not None:
            raise ValueError(f"there is a [{'.'.join(table)}] already, which is not ours")
        head = now if not now or now.endswith("\n") else now + "\n"
        added = "\n".join((f"[{'.'.join(table)}]", *lines)) + "\n"
        after = f"{head}\n{added}" if head else added
        # Fails for a text such as `mcp_servers = {}`, to which no further table can be added.
        tomllib.loads(after.removeprefix("\ufeff"))
        return after

    return Edit(path, add, remove)


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

    Raises BadRequest where the file cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadRequest(
            f"cannot read {str(path)!r}: {error.strerror}", hint="nothing was changed"
        ) from error


def plan_file_change(edit: Edit, ledger: InstallRecord) -> InstallChange:
    """Return the change that installing makes. Raises BadRequest, which names the file."""
    before = read_foreign_file(edit.path)
    is_as_left, original = ledger.original(edit.path, before)
    base = (
        (original or b"").decode()
        if is_as_left
        else _edit_file_text(edit.path, before, edit.remove)
    )
    after = _edit_file_text(edit.path, base.encode(), edit.add)
    return InstallChange(edit.path, before, after.encode())


def undone(edit: Edit, ledger: InstallRecord) -> InstallChange:
    """Return the change that uninstalling makes.

    The bytes from before the install come back where nobody changed the file since; else only
    Gieok's part is removed.
    """
    before = read_foreign_file(edit.path)
    is_as_left, original = ledger.original(edit.path, before)
    if is_as_left or before is None:
        return InstallChange(edit.path, before, original)
    left = _edit_file_text(edit.path, before, edit.remove).encode()
    return InstallChange(edit.path, before, left if left.strip() or left == before else None)


def _edit_file_text(path: Path, now: bytes | None, edit: Callable[[str], str]) -> str:
    try:
        return edit((now or b"").decode())
    except ValueError as error:  # no JSON, no UTF-8, or another's part in our place
        raise BadRequest(
            f"{str(path)!r} is left as it is: {error}",
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
        ledger.keep(change, original if is_as_left else _before_us(edit, change.before))
    for _, change in planned:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        if read_foreign_file(change.path) not in (change.before, change.after):
            raise BadRequest(
                f"{str(change.path)!r} changed meanwhile", hint="run the command again"
            )
        # Agents keep keys in their own files: a new file is readable by the user alone.
        fs.replace(change.path, change.after or b"")


def _before_us(edit: Edit, now: bytes | None) -> bytes | None:
    """Return a file's bytes without Gieok's part.

    Somebody may have edited the file since the install, or copied the installed file.
    """
    return None if now is None else _edit_file_text(edit.path, now, edit.remove).encode()


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
