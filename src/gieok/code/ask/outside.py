"""Changed lines outside of functions: the names that they bind, and who reads these names.

Names are matched as words, so that the analysis holds in every language: a name that is bound in
such a line and appears in a function is taken for read there. A line that binds no name stands for
its whole file.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.ask.changes import find_innermost_symbols
from gieok.code.ask.impact import find_direct_importers
from gieok.code.ask.likelihood import Sources
from gieok.code.index.graph import REFERENCES, Certainty
from gieok.code.languages.table import find_source_language
from gieok.code.model.facts import SymbolKind
from gieok.model.code import Edge, module_key

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore

_REASON = "reads what changed"
_HASHED = frozenset(("python", "ruby"))
_COMMENT = re.compile(r"\s*(?://(?!go:)|/\*(?!.*\*/\s*\S)|\*[\s/]|\*$|$)")
_HASH_COMMENT = re.compile(r"\s*(?:#|$)")
_DOC = re.compile(r"[rRuU]?(\"\"\"|''')")
_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_QUOTED = re.compile(r"[\"']([^\"']+)[\"']")
_IMPORT = re.compile(r"\s*(?:from\s+\S+\s+import\b|import\b|(?:pub\s+)?use\s|using\s)")
_FROM = re.compile(r"\s*from\s+\S+\s+import\b")
_BLOCK = re.compile(r"(?:const|var)\s*\($")
_ASSIGNED = re.compile(r"(?<![=!<>:+\-*/%&|^])=(?![=>])")
_NO_NAMES = frozenset(
    (
        "import",
        "from",
        "as",
        "use",
        "using",
        "pub",
        "type",
        "static",
        "default",
        "export",
        "const",
        "let",
        "var",
        "declare",
        "val",
        "final",
        "readonly",
        "mut",
        "crate",
        "self",
        "super",
    )
)
#: How many steps are followed where a constant is made of constants.
_ROUNDS = 3


class BoundNames(NamedTuple):
    """Names that lines bind: for their own file, and for files that import it.

    Or a flag that the lines stand for their whole file.
    """

    imported: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    is_whole: bool = False

    def __or__(self, other: "BoundNames") -> "BoundNames":
        return BoundNames(
            self.imported | other.imported,
            self.names | other.names,
            self.is_whole or other.is_whole,
        )


def telling(lines: Sequence[str], numbers: Iterable[int], language: str | None) -> list[int]:
    """Return those of the lines (1-based) that are no comment, blank line or docstring of a
    file.
    """
    comment = _HASH_COMMENT if language in _HASHED else _COMMENT
    doc = _find_docstring_lines(lines) if language == "python" else range(0)
    return [
        n
        for n in sorted(numbers)
        if n not in doc and (n > len(lines) or not comment.match(lines[n - 1]))
    ]


def _find_docstring_lines(lines: Sequence[str]) -> range:
    """Return the lines of a Python file's docstring."""
    first = next((n for n, line in enumerate(lines, 1) if not _HASH_COMMENT.match(line)), 0)
    quotes = _DOC.match(lines[first - 1]) if first else None
    if quotes is None:
        return range(0)
    rest = lines[first - 1][quotes.end() :]
    ends = (n for n, line in enumerate([rest, *lines[first:]], first) if quotes[1] in line)
    return range(first, next(ends, len(lines)) + 1)


def find_bound_names(
    lines: Sequence[str], numbers: Iterable[int], language: str | None
) -> BoundNames:
    """Return the names that lines outside of functions bind."""
    names_bound = BoundNames()
    for number in numbers:
        names_bound |= (
            _bound_at(lines, number, language)
            if number <= len(lines)
            else BoundNames(is_whole=True)
        )
    return names_bound


def _bound_at(lines: Sequence[str], number: int, language: str | None) -> BoundNames:
    line, at = lines[number - 1], number - 1
    while at and (not lines[at].strip() or lines[at][0].isspace() or lines[at][0] in ")]}"):
        at -= 1
    head = lines[at]
    if _IMPORT.match(line) or _IMPORT.match(head):
        names = _parse_imported_names(line, language)
        return BoundNames(imported=names, is_whole=not names and bool(_NAME.search(line)))
    if _BLOCK.match(head.rstrip()):
        name = _NAME.search(line) if at != number - 1 else None
        return BoundNames(names=frozenset((name[0],) if name else ()))
    equals = _ASSIGNED.search(head)
    left = re.sub(r":.*", "", head[: equals.start()]) if equals else "("
    names = frozenset(_NAME.findall(left)) - _NO_NAMES
    return BoundNames(names=names) if names and "(" not in left else BoundNames(is_whole=True)


def _parse_imported_names(line: str, language: str | None) -> frozenset[str]:
    rest = _QUOTED.sub(" ", _FROM.sub(" ", line))
    names = frozenset(_NAME.findall(rest)) - _NO_NAMES
    quoted = _QUOTED.search(line)
    if not names and quoted and language == "go":
        return frozenset((quoted[1].rpartition("/")[2],))
    return names


def readers(graph: "ProjectStore", sources: Sources, path: str, what: BoundNames) -> list[Edge]:
    """Return an edge to a file from every symbol that reads the names that the file's lines bind.

    The reading symbols are in the file itself and in files that import it.
    """
    language, lines, inside = (
        find_source_language(path),
        sources.lines(path),
        graph.symbols(paths=[path]),
    )
    target, shared, own = module_key(path), what.names, what.names | what.imported
    edges: dict[str, Edge] = {}
    for _ in range(_ROUNDS):
        more = frozenset[str]()
        for symbol, numbers in find_innermost_symbols(
            inside, telling(lines, _find_naming_lines(lines, own), language)
        ):
            if symbol.kind == SymbolKind.MODULE:
                more |= find_bound_names(lines, numbers, language).names
            else:
                edges.setdefault(symbol.key, _build_reader_edge(symbol.key, target, numbers[0]))
        if more <= shared:
            break
        shared, own = shared | more, own | more
    for other in sorted(find_direct_importers(graph, [path]) - {path}):
        for symbol, numbers in find_innermost_symbols(
            graph.symbols(paths=[other]), _find_naming_lines(sources.lines(other), shared)
        ):
            if symbol.kind != SymbolKind.MODULE:
                edges.setdefault(symbol.key, _build_reader_edge(symbol.key, target, numbers[0]))
    return sorted(edges.values())


def _build_reader_edge(key: str, target: str, line: int) -> Edge:
    return Edge(
        source=key,
        target=target,
        kind=REFERENCES,
        tier=Certainty.RESOLVED,
        reason=_REASON,
        line=line,
    )


def _find_naming_lines(lines: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return the numbers of the lines that have one of these names."""
    alternatives = "|".join(sorted(map(re.escape, names)))
    if not alternatives:
        return []
    named = re.compile(rf"(?<![\w$])(?:{alternatives})(?![\w$])")
    return [n for n, line in enumerate(lines, 1) if named.search(line)]
