"""Make truth of a Go project's calls for benchmarks/code.py: the call graph that golang.org/x/tools
finds, with types.

    cd DIR/trees/P; callgraph -test -algo=cha -format '{{.Caller}}|{{.Dynamic}}|{{.Callee}}' ./... >
    P.txt python benchmarks/code_calls_go.py DIR/trees/P P.txt DIR/callgraph_go/P.json

CHA is sound: a call by type has its one target, one through an interface or a variable every target
whose type fits. So what is not in it is wrong. Flags: n where the target is known by type, c where
it is chosen at run time: of these most never happen, and no resolver is meant to find all
(`recall_call` says little). Wrappers that the compiler makes are seen through; a function without a
name is the one around it; what stands in no symbol of the project is left out.
"""

import argparse
import json
import re
import tempfile
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

from code_index import index

_METHOD = re.compile(r"^\(\*?(.+)\.(\w+)\)\.(\w+)$")
_MADE = re.compile(r"\$(?:bound|thunk)$")
_CALLED = re.compile(r"(\w+)\(")
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


def named(text: str, module: str) -> tuple[str, str] | None:
    """Return folder and qualified name of a function of the project: `(*shop/pay.Till).Open$1` is
    ("pay", "Till.Open").
    """
    text = re.sub(r"(\$\d+)+$", "", _MADE.sub("", text)).replace("[", " [").split(" ")[0]
    method = _METHOD.match(text)
    package, _, name = (
        (method[1], "", f"{method[2]}.{method[3]}") if method else text.rpartition(".")
    )
    package = package.removesuffix("_test") if package.endswith("_test") else package
    if package != module and not package.startswith(f"{module}/"):
        return None
    return package[len(module) + 1 :], name.partition("$")[0].partition("#")[0]


def collect(tree: Path, graph: str) -> dict[str, Any]:
    """Return the truth in the form of code_trace_js.py."""
    found = _MODULE.search((tree / "go.mod").read_text(encoding="utf-8"))
    module = found[1] if found else ""
    keys: dict[tuple[str, str], list[str]] = defaultdict(list)
    called: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for symbol in index(tree, folder).store.all_symbols():
            path, _, qualified = symbol.key.partition("::")
            if symbol.kind in ("function", "method"):
                keys[path.rpartition("/")[0], qualified].append(symbol.key)
                lines = (tree / path).read_text(encoding="utf-8", errors="replace").split("\n")
                called[symbol.key] = set(
                    _CALLED.findall("\n".join(lines[symbol.start_line : symbol.end_line]))
                )
    made: dict[str, set[tuple[str, str]]] = defaultdict(set)
    flags: dict[tuple[str, str], str] = {}
    for line in graph.splitlines():
        caller, dynamic, callee = line.split("|")
        pair = (caller, callee)
        made[caller].add(pair)
        flags[pair] = "n" if dynamic == "static" else flags.get(pair, "c")
    edges: dict[tuple[str, str], str] = {}

    def of(name: str) -> list[str]:
        return keys.get(named(name, module) or ("", ""), [])

    for (caller, callee), flag in flags.items():
        for target in [b for _, b in made[callee]] if _MADE.search(callee) else [callee]:
            for own, other in product([] if _MADE.search(caller) else of(caller), of(target)):
                edges[own, other] = "n" if flag == "n" else edges.get((own, other), "c")
    executed = sorted({key for caller, _ in flags for key in of(caller)})
    return {
        "edges": [[a, b, flag] for (a, b), flag in sorted(edges.items()) if a != b or flag == "n"],
        "indirect": [],
        "executed": executed,
        "sites": {f"{key} {name}": True for key in executed for name in sorted(called[key])},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("graph", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    truth = collect(arguments.tree, arguments.graph.read_text(encoding="utf-8"))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(truth), encoding="utf-8")
    print(f"{arguments.out}: {len(truth['edges'])} edges, {len(truth['executed'])} functions")


if __name__ == "__main__":
    main()
