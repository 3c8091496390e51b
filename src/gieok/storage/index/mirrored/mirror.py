"""Mirror of a store's vectors in a library, synchronised at every question.

The folder next to the store's file holds `state.sqlite` (the generations that the mirror has, and
the lock that serialises its writers) and one numbered folder of the library's own. A question first
compares a generation, then the sets of numbers: a lost write, a killed process or another program's
deletion all end in the same repair, from the vectors in SQLite.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gieok import fs
from gieok.storage.index.mirrored.library import Floats, Ints, Library, LibraryFailed, VectorSet
from gieok.storage.sqlite.failures import translated
from gieok.storage.sqlite.files import transaction

_TABLES = (
    "CREATE TABLE IF NOT EXISTS folder (number INTEGER NOT NULL, epoch INTEGER NOT NULL)",
    (
        "CREATE TABLE IF NOT EXISTS scopes (id INTEGER PRIMARY KEY, model INTEGER, generation "
        "INTEGER, vectors INTEGER)"
    ),
    "INSERT INTO folder SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM folder)",
)
#: A library's folder may take so many times the space that its vectors need, plus this, before it
#: is made anew. Measured need: LanceDB 1.0, Chroma 1.6 times. Users of similar products saw 318 GB
#: over 26 MB of notes.
_BLOAT = 4
_ROOM_BYTES = 16_000_000
#: Allowance for each set, however small.
_SET_BYTES = 200_000
_BATCH = 4096


class Wanted(NamedTuple):
    """Required content of the mirror of a scope.

    The numbers of the scope's vectors, sorted, at one generation of the scope.
    """

    scope_id: int
    model_id: int
    dimension: int
    generation: int
    numbers: Ints

    @property
    def name(self) -> str:
        """Return the name of the set."""
        return f"{self.prefix}{self.model_id}"

    @property
    def prefix(self) -> str:
        """Return the common prefix of the names of this scope's sets, whatever the model."""
        return f"scope{self.scope_id}-model"


#: Function that returns the vectors of some numbers: (numbers, dimension).
Fetch = Callable[[Ints], Floats]


