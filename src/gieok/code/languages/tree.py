"""What the readers of syntax trees share: text of nodes, scopes, definitions, queues. A language
adds tables of handlers.

A handler gets a node and returns the variable that holds what the node gives, or None. A node
without a handler gives what its children give.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from gieok.code.languages.emission import Emission
from gieok.code.languages.language import Language, Reader
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
from gieok.ports.code import Parser, SyntaxNode

Node = SyntaxNode
#: Parses a piece of source in the language at hand.
Parse = Callable[[bytes], Node]
#: Bytes above a definition in which its comment is looked for.
_FARTHEST_DOC = 8_000
_DEEPEST = 200


def build_tree_reader(kind: type["TreeReader"]) -> Reader:
    """Return the reader of a language that `kind` walks the trees of."""

    def read(text: str, language: Language, parser: Parser) -> Facts:
        parse = partial(parser.parse, language.grammar)
        source = text.encode("utf-8", "surrogatepass")
        return kind(language.name, source, [parse(source)], parse).read()

    return read


class TreeReader(Emission[Node]):
    """Walks a syntax tree; subclasses say what each kind of node means."""

    #: Node type → name of the method that reads it.
    handlers: ClassVar[Mapping[str, str]] = {}
    #: Node types that are not looked into.
    skipped: ClassVar[frozenset[str]] = frozenset(("comment", "line_comment", "block_comment"))
    #: Node types that branch, for the complexity.
    branches: ClassVar[frozenset[str]] = frozenset()
    #: What may stand on the line of a definition before its node; the comment is above it.
    leading: ClassVar[re.Pattern[bytes] | None] = None

    def __init__(self, language: str, source: bytes, roots: Sequence[Node], parse: Parse) -> None:
        super().__init__(Builder(language, source.count(b"\n") + 1))
        self.source = source
        self.parse = parse
        self.waiting: deque[tuple[Node, Namespace, tuple[int, int]]] = deque()
        #: Bytes and lines of the file before the piece at hand, where a piece is parsed apart.
        self.before = (0, 0)
        self.complexity: dict[int, int] = {}
        self.roots = roots
        self._depth = 0
        self._methods: dict[str, Callable[[Node], Variable | None]] = {
            kind: getattr(self, name) for kind, name in self.handlers.items()
        }

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
        # they refer to the reader, which refers to them: it would outlive its use
        self._methods.clear()
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
        """Read what is inside a node, one after the other."""
        self.declare(node)
        for child in node.named_children:
            self.value(child)

    def declare(self, node: Node) -> None:
        """Bind names that are known before their definition is reached."""

    def value(self, node: Node | None) -> Variable:
        """Return the variable that holds what a node gives."""
        if node is None:
            return NOTHING
        kind = node.type
        if kind in self.skipped:
            return NOTHING
        if kind in self.branches:
            self.complexity[self.scope.symbol] = self.complexity.get(self.scope.symbol, 0) + 1
        if self._depth == _DEEPEST:
            return NOTHING
        handler = self._methods.get(kind, self.inside)
        self._depth += 1
        value = handler(node)
        self._depth -= 1
        return NOTHING if value is None else value

    def inside(self, node: Node) -> Variable:
        """Read the children; what they give is what the node gives."""
        held = [value for child in node.named_children if (value := self.value(child)) != NOTHING]
        return self.builder.merge(*held) if held else NOTHING

    def inside_apart(self, root: Node, place: Node) -> Variable:
        """Read the children of a piece of the file that was parsed apart, and stands where `place`
        does.
        """
        outer = self.before
        self.before = (self.begin(place) - root.start_byte, self.line(place) - 1)
        held = self.inside(root)
        self.before = outer
        return held

    def nothing(self, node: Node) -> None:
        """Read the children; the node gives nothing."""
        for child in node.named_children:
            self.value(child)

    def skip(self, node: Node) -> None:
        """Read nothing."""

    def first(self, node: Node) -> Variable:
        """Read the first child; it is what the node gives."""
        return self.value(node.named_children[0]) if node.named_children else NOTHING

    def last(self, node: Node) -> Variable:
        """Read the last child; it is what the node gives."""
        return self.value(node.named_children[-1]) if node.named_children else NOTHING

    def returned(self, node: Node) -> None:
        """Let the function at hand return what the children give."""
        for child in node.named_children:
            self.give(self.value(child))

    def conditional(self, node: Node) -> Variable:
        """Read `condition ? consequence : alternative`; it gives either."""
        self.value(self.field(node, "condition"))
        return self.builder.merge(
            self.value(self.field(node, "consequence")), self.value(self.field(node, "alternative"))
        )

    def arguments(self, listed: Node | None) -> list[Argument]:
        """Return what stands between the brackets of a call, by place."""
        children = listed.named_children if listed is not None else ()
        return [("", self.value(child)) for child in children if "comment" not in child.type]

    def row(
        self, parts: Iterable[Node], read: Callable[[Node], Variable], key: str = ""
    ) -> Variable:
        """Return a new container of what `read` makes of its parts, by place or all under one
        key.
        """
        held = self.builder.container()
        for place, part in enumerate(parts):
            self.store_index(held, key or place, read(part), part)
        return held

    def text_value(self, node: Node) -> Variable:
        """Return what stands for any text."""
        del node
        return self.builder.external("str")

    def text(self, node: Node | None) -> str:
        """Return the source of a node."""
        return self.bytes_of(node).decode("utf-8", "replace") if node is not None else ""

    def bytes_of(self, node: Node) -> bytes:
        """Return the source of a node as it is in the file."""
        return self.source[self.begin(node) : self.before[0] + node.end_byte]

    def field(self, node: Node, name: str) -> Node | None:
        """Return the child in a role."""
        return node.child_by_field_name(name)

    def children(self, node: Node, name: str) -> Sequence[Node]:
        """Return what is inside of the child in a role; nothing where there is none."""
        child = node.child_by_field_name(name)
        return child.named_children if child is not None else ()

    def child(self, node: Node, *types: str) -> Node | None:
        """Return the first child of one of these types."""
        return next((child for child in node.named_children if child.type in types), None)

    def name(self, node: Node, field: str = "name") -> str:
        """Return the source of the child in a role."""
        return self.text(self.field(node, field))

    def line(self, node: Node) -> int:
        """Return the 1-based line at which a node begins."""
        return self.before[1] + node.start_point[0] + 1

    def begin(self, node: Node) -> int:
        """Return the byte of the file at which a node begins."""
        return self.before[0] + node.start_byte

    # Definitions

    def symbol(
        self, node: Node, name: str, kind: str, traits: Sequence[str] = (), doc: str = ""
    ) -> int:
        """Add a symbol inside the scope at hand and return its number."""
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
        """A function without a name is named after the symbol it stands in, which also bears its
        calls.
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
        """Add a function and queue its body; `parameters` are names with what their annotation
        holds.

        `receiver` names the first parameter that a call fills with the object; a function without a
        name is a lambda. Return its number and scope.
        """
        builder = self.builder
        shown = name or builder.lambda_name(self.scope.symbol)
        symbol = self.symbol(
            node, shown, kind if name else SymbolKind.LAMBDA, traits, self.doc(node) if name else ""
        )
        outer = self.scope
        inner = Namespace(
            self.closure(), symbol, len(builder.functions), f"{builder.symbols[symbol].qualified}."
        )
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


def _strip_comment_marks(comment: str) -> str:
    lines = (line.strip().lstrip("/*").strip() for line in comment.removesuffix("*/").split("\n"))
    return " ".join(filter(None, lines))
