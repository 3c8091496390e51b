"""Writer of the grants that `trust` reads: trusted records and settings of each project.

Trust is by content and by place. A project is identified by its real path: after it is moved,
cloned anew or mounted elsewhere, the person is asked again. A record is identified by its name
below `.gieok` and the hash of its content, so every record that a pull adds or changes waits for
trust.
"""

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from gieok import fs
from gieok.errors import BadRequest
from gieok.places.home import HOME_VARIABLE, PROJECT_FOLDER, SHELF, own_folders
from gieok.settings import trust


class TrustedContent(NamedTuple):
    """Trusted record: its name from the `.gieok` folder, and its SHA-256."""

    name: str
    digest: str


class Grant(NamedTuple):
    """Everything that is trusted of one project.

    `settings` is the trusted text of the project's settings; `at` is the day when a person was last
    asked, '' for never.
    """

    project: str
    entries: frozenset[TrustedContent] = frozenset()
    settings: str | None = None
    at: str = ""

    def with_entries(self, entries: Iterable[TrustedContent]) -> "Grant":
        """Return the grant with more records."""
        return self._replace(entries=self.entries.union(entries))

    def without(self, names: Collection[str]) -> "Grant":
        """Return the grant without any content of these names."""
        return self._replace(
            entries=frozenset(entry for entry in self.entries if entry.name not in names)
        )


def build_trusted_content(name: str, digest: str) -> TrustedContent:
    """Return the entry of a record, with its name normalised.

    A name is the same in every Unicode form, because macOS changes the form.
    """
    return TrustedContent(name if name.isascii() else normalize("NFC", name), digest)


def digest_trusted_content(name: str, data: bytes) -> TrustedContent:
    """Return the entry of a record with this content."""
    return build_trusted_content(name, hashlib.sha256(data).hexdigest())


def record_of(file: str) -> tuple[str, str] | None:
    """Return the project folder and the name of a record file; None for any other file.

    Case does not matter, as on many file systems. The folder may hold the user's own memory: see
    `is_own`.
    """
    if PROJECT_FOLDER not in file.casefold():
        return None
    parts = Path(file).parts
    for at, part in enumerate(parts[:-2]):
        if part.casefold() == PROJECT_FOLDER and parts[at + 1].casefold() == SHELF:
            return str(Path(*parts[:at])), "/".join(parts[at + 1 :])
    return None


def is_own(root: str) -> bool:
    """Say whether the `.gieok` of a folder is the user's own memory and not a project's."""
    return os.path.realpath(os.path.join(root, PROJECT_FOLDER)) in own_folders()  # noqa: PTH118


