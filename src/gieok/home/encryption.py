"""Switches encryption at rest on and off, and changes its key.

Archives and backups are done file by file. The wanted state is written first (`encryption.json`),
with the former key beside it: until every file is done, both keys are known, and the same command
continues after a kill.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from pathlib import Path

from gieok import fs, registry
from gieok.errors import BadRequest, GieokError, MissingExtra
from gieok.home import file_sealers
from gieok.home.backups import HomeBackups
from gieok.home.databases import SealedDatabases
from gieok.home.file_sealers import SealingKey, SealingState
from gieok.home.home import Home
from gieok.memory.tiers import reseal
from gieok.paths import locate_encryption_key
from gieok.ports.encryption import EncryptionChange, EncryptionStatus, SealedPlace
from gieok.ports.journal import ArchivedTalk

_HEAD = (
    "# The key of what Gieok encrypts (age, https://age-encryption.org). Who loses it loses what "
    "is encrypted.\n"
)
#: Files that are not encrypted, and why.
IN_CLEAR = (
    ("active_memory*.md", "agents read it as a file"),
    ("lasting/", "the prompt's hook reads it, in a few milliseconds and without a key"),
    ("hook/", "what sessions were shown: the hook writes it without a key"),
    (
        "action/",
        "names in what you said, no sentences: the hook reads it before an edit, without a key",
    ),
    ("spool/", "what hooks leave, until it is read"),
    ("daemon.log, logs/", "errors and counts; no memories"),
    ("memory/, archive/decision … (records)", "your own Markdown files, which you edit"),
    (
        ".gieok/code of a project",
        "the index of a source that lies beside it in the clear; it can be made again",
    ),
    ("agents' own transcripts and notes", "other programs write and read them"),
)


class HomeEncryption:
    """Encryption of a caller's home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folder = home.settings.home
        self._backups = HomeBackups(home)
        self._databases = SealedDatabases(home)

    def status(self) -> EncryptionStatus:
        """Return how the home is encrypted. Raises BadConfig."""
        known, databases = file_sealers.read_sealing_state(self._folder), self._databases.rows()
        key = known.key
        backups = self._backups.listed()
        sealed = sum(backup.is_encrypted for backup in backups)
        places = [
            SealedPlace("archive", *self._archived()),
            SealedPlace("backups", sealed, len(backups) - sealed),
        ]
        return EncryptionStatus(
            recipient=key.recipient if key else "",
            key_file=str(key.file) if key else "",
            has_passphrase=bool(key and key.has_passphrase),
            is_changing=known.is_changing,
            places=places,
            databases=databases,
            can_files=_has_sealer("age"),
            can_databases=self._databases.is_possible(),
            in_clear=IN_CLEAR,
        )

    def _archived(self) -> tuple[int, int]:
        # A disk that is not plugged in is reported where the archive is maintained.
        with suppress(GieokError):
            return reseal.count_sealed_files(self._home.tiers)
        return 0, 0

    def on(
        self,
        key_file: Path | None = None,
        passphrase: Callable[[], str] | None = None,
        *,
        databases: bool = False,
    ) -> EncryptionChange:
        """Encrypt all existing and future files, or continue a change that was begun.

        `databases`: the home's databases are encrypted too. `key_file`: where the key is, or is to
        be made. `passphrase` asks for the passphrase that protects a new key. Raises BadConfig,
        BadRequest, WrongKey, MissingExtra.
        """
        with self._alone():
            known = file_sealers.read_sealing_state(self._folder)
            databases = databases or known.databases
            if databases and (known.is_changing or not known.databases):
                self._databases.require()
            if known.key and known.is_changing:
                return self._carry_out(known._replace(databases=databases))  # go on
            if known.key and (key_file is None or key_file == known.key.file):
                # Seals databases that were not encrypted yet, and files that were added by hand.
                is_more = databases and not known.databases
                return self._carry_out(known._replace(databases=databases, is_changing=is_more))
            if known.key:
                raise BadRequest(
                    "everything is encrypted with the key in {file!r}",
                    file=known.key.file,
                    hint="`gieok encryption rotate --key-file FILE` changes to another key",
                )
            if known.is_changing:
                raise BadRequest(
                    "encryption is being switched off",
                    hint="`gieok encryption off` ends that; then again",
                )
            key, is_new = self._key(key_file or locate_encryption_key(self._folder), passphrase)
            return self._carry_out(
                SealingState(key, None, is_changing=True, databases=databases), is_new=is_new
            )

    def rotate(
        self, key_file: Path | None = None, passphrase: Callable[[], str] | None = None
    ) -> EncryptionChange:
        """Encrypt everything with another key, as `on` does; the previous key stays where it is."""
        with self._alone():
            known = file_sealers.read_sealing_state(self._folder)
            if known.key is None:
                raise BadRequest("nothing is encrypted here", hint="`gieok encryption on`")
            if known.is_changing:
                return self._carry_out(known)  # go on: the new key is there already
            file_sealers.load_sealing_identity(
                self._home, known.key.file
            )  # the key that everything is opened with
            now = self._home.clock.now().astimezone(UTC)
            usual = locate_encryption_key(self._folder)
            key, is_new = self._key(
                key_file or usual.with_stem(f"{usual.stem}-{now:%Y%m%dT%H%M%S}Z"), passphrase
            )
            if key.recipient == known.key.recipient:
                raise BadRequest(
                    "{file!r} holds the key in use",
                    file=key.file,
                    hint="name a file that is not there yet",
                )
            if known.databases:
                self._databases.require()
                self._databases.begin(is_sealed=True, is_new=True)
            state = SealingState(key, known.key, is_changing=True, databases=known.databases)
            return self._carry_out(state, is_new=is_new)

    def off(self) -> EncryptionChange:
        """Decrypt everything."""
        with self._alone():
            known = file_sealers.read_sealing_state(self._folder)
            before = known.key or known.before
            if before is None:
                raise BadRequest("nothing is encrypted here", hint="`gieok encryption status`")
            if known.is_changing and known.key and known.before:
                raise BadRequest(
                    "the key is being changed",
                    hint="`gieok encryption rotate` ends that; then again",
                )
            file_sealers.load_sealing_identity(self._home, before.file)
            if self._databases.has_key():
                self._databases.require()
            return self._carry_out(SealingState(None, before, is_changing=True))

    def _carry_out(self, wanted: SealingState, *, is_new: bool = False) -> EncryptionChange:
        """Record the wanted state, apply it, and record that it is done where nothing is left."""
        if wanted.is_changing:
            file_sealers.store_sealing_state(self._folder, wanted)
        say = self._home.say
        self._databases.begin(is_sealed=wanted.databases)
        # Databases come first: no process may have them open, not even this one.
        databases = self._databases.carry_out(say)
        resealed = reseal.reseal_tiers(self._home.tiers, lambda count: say(f"archive: {count:,}"))
        files, wrong = resealed.written + databases, list(resealed.wrong)
        journal = self._home.stores.journal()
        if isinstance(journal, ArchivedTalk):
            wrong += journal.sweep_talk(renew=True).wrong
            files += len(journal.talk_places())
        for backup in self._backups.listed():
            try:
                files += self._backups.reseal(backup)
            except (GieokError, OSError) as error:
                wrong.append(f"{backup.path}: {error}")
        if not wrong:
            file_sealers.store_sealing_state(
                self._folder, SealingState(wanted.key, databases=wanted.databases)
            )
        key = wanted.key
        return EncryptionChange(
            recipient=key.recipient if key else "",
            key_file=str(key.file if key else ""),
            is_new_key=is_new,
            files=files,
            wrong=tuple(wrong),
        )

    def _key(self, file: Path, passphrase: Callable[[], str] | None) -> tuple[SealingKey, bool]:
        """Return the key of a file, and whether it is new; the file is made where it does not
        exist.
        """
        age = registry.load_backend(registry.SEALERS, "age")
        if file.exists():
            return file_sealers.key_in(self._home, file), False
        word = passphrase() if passphrase else ""
        identity, recipient = age.generated()
        text = f"{_HEAD}# public key: {recipient}\n{identity}\n".encode()
        fs.make_private(file.parent)
        if not fs.create_new_file(file, age.with_passphrase(text, word) if word else text):
            raise BadRequest("{file!r} was made meanwhile", file=file, hint="run it again")
        key = SealingKey(recipient, file, bool(word))
        if file_sealers.load_sealing_identity(self._home, file, word) != identity:
            raise BadRequest(
                "{file!r} does not read as it was written",
                file=file,
                hint="name a file on another disk",
            )
        return key, True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with fs.exclusive(self._folder / "encryption.lock", wait=False) as held:
            if not held:
                raise BadRequest("another process changes the encryption", hint="wait for its end")
            yield


def _has_sealer(sealer: str) -> bool:
    try:
        registry.load_backend(registry.SEALERS, sealer)
    except MissingExtra:
        return False
    return True
