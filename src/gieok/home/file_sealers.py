"""Keys of encryption at rest: which key is in use, where it is, and the sealers that use it."""

import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gieok import fs, paths, registry
from gieok.errors import (
    ArchiveFailed,
    BadConfig,
    Damaged,
    Phrase,
    WrongKey,
    find_os_reason,
)
from gieok.home.home import Home
from gieok.ports.archive import PlainSealer, Sealer

if TYPE_CHECKING:  # `pyrage` is an extra
    from gieok.storage.sealers.age import AgeSealer

#: Variable that holds the passphrase of a key that has one.
PASSPHRASE = "GIEOK_PASSPHRASE"  # noqa: S105 - the name of a variable
#: First bytes of a file in the age format.
MAGIC = b"age-encryption.org/v1\n"
#: How the secret side of a key begins.
SECRET_PREFIX = "AGE-SECRET-KEY-1"  # noqa: S105
#: What to do where others can read the key.
_OPEN_HINT = "run `chmod 600 {file}`; if others may have read it: `gieok encryption rotate`"
#: Keys that a passphrase opened in this process: (file, its modification time) → identity. Opening
#: a key takes a second.
_opened: dict[tuple[str, int], str] = {}


class SealingKey(NamedTuple):
    """Encryption key: its public side, and the file of its secret side.

    `has_passphrase` says whether a passphrase protects the file.
    """

    recipient: str
    file: Path
    has_passphrase: bool = False


class SealingState(NamedTuple):
    """Content of `encryption.json`.

    `key` None: not encrypted. `before` is the former key, which some files still have while the key
    changes. `is_changing`: files have either key (`before` None: some are in the clear).
    """

    key: SealingKey | None = None
    before: SealingKey | None = None
    is_changing: bool = False
    #: Whether the databases of the home are encrypted too, or will be.
    databases: bool = False


def read_sealing_state(folder: Path) -> SealingState:
    """Return how the files of a home are encrypted. Raises BadConfig."""
    file = paths.locate_encryption_record(folder)
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
        return SealingState(
            _parse_key_row(folder, row["key"]),
            _parse_key_row(folder, row["before"]),
            bool(row["is_changing"]),
            bool(row.get("databases")),
        )
    except FileNotFoundError:
        return SealingState()
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = (
            "restore it from a backup, or copy of the home; without it nobody knows which key was "
            "used"
        )
        raise BadConfig(
            "cannot read {file!r}: {kind}",
            file=file,
            kind=type(error).__name__,
            hint=hint,
            origin=str(file),
        ) from error


def store_sealing_state(folder: Path, new: SealingState) -> None:
    """Write the state of encryption atomically."""
    row = {
        "key": _build_key_row(folder, new.key),
        "before": _build_key_row(folder, new.before),
        "is_changing": new.is_changing,
    }
    row["databases"] = new.databases
    fs.replace_private(paths.locate_encryption_record(folder), json.dumps(row, indent=1) + "\n")


def _build_key_row(folder: Path, key: SealingKey | None) -> dict[str, object] | None:
    if key is None:
        return None
    inside = key.file.is_relative_to(folder)  # a home that moves takes its key along
    file = key.file.relative_to(folder).as_posix() if inside else str(key.file)
    return {"recipient": key.recipient, "file": file, "has_passphrase": key.has_passphrase}


def _parse_key_row(folder: Path, row: "dict[str, Any] | None") -> SealingKey | None:
    return (
        SealingKey(str(row["recipient"]), folder / str(row["file"]), bool(row["has_passphrase"]))
        if row
        else None
    )


def sealer(home: Home, *keys: SealingKey, passphrase: str = "") -> "AgeSealer":
    """Return a sealer that seals with the first key and opens with any of the keys.

    Secret sides are read when something is opened. Raises MissingExtra.
    """
    identities = [partial(load_sealing_identity, home, key.file, passphrase) for key in keys]
    age: type[AgeSealer] = registry.load_backend(registry.SEALERS, "age")
    return age(keys[0].recipient, *identities)


def key_in(home: Home, file: Path, passphrase: str = "") -> SealingKey:
    """Return the key that a file holds. Raises BadConfig, WrongKey."""
    age = registry.load_backend(registry.SEALERS, "age")
    return SealingKey(
        age.recipient_of(load_sealing_identity(home, file, passphrase)),
        file,
        _read_key_file(file).startswith(MAGIC),
    )


