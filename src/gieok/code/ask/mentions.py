"""What may use a symbol although no edge leads to it.

Asked only where an answer would be a zero. Code outside of the project calls a function for its
marker or because it overrides a method of a class from outside; templates, settings and strings
name it. None of these is an edge, and with each of them "no callers" is not known.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from gieok.code.ask import outside
from gieok.code.ask.likelihood import Sources
from gieok.code.ask.markers import find_marker_names
from gieok.code.index import scan
from gieok.code.index.graph import INHERITS
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.code.languages.table import find_source_language
from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, SymbolKind
from gieok.model.code import Symbol, key_name, key_path

#: More changed symbols than this are a file or a folder, of which one name says nothing.
_MOST_SYMBOLS = 50
_MOST_SITES = 20
#: Markers that hand a definition to nobody, and bases that call nothing of it.
_INERT_MARKERS = frozenset(
    """
        Override SuppressWarnings Deprecated deprecated FunctionalInterface SafeVarargs Nullable
        NonNull NotNull staticmethod classmethod property cached_property setter getter deleter
        abstractmethod overload override final wraps cache lru_cache contextmanager
        asynccontextmanager dataclass total_ordering inline must_use allow cfg derive doc warn
        deny expect repr non_exhaustive track_caller Obsolete MethodImpl Test
        ParameterizedTest test
    """.split()
)
_INERT_BASES = frozenset("object Object Generic Protocol ABC NamedTuple TypedDict Any".split())
_ACCESSOR = re.compile(r"(?:get|set|is)([A-Z])(\w*)")
_BASES = re.compile(r"\((.*)\)|\b(?:extends|implements|:)\s*(.*)")
_BASE = re.compile(r"(?:\w+(?:\.|::))*([A-Za-z_]\w*)\s*(?:[<\[][^,]*)?")
_ONLY_NAMED = re.compile(
    r"\s*(?:(?:export|import|from|use|pub use|using)\b(?!.*=)|(?:module\.)?exports\b|__all__\b"
    r"|[\w$]+,?\s*$|\{[\s\w$,]*\}\s*;?\s*$|(?:const|let|var)\b.*\brequire\()"
)
_SPECIAL = re.compile(r"__\w+__")


class Mentions(NamedTuple):
    """What may use symbols: their markers, bases from outside, and places that have their name.

    `unsearched_symbols` are so many that their names were not looked for; `unsearched_files` were
    too large, or too many to be searched.
    """

    markers: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    number: int = 0
    unsearched_symbols: int = 0
    unsearched_files: int = 0


def find_mentions(project: Project, sources: Sources, keys: Sequence[str]) -> Mentions:
    """Return what may use these symbols besides the code that edges lead from.

    A file stands for the definitions at its top.
    """
    asked = project.store.symbols(keys=keys)
    files = {s.key: s.path for s in asked if s.kind == SymbolKind.MODULE}
    inside = project.store.symbols(paths=sorted(files.values())) if files else []
    tops = [s for s in inside if s.parent in files or not s.parent]
    symbols = [s for s in {s.key: s for s in (*asked, *tops)}.values() if s.kind in DEFINITIONS]
    if len(symbols) > _MOST_SYMBOLS:
        return Mentions(unsearched_symbols=len(symbols))
    searched = _search_names(project, symbols)
    sites = [*_iter_named_sites(project, sources, symbols, searched.places)]
    return Mentions(
        markers=tuple(dict.fromkeys(_iter_outside_markers(project, sources, symbols))),
        bases=tuple(dict.fromkeys(_iter_outside_bases(project, symbols))),
        sites=tuple(sites[:_MOST_SITES]),
        number=len(sites),
        unsearched_files=searched.unsearched,
    )


def _iter_outside_markers(
    project: Project, sources: Sources, symbols: Sequence[Symbol]
) -> Iterator[str]:
    """Yield the markers that the project does not define itself."""
    for symbol in symbols:
        for name in find_marker_names(sources.lines(symbol.path), symbol):
            last = name.rpartition(".")[2].rpartition(":")[2]
            if last not in _INERT_MARKERS and not project.store.symbols(names=[last]):
                yield name


def _iter_outside_bases(project: Project, symbols: Sequence[Symbol]) -> Iterator[str]:
    """Yield the bases of the methods' classes that are not in the project, and what calls
    `__str__`.
    """
    for symbol in symbols:
        if symbol.kind not in FUNCTIONS:
            continue
        if _SPECIAL.fullmatch(symbol.name):
            yield symbol.name
        frontier, known = [symbol.parent], set[str]()
        while frontier:
            known.update(frontier)
            classes = [
                s for s in project.store.symbols(keys=frontier) if s.kind == SymbolKind.CLASS
            ]
            edges = [
                e
                for e in project.store.edges_out_of([s.key for s in classes])
                if e.kind == INHERITS
            ]
            own = {key_name(edge.target).rpartition(".")[2] for edge in edges}
            for kind in classes:
                yield from (base for base in parse_base_names(kind) if base not in own)
            frontier = sorted({edge.target for edge in edges} - known)


def parse_base_names(symbol: Symbol) -> list[str]:
    """Return the names of a class's bases by its signature, without those that call nothing."""
    head = symbol.signature.partition(symbol.name)[2]
    found = _BASES.search(head)
    if found is None:
        return []
    listed = re.sub(r"[<\[][^<>\[\]]*[>\]]", "", found[1] or found[2])
    parts = re.split(r",|\bimplements\b|\bextends\b|\bwith\b", listed.partition("{")[0])
    matches = [_BASE.match(part.strip()) for part in parts if "=" not in part]
    return [match[1] for match in matches if match and match[1] not in _INERT_BASES]


def _search_names(project: Project, symbols: Sequence[Symbol]) -> scan.WordSearch:
    """Search the project's files, without prose, for the names of symbols as words.

    A template or a file of settings may also spell a getter as its property.
    """
    names = {symbol.name.rpartition(".")[2] for symbol in symbols} - {"<init>", "<module>"}
    if not names:
        return scan.WordSearch((), 0)
    properties = {
        match[1].lower() + match[2] for name in names if (match := _ACCESSOR.fullmatch(name))
    }
    return scan.search_project_words(project.root, names, properties, project.rules, _is_searched)


def _iter_named_sites(
    project: Project,
    sources: Sources,
    symbols: Sequence[Symbol],
    named_lines: Iterable[tuple[str, int]],
) -> Iterator[str]:
    """Yield the (path, line) places of names from where no edge leads, as `path#Lline`.

    Left out are the symbols themselves, comments, and lines that import or export.
    """
    known = {
        (key_path(edge.source), edge.line)
        for edge in project.store.edges_into([symbol.key for symbol in symbols])
    }
    for path, number in named_lines:
        inside = [s for s in symbols if s.path == path and s.start_line <= number <= s.end_line]
        if not inside and (path, number) not in known and _is_use_of_name(sources, path, number):
            yield f"{path}#L{number}"


def _is_use_of_name(sources: Sources, path: str, number: int) -> bool:
    """Return whether a line does more than name, import or export something."""
    language = find_source_language(path)
    if language is None:
        return True
    lines = sources.lines(path)
    is_comment = not outside.telling(lines, [number], language)
    return not is_comment and not (number <= len(lines) and _ONLY_NAMED.match(lines[number - 1]))


def _is_searched(path: str) -> bool:
    if PurePosixPath(path).name.lower().startswith(("changelog", "license", "changes")):
        return False
    language = find_source_language(path)
    return not (places.is_document(path) if language else path.endswith((".po", ".lock", ".svg")))
