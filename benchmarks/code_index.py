"""What the parts of benchmarks/code.py share: an index without vectors, and how a called function
is named.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from gieok.code.index import project
from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project
from gieok.machine.git import Git
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.testing import ManualClock

Pairs = set[tuple[str, str]]
SURE = Certainty.UNIQUE_NAME


def index(tree: Path, folder: str) -> Project:
    """Index a project without embedding."""
    store = ProjectStore(Path(folder) / "index.sqlite", resident=True)
    indexed = Project(tree, store, TreeSitterParser(), Git(Path(folder)), ManualClock())
    project.sync_project(indexed)
    return indexed


def mean_of(a: float, b: float) -> float:
    """Return the harmonic mean."""
    return 2 * a * b / (a + b) if a + b else 0.0


def called_name(key: str) -> str:
    """Return the name by which a function is called: a class's for its constructor."""
    parts = key.partition("::")[2].split(".")
    return parts[-2] if parts[-1] in ("__init__", "__new__") and len(parts) > 1 else parts[-1]


def sites_by_name(
    tree: Path, paths: Iterable[str]
) -> dict[tuple[str, str], list[tuple[int, int, int, int]]]:
    """Return (caller, called name) → positions of the calls, by the standard library's parser."""
    found: dict[tuple[str, str], list[tuple[int, int, int, int]]] = defaultdict(list)
    for path in paths:
        try:
            root = ast.parse((tree / path).read_text(encoding="utf-8", errors="replace"))
        except (OSError, SyntaxError, ValueError):
            continue
        for caller, node in calls_of(root, path):
            name = (
                node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            )
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
                stack.append(
                    (
                        ast.Module(body=child.body, type_ignores=[]),
                        f"{path}::{prefix}{child.name}",
                        f"{prefix}{child.name}.",
                    )
                )
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                stack += [(ast.Expr(value=d), key, prefix) for d in child.decorator_list]
                stack.append((child, f"{path}::{prefix}{child.name}", f"{prefix}{child.name}."))
            else:
                stack.append((child, key, prefix))
