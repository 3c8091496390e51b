"""How good project intelligence is, on truth that was made by running tests: call edges, impact, search, and speed.

    python benchmarks/code.py graph|impact|search|speed --data DIR [--project P …] [--json]

`DIR/trees/P` holds the source of project P (a leading `src/` stripped), `DIR/callgraph_dyn/P.json` the call edges seen
while its own tests ran, `DIR/impact/P.json` the tests that executed each function (code_trace.py makes both),
`DIR/impact/cochange_P.json` commits that changed source and tests together, `DIR/search/queries.jsonl` questions with the
files that answer them, `DIR/pycg/snippets/CATEGORY/CASE` PyCG's micro-benchmark (graph, by the name `pycg`), `DIR/jcg` and
`DIR/js-callgraph` small cases in other languages (graph; cases.py). Peers:

- names: an edge to every function of the called name (graph); import: the closure of imports (impact);
- jedi, where it is installed: what each call is inferred to be (graph).
"""

import argparse
import ast
import contextlib
import json
import math
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from gieok.backends.coverage_file import CoverageFile
from gieok.backends.git import Git
from gieok.backends.parsers.treesitter import TreeSitterParser
from gieok.backends.stores.sqlite.graph import SqliteProjectStore
from gieok.capabilities.code.ask import coverage, executed, impact, query
from gieok.capabilities.code.index import graph, project, read, scan
from gieok.capabilities.code.index.graph import CALLS, Certainty
from gieok.capabilities.code.index.project import Project, ProjectStore
from gieok.capabilities.code.languages.table import LANGUAGES
from gieok.testing import ManualClock

sys.path.insert(0, str(Path(__file__).parent))
import cases

Pairs = set[tuple[str, str]]
_SURE = Certainty.UNIQUE_NAME


def index(tree: Path, folder: str) -> Project:
    """Index a project without embedding."""
    store = SqliteProjectStore(Path(folder) / "index.sqlite", resident=True)
    indexed = Project(tree, store, TreeSitterParser(), Git(Path(folder)), ManualClock())
    project.sync(indexed)
    return indexed


# Graph


def score_graph(predicted: Pairs, truth: dict[str, Any], tree: Path) -> dict[str, float]:
    """Return precision and recalls. An edge that was not seen is refuted where its caller and all calls that name it ran."""
    seen = {(a, b) for a, b, _ in truth["edges"]}
    allowed = seen | {(a, b) for a, b in truth["indirect"]}
    executed, ran = set(truth["executed"]), {tuple(site) for site in truth["executed_sites"]}
    naming = sites_by_name(tree, {key.partition("::")[0] for key in executed})
    confirmed = refuted = 0
    for caller, callee in predicted:
        if (caller, callee) in allowed:
            confirmed += 1
        elif caller in executed:
            sites = naming.get((caller, called_name(callee)), [])
            refuted += bool(sites) and all((caller, *site) in ran for site in sites)
    recalls = {}
    for name, flags in (("recall_named", "n"), ("recall_call", "nc"), ("recall_all", "ncd")):
        wanted = {(a, b) for a, b, flag in truth["edges"] if set(flag) & set(flags)}
        recalls[name] = len(wanted & predicted) / max(len(wanted), 1)
    precision = confirmed / max(confirmed + refuted, 1)
    return {
        "precision": precision,
        **recalls,
        "f1": mean_of(precision, recalls["recall_call"]),
        "edges": len(predicted),
    }


def mean_of(a: float, b: float) -> float:
    """Return the harmonic mean."""
    return 2 * a * b / (a + b) if a + b else 0.0


def called_name(key: str) -> str:
    """Return the name by which a function is called: a class's for its constructor."""
    parts = key.partition("::")[2].split(".")
    return parts[-2] if parts[-1] in ("__init__", "__new__") and len(parts) > 1 else parts[-1]


def sites_by_name(tree: Path, paths: Iterable[str]) -> dict[tuple[str, str], list[tuple[int, int, int, int]]]:
    """Return (caller, called name) → positions of the calls, by the standard library's parser."""
    found: dict[tuple[str, str], list[tuple[int, int, int, int]]] = defaultdict(list)
    for path in paths:
        try:
            root = ast.parse((tree / path).read_text(encoding="utf-8", errors="replace"))
        except (OSError, SyntaxError, ValueError):
            continue
        for caller, node in calls_of(root, path):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            place = (node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0)
            found[caller, name].append(place)
    return found


