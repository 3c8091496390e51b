"""Synchronisation of a home with the user's other devices: where to, under which keys.

sync/sync.json          this device, and the remote
sync/outbox/*.age       segments that are not in the remote yet
sync/git/               objects of a Git remote
sync/checked.json       files of a folder that were read and whole, by size and time
keys/sync.txt           keys that every device has, the one in use and those before
keys/sync-device.txt    key of this device alone: new keys are sent to it
"""

import json
import os
import platform
import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gieok import fs, paths, registry
from gieok.errors import BadConfig, BadRequest, Damaged, NotAuthentic, Phrase, WrongKey
from gieok.home import file_sealers
from gieok.home.home import Home
from gieok.memory.exchange.proofs import is_proven, sign_data, split_proof
from gieok.places.project import known_projects
from gieok.ports.sync import SegmentName, SegmentRemote, hide_userinfo, parse_segment_path

if TYPE_CHECKING:  # `pyrage` is an extra
    from gieok.storage.sealers.age import AgeSealer

_HEAD = (
    "# Keys of `gieok sync` (age, https://age-encryption.org). Who has this file reads what your "
    "devices exchange.\n"
)
_KEY_FIELDS = 3
#: A key that is made when a device is dropped ranks before all that others may make meanwhile.
_DROP_GENERATIONS = 1_000
#: What to do where others can read the keys, or the copy that was carried here.
_OPEN_HINT = "run `chmod 600 {file}`; if others may have read it: `gieok sync rotate`"
_OPEN_COPY_HINT = (
    "copy it into your home, where `chmod 600` holds (a USB stick has no modes), and give "
    "--key-file the copy"
)
_FAULTS = "sync:faults"
_DROP = "sync:drop"
#: Addresses of Git with a host: https://user@example.org:8080/me/shop.git, git@example.org:me/shop
_URL = re.compile(r"(?!file:)[a-z+]+://(?:[^/@]*@)?(?P<host>[^/:@]+)(?::\d*)?/(?P<path>.*)")
_SCP_ADDRESS = re.compile(r"(?:[^/@:]*@)?(?P<host>[^/:@]{2,}):(?!//)(?P<path>.*)")


class SyncSetup(NamedTuple):
    """This device, by an id that tells nothing and a name for people, and the remote."""

    device: str
    name: str
    remote: str
    is_git: bool


