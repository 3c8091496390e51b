"""Retrieval quality on data sets of your own, through the product's engine, beside the plain
methods in the same run.

    python benchmarks/retrieval.py --data DIR [--set NAME …] [--json] [--keep FOLDER] [--vectors
    FILE] [--svg FOLDER]

Every `DIR/NAME.json` holds `{"groups": [{"gid", "items": [{"id", "session", "text", "date"}],
"questions": [{"qid", "type", "q", "gold": [item ids], "gold_sessions"}]}]}`. Each group is indexed
in a scope of its own; consecutive items of one session are the passages of one document. Recall is
the share of gold found. Compared with:

- ungated: ours without the default threshold;
- fts5: SQLite's FTS5 (porter, unicode61), all words joined by OR, ordered by its rank;
- vector: cosine of the same vectors; rrf: reciprocal rank fusion (k 60) of these two.

Ours is at shipped defaults: a set of turns (`Name: …`) is indexed as turns are, a set of code as
code is; where the best hit is below the default threshold nothing is found. Beside recall:

- ece: expected calibration error of the best hit's score in ten bins; auroc: right best hits
  against wrong ones;
- kept: share of right best hits that the default threshold keeps; unanswerable: share of questions
  that get a result all the same, asked of another group (a set of one group is halved by session
  for this: `other half`), or marked adversarial.

`--keep` keeps the index, so that a second run embeds only what is new; `--vectors` takes vectors
from a file (fit.py). `--svg` writes a reliability diagram per set.
"""

import argparse
import json
import math
import random
import re
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from code_profile import CODE
from gieok.flow.lifecycle import fill_vectors
from gieok.memory.files.profile import FILES
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Filter, FoundPassage, VectorQuery
from gieok.models.local.reader import LocalReader
from gieok.models.local.runtime import E5Embedder
from gieok.ports.models import Embedder
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import ManualClock
from gieok.text.embedform import text_to_embed

METHODS = ("gieok", "ungated", "fts5", "vector", "rrf")
_DEPTH = 10
_POOL = 100
_BINS = 10
UNSCORED = frozenset(("adversarial",))  # the answer is not in the conversation
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
_TURN = re.compile(r"[^\W\d_][\w .'-]{0,40}: \S")
_CODE = re.compile(r"\s*(def|class|func|function|public|fn|async def)\s")


class SetQuestion(TypedDict):
    """A question of a set: its type, its text, and the ids of the items that answer it."""

    type: str
    q: str
    gold: list[str]


@dataclass(frozen=True)
class Group:
    """One index: its items by id, in order, and its questions."""

    scope: Scope
    items: list[dict[str, str]]
    questions: list[SetQuestion]
    profile: Profile


def load(file: Path, most: int = 0) -> list[Group]:
    """Return the groups of a set, with at most so many questions in all (0: all), drawn with a
    fixed seed.
    """
    data = json.loads(file.read_text(encoding="utf-8"))
    return [
        Group(
            Scope(f"bench:{file.stem}/group:{re.sub(r'[^0-9a-zA-Z가-힣.-]', '-', str(g['gid']))}"),
            g["items"],
            _drawn(g["questions"], most, sum(len(one["questions"]) for one in data["groups"])),
            profile_for(g["items"]),
        )
        for g in data["groups"]
    ]


def _drawn(questions: list[SetQuestion], most: int, total: int) -> list[SetQuestion]:
    count = -(-most * len(questions) // total) if most else len(questions)
    return random.Random(7).sample(questions, count) if count < len(questions) else questions


def kind_of(items: Sequence[dict[str, str]]) -> str:
    """Return what most items are: `code`, `turn` or `memory`."""
    for kind, pattern in (("code", _CODE), ("turn", _TURN)):
        if 2 * sum(1 for item in items if pattern.match(item["text"])) > len(items):
            return kind
    return "memory"


def profile_for(items: Sequence[dict[str, str]]) -> Profile:
    """Return the profile that ranks such items, at shipped defaults but for the number of hits."""
    return replace(CODE if kind_of(items) == "code" else FILES, limit=_DEPTH)


def entries(group: Group) -> Iterator[Entry]:
    """Yield a document per run of one session; its passages are the items."""
    kind = kind_of(group.items)
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
                kind=kind,
                text=text,
                content_hash=digest,
                created_at=_LONG_AGO,
                updated_at=_LONG_AGO,
                metadata={"session": f"{session}-{number}"},
            ),
            tuple(passages),
        )


