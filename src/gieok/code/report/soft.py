"""Find soft imports, which close no cycle.

They are imports that run later, are for types alone, or stay inside one package.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from posixpath import dirname

from gieok.code.index import scan
from gieok.code.index.project import Project
from gieok.code.model.facts import SymbolKind
from gieok.text.lines import measure_indent

#: Suffixes of languages whose files of one folder are one package: they use each other without an
#: import.
_BY_FOLDER = (".go", ".java")
#: Suffixes of languages with crates: modules of a crate are compiled together, and crates cannot
#: import each other except for tests.
_BY_PACKAGE = (".rs",)
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_TYPES_ALONE = re.compile(r"\s*(?:import|export)\s+type\b")
_NAMED = re.compile(r"\s*(?:import|export)\s*\{([^}]*)\}")
_TYPE = re.compile(r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:interface|type)\b")
_LATER = re.compile(r"(?:async\s+def|def|lambda)\b")
_FOR_TYPES = re.compile(r"if\b.*\bTYPE_CHECKING\b")


class ImportLineReader:
    """Reader of the lines at which files of a project import others; reads each file once."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        self._held: tuple[str, list[str]] = ("", [])
        #: Path → names that a file declares and that are gone once it is compiled.
        self._types: dict[str, set[str]] = defaultdict(set)
        for symbol in project.store.all_symbols():
            if (
                symbol.kind == SymbolKind.CLASS
                and symbol.path.endswith(_SCRIPTS)
                and _TYPE.match(symbol.signature)
            ):
                self._types[symbol.path].add(symbol.name)

    def soft(self, imports: Mapping[tuple[str, str], Sequence[int]]) -> set[tuple[str, str]]:
        """Return the imports that do not run while the importing file is loaded.

        `imports` maps (importing file, imported file) to lines.
        """
        return {row for row, lines in sorted(imports.items()) if self._is_soft(*row, lines)}

    def _is_soft(self, source: str, target: str, lines: Sequence[int]) -> bool:
        if source.endswith(_BY_FOLDER):
            return dirname(source) == dirname(target)
        if source.endswith(_BY_PACKAGE):
            return True
        text = self._lines(source)
        types = self._types.get(target, set())
        return bool(text) and all(_is_soft(source, text, number, types) for number in lines)

    def _lines(self, path: str) -> list[str]:
        if self._held[0] != path:
            self._held = (path, scan.read_source_text(self._root, path).split("\n"))
        return self._held[1]


def _is_soft(path: str, text: Sequence[str], number: int, types: Collection[str]) -> bool:
    if not 0 < number <= len(text):
        return False
    if path.endswith(_SCRIPTS):
        return _is_of_types("\n".join(text[number - 1 : number + 30]), types)
    return path.endswith((".py", ".pyi")) and _runs_later(text, number - 1)


def _is_of_types(statement: str, types: Collection[str]) -> bool:
    """Return whether compiling removes a TypeScript import.

    `types` are the types that the imported file declares.
    """
    if _TYPES_ALONE.match(statement):
        return True
    match = _NAMED.match(statement)
    names = [name.strip() for name in match[1].split(",") if name.strip()] if match else []
    return bool(names) and all(
        name.startswith("type ") or name.partition(" ")[0] in types for name in names
    )


def _runs_later(text: Sequence[str], place: int) -> bool:
    """Return whether a line of Python is in a function or is read by type checkers only."""
    indent = measure_indent(text[place])
    while indent and place:
        place -= 1
        line = text[place]
        if line.strip() and line.lstrip()[0] not in "#)]}" and measure_indent(line) < indent:
            indent = measure_indent(line)
            if _LATER.match(line.lstrip()) or _FOR_TYPES.match(line.lstrip()):
                return True
    return False
