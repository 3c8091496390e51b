"""`Parser` by tree-sitter, with one wheel per language: their grammars are inside.

Not `tree-sitter-language-pack`: from version 1 it fetches grammars from the network at run time and fails offline.
"""

from functools import cache
from importlib import import_module

import tree_sitter

from gieok.errors import MissingExtra
from gieok.ports.code import SyntaxNode

#: language → (module, function that gives the grammar)
_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
}


class TreeSitterParser:
    """Loads a grammar when its language is first met."""

    def parse(self, language: str, source: bytes) -> SyntaxNode:
        """Return the root of the syntax tree."""
        root: SyntaxNode = _parser(language).parse(source).root_node
        return root


@cache
def _parser(language: str) -> tree_sitter.Parser:
    module, function = _GRAMMARS[language]
    try:
        grammar = getattr(import_module(module), function)()
    except ModuleNotFoundError as error:
        package = module.replace("_", "-")
        raise MissingExtra(f"{language} needs {package}", hint=f"run `pip install {package}`") from error
    return tree_sitter.Parser(tree_sitter.Language(grammar))
