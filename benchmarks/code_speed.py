"""Speed of benchmarks/code.py: the first index beside parsing the same files with the same
grammars, one changed file, vectors.

One changed file is a whole `gieok code sync --no-wait` in a process of its own, on a copy of the
tree, in CPU seconds: the interpreter, imports, looking at all files, reading, linking, writing.
Vectors (`--hybrid`) are those that would be made first.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from code_index import index
from gieok.code.index import embedding, scan
from gieok.code.index.graph import IMPORTS
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.code.languages.table import LANGUAGES
from gieok.flow.lifecycle import fill_in_order
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.ports.models import Embedder

_EMBEDDED = 256


def speed_of(data: Path, name: str, embedder: Embedder | None) -> dict[str, Any]:
    tree = data / "trees" / name
    parse_s, lines = _parsed(tree)
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        indexed = index(tree, folder)
        cpu_s = time.process_time() - before
        rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found: dict[str, Any] = {
            "cpu_s": cpu_s,
            "ratio": cpu_s / parse_s,
            "rss_mb": rss_mb,
            "lines": lines,
        }
        files = _files(indexed)
        if embedder:
            found["passages_per_cpu_s"] = _embedded_per_s(indexed, embedder)
    with tempfile.TemporaryDirectory() as folder:
        found["one_file_s"] = _one_file(tree, Path(folder), files)
    return {"gieok": found, "parse": {"cpu_s": parse_s, "ratio": 1.0}}


def _parsed(tree: Path) -> tuple[float, int]:
    """Return the CPU seconds that parsing takes, and the lines."""
    parser = TreeSitterParser()
    candidates = [c for c in scan.scan(tree)[0] if LANGUAGES[c.language].grammar]
    sources = [(LANGUAGES[c.language].grammar, (tree / c.path).read_bytes()) for c in candidates]
    for grammar in {grammar for grammar, _ in sources}:
        parser.parse(grammar, b"")
    started = time.process_time()
    for grammar, source in sources:
        parser.parse(grammar, source)
    return time.process_time() - started, sum(source.count(b"\n") for _, source in sources)


def _files(indexed: Project) -> dict[str, str]:
    """Return the file that most others import, one that none does, and one of tests: the largest of
    the last two.
    """
    imported = Counter(edge.target.partition("::")[0] for edge in indexed.store.all_edges(IMPORTS))
    known = sorted(indexed.store.files().values(), key=lambda file: (-file.size, file.path))
    paths = [
        file.path for file in known if LANGUAGES[file.language].family and file.language != "json"
    ]
    kinds: dict[str, Callable[[str], bool]] = {
        "core": lambda path: not places.is_test_file(path),
        "leaf": lambda path: not places.is_test_file(path) and not imported[path],
        "test": lambda path: places.is_test_file(path) and not imported[path],
    }
    chosen = {kind: [path for path in paths if wanted(path)] for kind, wanted in kinds.items()}
    chosen["core"].sort(key=lambda path: -imported[path])
    return {kind: found[0] for kind, found in chosen.items() if found}


def _one_file(tree: Path, folder: Path, files: dict[str, str]) -> dict[str, float]:
    """Return the CPU seconds of a sync after nothing changed, and after a comment and a new
    function in each file.
    """
    copy = folder / "tree"
    shutil.copytree(tree, copy)
    home = {**os.environ, "GIEOK_HOME": str(folder / "home"), "GIEOK_EMBEDDER": "none"}
    home.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles Gieok
    _run(copy, home, "init", str(copy))
    _run(copy, home, "sync")
    spent = {"nothing": _run(copy, home, "sync")}
    for kind, path in files.items():
        file = copy / path
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        is_python = path.endswith((".py", ".pyi"))
        edits = {
            "comment": f"{'#' if is_python else '//'} a comment\n{text}",
            "function": text + ("\n\ndef added(x):\n    return len(x)\n" if is_python else "\n"),
        }
        for edit, new in edits.items():
            if new != f"{text}\n":
                file.write_text(new, encoding="utf-8", errors="surrogateescape")
                spent[f"{edit} in {kind}"] = _run(copy, home, "sync")
    return spent


def _run(tree: Path, env: dict[str, str], *arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "gieok", "code", *arguments, "--no-wait"]
    subprocess.run(command, cwd=tree, env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _embedded_per_s(indexed: Project, embedder: Embedder) -> float:
    first = embedding.order(indexed)[: _EMBEDDED + 1]
    # what is loaded once
    fill_in_order(
        indexed.store,
        embedder,
        first[:1],
        lambda done: None,
        form=embedding.PassageWording(indexed.store),
    )
    before = time.process_time()
    done = fill_in_order(
        indexed.store,
        embedder,
        first[1:],
        lambda done: None,
        form=embedding.PassageWording(indexed.store),
    )
    return done / (time.process_time() - before)