def calls_of(root: ast.Module, path: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a module with the key of the function or class they stand in."""
    stack: list[tuple[ast.AST, str, str]] = [(root, f"{path}::<module>", "")]
    while stack:
        node, key, prefix = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield key, child
            if isinstance(child, ast.ClassDef):
                heads = [*child.decorator_list, *child.bases, *(k.value for k in child.keywords)]
                stack += [(ast.Expr(value=head), key, prefix) for head in heads]
                stack.append((ast.Module(body=child.body), f"{path}::{prefix}{child.name}", f"{prefix}{child.name}."))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                stack += [(ast.Expr(value=d), key, prefix) for d in child.decorator_list]
                stack.append((child, f"{path}::{prefix}{child.name}", f"{prefix}{child.name}."))
            else:
                stack.append((child, key, prefix))


def gieok_edges(store: ProjectStore) -> Pairs:
    return {(e.source, e.target) for e in store.all_edges() if e.kind == CALLS and e.tier <= _SURE}


def name_edges(store: ProjectStore, tree: Path) -> Pairs:
    """Return an edge from every call to every function of the called name."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for symbol in store.all_symbols():
        if symbol.kind in ("function", "method"):
            by_name[called_name(symbol.key)].append(symbol.key)
    sites = sites_by_name(tree, [path for path, file in store.files().items() if file.language == "python"])
    return {(caller, key) for caller, name in sites for key in by_name.get(name, ())}


def jedi_edges(store: ProjectStore, tree: Path) -> Pairs:
    """Return what jedi infers for every call. Raises ImportError where it is not installed."""
    import jedi

    environment = jedi.Project(tree)
    pairs: Pairs = set()
    for path in [path for path, file in store.files().items() if file.language == "python"]:
        text = (tree / path).read_text(encoding="utf-8", errors="replace")
        script = jedi.Script(text, path=tree / path, project=environment)
        for caller, node in calls_of(ast.parse(text), path):
            line, column = node.func.end_lineno or 0, (node.func.end_col_offset or 1) - 1
            for name in script.infer(line, column):
                pairs |= {(caller, key) for key in keys_of_jedi(name, tree)}
    return pairs


def keys_of_jedi(name: Any, tree: Path) -> list[str]:
    if name.module_path is None or tree not in name.module_path.parents:
        return []
    parts = [name.name]
    parent = name.parent()
    while parent is not None and parent.type in ("class", "function"):
        parts.insert(0, parent.name)
        parent = parent.parent()
    key = f"{name.module_path.relative_to(tree).as_posix()}::{'.'.join(parts)}"
    return [f"{key}.__init__"] if name.type == "class" else [key]


def graph_of(data: Path, name: str) -> dict[str, dict[str, float]]:
    if name in cases.names(data):
        return cases.score(data, name, index)
    truth = json.loads((data / "callgraph_dyn" / f"{name}.json").read_text(encoding="utf-8"))
    tree = data / "trees" / name
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        store = index(tree, folder).store
        results = {"gieok": score_graph(gieok_edges(store), truth, tree)}
        results["gieok"]["cpu_s"] = time.process_time() - started
        results["names"] = score_graph(name_edges(store, tree), truth, tree)
        with contextlib.suppress(ImportError):
            results["jedi"] = score_graph(jedi_edges(store, tree), truth, tree)
    return results


# PyCG's micro-benchmark


def cases_of(snippets: Path) -> list[Path]:
    """Return the folders CATEGORY/CASE that hold a truth."""
    return sorted(truth.parent for truth in snippets.glob("*/*/callgraph.json"))


def dotted(key: str) -> str:
    """Return the name that PyCG gives a body of code: `pkg/__init__.py::C.m` is `pkg.C.m`, a module itself `pkg`."""
    path, _, qualified = key.partition("::")
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return module if qualified == "<module>" else f"{module}.{qualified}"


def case_edges(case: Path, place: Callable[[str], str]) -> tuple[Pairs, set[str]]:
    """Return the sure call edges of a case as PyCG names them, and everything that is defined in it."""
    parser = TreeSitterParser()
    paths = sorted(path.relative_to(case).as_posix() for path in case.rglob("*.py"))
    sources = [read.read(path, "python", (case / path).read_text(encoding="utf-8"), parser) for path in paths]
    built = graph.build([(s.path, s.facts) for s in sources], {s.path: s.symbols for s in sources}, place)
    calls = {(dotted(e.source), dotted(e.target)) for e in built.edges if e.kind == CALLS and e.tier <= _SURE}
    return calls, {dotted(symbol.key) for source in sources for symbol in source.symbols}


def case_truth(case: Path, defined: set[str]) -> Pairs:
    """Return a case's edges between what is defined in it; a class stands for its `__init__`."""
    truth: dict[str, list[str]] = json.loads((case / "callgraph.json").read_text(encoding="utf-8"))
    known = {name: f"{name}.__init__" if f"{name}.__init__" in defined else name for name in defined}
    return {(a, known[b]) for a, callees in truth.items() for b in callees if a in known and b in known}


def folded(pairs: Pairs) -> Pairs:
    """Return edges of functions without a name as those of the function around, as Gieok shows them."""
    places = {(a, b): (graph.fold(f"::{a}")[2:], graph.fold(f"::{b}")[2:]) for a, b in pairs}
    return {place for (_, b), place in places.items() if "<lambda" not in b or place[0] != place[1]}


def pycg_of(data: Path) -> dict[str, dict[str, float]]:
    """Score PyCG's cases: with functions without a name apart, as its truth has them, and folded in both."""
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
        counts["folded"].append((case_edges(case, graph.fold)[0], folded(truth), named))
        counts["names"].append((names, truth, named))
    results = {name: score_cases(cases) for name, cases in counts.items()}
    results["gieok"]["cpu_s"] = time.process_time() - started
    return results


def score_cases(cases: list[tuple[Pairs, Pairs, Pairs]]) -> dict[str, float]:
    """Return precision and recalls over (predicted, true, true and named at the call), summed, and how many are exact."""
    edges, wanted, named = (sum(len(case[part]) for case in cases) for part in range(3))
    hits = sum(len(predicted & true) for predicted, true, _ in cases)
    precision, recall = hits / max(edges, 1), hits / max(wanted, 1)
    return {
        "precision": precision,
        "recall_named": sum(len(predicted & called) for predicted, _, called in cases) / max(named, 1),
        "recall_call": recall,
        "recall_all": recall,
        "f1": mean_of(precision, recall),
        "edges": edges,
        "cases": len(cases),
        "exact": sum(predicted == true for predicted, true, _ in cases),
    }


# Impact


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
        sure.append(({r.key for r in found.values() if r.tier <= _SURE} & set(tests), true))
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
            reached = {r.key for r in impact.reach(network, [key]).values() if r.tier <= _SURE} | {key}
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


# Search


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
        latencies = sorted(warm_ms(indexed, embedder, question["query"]) for question in questions)
    result: dict[str, Any] = {f"ndcg@10 {key}": sum(v) / len(v) for key, v in sorted(scores.items())}
    result |= {
        "queries": len(scores["all"]),
        "warm_p95_ms": latencies[math.ceil(0.95 * len(latencies)) - 1],
    }
    return {"gieok": result}


def warm_ms(indexed: Project, embedder: Any, text: str) -> float:
    """Return the CPU time of a question, as it is asked by default, that was asked before."""
    started = time.process_time()
    query.search(indexed, embedder, text, 10)
    return 1000 * (time.process_time() - started)


# Speed


def speed_of(data: Path, name: str) -> dict[str, Any]:
    tree = data / "trees" / name
    parser = TreeSitterParser()
    candidates = [c for c in scan.scan(tree)[0] if LANGUAGES[c.language].grammar]
    sources = [(LANGUAGES[c.language].grammar, (tree / c.path).read_bytes()) for c in candidates]
    for grammar in {grammar for grammar, _ in sources}:
        parser.parse(grammar, b"")
    started = time.process_time()
    for grammar, source in sources:
        parser.parse(grammar, source)
    parse_s = time.process_time() - started
    lines = sum(source.count(b"\n") for _, source in sources)
    del sources
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        indexed = index(tree, folder)
        cpu_s = time.process_time() - before
        rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        before = time.process_time()
        project.sync(indexed)
        again_s = time.process_time() - before
    return {
        "gieok": {
            "cpu_s": cpu_s,
            "ratio": cpu_s / parse_s,
            "rss_mb": rss_mb,
            "nothing_changed_s": again_s,
            "lines": lines,
        },
        "parse": {"cpu_s": parse_s, "ratio": 1.0},
    }


def shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def flat(row: dict[str, Any], prefix: str = "") -> list[str]:
    parts: list[str] = []
    for key, value in row.items():
        parts += flat(value, f"{prefix}{key} ") if isinstance(value, dict) else [f"{prefix}{key} {shown(value)}"]
    return parts


_FOLDERS = {"graph": "callgraph_dyn", "impact": "impact"}
_PYCG = "pycg"


def names_of(data: Path, part: str) -> list[str]:
    if part in _FOLDERS:
        files = (data / _FOLDERS[part]).glob("*.json")
        names = [file.stem for file in files if not file.stem.startswith("cochange_")]
    elif part == "search":
        names = list(json.loads((data / "search" / "repos.json").read_text(encoding="utf-8")))
    else:
        names = [folder.name for folder in (data / "trees").iterdir()]
    names = [name for name in names if (data / "trees" / name).is_dir()]
    if part == "graph":
        names += [_PYCG] * (data / _PYCG / "snippets").is_dir() + cases.names(data)
    return sorted(names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("graph", "impact", "search", "speed"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--project", nargs="*", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--hybrid", action="store_true", help="search with vectors too (embeds everything first)")
    parser.add_argument(
        "--coverage", type=Path, help="impact: a data file of coverage.py with contexts, of one project"
    )
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    arguments = parser.parse_args()
    embedder = None
    if arguments.hybrid:
        from gieok.backends.embedders.e5.runtime import E5Embedder

        embedder = E5Embedder(arguments.models)
    parts: dict[str, Callable[[str], dict[str, Any]]] = {
        "impact": lambda name: impact_of(arguments.data, name, arguments.coverage),
        "graph": lambda name: pycg_of(arguments.data) if name == _PYCG else graph_of(arguments.data, name),
        "search": lambda name: search_of(arguments.data, name, embedder),
        "speed": lambda name: speed_of(arguments.data, name),
    }
    results = {}
    for name in arguments.project or names_of(arguments.data, arguments.part):
        results[name] = parts[arguments.part](name)
        if not arguments.json:
            for method, row in results[name].items():
                print(f"{name:14} {method:8}", "  ".join(flat(row)), flush=True)
    if arguments.json:
        print(json.dumps(results))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
