"""Render the project as a page for a person; `picture` draws its parts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gieok.code.ask import impact, statistics
from gieok.code.index.project import Freshness, Project, freshness
from gieok.code.languages import places
from gieok.code.model.facts import SymbolKind
from gieok.code.report import summary
from gieok.code.report.overview import Overview
from gieok.code.report.picture import Say
from gieok.code.report.record import read_record
from gieok.code.report.structure import Circle, Component, Structure
from gieok.model.code import Symbol
from gieok.text.messages import in_language, translate

_MOST_IN_FILE = 8
_MOST_IN_CELL = 4
_MOST_ROWS = 10
_MOST_STARTS = 20
_DOCUMENTS = ("docs/", "doc/")


def render_overview_page(project: Project, made: Overview, lang: str) -> str:
    """Return `intelligence.md` in a language; what a model or the code says stays as it is."""

    def say(template: str, about: str = "", plural: str = "", **values: object) -> str:
        return translate(template, lang, values, about=about, plural=plural)

    counted, state, structure = statistics.count_graph(project), freshness(project), made.found
    symbols = list(project.store.all_symbols())
    summaries = {row.code_hash: row.text for row in project.store.summaries().values()}
    by_path: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        by_path[symbol.path].append(symbol)
    lines = [f"# {project.root.name}", "", *([made.about, ""] if made.about else [])]
    lines += [_format_index_state(state, say), ""]
    for name, text in read_record(project, counted).items():
        section = say(name, about="a section").capitalize()
        lines += [f"**{section}.** {_say_section(text, lang, say)}", ""]
    lines += [f"![{say('architecture', about='a section')}](graph.svg)", ""]
    lines += _render_section(
        say("Where it starts"), _render_project_starts(made, symbols, summaries, say)
    )
    lines += _render_section(
        say("Parts"),
        [
            *_render_parts_table(made, by_path, summaries, say),
            *_render_import_order(structure, say),
        ],
    )
    lines += _render_section(
        say("Most depended on"),
        _render_markdown_table(
            (say("symbol"), say("dependants")), [(_quote_code(k), n) for k, n in counted.central]
        ),
    )
    lines += _render_section(say("Hot spots"), _render_hot_spots(made, say))
    lines += _render_section(say("Who knows it"), _render_workers_table(made, say))
    lines += _render_section(say("What changes together"), _render_together_table(made, say))
    lines += _render_section(say("Tests"), _render_test_folders(structure, symbols, say))
    lines += _render_section(
        say("Files"),
        [
            line
            for path in sorted(by_path)
            for line in _iter_file_lines(path, by_path[path], summaries, say)
        ],
    )
    lines += _render_section(
        say("Documents"),
        [_format_document_line(p, by_path[p]) for p in sorted(by_path) if _is_document(p)],
    )
    markers = [s for s in symbols if s.kind == SymbolKind.MARKER]
    lines += _render_section(
        say("Markers"), [f"- {m.name} `{m.path}#L{m.start_line}` {m.signature}" for m in markers]
    )
    return "\n".join(lines).rstrip() + "\n"


def _format_index_state(state: Freshness, say: Say) -> str:
    """Return since when the index is as it is, and how many files are not as it has them."""
    differing = say(
        "{count} file differs on disk.",
        plural="{count} files differ on disk.",
        count=len(state.dirty),
    )
    if not state.commit:
        return say("Indexed {at}; {differing}", at=state.indexed_at[:19], differing=differing)
    return say(
        "Indexed {at} at commit `{commit}`; {differing}",
        at=state.indexed_at[:19],
        commit=state.commit[:12],
        differing=differing,
    )


def _say_section(text: str | None, lang: str, say: Say) -> str:
    """Return a section of the record, or that only a model writes it."""
    return in_language(text, lang) if text else say("–, needs a model")


def _render_section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *lines, ""] if lines else []


def _render_markdown_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
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


def _quote_code(text: str) -> str:
    return f"`{text}`"


def _render_project_starts(
    made: Overview, symbols: Sequence[Symbol], told: Mapping[str, str], say: Say
) -> list[str]:
    by_place = {f"{s.path}#L{s.start_line}": s for s in symbols}
    lines = []
    for name, target in made.starts:
        quoted = _quote_code(name)
        is_import = name.startswith("import ")
        command = quoted if is_import else say("command {name}", name=quoted)
        prefix = f"{command} → " if name else ""
        lines.append(
            "- "
            f"{prefix}{_quote_code(target)}"
            f"{'' if name else _format_symbol_note(by_place[target], told)}"
        )
    return _cut_list(lines, _MOST_STARTS, say)


def _cut_list(lines: Sequence[str], most: int, say: Say) -> list[str]:
    """Return the first lines, and a line that counts the rest."""
    more = len(lines) - most
    return [*lines[:most], *([f"- … {say('{more} more', more=more)}"] if more > 0 else [])]


def _join_first(parts: Sequence[str], most: int, say: Say) -> str:
    """Return the first parts joined by commas, and how many more there are."""
    more = len(parts) - most
    return ", ".join(parts[:most]) + (f", … {say('{more} more', more=more)}" if more > 0 else "")


def _render_parts_table(
    made: Overview, by_path: Mapping[str, Sequence[Symbol]], told: Mapping[str, str], say: Say
) -> list[str]:
    structure = made.found
    rows = [
        (
            _quote_code(p.name),
            p.files,
            f"{p.lines:,}",
            _format_part_imports(structure, p.name, say),
            p.dependants,
            p.tests,
            made.owner(p.name),
            _describe_part(p, by_path, told),
        )
        for p in structure.parts
    ]
    return _render_markdown_table(
        (
            say("part"),
            say("files"),
            say("lines"),
            say("imports"),
            say("imported by"),
            say("test files"),
            say("most commits"),
            say("about", about="what code is about"),
        ),
        rows,
    )


def _format_part_imports(found: Structure, name: str, say: Say) -> str:
    row = found.imports.get(name, {}).items()
    imports = [f"{found.label(target)} ({count})" for target, count in row]
    return _join_first(imports, _MOST_IN_CELL, say)


def _describe_part(
    part: Component, by_path: Mapping[str, Sequence[Symbol]], told: Mapping[str, str]
) -> str:
    """Return the first sentence of a part's documentation.

    A folder's documentation is that of the file that stands for the folder.
    """
    folder = part.name.removesuffix("/*").removesuffix("*").rstrip("/")
    for path in (part.name, *(f"{folder}/{name}".lstrip("./") for name in places.REEXPORTS)):
        module = next((s for s in by_path.get(path, ()) if s.kind == SymbolKind.MODULE), None)
        if module and (text := _describe_symbol_briefly(module, told)):
            return text
    return ""


def _describe_symbol_briefly(symbol: Symbol, told: Mapping[str, str]) -> str:
    """Return the model's summary of this exact code, or the first sentence of the documentation."""
    return told.get(symbol.code_hash) or summary.first_sentence(symbol.doc)


