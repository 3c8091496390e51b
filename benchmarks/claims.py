"""Claims: how many later statements are marked as replacing earlier ones, of parallel subjects,
changes and compatible ones.

    python benchmarks/claims.py --data DIR [--noise FILE [--models DIR] [--show N]]
    python benchmarks/claims.py --told FILE… [--models DIR]
    python benchmarks/claims.py --parts FILE [--models DIR]

DIR holds `parallel.jsonl`, `changes.jsonl` and `compatible.jsonl` (those that it has) of
{"earlier", "later", "lang"}: on another subject built alike; the earlier one holds no more; both
hold. Printed are the shares marked *sure* and *unsure* by language.

FILE is a real memory: sessions as lines of JSON (`.gz` or not) with `turns` of `role` and `text`,
or a text a line. Each sentence of a user is judged beside its nearest 24 by vectors (cosine at
least .4 with the mean taken off), as the product judges it. In a memory where few statements
change, every mark has to be read: `--show` prints them.

The FILEs of `--told` are rows of `training/data` (`judge_*`, `pairs_*`). All first statements of a
file are one memory, and all that its rows say later are said after them: by what each is, how many
are marked as a change of the first statement of their row, and how many are shown beside it, where
it is among the three nearest.

The FILE of `--parts` (`benchmarks/data/parts.json`) holds statements that tell several facts, with
what ended some of them: how many are marked or shown beside, and how many of these with words that
still hold.
"""

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from gieok.memory.talk import turns
from gieok.memory.talk.claims.comparison import EARLIER_READ, build_near_query, find_lead
from gieok.memory.talk.claims.stated_line import is_same_claim
from gieok.memory.talk.nearness import rank_near_passages
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.statements.relation import SURE, UNSURE, Relation, relation
from gieok.memory.talk.statements.statement import read_sentences
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Filter
from gieok.models.local.releases import CURRENT
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.text.embedform import text_to_embed

_KINDS = ("parallel", "changes", "compatible")
_NEIGHBOURS = 24
_LEAST_COSINE = 0.4
_BATCH = 256
_CHARS = range(15, 301)
#: Scope of a memory of told rows, and the day of its first statement.
_MEMORY = Scope("project:told-0badf00d")
_DAY_0, _A_DAY = datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=1)
#: Fields of a row with later statements; `update` and `same` hold one, others several.
_LATER = "update not_update near parallel change partial same talk end unrelated".split()


def measure_pairs(folder: Path) -> None:
    """Print the shares of marks of every kind of pairs, by language."""
    for kind in _KINDS:
        path = folder / f"{kind}.jsonl"
        if not path.is_file():
            continue
        pairs = [
            json.loads(line)
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.strip()
        ]
        began = time.process_time()
        found = [
            (pair["lang"], relation(pair["earlier"], pair["later"]).sureness) for pair in pairs
        ]
        micros = (time.process_time() - began) / max(1, len(pairs)) * 1e6
        for lang in sorted({lang for lang, _ in found}):
            of_lang = Counter(sureness for one, sureness in found if one == lang)
            count = of_lang.total()
            print(
                f"{kind:<11} {lang}  {count:>4} pairs  sure {of_lang[SURE] / count:.3f}  "
                f"unsure {of_lang[UNSURE] / count:.3f}"
            )
        print(f"{kind:<11} {micros:.0f} µs a pair, everything read for the first time")


def measure_noise(path: Path, models: Path, shown: int) -> None:
    """Print how many of the neighbours of a real memory are marked."""
    sentences = list(dict.fromkeys(_read_sentences(path)))
    marked: list[Relation] = []
    counts: Counter[str] = Counter()
    began = time.process_time()
    for later, nearest in enumerate(_find_neighbours(_embed(sentences, models))):
        for earlier in nearest:
            found = relation(sentences[earlier], sentences[later])
            counts[found.sureness] += 1
            marked += [found] if found.is_sure else []
    print(
        f"noise: {len(sentences)} sentences, {counts.total()} pairs of neighbours, "
        f"{time.process_time() - began:.0f} s"
    )
    print(
        f"noise: sure {counts[SURE]}, unsure {counts[UNSURE]} "
        f"({counts[UNSURE] / max(1, counts.total()):.3f})"
    )
    for found in marked[:shown]:
        print(f"  {found.claim}\n    ← {found.by}   {found.spoke_for}")


