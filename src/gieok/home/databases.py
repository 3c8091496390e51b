"""Encrypts and decrypts the databases of a home, and changes their key.

The databases are done one after the other, while no other process has them open.
"""

import secrets
from collections.abc import Callable
from contextlib import closing
from datetime import UTC
from pathlib import Path

from gieok import fs
from gieok.errors import GieokError
from gieok.home.backup_restore import no_daemon
from gieok.home.home import Home
from gieok.ports.encryption import SealedPlace
from gieok.storage.backups import members
from gieok.storage.sqlite import conversion, driver
from gieok.storage.sqlite.failures import translated


class SealedDatabases:
    """Encryption of a home's databases.

    The wanted state is written to the file of keys first; until every database is done, that file
    also names the former keys.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folder = home.settings.home
        self._file = self._folder / driver.KEY_FILE

    def require(self) -> None:
        """Check that databases can be changed, before anything is begun.

        Raises MissingExtra where SQLCipher is not installed, BadRequest while a daemon runs.
        """
        with translated(self._file):
            driver.loaded()
        with no_daemon(self._folder):
            pass

    def has_key(self) -> bool:
        """Return whether databases are encrypted, or a change to or from encryption is under
        way.
        """
        return self._file.is_symlink() or self._file.exists()

    def is_possible(self) -> bool:
        """Return whether SQLCipher is installed."""
        try:
            driver.loaded()
        except driver.Sealed:
            return False
        return True

    def rows(self) -> list[SealedPlace]:
        """Return each database, and whether it is encrypted."""
        return [
            SealedPlace(file.name, *self._counted(file))
            for file in members.list_home_databases(self._folder)
        ]

    def _counted(self, file: Path) -> tuple[int, int]:
        try:
            with translated(file):
                keys = driver.find_database_keys(str(file))
                if not keys:
                    return 0, 1
                connection, key = driver.with_keys(str(file), keys)
                with closing(connection):
                    return (1, 0) if key else (0, 1)
        except GieokError:  # the key, or what reads it, is missing
            return 1, 0

    def begin(self, *, is_sealed: bool, is_new: bool = False) -> None:
        """Record which key the databases are to have.

        `is_new` asks for another key than the present one, unless a change was begun before.
        """
        known = self._keys()
        if len(known) > 1 and bool(known[0]) == is_sealed:
            return  # go on
        if is_sealed and (is_new or not known or not known[0]):
            self._set_aside(known)
            self._keep([secrets.token_hex(32), *(known or [""])])
        elif not is_sealed and known:
            self._set_aside(known)
            self._keep(["", *filter(None, known)])

    def carry_out(self, say: Callable[[str], None]) -> int:
        """Give every database the first key; return how many were rewritten.

        A second call continues an interrupted one. Raises StoreError.
        """
        keys = self._keys()
        if not keys or (keys == [keys[0]] and keys[0]):
            return 0
        rewritten = 0
        with no_daemon(self._folder):
            for file in members.list_home_databases(self._folder):
                say(file.name)
                rewritten += conversion.convert_database_key(file, keys, keys[0])
        if keys[0]:
            self._keep(keys[:1])
        else:
            self._file.unlink(missing_ok=True)
        return rewritten

    def _keys(self) -> list[str]:
        with translated(self._file):
            return driver.read_key_file(str(self._file)) if self.has_key() else []

    def _keep(self, keys: list[str]) -> None:
        fs.replace_private(self._file, driver.format_key_file(keys))

    def _set_aside(self, keys: list[str]) -> None:
        """Keep a key that is replaced: copies of the databases made earlier need it."""
        if any(keys):
            now = self._home.clock.now().astimezone(UTC)
            fs.replace_private(
                self._file.with_name(f"databases-{now:%Y%m%dT%H%M%S}Z.txt"),
                driver.format_key_file([key for key in keys if key]),
            )
