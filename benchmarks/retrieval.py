"""Retrieval quality on data sets of your own, through the product's engine, beside the plain methods in the same run.

    python benchmarks/retrieval.py --data DIR [--set NAME …] [--json] [--keep FOLDER]

Every `DIR/NAME.json` holds `{"groups": [{"gid", "items": [{"id", "session", "text", "date"}],
"questions": [{"qid", "type", "q", "gold": [item ids], "gold_sessions"}]}]}`. Each group is indexed in a scope of its own;
consecutive items of one session are the passages of one document. Recall is the share of gold found. Compared with:

- fts5: SQLite's FTS5 (porter, unicode61), all words joined by OR, ordered by its rank;
- vector: cosine of the same vectors; rrf: reciprocal rank fusion (k 60) of these two.

`--keep` keeps the index, so that a second run embeds only what is new.
"""

import argparse
import json
import math
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from gieok.backends.embedders.e5.runtime import E5Embedder
from gieok.backends.stores.sqlite.store import SqliteStore
from gieok.capabilities.code.model.profile import CODE
from gieok.capabilities.files.profile import FILES
from gieok.engine.lifecycle import fill_vectors
from gieok.engine.profile import Profile
from gieok.engine.recall import Question, recall
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Filter, FoundPassage, VectorQuery
from gieok.ports.models import Embedder
from gieok.testing import ManualClock

METHODS = ("gieok", "fts5", "vector", "rrf")
_DEPTH = 10
_POOL = 100
UNSCORED = frozenset(("adversarial",))  # the answer is not in the conversation
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
_CODE = re.compile(r"\s*(def|class|func|function|public|fn|async def)\s")


@dataclass(frozen=True)
class Group:
    """One index: its items by id, in order, and its questions."""

    scope: Scope
    items: list[dict[str, str]]
    questions: list[dict[str, object]]
    profile: Profile


def load(file: Path) -> list[Group]:
    data = json.loads(file.read_text(encoding="utf-8"))
    return [
        Group(
            Scope(f"bench:{file.stem}/group:{re.sub(r'[^0-9a-zA-Z가-힣.-]', '-', str(g['gid']))}"),
            g["items"],
            g["questions"],
            profile_for(g["items"]),
        )
        for g in data["groups"]
    ]


def profile_for(items: Sequence[dict[str, str]]) -> Profile:
    """Return the code profile where most items are code, as the code rib would; else that of files."""
    code = sum(1 for item in items if _CODE.match(item["text"]))
    return replace(CODE if 2 * code > len(items) else FILES, limit=_DEPTH, min_score=0.0, half_life_days=0.0)


def entries(group: Group) -> Iterator[Entry]:
    """Yield a document per run of one session; its passages are the items."""
    for number, (session, run) in enumerate(groupby(group.items, key=lambda item: item["session"])):
        text, passages = "", []
        for item in run:
            start = len(text)
            line = text.count("\n") + 1
            text += item["text"]
            passages.append(Passage(start, len(text), line, text.count("\n") + 1))
            text += "\n"
        digest = sha256(text.encode()).hexdigest()
        yield Entry(
            Document(
                scope=group.scope,
                key=f"{number:06d}",
                kind="bench",
                text=text,
                content_hash=digest,
                created_at=_LONG_AGO,
                updated_at=_LONG_AGO,
                metadata={"session": session},
            ),
            tuple(passages),
        )


def index(store: SqliteStore, group: Group) -> None:
    """Put what is new, and forget what is gone."""
    wanted = list(entries(group))
    known = store.hashes(group.scope)
    new = [entry for entry in wanted if known.get(entry.document.key) != entry.document.content_hash]
    store.forget(group.scope, sorted(set(known) - {entry.document.key for entry in wanted}))
    for start in range(0, len(new), 500):
        store.put(new[start : start + 500])


def item_names(group: Group) -> dict[tuple[str, int], str]:
    """Return (document key, first line) → item id."""
    places = [(e.document.key, p.start_line) for e in entries(group) for p in e.passages]
    return dict(zip(places, (item["id"] for item in group.items), strict=True))