def index(store: SqliteStore, group: Group) -> None:
    """Put what is new, and forget what is gone."""
    wanted = list(entries(group))
    known = store.hashes(group.scope)
    new = [
        entry for entry in wanted if known.get(entry.document.key) != entry.document.content_hash
    ]
    store.forget(group.scope, sorted(set(known) - {entry.document.key for entry in wanted}))
    for start in range(0, len(new), 500):
        store.put(new[start : start + 500])


def item_names(group: Group) -> dict[tuple[str, int], str]:
    """Return (document key, first line) → item id."""
    places = [(e.document.key, p.start_line) for e in entries(group) for p in e.passages]
    return dict(zip(places, (item["id"] for item in group.items), strict=True))


class RememberedQueries:
    """An embedder that keeps what it embedded in a file: a second run of the benchmark asks the
    same questions.
    """

    def __init__(self, inner: Embedder, file: Path, reader: LocalReader | None = None) -> None:
        self._inner = inner
        #: Measures how close the best few turns come, as in the product.
        self.reader = reader
        self.model, self.dimension = inner.model, inner.dimension
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, vector BLOB)")

    def embed_query(self, text: str) -> bytes:
        return self._keep(f"q\0{text}", lambda: self._inner.embed_query(text))

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self._keep(f"p\0{text}", partial(self._embed_passage, text)) for text in texts]

    def _embed_passage(self, text: str) -> bytes:
        return self._inner.embed_passages([text])[0]

    def _keep(self, name: str, make: Callable[[], bytes]) -> bytes:
        name = f"{self.model}\0{name}"
        row = self._db.execute("SELECT vector FROM kept WHERE name = ?", (name,)).fetchone()
        if row is not None:
            return bytes(row[0])
        vector = make()
        self._db.execute("INSERT INTO kept VALUES (?, ?)", (name, vector))
        return vector


class KeptVectors:
    """An embedder that looks into a file of vectors first: table v (kind 'p' or 'q', text,
    float32).
    """

    def __init__(self, models: Path, file: Path | None) -> None:
        self._inner = E5Embedder(models)
        self.reader = LocalReader(models)
        self.model, self.dimension = self._inner.model, self._inner.dimension
        self._db = sqlite3.connect(f"file:{file}?mode=ro", uri=True) if file else None
        self._forms: dict[str, str] = {}
        self.made = 0

    def know(self, texts: Sequence[str]) -> None:
        """Remember which text each form to embed comes from: the file is by text."""
        self._forms.update((text_to_embed(text), text) for text in texts)

    def embed_query(self, text: str) -> bytes:
        return self._kept("q", text) or self._made(self._inner.embed_query(text))

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [
            self._kept("p", self._forms.get(t, t)) or self._made(self._inner.embed_passages([t])[0])
            for t in texts
        ]

    def _made(self, vector: bytes) -> bytes:
        self.made += 1
        return vector

    def _kept(self, kind: str, text: str) -> bytes | None:
        row = (
            self._db.execute(
                "SELECT vector FROM v WHERE kind = ? AND text = ?", (kind, text)
            ).fetchone()
            if self._db
            else None
        )
        return row[0] if row else None


class PlainFts5:
    """What a developer writes in ten minutes."""

    def __init__(self, items: Sequence[dict[str, str]]) -> None:
        self._ids = [item["id"] for item in items]
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61')")
        self._db.executemany(
            "INSERT INTO t (rowid, body) VALUES (?, ?)", enumerate(i["text"] for i in items)
        )
        self.close = self._db.close

    def rank(self, question: str, limit: int) -> list[str]:
        words = re.findall(r"\w+", question)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, limit)
        )
        return [self._ids[row[0]] for row in rows]


def reciprocal_ranks(rankings: Iterable[Sequence[str]], k: int = 60) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking):
            scores[item] = scores.get(item, 0.0) + 1 / (k + place + 1)
    return sorted(scores, key=lambda item: -scores[item])


class Asked(NamedTuple):
    """One question: what answers, what each method found, and the score of our best hit (0:
    none).
    """

    kind: str
    gold: list[str]
    rankings: dict[str, list[str]]
    score: float


def found_by_gieok(
    store: SqliteStore, embedder: Embedder, group: Group, text: str
) -> tuple[list[FoundPassage], float]:
    """Return the hits, whatever their score, and the best score."""
    profile = group.profile.with_least_score(0.0)
    hits = recall(
        store,
        embedder,
        Question(text=text, scopes=(group.scope,)),
        profile,
        ManualClock(),
        reader=getattr(embedder, "reader", None),
    ).hits
    return [hit.passage for hit in hits], hits[0].score if hits else 0.0


