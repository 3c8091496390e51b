"""Translation of SQLite's errors into errors of Gieok, which name the file and the next step."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gieok.errors import (
    BadRequest,
    GieokError,
    MissingExtra,
    Phrase,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WrongKey,
)
from gieok.storage.sqlite import driver, readonly

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
#: Kind of file (`what`) → how a damaged file of that kind is repaired.
_REPAIR = {
    "store": StoreCorrupt.hint,
    "code index": "run `gieok code init` in the project: it moves the file away and makes another",
    "file of accounts": (
        "it is not derived from anything: restore it from a backup (`gieok backup restore`)"
    ),
    "journal": "it is not derived from anything: restore it from a backup, or move it away to "
    "begin anew "
    "from the "
    "transcripts that are still on this disk (`gieok observe run --once`)",
}


@contextmanager
def translated(file: Path, what: str = "store") -> Iterator[None]:
    """Turn an error of SQLite in the block into an error of Gieok that names the file.

    `what` says what the file is: a store, a journal or a code index.
    """
    try:
        yield
    except driver.Sealed as error:
        raise (MissingExtra if error.is_missing else WrongKey)(
            str(error), hint=error.hint
        ) from error
    except driver.ERRORS as error:
        raise _translate_sqlite_error(error, file, what) from error
    except UnicodeEncodeError as error:
        hint = "use a name without lone surrogates"
        raise BadRequest(
            "{value!r} cannot be stored: it is not valid Unicode", value=error.object, hint=hint
        ) from error


def _translate_sqlite_error(error: Exception, file: Path, what: str) -> GieokError:
    extended: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = extended & 0xFF
    if code in _BUSY:
        return StoreBusy(
            "{what} {file!r} is locked by another process", what=Phrase(f"the {what}"), file=file
        )
    if readonly.is_disk_full(error):
        return StoreFull("no space left while writing {file!r}", file=file)
    repair = _REPAIR.get(what)
    if "invalid fts5 file format" in str(error):
        return StoreCorrupt(
            "{what} {file!r} was written with a newer SQLite than this Python's {version}",
            what=Phrase(f"the {what}"),
            file=file,
            version=sqlite3.sqlite_version,
            repair=Phrase(repair or ""),
            hint="use the Python that wrote it, or {repair}"
            if repair
            else "use the Python that wrote it",
        )
    if code in _DAMAGED:
        return StoreCorrupt(
            "{what} {file!r} is damaged or not a database: {error}",
            what=Phrase(f"the {what}"),
            file=file,
            error=error,
            hint=repair,
        )
    if code == sqlite3.SQLITE_READONLY:
        return StoreReadOnly("{file!r} cannot be written: it is read-only here", file=file)
    return StoreError(
        "{what} {file!r} failed: {error}", what=Phrase(f"the {what}"), file=file, error=error
    )
