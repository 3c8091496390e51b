"""Synchronisation of a home with the user's other devices: where to, under which keys.

sync/sync.json          this device, and the remote
sync/outbox/000007.age  segments that are not in the remote yet
sync/git/               objects of a Git remote
keys/sync.txt           keys that every device has, the one in use and those before
keys/sync-device.txt    key of this device alone: new keys are sent to it
"""

import json
import os
import platform
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gieok import fs, paths, registry
from gieok.errors import BadConfig, BadRequest, WrongKey
from gieok.home import file_sealers
from gieok.home.home import Home
from gieok.places.project import known_projects
from gieok.ports.sync import SegmentRemote

if TYPE_CHECKING:  # `pyrage` is an extra
    from gieok.storage.sealers.age import AgeSealer

_HEAD = (
    "# Keys of `gieok sync` (age, https://age-encryption.org). Who has this file reads what your "
    "devices exchange.\n"
)
_KEY_FIELDS = 3
_FAULTS = "sync:faults"


class SyncSetup(NamedTuple):
    """This device, by an id that tells nothing and a name for people, and the remote."""

    device: str
    name: str
    remote: str
    is_git: bool


class SharedKey(NamedTuple):
    """Key that devices share: since when, made by which device, and its secret side.

    The newest is in use; of two that were made at once, every device takes the same.
    """

    since: str
    device: str
    identity: str


class ProjectOrigin(NamedTuple):
    """Repository of a project in any clone: its first commits, and the project's folder in it."""

    commits: tuple[str, ...]
    below: str

    @property
    def identity(self) -> str:
        """Return the text that is the same on every machine."""
        return f"git:{'+'.join(self.commits)}:{self.below}"


class SyncFault(NamedTuple):
    """Segment that cannot be taken in: its path in the remote, and the kind of the fault."""

    path: str
    kind: str


