"""Interpreter of a file's instructions, each run once.

Operands are renumbered from numbers of the file to numbers of the whole project.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from gieok.code.model.facts import NOTHING, Argument, Facts, Op, Trait
from gieok.code.resolve.calls import Calls, Decorators
from gieok.code.resolve.import_links import Linker
from gieok.code.resolve.imports import Imports
from gieok.code.resolve.members import Members
from gieok.code.resolve.program import FileOffsets, SolverPart
from gieok.code.resolve.values import Value

#: Kinds of each instruction's operands: a variable, function, class, container (k), symbol, line,
#: the arguments of a call, or none of these (=).
OPERANDS: dict[int, str] = {
    Op.COPY: "vv",
    Op.FUNCTION: "vf",
    Op.CLASS: "vc",
    Op.LOAD: "vv=sl",
    Op.STORE: "v=vsl",
    Op.CALL: "vvasl=",
    Op.CALL_METHOD: "vv=asl",
    Op.ELEMENT: "vvsl",
    Op.INDEX: "vv=sl",
    Op.STORE_INDEX: "v=vsl",
    Op.CONTAINER: "vk",
    Op.IMPORT: "v===l",
    Op.IMPORT_ALL: "==",
    Op.EXTERNAL: "v=",
    Op.SPECIAL: "vv=asl",
    Op.INSTANCE: "vv",
    Op.ENTER: "vvsl",
    Op.SUPER: "vvc",
    Op.DECORATE: "vvvsl",
    Op.RAISE: "vsl",
    Op.PROVIDED: "v=sl",
    Op.CONTAINERS: "vv",
    Op.DECLARED: "vv",
    Op.NARROW: "vvv",
    Op.MIX: "vvsl",
    Op.WRAP: "vvv",
}
_ARGUMENTS = {op: kinds.index("a") for op, kinds in OPERANDS.items() if "a" in kinds}


def read_operand(row: Sequence[Any], kind: str) -> int | None:
    """Return the first operand of a kind, None where the instruction has none."""
    kinds = OPERANDS[row[0]]
    return row[kinds.index(kind) + 1] if kind in kinds else None


class Instructions(SolverPart):
    """Solver part that turns instructions into constraints.

    `enter` a file before its instructions are run.
    """

    def __init__(
        self,
        linker: Linker,
        calls: Calls,
        members: Members,
        imports: Imports,
        decorators: Decorators,
    ) -> None:
        super().__init__(calls.program)
        self._linker = linker
        self._calls = calls
        self._members = members
        self._imports = imports
        self._decorators = decorators
        #: Instruction → the function to call with each value of the second operand, and the other
        #: operands.
        self._awaiting: dict[int, Callable[..., None]] = {
            Op.LOAD: members.load,
            Op.INDEX: members.index,
            Op.ELEMENT: calls.iterate,
            Op.ENTER: calls.enter,
            Op.SPECIAL: calls.special,
            Op.INSTANCE: calls.types.instantiate,
            Op.DECLARED: calls.types.allow,
            Op.CONTAINERS: calls.types.keep_container,
            Op.NARROW: calls.types.narrow,
            Op.WRAP: decorators.give_back,
        }
        #: Variable that holds only one container → this container.
        self._literals: dict[int, int] = {}
        #: Variables of parameters, with their names.
        self._parameters = self.program.name_parameters() if linker.natives.is_open else {}
        self._bound = FileOffsets(
            file=0, variables=0, functions=0, classes=0, containers=0, symbols=0
        )
        #: Instruction → the operands that get project-wide numbers, with these numbers for the
        #: current file.
        self._numbers: dict[int, list[tuple[int, list[int]]]] = {}
        self._variables: list[int] = []

    def enter(self, bound: FileOffsets, facts: Facts) -> None:
        """Read operands as those of this file from now on."""
        counts = (
            facts.variables,
            len(facts.functions),
            len(facts.classes),
            facts.containers,
            len(facts.symbols),
        )
        numbers = {
            kind: [*range(first, first + count), NOTHING]
            for kind, first, count in zip("vfcks", bound[1:], counts, strict=True)
        }
        self.enter_as(bound, numbers)

    def enter_as(self, bound: FileOffsets, numbers: Mapping[str, list[int]]) -> None:
        """Read operands as the given numbers from now on.

        `numbers` are those of each kind of operand. The last stands for -1, which means nothing.
        Each number is one object, shared by all users.
        """
        self._bound = bound
        self._variables = numbers["v"]
        for op, kinds in OPERANDS.items():
            self._numbers[op] = [
                (place, numbers[kind]) for place, kind in enumerate(kinds) if kind in numbers
            ]

    def run(self, instructions: Iterable[Sequence[Any]]) -> None:
        """Run instructions, and after each the triggers that become due."""
        flows, due, variables, numbered = self.flows, self.flows.due, self._variables, self._numbers
        for op, *operands in instructions:
            for place, numbers in numbered[op]:
                operands[place] = numbers[operands[place]]
            if (listed := _ARGUMENTS.get(op)) is not None:
                operands[listed] = tuple(
                    [(keyword, variables[variable]) for keyword, variable in operands[listed]]
                )
            if trigger := self._awaiting.get(op):
                to, place, *more = operands
                flows.wait(place, (trigger, to, *more))
            else:
                self._handlers[op](self, *operands)
            if due:
                flows.fire()

    def await_base(self, owner: int, place: int, variable: int) -> None:
        """Let a class have the values of a variable as its base number `place`.

        Class and variable have project-wide numbers.
        """
        self.flows.wait(variable, (self._calls.inherit, owner, place))
        self.flows.fire()

    # Values

    def _copy(self, to: int, source: int) -> None:
        self.flows.flow(source, to)

    def _function(self, to: int, function: int) -> None:
        self.flows.add(to, self.values.number(Value.FUNCTION, function))
        fact = self.program.functions[function]
        for variable in (fact.rest, fact.keywords):
            if variable != NOTHING:
                self.flows.add(variable, self.containers.new())
        if fact.owner != NOTHING and fact.parameters and Trait.STATIC not in fact.traits:
            kind = Value.CLASS if Trait.CLASS in fact.traits else Value.INSTANCE
            self.flows.add(fact.parameters[0], self.values.number(kind, fact.owner))
            # only the test runner calls a test, on every class that inherits it
            if Trait.TEST in fact.traits:
                self._calls.types.allow_subclasses(fact.owner, fact.parameters[0])

    def _class(self, to: int, owner: int) -> None:
        self.flows.add(to, self.values.number(Value.CLASS, owner))

    def _container(self, to: int, container: int) -> None:
        self._literals[to] = container
        self.flows.add(to, self.values.number(Value.CONTAINER, container))

    def _external(self, to: int, name: str) -> None:
        self.program.inert.add(to)
        self.flows.add(to, self.values.number(Value.EXTERNAL, name.rpartition(".")[2]))

    def _super(self, to: int, receiver: int, start: int) -> None:
        self.flows.add(to, self.values.number(Value.SUPER, start, start))
        self.flows.wait(receiver, (self._calls.types.above, to, start))

    def _provided(self, to: int, name: str, symbol: int, line: int) -> None:
        """Let `to` hold the results of the functions that provide a name here (fixtures)."""
        program, paths, here = self.program, self.program.paths, self._bound.file
        for function, origin in program.providers.get(name, ()):
            if origin == here or self._linker.provides(paths[origin], paths[here]):
                fact = program.functions[function]
                self.flows.flow(fact.yields, to)
                self.flows.flow(fact.result, to)
                program.refer(symbol, program.function_symbol[function], line)

    # Members and elements

    def _store(self, place: int, name: str, source: int, symbol: int, line: int) -> None:
        self.flows.wait(place, (self._members.store, name, source, symbol, line))

    def _mix(self, place: int, source: int, symbol: int, line: int) -> None:
        self.program.is_mixed = True
        self.flows.wait(place, (self._members.mixing.mix, source, symbol, line))

    def _store_index(
        self, place: int, key: str | int | None, source: int, symbol: int, line: int
    ) -> None:
        key = "*" if key is None else key
        literal = self._literals.get(place)
        if literal is None:
            self.flows.wait(place, (self._members.store_index, key, source, symbol, line))
        elif source != NOTHING:
            self.flows.flow(source, self.containers.key(literal, key))

    # Calls

    def _call(
        self, to: int, callee: int, arguments: Sequence[Argument], symbol: int, line: int, name: str
    ) -> None:
        site = self.program.site(to, arguments, symbol, line, name, "call")
        self.flows.wait(callee, (self._calls.apply, site))

    def _call_method(
        self, to: int, place: int, name: str, arguments: Sequence[Argument], symbol: int, line: int
    ) -> None:
        site = self.program.site(to, arguments, symbol, line, name, "method")
        site.place = place
        if (receiver := self._parameters.get(place)) is not None:
            self.program.receivers[site] = receiver
        self.flows.wait(place, (self._members.call, name, site))

    def _decorate(self, to: int, decorator: int, source: int, symbol: int, line: int) -> None:
        self._decorators.decorate(to, decorator, source, symbol, line)

    def _raise(self, place: int, symbol: int, line: int) -> None:
        site = self.program.site(self.flows.fresh(), (), symbol, line, "raise", "special")
        self.flows.wait(place, (self._calls.raised, site))

    # Imports

    def _import(self, to: int, module: str, name: str, level: int, line: int) -> None:
        self._imports.bind(self._bound, to, module, name, level, line)

    def _import_all(self, module: str, level: int) -> None:
        self._imports.bind_all(self._bound, module, level)

    _handlers: ClassVar[dict[int, Callable[..., None]]] = {
        Op.COPY: _copy,
        Op.FUNCTION: _function,
        Op.CLASS: _class,
        Op.STORE: _store,
        Op.CALL: _call,
        Op.CALL_METHOD: _call_method,
        Op.STORE_INDEX: _store_index,
        Op.CONTAINER: _container,
        Op.IMPORT: _import,
        Op.IMPORT_ALL: _import_all,
        Op.EXTERNAL: _external,
        Op.SUPER: _super,
        Op.DECORATE: _decorate,
        Op.RAISE: _raise,
        Op.PROVIDED: _provided,
        Op.MIX: _mix,
    }
