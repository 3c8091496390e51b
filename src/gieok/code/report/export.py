"""The project as a page that a person can read; `picture` draws its parts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gieok.code.ask import impact, statistics
from gieok.code.deepen import deeper
from gieok.code.index.project import Project, freshness
from gieok.code.languages import places
from gieok.code.model.facts import Kind
from gieok.code.report import summary
from gieok.code.report.overview import Overview
from gieok.code.report.structure import Circle, Component, Structure
from gieok.model.code import Symbol

_MOST_IN_FILE = 8
_MOST_IN_CELL = 4
_MOST_ROWS = 10
_MOST_STARTS = 20
NO_HISTORY = (
    "Not known: there are no commits here. What changes together and who knows what comes from git."
)
_DOCUMENTS = ("docs/", "doc/")


def page(project: Project, made: Overview) -> str:
    """Return `intelligence.md`."""
    counted, state, found = statistics.count(project), freshness(project), made.found
    symbols = list(project.store.all_symbols())
    told = {row.code_hash: row.text for row in project.store.summaries().values()}
    by_path: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        by_path[symbol.path].append(symbol)
    commit = f" at commit `{state.commit[:12]}`" if state.commit else ""
    lines = [f"# {project.root.name}", "", *([made.about, ""] if made.about else [])]
    lines += [
        f"Indexed {state.indexed_at[:19]}{commit}; {len(state.dirty)} files differ on disk.",
        "",
    ]
    for name, text in deeper.record(project).items():
        lines += [f"**{name.capitalize()}.** {text}", ""]
    lines += ["![architecture](graph.svg)", ""]
    lines += _section("Where it starts", _starts(made, symbols, told))
    lines += _section("Parts", [*_parts(made, by_path, told), *_order(found)])
    lines += _section(
        "Most depended on",
        _table(("symbol", "dependants"), [(_code(k), n) for k, n in counted.central]),
    )
    lines += _section("Hot spots", _hot(made))
    lines += _section("Who knows it", _people(made))
    lines += _section("What changes together", _together(made))
    lines += _section("Tests", _tests(found, symbols))
    lines += _section(
        "Files", [line for path in sorted(by_path) for line in _file(path, by_path[path], told)]
    )
    lines += _section(
        "Documents", [_document(p, by_path[p]) for p in sorted(by_path) if _is_document(p)]
    )
    markers = [s for s in symbols if s.kind == Kind.MARKER]
    lines += _section(
        "Markers", [f"- {m.name} `{m.path}#L{m.start_line}` {m.signature}" for m in markers]
    )
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *lines, ""] if lines else []


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    if not rows:
        return []
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(
            f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"
            for row in rows
        ),
    ]


def _code(text: str) -> str:
    return f"`{text}`"


def _starts(made: Overview, symbols: Sequence[Symbol], told: Mapping[str, str]) -> list[str]:
    by_place = {f"{s.path}#L{s.start_line}": s for s in symbols}
    lines = []
    for name, target in made.starts:
        said = (
            f"{_code(name) if name.startswith('import ') else 'command ' + _code(name)} → "
            if name
            else ""
        )
        lines.append(f"- {said}{_code(target)}{'' if name else _line(by_place[target], told)}")
    return [
        *lines[:_MOST_STARTS],
        *([f"- … {len(lines) - _MOST_STARTS} more"] if len(lines) > _MOST_STARTS else []),
    ]


def _parts(
    made: Overview, by_path: Mapping[str, Sequence[Symbol]], told: Mapping[str, str]
) -> list[str]:
    found = made.found
    rows = [
        (
            _code(p.name),
            p.files,
            f"{p.lines:,}",
            _named(found, p.name),
            p.dependants,
            p.tests,
            made.owner(p.name),
            _about(p, by_path, told),
        )
        for p in found.parts
    ]
    return _table(
        ("part", "files", "lines", "imports", "imported by", "test files", "most commits", "about"),
        rows,
    )


def _named(found: Structure, name: str) -> str:
    row = list(found.imports.get(name, {}).items())
    shown = ", ".join(f"{found.label(target)} ({count})" for target, count in row[:_MOST_IN_CELL])
    return f"{shown}, … {len(row) - _MOST_IN_CELL} more" if len(row) > _MOST_IN_CELL else shown


def _about(
    part: Component, by_path: Mapping[str, Sequence[Symbol]], told: Mapping[str, str]
) -> str:
    """Return the first sentence of a part's documentation: a file's own, a folder's by the file
    that stands for it.
    """
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
    lines = []
    if found.circles:
        lines += ["", "Circles of files, each of which is loaded before itself:", ""]
        lines += [f"- {_ring(one)}" for one in found.circles[:_MOST_ROWS]]
        lines += (
            [f"- … {len(found.circles) - _MOST_ROWS} more"]
            if len(found.circles) > _MOST_ROWS
            else []
        )
    if mutual := found.mutual():
        shown = ", ".join(f"`{a}` → `{b}` ({n})" for a, b, n in mutual[:_MOST_ROWS])
        more = f", … {len(mutual) - _MOST_ROWS} more" if len(mutual) > _MOST_ROWS else ""
        lines += [
            "",
            f"Imports against the order of the table that close no circle of files: {shown}{more}.",
        ]
    if not lines:
        lines += [
            "",
            (
                "No part imports one that imports it: the order of the table is the order of the "
                "layers."
            ),
        ]
    return lines


def _ring(one: Circle) -> str:
    files = " → ".join(map(_code, one.ring))
    more = one.files - len(one.ring) + 1
    return f"{files}, with {more} more files" if more else files


def _hot(made: Overview) -> list[str]:
    if not made.history.commits:
        rows = [(_code(key), *numbers[:3]) for key, *numbers in made.hot]
        return _table(("function", "branches", "lines", "dependants"), rows)
    rows = [(_code(key), *numbers) for key, *numbers in made.hot]
    return _table(("function", "branches", "lines", "dependants", "commits of its file"), rows)


def _people(made: Overview) -> list[str]:
    if not made.history.commits:
        return [NO_HISTORY]
    rows = [
        (w.name, w.commits, _code(w.part) if w.part else "", f"{w.last:%Y-%m-%d}")
        for w in made.history.workers
    ]
    since = f"{made.history.since:%Y-%m-%d}" if made.history.since else ""
    told = (
        f"Of the newest {made.history.commits} commits, since {since}, without those of programs."
    )
    return [told, "", *_table(("who", "commits", "mostly in", "last"), rows)]


def _together(made: Overview) -> list[str]:
    rows = [
        (_code(t.one), _code(t.other), t.commits, f"{t.share:.0%}", "yes" if t.is_joined else "no")
        for t in made.history.together
    ]
    return _table(("file", "and file", "commits", "of either", "one imports the other"), rows)


def _tests(found: Structure, symbols: Sequence[Symbol]) -> list[str]:
    tests = [s for s in symbols if impact.is_test(s)]
    if not tests:
        return []
    folders = Counter(s.path.rpartition("/")[0] or "." for s in tests)
    files = {s.path for s in tests}
    shown = ", ".join(f"`{name}` ({n})" for name, n in folders.most_common(_MOST_ROWS))
    lines = [
        f"{len(tests)} tests in {len(files)} files: {shown}"
        + (", …" if len(folders) > _MOST_ROWS else "")
        + "."
    ]
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
        if s.kind in (Kind.CLASS, Kind.FUNCTION)
        and "." not in s.key.partition("::")[2]
        and s.name[:1] != "_"
    ]
    yield f"- `{path}`{_line(module, told) if module else ''}"
    for symbol in shown[:_MOST_IN_FILE]:
        yield f"  - `{symbol.name}` (L{symbol.start_line}){_line(symbol, told)}"
    if len(shown) > _MOST_IN_FILE:
        yield f"  - … {len(shown) - _MOST_IN_FILE} more"


def _is_document(path: str) -> bool:
    return path.endswith(".md") and (
        path.startswith(_DOCUMENTS) or not (places.is_side(path) or places.is_test(path))
    )


def _document(path: str, symbols: Sequence[Symbol]) -> str:
    title = next((s.name for s in symbols if s.kind == Kind.CONCEPT), "")
    return f"- `{path}`" + (f": {title}" if title else "")
