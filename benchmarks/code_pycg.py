"""PyCG's micro-benchmark for benchmarks/code.py: `DIR/pycg/snippets/CATEGORY/CASE`."""

import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from code_index import SURE, Pairs, called_name, mean_of, sites_by_name
from gieok.code.index import graph, read
from gieok.code.index.graph import CALLS
from gieok.machine.parsers.treesitter import TreeSitterParser


def cases_of(snippets: Path) -> list[Path]:
    """Return the folders CATEGORY/CASE that hold a truth."""
    return sorted(truth.parent for truth in snippets.glob("*/*/callgraph.json"))


def dotted(key: str) -> str:
    """Return the name that PyCG gives a body of code: `pkg/__init__.py::C.m` is `pkg.C.m`, a module
    itself `pkg`.
    """
    path, _, qualified = key.partition("::")
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return module if qualified == "<module>" else f"{module}.{qualified}"


def case_edges(case: Path, place: Callable[[str], str]) -> tuple[Pairs, set[str]]:
    """Return the sure call edges of a case as PyCG names them, and everything that is defined in
    it.
    """
    parser = TreeSitterParser()
    paths = sorted(path.relative_to(case).as_posix() for path in case.rglob("*.py"))
    sources = [
        read.read_source_file(path, "python", (case / path).read_text(encoding="utf-8"), parser)
        for path in paths
    ]
    built = graph.build([(s.path, s.facts) for s in sources], place)
    calls = {
        (dotted(e.source), dotted(e.target))
        for e in built.edges
        if e.kind == CALLS and e.tier <= SURE
    }
    return calls, {dotted(symbol.key) for source in sources for symbol in source.symbols}


def case_truth(case: Path, defined: set[str]) -> Pairs:
    """Return a case's edges between what is defined in it; a class stands for its `__init__`."""
    truth: dict[str, list[str]] = json.loads((case / "callgraph.json").read_text(encoding="utf-8"))
    known = {
        name: f"{name}.__init__" if f"{name}.__init__" in defined else name for name in defined
    }
    return {
        (a, known[b]) for a, callees in truth.items() for b in callees if a in known and b in known
    }


def folded(pairs: Pairs) -> Pairs:
    """Return edges of functions without a name as those of the function around, as Gieok shows
    them.
    """
    places = {
        (a, b): (graph.fold_lambda_key(f"::{a}")[2:], graph.fold_lambda_key(f"::{b}")[2:])
        for a, b in pairs
    }
    return {place for (_, b), place in places.items() if "<lambda" not in b or place[0] != place[1]}


def pycg_of(data: Path) -> dict[str, dict[str, float]]:
    """Score PyCG's cases: with functions without a name apart, as its truth has them, and folded in
    both.
    """
    started = time.process_time()
    counts: dict[str, list[tuple[Pairs, Pairs, Pairs]]] = defaultdict(list)
    for case in cases_of(data / "pycg" / "snippets"):
        predicted, defined = case_edges(case, lambda key: key)
        truth = case_truth(case, defined)
        paths = [path.relative_to(case).as_posix() for path in case.rglob("*.py")]
        sites = {(dotted(caller), name) for caller, name in sites_by_name(case, paths)}
        named = {(a, b) for a, b in truth if (a, called_name(f"::{b}")) in sites}
        names = {(a, b) for a, name in sites for b in defined if name == called_name(f"::{b}")}
        counts["gieok"].append((predicted, truth, named))
        counts["folded"].append((case_edges(case, graph.fold_lambda_key)[0], folded(truth), named))
        counts["names"].append((names, truth, named))
    results = {name: score_cases(cases) for name, cases in counts.items()}
    results["gieok"]["cpu_s"] = time.process_time() - started
    return results


def score_cases(cases: list[tuple[Pairs, Pairs, Pairs]]) -> dict[str, float]:
    """Return precision and recalls over (predicted, true, true and named at the call), summed, and
    how many are exact.
    """
    edges, wanted, named = (sum(len(case[part]) for case in cases) for part in range(3))
    hits = sum(len(predicted & true) for predicted, true, _ in cases)
    precision, recall = hits / max(edges, 1), hits / max(wanted, 1)
    return {
        "precision": precision,
        "recall_named": sum(len(predicted & called) for predicted, _, called in cases)
        / max(named, 1),
        "recall_call": recall,
        "recall_all": recall,
        "f1": mean_of(precision, recall),
        "edges": edges,
        "cases": len(cases),
        "exact": sum(predicted == true for predicted, true, _ in cases),
    }
