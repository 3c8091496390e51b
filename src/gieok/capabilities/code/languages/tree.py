"""What the readers of syntax trees share: text of nodes, scopes, definitions, queues. A language adds tables of handlers.

A handler gets a node and returns the variable that holds what it gives. Nodes without one are passed through: what is inside is
read, and its values are what it gives.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from gieok.capabilities.code.languages.language import Language, Reader
from gieok.capabilities.code.model.facts import (
    NOTHING,
    Argument,
    Builder,
    ClassFact,
    Facts,
    FunctionFact,
    Kind,
    Namespace,
    Op,
    SymbolFact,
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


def reading(kind: type["TreeReader"]) -> Reader:
    """Return the reader of a language that `kind` walks the trees of."""

    def read(text: str, language: Language, parser: Parser) -> Facts:
        parse = partial(parser.parse, language.grammar)
        source = text.encode("utf-8", "surrogatepass")
        return kind(language.name, source, [parse(source)], parse).read()

    return read


class TreeReader:
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
        self.source = source
        self.parse = parse
        self.builder = Builder(language, source.count(b"\n") + 1)
        self.scope = self.builder.module
        self.waiting: deque[tuple[Node, Namespace]] = deque()
        self.complexity: dict[int, int] = {}
        self.roots = roots
        self._depth = 0
        self._methods: dict[str, Callable[[Node], Variable]] = {
            kind: getattr(self, name) for kind, name in self.handlers.items()
        }

    def read(self) -> Facts:
        """Return the facts of the file."""
        self.start()
        for root in self.roots:
            self.block(root)
        self.builder.code = self.builder.inner
        while self.waiting:
            body, self.scope = self.waiting.popleft()
            self.body(body)
        for symbol, count in self.complexity.items():
            self.builder.symbols[symbol] = self.builder.symbols[symbol]._replace(complexity=count + 1)
        self._methods.clear()  # they refer to the reader, which refers to them: it would outlive its use
        facts = self.builder.finish()
        return facts._replace(error="a part of it has syntax errors") if self.roots[-1].has_error else facts

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
        return value

    def inside(self, node: Node) -> Variable:
        """Read the children; what they give is what the node gives."""
        held = [value for child in node.named_children if (value := self.value(child)) != NOTHING]
        return self.builder.merge(*held) if held else NOTHING

    def nothing(self, node: Node) -> Variable:
        """Read the children; the node gives nothing."""
        for child in node.named_children:
            self.value(child)
        return NOTHING

    def text_value(self, node: Node) -> Variable:
        """Return what stands for any text."""
        del node
        return self.builder.external("str")

    def text(self, node: Node | None) -> str:
        """Return the source of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""

    def field(self, node: Node, name: str) -> Node | None:
        """Return the child in a role."""
        return node.child_by_field_name(name)

    def line(self, node: Node) -> int:
        """Return the 1-based line at which a node begins."""
        return node.start_point[0] + 1

    def emit(self, *instruction: Any) -> None:  # noqa: ANN401 - operands differ by instruction
        """Add an instruction."""
        self.builder.code.append(instruction)

    # Names

    def lookup(self, name: str) -> Variable:
        """Return the variable of a name; one that is bound nowhere may be bound later, at the top."""
        scope: Namespace | None = self.scope
        while scope is not None:
            if name in scope.names and scope.owner == NOTHING:
                return scope.names[name]
            scope = scope.outer
        return self.builder.bind(self.builder.module, name)

    # Definitions

    def symbol(self, node: Node, name: str, kind: str, traits: Sequence[str] = (), doc: str = "") -> int:
        """Add a symbol inside the scope at hand and return its number."""
        start = self.line(node)
        fact = SymbolFact(
            name, self._prefix(kind) + name, kind, start, node.end_point[0] + 1, self.scope.symbol, doc=doc,
            traits=tuple(sorted(traits)), status="deprecated" if "@deprecated" in doc.lower() else "active",
        )  # fmt: skip
        self.builder.symbols.append(fact)
        return len(self.builder.symbols) - 1

    def _prefix(self, kind: str) -> str:
        """A function without a name is named after the symbol it stands in, which also bears its calls."""
        if kind != Kind.LAMBDA:
            return self.scope.prefix
        return f"{self.builder.symbols[self.scope.symbol].qualified}." if self.scope.symbol else ""

    def doc(self, node: Node) -> str:
        """Return the comment that stands directly above a node."""
        before = self.source[max(node.start_byte - _FARTHEST_DOC, 0) : node.start_byte].rstrip()
        head = before[before.rfind(b"\n") + 1 :]
        if self.leading is not None and self.leading.fullmatch(head):
            before = before.removesuffix(head).rstrip()
        if before.endswith(b"*/"):
            return _plain(before[before.rfind(b"/*") :].decode("utf-8", "replace"))
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
        shown: bool = True,
    ) -> tuple[int, Namespace]:
        """Add a function and queue its body; `parameters` are names with what their annotation holds.

        `receiver` names the first parameter that a call fills with the object. Return its number and scope.
        """
        builder = self.builder
        name = name if shown else builder.lambda_name(self.scope.symbol)
        symbol = self.symbol(node, name, kind if shown else Kind.LAMBDA, traits, self.doc(node) if shown else "")
        outer = self.scope
        inner = Namespace(self.closure(), symbol, len(builder.functions), f"{builder.symbols[symbol].qualified}.")
        places = [receiver] if receiver else []
        variables = [builder.bind(inner, receiver)] if receiver else []
        for parameter, annotation in parameters:
            variable = builder.bind(inner, parameter)
            builder.copy(variable, annotation)
            places.append(parameter)
            variables.append(variable)
        fact = FunctionFact(
            symbol, outer.owner, tuple(places), tuple(variables), {}, builder.bind(inner, rest) if rest else NOTHING,
            NOTHING, builder.fresh(), builder.fresh(), (*traits, *((Trait.RECEIVER,) if receiver else ())),
        )  # fmt: skip
        builder.functions.append(fact)
        if body is not None:
            self.waiting.append((body, inner))
        return inner.function, inner

    def closure(self) -> Namespace:
        """Return the scope whose names a nested function sees."""
        return self.scope

    def function_value(self, number: int) -> Variable:
        """Return a variable that holds a function."""
        value = self.builder.fresh()
        self.emit(Op.FUNCTION, value, number)
        return value

    def class_(
        self, node: Node, name: str, bases: Sequence[Variable], traits: Sequence[str] = ()
    ) -> tuple[int, Namespace]:
        """Add a class; return its number and the scope of its body, which the caller enters."""
        symbol = self.symbol(node, name, Kind.CLASS, traits, self.doc(node))
        outer = self.scope
        number = len(self.builder.classes)
        inner = Namespace(outer, symbol, outer.function, f"{outer.prefix}{name}.", number)
        self.builder.classes.append(ClassFact(symbol, inner.names, tuple(b for b in bases if b != NOTHING)))
        return number, inner

    def class_value(self, number: int) -> Variable:
        """Return a variable that holds a class."""
        value = self.builder.fresh()
        self.emit(Op.CLASS, value, number)
        return value

    # Calls

    def load(self, place: Variable, name: str, node: Node) -> Variable:
        """Return what `place`.name gives."""
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self.emit(Op.LOAD, value, place, name, self.scope.symbol, self.line(node))
        return value

    def holding(self, inner: Variable, node: Node) -> Variable:
        """Return a container of what `inner` holds."""
        if inner == NOTHING:
            return NOTHING
        held = self.builder.container()
        self.emit(Op.STORE_INDEX, held, "*", inner, self.scope.symbol, self.line(node))
        return held

    def call(self, callee: Variable, arguments: Sequence[Argument], node: Node, name: str = "") -> Variable:
        """Return what calling `callee` gives."""
        if callee == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self.emit(Op.CALL, value, callee, list(arguments), self.scope.symbol, self.line(node), name)
        return value

    def call_method(self, place: Variable, name: str, arguments: Sequence[Argument], node: Node) -> Variable:
        """Return what `place`.name(arguments) gives; of an unknown place, nothing, but the call is counted."""
        value = self.builder.fresh()
        place = place if place != NOTHING else self.builder.fresh()
        self.emit(Op.CALL_METHOD, value, place, name, list(arguments), self.scope.symbol, self.line(node))
        return value

    def element(self, place: Variable, node: Node) -> Variable:
        """Return what iterating over `place` gives."""
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self.emit(Op.ELEMENT, value, place, self.scope.symbol, self.line(node))
        return value

    def declared(self, kind: Variable) -> Variable:
        """Return a variable that holds instances of a type, its subtypes included."""
        if kind == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self.emit(Op.DECLARED, value, kind)
        return value

    def narrow(self, value: Variable, kind: Variable) -> Variable:
        """Return what of `value` may be of a class."""
        if NOTHING in (value, kind):
            return value
        narrowed = self.builder.fresh()
        self.emit(Op.NARROW, narrowed, value, kind)
        return narrowed

    @property
    def current(self) -> FunctionFact:
        """Return the function whose body is read."""
        return self.builder.functions[self.scope.function]

    def give(self, value: Variable) -> None:
        """Let the function at hand return a value."""
        self.builder.copy(self.current.result, value)


def _plain(comment: str) -> str:
    lines = (line.strip().lstrip("/*").strip() for line in comment.removesuffix("*/").split("\n"))
    return " ".join(filter(None, lines))
