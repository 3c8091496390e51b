"""The one place that opens a SQLite file: by Python's own SQLite, or by SQLCipher where a home's
databases are encrypted.

A home whose databases are encrypted has `keys/databases.txt` (0600; it may be a link to another
disk): a line each, of 64 hexadecimal digits or the word `plain`. The first is what new databases
have; while the key is changed the ones before follow. Standard library without `pathlib`, because
the prompt hook opens databases here too; SQLCipher is imported where there is such a file.
"""

import os
import sqlite3
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

#: What both libraries raise; SQLCipher's are added when it is loaded: name them through this
#: module, each time.
ERRORS: "tuple[type[Exception], ...]" = (sqlite3.Error,)
OPERATIONAL: "tuple[type[Exception], ...]" = (sqlite3.OperationalError,)
KEY_FILE = os.path.join("keys", "databases.txt")
_PLAIN = "plain"
_ASIDE = "set-aside"
_DIGITS = 64
_library: "list[ModuleType]" = []


class Sealed(sqlite3.OperationalError):
    """A database cannot be opened because its key, or what reads it, is not here. `is_missing`: a
    package is.
    """

    def __init__(self, told: str, hint: str, *, is_missing: bool = False) -> None:
        super().__init__(told)
        self.hint = hint
        self.is_missing = is_missing
        self.sqlite_errorcode = sqlite3.SQLITE_AUTH


def connect_sqlite(
    file: str, *, of: str = "", how: str = "", timeout_s: float = 5.0
) -> sqlite3.Connection:
    """Open a database file, or `:memory:`; nothing is committed by itself. Raises `ERRORS`.

    `of` is a file whose key it has, where it is not its own; `how` are parameters of a URI.
    """
    keys = find_database_keys(of or file)
    if not keys:
        return _open_with_library(sqlite3, file, how, timeout_s)
    return _with_keys(file, keys, how, timeout_s)[0]


def with_keys(file: str, keys: "list[str]") -> "tuple[sqlite3.Connection, str]":
    """Open a file by SQLCipher with the first key that fits ('': none); return it too. Raises
    `ERRORS`.
    """
    return _with_keys(file, keys, "", 0.5)


def find_database_keys(file: str) -> "list[str]":
    """Return the keys that a database may have, '' for none; nothing where those of its home are
    not encrypted.
    """
    folder = os.path.dirname(os.path.abspath(file))
    if os.path.basename(os.path.dirname(folder)) == _ASIDE:  # a damaged file, moved away
        folder = os.path.dirname(os.path.dirname(folder))
    name = os.path.join(folder, KEY_FILE)
    if not os.path.lexists(name):
        return []
    return read_key_file(name)


def read_key_file(name: str) -> "list[str]":
    """Return what a file of keys says. Raises Sealed."""
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
    """Return the content of a file of keys."""
    head = "# The key of Gieok's databases (SQLCipher, raw). Who loses it loses what they hold.\n"
    return head + "".join(f"{key or _PLAIN}\n" for key in keys)


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Say whether a connection is SQLCipher's."""
    return not isinstance(connection, sqlite3.Connection)


def _is_key(line: str) -> bool:
    return len(line) == _DIGITS and all(sign in "0123456789abcdef" for sign in line)


def _with_keys(
    file: str, keys: "list[str]", how: str, timeout_s: float
) -> "tuple[sqlite3.Connection, str]":
    library = loaded()
    # Of a database that is there, or is new, the first fits nearly always: others are those of a
    # change that is under way.
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
    """Return SQLCipher's library. Raises Sealed."""
    global ERRORS, OPERATIONAL  # noqa: PLW0603 - see there
    if not _library:
        from gieok import extras  # the hook has no time for it where nothing is encrypted
        from gieok.errors import MissingExtra

        try:
            with extras.imports_of("encryption", "encryption"):
                import sqlcipher3.dbapi2 as sqlcipher
        except MissingExtra as error:
            told = (
                "the databases of this home are encrypted, and the Python package 'sqlcipher3' is "
                "not installed"
            )
            raise Sealed(told, error.hint, is_missing=True) from error
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
