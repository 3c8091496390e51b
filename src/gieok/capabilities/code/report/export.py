"""The project as a page that a person can read; `picture` draws its parts."""

import contextlib
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok.capabilities.code.ask import impact, statistics
from gieok.capabilities.code.deepen import deeper
from gieok.capabilities.code.index.graph import IMPORTS, Certainty
from gieok.capabilities.code.index.project import Project, freshness
from gieok.capabilities.code.languages import places
from gieok.capabilities.code.model.facts import Kind
from gieok.capabilities.code.report import summary
from gieok.capabilities.code.report.structure import Component, Structure
from gieok.model.code import Symbol

_MOST_IN_FILE = 8
_MOST_IN_CELL = 4
_MOST_ROWS = 10
#: A function with fewer branches is no hot spot, however many depend on it.
_HOT_BRANCHES = 5
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
_DOCUMENTS = ("docs/", "doc/")


def page(project: Project, found: Structure) -> str:
    """Return `intelligence.md`."""
    counted = statistics.count(project)
    state = freshness(project)
    symbols = list(project.store.all_symbols())
    told = {row.code_hash: row.text for row in project.store.summaries().values()}
    by_path: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        by_path[symbol.path].append(symbol)
    commit = f" at commit `{state.commit[:12]}`" if state.commit else ""
    lines = [f"# {project.root.name}", ""]
    lines += [f"Indexed {state.indexed_at[:19]}{commit}; {len(state.dirty)} files differ on disk.", ""]
    for name, text in deeper.record(project).items():
        lines += [f"**{name.capitalize()}.** {text}", ""]
    lines += ["![architecture](graph.svg)", ""]
    lines += _section("Where it starts", _starts(project, symbols, told))
    lines += _section("Parts", [*_parts(found, by_path, told), *_order(found)])
    lines += _section("Most depended on", _table(("symbol", "dependants"), [(_code(k), n) for k, n in counted.central]))
    lines += _section("Hot spots", _hot(project, symbols))
    lines += _section("Tests", _tests(found, symbols))
    lines += _section("Files", [line for path in sorted(by_path) for line in _file(path, by_path[path], told)])
    lines += _section("Documents", [_document(p, by_path[p]) for p in sorted(by_path) if _is_document(p)])
    markers = [s for s in symbols if s.kind == Kind.MARKER]
    lines += _section("Markers", [f"- {m.name} `{m.path}#L{m.start_line}` {m.signature}" for m in markers])
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *lines, ""] if lines else []


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    if not rows:
        return []
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows),
    ]


def _code(text: str) -> str:
    return f"`{text}`"


def _starts(project: Project, symbols: Sequence[Symbol], told: Mapping[str, str]) -> list[str]:
    by_place = {f"{s.path}#L{s.start_line}": s for s in symbols if _is_start(s)}
    return [
        f"- command `{name}` → `{target}`" if name else f"- `{target}`{_line(by_place[target], told)}"
        for name, target in starts(project, symbols)
    ]


def starts(project: Project, symbols: Sequence[Symbol]) -> list[tuple[str, str]]:
    """Return the commands that the project's manifest names with what they run, and, as '', the functions that run it."""
    own = [s for s in symbols if not places.is_test(s.path) and not places.is_side(s.path) and _is_start(s)]
    return [*_commands(project.root), *(("", f"{s.path}#L{s.start_line}") for s in own)]


def _is_start(symbol: Symbol) -> bool:
    if symbol.kind == Kind.MODULE:
        return symbol.path.endswith(places.STARTS)
    return symbol.name == "main" and symbol.kind in (Kind.FUNCTION, Kind.METHOD)


def _commands(root: Path) -> list[tuple[str, str]]:
    """Return (command, what it runs) from `pyproject.toml` and `package.json`; what cannot be read names none."""
    found: dict[str, object] = {}
    with contextlib.suppress(*_UNREADABLE):
        found |= tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    with contextlib.suppress(*_UNREADABLE):
        manifest = json.loads((root / "package.json").read_text(encoding="utf-8"))
        commands = manifest.get("bin", {})
        found |= commands if isinstance(commands, dict) else {manifest["name"]: commands}
        found |= {f"import {manifest['name']}": manifest["main"]} if "main" in manifest else {}
    return sorted((str(name), str(target)) for name, target in found.items())


def _parts(found: Structure, by_path: Mapping[str, Sequence[Symbol]], told: Mapping[str, str]) -> list[str]:
    rows = [
        (_code(p.name), p.files, f"{p.lines:,}", _named(found, p.name), p.dependants, p.tests, _about(p, by_path, told))
        for p in found.parts
    ]
    return _table(("part", "files", "lines", "imports", "imported by", "test files", "about"), rows)


def _named(found: Structure, name: str) -> str:
    row = list(found.imports.get(name, {}).items())
    shown = ", ".join(f"{found.label(target)} ({count})" for target, count in row[:_MOST_IN_CELL])
    return f"{shown}, … {len(row) - _MOST_IN_CELL} more" if len(row) > _MOST_IN_CELL else shown