def _format_symbol_note(symbol: Symbol, told: Mapping[str, str]) -> str:
    text = _describe_symbol_briefly(symbol, told)
    return f": {text}" if text else ""


def _render_import_order(found: Structure, say: Say) -> list[str]:
    lines = []
    if found.circles:
        lines += ["", say("Circles of files that import each other:"), ""]
        rings = [f"- {_format_circle_ring(circle, say)}" for circle in found.circles]
        lines += _cut_list(rings, _MOST_ROWS, say)
    if mutual := found.mutual():
        shown = _join_first([f"`{a}` → `{b}` ({n})" for a, b, n in mutual], _MOST_ROWS, say)
        lines += [
            "",
            say(
                "Imports against the order of the table that close no circle of files: {shown}.",
                shown=shown,
            ),
        ]
    if not lines:
        lines += [
            "",
            say(
                "No part imports one that imports it: the order of the table is the order of the "
                "layers."
            ),
        ]
    return lines


def _format_circle_ring(one: Circle, say: Say) -> str:
    files = " → ".join(map(_quote_code, one.ring))
    more = one.files - len(one.ring) + 1
    return say("{files}, with {more} more files", files=files, more=more) if more else files


def _render_hot_spots(made: Overview, say: Say) -> list[str]:
    columns = (
        say("function"),
        say("branches"),
        say("lines"),
        say("dependants"),
        say("commits of its file"),
    )
    shown = len(columns) if made.history.commits else len(columns) - 1
    rows = [(_quote_code(key), *numbers)[:shown] for key, *numbers in made.hot]
    return _render_markdown_table(columns[:shown], rows)


