"""Impact of benchmarks/code.py, against which tests executed each function: what `gieok code
impact` lists by default.

Of the tests to run (`Impact.run`): precision of the first ten (`p@10`), whether one of the first
ten ran it (`hit@10`), precision and recall of all of them with their harmonic mean (`symbol`), the
median share of all tests that they are, how far chances are from what happened (`calibration`, mean
distance over ten ranges). `guaranteed`: the tests' files with those that only import. Floors in the
same run:

- tiers: every test with a way to the function whose edges are sure, by distance, as it was ranked
  before chances were;
- import: the closure of imports.
"""

import json
import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from code_index import SURE, index, mean_of
from gieok.code.ask import analysis, coverage, coverage_runs, impact
from gieok.code.index.graph import IMPORTS
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.machine.coverage_file import CoverageFile
from gieok.model.code import Edge, Symbol

_RANGES = 10


class Listed(NamedTuple):
    """The tests that were listed for a function, likeliest first, those to run first; and those
    that ran it.
    """

    ranked: Sequence[str]
    run: int
    true: set[str]


def score_sets(pairs: Iterable[tuple[set[Any], set[Any]]]) -> dict[str, float]:
    """Return mean precision and recall of (predicted, true) sets, and their harmonic mean."""
    precisions, recalls = [], []
    for predicted, true in pairs:
        hit = len(predicted & true)
        precisions.append(hit / len(predicted) if predicted else 0.0)
        recalls.append(hit / len(true) if true else 1.0)
    precision, recall = (sum(values) / max(len(values), 1) for values in (precisions, recalls))
    return {"precision": precision, "recall": recall, "f1": mean_of(precision, recall)}


def score_lists(lists: Sequence[Listed], tests: int) -> dict[str, Any]:
    """Return the figures of default lists, means over functions but for the share of tests."""
    tens = [[test in one.true for test in one.ranked[: min(10, one.run)]] for one in lists]
    return {
        "p@10": statistics.fmean(sum(ten) / len(ten) if ten else 0.0 for ten in tens),
        "hit@10": statistics.fmean(not one.true.isdisjoint(one.ranked[:10]) for one in lists),
        "symbol": score_sets((set(one.ranked[: one.run]), one.true) for one in lists),
        "median_share": statistics.median(one.run / tests for one in lists),
    }


def calibration(judged: Sequence[tuple[float, bool]]) -> float:
    """Return the mean distance between what was expected and what happened, over ranges of chances,
    by how many are in each.
    """
    ranges: dict[int, list[tuple[float, bool]]] = {}
    for chance, ran in judged:
        ranges.setdefault(min(int(chance * _RANGES), _RANGES - 1), []).append((chance, ran))
    return sum(abs(sum(c - r for c, r in rows)) for rows in ranges.values()) / max(len(judged), 1)


def by_tiers(edges: Mapping[str, Sequence[Edge]], key: str) -> list[str]:
    """Return what reaches a symbol by sure edges, nearest first."""
    found, frontier = {key: None}, [key]
    while frontier:
        near = sorted(
            {
                e.source
                for at in frontier
                for e in edges.get(at, ())
                if e.tier <= SURE and e.kind != IMPORTS
            }
        )
        frontier = [source for source in near if source not in found]
        found |= dict.fromkeys(frontier)
    return [one for one in found if one != key]


def default_lists(
    indexed: Project, truth: dict[str, Any]
) -> tuple[list[Listed], list[tuple[float, bool]], list[Any]]:
    """Return for every function that ran what is listed, the chances of what was judged, and test
    files with the true ones.
    """
    tests: list[str] = truth["tests"]
    known, symbols = set(tests), {s.key: s for s in indexed.store.all_symbols()}
    lists, judged, files = [], [], []
    for key, numbers in truth["impact"].items():
        true = {tests[number] for number in numbers}
        found = impact_of_symbol(indexed, symbols.get(key))
        rows = [one for one in found.tests if one.key in known]
        run = sum(one.key in known for one in found.tests[: found.run])
        lists.append(Listed([one.key for one in rows], run, true))
        judged += [(one.chance, one.key in true) for one in rows]
        path = key.partition("::")[0]
        whole = (
            found if key in symbols else impact_of_symbol(indexed, symbols.get(f"{path}::<module>"))
        )
        listed = {file.path for file in whole.test_files} | {path}
        wanted = {test.partition("::")[0] for test in true}
        files.append(({test.partition("::")[0] for test in tests} & listed, wanted))
    return lists, judged, files