def _about(part: Component, by_path: Mapping[str, Sequence[Symbol]], told: Mapping[str, str]) -> str:
    """Return the first sentence of a part's documentation: a file's own, a folder's by the file that stands for it."""
    folder = part.name.removesuffix("/*").removesuffix("*").rstrip("/")
    for path in (part.name, *(f"{folder}/{name}".lstrip("./") for name in places.REEXPORTS)):
        module = next((s for s in by_path.get(path, ()) if s.kind == Kind.MODULE), None)
        if module and (text := _said(module, told)):
            return text
    return ""


def _said(symbol: Symbol, told: Mapping[str, str]) -> str:
    """Return the model's summary of this exact code, or the first sentence of its documentation."""
    return told.get(symbol.code_hash) or (summary.first_sentence(symbol.doc) if symbol.doc else "")


def _line(symbol: Symbol, told: Mapping[str, str]) -> str:
    text = _said(symbol, told)
    return f": {text}" if text else ""


def _order(found: Structure) -> list[str]:
    circles = found.against()
    if not circles:
        return ["", "No part imports one that imports it: the order of the table is the order of the layers."]
    shown = [f"`{a}` → `{b}` ({n})" for a, b, n in circles[:_MOST_ROWS]]
    more = f", … {len(circles) - _MOST_ROWS} more" if len(circles) > _MOST_ROWS else ""
    return ["", f"Imports that run against the order of the table, and close circles: {', '.join(shown)}{more}."]


class HotSpot(NamedTuple):
    """A function with many branches that many depend on."""

    key: str
    branches: int
    lines: int
    dependants: int


def hot_spots(project: Project, symbols: Sequence[Symbol]) -> list[HotSpot]:
    """Return functions with many branches and many dependants, the hottest first."""
    dependants: dict[str, set[str]] = defaultdict(set)
    for edge in project.store.all_edges():
        if edge.kind != IMPORTS and edge.tier <= Certainty.UNIQUE_NAME:
            dependants[edge.target].add(edge.source)
    own = [
        s
        for s in symbols
        if s.kind in (Kind.FUNCTION, Kind.METHOD) and s.complexity >= _HOT_BRANCHES and not places.is_test(s.path)
    ]
    own.sort(key=lambda s: (-s.complexity * (1 + len(dependants[s.key])) ** 0.5, s.key))
    return [
        HotSpot(s.key, s.complexity, s.end_line - s.start_line + 1, len(dependants[s.key])) for s in own[:_MOST_ROWS]
    ]


def _hot(project: Project, symbols: Sequence[Symbol]) -> list[str]:
    rows = [(_code(key), *numbers) for key, *numbers in hot_spots(project, symbols)]
    return _table(("function", "branches", "lines", "dependants"), rows)


def _tests(found: Structure, symbols: Sequence[Symbol]) -> list[str]:
    tests = [s for s in symbols if impact.is_test(s)]
    if not tests:
        return []
    folders = Counter(s.path.rpartition("/")[0] or "." for s in tests)
    files = {s.path for s in tests}
    shown = ", ".join(f"`{name}` ({n})" for name, n in folders.most_common(_MOST_ROWS))
    lines = [f"{len(tests)} tests in {len(files)} files: {shown}" + (", …" if len(folders) > _MOST_ROWS else "") + "."]
    untested = [_code(p.name) for p in found.parts if not p.tests]
    if untested:
        lines += ["", f"No test file imports anything of {', '.join(untested)} directly."]
    return lines


def _file(path: str, symbols: Sequence[Symbol], told: Mapping[str, str]) -> Iterator[str]:
    """Yield a file and its public symbols."""
    if places.is_test(path) or places.is_side(path) or path.endswith(".md"):
        return
    module = next((s for s in symbols if s.kind == Kind.MODULE), None)
    shown = [
        s
        for s in symbols
        if s.kind in (Kind.CLASS, Kind.FUNCTION) and "." not in s.key.partition("::")[2] and s.name[:1] != "_"
    ]
    yield f"- `{path}`{_line(module, told) if module else ''}"
    for symbol in shown[:_MOST_IN_FILE]:
        yield f"  - `{symbol.name}` (L{symbol.start_line}){_line(symbol, told)}"
    if len(shown) > _MOST_IN_FILE:
        yield f"  - … {len(shown) - _MOST_IN_FILE} more"


def _is_document(path: str) -> bool:
    return path.endswith(".md") and (path.startswith(_DOCUMENTS) or not (places.is_side(path) or places.is_test(path)))


def _document(path: str, symbols: Sequence[Symbol]) -> str:
    title = next((s.name for s in symbols if s.kind == Kind.CONCEPT), "")
    return f"- `{path}`" + (f": {title}" if title else "")
