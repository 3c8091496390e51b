"""LanceDB as the mirror of the vectors: one table for each scope, scanned exactly.

Extra: `gieok[lancedb]`. The tables have no index: LanceDB's is approximate, and grew without bound
in other products when its compaction failed. A flat scan is exact and needs no upkeep;
docs/backends.md has its cost.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

from gieok.storage.index.mirrored.library import Floats, Ints, translated_failures
from gieok.storage.index.mirrored.store import MirroredStore

#: Age from which versions are dropped: every version but the latest. Exactly 0 warns that readers
#: of old versions will fail; our readers then open the table again.
_AT_ONCE = timedelta(milliseconds=1)


@translated_failures("LanceDB")
class LanceTable:
    """`VectorSet` as a LanceDB table of numbers and vectors."""

    def __init__(self, table: Any) -> None:  # noqa: ANN401 - LanceDB has no types
        self._table = table

    def numbers(self) -> Ints:
        """Return all numbers."""
        rows = (
            self._table.search().select(["id"]).limit(max(self._table.count_rows(), 1)).to_arrow()
        )
        numbers: Ints = rows["id"].to_numpy()
        return numbers

    def count(self) -> int:
        """Count the rows."""
        return int(self._table.count_rows())

    def add(self, numbers: Ints, vectors: Floats) -> None:
        """Append rows."""
        columns = pa.FixedSizeListArray.from_arrays(
            pa.array(np.ascontiguousarray(vectors, np.float32).ravel()), vectors.shape[1]
        )
        self._table.add(pa.table({"id": pa.array(numbers, pa.int64()), "vector": columns}))

    def remove(self, numbers: Ints) -> None:
        """Delete rows."""
        self._table.delete(f"id IN ({','.join(map(str, numbers.tolist()))})")

    def near(self, vector: Floats, limit: int) -> Ints:
        """Scan all rows for the nearest vectors."""
        # The distance is named, because LanceDB warns on stderr where it comes unasked.
        query = (
            self._table.search(vector).distance_type("dot").select(["id", "_distance"]).limit(limit)
        )
        numbers: Ints = query.to_arrow()["id"].to_numpy()
        return numbers


@translated_failures("LanceDB")
class LanceFolder:
    """`Library` on a LanceDB database folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Interval 0: every read sees what other processes wrote.
        self._database: Any = lancedb.connect(folder, read_consistency_interval=timedelta(0))

    def open(self, name: str, dimension: int) -> LanceTable:
        """Open or create a table."""
        if name in self.names():
            return LanceTable(self._database.open_table(name))
        schema = pa.schema([("id", pa.int64()), ("vector", pa.list_(pa.float32(), dimension))])
        return LanceTable(self._database.create_table(name, schema=schema, exist_ok=True))

    def names(self) -> list[str]:
        """List the tables."""
        return sorted(file.stem for file in self._folder.glob("*.lance"))

    def drop(self, name: str) -> None:
        """Drop a table."""
        self._database.drop_table(name)

    def tidy(self) -> None:
        """Merge fragments and drop old versions of every table."""
        for name in self.names():
            self._database.open_table(name).optimize(
                cleanup_older_than=_AT_ONCE, delete_unverified=True
            )

    def close(self) -> None:
        """Do nothing: LanceDB holds no lock."""


class LanceStore(MirroredStore):
    """`store: lancedb`, a SQLite store with LanceDB as its mirror."""

    library_name = "lancedb"
    library = LanceFolder
