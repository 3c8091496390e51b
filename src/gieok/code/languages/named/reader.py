"""Read a language without its own resolver into facts.

Facts are its symbols, and the names that it calls, extends and imports. One reader serves all such
languages: a `Grammar` says which nodes mean what. Of a call only the name is kept, and calls are
linked by this name (`resolve/by_name.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.languages.language import Language
from gieok.code.languages.tree import Node, Parse, TreeReader
from gieok.code.model.facts import NOTHING, Facts, Op, SymbolKind, Trait

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_TEST = re.compile(r"(?i)test")
#: Attributes and annotations that mark functions called by a runner.
_TEST_MARK = re.compile(r"[@\[]\s*(?:\w+\.)*(?:Test|Fact|Theory|TestMethod|ParameterizedTest)\b")
_NAMES = ("name", "function", "method", "field", "suffix", "type", "declarator", "callee")
_CALLED = ("function", "method", "name", "constructor", "type")
#: Text before a called name: the current object or class, or nothing; and names that never belong
#: to the project.
_OWN = ("", "this", "self", "super", "parent", "static", "base", "$this")
_OUTSIDE = ("std", "::std")
_NAME_TYPE = re.compile(r".*(?:identifier|name|constant)|operator_name|destructor_name")


class Grammar(NamedTuple):
    """Node types of a language by their role; types are separated by spaces."""

    classes: str
    functions: str
    calls: str
    #: Node types whose text holds an import; and the pattern that finds the imported file in the
    #: text.
    imports: str = ""
    imported: str = r"[\"'<]([^\"'>]+)[\"'>]"
    #: Functions that import; and the method that makes an object of the class before it.
    importing: str = ""
    creating: str = ""
    #: Node types inside a class that name its bases.
    bases: str = ""
    branches: str = ""
    #: Separator in the name of a member that is defined outside of its class: `void A::b()`.
    separator: str = "::"
    comment: bytes = b"//"


class _NamedReader(TreeReader):
    def __init__(
        self, grammar: Grammar, language: str, source: bytes, roots: Sequence[Node], parse: Parse
    ) -> None:
        super().__init__(language, source, roots, parse)
        self.grammar = grammar
        self.branches = frozenset(grammar.branches.split())
        self.handlers = {
            **dict.fromkeys(grammar.classes.split(), _NamedReader._class),
            **dict.fromkeys(grammar.functions.split(), _NamedReader._function),
            **dict.fromkeys(grammar.calls.split(), _NamedReader._call),
            **dict.fromkeys(grammar.imports.split(), _NamedReader._import),
        }

    def _class(self, node: Node) -> None:
        name = self._name(node)
        # `struct node *next` is a use of the type, no definition
        is_use = node.type.endswith("_specifier") and self.field(node, "body") is None
        if not name or is_use:
            return self.nothing(node)
        number, inner = self.class_(node, name, ())
        symbol = self.builder.classes[number].symbol
        for base in self._bases(node):
            self.emit(Op.LOAD, NOTHING, NOTHING, base, symbol, self.line(node))
        outer, self.scope = self.scope, inner
        self.nothing(node)
        self.scope = outer
        return None

    def _bases(self, node: Node) -> Iterator[str]:
        types = self.grammar.bases.split()
        for child in node.named_children:
            if child.type in types:
                for part in child.named_children:
                    name = self._last(part)
                    if name:
                        yield name

    def _function(self, node: Node) -> None:
        name = self._name(node)
        if not name:
            return self.nothing(node)
        owner, _, own = name.rpartition(".")
        is_method = self.scope.owner != NOTHING or bool(owner)
        head = self.text(node)[:400]
        is_test = bool(_TEST.match(own) or _TEST_MARK.search(head.partition("{")[0]))
        body = self.field(node, "body") or node
        kind = SymbolKind.METHOD if is_method else SymbolKind.FUNCTION
        self.function(node, name, kind, (), body, traits=(Trait.TEST,) if is_test else ())
        return None

    def _call(self, node: Node) -> None:
        called = next(
            (child for field in _CALLED if (child := self.field(node, field)) is not None), None
        )
        called = called or (node.named_children[0] if node.named_children else node)
        name, before = self._last(called), self._before(node, called)
        if name in self.grammar.importing.split():
            self._import(node)
        elif name == self.grammar.creating and before:
            name, before = re.split(r"\W+", before)[-1], ""
        at = self.scope.symbol, self.line(node)
        if name and before in _OWN:
            self.emit(Op.CALL, NOTHING, NOTHING, [], *at, name)
        elif name and before not in _OUTSIDE:
            self.emit(Op.CALL_METHOD, NOTHING, NOTHING, name, [], *at)
        self.nothing(node)

    def _before(self, node: Node, called: Node) -> str:
        """Return the text before the called name: an object, a class or a namespace."""
        for holder in (called, node):
            if self.field(holder, "scope") is not None:  # a class or a space of names is no object
                scope = self.name(holder, "scope")
                return scope if scope in _OUTSIDE else ""
            for field in ("argument", "expression", "object", "receiver", "target"):
                if (child := self.field(holder, field)) is not None:
                    return self.text(child)
        is_path = called.type == "navigation_expression" and len(called.named_children) > 1
        return self.text(called.named_children[0]) if is_path else ""

    def _last(self, node: Node) -> str:
        """Return the last name of `a.b::c<T>`."""
        if _NAME_TYPE.fullmatch(node.type) and not node.named_children:
            return self.text(node)
        for field in _NAMES:
            if (inner := self.field(node, field)) is not None:
                return self._last(inner)
        parts = [
            part
            for part in node.named_children
            if "argument" not in part.type and "comment" not in part.type
        ]
        return self._last(parts[-1]) if parts else ""

    def _import(self, node: Node) -> None:
        match = re.search(self.grammar.imported, self.text(node))
        if match is not None:
            self.emit(Op.IMPORT, NOTHING, match[match.lastindex or 0], "", 0, self.line(node))

    def _name(self, node: Node) -> str:
        """Return the name of a definition; in C the name is nested inside of declarators."""
        inner = self.field(node, "name")
        if inner is not None:
            return re.sub(r"<.*|\s", "", self.text(inner)).replace(self.grammar.separator, ".")
        declarator = self.field(node, "declarator")
        while declarator is not None and not _NAME_TYPE.fullmatch(declarator.type):
            declarator = self.field(declarator, "declarator") or self.child(
                declarator, *_DECLARATORS
            )
        if declarator is None:
            return ""
        return re.sub(r"<[^<>]*>|\s", "", self.text(declarator)).replace(
            self.grammar.separator, "."
        )

    def doc(self, node: Node) -> str:
        """Return the comment above a definition."""
        if self.grammar.comment == b"//":
            return super().doc(node)
        before = (
            self.source[max(self.begin(node) - 4_000, 0) : self.begin(node)].rstrip().split(b"\n")
        )
        lines = []
        for raw in reversed(before):
            if not raw.strip().startswith(self.grammar.comment):
                break
            lines.append(raw.strip().lstrip(self.grammar.comment + b" ").decode("utf-8", "replace"))
        return " ".join(reversed(lines))


_DECLARATORS = (
    "function_declarator",
    "pointer_declarator",
    "reference_declarator",
    "parenthesized_declarator",
    "qualified_identifier",
    "identifier",
    "field_identifier",
    "operator_name",
    "destructor_name",
)


@dataclass(frozen=True, kw_only=True)
class NamedLanguage(Language):
    """Language whose calls are linked by name; `nodes` says what its syntax nodes mean."""

    nodes: Grammar

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return the facts of a file."""
        parse = partial(parser.parse, self.grammar)
        source = text.encode("utf-8", "surrogatepass")
        return _NamedReader(self.nodes, self.name, source, [parse(source)], parse).read()