def _render_workers_table(made: Overview, say: Say) -> list[str]:
    if not made.history.commits:
        return [
            say(
                "Not known: there are no commits here. Gieok reads in git what changes together, "
                "and who knows which file."
            )
        ]
    rows = [
        (w.name, w.commits, _quote_code(w.part) if w.part else "", f"{w.last:%Y-%m-%d}")
        for w in made.history.workers
    ]
    since = f"{made.history.since:%Y-%m-%d}" if made.history.since else ""
    intro = say(
        "Of the newest {count} commits, since {since}, without those of programs.",
        count=made.history.commits,
        since=since,
    )
    head = (say("who"), say("commits"), say("mostly in"), say("last"))
    return [intro, "", *_render_markdown_table(head, rows)]


def _render_together_table(made: Overview, say: Say) -> list[str]:
    rows = [
        (
            _quote_code(t.one),
            _quote_code(t.other),
            t.commits,
            f"{t.share:.0%}",
            say("yes") if t.is_joined else say("no"),
        )
        for t in made.history.together
    ]
    return _render_markdown_table(
        (
            say("file"),
            say("and file"),
            say("commits"),
            say("of either"),
            say("one imports the other"),
        ),
        rows,
    )


def _render_test_folders(found: Structure, symbols: Sequence[Symbol], say: Say) -> list[str]:
    tests = [s for s in symbols if impact.is_runnable_test(s)]
    if not tests:
        return []
    folders = Counter(s.path.rpartition("/")[0] or "." for s in tests)
    files = {s.path for s in tests}
    folder_counts = ", ".join(f"`{name}` ({n})" for name, n in folders.most_common(_MOST_ROWS))
    if len(folders) > _MOST_ROWS:
        folder_counts += ", …"
    lines = [
        say(
            "{tests} tests in {files} files: {folders}.",
            tests=len(tests),
            files=len(files),
            folders=folder_counts,
        )
    ]
    untested = [_quote_code(p.name) for p in found.parts if not p.tests]
    if untested:
        named = ", ".join(untested)
        lines += ["", say("No test file imports anything of {parts} directly.", parts=named)]
    return lines


def _iter_file_lines(
    path: str, symbols: Sequence[Symbol], told: Mapping[str, str], say: Say
) -> Iterator[str]:
    """Yield the lines of the page for a file and its public symbols."""
    if places.is_outside_product(path) or places.is_document(path):
        return
    module = next((s for s in symbols if s.kind == SymbolKind.MODULE), None)
    public_symbols = [
        s
        for s in symbols
        if s.kind in (SymbolKind.CLASS, SymbolKind.FUNCTION)
        and "." not in s.qualified
        and s.name[:1] != "_"
    ]
    yield f"- `{path}`{_format_symbol_note(module, told) if module else ''}"
    rows = [
        f"- `{symbol.name}` (L{symbol.start_line}){_format_symbol_note(symbol, told)}"
        for symbol in public_symbols
    ]
    yield from (f"  {row}" for row in _cut_list(rows, _MOST_IN_FILE, say))


def _is_document(path: str) -> bool:
    return places.is_document(path) and (
        path.startswith(_DOCUMENTS) or not places.is_outside_product(path)
    )


def _format_document_line(path: str, symbols: Sequence[Symbol]) -> str:
    title = next((s.name for s in symbols if s.kind == SymbolKind.CONCEPT), "")
    return f"- `{path}`" + (f": {title}" if title else "")
