"""What all readers write: instructions about the place at hand, which give a new variable where
they give anything.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from gieok.code.model.facts import NOTHING, Argument, Builder, FunctionFact, Namespace, Op, Variable

#: A node of a syntax tree, of whatever parser.
N = TypeVar("N")


class Emission(Generic[N]):
    """The facts of a file while they are collected, and the scope that is read."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.scope = builder.module

    @abstractmethod
    def line(self, node: N) -> int:
        """Return the 1-based line at which a node begins."""

    def emit(self, *instruction: Any) -> None:  # noqa: ANN401 - operands differ by instruction
        """Add an instruction."""
        self.builder.code.append(instruction)

    def made(self, op: Op, *operands: Any) -> Variable:  # noqa: ANN401 - see above
        """Add an instruction that gives something; return the new variable that holds it."""
        value = self.builder.fresh()
        self.builder.code.append((op, value, *operands))
        return value

    # See above.
    def made_of(self, place: Variable, op: Op, *operands: Any) -> Variable:  # noqa: ANN401
        """Return what an instruction makes of `place`; nothing, and no instruction, where nothing
        is known of that.
        """
        return self.made(op, place, *operands) if place != NOTHING else NOTHING

    # Names

    def bind(self, name: str, value: Variable, scope: Namespace | None = None) -> None:
        """Let a name of a scope, or of the one at hand, hold a value."""
        self.builder.copy(self.builder.bind(scope or self.scope, name), value)

    def visible(self, name: str) -> Variable:
        """Return the variable of a name that a function or the module around binds; bodies of
        classes are not looked into.
        """
        scopes = (scope for scope in self.scope.outwards() if scope.owner == NOTHING)
        return next((scope.names[name] for scope in scopes if name in scope.names), NOTHING)

    def lookup(self, name: str) -> Variable:
        """Return the variable of a name; one that is bound nowhere may be bound later, at the
        top.
        """
        held = self.visible(name)
        return held if held != NOTHING else self.builder.bind(self.builder.module, name)

    def outside_class(self) -> Namespace:
        """Return the scope at hand, or the one around a class: what a function inside sees, where
        classes are not seen.
        """
        return next(scope for scope in self.scope.outwards() if scope.owner == NOTHING)

    # Functions and classes

    @property
    def current(self) -> FunctionFact:
        """Return the function whose body is read."""
        return self.builder.functions[self.scope.function]

    def give(self, value: Variable) -> None:
        """Let the function at hand return a value."""
        self.builder.copy(self.current.result, value)

    def function_value(self, number: int) -> Variable:
        """Return a variable that holds a function."""
        return self.made(Op.FUNCTION, number)

    def class_value(self, number: int) -> Variable:
        """Return a variable that holds a class."""
        return self.made(Op.CLASS, number)

    def call(
        self, callee: Variable, arguments: Sequence[Argument], node: N, name: str = ""
    ) -> Variable:
        """Return what calling `callee` gives."""
        return self.made_of(
            callee, Op.CALL, list(arguments), self.scope.symbol, self.line(node), name
        )

    def call_method(
        self, place: Variable, name: str, arguments: Sequence[Argument], node: N
    ) -> Variable:
        """Return what `place`.name(arguments) gives; of an unknown place, nothing, but the call is
        counted.
        """
        value = self.builder.fresh()
        place = place if place != NOTHING else self.builder.fresh()
        self.emit(
            Op.CALL_METHOD, value, place, name, list(arguments), self.scope.symbol, self.line(node)
        )
        return value

    def special(
        self, place: Variable, name: str, arguments: Sequence[Argument], node: N
    ) -> Variable:
        """Return what a method that an operator stands for gives; only instances of the project
        have one.
        """
        return self.made_of(
            place, Op.SPECIAL, name, list(arguments), self.scope.symbol, self.line(node)
        )

    # Members

    def load(self, place: Variable, name: str, node: N) -> Variable:
        """Return what `place`.name gives."""
        return self.made_of(place, Op.LOAD, name, self.scope.symbol, self.line(node))

    def store(self, place: Variable, name: str, value: Variable, node: N) -> None:
        """`place`.name = `value`, where both are known."""
        if NOTHING not in (place, value):
            self.emit(Op.STORE, place, name, value, self.scope.symbol, self.line(node))

    def index(self, place: Variable, key: str | int | None, node: N) -> Variable:
        """Return what `place`[key] gives; None is a key that is not known."""
        return self.made_of(place, Op.INDEX, key, self.scope.symbol, self.line(node))

    def store_index(self, place: Variable, key: str | int | None, value: Variable, node: N) -> None:
        """`place`[key] = `value`, where both are known; `*` is any key."""
        if NOTHING not in (place, value):
            self.emit(Op.STORE_INDEX, place, key, value, self.scope.symbol, self.line(node))

    def holding(self, inner: Variable, node: N) -> Variable:
        """Return a container of what `inner` holds."""
        if inner == NOTHING:
            return NOTHING
        held = self.builder.container()
        self.store_index(held, "*", inner, node)
        return held

    def element(self, place: Variable, node: N) -> Variable:
        """Return what iterating over `place` gives."""
        return self.made_of(place, Op.ELEMENT, self.scope.symbol, self.line(node))

    # Types

    def declared(self, kind: Variable) -> Variable:
        """Return a variable that holds instances of a type, its subtypes included."""
        return self.made_of(kind, Op.DECLARED)

    def narrow(self, value: Variable, kind: Variable) -> Variable:
        """Return what of `value` may be of a class."""
        return self.made(Op.NARROW, value, kind) if NOTHING not in (value, kind) else value
