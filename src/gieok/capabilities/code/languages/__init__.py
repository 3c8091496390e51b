"""One reader per language: source text → facts."""

from collections.abc import Callable

from gieok.capabilities.code.languages import go, java, javascript, manifest, python_tolerant, rust
from gieok.capabilities.code.model.facts import Facts
from gieok.ports.code import Parser

#: (text, language, parser) → facts. Raises SyntaxError, ValueError, RecursionError.
Reader = Callable[[str, str, Parser], Facts]

READERS: dict[str, Reader] = {
    "python": python_tolerant.read,
    "manifest": lambda text, language, parser: manifest.read(text),
    "javascript": javascript.read,
    "typescript": javascript.read,
    "tsx": javascript.read,
    "java": java.read,
    "go": go.read,
    "rust": rust.read,
}
