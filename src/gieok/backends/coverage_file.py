"""`CoverageRun` on the data file of coverage.py (5.0 and later): SQLite, opened read-only, by the standard library alone."""

import sqlite3
from collections import defaultdict
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
        found: dict[int, set[int]] = defaultdict(set)
        with self._reading() as db:
            names = dict(db.execute("SELECT id, context FROM context").fetchall())
            for number in [number for number, name in db.execute("SELECT id, path FROM file") if _posix(name) == path]:
                for context, packed in db.execute(
                    "SELECT context_id, numbits FROM line_bits WHERE file_id = ?", (number,)
                ):
                    found[context].update(_numbers(packed))
                arcs = db.execute("SELECT context_id, fromno, tono FROM arc WHERE file_id = ?", (number,))
                for context, start, end in arcs:
                    lines = found[context]  # a million of them in a run of click: nothing but this in the loop
                    lines.add(start)
                    lines.add(end)
            # A negative end of an arc is the way in or out; line 0 is that of an empty file.
            ran = sorted((names[context], frozenset(n for n in lines if n > 0)) for context, lines in found.items())
        yield from ran

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
            KeyError,
        ) as error:  # a value of another type, an id of nothing
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
