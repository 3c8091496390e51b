"""Digest of a project's code for the model that writes its record.

It says what an analysis found: parts with what they import, circles of imports, where the project
starts, what it is built with, what is left to do; and shows the code that most of it depends on.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from gieok.code.ask import statistics
from gieok.code.deepen.outline import select_symbol_code
from gieok.code.index import ignore_rules, scan
from gieok.code.index.project import SCOPE, Project
from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, SymbolKind
from gieok.code.report import starts
from gieok.code.report.structure import Structure, structure
from gieok.model.code import Symbol
from gieok.text.redact import redact
from gieok.text.tokens import estimate_tokens

#: Manifests at the root that say what a project is built with and what it is bound to.
_MANIFESTS = ("pyproject.toml", "package.json", "go.mod", "Cargo.toml", "pom.xml")
_MANIFEST_CHARACTERS = 3_000
_MOST_STARTS, _MOST_CIRCLES, _MOST_MARKERS = 12, 5, 20
#: Of the code that is shown: characters of a piece, and tokens of all pieces.
_PIECE_CHARACTERS, _CODE_TOKENS = 1_200, 4_000


def build_project_digest(project: Project) -> str:
    """Return the digest, in sections with a heading each; the same for the same index."""
    symbols = list(project.store.all_symbols())
    shape = structure(project)
    begins = starts.starts(project.root, symbols, project.store.files())
    sections = (
        ("Parts, those that import first", _iter_part_lines(shape)),
        ("Imports against that order", _iter_back_imports(shape)),
        ("Circles of imports", (" → ".join(one.ring) for one in shape.circles[:_MOST_CIRCLES])),
        ("Where it starts", (" → ".join(filter(None, one)) for one in begins[:_MOST_STARTS])),
        ("Manifests", _iter_manifests(project)),
        ("Marked in the code", _iter_marker_lines(symbols)),
        ("Code that most depends on, and where it starts", _iter_pieces(project, symbols, begins)),
    )
    texts = ((title, "\n".join(lines)) for title, lines in sections)
    return "\n\n".join(f"{title}:\n{text}" for title, text in texts if text)


def _iter_part_lines(shape: Structure) -> Iterator[str]:
    for part in shape.parts:
        imports = ", ".join(
            f"{shape.label(name)} ({count})"
            for name, count in shape.imports.get(part.name, {}).items()
        )
        yield (
            f"{part.name}: files {part.files}, lines {part.lines}, test files {part.tests}; "
            f"imports {imports or 'no other part'}"
        )


def _iter_back_imports(shape: Structure) -> Iterator[str]:
    for importing, imported, count in (*shape.against(), *shape.mutual()):
        yield f"{importing} → {imported} ({count})"


def _iter_manifests(project: Project) -> Iterator[str]:
    """Yield the manifests that nobody left out of the index, without secrets."""
    left_out = ignore_rules.left_out(project.root, _MANIFESTS, project.rules)
    for name in _MANIFESTS:
        if name in left_out:
            continue
        # Redacted whole: half a secret is not known for one.
        if text := redact(scan.read_source_text(project.root, name).strip()):
            yield f"{name}:\n{text[:_MANIFEST_CHARACTERS]}"


def _iter_marker_lines(symbols: Iterable[Symbol]) -> Iterator[str]:
    markers = [
        symbol
        for symbol in symbols
        if symbol.kind == SymbolKind.MARKER and not statistics.is_aside(symbol)
    ]
    for marker in markers[:_MOST_MARKERS]:
        yield f"{marker.path}#L{marker.start_line} {marker.name} {marker.signature}".rstrip()


def _iter_pieces(
    project: Project, symbols: Sequence[Symbol], begins: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield the code of symbols, as stored, until the budget is used."""
    chosen = _choose_symbols(project, symbols, begins)
    documents = project.store.get(SCOPE, sorted({symbol.path for symbol in chosen}))
    lines_of = {document.key: document.text.split("\n") for document in documents}
    inner: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        if symbol.kind in DEFINITIONS:
            inner[symbol.parent].append(symbol)
    tokens = 0
    for symbol in chosen:
        lines = lines_of.get(symbol.path, [])
        code = select_symbol_code(lines, symbol, inner[symbol.key], _PIECE_CHARACTERS)
        piece = f"{symbol.key} ({symbol.path}#L{symbol.start_line})\n{code}\n"
        tokens += estimate_tokens(piece)
        if tokens > _CODE_TOKENS:
            return
        yield piece


def _choose_symbols(
    project: Project, symbols: Sequence[Symbol], begins: Sequence[tuple[str, str]]
) -> list[Symbol]:
    """Return the functions that start the project, then what most symbols depend on."""
    places = {target for _, target in begins[:_MOST_STARTS]}
    central = [key for key, _ in statistics.count_graph(project).central]
    by_key = {symbol.key: symbol for symbol in symbols}
    running = [
        symbol
        for symbol in symbols
        if symbol.kind in FUNCTIONS and f"{symbol.path}#L{symbol.start_line}" in places
    ]
    chosen = [*running, *(by_key[key] for key in central if key in by_key)]
    return list({symbol.key: symbol for symbol in chosen}.values())