def _read_sentences(path: Path) -> Iterator[str]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in raw.decode("utf-8").split("\n"):
        if not line.strip():
            continue
        turns = (
            json.loads(line)["turns"] if line.startswith("{") else [{"role": "user", "text": line}]
        )
        for turn in turns:
            if turn["role"] != "user":
                continue
            for sentence in re.split(r"(?<=[.!?])\s+|\n", turn["text"]):
                if len(sentence) in _CHARS and not sentence.endswith("?"):
                    yield sentence.strip()


def _embed_turns(turns: list[str], models: Path) -> np.ndarray:
    from gieok.models.local.runtime import E5Embedder

    embedder = E5Embedder(models)
    vectors: list[bytes] = []
    for start in range(0, len(turns), _BATCH):
        batch = turns[start : start + _BATCH]
        vectors += embedder.embed_passages([text_to_embed(f"User: {turn}") for turn in batch])
    return np.array([np.frombuffer(vector, "<f4") for vector in vectors])


def _embed(sentences: list[str], models: Path) -> np.ndarray:
    centred = _embed_turns(sentences, models)
    centred -= centred.mean(axis=0)
    lengths: np.ndarray = np.linalg.norm(centred, axis=1, keepdims=True)
    scaled: np.ndarray = centred / lengths
    return scaled


def _find_neighbours(vectors: np.ndarray) -> Iterator[list[int]]:
    for place, vector in enumerate(vectors):
        cosines = vectors @ vector
        cosines[place] = -1
        nearest = np.argsort(-cosines)[:_NEIGHBOURS]
        yield [int(one) for one in nearest if cosines[one] >= _LEAST_COSINE]


def measure_told(path: Path, models: Path) -> None:
    """Print what is marked and what is shown beside the statements of a file's rows."""
    from gieok.models.local.reader import LocalReader
    from gieok.models.local.runtime import E5Embedder

    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    told = [(number, "first", _read_first(row)) for number, row in enumerate(rows)]
    for number, row in enumerate(rows):
        told += [(number, kind, text) for kind, text in _list_later(row)]
    judge = PairJudge(LocalReader(models), E5Embedder(models))
    counts: Counter[tuple[str, str]] = Counter()
    wrong: set[int] = set()
    with TemporaryDirectory() as folder:
        memory = _ToldMemory(Path(folder), [text for _, _, text in told], models)
        for place in range(len(rows), len(told)):
            number, kind, later = told[place]
            first = told[number][2]
            is_marked = judge.review(relation(first, later), first, later).is_sure
            beside = {told[near][0] for near in _list_beside(judge, memory, place, len(rows))}
            counts[kind, "all"] += 1
            counts[kind, "marked"] += is_marked
            counts[kind, "beside"] += number in beside
            counts[kind, "either"] += is_marked or number in beside
            counts[kind, "others"] += len(beside - {number})
            wrong |= beside - {number}
    print(f"{path.name}: {len(rows)} statements, {len(wrong)} with a later one of another row")
    for kind in dict.fromkeys(kind for kind, _ in counts):
        shares = ", ".join(
            f"{what} {counts[kind, what]}" for what in ("marked", "beside", "either")
        )
        print(
            f"  {kind:<20} {counts[kind, 'all']:>4}: {shares}; of other rows {counts[kind, 'others']}"
        )


def measure_parts(path: Path, models: Path) -> None:
    """Print how often what is marked, or shown as perhaps changed, reaches over what still holds."""
    from gieok.models.local.reader import LocalReader
    from gieok.models.local.runtime import E5Embedder

    reader, embedder = LocalReader(models), E5Embedder(models)
    counts: Counter[tuple[str, str, str]] = Counter()
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    for row in rows:
        judge, first, later = PairJudge(reader, embedder), row["first"], row["later"]
        found: Relation | None = judge.review(relation(first, later), first, later)
        how = "marked"
        if found is None or not found.is_sure:
            found, how = judge.find_likely_change(first, later, is_ahead=True), "beside"
        counts[row["hand"], row["kind"], "all"] += 1
        if found is None:
            continue
        counts[row["hand"], row["kind"], how] += 1
        counts[row["hand"], row["kind"], f"{how} with what holds"] += any(
            words in found.claim for words in row["holds"]
        )
    for hand, kind in dict.fromkeys((row["hand"], row["kind"]) for row in rows):
        shares = ", ".join(
            f"{how} {counts[hand, kind, how]} ({counts[hand, kind, f'{how} with what holds']} with "
            "what holds)"
            for how in ("marked", "beside")
        )
        print(f"hand {hand}, {kind:<5} {counts[hand, kind, 'all']:>3}: {shares}")


