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
from gieok.code.languages.named.macros import parse_around_macros, read_heading
from gieok.code.languages.tree import Node, Parse, TreeReader, name_by_title
from gieok.code.model.facts import NOTHING, Facts, Namespace, Op, SymbolKind, Trait

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
    #: Node types of spaces of names, which begin the names of what is in them; and the pattern that
    #: finds the package of all of the file.
    spaces: str = ""
    package: str = ""
    #: Whether names may stand inside of macros.
    has_macros: bool = False


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
            **dict.fromkeys(grammar.spaces.split(), _NamedReader._space),
        }

    def start(self) -> None:
        """Find the package of the file."""
        #: Scope that only names the class or suite of a definition → it, and the one around it.
        self._owned: dict[int, tuple[Namespace, Namespace]] = {}
        if self.grammar.package:
            head = self.source.decode("utf-8", "replace")
            found = re.search(self.grammar.package, head, re.MULTILINE)
            self.builder.package = found[1].replace("\\", ".") if found else ""

    def _space(self, node: Node) -> None:
        """Read `namespace a::b { … }`: names in it begin with `a.b.`, or with nothing."""
        names = re.findall(r"\w+", self.name(node))
        outer, self.scope = self.scope, self._inside(".".join(names))
        self.nothing(node)
        self.scope = outer

    def _inside(self, name: str) -> Namespace:
        """Return the current scope, with names in it that begin with a name."""
        outer = self.scope
        prefix = f"{outer.prefix}{name}." if name else outer.prefix
        return Namespace(outer, outer.symbol, outer.function, prefix, outer.owner)

    def nothing(self, node: Node) -> None:
        """Read the children; a heading of a macro and the body behind it are one function."""
        if not self.grammar.has_macros:
            return super().nothing(node)
        children = [child for child in node.named_children if child.type != "comment"]
        before: Node | None = None
        for child in children:
            if child.type != "compound_statement" or before is None:
                if before is not None:
                    self.value(before)
                before = child
            elif not self._headed(before, child):
                self.value(before)
                before = child
            else:
                before = None
        if before is not None:
            self.value(before)
        return None

    def block(self, node: Node) -> None:
        """Read the children of a node, one after the other."""
        self.nothing(node)

    def _headed(self, head: Node, body: Node) -> bool:
        """Read a heading that the grammar does not know, with its body; False where it is none."""
        text = self.text(head).rstrip("; ")
        if head.type not in ("expression_statement", "ERROR") or "{" in text:
            return False
        heading = read_heading(text)
        if not self._may_be_headed(head, heading):
            return False
        if heading is None:
            declared = re.fullmatch(r"[\w\s*&]*?(\w+)\s*\([^()]*\)", text)
            heading = (declared[1], False) if declared and head.type == "ERROR" else None
        if heading is None:
            return False
        self._define(head, heading[0], body, is_test=heading[1], is_heading=True, end=body)
        return True

    def _may_be_headed(self, node: Node, heading: tuple[str, bool] | None) -> bool:
        """Say whether a function may begin at a heading of a macro.

        Inside of a function it is a loop or a part (`LIST_FOREACH(…) { … }`, `SECTION("x") { … }`),
        unless a test begins at the first column: then the grammar lost the end of what is around.
        """
        is_test = heading is not None and heading[1]
        return self.scope.function == 0 or (is_test and node.start_point[1] == 0)

    def _define(
        self,
        node: Node,
        name: str,
        body: Node,
        *,
        is_test: bool,
        is_heading: bool = False,
        end: Node | None = None,
    ) -> None:
        """Add a function; what stands before the last dot of its name is its class or suite."""
        owner, _, own = name.rpartition(".")
        is_method = self.scope.owner != NOTHING or (bool(owner) and not is_heading)
        kind = SymbolKind.METHOD if is_method else SymbolKind.FUNCTION
        outer = self.scope
        if self.grammar.has_macros and node.start_point[1] == 0:
            # nothing is inside of a function at the first column: the grammar lost its end
            self.scope = next(scope for scope in outer.outwards() if scope.function == 0)
            self.scope = self._owned.get(id(self.scope), (self.scope, self.scope))[1]
        around, self.scope = self.scope, self._inside(owner)
        self._owned[id(self.scope)] = (self.scope, around)
        traits = (Trait.TEST,) if is_test else ()
        number, _ = self.function(node, own, kind, (), body, traits=traits)
        self.scope = outer
        if end is not None:
            symbol = self.builder.functions[number].symbol
            last = self.before[1] + end.end_point[0] + 1
            self.builder.symbols[symbol] = self.builder.symbols[symbol]._replace(end=last)

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
        body = self.field(node, "body") or node
        if not name:
            return self.nothing(node)
        heading, is_function = None, True
        if self.grammar.has_macros and node.type == "function_definition":
            head = self.source[self.begin(node) : self.begin(body)].decode("utf-8", "replace")
            is_function = self._has_parameters(node)
            if not is_function or self.field(node, "type") is None:
                heading = read_heading(head.rstrip())
        if heading is None and not is_function:
            return self.nothing(node)
        if heading is not None:
            if not self._may_be_headed(node, heading):
                return self.nothing(node)
            self._define(node, heading[0], body, is_test=heading[1], is_heading=True)
            return None
        head = self.text(node)[:400]
        own = name.rpartition(".")[2]
        is_test = bool(_TEST.match(own) or _TEST_MARK.search(head.partition("{")[0]))
        self._define(node, name, body, is_test=is_test)
        return None

    def _has_parameters(self, node: Node) -> bool:
        """Say whether a definition of C has parameters; a variable with values in braces has none.

        The grammar reads `struct POINT p{1, 2}` and `WITH_LOCK(m) { … }` as functions too.
        """
        declarator = self.field(node, "declarator")
        while declarator is not None and declarator.type not in _WITH_PARAMETERS:
            inner = self.field(declarator, "declarator") or self.field(declarator, "name")
            declarator = inner or self.child(declarator, *_DECLARATORS)
        return declarator is not None

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
        if inner is not None and self.text(inner).startswith("`"):
            return name_by_title(self.text(inner).strip("`"))
        if inner is not None:
            return re.sub(r"<.*|\s", "", self.text(inner)).replace(self.grammar.separator, ".")
        declarator = self.field(node, "declarator")
        while declarator is not None and not _NAME_TYPE.fullmatch(declarator.type):
            declarator = self.field(declarator, "declarator") or self.child(
                declarator, *_DECLARATORS
            )
        if declarator is None:
            return ""
        text = re.sub(
            r"(operator\s+\w[\w\s:*&]*)\(\).*", r"\1", self.text(declarator), flags=re.DOTALL
        )
        inner_text = ""
        while inner_text != text:  # `Stack<Map<K, V>>`; an operator `<` stays
            inner_text, text = text, re.sub(r"(?<!operator)<[^<>]*>", "", text)
        return re.sub(r"\s", "", text).replace(self.grammar.separator, ".").strip(".")

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


_WITH_PARAMETERS = ("function_declarator", "operator_cast")
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
        tree = parse_around_macros(source, parse) if self.nodes.has_macros else parse(source)
        return _NamedReader(self.nodes, self.name, source, [tree], parse).read()
