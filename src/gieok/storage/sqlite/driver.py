"""Connections to SQLite files, by Python's own SQLite or by SQLCipher for encrypted homes.

No other module opens a database file.

A home whose databases are encrypted has the key file `keys/databases.txt` (0600; it may be a link
to another disk). Each line of the key file is a key of 64 hexadecimal digits, or the word `plain`
for no encryption. New databases get the first key; while the key is changed, the former keys follow
it in the file. Standard library without `pathlib`, because the prompt hook opens databases here
too; SQLCipher is imported only where there is a key file.
"""

import os
import sqlite3
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

#: Errors that SQLite raises, and those of SQLCipher once it is loaded. Loading replaces both
#: tuples: name them as attributes of this module, each time.
ERRORS: "tuple[type[Exception], ...]" = (sqlite3.Error,)
OPERATIONAL: "tuple[type[Exception], ...]" = (sqlite3.OperationalError,)
KEY_FILE = os.path.join("keys", "databases.txt")
_PLAIN = "plain"
_ASIDE = "set-aside"
_DIGITS = 64
_library: "list[ModuleType]" = []


class Sealed(sqlite3.OperationalError):
    """Error of a database that cannot be opened because its key or SQLCipher is not here.

    `is_missing` is true where the package of SQLCipher is not installed.
    """

    def __init__(self, told: str, hint: str, *, is_missing: bool = False) -> None:
        super().__init__(told)
        self.hint = hint
        self.is_missing = is_missing
        self.sqlite_errorcode = sqlite3.SQLITE_AUTH


def connect_sqlite(
    file: str, *, of: str = "", how: str = "", timeout_s: float = 5.0
) -> sqlite3.Connection:
    """Open a database file, or `:memory:`, in autocommit mode.

    `of` names the file whose key applies, where that is another file than `file`; `how` holds the
    parameters of a SQLite URI. Raises `ERRORS`.
    """
    keys = find_database_keys(of or file)
    if not keys:
        return _open_with_library(sqlite3, file, how, timeout_s)
    return _with_keys(file, keys, how, timeout_s)[0]


def with_keys(file: str, keys: "list[str]") -> "tuple[sqlite3.Connection, str]":
    """Open a file by SQLCipher with the first key that fits; return the connection and that key.

    The key is '' where the file is not encrypted. Raises `ERRORS`.
    """
    return _with_keys(file, keys, "", 0.5)


def find_database_keys(file: str) -> "list[str]":
    """Return the keys that a database may be encrypted with, '' for no encryption.

    The list is empty where the databases of the home are not encrypted.
    """
    folder = os.path.dirname(os.path.abspath(file))
    if os.path.basename(os.path.dirname(folder)) == _ASIDE:  # a damaged file, moved away
        folder = os.path.dirname(os.path.dirname(folder))
    name = os.path.join(folder, KEY_FILE)
    if not os.path.lexists(name):
        return []
    return read_key_file(name)


def read_key_file(name: str) -> "list[str]":
    """Return the keys in a key file, '' for the word `plain`. Raises Sealed."""
    try:
        mode = os.stat(name).st_mode
        with open(name, encoding="ascii") as stream:
            lines = [line.strip() for line in stream if line.strip() and not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        hint = "put a copy of the key there; without it nobody can read the databases"
        raise Sealed(
            f"the key of the databases, {name!r}, cannot be read: {type(error).__name__}", hint
        ) from error
    if os.name == "posix" and stat.S_IMODE(mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise Sealed(
            f"the key of the databases, {name!r}, can be read by others", f"run `chmod 600 {name}`"
        )
    if not lines or not all(line == _PLAIN or _is_key(line) for line in lines):
        hint = f"it has lines of {_DIGITS} hexadecimal digits: put a copy of the key there"
        raise Sealed(f"{name!r} holds no key of databases", hint)
    return ["" if line == _PLAIN else line for line in lines]


def format_key_file(keys: "list[str]") -> str:
    """Return the content of a key file."""
    head = "# The key of Gieok's databases (SQLCipher, raw). Who loses it loses what they hold.\n"
    return head + "".join(f"{key or _PLAIN}\n" for key in keys)


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Return whether a connection is one of SQLCipher."""
    return not isinstance(connection, sqlite3.Connection)


def _is_key(line: str) -> bool:
    return len(line) == _DIGITS and all(sign in "0123456789abcdef" for sign in line)


def _with_keys(
    file: str, keys: "list[str]", how: str, timeout_s: float
) -> "tuple[sqlite3.Connection, str]":
    library = loaded()
    # The first key nearly always fits a database; the other keys are of use while the key is being
    # changed.
    for key in [*keys, ""] if "" not in keys else keys:
        connection = _open_with_library(library, file, how, timeout_s)
        try:
            connection.execute("PRAGMA cipher_log_level = NONE")
            if key:
                connection.execute(f"PRAGMA key = \"x'{key}'\"")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except ERRORS as error:
            connection.close()
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_NOTADB:
                raise
        else:
            return connection, key
    raise Sealed(
        f"{file!r} is encrypted with another key than the one in {KEY_FILE!r}, or damaged",
        (
            "put a copy of the key with which it was encrypted there, or restore a backup (`gieok "
            "backup restore --replace`)"
        ),
    )


def loaded() -> "ModuleType":
    """Import SQLCipher at the first call, and return the module. Raises Sealed."""
    global ERRORS, OPERATIONAL  # noqa: PLW0603 - see there
    if not _library:
        from gieok import extras  # the hook has no time for it where nothing is encrypted
        from gieok.errors import MissingExtra

        try:
            with extras.imports_of("encryption", "encryption"):
                import sqlcipher3.dbapi2 as sqlcipher
        except MissingExtra as error:
            message = (
                "the databases of this home are encrypted, and the Python package 'sqlcipher3' is "
                "not installed"
            )
            raise Sealed(message, error.hint, is_missing=True) from error
        ERRORS = (sqlite3.Error, sqlcipher.Error)
        OPERATIONAL = (sqlite3.OperationalError, sqlcipher.OperationalError)
        _library.append(sqlcipher)
    return _library[0]


# A module.
def _open_with_library(library: "Any", file: str, how: str, timeout_s: float) -> sqlite3.Connection:  # noqa: ANN401
    name = file
    if how:
        name = f"file:{file.replace('%', '%25').replace('?', '%3f').replace('#', '%23')}?{how}"
    connection: sqlite3.Connection = library.connect(
        name, uri=bool(how), timeout=timeout_s, isolation_level=None, check_same_thread=False
    )
    return connection
