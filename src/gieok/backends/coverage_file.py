"""`CoverageRun` on the data file of coverage.py (5.0 and later): SQLite, opened read-only, by the standard library alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gieok.errors import BadRequest

#: Since coverage.py 5.0; it refuses any other itself.
_SCHEMA_VERSION = 7
_BUSY_TIMEOUT_S = 5
#: A million lines: no file that is indexed has more.
_LARGEST_BITS = 125_000
_HOW = "run the tests with `pytest --cov --cov-context=test`"


class CoverageFile:
    """One data file, usually `.coverage`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self.finished_ns = file.stat().st_mtime_ns
            is_file = file.is_file()
        except OSError as error:
            raise BadRequest(
                f"{str(file)!r} cannot be read: {error.strerror}", hint=f"name the file, or {_HOW}"
            ) from error
        if not is_file:
            raise BadRequest(f"{str(file)!r} is no file", hint="name coverage.py's data file, usually `.coverage`")
        with self._reading() as db:
            version = db.execute("SELECT version FROM coverage_schema").fetchone()
        if version != (_SCHEMA_VERSION,):
            raise BadRequest(
                f"{str(file)!r} has schema {version[0] if version else None!r} of coverage.py, and {_SCHEMA_VERSION} is known",
                hint=f"{_HOW} and coverage.py 5.0 or later",
            )

    def files(self) -> list[str]:
        """Return the paths of all files that were measured."""
        with self._reading() as db:
            return sorted(_posix(path) for (path,) in db.execute("SELECT path FROM file"))

    def contexts(self) -> list[str]:
        """Return the names under which lines were run."""
        with self._reading() as db:
            return [name for (name,) in db.execute("SELECT context FROM context WHERE context <> '' ORDER BY context")]

    def lines(self, path: str) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield what ran of a file, context by context: from `line_bits`, or from `arc` where branches were measured."""
        found: dict[str, set[int]] = {}
        with self._reading() as db:
            ids = [number for number, name in db.execute("SELECT id, path FROM file") if _posix(name) == path]
            for number in ids:
                bits = db.execute(
                    "SELECT context, numbits FROM line_bits JOIN context ON context.id = context_id WHERE file_id = ?",
                    (number,),
                )
                for context, packed in bits:
                    found.setdefault(context, set()).update(_numbers(packed))
                arcs = db.execute(
                    "SELECT context, fromno, tono FROM arc JOIN context ON context.id = context_id WHERE file_id = ?",
                    (number,),
                )
                for context, *ends in arcs:  # a negative end is the way in or out
                    found.setdefault(context, set()).update(line for line in ends if line > 0)
        for context in sorted(found):
            yield context, frozenset(found[context] - {0})  # of an empty file

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            address = f"{self._file.absolute().as_uri()}?mode=ro"
            db = sqlite3.connect(address, uri=True, timeout=_BUSY_TIMEOUT_S)
            try:
                yield db
            finally:
                db.close()
        except (
            sqlite3.Error,
            TypeError,
            AttributeError,
        ) as error:  # the latter: a value of another type than its column
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            what = "is being written" if busy else "is no data file of coverage.py 5.0 or later, or is damaged"
            raise BadRequest(
                f"{str(self._file)!r} {what}: {error}", hint="try again when the tests are done" if busy else _HOW
            ) from error


def _posix(path: str) -> str:
    return path.replace("\\", "/")


def _numbers(packed: bytes) -> Iterator[int]:
    """Yield the numbers whose bits are set, the lowest bit of the first byte being 0."""
    if len(packed) > _LARGEST_BITS:
        raise sqlite3.DataError(f"{len(packed):,} bytes of lines in one file")
    for place, byte in enumerate(packed):
        for bit in range(8):
            if byte >> bit & 1:
                yield place * 8 + bit
