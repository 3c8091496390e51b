"""Speed, memory and disk, each beside a floor measured in the same run.

    python benchmarks/speed.py [--sizes 10000 100000] [--json] [--data DIR] [--models DIR]

Passages are spliced from halves of real ones (LoCoMo, XQuAD, KorSTS … in --data; without it, of the
bundled corpus); their vectors are made from random directions shared by texts, because speed does
not depend on what they mean. Times are CPU milliseconds of one thread, medians. Floors: FTS5 rows
for indexing; numpy's float32 product over all vectors and FTS5's rank with stop words dropped for
search; `python -c "import sqlite3, json"` for a cold process.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

import gieok.machine  # noqa: F401 - decides the number of threads before numpy is loaded

# isort: split
import numpy as np

from gieok import paths
from gieok.flow.lifecycle import fill_vectors
from gieok.memory.files.cut import Cut
from gieok.memory.files.profile import FILES
from gieok.memory.files.roots import Root
from gieok.memory.files.sync import sync_scope_roots
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, VectorQuery
from gieok.models.local.releases import CURRENT
from gieok.ranking.recall import Question, recall
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import ManualClock
from gieok.text.keywords import query_tokens

_SCOPE = Scope("bench:speed")
_DIMENSION = 384
_PASSAGES_PER_FILE = 40
#: A section of a note is a passage of its own: it holds a quarter of this, and the next heading
#: starts another.
_CUT = Cut(budget_tokens=120, overlap_tokens=0)
_QUESTIONS = 100
_BUNDLED = Path(__file__).parent.parent / "tests" / "quality" / "corpus.json"


class FakeVectors:
    """An embedder of no cost to speak of: the mean of random directions of the words, centred off
    zero like E5's.
    """

    #: The bundled model's name, so that a cold process asks this index with the real embedder.
    model, dimension = CURRENT.model, _DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> bytes:
        return self._embed(text)

    def _embed(self, text: str) -> bytes:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        vector = np.random.default_rng(seed).standard_normal(_DIMENSION).astype(np.float32)
        vector += 2.0
        for word in set(text.split()[:6]):
            topic = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little") % 2000
            vector += 1.5 * np.random.default_rng(topic).standard_normal(_DIMENSION).astype(
                np.float32
            )
        return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def read_texts(folder: Path) -> tuple[list[str], list[str]]:
    files = sorted(folder.glob("*.json")) or [_BUNDLED]
    groups = [g for f in files for g in json.loads(f.read_text(encoding="utf-8"))["groups"]]
    texts = [" ".join(i["text"].split())[:300] for g in groups for i in g["items"]]
    return texts, [str(q["q"]) for g in groups for q in g["questions"]]


def write_files(folder: Path, texts: Sequence[str], count: int, rng: random.Random) -> int:
    """Write `count` short passages as Markdown sections, forty a file; return their bytes."""
    size = 0
    for number in range(0, count, _PASSAGES_PER_FILE):
        sections = []
        for n in range(number, min(number + _PASSAGES_PER_FILE, count)):
            a, b = rng.choice(texts), rng.choice(texts)
            sections.append(f"# {n}\n{a[: len(a) // 2]} {b[len(b) // 2 :]}\n")
        text = "".join(sections)
        size += len(text.encode())
        (folder / f"{number:07d}.md").write_text(text, encoding="utf-8")
    return size


def cpu_ms(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def measure_index(store: SqliteStore, root: Root) -> dict[str, float]:
    seconds = cpu_ms(lambda: sync_scope_roots(store, _SCOPE, [root], _CUT)) / 1000
    passages = store.stats(_SCOPE).passages
    again = cpu_ms(lambda: sync_scope_roots(store, _SCOPE, [root], _CUT)) / 1000
    return {
        "passages": passages,
        "passages_per_cpu_s": round(passages / seconds),
        "unchanged_per_cpu_s": round(passages / again),
    }


def floor_fts5(root: Root) -> float:
    """Return rows a second that FTS5 alone takes, one transaction, text given."""
    rows = [
        s
        for f in sorted(root.path.glob("*.md"))
        for s in f.read_text(encoding="utf-8").split("\n# ")
    ]
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
    spent = cpu_ms(
        lambda: db.executemany("INSERT INTO t (body) VALUES (?)", [(row,) for row in rows])
    )
    return round(len(rows) / spent * 1000)


def measure_warm(store: SqliteStore, questions: Sequence[str]) -> dict[str, float]:
    embedder = FakeVectors()
    vectors = {q: embedder.embed_query(q) for q in questions}
    given = _Given(vectors)
    profile = replace(FILES, imagine=lambda question: "")

    def ask(text: str, *, use_vectors: bool = True) -> object:
        question = Question(text=text, scopes=(_SCOPE,), use_vectors=use_vectors)
        return recall(store, given, question, profile, ManualClock())

    for text in questions[: _QUESTIONS // 2]:
        ask(text)
    first = [cpu_ms(partial(ask, text)) for text in questions]
    again = [cpu_ms(partial(ask, text)) for text in questions]
    keyword = [cpu_ms(partial(ask, text, use_vectors=False)) for text in questions]
    return {
        "hybrid_ms": round(statistics.median(again), 2),
        "hybrid_new_words_ms": round(statistics.median(first[_QUESTIONS // 2 :]), 2),
        "keyword_ms": round(statistics.median(keyword), 2),
    }


class _Given:
    """An embedder whose questions are embedded already: embedding is not what is measured."""

    model, dimension = FakeVectors.model, _DIMENSION

    def __init__(self, vectors: dict[str, bytes]) -> None:
        self._vectors = vectors

    def embed_query(self, text: str) -> bytes:
        return self._vectors[text]

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vectors[text] for text in texts]


def floor_search(root: Root, questions: Sequence[str], count: int) -> dict[str, float]:
    matrix = np.random.default_rng(0).standard_normal((count, _DIMENSION), np.float32)
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61')")
    rows = [
        (s,)
        for f in sorted(root.path.glob("*.md"))
        for s in f.read_text(encoding="utf-8").split("\n# ")
    ]
    db.executemany("INSERT INTO t (body) VALUES (?)", rows)
    matches = [" OR ".join(f'"{token}"' for token in query_tokens(q)) for q in questions]

    def scan() -> None:
        scores = matrix @ matrix[0]
        np.argpartition(scores, -200)[-200:]

    def match(text: str) -> None:
        db.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 200", (text,)
        ).fetchall()

    return {
        "numpy_float32_scan_ms": round(statistics.median(cpu_ms(scan) for _ in range(20)), 2),
        "fts5_rank_ms": round(statistics.median(cpu_ms(partial(match, m)) for m in matches), 2),
    }


def prefilter_recall(file: Path, store: SqliteStore, questions: Sequence[str]) -> float:
    """Return the share of the exact top ten that the warm store finds; a fresh store scans every
    vector.
    """
    embedder = FakeVectors()
    exact = SqliteStore(file)
    shares = []
    for number, text in enumerate(questions):
        if number % 2 == 0:  # a store scans everything for its first two questions only
            exact.close()
            exact = SqliteStore(file)
        query = VectorQuery(vector=embedder.embed_query(text))
        found, wanted = (
            {p for p, _ in s.nearest(_SCOPE, query, Filter(), 10).ranked} for s in (store, exact)
        )
        shares.append(len(found & wanted) / 10)
    exact.close()
    return round(statistics.mean(shares), 4)


def measure_cold(home: Path, models: Path) -> dict[str, float]:
    """Return wall milliseconds of whole processes: the interpreter, keyword search, search with
    vectors.
    """
    shutil.rmtree(home / "models", ignore_errors=True)
    shutil.copytree(models, home / "models")
    environment = {
        **os.environ,
        "GIEOK_HOME": str(home),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    search = [
        sys.executable,
        "-m",
        "gieok",
        "search",
        "what did we decide about the invoice parser",
        "--json",
    ]
    search += ["--scope", str(_SCOPE), "--min-score", "0"]
    commands = {
        "python_sqlite_json_ms": [sys.executable, "-c", "import sqlite3, json"],
        "keyword_ms": [*search, "--keyword-only"],
        "hybrid_ms": search,
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(9):  # in turn, so that a busy moment hits all alike
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, env=environment, check=True, capture_output=True)
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: round(statistics.median(values[1:]), 1) for name, values in times.items()}


def measure_memory(file: Path, questions: Sequence[str]) -> dict[str, float]:
    """Return megabytes of a fresh process that has answered questions, without an embedder."""
    given = json.dumps([str(file), questions[:50]])
    child = [sys.executable, __file__, "--answer"]
    done = subprocess.run(child, input=given, text=True, check=True, capture_output=True)
    return dict(json.loads(done.stdout))


def answer() -> None:
    """Be the process whose memory is measured."""
    file, questions = json.loads(sys.stdin.read())
    store = SqliteStore(Path(file), resident=True)
    before = resident_mb()
    ask_all(store, questions)
    print(
        json.dumps(
            {
                "start_mb": before["VmRSS"],
                "held_mb": resident_mb()["VmRSS"],
                "peak_mb": resident_mb()["VmHWM"],
            }
        )
    )


def resident_mb() -> dict[str, int]:
    """Return what Linux says this process holds now (VmRSS) and held at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return {
        line.split(":")[0]: int(line.split()[1]) // 1000
        for line in lines
        if line.startswith(("VmRSS", "VmHWM"))
    }


