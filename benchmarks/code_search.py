"""Search of benchmarks/code.py: questions with the files that answer them, and questions with the
symbols that do.

English: `DIR/search/queries.jsonl`, nDCG@10 of the files of the first ten answers. Korean:
`data/code/korean_*.tsv` beside this file (project, question, `path[::symbol]` that answer), the
share of questions with one among the first three. A developer's own words, half in Korean:
`data/code/own_words*.jsonl` (project, question, symbols that answer, and where their names are
ambiguous the files; no rule was found on those of the second file, and those of `own_words_hand`
were written by a hand that saw no code of ours: a question without symbols has no answer and does
not count), how early the first right one
comes and whether it is among the first five. `--hybrid`: without and with vectors.
Peer: semble's keywords and ranking.
"""

import json
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from code_index import index
from code_peers import semble
from gieok.code.ask import query
from gieok.code.index.embedding import PassageWording
from gieok.code.index.project import Project
from gieok.flow.lifecycle import fill_vectors

_KOREAN = tuple(sorted((Path(__file__).parent / "data" / "code").glob("korean_*.tsv")))
_OWN_WORDS = tuple(sorted((Path(__file__).parent / "data" / "code").glob("own_words*.jsonl")))
#: Answers of a question: as many as `code query` gives by itself.
_ANSWERS = 10
#: Question → files below the indexed folder, best first.
_Ranked = Callable[[str], list[str]]


def ndcg(ranked: list[str], relevant: set[str], depth: int = 10) -> float:
    gain = sum(
        1 / math.log2(place + 2) for place, path in enumerate(ranked[:depth]) if path in relevant
    )
    best = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), depth)))
    return gain / best if best else 0.0


def search_of(data: Path, name: str, embedder: Any) -> dict[str, Any]:
    """Return how good search is: without vectors, with them where there is an embedder, and semble
    where it is installed.
    """
    roots = json.loads((data / "search" / "repos.json").read_text(encoding="utf-8"))
    lines = (data / "search" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for q in map(json.loads, lines) if q["repo"] == name]
    tree, base = data / "trees" / name, roots.get(name, {}).get("benchmark_root") or ""
    with tempfile.TemporaryDirectory() as folder:
        indexed = index(tree / base, folder)
        results = {"gieok": _scores(indexed, None, tree, base, questions)}
        if embedder is not None:
            started = time.process_time()
            made = fill_vectors(indexed.store, embedder, form=PassageWording(indexed.store))
            speed = made / max(time.process_time() - started, 1e-9)
            results["vectors"] = {
                **_scores(indexed, embedder, tree, base, questions),
                "passages_per_cpu_s": speed,
            }
    if peer := semble(tree / base):
        results["semble"] = _files(peer, tree, base, questions)
    return results


def _scores(
    indexed: Project, embedder: Any, tree: Path, base: str, questions: list[dict[str, Any]]
) -> dict[str, Any]:
    def ranked(question: str) -> list[str]:
        found = query.search_symbols(indexed, embedder, question, _ANSWERS, expand=False)
        return list(dict.fromkeys(a.symbol.path for a in found.answers))

    result = _files(ranked, tree, base, questions)
    if latencies := sorted(warm_ms(indexed, embedder, question["query"]) for question in questions):
        result["warm_p95_ms"] = latencies[math.ceil(0.95 * len(latencies)) - 1]
    for file in _KOREAN:
        hits = [_is_hit(indexed, embedder, base, *row) for row in korean(file, tree.name)]
        if hits:
            result |= {
                f"hit@3 {file.stem}": sum(hits) / len(hits),
                f"{file.stem} questions": len(hits),
            }
    return result | _own_words(indexed, embedder, tree.name)


def _files(
    ranked: _Ranked, tree: Path, base: str, questions: list[dict[str, Any]]
) -> dict[str, Any]:
    scores: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        relevant = {label["path"] for label in question["relevant"] + question["secondary"]}
        relevant = {path for path in relevant if (tree / path).exists()}
        if relevant:
            files = [f"{base}/{path}" if base else path for path in ranked(question["query"])]
            for key in ("all", question["category"]):
                scores[key].append(ndcg(files, relevant))
    result: dict[str, Any] = {
        f"ndcg@10 {key}": sum(v) / len(v) for key, v in sorted(scores.items())
    }
    return {**result, "queries": len(scores["all"])}


def _own_words(indexed: Project, embedder: Any, name: str) -> dict[str, float]:
    """Return how good search is on the questions in a developer's own words on a project."""
    lines = (line for file in _OWN_WORDS for line in file.read_text(encoding="utf-8").splitlines())
    rows = [json.loads(line) for line in lines]
    places = [
        _first_place(indexed, embedder, row)
        for row in rows
        if row["symbols"] and row["project"] == name
    ]
    if not places:
        return {}
    return {
        "ndcg@10 own words": sum(1 / math.log2(p + 1) for p in places if p) / len(places),
        "hit@5 own words": sum(0 < p <= 5 for p in places) / len(places),
        "own words questions": len(places),
    }


def _first_place(indexed: Project, embedder: Any, row: dict[str, Any]) -> int:
    """Return the place of the first right symbol, from 1 on; 0 where there is none."""
    found = query.search_symbols(indexed, embedder, row["question"], _ANSWERS)
    for place, answer in enumerate(found.answers, 1):
        is_there = not row["files"] or answer.symbol.path in row["files"]
        if is_there and any(
            f".{answer.symbol.qualified}".endswith(f".{symbol}") for symbol in row["symbols"]
        ):
            return place
    return 0


def korean(file: Path, name: str) -> list[tuple[str, list[str]]]:
    """Return the Korean questions on a project, each with what answers it."""
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    return [(question, gold.split()) for project, question, gold in rows if project == name]


def _is_hit(indexed: Project, embedder: Any, base: str, question: str, gold: list[str]) -> bool:
    for answer in query.search_symbols(indexed, embedder, question, 8).answers[:3]:
        path = f"{base}/{answer.symbol.path}" if base else answer.symbol.path
        symbol = f"{path}::{answer.symbol.key.partition('::')[2]}"
        if any(one in (path, symbol) or symbol.startswith(f"{one}.") for one in gold):
            return True
    return False


def warm_ms(indexed: Project, embedder: Any, text: str) -> float:
    """Return the CPU time of a question, as it is asked by default, that was asked before."""
    started = time.process_time()
    query.search_symbols(indexed, embedder, text, 10)
    return 1000 * (time.process_time() - started)