def impact_of_symbol(indexed: Project, symbol: Symbol | None) -> impact.Impact:
    """Return the impact of a function; of one that is not indexed there is none."""
    return analysis.impact_of(indexed, [symbol])[0] if symbol else impact.Impact((), (), (), (), ())


def score_coverage(indexed: Project, file: Path, truth: dict[str, Any]) -> dict[str, Any]:
    """Return how impact does once a run under coverage was taken in. Its functions and those of the
    truth are much the same.
    """
    learned = coverage.learn(indexed, CoverageFile(file))
    coverage_runs.store_test_executions(indexed, learned)
    lists, _, _ = default_lists(indexed, truth)
    return {"pairs": len(learned.executions), **score_lists(lists, len(truth["tests"]))}


def floors(indexed: Project, truth: dict[str, Any]) -> dict[str, Any]:
    """Return what the tiers and the closure of imports make of it."""
    tests: list[str] = truth["tests"]
    edges: dict[str, list[Edge]] = {}
    for edge in indexed.store.all_edges():
        edges.setdefault(edge.target, []).append(edge)
    network, paths = impact.Network(indexed.store.all_edges(IMPORTS)), list(indexed.store.files())
    known, tiers, imports = set(tests), [], []
    for key, numbers in truth["impact"].items():
        true, path = {tests[number] for number in numbers}, key.partition("::")[0]
        ranked = [one for one in by_tiers(edges, key) if one in known]
        importing = impact.importers(network, [path], paths)
        closure = [test for test in tests if test.partition("::")[0] in importing]
        tiers.append(Listed(ranked, len(ranked), true))
        imports.append(Listed(closure, len(closure), true))
    return {"tiers": score_lists(tiers, len(tests)), "import": score_lists(imports, len(tests))}


def impact_of(data: Path, name: str, run: Path | None) -> dict[str, Any]:
    truth = json.loads((data / "impact" / f"{name}.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        indexed = index(data / "trees" / name, folder)
        lists, judged, files = default_lists(indexed, truth)
        results: dict[str, Any] = {
            "gieok": {
                **score_lists(lists, len(truth["tests"])),
                "calibration": calibration(judged),
                "guaranteed": score_sets(files),
            },
            **floors(indexed, truth),
        }
        if run is not None:
            results["coverage"] = score_coverage(indexed, run, truth)
        cochange = data / "impact" / f"cochange_{name}.json"
        if cochange.exists():
            commits = json.loads(cochange.read_text(encoding="utf-8"))
            results["gieok"]["cochange"] = score_commits(commits, indexed)
    return results


def score_commits(commits: list[dict[str, Any]], indexed: Project) -> dict[str, float]:
    """Return how often one of the top 3 test files, or of those named after the source, was changed
    in the same commit.
    """
    known = set(indexed.store.files())
    hits = total = 0
    for commit in commits:
        changed = {p.removeprefix("src/") for p in commit["src"]} & known
        wanted = {p.removeprefix("src/") for p in commit["tests"]} & known
        if not changed or not wanted:
            continue
        total += 1
        result, _ = analysis.impact_of(indexed, indexed.store.symbols(paths=sorted(changed)))
        stems = {places.find_module_stem(path) for path in changed}
        named = {f.path for f in result.test_files if places.tested_stem(f.path) in stems}
        ranked = [f.path for f in result.test_files if f.path not in named][:3]
        hits += bool((named | set(ranked)) & wanted)
    return {"hit": hits / max(total, 1), "commits": total}