def ask_all(store: SqliteStore, questions: Sequence[str]) -> None:
    embedder = FakeVectors()
    for text in questions:
        recall(store, embedder, Question(text=text, scopes=(_SCOPE,)), FILES, ManualClock())


def measure_disk(file: Path, root: Root, passages: int, text_bytes: int) -> dict[str, float]:
    """Return bytes a passage beyond its text; and how the file grows when everything is indexed
    again ten times.
    """
    store = SqliteStore(file)
    store.compact()
    before = store.stats().disk_bytes

    for _ in range(10 if passages <= 20_000 else 0):
        sync_scope_roots(store, _SCOPE, [root], _CUT, force=True)
        store.compact()
    after = store.stats().disk_bytes
    store.close()
    return {
        "bytes_per_passage": round((before - text_bytes) / passages),
        "grown_by_ten_reindexings": round(after / before, 3),
    }


def run(
    count: int, texts: Sequence[str], questions: Sequence[str], models: Path
) -> dict[str, dict[str, float]]:
    rng = random.Random(11)
    questions = rng.sample(list(dict.fromkeys(questions)), min(_QUESTIONS, len(set(questions))))
    with tempfile.TemporaryDirectory() as temporary:
        home, folder = Path(temporary, "home"), Path(temporary, "notes")
        folder.mkdir()
        # Sections too small to stand alone join the next one: so many make about `count` passages.
        size = write_files(folder, texts, round(count * 1.285), rng)
        root = Root("notes", folder)
        file = paths.locate_database(home)
        store = SqliteStore(file, resident=True)
        index = {**measure_index(store, root), "floor_fts5_rows_per_cpu_s": floor_fts5(root)}
        fill_vectors(store, FakeVectors())
        warm = {
            **measure_warm(store, questions),
            "exact_top10_found": prefilter_recall(file, store, questions[:40]),
        }
        warm |= floor_search(root, questions, count)
        store.close()
        cold = measure_cold(home, models) if models.exists() else {}
        memory = measure_memory(file, questions)
        disk = measure_disk(file, root, int(index["passages"]), size)
        return {"index": index, "warm": warm, "cold_wall": cold, "memory": memory, "disk": disk}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/memory"))
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.answer:
        answer()
        return
    texts, questions = read_texts(args.data)
    results = {str(count): run(count, texts, questions, args.models) for count in args.sizes}
    if args.json:
        print(json.dumps(results))
        return
    for count, groups in results.items():
        print(f"\n{int(count):,} passages")
        for name, figures in groups.items():
            print(f"  {name:10s} " + ", ".join(f"{key} {value}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
