"""Search of benchmarks/code.py: questions with the files that answer them. Peer: semble's keywords and ranking."""

import json
import math
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from code_index import index
from code_peers import semble
from gieok.capabilities.code.ask import query
from gieok.capabilities.code.index.project import Project


def ndcg(ranked: list[str], relevant: set[str], depth: int = 10) -> float:
    gain = sum(1 / math.log2(place + 2) for place, path in enumerate(ranked[:depth]) if path in relevant)
    best = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), depth)))
    return gain / best if best else 0.0


def search_of(data: Path, name: str, embedder: Any) -> dict[str, Any]:
    roots = json.loads((data / "search" / "repos.json").read_text(encoding="utf-8"))
    lines = (data / "search" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for q in map(json.loads, lines) if q["repo"] == name]
    base = roots[name].get("benchmark_root") or ""
    tree = data / "trees" / name / base
    scores: dict[str, list[float]] = defaultdict(list)
    peer = semble(tree)
    by_peer: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        indexed = index(tree, folder)
        if embedder is not None:
            from gieok.engine.lifecycle import fill_vectors

            fill_vectors(indexed.store, embedder)
        for question in questions:
            relevant = {label["path"] for label in question["relevant"] + question["secondary"]}
            relevant = {path for path in relevant if (data / "trees" / name / path).exists()}
            if not relevant:
                continue
            found = query.search(indexed, embedder, question["query"], 60, expand=False)
            ranked = list(dict.fromkeys(f"{base}/{a.symbol.path}" if base else a.symbol.path for a in found.answers))
            for key in ("all", question["category"]):
                scores[key].append(ndcg(ranked, relevant))
            if peer is not None:
                files = peer(question["query"])
                by_peer.append(ndcg([f"{base}/{path}" if base else path for path in files], relevant))
        latencies = sorted(warm_ms(indexed, embedder, question["query"]) for question in questions)
    result: dict[str, Any] = {f"ndcg@10 {key}": sum(v) / len(v) for key, v in sorted(scores.items())}
    result |= {
        "queries": len(scores["all"]),
        "warm_p95_ms": latencies[math.ceil(0.95 * len(latencies)) - 1],
    }
    return {"gieok": result} | ({"semble": {"ndcg@10 all": sum(by_peer) / len(by_peer)}} if by_peer else {})


def warm_ms(indexed: Project, embedder: Any, text: str) -> float:
    """Return the CPU time of a question, as it is asked by default, that was asked before."""
    started = time.process_time()
    query.search(indexed, embedder, text, 10)
    return 1000 * (time.process_time() - started)
