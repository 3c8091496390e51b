"""Peers of project intelligence for benchmarks/code.py, each where it is installed: codegraph and
semble.

    npm install @colbymchenry/codegraph     # then its `codegraph` on PATH, or named by the variable
    CODEGRAPH pip install semble                      # without its model, which it downloads:
    keywords and ranking

codegraph is read by the index that it writes: edges `calls` and `instantiates` are calls (a class
stands for its constructor). Its symbols are Gieok's by their file, their name and the line of their
head.
"""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from code_index import Pairs
from gieok.model.code import Symbol

_INDEX_S = 600
_CALLS = ("calls", "instantiates")
_CONSTRUCTORS = ("__init__", "__new__", "constructor")


class Peer:
    """The graph of a peer by Gieok's keys."""

    def __init__(self, edges: Iterable[tuple[str, str, str]]) -> None:
        self.calls: Pairs = {(source, target) for source, target, kind in edges if kind in _CALLS}


def codegraph(tree: Path, symbols: Iterable[Symbol]) -> Peer | None:
    """Return codegraph's graph of a tree; None where it is not installed. Raises
    CalledProcessError, TimeoutExpired.
    """
    command = os.environ.get("CODEGRAPH") or shutil.which("codegraph")
    if command is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / tree.name
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git", ".gieok", "node_modules"))
        environment = os.environ | {"CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_DAEMON": "1"}
        subprocess.run(
            [command, "init", "."],
            cwd=copy,
            env=environment,
            check=True,
            capture_output=True,
            timeout=_INDEX_S,
        )
        with sqlite3.connect(copy / ".codegraph" / "codegraph.db") as database:
            nodes = database.execute(
                "select id, kind, name, file_path, start_line, end_line from nodes"
            ).fetchall()
            edges = database.execute("select source, target, kind from edges").fetchall()
    keys = _keys(nodes, list(symbols))
    return Peer((keys[a], keys[b], kind) for a, b, kind in edges if a in keys and b in keys)


def _keys(
    nodes: list[tuple[str, str, str, str, int, int]], symbols: list[Symbol]
) -> dict[str, str]:
    """Return Gieok's key of each node that is a file, a function, a method or a class."""
    by_place: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
    constructors = {}
    for symbol in symbols:
        by_place[symbol.path, symbol.name].append(symbol)
        if symbol.name in _CONSTRUCTORS:
            constructors[symbol.key.rpartition(".")[0]] = symbol.key
    found = {}
    for node, kind, name, path, start, end in nodes:
        if kind == "file":
            found[node] = f"{path}::<module>"
            continue
        # A decorator stands before the head in one of them, and in the other not.
        near = [s for s in by_place[path, name] if s.start_line <= end and start <= s.end_line]
        if near:
            key = min(near, key=lambda s: abs(s.start_line - start)).key
            found[node] = constructors.get(key, key) if kind == "class" else key
    return found


class _NoModel:
    """Stands for semble's model, which is on a hub: every text has the same vector, which weighs
    nothing.
    """

    dim = 1

    def encode(self, texts: list[str], **_: object) -> Any:
        return [[1.0]] * len(texts)


def semble(tree: Path) -> Callable[[str], list[str]] | None:
    """Return semble's search by its keywords with its ranking: question → files, best first. None
    where it is not installed.
    """
    try:
        from semble.index.create import create_index_from_path
        from semble.search import search
    except ImportError:
        return None
    model: Any = _NoModel()
    words, vectors, chunks, _ = create_index_from_path(
        tree.resolve(), model, display_root=tree.resolve()
    )

    def files(question: str) -> list[str]:
        found = search(question, model, vectors, words, chunks, 60, alpha=0.0)
        return list(dict.fromkeys(result.chunk.file_path for result in found))

    return files
