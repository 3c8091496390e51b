"""Parser of programming languages by tree-sitter, with one wheel per language for its grammar.

Not `tree-sitter-language-pack`: from version 1 on, that package fetches grammars from the network
at run time and fails offline.
"""

from functools import cache
from importlib import import_module

import tree_sitter

from gieok import extras
from gieok.ports.code import SyntaxNode


class TreeSitterParser:
    """Parser that loads a grammar when its language first occurs."""

    def parse(self, grammar: str, source: bytes) -> SyntaxNode:
        """Return the root of the syntax tree; source that does not parse is a node of type ERROR.

        Raises MissingExtra. `grammar` is `module:function`, of the package that holds the grammar.
        """
        root: SyntaxNode = _build_grammar_parser(grammar).parse(source).root_node
        return root


@cache
def _build_grammar_parser(grammar: str) -> tree_sitter.Parser:
    module, _, function = grammar.partition(":")
    with extras.imports_of("", module):
        language = getattr(import_module(module), function)()
    return tree_sitter.Parser(tree_sitter.Language(language))