class RememberedQueries:
    """An embedder that keeps what it embedded in a file: a second run of the benchmark asks the same questions."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self.model, self.dimension = inner.model, inner.dimension
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, vector BLOB)")

    def embed_query(self, text: str) -> bytes:
        return self._keep(f"q\0{text}", lambda: self._inner.embed_query(text))

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self._keep(f"p\0{text}", lambda text=text: self._inner.embed_passages([text])[0]) for text in texts]

    def _keep(self, name: str, make) -> bytes:  # noqa: ANN001
        name = f"{self.model}\0{name}"
        row = self._db.execute("SELECT vector FROM kept WHERE name = ?", (name,)).fetchone()
        if row is None:
            row = (make(),)
            self._db.execute("INSERT INTO kept VALUES (?, ?)", (name, row[0]))
        return row[0]


class PlainFts5:
    """What a developer writes in ten minutes."""

    def __init__(self, items: Sequence[dict[str, str]]) -> None:
        self._ids = [item["id"] for item in items]
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO t (rowid, body) VALUES (?, ?)", enumerate(i["text"] for i in items))
        self.close = self._db.close

    def rank(self, question: str, limit: int) -> list[str]:
        words = re.findall(r"\w+", question)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, limit))
        return [self._ids[row[0]] for row in rows]


def reciprocal_ranks(rankings: Iterable[Sequence[str]], k: int = 60) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking):
            scores[item] = scores.get(item, 0.0) + 1 / (k + place + 1)
    return sorted(scores, key=lambda item: -scores[item])


def ask(store: SqliteStore, embedder: Embedder, group: Group) -> Iterator[tuple[str, list[str], dict[str, list[str]]]]:
    """Yield type, gold and each method's ranking, for every question that has an answer in its group."""
    names = item_names(group)
    fts5 = PlainFts5(group.items)
    for question in group.questions:
        gold = [i for i in dict.fromkeys(question["gold"]) if i in set(names.values())]
        if not gold or question["type"] in UNSCORED:
            continue
        text = str(question["q"])
        found = recall(store, embedder, Question(text=text, scopes=(group.scope,)), group.profile, ManualClock())
        plain = VectorQuery(vector=embedder.embed_query(text))
        near = item_ids(
            names, store.passages([p for p, _ in store.nearest(group.scope, plain, Filter(), _POOL).ranked])
        )
        words = fts5.rank(text, _POOL)
        rankings = {
            "gieok": item_ids(names, [hit.passage for hit in found.hits]),
            "fts5": words,
            "vector": near,
            "rrf": reciprocal_ranks((words, near)),
        }
        yield str(question["type"]), gold, rankings
    fts5.close()


def item_ids(names: dict[tuple[str, int], str], passages: Sequence[FoundPassage]) -> list[str]:
    return [names[p.key, p.start_line] for p in passages]


def measure(ranking: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    places = [place for place, item in enumerate(ranking[:_DEPTH]) if item in gold]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), _DEPTH)))
    return {
        **{f"recall@{k}": sum(1 for place in places if place < k) / len(gold) for k in (1, 5, 10)},
        "mrr": 1 / (places[0] + 1) if places else 0.0,
        "ndcg@10": sum(1 / math.log2(place + 2) for place in places) / ideal,
    }


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {**{name: round(math.fsum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}, "n": len(rows)}


def evaluate(store: SqliteStore, embedder: Embedder, groups: Sequence[Group]) -> dict[str, dict[str, object]]:
    """Return method → figures, over all groups of a set, and by question type."""
    for group in groups:
        index(store, group)
    fill_vectors(store, embedder)
    rows: dict[str, list[tuple[str, dict[str, float]]]] = {method: [] for method in METHODS}
    for group in groups:
        for kind, gold, rankings in ask(store, embedder, group):
            for method in METHODS:
                rows[method].append((kind, measure(rankings[method], gold)))
    kinds = sorted({kind for kind, _ in rows["gieok"]})
    return {
        method: {
            **mean([r for _, r in found]),
            "by_type": {kind: mean([r for k, r in found if k == kind]) for kind in kinds},
        }
        for method, found in rows.items()
    }


def table(name: str, figures: dict[str, dict[str, object]]) -> str:
    columns = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "n")
    lines = [f"\n{name:24s}" + "".join(f"{column:>11s}" for column in columns)]
    for method, values in figures.items():
        lines.append(f"  {method:22s}" + "".join(f"{values[column]:>11}" for column in columns))
    by_type = figures["gieok"]["by_type"]
    if len(by_type) > 1:
        lines += [
            f"    gieok, {kind:15s}" + "".join(f"{v[column]:>11}" for column in columns) for kind, v in by_type.items()
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/memory"))
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    args = parser.parse_args()
    files = [f for f in sorted(args.data.glob("*.json")) if not args.sets or f.stem in args.sets]
    if not files:
        parser.error(f"no data sets in {str(args.data)!r}: give a folder with NAME.json files by --data")
    with tempfile.TemporaryDirectory() as temporary:
        keep = args.keep or Path(temporary)
        keep.mkdir(parents=True, exist_ok=True)
        store = SqliteStore(keep / "retrieval.sqlite", resident=True)
        embedder = RememberedQueries(E5Embedder(args.models), keep / "queries.sqlite")
        results = {}
        for file in files:
            results[file.stem] = evaluate(store, embedder, load(file))
            if not args.json:
                print(table(file.stem, results[file.stem]), flush=True)
        store.close()
    if args.json:
        print(json.dumps(results, ensure_ascii=False))


if __name__ == "__main__":
    main()