def load_sealing_identity(
    home: Home, file: Path, passphrase: str = "", *, open_hint: str = _OPEN_HINT
) -> str:
    """Return the secret side of a key.

    Raises WrongKey, Damaged, and BadConfig where the file does not exist, or others can read it:
    the `open_hint` says what to do then.
    """
    data = _read_key_file(file, open_hint)
    if not data.startswith(MAGIC):
        return _secret_in(file, data)
    age, known = (
        registry.load_backend(registry.SEALERS, "age"),
        (str(file), file.stat().st_mtime_ns),
    )
    if passphrase or known not in _opened:
        phrase = passphrase or home.settings.secret(PASSPHRASE) or _ask_passphrase(home, file)
        _opened[known] = _secret_in(
            file, age.by_passphrase(data, phrase, Phrase("the key {file!r}", file=file))
        )
    return _opened[known]


def read_key_lines(file: Path, open_hint: str) -> list[str]:
    """Return the lines of a key file without a passphrase.

    Raises BadConfig where the file does not exist, or others can read it: the `open_hint` says what
    to do then.
    """
    return _read_key_file(file, open_hint).decode("utf-8", "replace").splitlines()


def _read_key_file(file: Path, open_hint: str = _OPEN_HINT) -> bytes:
    try:
        mode = file.stat().st_mode
        if os.name == "posix" and stat.S_IMODE(mode) & (stat.S_IRWXG | stat.S_IRWXO):
            warning = Phrase("the key {file!r} can be read by others", file=file)
            raise BadConfig(
                warning,
                file=file,
                hint=open_hint,
            )
        return file.read_bytes()
    except OSError as error:
        raise BadConfig(
            "the key {file!r} cannot be read: {reason}",
            file=file,
            reason=find_os_reason(error),
            hint="put a copy of it there; without the key nobody can read what is encrypted",
            origin=str(file),
        ) from error


def _secret_in(file: Path, data: bytes) -> str:
    lines = data.decode("utf-8", "replace").splitlines()
    secret = next((line.strip() for line in lines if line.strip().startswith(SECRET_PREFIX)), "")
    if not secret:
        raise BadConfig(
            "{file!r} holds no key of age",
            file=file,
            secret=SECRET_PREFIX,
            hint="a key file has a line that begins with {secret}",
        )
    return secret


def _ask_passphrase(home: Home, file: Path) -> str:
    if home.resident is None and sys.stdin.isatty() and sys.stderr.isatty():
        from getpass import getpass  # only here

        return getpass(f"{file}: ", sys.stderr)
    raise BadConfig(
        "the key {file!r} is protected by a passphrase, and nobody can be asked for it here",
        file=file,
        variable=PASSPHRASE,
        secrets=paths.locate_secrets_file(home.settings.home),
        hint=("set {variable} in the environment, in {secrets} (chmod 600) or in the keyring"),
    )


def in_use(home: Home) -> "AgeSealer | None":
    """Return the sealer for new files of this home; None where nothing is encrypted.

    Raises MissingExtra, BadConfig.
    """
    known = read_sealing_state(home.settings.home)
    return sealer(home, *filter(None, (known.key, known.before))) if known.key else None


def opening(home: Home) -> "AgeSealer | None":
    """Return an opener for all that this home encrypted; None where it has no key."""
    known = read_sealing_state(home.settings.home)
    keys = [key for key in (known.key, known.before) if key]
    return sealer(home, *keys) if keys else None


def of_archives(home: Home, folder: Path | None = None) -> tuple[Sealer, ...]:
    """Return the sealers for archive files of a home.

    The first sealer seals; each opens files that have its suffix.
    """
    known = read_sealing_state(folder or home.settings.home)
    if known.key:
        return (
            ArchiveSealer(sealer(home, *filter(None, (known.key, known.before)))),
            PlainSealer(),
        )
    return (
        (PlainSealer(), ArchiveSealer(sealer(home, known.before)))
        if known.before
        else (PlainSealer(),)
    )


class ArchiveSealer:
    """`KeyedSealer` of archives that raises archive errors.

    The error names the file, which is left as it is.
    """

    def __init__(self, inner: "AgeSealer") -> None:
        self._inner = inner
        self.suffix = inner.suffix

    def seal(self, data: bytes) -> bytes:
        """Return the sealed bytes to store."""
        return self._inner.seal(data)

    def open(self, data: bytes) -> bytes:
        """Return the content of sealed bytes."""
        with _as_archives():
            return self._inner.open(data, "the file")

    def is_current(self, data: bytes) -> bool:
        """Return whether the key in use opens the sealed bytes."""
        with _as_archives():
            return self._inner.is_current(data)


@contextmanager
def _as_archives() -> Iterator[None]:
    try:
        yield
    except (WrongKey, Damaged, BadConfig) as error:
        raise ArchiveFailed(str(error), hint=error.hint) from error
