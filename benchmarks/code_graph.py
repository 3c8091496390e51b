"""Call edges of benchmarks/code.py, against those that were seen while a project's own tests ran.

Peers: names, an edge to every function of the called name; where they are installed, jedi, what
each call is inferred to be, and codegraph (code_peers.py).
"""

import ast
import contextlib
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import cases
from code_index import SURE, Pairs, called_name, calls_of, index, mean_of, sites_by_name
from code_peers import codegraph
from gieok.code.index.graph import CALLS
from gieok.storage.index.sqlite.graph import ProjectStore


def score_graph(predicted: Pairs, truth: dict[str, Any], tree: Path) -> dict[str, float]:
    """Return precision and recalls. An edge that was not seen is refuted where its caller and all
    calls that name it ran.
    """
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


def gieok_edges(store: ProjectStore) -> Pairs:
    return {(e.source, e.target) for e in store.all_edges() if e.kind == CALLS and e.tier <= SURE}


def name_edges(store: ProjectStore, tree: Path) -> Pairs:
    """Return an edge from every call to every function of the called name."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for symbol in store.all_symbols():
        if symbol.kind in ("function", "method"):
            by_name[called_name(symbol.key)].append(symbol.key)
    sites = sites_by_name(
        tree, [path for path, file in store.files().items() if file.language == "python"]
    )
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
        if peer := codegraph(tree, store.all_symbols()):
            results["codegraph"] = score_graph(peer.calls, truth, tree)
    return results
