"""Finds the content of a project that waits for trust, and trusts what the user wrote."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from gieok.commands.command import waiting_words
from gieok.flow.ingest import Failed
from gieok.home import code_settings
from gieok.home.call import Call
from gieok.memory.files import read
from gieok.memory.files.roots import Root
from gieok.places.home import PROJECT_FOLDER, SHELF
from gieok.settings import grants, trust
from gieok.settings.grants import Grant, TrustedContent
from gieok.text.messages import Words


class WaitingRecord(NamedTuple):
    """Record that waits, its content, and whether other content of that name is trusted."""

    entry: TrustedContent
    data: bytes
    is_change: bool


class Waiting(NamedTuple):
    """Content of a project that waits for trust.

    `settings` is None where the settings do not wait; `unread` is (what, why) of what can never be
    trusted.
    """

    root: str
    records: tuple[WaitingRecord, ...] = ()
    settings: str | None = None
    unread: tuple[Failed, ...] = ()

    def __bool__(self) -> bool:
        """Say whether anything waits."""
        return bool(self.records) or self.settings is not None

    @property
    def fingerprint(self) -> str:
        """Return a fingerprint of exactly this content, long enough to be collision-resistant."""
        parts = [
            f"{entry.name}\0{entry.digest}"
            for entry in sorted(record.entry for record in self.records)
        ]
        settings = "" if self.settings is None else f"settings\0{self.settings}"
        return sha256("\n".join((*parts, settings)).encode("utf-8", "surrogatepass")).hexdigest()[
            :40
        ]

    def words(self) -> Words:
        """Return how much waits, without quoting any of the content."""
        return waiting_words(len(self.records), has_settings=self.settings is not None)


def find_waiting_content(home: Path, root: str) -> Waiting:
    """Read a project's records and settings; return the content that waits for trust."""
    grant = grants.load_grant(home, root)
    names = {entry.name for entry in grant.entries}
    records, unread = list[WaitingRecord](), list[Failed]()
    for name, data in (*_iter_shelf_contents(root), *_iter_code_settings(root)):
        if isinstance(data, Failed):
            unread.append(Failed(name, data.reason))
            continue
        entry = grants.digest_trusted_content(name, data)
        if entry not in grant.entries:
            records.append(WaitingRecord(entry, data, entry.name in names))
    settings = trust.settings_text(root)
    return Waiting(
        root,
        tuple(sorted(records)),
        settings if settings != grant.settings and (settings or "").strip() else None,
        tuple(unread),
    )


def count_waiting_records(call: Call) -> int:
    """Return how many records of the call's project wait for trust; 0 without a project."""
    return len(find_waiting_content(call.home.folder, call.project).records) if call.project else 0


def _build_record_root(root: str) -> Root:
    return Root(SHELF, Path(root, PROJECT_FOLDER, SHELF))


def _name_shelf_file(root: str, file: Path) -> str:
    return file.as_posix().removeprefix(f"{Path(root, PROJECT_FOLDER).as_posix()}/")


def _iter_shelf_contents(root: str) -> Iterator[tuple[str, bytes | Failed]]:
    shelf = _build_record_root(root)
    if not shelf.path.resolve().is_relative_to(shelf.path.parent.resolve()):
        return  # a link that leads out: it is not followed, whoever trusts it
    for candidate in read.list_note_candidates(shelf) if shelf.path.is_dir() else ():
        if isinstance(candidate, Failed):
            yield _name_shelf_file(root, Path(candidate.key)), candidate
            continue
        try:
            yield _name_shelf_file(root, candidate), read.peek(shelf, candidate)
        except (read.Unfit, OSError) as error:
            yield _name_shelf_file(root, candidate), Failed("", str(error))


def _iter_code_settings(root: str) -> Iterator[tuple[str, bytes]]:
    """Yield the settings of a project's code where they make its index cost more."""
    content = code_settings.find_costly_config(Path(root))
    if content is not None:
        yield code_settings.NAME, content


def trust_all(home: Path, waits: Waiting, day: str) -> Grant:
    """Trust the waiting content, byte for byte as it was read."""
    entries = [record.entry for record in waits.records]

    def edit(grant: Grant) -> Grant:
        grant = grant.with_entries(entries)._replace(at=day)
        return grant if waits.settings is None else grant._replace(settings=waits.settings)

    return grants.edit_grant(home, waits.root, edit)


def grant_record_trust(home: Path, base: Path, file: Path, data: bytes | None = None) -> None:
    """Trust a record that the user just wrote in a project's `.gieok` folder.

    `data` is the record's content where the content is known.
    """
    entry = grants.digest_trusted_content(
        file.relative_to(base).as_posix(), file.read_bytes() if data is None else data
    )
    grants.edit_grant(home, str(base.parent), lambda grant: grant.with_entries([entry]))


def revoke_record_trust(home: Path, base: Path, name: str) -> None:
    """Revoke trust in a record that the user removed, so that a pull cannot bring it back."""
    grants.edit_grant(
        home,
        str(base.parent),
        lambda grant: grant.without([grants.build_trusted_content(name, "").name]),
    )