def least_of(group: Group) -> float:
    """Return the least score of the best hit for anything to be found, at shipped defaults."""
    turns = next(
        (one for one in group.profile.beside if kind_of(group.items) in one.kinds), group.profile
    )
    return turns.least_best


def ask(store: SqliteStore, embedder: Embedder, group: Group) -> Iterator[Asked]:
    """Yield every question that has an answer in its group."""
    names = item_names(group)
    fts5 = PlainFts5(group.items)
    for question in group.questions:
        gold = [i for i in dict.fromkeys(question["gold"]) if i in set(names.values())]
        if not gold or question["type"] in UNSCORED:
            continue
        text = question["q"]
        hits, score = found_by_gieok(store, embedder, group, text)
        plain = VectorQuery(vector=embedder.embed_query(text))
        near = item_ids(
            names,
            store.passages(
                [p for p, _ in store.nearest(group.scope, plain, Filter(), _POOL).ranked]
            ),
        )
        words = fts5.rank(text, _POOL)
        rankings = {
            "gieok": item_ids(names, hits) if score >= least_of(group) else [],
            "ungated": item_ids(names, hits),
            "fts5": words,
            "vector": near,
            "rrf": reciprocal_ranks((words, near)),
        }
        yield Asked(question["type"], gold, rankings, score)
    fts5.close()


def unanswerable(
    store: SqliteStore, embedder: Embedder, groups: Sequence[Group]
) -> dict[str, float]:
    """Return the shares of questions without an answer that find something, by why they have
    none.
    """
    found: dict[str, list[bool]] = defaultdict(list)
    for number, group in enumerate(groups):
        other = groups[(number + 1) % len(groups)]
        for question in group.questions:
            where = group if question["type"] in UNSCORED else other
            if where is group and question["type"] not in UNSCORED:
                continue
            name = question["type"] if where is group else "elsewhere"
            found[name].append(
                found_by_gieok(store, embedder, where, question["q"])[1] >= least_of(where)
            )
    return {name: round(sum(these) / len(these), 4) for name, these in found.items()}


