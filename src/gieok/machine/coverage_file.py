"""Run of tests as coverage.py recorded it, read with its own `CoverageData`."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

from coverage import CoverageData
from coverage.exceptions import CoverageException

from gieok.errors import BadRequest, find_os_reason

_BUSY_TIMEOUT_S = 5
_HOW = "run the tests with `pytest --cov --cov-context=test`"
_Answer = TypeVar("_Answer")


class CoverageFile:
    """One data file of coverage.py, usually `.coverage`.

    Raises BadRequest for a file that is no such record, or is damaged.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            #: When the record was written, in nanoseconds since 1970: code that changed later was
            #: not run as it is now.
            self.finished_ns = file.stat().st_mtime_ns
            is_file = file.is_file()
        except OSError as error:
            raise BadRequest(
                "{file!r} cannot be read: {reason}",
                file=file,
                reason=find_os_reason(error),
                hint="name the file, or run the tests with `pytest --cov --cov-context=test`",
            ) from error
        if not is_file:
            raise BadRequest(
                "{file!r} is no file",
                file=file,
                hint="name coverage.py's data file, usually `.coverage`",
            )
        self._data = CoverageData(str(file.absolute()))
        self._asked(self._open)

    def files(self) -> list[str]:
        """Return the paths of all measured files, with `/`, as the tool wrote them, sorted."""
        return sorted(map(_convert_to_posix, self._asked(self._data.measured_files)))

    def contexts(self) -> list[str]:
        """Return the names under which lines were run, without the empty one, sorted."""
        return sorted(self._asked(self._data.measured_contexts) - {""})

    def lines(self, path: str) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield (context, 1-based lines that ran in that context) of a file.

        The context '' holds lines that ran outside any context.
        """
        by_context: dict[str, set[int]] = defaultdict(set)
        for name in self._asked(self._data.measured_files):
            if _convert_to_posix(name) == path:
                for line, contexts in self._asked(
                    partial(self._data.contexts_by_lineno, name)
                ).items():
                    for context in contexts:
                        by_context[context].add(line)
                if not by_context and self._asked(partial(self._data.arcs, name)):
                    by_context[""] = (
                        set()
                    )  # an empty file was run: it has a way in and out, and no line
        yield from sorted(
            (context, frozenset(lines - {0})) for context, lines in by_context.items()
        )

    def _open(self) -> None:
        """Open the data file, and only a data file of coverage.py.

        In a database without its tables, `CoverageData` would create them.
        """
        with closing(
            sqlite3.connect(
                f"{self._file.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S
            )
        ) as db:
            if not db.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'coverage_schema'"
            ).fetchone():
                raise CoverageException("it has no tables of coverage.py")
        self._data.read()

    def _asked(self, ask: Callable[[], _Answer]) -> _Answer:
        """Return an answer of coverage.py. Raises BadRequest where the file cannot be read."""
        try:
            return ask()
        except (
            CoverageException,
            sqlite3.Error,
            TypeError,
            AttributeError,
            KeyError,
        ) as error:  # a value of another type
            busy = "database is locked" in str(error)
            raise BadRequest(
                "{file!r} is being written: {error}"
                if busy
                else "{file!r} is no data file of coverage.py 5.0 or later, or is damaged: {error}",
                file=self._file,
                error=error,
                hint="try again when the tests are done" if busy else _HOW,
            ) from error


def _convert_to_posix(path: str) -> str:
    return path.replace("\\", "/")
