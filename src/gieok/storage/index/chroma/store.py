"""Chroma as the mirror of the vectors: one collection for each scope.

Extra: `gieok[chroma]`. Chroma's index (HNSW) is approximate, is written back now and then only,
never shrinks, and is not made for several processes: the mirror therefore compares what the index
holds, is opened again after another process wrote, and is made anew when it bloats.
"""

from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings

from gieok.storage.index.mirrored.library import Floats, Ints, translated_failures
from gieok.storage.index.mirrored.store import MirroredStore

#: Links per vector and breadth of the search: .995 of the exact top ten of 20,000, with Chroma's
#: defaults .959.
_HNSW = {"space": "ip", "max_neighbors": 32, "ef_construction": 200, "ef_search": 400}


@translated_failures("Chroma")
class ChromaCollection:
    """`VectorSet` as a Chroma collection whose ids are the numbers."""

    def __init__(self, collection: Any, batch: int) -> None:  # noqa: ANN401 - loosely typed
        self._collection = collection
        self._batch = batch

    def numbers(self) -> Ints:
        """Return all numbers."""
        return np.array([int(i) for i in self._collection.get(include=[])["ids"]], np.int64)

    def count(self) -> int:
        """Count the vectors."""
        return int(self._collection.count())

    def add(self, numbers: Ints, vectors: Floats) -> None:
        """Add vectors."""
        for start in range(0, len(numbers), self._batch):
            part = slice(start, start + self._batch)
            self._collection.add(
                ids=[str(i) for i in numbers[part].tolist()], embeddings=vectors[part]
            )

    def remove(self, numbers: Ints) -> None:
        """Delete vectors."""
        for start in range(0, len(numbers), self._batch):
            self._collection.delete(
                ids=[str(i) for i in numbers[start : start + self._batch].tolist()]
            )

    def near(self, vector: Floats, limit: int) -> Ints:
        """Query the HNSW graph for near vectors."""
        result = self._collection.query(
            query_embeddings=[vector], n_results=limit, include=["distances"]
        )
        return np.array([int(i) for i in result["ids"][0]], np.int64)


#: Set here, because Chroma otherwise reads the environment and a `.env` in the working folder,
#: which may be a repository's.
_SETTINGS: dict[str, Any] = {
    "anonymized_telemetry": False,
    "chroma_otel_collection_endpoint": "",
    "chroma_otel_granularity": "none",
}


@translated_failures("Chroma")
class ChromaFolder:
    """`Library` on a Chroma folder."""

    def __init__(self, folder: Path) -> None:
        self._client: Any = chromadb.PersistentClient(str(folder), settings=Settings(**_SETTINGS))
        self._batch = self._client.get_max_batch_size()

    def open(self, name: str, dimension: int) -> ChromaCollection:
        """Open or create a collection."""
        del dimension  # the first vector decides it
        collection = self._client.get_or_create_collection(
            name, embedding_function=None, configuration={"hnsw": _HNSW}
        )
        return ChromaCollection(collection, self._batch)

    def names(self) -> list[str]:
        """List the collections."""
        return sorted(collection.name for collection in self._client.list_collections())

    def drop(self, name: str) -> None:
        """Delete a collection."""
        self._client.delete_collection(name)

    def tidy(self) -> None:
        """Do nothing: Chroma gives nothing back; a bloated folder is made anew."""

    def close(self) -> None:
        """Close the client; the last client of this process closes the files too."""
        self._client.close()


class ChromaStore(MirroredStore):
    """`store: chroma`, a SQLite store with Chroma as its mirror."""

    library_name = "chroma"
    library = ChromaFolder
    #: Above this share all vectors are scanned: the graph cannot be trusted to list most of a
    #: collection.
    largest_share = 0.5