class VectorMirror:
    """Handle on a mirror.

    Not thread-safe; any number of processes may have one.
    """

    def __init__(
        self, folder: Path, open_library: Callable[[Path], Library], busy_timeout_ms: int
    ) -> None:
        self._folder = folder
        self._open_library = open_library
        self._busy_timeout_ms = busy_timeout_ms
        self._library: Library | None = None
        self._seen: tuple[int, int] | None = None

    def near(self, wanted: Wanted, fetch: Fetch, vector: Floats, limit: int) -> Ints:
        """Return the numbers of near vectors.

        Raises StoreError where even a new mirror cannot be made.
        """
        try:
            return self.in_line(wanted, fetch).near(vector, limit)
        except LibraryFailed:
            # Another process may have removed the folder that this handle has open.
            self.close()
            return self.in_line(wanted, fetch).near(vector, limit)

    def in_line(self, wanted: Wanted, fetch: Fetch) -> VectorSet:
        """Return the scope's set, synchronised with the wanted vectors.

        A mirror that cannot be repaired is made anew once.
        """
        try:
            return self._current(wanted) or self._mend(wanted, fetch)
        except LibraryFailed:
            self.drop()
            return self._mend(wanted, fetch)

    def differs(self, wanted: Wanted) -> bool:
        """Say whether the mirror claims the wanted generation but holds other vectors."""
        with self._state() as db:
            if self._generation(db, wanted) != wanted.generation:
                return False  # it is behind, and the next question repairs it
            held = self._opened(db).open(wanted.name, wanted.dimension).numbers()
        return not np.array_equal(np.sort(held), wanted.numbers)

    def generations(self) -> dict[int, tuple[int, int]]:
        """Return scope id → (model id, generation) of the sets in the mirror."""
        with self._state() as db:
            return {
                i: (model, generation)
                for i, model, generation, _ in db.execute("SELECT * FROM scopes")
            }

    def drop(self) -> None:
        """Delete all vectors in the library, and continue in a new folder."""
        self.close()
        with self._locked() as db:
            (number,) = db.execute("SELECT number FROM folder").fetchone()
            db.execute("UPDATE folder SET number = number + 1, epoch = epoch + 1")
            db.execute("DELETE FROM scopes")
        shutil.rmtree(self._folder / str(number), ignore_errors=True)

    def disk_bytes(self) -> int:
        """Return the space that the mirror takes."""
        return sum(size for file in self._folder.rglob("*") if (size := _measure_mirror_file(file)))

    def close(self) -> None:
        """Release the library."""
        if self._library is not None:
            self._library.close()
        self._library = self._seen = None

    def _current(self, wanted: Wanted) -> VectorSet | None:
        """Return the set where it is up to date, else None.

        A set ahead of the wanted generation is fine too: the vectors that it lacks were deleted
        meanwhile.
        """
        with self._state() as db:
            generation = self._generation(db, wanted)
            if generation is None or generation < wanted.generation:
                return None
            vector_set = self._opened(db).open(wanted.name, wanted.dimension)
            return (
                vector_set
                if generation > wanted.generation or vector_set.count() == len(wanted.numbers)
                else None
            )

    def _mend(self, wanted: Wanted, fetch: Fetch, *, may_drop: bool = True) -> VectorSet:
        with self._locked() as db:
            # Cleared before the first change: a set left by a killed process claims no generation.
            db.execute("DELETE FROM scopes WHERE id = ?", (wanted.scope_id,))
            db.execute("COMMIT")
            db.execute("BEGIN IMMEDIATE")
            library = self._opened(db)
            for name in library.names():
                if name.startswith(wanted.prefix) and name != wanted.name:
                    library.drop(name)
            mended = library.open(wanted.name, wanted.dimension)
            _align_vector_set(mended, wanted.numbers, fetch)
            row = (wanted.scope_id, wanted.model_id, wanted.generation, len(wanted.numbers))
            db.execute("INSERT OR REPLACE INTO scopes VALUES (?, ?, ?, ?)", row)
            db.execute("UPDATE folder SET epoch = epoch + 1")
            self._seen = self._place(db)
            bloated = self._is_bloated(db, wanted.dimension, library)
        if bloated and may_drop:
            self.drop()
            return self._mend(wanted, fetch, may_drop=False)
        return mended

    def _is_bloated(self, db: sqlite3.Connection, dimension: int, library: Library) -> bool:
        scopes, vectors = db.execute("SELECT count(*), total(vectors) FROM scopes").fetchone()
        cap = int(_ROOM_BYTES + _SET_BYTES * scopes + _BLOAT * 4 * dimension * vectors)
        if self.disk_bytes() > cap:
            library.tidy()
        return self.disk_bytes() > cap

    def _opened(self, db: sqlite3.Connection) -> Library:
        """Return the library, opened again where another process wrote.

        Not every library notices such writes by itself.
        """
        place = self._place(db)
        if self._library is None or self._seen != place:
            self.close()
            self._library, self._seen = self._open_library(self._folder / str(place[0])), place
        return self._library

    def _place(self, db: sqlite3.Connection) -> tuple[int, int]:
        number, epoch = db.execute("SELECT number, epoch FROM folder").fetchone()
        return number, epoch

    def _generation(self, db: sqlite3.Connection, wanted: Wanted) -> int | None:
        row = db.execute(
            "SELECT generation FROM scopes WHERE id = ? AND model = ?",
            (wanted.scope_id, wanted.model_id),
        ).fetchone()
        return int(row[0]) if row else None

    @contextmanager
    def _state(self) -> Iterator[sqlite3.Connection]:
        file = self._folder / "state.sqlite"
        with translated(file):
            fs.create_private(file)
            timeout_s = self._busy_timeout_ms / 1000
            with closing(sqlite3.connect(file, timeout=timeout_s, isolation_level=None)) as db:
                if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    with transaction(db):
                        for statement in _TABLES:
                            db.execute(statement)
                yield db

    @contextmanager
    def _locked(self) -> Iterator[sqlite3.Connection]:
        with self._state() as db, transaction(db):
            yield db


def _align_vector_set(held: VectorSet, numbers: Ints, fetch: Fetch) -> None:
    """Remove vectors that are not wanted, add missing ones, and verify the count."""
    held_numbers = held.numbers()
    unwanted = np.setdiff1d(held_numbers, numbers)
    for batch in _batch_vector_numbers(unwanted):
        held.remove(batch)
    for batch in _batch_vector_numbers(np.setdiff1d(numbers, held_numbers)):
        held.add(batch, fetch(batch))
    if held.count() != len(numbers):
        raise LibraryFailed(
            "{held} vectors are held where {count} were written",
            held=held.count(),
            count=len(numbers),
        )


def _batch_vector_numbers(numbers: Ints) -> Iterator[Ints]:
    return (numbers[i : i + _BATCH] for i in range(0, len(numbers), _BATCH))


def _measure_mirror_file(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:  # removed by another process in between
        return 0
