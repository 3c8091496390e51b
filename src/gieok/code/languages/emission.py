"""Base of all readers: emits instructions about the node that is read.

An instruction that has a result gives a new variable.
"""

from abc import abstractmethod
from collections.abc import Sequence
from sys import intern
from typing import Any, Generic, TypeVar

from gieok.code.model.facts import NOTHING, Argument, Builder, FunctionFact, Namespace, Op, Variable

#: A node of a syntax tree, of any parser.
N = TypeVar("N")


class Emission(Generic[N]):
    """The facts of a file while they are collected, and the scope that is being read."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.scope = builder.module

    @abstractmethod
    def line(self, node: N) -> int:
        """Return the 1-based line at which a node begins."""

    def emit(self, *instruction: Any) -> None:  # noqa: ANN401 - operands differ by instruction
        """Add an instruction."""
        self.builder.code.append(instruction)

    def made(self, op: int, *operands: Any) -> Variable:  # noqa: ANN401 - see above
        """Add an instruction that has a result; return the new variable that holds the result."""
        value = self.builder.fresh()
        self.builder.code.append((op, value, *operands))
        return value

    # See above.
    def made_of(self, place: Variable, op: int, *operands: Any) -> Variable:  # noqa: ANN401
        """Add an instruction on `place` and return its result.

        Where nothing is known of `place`, no instruction is added and nothing is returned.
        """
        return self.made(op, place, *operands) if place != NOTHING else NOTHING

    # Names

    def bind(self, name: str, value: Variable, scope: Namespace | None = None) -> None:
        """Let a name of a scope hold a value; the default is the scope that is being read."""
        self.builder.copy(self.builder.bind(scope or self.scope, name), value)

    def own_variable(self, name: str) -> Variable:
        """Return the variable of a name in the scope that is being read."""
        return self.builder.bind(self.scope, name)

    def module_variable(self, name: str) -> Variable:
        """Return the variable of a name at the top level of the file."""
        return self.builder.bind(self.builder.module, name)

    def visible(self, name: str) -> Variable:
        """Return the variable of a name that an enclosing function or the module binds.

        Class bodies are not searched.
        """
        scope = self.find_binding(name)
        return NOTHING if scope is None else scope.names[name]

    def find_binding(self, name: str) -> Namespace | None:
        """Return the scope in which `visible` finds a name; None for none."""
        scope: Namespace | None = self.scope
        while scope is not None and (name not in scope.names or scope.owner != NOTHING):
            scope = scope.outer
        return scope

    def lookup(self, name: str) -> Variable:
        """Return the variable of a name.

        A name that is bound nowhere yet may be bound later, at the top level.
        """
        held = self.visible(name)
        return held if held != NOTHING else self.module_variable(name)

    def outside_class(self) -> Namespace:
        """Return the scope that a nested function sees: the current one, or the one around a class.

        Class bodies are not visible from the functions inside.
        """
        return next(scope for scope in self.scope.outwards() if scope.owner == NOTHING)

    # Functions and classes

    @property
    def current(self) -> FunctionFact:
        """Return the function whose body is being read."""
        return self.builder.functions[self.scope.function]

    def give(self, value: Variable) -> None:
        """Let the function that is being read return a value."""
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
        """Return the result of calling `callee`."""
        return self.made_of(
            callee, Op.CALL, list(arguments), self.scope.symbol, self.line(node), intern(name)
        )

    def call_method(
        self, place: Variable, name: str, arguments: Sequence[Argument], node: N
    ) -> Variable:
        """Return the result of `place`.name(arguments).

        Of an unknown place nothing is returned, but the call is counted.
        """
        value = self.builder.fresh()
        place = place if place != NOTHING else self.builder.fresh()
        self.emit(
            Op.CALL_METHOD,
            value,
            place,
            intern(name),
            list(arguments),
            self.scope.symbol,
            self.line(node),
        )
        return value

    def special(
        self, place: Variable, name: str, arguments: Sequence[Argument], node: N
    ) -> Variable:
        """Return the result of the method that an operator stands for.

        Only instances of the project's classes have such a method.
        """
        return self.made_of(
            place, Op.SPECIAL, name, list(arguments), self.scope.symbol, self.line(node)
        )

    # Members

    def load(self, place: Variable, name: str, node: N) -> Variable:
        """Return the value of `place`.name."""
        return self.made_of(place, Op.LOAD, intern(name), self.scope.symbol, self.line(node))

    def store(self, place: Variable, name: str, value: Variable, node: N) -> None:
        """Emit `place`.name = `value`, where both are known."""
        if NOTHING not in (place, value):
            self.emit(Op.STORE, place, intern(name), value, self.scope.symbol, self.line(node))

    def index(self, place: Variable, key: str | int | None, node: N) -> Variable:
        """Return the value of `place`[key]; None is an unknown key."""
        return self.made_of(place, Op.INDEX, key, self.scope.symbol, self.line(node))

    def store_index(self, place: Variable, key: str | int | None, value: Variable, node: N) -> None:
        """Emit `place`[key] = `value`, where both are known; `*` is any key."""
        if NOTHING not in (place, value):
            self.emit(Op.STORE_INDEX, place, key, value, self.scope.symbol, self.line(node))

    def holding(self, inner: Variable, node: N) -> Variable:
        """Return a container that holds the values of `inner`."""
        if inner == NOTHING:
            return NOTHING
        held = self.builder.container()
        self.store_index(held, "*", inner, node)
        return held

    def element(self, place: Variable, node: N) -> Variable:
        """Return the elements that iterating over `place` gives."""
        return self.made_of(place, Op.ELEMENT, self.scope.symbol, self.line(node))

    # Types

    def declared(self, kind: Variable) -> Variable:
        """Return a variable that holds instances of a type and of its subtypes."""
        return self.made_of(kind, Op.DECLARED)

    def narrow(self, value: Variable, kind: Variable) -> Variable:
        """Return the values of `value` that may be instances of a class."""
        return self.made(Op.NARROW, value, kind) if NOTHING not in (value, kind) else value
