"""Changes to files that belong to somebody else: planned as text, written at once, and undone byte
for byte.
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
    """What we change in one file: `add` puts our part into its text, `remove` takes it out. Both
    raise ValueError.
    """

    path: Path
    add: Callable[[str], str]
    remove: Callable[[str], str]


class InstallChange(NamedTuple):
    """What happens to one file. None: it is not there."""

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
    """Return the edit that is a whole file; one that somebody changed is not ours to remove."""

    def add(now: str) -> str:
        if now not in ("", text) and "gieok" not in now:
            raise ValueError("another file has this name")
        return text

    return Edit(path, add, lambda now: "" if now == text else now)


def kept_file(path: Path, text: str) -> Edit:
    """Return the edit that is a whole file, unless somebody has one of that name or has changed
    ours: theirs stays.
    """
    return Edit(path, lambda now: now or text, lambda now: "" if now == text else now)


class Item(NamedTuple):
    """A value of ours in a JSON file: where it stands, how it is recognised there, and whether it
    is one of a list.
    """

    place: tuple[str, ...]
    value: object
    is_ours: Callable[[object], bool]
    append: bool = False


def json_items(path: Path, items: Sequence[Item]) -> Edit:
    """Return the edit that adds items to a JSON file with comments."""

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
    """Return the members of a JSON file's object; none where it is blank or something else. Raises
    ValueError.
    """
    return read_object_field(jsonc.load_jsonc(now)) if now.strip() else {}


def toml_table(
    path: Path, table: tuple[str, str], lines: Sequence[str], is_ours: Callable[[object], bool]
) -> Edit:
    """Return the edit that is a table at the end of a TOML file; it is known by its name and by
    what it holds.

    Not by marks around it: the agent writes the file anew, and would put tables of others between
    them.
    """
    header = re.compile(rf"\s*\[\s*{table[0]}\s*\.\s*[\"']?{table[1]}[\"']?\s*[.\]]")

    def held(now: str) -> object:
        group = tomllib.loads(now.removeprefix("\ufeff")).get(table[0])
        return group.get(table[1]) if isinstance(group, dict) else None

    def remove(now: str) -> str:
        if not is_ours(held(now)):
            return now
        kept: list[str] = []
        inside = False
        for line in now.splitlines(keepends=True):
            inside = bool(header.match(line)) or (inside and not line.lstrip().startswith("["))
            if inside and kept and not kept[-1].strip() and header.match(line):
                kept.pop()  # the empty line that we put before it
            if not inside:
                kept.append(line)
        return "".join(kept)

    def add(now: str) -> str:
        if held(now) is not None:
            raise ValueError(f"there is a [{'.'.join(table)}] already, which is not ours")
        head = now if not now or now.endswith("\n") else now + "\n"
        added = "\n".join((f"[{'.'.join(table)}]", *lines)) + "\n"
        after = f"{head}\n{added}" if head else added
        # such as `mcp_servers = {}`, which takes no table more
        tomllib.loads(after.removeprefix("\ufeff"))
        return after

    return Edit(path, add, remove)


class InstallRecord:
    """What was installed: for each file the bytes before and the sum after, so that it can be put
    back exactly.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / "installs"

    @contextmanager
    def alone(self, edits: Sequence[Edit]) -> Iterator[None]:
        """Keep other processes from installing meanwhile, and sweep away what one left that was
        killed.
        """
        with fs.exclusive(self._folder / "lock"):
            for folder in {edit.path.resolve().parent for edit in edits}:
                fs.sweep_temporary_files(folder)
            yield

    def _entry(self, path: Path) -> Path:
        return self._folder / (
            f"{hashlib.sha256(str(path).encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"
        )

    def original(self, path: Path, now: bytes | None) -> tuple[bool, bytes | None]:
        """Return whether the file is as we left it, and what it was before."""
        entry = self._entry(path)
        if now is None or not entry.exists():
            return False, None
        kept = json.loads(entry.read_text(encoding="utf-8"))
        if kept["after"] != _hash_file_data(now):
            return False, None
        return True, None if kept["before"] is None else bytes.fromhex(kept["before"])

    def keep(self, change: InstallChange, before: bytes | None) -> None:
        """Remember a file as it was, durably, before it is changed; and which of its folders are
        not there yet.
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
        """Return every file of which something is remembered."""
        rows = (
            json.loads(entry.read_text(encoding="utf-8"))
            for entry in sorted(self._folder.glob("*.json"))
        )
        return [Path(row["path"]) for row in rows]

    def forget(self, path: Path) -> None:
        """Forget a file that is as it was."""
        self._entry(path).unlink(missing_ok=True)


def _hash_file_data(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_foreign_file(path: Path) -> bytes | None:
    """Return a file's bytes; None where there is none. Raises BadRequest where it cannot be
    read.
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
    """Return what installing changes. Raises BadRequest, which names the file."""
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
    """Return what uninstalling changes: the bytes of before where nobody touched the file since,
    else only our part.
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
    """Write the files, each at once; what each was, and which folders were there, is kept before
    the first is written.
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
        # Agents keep keys in their own files: a new one is the user's alone.
        fs.replace(change.path, change.after or b"")


def _before_us(edit: Edit, now: bytes | None) -> bytes | None:
    """Return a file without our part: somebody may have edited it since we were there, or copied
    it.
    """
    return None if now is None else _edit_file_text(edit.path, now, edit.remove).encode()


def uninstall(changes: Sequence[InstallChange], ledger: InstallRecord) -> None:
    """Write the files back, and remove those that were ours with the folders that were made for
    them.
    """
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
