"""Base of the readers of syntax trees: text of nodes, scopes, definitions, queues.

A language adds tables of handlers. A handler gets a node and returns the variable that holds the
node's value, or None. A node without a handler has the value of its children.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from gieok.code.languages.emission import Emission
from gieok.code.languages.language import Language
from gieok.code.model.facts import (
    NOTHING,
    Argument,
    Builder,
    ClassFact,
    Facts,
    FunctionFact,
    Namespace,
    SymbolFact,
    SymbolKind,
    Trait,
    Variable,
)
from gieok.ports.code import SyntaxNode
from gieok.text.redact import redact_source

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

Node = SyntaxNode
#: Parses a piece of source in the reader's language.
Parse = Callable[[bytes], Node]
#: How many bytes above a definition are searched for its comment.
_FARTHEST_DOC = 8_000
_DEEPEST = 200
_LONGEST_TITLE = 80


class TreeReader(Emission[Node]):
    """Walker of a syntax tree; subclasses say what each kind of node means."""

    #: Node type → the method that reads it.
    handlers: Mapping[str, Callable[..., Variable | None]] = MappingProxyType({})
    #: Node types whose children are not read.
    skipped: ClassVar[frozenset[str]] = frozenset(("comment", "line_comment", "block_comment"))
    #: Node types that branch, counted for the complexity.
    branches: frozenset[str] = frozenset()
    #: Node types that may stand before a definition on its line; the comment is above that line.
    leading: ClassVar[re.Pattern[bytes] | None] = None

    def __init__(self, language: str, source: bytes, roots: Sequence[Node], parse: Parse) -> None:
        super().__init__(Builder(language, source.count(b"\n") + 1))
        self.source = source
        self.parse = parse
        self.waiting: deque[tuple[Node, Namespace, tuple[int, int]]] = deque()
        #: Offset of the current piece in bytes and lines of the file, where a piece is parsed
        #: separately.
        self.before = (0, 0)
        self.complexity: dict[int, int] = {}
        self.roots = roots
        self._depth = 0

    def read(self) -> Facts:
        """Return the facts of the file."""
        self.start()
        for root in self.roots:
            self.block(root)
        self.builder.code = self.builder.inner
        while self.waiting:
            body, self.scope, self.before = self.waiting.popleft()
            self.body(body)
        for symbol, count in self.complexity.items():
            self.builder.symbols[symbol] = self.builder.symbols[symbol]._replace(
                complexity=count + 1
            )
        facts = self.builder.finish()
        return (
            facts._replace(error="a part of it has syntax errors")
            if self.roots[-1].has_error
            else facts
        )

    def start(self) -> None:
        """Prepare, before the first node is read."""

    def body(self, node: Node) -> None:
        """Read the body of a function."""
        self.block(node)

    def block(self, node: Node) -> None:
        """Read the children of a node, one after the other."""
        self.declare(node)
        for child in node.named_children:
            self.value(child)

    def declare(self, node: Node) -> None:
        """Bind names that are known before their definition is reached."""

    def value(self, node: Node | None) -> Variable:
        """Return the variable that holds the value of a node."""
        if node is None:
            return NOTHING
        kind = node.type
        if kind in self.skipped:
            return NOTHING
        if kind in self.branches:
            self.complexity[self.scope.symbol] = self.complexity.get(self.scope.symbol, 0) + 1
        if self._depth == _DEEPEST:
            return NOTHING
        handler = self.handlers.get(kind)
        self._depth += 1
        value = self.inside(node) if handler is None else handler(self, node)
        self._depth -= 1
        return NOTHING if value is None else value

    def inside(self, node: Node) -> Variable:
        """Read the children; their value is the node's value."""
        held = [value for child in node.named_children if (value := self.value(child)) != NOTHING]
        if len(held) > 1:
            return self.builder.merge(*held)
        return held[0] if held else NOTHING

    def inside_apart(self, root: Node, place: Node) -> Variable:
        """Read the children of a piece of the file that was parsed separately.

        The piece stands where `place` does.
        """
        outer = self.before
        self.before = (self.begin(place) - root.start_byte, self.line(place) - 1)
        held = self.inside(root)
        self.before = outer
        return held

    def nothing(self, node: Node) -> None:
        """Read the children; the node has no value."""
        for child in node.named_children:
            self.value(child)

    def skip(self, node: Node) -> None:
        """Read nothing."""

    def first(self, node: Node) -> Variable:
        """Read the first child; its value is the node's value."""
        return self.value(node.named_children[0]) if node.named_children else NOTHING

    def last(self, node: Node) -> Variable:
        """Read the last child; its value is the node's value."""
        return self.value(node.named_children[-1]) if node.named_children else NOTHING

    def returned(self, node: Node) -> None:
        """Let the function that is being read return the value of the children."""
        for child in node.named_children:
            self.give(self.value(child))

    def conditional(self, node: Node) -> Variable:
        """Read `condition ? consequence : alternative`; its value is either of the two."""
        self.field_value(node, "condition")
        return self.builder.merge(
            self.field_value(node, "consequence"), self.field_value(node, "alternative")
        )

    def arguments(self, listed: Node | None) -> list[Argument]:
        """Return the arguments of a call, by position."""
        children = list_children(listed)
        return [("", self.value(child)) for child in children if "comment" not in child.type]

    def row(
        self, parts: Iterable[Node], read: Callable[[Node], Variable], key: str = ""
    ) -> Variable:
        """Return a new container of the values that `read` makes of `parts`.

        Values are kept by position, or all under one `key`.
        """
        held = self.builder.container()
        for place, part in enumerate(parts):
            self.store_index(held, key or place, read(part), part)
        return held

    def text_value(self, node: Node) -> Variable:
        """Return the variable that stands for every text; the content of a text is not tracked."""
        del node
        return self.builder.external("str")

    def text(self, node: Node | None) -> str:
        """Return the source of a node."""
        if node is None:
            return ""
        before = self.before[0]
        return self.source[before + node.start_byte : before + node.end_byte].decode(
            "utf-8", "replace"
        )

    def bytes_of(self, node: Node) -> bytes:
        """Return the bytes of a node as they are in the file."""
        return self.source[self.begin(node) : self.before[0] + node.end_byte]

    def field(self, node: Node, name: str) -> Node | None:
        """Return the child of a node that has a role (a field of the grammar)."""
        return node.child_by_field_name(name)

    def field_value(self, node: Node, name: str) -> Variable:
        """Return the variable that holds the value of the child that has a role."""
        return self.value(self.field(node, name))

    def type(self, node: Node | None) -> Variable:
        """Return instances of the type that a node names; nothing in a language without types."""
        del node
        return NOTHING

    def declared_type(self, node: Node) -> Variable:
        """Return instances of the type that a node is declared with."""
        return self.type(self.field(node, "type"))

    def children(self, node: Node, name: str) -> Sequence[Node]:
        """Return the children of the child that has a role; empty where there is no such child."""
        return list_children(node.child_by_field_name(name))

    def child(self, node: Node, *types: str) -> Node | None:
        """Return the first child that has one of these types."""
        for child in node.named_children:
            if child.type in types:
                return child
        return None

    def name(self, node: Node, field: str = "name") -> str:
        """Return the source of the child that has a role."""
        return self.text(node.child_by_field_name(field))

    def line(self, node: Node) -> int:
        """Return the 1-based line at which a node begins."""
        return self.before[1] + node.start_point[0] + 1

    def begin(self, node: Node) -> int:
        """Return the offset in bytes at which a node begins in the file."""
        return self.before[0] + node.start_byte

    # Definitions

    def symbol(
        self, node: Node, name: str, kind: str, traits: Sequence[str] = (), doc: str = ""
    ) -> int:
        """Add a symbol inside the current scope and return its number."""
        start = self.line(node)
        fact = SymbolFact(
            name=name,
            qualified=self._prefix(kind) + name,
            kind=kind,
            start=start,
            end=self.before[1] + node.end_point[0] + 1,
            parent=self.scope.symbol,
            doc=doc,
            traits=tuple(sorted(traits)),
            status="deprecated" if "@deprecated" in doc.lower() else "active",
        )
        self.builder.symbols.append(fact)
        return len(self.builder.symbols) - 1

    def _prefix(self, kind: str) -> str:
        """Return the beginning of a symbol's name.

        A function without a name is named after its enclosing symbol, which also bears its calls.
        """
        if kind != SymbolKind.LAMBDA:
            return self.scope.prefix
        return f"{self.builder.symbols[self.scope.symbol].qualified}." if self.scope.symbol else ""

    def doc(self, node: Node) -> str:
        """Return the comment that stands directly above a node."""
        before = self.source[max((start := self.begin(node)) - _FARTHEST_DOC, 0) : start].rstrip()
        head = before[before.rfind(b"\n") + 1 :]
        if self.leading is not None and self.leading.fullmatch(head):
            before = before.removesuffix(head).rstrip()
        if before.endswith(b"*/"):
            return _strip_comment_marks(before[before.rfind(b"/*") :].decode("utf-8", "replace"))
        lines = []
        for raw in reversed(before.split(b"\n")):
            stripped = raw.strip()
            if not stripped.startswith((b"//", b"///")):
                break
            lines.append(stripped.lstrip(b"/! ").decode("utf-8", "replace"))
        return " ".join(reversed(lines))

    def function(
        self,
        node: Node,
        name: str,
        kind: str,
        parameters: Sequence[tuple[str, Variable]],
        body: Node | None,
        *,
        receiver: str = "",
        rest: str = "",
        traits: Sequence[str] = (),
    ) -> tuple[int, Namespace]:
        """Add a function and queue its body; return the function's number and scope.

        `parameters` are names with the variables of their annotations. `receiver` names the first
        parameter, which a call fills with the object; a function without a name is a lambda.
        """
        builder = self.builder
        shown = name or builder.lambda_name(self.scope.symbol)
        symbol = self.symbol(
            node, shown, kind if name else SymbolKind.LAMBDA, traits, self.doc(node) if name else ""
        )
        outer = self.scope
        inner = Namespace(self.closure(), symbol, len(builder.functions), self.inner_prefix(symbol))
        places = [receiver] if receiver else []
        variables = [builder.bind(inner, receiver)] if receiver else []
        for parameter, annotation in parameters:
            variable = builder.bind(inner, parameter)
            builder.copy(variable, annotation)
            places.append(parameter)
            variables.append(variable)
        fact = FunctionFact(
            symbol=symbol,
            owner=outer.owner,
            names=tuple(places),
            parameters=tuple(variables),
            keyword_only={},
            rest=builder.bind(inner, rest) if rest else NOTHING,
            keywords=NOTHING,
            result=builder.fresh(),
            yields=builder.fresh(),
            traits=(*traits, *((Trait.RECEIVER,) if receiver else ())),
        )
        builder.functions.append(fact)
        if body is not None:
            self.waiting.append((body, inner, self.before))
        return inner.function, inner

    def inner_prefix(self, symbol: int) -> str:
        """Return the beginning of the names inside of a symbol."""
        return f"{self.builder.symbols[symbol].qualified}."

    def closure(self) -> Namespace:
        """Return the scope whose names a nested function sees."""
        return self.scope

    def class_(
        self, node: Node, name: str, bases: Sequence[Variable], traits: Sequence[str] = ()
    ) -> tuple[int, Namespace]:
        """Add a class; return its number and the scope of its body, which the caller enters."""
        symbol = self.symbol(node, name, SymbolKind.CLASS, traits, self.doc(node))
        outer = self.scope
        number = len(self.builder.classes)
        inner = Namespace(outer, symbol, outer.function, f"{outer.prefix}{name}.", number)
        self.builder.classes.append(
            ClassFact(symbol, inner.names, tuple(b for b in bases if b != NOTHING))
        )
        return number, inner