class _ToldMemory:
    """Memory in which each text is a turn of a user, said a day after the one before."""

    def __init__(self, folder: Path, told: Sequence[str], models: Path) -> None:
        self.told = told
        self._store = SqliteStore(folder / "told.db")
        self._store.put([_build_turn(place, text) for place, text in enumerate(told)])
        embedded = _embed_turns(list(told), models).astype("<f4")
        self._store.use_model(CURRENT.model, embedded.shape[1])
        self._vectors = [vector.tobytes() for vector in embedded]
        place_of = {text_to_embed(f"User: {text}"): place for place, text in enumerate(told)}
        while missing := self._store.missing(_BATCH):
            self._store.put_vectors(
                CURRENT.model, {id_: self._vectors[place_of[text]] for id_, text in missing}
            )

    def list_near(self, judge: PairJudge, place: int) -> list[tuple[int, float]]:
        """Return the places of what was said before, nearest first, as the product ranks them."""
        near = rank_near_passages(
            self._store,
            _MEMORY,
            self.told[place],
            build_near_query(judge, self.told[place], self._vectors[place], CURRENT.model),
            Filter(until=_DAY_0 + place * _A_DAY),
            _NEIGHBOURS,
        )
        ids = sorted(id_ for id_, _ in near)
        key_of = {passage.id: passage.key for passage in self._store.passages(ids, _MEMORY)}
        return [(int(key_of[id_]), score) for id_, score in near]


def _build_turn(place: int, text: str) -> Entry:
    line, said_at = f"User: {text}", _DAY_0 + place * _A_DAY
    document = Document(
        scope=_MEMORY,
        key=str(place),
        kind=turns.KIND,
        text=line,
        content_hash=str(place),
        created_at=said_at,
        updated_at=said_at,
        valid_from=said_at,
    )
    return Entry(document, (Passage(0, len(line), 1, 1 + line.count("\n")),))


def _read_first(row: dict[str, Any]) -> str:
    return str(row.get("memory") or row["earlier"])


def _list_later(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the later statements of a row, each with what it is."""
    for kind in _LATER:
        value = row.get(kind) or []
        if isinstance(value, dict):
            yield f"{kind}, {value.get('how', '')}".rstrip(", "), value["text"]
        elif isinstance(value, str):
            yield kind, value
        else:
            yield from ((kind, text) for text in value)


def _list_beside(judge: PairJudge, memory: _ToldMemory, place: int, firsts: int) -> Iterator[int]:
    """Yield the first statements that the statement at `place` is shown before."""
    later = memory.told[place]
    if _asks_only(later):
        return
    rivals = [
        (near, score)
        for near, score in memory.list_near(judge, place)
        if not _asks_only(memory.told[near]) and not is_same_claim(memory.told[near], later)
    ]
    is_ahead = find_lead([score for _, score in rivals])
    for rank, (near, _) in enumerate(rivals[:EARLIER_READ]):
        by_lead = is_ahead and rank == 0
        if near < firsts and judge.find_likely_change(memory.told[near], later, is_ahead=by_lead):
            yield near


@cache
def _asks_only(text: str) -> bool:
    return all(sentence.has_mood("question") for sentence in read_sentences(text))


def main() -> None:
    """Measure what the arguments name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--noise", type=Path)
    parser.add_argument("--told", type=Path, nargs="+", default=())
    parser.add_argument("--parts", type=Path)
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.data:
        measure_pairs(arguments.data)
    for path in arguments.told:
        measure_told(path, arguments.models)
    if arguments.parts:
        measure_parts(arguments.parts, arguments.models)
    if arguments.noise:
        measure_noise(arguments.noise, arguments.models, arguments.show)


if __name__ == "__main__":
    main()
