"""Read-only access to SQLite databases of other programs, whichever columns they have."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from gieok.errors import BadRequest
from gieok.ports.imports import ImportFiles
from gieok.storage.sqlite import readonly

_MAGIC = b"SQLite format 3\0"
_TIMEOUT_S = 5.0


def find_sqlite_files(files: ImportFiles, *names: str) -> list[Path]:
    """Return the SQLite files among these, recognised by their first bytes.

    With `names`, only the files with these names.
    """
    sqlite_files = []
    for name in files.names():
        path = files.on_disk(name)
        if (
            path is None
            or (names and path.name not in names and len(files.names()) > 1)
            or not path.is_file()
        ):
            continue
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) == _MAGIC:
                sqlite_files.append(path)
    return sqlite_files


def has_tables(file: Path, *tables: str) -> bool:
    """Say whether a database has all of these tables."""
    try:
        with closing(readonly.connect_readonly(str(file), _TIMEOUT_S, may_copy=True)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except (sqlite3.Error, OSError):
        return False
    return {*tables} <= {name for (name,) in rows}


def read_query_rows(file: Path, sql: str) -> Iterator[Mapping[str, object]]:
    """Yield the rows of a query by column. Raises BadRequest."""
    try:
        with closing(readonly.connect_readonly(str(file), _TIMEOUT_S, may_copy=True)) as db:
            db.row_factory = sqlite3.Row
            db.text_factory = lambda data: data.decode("utf-8", "replace")
            for row in db.execute(sql):
                # Iterating over a row yields its values.
                yield {name: row[name] for name in row.keys()}  # noqa: SIM118
    except sqlite3.Error as error:
        raise BadRequest(
            "cannot read {file!r}: {error}",
            file=file,
            error=error,
            hint="close the program that writes it",
        ) from error


def json_list(value: object) -> list[object]:
    """Return the JSON array in a column value; an empty list for any other value."""
    try:
        parsed = json.loads(value) if isinstance(value, str) and value else []
    except ValueError:
        return []
    return parsed if isinstance(parsed, list) else []