class SharedKey(NamedTuple):
    """Key that devices share: its generation, made by which device, and its secret side.

    The latest generation is in use, whatever the clocks say; of two that were made at once, every
    device takes the same.
    """

    generation: int
    device: str
    identity: str

    @property
    def next_drop(self) -> int:
        """Return the generation of the key that drops a device under this one."""
        return (self.generation // _DROP_GENERATIONS + 1) * _DROP_GENERATIONS


class OpenedData(NamedTuple):
    """Data that a device of the user encrypted, and the key that proves it."""

    data: bytes
    proof: SharedKey


class ProjectOrigin(NamedTuple):
    """Repository of a project in any clone: its first commits, its place, and the folder in it.

    Products that were made of one starter have the same first commits: so the place from which the
    repository is cloned, a host and a path, belongs to it.
    """

    commits: tuple[str, ...]
    place: str
    below: str

    @property
    def identity(self) -> str:
        """Return the text that is the same on every machine."""
        return f"git:{'+'.join(self.commits)}:{self.place}:{self.below}"


class SyncFault(NamedTuple):
    """Segment that cannot be taken in: its path in the remote, and the kind of the fault."""

    path: str
    kind: str


class UnconfirmedDrop(NamedTuple):
    """Names of devices that were dropped, where that does not hold everywhere yet.

    `lagging` are the others of which nothing came under the key since; `back` were dropped, and
    have the key in use.
    """

    dropped: tuple[str, ...] = ()
    lagging: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


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

    def build_setup(self, remote: str, folder: Path, name: str, device: str) -> SyncSetup:
        """Return the setup for a remote: a Git address, or a folder, given as the caller typed it.

        `device` is the id that the device had before, '' for none: it keeps it. Raises BadRequest.
        """
        from gieok.machine.segments.git_branch import is_repository

        known = self.find_setup()
        is_git = is_repository(str(folder) if folder.exists() else remote)
        if not is_git and not folder.is_dir():
            raise BadRequest(
                "{remote!r} is no folder and no address of Git",
                remote=hide_userinfo(remote),
                hint="make the folder, or `git init --bare FOLDER.git`",
            )
        if not is_git and folder.resolve().is_relative_to(self._home.folder.resolve()):
            raise BadRequest(
                "{remote!r} lies in Gieok's own home", remote=remote, hint="name another folder"
            )
        return SyncSetup(
            device=known.device if known else device or secrets.token_hex(4),
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

        return SegmentFolder(Path(setup.remote), self._folder / "checked.json")

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let no other process synchronise this home meanwhile. Raises BadRequest."""
        with fs.exclusive(self._folder / "sync.lock", wait=False) as held:
            if not held:
                raise BadRequest("another process synchronises", hint="wait for its end")
            fs.sweep_temporary_files(self._outbox)
            yield

    def list_faults(self) -> list[SyncFault]:
        """Return the segments that could not be taken in at the last synchronisation."""
        kept = self._home.journal.kept(_FAULTS)
        return [SyncFault(path, kind) for path, kind in sorted(kept.items())]

    def keep_faults(self, faults: Mapping[str, str]) -> None:
        """Keep the faults of a synchronisation, path → kind, in place of those before."""
        journal = self._home.journal
        journal.keep(_FAULTS, faults, journal.kept(_FAULTS).keys() - faults.keys())

    def load_unconfirmed_drop(self) -> UnconfirmedDrop:
        """Return what was not confirmed of dropped devices at the last synchronisation."""
        kept = self._home.journal.kept(_DROP)
        return UnconfirmedDrop(**{name: tuple(json.loads(text)) for name, text in kept.items()})

    def keep_unconfirmed_drop(self, drop: UnconfirmedDrop) -> None:
        """Keep what is not confirmed of dropped devices, in place of what was before."""
        if drop != self.load_unconfirmed_drop():
            rows = {name: json.dumps(names) for name, names in drop._asdict().items()}
            self._home.journal.keep(_DROP, rows)

    # Keys.
    def list_keys(self) -> list[SharedKey]:
        """Return the keys that devices share, the one in use first; none before the first.

        Raises BadConfig.
        """
        if not self._keys.exists():
            return []
        return _parse_shared_keys(file_sealers.read_key_lines(self._keys, _OPEN_HINT))

    def load_current_key(self) -> SharedKey:
        """Return the key in use. Raises BadConfig."""
        keys = self.list_keys()
        if not keys:
            raise BadConfig(
                "the key of `gieok sync` is missing: {file!r}",
                file=self._keys,
                hint=(
                    "on another device run `gieok sync key --to FILE`; here, `gieok sync init "
                    "REMOTE --key-file FILE`"
                ),
            )
        return keys[0]

    def add_keys(self, keys: Sequence[SharedKey]) -> None:
        """Keep keys beside those that are there, in one step."""
        self.store_keys({*self.list_keys(), *keys})

    def store_keys(self, keys: Collection[SharedKey]) -> None:
        """Keep these keys in place of those that are there, in one step."""
        rows = [
            f"# {key.generation} {key.device}\n{key.identity}\n"
            for key in sorted(keys, reverse=True)
        ]
        fs.replace_private(self._keys, _HEAD + "".join(rows))

    def can_open_any(
        self, remote: SegmentRemote, names: Sequence[SegmentName], keys: Sequence[SharedKey]
    ) -> bool | None:
        """Say whether some keys open any of some segments; None where no segment is whole."""
        opener = self._build_opener([key.identity for key in keys])
        is_any_whole = False
        # What was sent last is under the key in use.
        for name in sorted(names, key=lambda name: name.number, reverse=True):
            if name.is_key:
                continue
            try:
                opener.open(remote.read(name), name.path)
            except Damaged:
                continue
            except WrongKey:
                is_any_whole = True
            else:
                return True
        return False if is_any_whole else None

    def read_keys(self, file: Path) -> list[SharedKey]:
        """Return the keys in a file that came from another device. Raises BadConfig."""
        keys = _parse_shared_keys(file_sealers.read_key_lines(file, _OPEN_COPY_HINT))
        if not keys:
            raise BadConfig(
                "{file!r} holds no key of `gieok sync`",
                file=file,
                hint="make one on the other device: `gieok sync key --to FILE`",
            )
        return keys

    def export_keys(self, file: Path) -> None:
        """Write the keys to a new private file. Raises BadRequest."""
        text = "\n".join(file_sealers.read_key_lines(self._keys, _OPEN_HINT)) + "\n"
        if not fs.create_new_file(file, text):
            raise BadRequest("{file!r} is there already", file=file, hint="name another with --to")

    def build_next_key(self, device: str, last: int = 0, *, is_drop: bool = False) -> SharedKey:
        """Return a new key of the generation after the `last` one and those that are here.

        Where it `is_drop` of a device, it ranks behind all that others make meanwhile. It is kept
        nowhere yet.
        """
        identity, _ = self._load_age().generated()
        before = max([last, *(key.generation for key in self.list_keys())])
        key = SharedKey(before, device, identity)
        return key._replace(generation=key.next_drop if is_drop else before + 1)

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
        return age.recipient_of(self._load_own_identity())

    def _load_own_identity(self) -> str:
        return file_sealers.load_sealing_identity(
            self._home, self._device_key, open_hint=_OPEN_HINT
        )

    def identify_copy(self) -> int:
        """Return a number that is another one in a copy of this home."""
        self.make_device_key()
        return self._device_key.stat().st_ino

    def seal(self, data: bytes, recipients: Sequence[str] = ()) -> bytes:
        """Return data encrypted with the key in use, or for the devices of some recipients.

        That a device of the user wrote it is proven by the key in use.
        """
        key = self.load_current_key()
        public = recipients or [self.recipient_of(key)]
        return self._load_age().seal_for(sign_data(data, key.identity), public)

    def open(self, data: bytes, what: str) -> OpenedData:
        """Return data decrypted, with whichever key fits.

        Raises WrongKey, Damaged, and NotAuthentic where no key that is here proves who wrote it.
        """
        self.make_device_key()
        own = self._load_own_identity()
        keys = self.list_keys()
        opener = self._build_opener([*(key.identity for key in keys), own])
        plain = opener.open(data, what)
        proof, content = split_proof(plain)
        for key in keys:
            if is_proven(proof, content, key.identity):
                return OpenedData(content, key)
        raise NotAuthentic("nothing proves that a device of yours wrote {what}", what=Phrase(what))

    def is_current(self, data: bytes) -> bool:
        """Say whether data is encrypted with the key in use."""
        return self._build_opener([self.load_current_key().identity]).is_current(data)

    def _build_opener(self, identities: Sequence[str]) -> "AgeSealer":
        """Return what opens data that is encrypted with any of some keys."""
        age = self._load_age()
        loaders = [lambda identity=identity: identity for identity in identities]
        return age(age.recipient_of(identities[0]), *loaders)

    def _load_age(self) -> "type[AgeSealer]":
        age: type[AgeSealer] = registry.load_backend(registry.SEALERS, "age")
        return age

    # Segments that wait to be sent.
    def list_outbox(self, device: str) -> list[SegmentName]:
        """Return the segments of this device that wait, by number."""
        paths = (f"{device}/{file.name}" for file in self._outbox.glob("*.age"))
        return sorted(filter(None, map(parse_segment_path, paths)))

    def count_outbox(self) -> int:
        """Count the files that wait, whatever their names are."""
        return len(list(self._outbox.glob("*.age")))

    def is_waiting(self, name: SegmentName) -> bool:
        """Say whether a segment waits to be sent."""
        return (self._outbox / name.file).exists()

    def read_outbox(self, name: SegmentName) -> bytes:
        """Return a segment that waits. Raises Damaged."""
        return name.check((self._outbox / name.file).read_bytes())

    def write_outbox(self, name: SegmentName, data: bytes) -> None:
        """Let a segment wait, in one step."""
        assert parse_segment_path(name.path) == name, name.path
        fs.replace_private(self._outbox / name.file, data)

    def drop_outbox(self, name: SegmentName) -> None:
        """Remove a segment that is in the remote."""
        (self._outbox / name.file).unlink(missing_ok=True)

    # Projects.
    def list_project_origins(self) -> dict[str, ProjectOrigin]:
        """Return scope → origin of each known project that Git can tell.

        Those are the ones with commits that were cloned from a host, or are pushed to one.
        """
        from gieok.machine.git import Git
        from gieok.places.checkout import common_folder, find_repository_top

        found: dict[str, ProjectOrigin] = {}
        for scope, root in self.list_project_folders().items():
            top = find_repository_top(str(root))
            if common_folder(top) != top:
                continue
            git = Git(Path(top), self._home.caller.environment)
            commits, place = git.list_first_commits(), _parse_hosted_place(git.read_origin())
            below = Path(os.path.realpath(root)).relative_to(top).as_posix()
            if commits and place:
                found[scope] = ProjectOrigin(tuple(commits), place, below)
        return found

    def has_repository(self, folder: Path) -> bool:
        """Say whether a folder lies in a Git repository."""
        from gieok.places.checkout import find_repository_top

        return os.path.lexists(Path(find_repository_top(str(folder)), ".git"))

    def list_project_folders(self) -> dict[str, Path]:
        """Return scope → folder of each known project that is there now."""
        return {
            scope: folder
            for scope, roots in self.list_project_roots().items()
            for folder in roots
            if folder.is_dir()
        }

    def list_project_roots(self) -> dict[str, list[Path]]:
        """Return scope → the folders in which each known project was seen, there or not."""
        found: dict[str, list[Path]] = {}
        for root, project in known_projects(str(self._home.folder)).items():
            found.setdefault(project.scope, []).append(Path(root))
        return found

    def list_tracked(self, folder: Path) -> frozenset[str] | None:
        """Return the files below a folder that Git tracks: they travel with the repository.

        None where a repository is there, and Git does not tell.
        """
        from gieok.machine.git import Git

        if not folder.is_dir() or not self.has_repository(folder):
            return frozenset()
        return Git(folder, self._home.caller.environment).list_tracked()


def _parse_hosted_place(address: str) -> str:
    """Return host and path of an address of Git, the same for every protocol; '' for a folder."""
    matched = _URL.fullmatch(address) or _SCP_ADDRESS.fullmatch(address)
    if matched is None:
        return ""
    path = matched["path"].strip("/").removesuffix(".git")
    return f"{matched['host'].lower()}/{path}" if path else ""


def _parse_shared_keys(lines: Sequence[str]) -> list[SharedKey]:
    keys = []
    before: list[str] = []
    for line in lines:
        words = line.split()
        if len(words) == 1 and words[0].startswith(file_sealers.SECRET_PREFIX):
            is_named = len(before) == _KEY_FIELDS and before[1].isdecimal()
            generation, device = (int(before[1]), before[2]) if is_named else (0, "")
            keys.append(SharedKey(generation, device, words[0]))
        before = words
    return sorted(keys, reverse=True)