def halves(group: Group) -> list[Group]:
    """Return a group's sessions in two groups with the questions that each half answers."""
    sessions = list(dict.fromkeys(item["session"] for item in group.items))
    made = []
    for name, these in (
        ("first", set(sessions[: len(sessions) // 2])),
        ("second", set(sessions[len(sessions) // 2 :])),
    ):
        items = [item for item in group.items if item["session"] in these]
        ids = {item["id"] for item in items}
        questions = [q for q in group.questions if q["gold"] and set(q["gold"]) <= ids]
        made.append(
            replace(
                group, scope=Scope(f"{group.scope}/half:{name}"), items=items, questions=questions
            )
        )
    return made


def calibration(asked: Sequence[Asked], least: float) -> dict[str, Any]:
    """Return how far the score of the best hit is the share that is right, and what the threshold
    keeps.
    """
    scored = [
        (one.score, bool(set(one.rankings["ungated"][:1]) & set(one.gold)))
        for one in asked
        if one.score
    ]
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for score, right in scored:
        bins[min(int(score * _BINS), _BINS - 1)].append((score, right))
    rows = [
        (len(b), sum(s for s, _ in b) / len(b), sum(r for _, r in b) / len(b)) for b in bins if b
    ]
    good, bad = [s for s, r in scored if r], [s for s, r in scored if not r]
    wins = sum((g > w) + 0.5 * (g == w) for g in good for w in bad)
    return {
        "ece": round(sum(n * abs(said - was) for n, said, was in rows) / max(len(scored), 1), 4),
        "auroc": round(wins / (len(good) * len(bad)), 4) if good and bad else None,
        "kept": round(sum(s >= least for s in good) / len(good), 4) if good else None,
        "reliability": [
            {"n": n, "said": round(said, 4), "was": round(was, 4)} for n, said, was in rows
        ],
    }


def diagram(name: str, rows: Sequence[dict[str, float]]) -> str:
    """Return a reliability diagram as SVG: the share that was right over the probability said; area
    of a dot: questions.
    """
    total = sum(row["n"] for row in rows)
    dots = "".join(
        f'<circle cx="{40 + 200 * row["said"]:.1f}" cy="{220 - 200 * row["was"]:.1f}" '
        f'r="{2 + 26 * math.sqrt(row["n"] / total):.1f}" fill="#2563eb" fill-opacity="0.55"/>'
        for row in rows
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 260 260" width="260" '
        'height="260" font-family="sans-serif" '
        'font-size="10"><rect width="260" height="260" fill="#fff"/><rect x="40" y="20" '
        'width="200" height="200" fill="none" '
        'stroke="#888"/><path d="M40 220L240 20" stroke="#bbb" stroke-dasharray="4 3"/>'
        f'{dots}<text x="40" y="14">{name}</text><text x="240" y="248" '
        f'text-anchor="end">probability said</text>'
        '<text x="12" y="20" transform="rotate(-90 12 20)" text-anchor="end">share that was '
        "right</text>"
        '<text x="36" y="232">0</text><text x="236" y="232">1</text></svg>\n'
    )


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
    return {
        **{name: round(math.fsum(row[name] for row in rows) / len(rows), 4) for name in rows[0]},
        "n": len(rows),
    }


def evaluate(
    store: SqliteStore, embedder: Embedder, groups: Sequence[Group]
) -> dict[str, dict[str, Any]]:
    """Return method → figures, over all groups of a set, and by question type."""
    for group in groups:
        index(store, group)
    fill_vectors(store, embedder)
    asked = [one for group in groups for one in ask(store, embedder, group)]
    rows = {m: [(one.kind, measure(one.rankings[m], one.gold)) for one in asked] for m in METHODS}
    kinds = sorted({one.kind for one in asked})
    figures: dict[str, dict[str, Any]] = {
        method: {
            **mean([r for _, r in found]),
            "by_type": {kind: mean([r for k, r in found if k == kind]) for kind in kinds},
        }
        for method, found in rows.items()
    }
    figures["gieok"] |= calibration(asked, least_of(groups[0]))
    return figures


def without_answer(
    store: SqliteStore, embedder: Embedder, groups: Sequence[Group]
) -> dict[str, float]:
    """Return `unanswerable` of the groups; of one group, of its halves."""
    if len(groups) > 1:
        return unanswerable(store, embedder, groups)
    parts = halves(groups[0])
    for part in parts:
        index(store, part)
    fill_vectors(store, embedder)
    return {
        f"{name}, other half": share for name, share in unanswerable(store, embedder, parts).items()
    }


def table(name: str, figures: dict[str, dict[str, Any]]) -> str:
    columns = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "n")
    lines = [f"\n{name:24s}" + "".join(f"{column:>11s}" for column in columns)]
    for method, values in figures.items():
        lines.append(f"  {method:22s}" + "".join(f"{values[column]:>11}" for column in columns))
    ours = figures["gieok"]
    lines.append(
        f"    ece {ours['ece']}, auroc {ours['auroc']}, kept {ours['kept']}, unanswerable "
        f"{ours.get('unanswerable')}"
    )
    by_type = ours["by_type"]
    if len(by_type) > 1:
        lines += [
            f"    gieok, {kind:15s}" + "".join(f"{v[column]:>11}" for column in columns)
            for kind, v in by_type.items()
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/memory"))
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--most", type=int, default=0, help="questions of a set, 0: all")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    args = parser.parse_args()
    files = [f for f in sorted(args.data.glob("*.json")) if not args.sets or f.stem in args.sets]
    if not files:
        parser.error(
            f"no data sets in {str(args.data)!r}: give a folder with NAME.json files by --data"
        )
    with tempfile.TemporaryDirectory() as temporary:
        keep = args.keep or Path(temporary)
        keep.mkdir(parents=True, exist_ok=True)
        store = SqliteStore(keep / "retrieval.sqlite", resident=True)
        kept = KeptVectors(args.models, args.vectors) if args.vectors else None
        embedder = kept or RememberedQueries(
            E5Embedder(args.models), keep / "queries.sqlite", LocalReader(args.models)
        )
        results = {}
        for file in files:
            groups = load(file, args.most)
            if kept:
                kept.know([item["text"] for group in groups for item in group.items])
            results[file.stem] = evaluate(store, embedder, groups)
            results[file.stem]["gieok"]["unanswerable"] = without_answer(store, embedder, groups)
            if args.svg:
                text = diagram(file.stem, results[file.stem]["gieok"]["reliability"])
                (args.svg / f"{file.stem}.svg").write_text(text, encoding="utf-8")
            if not args.json:
                print(table(file.stem, results[file.stem]), flush=True)
        store.close()
    if args.json:
        print(json.dumps(results, ensure_ascii=False))


if __name__ == "__main__":
    main()