def name_by_title(title: str, before: str = "", separators: str = r"[\s.]+|::") -> str:
    """Return the name that a title in quotation marks gives, behind what the name begins with.

    What would part a name becomes a space. A title may be a token, or an address with a password:
    secrets are cut out first, for half of one would pass.
    """
    name = re.sub(separators, " ", f"{before} {redact_source(title)}")
    return name.strip()[:_LONGEST_TITLE]


def list_children(node: Node | None) -> Sequence[Node]:
    """Return the children that the grammar names; none of no node."""
    return node.named_children if node is not None else ()


def first_child(node: Node | None) -> Node | None:
    """Return the first child that the grammar names; None where there is none."""
    return node.named_children[0] if node is not None and node.named_children else None


def _strip_comment_marks(comment: str) -> str:
    lines = (line.strip().lstrip("/*").strip() for line in comment.removesuffix("*/").split("\n"))
    return " ".join(filter(None, lines))


@dataclass(frozen=True, kw_only=True)
class TreeLanguage(Language):
    """Language whose syntax trees the class `reader` walks."""

    reader: type[TreeReader]

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return the facts of a file."""
        parse = partial(parser.parse, self.grammar)
        source = text.encode("utf-8", "surrogatepass")
        return self.reader(self.name, source, [parse(source)], parse).read()
