"""The instructions of a file, run once each: operands get the numbers they have in the whole project."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from gieok.capabilities.code.model.facts import NOTHING, Argument, Op, Trait
from gieok.capabilities.code.resolve.calls import Calls
from gieok.capabilities.code.resolve.decorators import Decorators
from gieok.capabilities.code.resolve.imports import Imports
from gieok.capabilities.code.resolve.linking import Rules
from gieok.capabilities.code.resolve.members import Members
from gieok.capabilities.code.resolve.program import Bound, Part
from gieok.capabilities.code.resolve.values import Value


class Instructions(Part):
    """Turns instructions into constraints. `enter` a file before its instructions are run."""

    def __init__(self, rules: Rules, calls: Calls, members: Members, imports: Imports, decorators: Decorators) -> None:
        super().__init__(calls.program)
        self._rules = rules
        self._calls = calls
        self._types = calls.types
        self._members = members
        self._imports = imports
        self._decorators = decorators
        #: The container of a variable that holds nothing else.
        self._literals: dict[int, int] = {}
        self._bound = Bound(0, 0, 0, 0, 0, 0)
        self._base = self._symbols = 0

    def enter(self, bound: Bound) -> None:
        """Take operands for those of a file."""
        self._bound, self._base, self._symbols = bound, bound.variables, bound.symbols

    def run(self, instructions: Iterable[Sequence[Any]]) -> None:
        """Run instructions, and what becomes due by each."""
        for instruction in instructions:
            self._handlers[instruction[0]](self, *instruction[1:])
            self.flows.fire()

    def await_base(self, owner: int, place: int, variable: int) -> None:
        """Let a class have what a variable holds as its base number `place`."""
        self.flows.wait(self._base + variable, (self._calls.inherit, self._bound.classes + owner, place))
        self.flows.fire()

    def _shift(self, arguments: Iterable[Argument]) -> list[Argument]:
        base = self._base
        return [(k, base + v if v != NOTHING else NOTHING) for k, v in arguments]

    # Values

    def _copy(self, to: int, source: int) -> None:
        self.flows.flow(self._base + source, self._base + to)

    def _function(self, to: int, function: int) -> None:
        number = self._bound.functions + function
        self.flows.add(self._base + to, self.values.number(Value.FUNCTION, number))
        fact = self.program.functions[number]
        for variable in (fact.rest, fact.keywords):
            if variable != NOTHING:
                self.flows.add(variable, self.containers.new())
        if fact.owner != NOTHING and fact.parameters and Trait.STATIC not in fact.traits:
            kind = Value.CLASS if Trait.CLASS in fact.traits else Value.INSTANCE
            self.flows.add(fact.parameters[0], self.values.number(kind, fact.owner))
            if Trait.TEST in fact.traits:  # nobody calls it but the runner, on every class that inherits it
                self._types.allow_subclasses(fact.owner, fact.parameters[0])

    def _class(self, to: int, owner: int) -> None:
        self.flows.add(self._base + to, self.values.number(Value.CLASS, self._bound.classes + owner))

    def _container(self, to: int, container: int) -> None:
        number = self._literals[self._base + to] = self._bound.containers + container
        self.flows.add(self._base + to, self.values.number(Value.CONTAINER, number))

    def _external(self, to: int, name: str) -> None:
        self.program.inert.add(self._base + to)
        self.flows.add(self._base + to, self.values.number(Value.EXTERNAL, name.rpartition(".")[2]))

    def _instance(self, to: int, source: int) -> None:
        self.flows.wait(self._base + source, (self._types.instantiate, self._base + to))

    def _declared(self, to: int, source: int) -> None:
        self.flows.wait(self._base + source, (self._types.allow, self._base + to))

    def _containers(self, to: int, source: int) -> None:
        self.flows.wait(self._base + source, (self._types.keep_container, self._base + to))

    def _narrow(self, to: int, source: int, kind: int) -> None:
        self.flows.wait(self._base + source, (self._types.narrow, self._base + to, self._base + kind))

    def _super(self, to: int, receiver: int, owner: int) -> None:
        start = self._bound.classes + owner
        self.flows.add(self._base + to, self.values.number(Value.SUPER, start, start))
        self.flows.wait(self._base + receiver, (self._types.above, self._base + to, start))

    def _provided(self, to: int, name: str, symbol: int, line: int) -> None:
        """Let `to` hold what the functions give that provide a name here."""
        program, paths, here = self.program, self.program.paths, self._bound.file
        for function, origin in program.providers.get(name, ()):
            if origin == here or self._rules.provides(paths[origin], paths[here]):
                fact = program.functions[function]
                self.flows.flow(fact.yields, self._base + to)
                self.flows.flow(fact.result, self._base + to)
                program.refer(self._symbols + symbol, program.function_symbol[function], line)

    # Members and elements

    def _load(self, to: int, place: int, name: str, symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.flows.wait(self._base + place, (self._members.load, self._base + to, name, where, line))

    def _store(self, place: int, name: str, source: int, symbol: int, line: int) -> None:
        origin = self._base + source if source != NOTHING else NOTHING
        where = self._symbols + symbol
        self.flows.wait(self._base + place, (self._members.store, name, origin, where, line))

    def _element(self, to: int, place: int, symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.flows.wait(self._base + place, (self._calls.iterate, self._base + to, where, line))

    def _index(self, to: int, place: int, key: str | int | None, symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.flows.wait(self._base + place, (self._members.index, self._base + to, key, where, line))

    def _store_index(self, place: int, key: str | int | None, source: int, symbol: int, line: int) -> None:
        origin = self._base + source if source != NOTHING else NOTHING
        key = "*" if key is None else key
        literal = self._literals.get(self._base + place)
        if literal is None:
            where = self._symbols + symbol
            self.flows.wait(self._base + place, (self._members.store_index, key, origin, where, line))
        elif source != NOTHING:
            self.flows.flow(origin, self.containers.key(literal, key))

    # Calls

    def _call(self, to: int, callee: int, arguments: list[Argument], symbol: int, line: int, name: str) -> None:
        where, given = self._symbols + symbol, self._shift(arguments)
        site = self.program.site(self._base + to, given, where, line, name, "call")
        self.flows.wait(self._base + callee, (self._calls.apply, site))

    def _call_method(self, to: int, place: int, name: str, arguments: list[Argument], symbol: int, line: int) -> None:
        where, given = self._symbols + symbol, self._shift(arguments)
        site = self.program.site(self._base + to, given, where, line, name, "method")
        self.flows.wait(self._base + place, (self._members.call, name, site))

    def _special(self, to: int, place: int, name: str, arguments: list[Argument], symbol: int, line: int) -> None:
        where, given = self._symbols + symbol, tuple(self._shift(arguments))
        self.flows.wait(self._base + place, (self._calls.special, name, self._base + to, given, where, line))

    def _enter_context(self, to: int, place: int, symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.flows.wait(self._base + place, (self._calls.enter, self._base + to, where, line))

    def _decorate(self, to: int, decorator: int, source: int, symbol: int, line: int) -> None:
        base = self._base
        self._decorators.decorate(base + to, base + decorator, base + source, self._symbols + symbol, line)

    def _raise(self, place: int, symbol: int, line: int) -> None:
        site = self.program.site(self.flows.fresh(), (), self._symbols + symbol, line, "raise", "special")
        self.flows.wait(self._base + place, (self._calls.raised, site))

    # Imports

    def _import(self, to: int, module: str, name: str, level: int, line: int) -> None:
        self._imports.bind(self._bound, self._base + to, module, name, level, line)

    def _import_all(self, module: str, level: int) -> None:
        self._imports.bind_all(self._bound, module, level)

    _handlers: ClassVar[dict[int, Callable[..., None]]] = {
        Op.COPY: _copy, Op.FUNCTION: _function, Op.CLASS: _class, Op.LOAD: _load,
        Op.STORE: _store, Op.CALL: _call, Op.CALL_METHOD: _call_method, Op.ELEMENT: _element,
        Op.INDEX: _index, Op.STORE_INDEX: _store_index, Op.CONTAINER: _container,
        Op.IMPORT: _import, Op.IMPORT_ALL: _import_all, Op.EXTERNAL: _external,
        Op.SPECIAL: _special, Op.INSTANCE: _instance, Op.ENTER: _enter_context, Op.SUPER: _super,
        Op.DECORATE: _decorate, Op.RAISE: _raise, Op.PROVIDED: _provided, Op.CONTAINERS: _containers,
        Op.DECLARED: _declared, Op.NARROW: _narrow,
    }  # fmt: skip
