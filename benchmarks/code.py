"""How good project intelligence is, on truth that was made by running tests: call edges, impact,
search, and speed.

    python benchmarks/code.py graph|impact|search|speed --data DIR [--project P …] [--json]

`DIR/trees/P` holds the source of project P (a leading `src/` stripped), `DIR/callgraph_dyn/P.json`
the call edges seen while its own tests ran, `DIR/impact/P.json` the tests that executed each
function (code_trace.py makes both), `DIR/impact/cochange_P.json` commits that changed source and
tests together, `DIR/search/queries.jsonl` questions with the files that answer them,
`DIR/pycg/snippets/CATEGORY/CASE` PyCG's micro-benchmark (graph, by the name `pycg`), `DIR/jcg` and
`DIR/js-callgraph` small cases in other languages (graph; cases.py). Peers:

- names: an edge to every function of the called name (graph); import: the closure of imports
  (impact);
- jedi, where it is installed: what each call is inferred to be (graph).
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import cases
from code_graph import graph_of
from code_impact import impact_of
from code_pycg import pycg_of
from code_search import search_of
from code_speed import speed_of


def shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def flat(row: dict[str, Any], prefix: str = "") -> list[str]:
    parts: list[str] = []
    for key, value in row.items():
        parts += (
            flat(value, f"{prefix}{key} ")
            if isinstance(value, dict)
            else [f"{prefix}{key} {shown(value)}"]
        )
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("graph", "impact", "search", "speed"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--project", nargs="*", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--hybrid",
        action="store_true",
        help="search: with vectors too (embeds everything first); speed: vectors",
    )
    parser.add_argument(
        "--coverage",
        type=Path,
        help="impact: a data file of coverage.py with contexts, of one project",
    )
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    arguments = parser.parse_args()
    embedder = None
    if arguments.hybrid:
        from gieok.models.local.runtime import E5Embedder

        embedder = E5Embedder(arguments.models)
    parts: dict[str, Callable[[str], dict[str, Any]]] = {
        "impact": lambda name: impact_of(arguments.data, name, arguments.coverage),
        "graph": lambda name: (
            pycg_of(arguments.data) if name == _PYCG else graph_of(arguments.data, name)
        ),
        "search": lambda name: search_of(arguments.data, name, embedder),
        "speed": lambda name: speed_of(arguments.data, name, embedder),
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
    main()
