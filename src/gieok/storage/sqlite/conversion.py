"""Encrypts an existing database, decrypts it, or changes its key.

The content is written into a new file that replaces the old one in one step.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from gieok import fs
from gieok.errors import Phrase, StoreBusy, StoreCorrupt, StoreError
from gieok.storage.sqlite import driver
from gieok.storage.sqlite.failures import translated
from gieok.storage.sqlite.files import pragma

#: Ending of the name of a file that is being written.
ENDING = ".sealing"
_PRAGMAS = ("application_id", "user_version", "auto_vacuum")
_HEAD_BYTES = 100


def convert_database_key(file: Path, keys: list[str], key: str) -> bool:
    """Change the key of a database ('': none); return whether that was needed.

    The database now has one of `keys`. Nobody else may have it open: StoreBusy says so. Killed at
    any moment, the old file is there or the new one, each whole. Raises StoreError.
    """
    fresh = file.with_name(file.name + ENDING)
    fs.remove_database(fresh)
    # Held open to the end: closing it earlier would drop the locks that SQLite holds for this
    # process.
    guard = os.open(file, os.O_RDWR)
    try:
        with translated(file, "database"):
            connection, now = driver.with_keys(str(file), keys)
            with closing(connection):
                if now == key:
                    return False
                _take_alone(connection, file)
                _write_converted_database(connection, file, fresh, key)
                with fresh.open("rb+") as written:
                    os.fsync(written.fileno())
                fresh.replace(file)
                _sync_database_folder(file.parent)
                # A process that opened the old file meanwhile waits for our lock, and must not
                # write there: without its first bytes, the old file is no database to that process.
                os.pwrite(guard, bytes(_HEAD_BYTES), 0)
    finally:
        os.close(guard)
        fs.remove_database(fresh)
    return True


def _take_alone(connection: sqlite3.Connection, file: Path) -> None:
    """Leave WAL mode, and lock the file until the connection is closed.

    Leaving WAL fails where another process has the file open.
    """
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except driver.OPERATIONAL as error:
        raise _build_busy_error(file) from error
    if mode != "delete":
        raise _build_busy_error(file)


def _build_busy_error(file: Path) -> StoreBusy:
    hint = (
        "`gieok down`, and end `gieok serve` and sessions of agents that use `gieok mcp`; then "
        "again"
    )
    return StoreBusy("another process has {file!r} open", file=file, hint=hint)


def _write_converted_database(
    connection: sqlite3.Connection, file: Path, fresh: Path, key: str
) -> None:
    """Write the whole content into a new file, and compare the two.

    Raises StoreCorrupt, StoreError.
    """
    if (verdict := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise StoreCorrupt(
            "{file!r} is damaged: {verdict}",
            file=file,
            verdict=Phrase(verdict),
            hint="`gieok doctor`",
        )
    fs.create_private(fresh)
    connection.execute(f"ATTACH ? AS fresh KEY {_format_key_literal(key)}", (str(fresh),))
    connection.execute(f"PRAGMA fresh.auto_vacuum = {pragma(connection, 'main.auto_vacuum')}")
    connection.execute("SELECT sqlcipher_export('fresh')").fetchone()
    for name in _PRAGMAS[:2]:
        connection.execute(f"PRAGMA fresh.{name} = {pragma(connection, f'main.{name}')}")
    wrong = [
        name
        for name in _PRAGMAS
        if pragma(connection, f"main.{name}") != pragma(connection, f"fresh.{name}")
    ]
    wrong += [
        table
        for table in _list_row_tables(connection, "main")
        if _count_table_rows(connection, "main", table)
        != _count_table_rows(connection, "fresh", table)
    ]
    if _read_schema_rows(connection, "main") != _read_schema_rows(connection, "fresh"):
        wrong.append("sqlite_master")
    if key and connection.execute("PRAGMA fresh.cipher_integrity_check").fetchall():
        wrong.append("cipher_integrity_check")
    if connection.execute("PRAGMA fresh.quick_check(1)").fetchone()[0] != "ok":
        wrong.append("quick_check")
    if wrong:
        raise StoreError(
            "the new file of {file!r} differs: {wrong}",
            file=file,
            wrong=", ".join(wrong),
            hint="nothing was changed; report this",
        )
    connection.execute("DETACH fresh")


def _list_row_tables(connection: sqlite3.Connection, database: str) -> list[str]:
    """Return the tables that hold rows; virtual tables of FTS are views of other tables."""
    rows = connection.execute(
        f"SELECT name FROM {database}.sqlite_master WHERE type = 'table' AND sql NOT LIKE "
        "'CREATE VIRTUAL%'"
    )
    return [row[0] for row in rows]


def _read_schema_rows(connection: sqlite3.Connection, database: str) -> list[tuple[str, ...]]:
    return connection.execute(
        f"SELECT type, name, sql FROM {database}.sqlite_master ORDER BY 1, 2"
    ).fetchall()


def _count_table_rows(connection: sqlite3.Connection, database: str, table: str) -> int:
    return int(connection.execute(f'SELECT count(*) FROM {database}."{table}"').fetchone()[0])


def _format_key_literal(key: str) -> str:
    return f"\"x'{key}'\"" if key else "''"


def _sync_database_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