class HomeSync:
    """Synchronisation of a caller's home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folder = paths.locate_sync_folder(home.folder)
        self._file = self._folder / "sync.json"
        self._keys = paths.locate_sync_key(home.folder)
        self._device_key = paths.locate_device_key(home.folder)
        self._outbox = self._folder / "outbox"

    @property
    def key_file(self) -> Path:
        """Return the file of the keys that every device has."""
        return self._keys

    def find_setup(self) -> SyncSetup | None:
        """Return what was set up; None for a home that is not synchronised. Raises BadConfig."""
        try:
            row = json.loads(self._file.read_text(encoding="utf-8"))
            return SyncSetup(
                device=str(row["device"]),
                name=str(row["name"]),
                remote=str(row["remote"]),
                is_git=bool(row["is_git"]),
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadConfig(
                "cannot read {file!r}: {kind}",
                file=self._file,
                kind=type(error).__name__,
                hint="remove it and run `gieok sync init REMOTE` again",
                origin=str(self._file),
            ) from error

    def store_setup(self, setup: SyncSetup) -> None:
        """Write what was set up, in one step."""
        fs.replace_private(self._file, json.dumps(setup._asdict(), indent=1) + "\n")

    def build_setup(
        self, remote: str, folder: Path, name: str, *, is_new: bool = False
    ) -> SyncSetup:
        """Return the setup for a remote: a Git address, or a folder, given as the caller typed it.

        The device keeps its id unless it `is_new`. Raises BadRequest.
        """
        from gieok.machine.segments.git_branch import is_repository

        known = self.find_setup()
        is_git = is_repository(str(folder) if folder.exists() else remote)
        if not is_git and not folder.is_dir():
            raise BadRequest(
                "{remote!r} is no folder and no address of Git",
                remote=remote,
                hint="make the folder, or `git init --bare FOLDER.git`",
            )
        if not is_git and folder.resolve().is_relative_to(self._home.folder.resolve()):
            raise BadRequest(
                "{remote!r} lies in Gieok's own home", remote=remote, hint="name another folder"
            )
        return SyncSetup(
            device=known.device if known and not is_new else secrets.token_hex(4),
            name=name or (known.name if known else platform.node()),
            remote=str(folder) if folder.exists() else remote,
            is_git=is_git,
        )

    def open_remote(self, setup: SyncSetup) -> SegmentRemote:
        """Return the remote. Raises RemoteUnreachable when it is used."""
        if setup.is_git:
            from gieok.machine.segments.git_branch import SegmentBranch

            return SegmentBranch(setup.remote, self._folder / "git", self._home.caller.environment)
        from gieok.machine.segments.folder import SegmentFolder

        return SegmentFolder(Path(setup.remote))

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let no other process synchronise this home meanwhile. Raises BadRequest."""
        with fs.exclusive(self._folder / "sync.lock", wait=False) as held:
            if not held:
                raise BadRequest("another process synchronises", hint="wait for its end")
            yield

    def list_faults(self) -> list[SyncFault]:
        """Return the segments that could not be taken in at the last synchronisation."""
        kept = self._home.journal.kept(_FAULTS)
        return [SyncFault(path, kind) for path, kind in sorted(kept.items())]

    def keep_faults(self, faults: Mapping[str, str]) -> None:
        """Keep the faults of a synchronisation, path → kind, in place of those before."""
        journal = self._home.journal
        journal.keep(_FAULTS, faults, journal.kept(_FAULTS).keys() - faults.keys())

    # Keys.
    def list_keys(self) -> list[SharedKey]:
        """Return the keys that devices share, the one in use first; none before the first.

        Raises BadConfig.
        """
        if not self._keys.exists():
            return []
        return _parse_shared_keys(file_sealers.read_key_lines(self._keys))

    def add_keys(self, keys: Sequence[SharedKey]) -> None:
        """Keep keys beside those that are there, in one step."""
        every = sorted({*self.list_keys(), *keys}, reverse=True)
        rows = [f"# {key.since} {key.device}\n{key.identity}\n" for key in every]
        fs.replace_private(self._keys, _HEAD + "".join(rows))

    def read_keys(self, file: Path) -> list[SharedKey]:
        """Return the keys in a file that came from another device. Raises BadConfig."""
        keys = _parse_shared_keys(file_sealers.read_key_lines(file))
        if not keys:
            raise BadConfig(
                "{file!r} holds no key of `gieok sync`",
                file=file,
                hint="make one on the other device: `gieok sync key --to FILE`",
            )
        return keys

    def export_keys(self, file: Path) -> None:
        """Write the keys to a new private file. Raises BadRequest."""
        text = "\n".join(file_sealers.read_key_lines(self._keys)) + "\n"
        if not fs.create_new_file(file, text):
            raise BadRequest("{file!r} is there already", file=file, hint="name another with --to")

    def build_key(self, since: str, device: str) -> SharedKey:
        """Return a new key; it is kept nowhere yet."""
        identity, _ = self._load_age().generated()
        return SharedKey(since, device, identity)

    def recipient_of(self, key: SharedKey) -> str:
        """Return the public side of a key."""
        return self._load_age().recipient_of(key.identity)

    def make_device_key(self) -> str:
        """Return the public side of this device's own key, which is made where there is none."""
        age = self._load_age()
        if not self._device_key.exists():
            identity, _ = age.generated()
            fs.make_private(self._device_key.parent)
            fs.create_new_file(self._device_key, f"{identity}\n")
        return age.recipient_of(file_sealers.load_sealing_identity(self._home, self._device_key))

    def seal(self, data: bytes, recipients: Sequence[str] = ()) -> bytes:
        """Return data encrypted with the key in use, or for the devices of some recipients."""
        public = recipients or [self.recipient_of(self.list_keys()[0])]
        return self._load_age().seal_for(data, public)

    def open(self, data: bytes, what: str) -> bytes:
        """Return data decrypted, with whichever key fits. Raises WrongKey, Damaged."""
        own = file_sealers.load_sealing_identity(self._home, self._device_key)
        identities = [*(key.identity for key in self.list_keys()), own]
        age = self._load_age()
        loaders = [lambda identity=identity: identity for identity in identities]
        return age(age.recipient_of(identities[0]), *loaders).open(data, what)

    def is_current(self, data: bytes) -> bool:
        """Say whether data is encrypted with the key in use."""
        identity = self.list_keys()[0].identity
        age = self._load_age()
        try:
            age(age.recipient_of(identity), lambda: identity).open(data)
        except WrongKey:
            return False
        return True

    def _load_age(self) -> "type[AgeSealer]":
        age: type[AgeSealer] = registry.load_backend(registry.SEALERS, "age")
        return age

    # Segments that wait to be sent.
    def list_outbox(self) -> list[int]:
        """Return the numbers of the segments that wait."""
        fs.sweep_temporary_files(self._outbox)
        return sorted(int(file.stem) for file in self._outbox.glob("[0-9]*.age"))

    def read_outbox(self, number: int) -> bytes:
        """Return a segment that waits."""
        return self._outbox_file(number).read_bytes()

    def write_outbox(self, number: int, data: bytes) -> None:
        """Let a segment wait, in one step."""
        fs.replace_private(self._outbox_file(number), data)

    def drop_outbox(self, number: int) -> None:
        """Remove a segment that is in the remote."""
        self._outbox_file(number).unlink(missing_ok=True)

    def drop_waiting(self) -> None:
        """Remove all segments that wait, which are for another remote."""
        for number in self.list_outbox():
            self.drop_outbox(number)

    def _outbox_file(self, number: int) -> Path:
        return self._outbox / f"{number:06}.age"

    # Projects.
    def list_project_origins(self) -> dict[str, tuple[Path, ProjectOrigin]]:
        """Return scope → folder and origin of each known project that Git can tell.

        Of several clones of a repository, the one seen last stands for it.
        """
        from gieok.machine.git import Git
        from gieok.places.checkout import common_folder, find_repository_top

        found: dict[str, tuple[Path, ProjectOrigin]] = {}
        scopes: dict[ProjectOrigin, str] = {}
        for root, project in known_projects(str(self._home.folder)).items():
            top = find_repository_top(root)
            if not Path(root).is_dir() or common_folder(top) != top:
                continue
            commits = tuple(Git(Path(top), self._home.caller.environment).list_first_commits())
            below = Path(os.path.realpath(root)).relative_to(top).as_posix()
            if commits:
                origin = ProjectOrigin(commits, below)
                found.pop(scopes.get(origin, ""), None)
                scopes[origin] = project.scope
                found[project.scope] = (Path(root), origin)
        return found

    def list_tracked(self, folder: Path) -> frozenset[str]:
        """Return the files below a folder that Git tracks: they travel with the repository."""
        from gieok.machine.git import Git

        return Git(folder, self._home.caller.environment).list_tracked()


def _parse_shared_keys(lines: Sequence[str]) -> list[SharedKey]:
    keys = []
    before: list[str] = []
    for line in lines:
        words = line.split()
        if len(words) == 1 and words[0].startswith("AGE-SECRET-KEY-1"):
            since, device = before[1:] if len(before) == _KEY_FIELDS else ("", "")
            keys.append(SharedKey(since, device, words[0]))
        before = words
    return sorted(keys, reverse=True)
