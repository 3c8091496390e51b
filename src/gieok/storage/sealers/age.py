"""Encryption in the age format (age-encryption.org/v1), by `pyrage`.

The `age` program opens these files too. Writing needs only the recipient, which is public; reading
needs the identity. Every block is authenticated: a flipped byte or a missing end is an error, never
other data.
"""

import errno
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

import pyrage

from gieok.errors import BadConfig, Damaged, Phrase, WrongKey

#: First bytes of a file in this format.
MAGIC = b"age-encryption.org/v1\n"
_OTHER_PASSPHRASE = (
    "type it again; GIEOK_PASSPHRASE (environment, `.env`, keyring) may hold another"  # noqa: S105
)
_NO_MATCH = "No matching keys found"
_WRONG = (
    "use the key with which it was encrypted: `gieok encryption status` names the one in use, "
    "`--key-file FILE` another"
)


class AgeSealer:
    """Encryption of data and of streams in the age format.

    Each of `identities` returns the text of a secret key when a file is read, and may raise
    BadConfig. The first is the recipient's; the others open files that were encrypted before the
    key was changed.
    """

    suffix = ".age"

    def __init__(self, recipient: str, *identities: Callable[[], str]) -> None:
        try:
            self._recipient = pyrage.x25519.Recipient.from_str(recipient)
        except pyrage.RecipientError as error:
            raise BadConfig(
                "{recipient!r} is no public key of age",
                recipient=recipient,
                hint="`gieok encryption status`",
            ) from error
        self._identities = identities

    def seal(self, data: bytes) -> bytes:
        """Return the data encrypted."""
        sealed: bytes = pyrage.encrypt(data, [self._recipient])
        return sealed

    @staticmethod
    def seal_for(data: bytes, recipients: Sequence[str]) -> bytes:
        """Return the data encrypted so that each of some recipients can open it."""
        public = [pyrage.x25519.Recipient.from_str(recipient) for recipient in recipients]
        sealed: bytes = pyrage.encrypt(data, public)
        return sealed

    def open(self, data: bytes, what: str = "a file") -> bytes:
        """Return the data decrypted; `what` is its name in errors.

        Raises WrongKey, Damaged.
        """
        # One identity after the other: each may need a passphrase.
        for number, identity in enumerate(self._identities, 1):
            try:
                plain: bytes = pyrage.decrypt(data, [_parse_age_identity(identity())])
            except pyrage.DecryptError as error:
                if number < len(self._identities) and str(error) == _NO_MATCH:
                    continue
                raise _translate_age_error(error, what) from error
            return plain
        raise WrongKey("{what} is encrypted, and there is no key", what=Phrase(what), hint=_WRONG)

    def is_current(self, data: bytes) -> bool:
        """Say whether the data is encrypted with the first key, not with an earlier one.

        Raises Damaged.
        """
        try:
            pyrage.decrypt(data, [_parse_age_identity(self._identities[0]())])
        except pyrage.DecryptError as error:
            if str(error) == _NO_MATCH:
                return False
            raise _translate_age_error(error, "a file") from error
        return True

    @contextmanager
    def sealing(self, out: BinaryIO) -> Iterator[BinaryIO]:
        """Give a stream that encrypts into `out`; `out` is complete when the block ends."""
        with (
            _open_age_pipe() as (source, sink),
            _Worker(lambda: pyrage.encrypt_io(source, out, [self._recipient]), source) as worker,
        ):
            try:
                yield sink
            except BaseException:
                _close_pipe_end(sink)
                worker.explain("what is written")
                raise
            _close_pipe_end(sink)
            worker.finish("what is written")

    @contextmanager
    def opening(self, source: BinaryIO, what: str = "a file") -> Iterator[BinaryIO]:
        """Give a stream of the decrypted data; `what` is its name in errors.

        The data is verified to its end only when the block ends.
        """
        identities = [_parse_age_identity(load()) for load in self._identities]
        with (
            _open_age_pipe() as (reader, sink),
            _Worker(lambda: pyrage.decrypt_io(source, sink, identities), sink) as worker,
        ):
            try:
                yield reader
            except BaseException:
                _close_pipe_end(reader)
                worker.explain(what)  # what is wrong below is why what is above it failed
                raise
            _close_pipe_end(reader)
            worker.finish(what)

    @staticmethod
    def generated() -> tuple[str, str]:
        """Return a new key: the secret identity, and the recipient that it belongs to."""
        fresh = pyrage.x25519.Identity.generate()
        return str(fresh), str(fresh.to_public())

    @staticmethod
    def recipient_of(identity: str) -> str:
        """Return the recipient, the public side of an identity.

        Raises BadConfig.
        """
        return str(_parse_age_identity(identity).to_public())

    @staticmethod
    def with_passphrase(data: bytes, passphrase: str) -> bytes:
        """Encrypt by a passphrase (scrypt, about a second)."""
        sealed: bytes = pyrage.passphrase.encrypt(data, passphrase)
        return sealed

    @staticmethod
    def by_passphrase(data: bytes, passphrase: str, what: str) -> bytes:
        """Decrypt by a passphrase. Raises WrongKey, Damaged."""
        try:
            plain: bytes = pyrage.passphrase.decrypt(data, passphrase)
        except pyrage.DecryptError as error:
            if str(error) == "Decryption failed":
                raise WrongKey(
                    "the passphrase does not open {what}", what=Phrase(what), hint=_OTHER_PASSPHRASE
                ) from error
            raise _translate_age_error(error, what) from error
        return plain


class _Worker(threading.Thread):
    """Thread that runs one side of a pipe, and closes its end of the pipe when done."""

    def __init__(self, work: Callable[[], object], end: BinaryIO) -> None:
        super().__init__(daemon=True)
        self._work, self._end = work, end
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001 - raised where the other side is
            self.error = error
        finally:
            _close_pipe_end(self._end)

    def __enter__(self) -> "_Worker":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.join()

    def explain(self, what: str) -> None:
        """Wait for the end; raise this side's error, unless the other side merely closed the
        pipe.
        """
        self.join()
        if self.error is not None and "Broken pipe" not in f"{self.error}":
            self.finish(what)

    def finish(self, what: str) -> None:
        """Wait for the end; raise this side's error."""
        self.join()
        if self.error is not None:
            raise _translate_age_error(self.error, what) from self.error


def _close_pipe_end(end: BinaryIO) -> None:
    with suppress(OSError, ValueError):
        end.close()


@contextmanager
def _open_age_pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    receive, send = os.pipe()
    reader, writer = os.fdopen(receive, "rb"), os.fdopen(send, "wb")
    try:
        yield reader, writer
    finally:
        _close_pipe_end(writer)
        _close_pipe_end(reader)


def _parse_age_identity(text: str) -> "pyrage.x25519.Identity":
    try:
        return pyrage.x25519.Identity.from_str(text)
    except pyrage.IdentityError as error:  # its words may hold the key
        raise BadConfig(
            "the key is no identity of age", hint="it must begin with AGE-SECRET-KEY-1"
        ) from error


def _translate_age_error(error: BaseException, what: str) -> BaseException:
    """Return an error of the library as an error of Gieok."""
    message = str(error)
    if isinstance(error, pyrage.DecryptError) and message == _NO_MATCH:
        return WrongKey("{what} was encrypted with another key", what=Phrase(what), hint=_WRONG)
    if "No space left" in message:  # of what it writes to, as text
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if isinstance(error, pyrage.DecryptError) or (isinstance(error, OSError) and not error.errno):
        return Damaged("{what} is damaged or cut off: it cannot be decrypted", what=Phrase(what))
    return error
