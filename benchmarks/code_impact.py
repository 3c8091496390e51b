"""Impact of benchmarks/code.py, against which tests executed each function. Peer: import, the closure of imports."""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from code_index import SURE, index, mean_of
from gieok.backends.coverage_file import CoverageFile
from gieok.capabilities.code.ask import coverage, executed, impact
from gieok.capabilities.code.index.graph import Certainty
from gieok.capabilities.code.index.project import Project, ProjectStore


def score_sets(pairs: Iterable[tuple[set[Any], set[Any]]]) -> dict[str, float]:
    """Return mean precision and recall of (predicted, true) sets, and their harmonic mean."""
    precisions, recalls = [], []
    for predicted, true in pairs:
        hit = len(predicted & true)
        precisions.append(hit / len(predicted) if predicted else 0.0)
        recalls.append(hit / len(true) if true else 1.0)
    precision, recall = (sum(values) / max(len(values), 1) for values in (precisions, recalls))
    return {"precision": precision, "recall": recall, "f1": mean_of(precision, recall)}


def score_coverage(indexed: Project, file: Path, truth: dict[str, Any]) -> dict[str, Any]:
    """Return how impact does once a run under coverage was taken in. Its functions and those of the truth are much the same."""
    learned = coverage.learn(indexed, CoverageFile(file))
    executed.keep(indexed, learned)
    store, tests = indexed.store, truth["tests"]
    symbols = {s.key: s for s in store.all_symbols()}
    edges = executed.ObservedTests(store)
    observed: list[tuple[set[str], set[str]]] = []
    sure: list[tuple[set[str], set[str]]] = []
    for key, numbers in truth["impact"].items():
        true = {tests[number] for number in numbers}
        found = {k: r for k, r in impact.reach(edges, [key]).items() if k in symbols}
        found |= executed.doubted(store, [key], found, symbols)
        ran = {r.key for r in found.values() if r.tier == Certainty.OBSERVED}
        observed.append((ran & set(tests), true))
        sure.append(({r.key for r in found.values() if r.tier <= SURE} & set(tests), true))
    return {"pairs": len(learned.executions), "observed": score_sets(observed), "symbol": score_sets(sure)}


def impact_of(data: Path, name: str, run: Path | None) -> dict[str, Any]:
    truth = json.loads((data / "impact" / f"{name}.json").read_text(encoding="utf-8"))
    tests: list[str] = truth["tests"]
    with tempfile.TemporaryDirectory() as folder:
        indexed = index(data / "trees" / name, folder)
        store = indexed.store
        network = impact.Network(store.all_edges())
        paths = list(store.files())
        sure: list[tuple[set[str], set[str]]] = []
        files: list[tuple[set[str], set[str]]] = []
        closure: list[tuple[set[str], set[str]]] = []
        imported_tests: list[tuple[set[str], set[str]]] = []
        known = set(tests)
        for key, executed in truth["impact"].items():
            true = {tests[number] for number in executed}
            reached = {r.key for r in impact.reach(network, [key]).values() if r.tier <= SURE} | {key}
            path = key.partition("::")[0]
            importing = {path, *impact.importers(network, [path], paths)}
            true_files = {test.partition("::")[0] for test in true}
            sure.append((reached & known, true))
            files.append(({test.partition("::")[0] for test in reached & known}, true_files))
            closure.append((importing & {test.partition("::")[0] for test in tests}, true_files))
            imported_tests.append(({test for test in tests if test.partition("::")[0] in importing}, true))
        results: dict[str, Any] = {
            "gieok": {"symbol": score_sets(sure), "file": score_sets(files), "guaranteed": score_sets(closure)},
            "import": {"symbol": score_sets(imported_tests), "file": score_sets(closure)},
        }
        if run is not None:
            results["coverage"] = score_coverage(indexed, run, truth)
        cochange = data / "impact" / f"cochange_{name}.json"
        if cochange.exists():
            commits = json.loads(cochange.read_text(encoding="utf-8"))
            results["gieok"]["cochange"] = score_commits(commits, store, network, paths)
    return results


def score_commits(
    commits: list[dict[str, Any]], store: ProjectStore, network: impact.Network, paths: list[str]
) -> dict[str, float]:
    """Return how often one of the top 3 test files, or of those named after the source, was changed in the same commit."""
    known = set(paths)
    hits = total = 0
    for commit in commits:
        changed = {p.removeprefix("src/") for p in commit["src"]} & known
        wanted = {p.removeprefix("src/") for p in commit["tests"]} & known
        if not changed or not wanted:
            continue
        total += 1
        symbols = store.symbols(paths=sorted(changed))
        seeds = [symbol.key for symbol in symbols]
        found = impact.reach(network, seeds)
        imported = impact.importers(network, sorted(changed), paths)
        by_key = {s.key: s for s in store.symbols(keys=[*found], paths=impact.beside(sorted(changed), imported))}
        result = impact.summarise(seeds, found, imported, by_key, ())
        stems = {impact.places.stem(path) for path in changed}
        named = {f.path for f in result.test_files if impact.places.tested_stem(f.path) in stems}
        top = {f.path for f in result.test_files if f.path not in named}
        ranked = [f.path for f in result.test_files if f.path in top][:3]
        hits += bool((named | set(ranked)) & wanted)
    return {"hit": hits / max(total, 1), "commits": total}
