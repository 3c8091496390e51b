"""Entry points of a project.

They are the commands and packages that its manifests name, and the functions that run it.
"""

import contextlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from gieok.code.index import scan
from gieok.code.languages import places
from gieok.code.model.facts import FUNCTIONS, SymbolKind
from gieok.model.code import Symbol

_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
#: Entry points of Django, in a project that has the first of these files.
_FRAMEWORK = ("manage.py", "wsgi.py", "asgi.py")
_PACKAGE = re.compile(r"(?:src/|python/)?(\w+)/__init__\.py")
_SOURCES = ("src/index", "index", "src/main", "main")
_SCRIPTS = (".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".jsx")


def starts(root: Path, symbols: Sequence[Symbol], paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return the entry points of the manifests, and the places that run by themselves.

    Each is (command or `import PACKAGE`, what it runs); places that run by themselves have '' as
    command.
    """
    known = set(paths)
    named = [
        row
        for path in sorted(known)
        if not places.is_outside_product(path)
        for row in _iter_package_starts(root, path, known)
    ]
    named += _iter_python_scripts(root)
    named += _iter_library_starts(root, known)
    named.sort(key=lambda row: row[0].startswith("import "))
    framework = _FRAMEWORK if "manage.py" in known else ()
    own = [
        f"{s.path}#L{s.start_line}"
        for s in symbols
        if not places.is_outside_product(s.path) and _is_start(s, framework)
    ]
    return [*dict.fromkeys(named), *(("", place) for place in own)]


def about(root: Path) -> str:
    """Return the description in the project's own manifest; '' where there is none."""
    with contextlib.suppress(*_UNREADABLE):
        if text := str(_read_toml_table(root, "pyproject.toml")["project"]["description"]):
            return text.strip()
    with contextlib.suppress(*_UNREADABLE):
        if text := str(_read_json_object(root, "package.json")["description"]):
            return text.strip()
    for folder in (root, root / root.name):  # a workspace of Rust is named after its first crate
        with contextlib.suppress(*_UNREADABLE):
            return str(_read_toml_table(folder, "Cargo.toml")["package"]["description"]).strip()
    return ""


def _is_start(symbol: Symbol, framework: tuple[str, ...]) -> bool:
    if symbol.kind == SymbolKind.MODULE:
        return symbol.path.endswith((*places.STARTS, *framework))
    if symbol.name != "main" or symbol.kind not in FUNCTIONS:
        return False
    if symbol.path.endswith(".java"):
        return "static" in symbol.signature
    return symbol.key.endswith("::main")  # a function of its own, not one inside of another


def _iter_library_starts(root: Path, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the Python packages and Rust crates that others import.

    A Django site is left out, because nobody imports it.
    """
    for path in sorted(known):
        if places.is_outside_product(path):
            continue
        if "manage.py" not in known and (package := _PACKAGE.fullmatch(path)) is not None:
            yield f"import {package[1]}", path
        elif f"/{path}".endswith("/src/lib.rs"):
            folder = path.removesuffix("src/lib.rs").rstrip("/") or root.name
            yield f"import {folder.rpartition('/')[2].replace('-', '_')}", path


def _iter_python_scripts(root: Path) -> Iterator[tuple[str, str]]:
    with contextlib.suppress(*_UNREADABLE):
        scripts = _read_toml_table(root, "pyproject.toml")["project"]["scripts"]
        yield from sorted((str(name), str(target)) for name, target in scripts.items())


def _iter_package_starts(root: Path, path: str, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the commands of a `package.json`, and the file that an import of the package loads."""
    if path.rpartition("/")[2] != "package.json":
        return
    with contextlib.suppress(*_UNREADABLE):
        manifest = _read_json_object(root, path)
        folder, name = dirname(path), str(manifest.get("name", ""))
        commands = manifest.get("bin", {})
        for command, target in sorted(
            (commands if isinstance(commands, dict) else {name: commands}).items()
        ):
            yield command.rpartition("/")[2], _find_built_source(folder, str(target), known)
        main = (
            manifest.get("main")
            or manifest.get("module")
            or _find_exported_file(manifest.get("exports"))
        )
        if name and main and not manifest.get("private"):
            yield f"import {name}", _find_built_source(folder, str(main), known)


def _find_exported_file(exports: Any) -> str:  # noqa: ANN401 - whatever a manifest holds
    """Return the export of the package itself: a text, or the first text below `.`."""
    while isinstance(exports, dict):
        exports = exports.get(".") or next(iter(exports.values()), "")
    return exports if isinstance(exports, str) else ""


def _find_built_source(folder: str, target: str, known: set[str]) -> str:
    """Return the source file that is built into `target`.

    Returns `target` where the source file cannot be told.
    """
    built = normpath(join(folder, target))
    if built in known:
        return built
    stem = join(folder, "src", built.rpartition("/")[2].partition(".")[0])
    candidates = (
        f"{path}{suffix}"
        for path in (stem, *(join(folder, s) for s in _SOURCES))
        for suffix in _SCRIPTS
    )
    return next((path for path in candidates if path in known), built)


def _read_toml_table(root: Path, path: str) -> dict[str, Any]:
    return tomllib.loads(scan.read_source_text(root, path))


def _read_json_object(root: Path, path: str) -> dict[str, Any]:
    content = json.loads(scan.read_source_text(root, path))
    return content if isinstance(content, dict) else {}
