"""Tells imports that close no circle: what runs later, what is for types alone, and what stays inside one package."""

import re
from collections.abc import Sequence
from pathlib import Path
from posixpath import dirname

#: Files of one folder are one package, and import nothing of each other: they only use it.
_BY_FOLDER = (".go", ".java")
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_TYPES_ALONE = re.compile(r"\s*(?:import|export)\s+type\b")
_NAMED = re.compile(r"\s*(?:import|export)\s*\{([^}]*)\}")
_LATER = re.compile(r"(?:async\s+def|def|lambda)\b")
_FOR_TYPES = re.compile(r"if\b.*\bTYPE_CHECKING\b")


class Reading:
    """Reads the lines at which files of a project import others; each file once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._held: tuple[str, list[str]] = ("", [])

    def is_soft(self, source: str, target: str, lines: Sequence[int]) -> bool:
        """Say whether none of the imports of `target` at these 1-based lines runs as `source` is loaded."""
        if source.endswith(_BY_FOLDER):
            return dirname(source) == dirname(target)
        text = self._lines(source)
        return bool(text) and all(_is_soft(source, text, number) for number in lines)

    def _lines(self, path: str) -> list[str]:
        if self._held[0] != path:
            try:
                text = (self._root / path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                text = ""
            self._held = (path, text.split("\n"))
        return self._held[1]


def _is_soft(path: str, text: Sequence[str], number: int) -> bool:
    if not 0 < number <= len(text):
        return False
    if path.endswith(_SCRIPTS):
        return _is_of_types("\n".join(text[number - 1 : number + 30]))
    return path.endswith((".py", ".pyi")) and _runs_later(text, number - 1)


def _is_of_types(statement: str) -> bool:
    """Say whether an import of TypeScript is gone once it is compiled."""
    if _TYPES_ALONE.match(statement):
        return True
    found = _NAMED.match(statement)
    names = [name.strip() for name in found[1].split(",") if name.strip()] if found else []
    return bool(names) and all(name.startswith("type ") for name in names)


def _runs_later(text: Sequence[str], place: int) -> bool:
    """Say whether a line of Python stands in a function, or where only a type checker looks."""
    indent = _indent(text[place])
    while indent and place:
        place -= 1
        line = text[place]
        if line.strip() and line.lstrip()[0] not in "#)]}" and _indent(line) < indent:
            indent = _indent(line)
            if _LATER.match(line.lstrip()) or _FOR_TYPES.match(line.lstrip()):
                return True
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