class TrustJudge:
    """Judge of which files may be remembered; it reads each grant once for many files."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._known: dict[str, frozenset[TrustedContent] | None] = {}

    def admits(self, data: bytes, *names: Path) -> bool:
        """Say whether a content that stands at `names` may be remembered.

        It may when each name is no record of a project, or a trusted record.
        """
        for root, name in filter(None, map(record_of, map(str, names))):
            if root not in self._known:
                self._known[root] = None if is_own(root) else load_grant(self._home, root).entries
            if (entries := self._known[root]) is not None:
                return digest_trusted_content(name, data) in entries
        return True


def load_grant(home: Path, root: str) -> Grant:
    """Return the grant of a project; an empty grant if it is unreadable or came with the
    project.
    """
    project = os.path.realpath(root)
    file = trust.grant_file(str(home), root)
    try:
        file_facts = os.stat(file)  # noqa: PTH116 - of a text
    except OSError:
        return Grant(project)
    grant = _parse_grant_file(file, (file_facts.st_ino, file_facts.st_mtime_ns, file_facts.st_size))
    return (
        grant
        if grant.project == project and not trust.is_carried(str(home), root)
        else Grant(project)
    )


@lru_cache(maxsize=8)
def _parse_grant_file(file: str, stamp: tuple[int, ...]) -> Grant:
    del stamp
    try:
        head_line, *rest = Path(file).read_text(encoding="utf-8").splitlines()
        head = json.loads(head_line)
        entries = frozenset(
            TrustedContent(str(name), str(digest))
            for name, digest in json.loads(f"[{','.join(rest)}]")
        )
        return Grant(str(head["project"]), entries, head.get("settings"), str(head.get("at") or ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Grant("")


def edit_grant(home: Path, root: str, edit: Callable[[Grant], Grant]) -> Grant:
    """Change a project's grant in one step that survives a crash.

    Two processes do not undo each other's changes. Raises BadRequest where a grant in this home
    would lie in the project.
    """
    check_home_outside_project(home, root)
    with _lock_trust_folder(home):
        fs.sweep_temporary_files(home / "trust")
        before = load_grant(home, root)
        after = edit(before)
        if after != before:
            fs.replace_private(Path(trust.grant_file(str(home), root)), _format_grant(after))
    return after


def check_home_outside_project(home: Path, root: str) -> None:
    """Raise BadRequest where a grant in this home would lie in the project."""
    if trust.is_carried(str(home), root):
        raise BadRequest(
            (
                "the home folder {home!r} lies in the project {root!r}, which could bring its "
                "own trust along"
            ),
            home=home,
            root=root,
            home_variable=HOME_VARIABLE,
            hint="set {home_variable} to a folder outside of it",
        )


def _lock_trust_folder(home: Path) -> AbstractContextManager[bool]:
    return fs.exclusive(home / "trust" / ".lock")


def _format_grant(grant: Grant) -> str:
    head = {"project": grant.project, "at": grant.at, "settings": grant.settings}
    return "".join(json.dumps(row) + "\n" for row in (head, *sorted(grant.entries)))


def forget_grant(home: Path, root: str) -> bool:
    """Remove all trust in a project; say whether there was any."""
    with _lock_trust_folder(home):
        had = load_grant(home, root) != Grant(os.path.realpath(root))
        Path(trust.grant_file(str(home), root)).unlink(missing_ok=True)
    return had


def move_grant(home: Path, old: str, new: str) -> None:
    """Move the grant of a project that was moved from `old` to `new`.

    A grant that `new` has already stays.
    """
    held = load_grant(home, old)

    def joined(there: Grant) -> Grant:
        return there.with_entries(held.entries)._replace(
            settings=there.settings or held.settings, at=there.at or held.at
        )

    edit_grant(home, new, joined)
    forget_grant(home, old)


def list_grants(home: Path) -> list[Grant]:
    """Return all grants, by the project's path."""
    held_grants = []
    for file in (home / "trust").glob("*.jsonl"):
        grant = _parse_grant_file(str(file), (file.stat().st_mtime_ns,))
        if grant.project and Path(trust.grant_file(str(home), grant.project)) == file:
            held_grants.append(grant)
    return sorted(held_grants, key=lambda grant: grant.project)


def claim_trust_notice(home: Path, root: str, fingerprint: str) -> bool:
    """Say whether nobody was told yet that these contents wait in a project; mark them as told.

    `fingerprint` identifies the set of waiting contents.
    """
    notice = Path(trust.grant_file(str(home), root)).with_suffix(".told")
    row = json.dumps({"project": os.path.realpath(root), "waits": fingerprint}) + "\n"
    with _lock_trust_folder(home):
        if notice.exists() and notice.read_text(encoding="utf-8") == row:
            return False
        fs.replace_private(notice, row)
    return True


def told_of(home: Path) -> list[str]:
    """Return the projects for which a person was told that contents wait for trust."""
    projects = []
    for file in (home / "trust").glob("*.told"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            projects.append(str(json.loads(file.read_text(encoding="utf-8"))["project"]))
    return sorted(projects)


def mark_adopted(home: Path) -> None:
    """Record that memory from before trust existed has been adopted."""
    fs.replace_private(Path(trust.adopted_file(str(home))), "")
