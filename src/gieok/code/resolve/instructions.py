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
        #: Instruction → the function to call with each value of the second operand, for those that
        #: hold no more than the result, the awaited variable, and a symbol and a line.
        self._awaiting: dict[int, Callable[..., None]] = {
            Op.ELEMENT: calls.iterate,
            Op.ENTER: calls.enter,
        }
        #: The same for instructions on types, which hold variables alone.
        self._typing: dict[int, Callable[..., None]] = {
            Op.INSTANCE: calls.types.instantiate,
            Op.DECLARED: calls.types.allow,
            Op.CONTAINERS: calls.types.keep_container,
        }
        # one object each: a new one at each use would make each trigger heavier
        self._read_member = members.load
        self._read_element = members.index
        self._call_special = calls.special
        self._narrow_types = calls.types.narrow
        self._give_back = decorators.give_back
        self._write_member = members.store
        self._write_element = members.store_index
        self._call_member = members.call
        self._apply = calls.apply
        #: Variable that holds only one container → this container.
        self._literals: dict[int, int] = {}
        #: Variables of parameters, with their names.
        self._parameters = self.program.name_parameters() if linker.natives.is_open else {}
        self._bound = FileOffsets(
            file=0, variables=0, functions=0, classes=0, containers=0, symbols=0
        )
        #: Numbers of the project for those of the file that was entered last, by kind.
        self._variables: Sequence[int] = ()
        self._functions: Sequence[int] = ()
        self._classes: Sequence[int] = ()
        self._containers: Sequence[int] = ()
        self._symbols: Sequence[int] = ()

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

    def enter_as(self, bound: FileOffsets, numbers: Mapping[str, Sequence[int]]) -> None:
        """Read operands as the given numbers from now on.

        `numbers` are those of each kind of operand. The last stands for -1, which means nothing.
        Each number is one object, shared by all users.
        """
        self._bound = bound
        self._variables = numbers["v"]
        self._functions = numbers["f"]
        self._classes = numbers["c"]
        self._containers = numbers["k"]
        self._symbols = numbers["s"]

    def run(self, instructions: Iterable[Sequence[Any]]) -> None:
        """Run instructions, and after each the triggers that become due."""
        handlers, due, fire = self._handlers, self.flows.due, self.flows.fire
        for row in instructions:
            handlers[row[0]](self, row)
            if due:
                fire()

    def _number_arguments(self, arguments: Sequence[Argument]) -> tuple[Argument, ...]:
        variables = self._variables
        return tuple([(keyword, variables[variable]) for keyword, variable in arguments])

    def await_base(self, owner: int, place: int, variable: int) -> None:
        """Let a class have the values of a variable as its base number `place`.

        Class and variable have project-wide numbers.
        """
        self.flows.wait(variable, (self._calls.inherit, owner, place))
        self.flows.fire()

    # What follows runs a row of an instruction, whose operands are numbers of the file.

    def _run_await(self, row: Sequence[Any]) -> None:
        op, to, place, symbol, line = row
        variables = self._variables
        trigger = (self._awaiting[op], variables[to], self._symbols[symbol], line)
        self.flows.wait(variables[place], trigger)

    def _run_await_type(self, row: Sequence[Any]) -> None:
        op, to, place = row
        variables = self._variables
        self.flows.wait(variables[place], (self._typing[op], variables[to]))

    # Values

    def _run_copy(self, row: Sequence[Any]) -> None:
        _, to, source = row
        variables = self._variables
        self.flows.flow(variables[source], variables[to])

    def _run_function(self, row: Sequence[Any]) -> None:
        function = self._functions[row[2]]
        self.flows.add(self._variables[row[1]], self.values.number(Value.FUNCTION, function))
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

    def _run_class(self, row: Sequence[Any]) -> None:
        owner = self._classes[row[2]]
        self.flows.add(self._variables[row[1]], self.values.number(Value.CLASS, owner))

    def _run_container(self, row: Sequence[Any]) -> None:
        to, container = self._variables[row[1]], self._containers[row[2]]
        self._literals[to] = container
        self.flows.add(to, self.values.number(Value.CONTAINER, container))

    def _run_external(self, row: Sequence[Any]) -> None:
        _, variable, name = row
        to = self._variables[variable]
        self.program.inert.add(to)
        self.flows.add(to, self.values.number(Value.EXTERNAL, name.rpartition(".")[2]))

    def _run_super(self, row: Sequence[Any]) -> None:
        to, receiver = self._variables[row[1]], self._variables[row[2]]
        start = self._classes[row[3]]
        self.flows.add(to, self.values.number(Value.SUPER, start, start))
        self.flows.wait(receiver, (self._calls.types.above, to, start))

    def _run_provided(self, row: Sequence[Any]) -> None:
        """Let a variable hold the results of the functions that provide a name here (fixtures)."""
        _, variable, name, own, line = row
        to, symbol = self._variables[variable], self._symbols[own]
        program, paths, here = self.program, self.program.paths, self._bound.file
        for function, origin in program.providers.get(name, ()):
            if origin == here or self._linker.provides(paths[origin], paths[here]):
                fact = program.functions[function]
                self.flows.flow(fact.yields, to)
                self.flows.flow(fact.result, to)
                program.refer(symbol, program.function_symbol[function], line)

    def _run_narrow(self, row: Sequence[Any]) -> None:
        _, to, place, kind = row
        variables = self._variables
        trigger = (self._narrow_types, variables[to], variables[kind])
        self.flows.wait(variables[place], trigger)

    # Members and elements

    def _run_load(self, row: Sequence[Any]) -> None:
        _, to, place, name, symbol, line = row
        variables = self._variables
        trigger = (self._read_member, variables[to], name, self._symbols[symbol], line)
        self.flows.wait(variables[place], trigger)

    def _run_store(self, row: Sequence[Any]) -> None:
        _, place, name, source, symbol, line = row
        variables = self._variables
        trigger = (self._write_member, name, variables[source], self._symbols[symbol], line)
        self.flows.wait(variables[place], trigger)

    def _run_mix(self, row: Sequence[Any]) -> None:
        _, place, source, symbol, line = row
        self.program.is_mixed = True
        variables = self._variables
        trigger = (self._members.mixing.mix, variables[source], self._symbols[symbol], line)
        self.flows.wait(variables[place], trigger)

    def _run_index(self, row: Sequence[Any]) -> None:
        _, to, place, key, symbol, line = row
        variables = self._variables
        trigger = (self._read_element, variables[to], key, self._symbols[symbol], line)
        self.flows.wait(variables[place], trigger)

    def _run_store_index(self, row: Sequence[Any]) -> None:
        _, held, key, value, symbol, line = row
        place, source = self._variables[held], self._variables[value]
        key = "*" if key is None else key
        literal = self._literals.get(place)
        if literal is None:
            trigger = (self._write_element, key, source, self._symbols[symbol], line)
            self.flows.wait(place, trigger)
        elif source != NOTHING:
            self.flows.flow(source, self.containers.key(literal, key))

    # Calls

    def _run_call(self, row: Sequence[Any]) -> None:
        _, to, callee, arguments, symbol, line, name = row
        variables = self._variables
        numbered = self._number_arguments(arguments)
        site = self.program.site(variables[to], numbered, self._symbols[symbol], line, name, "call")
        self.flows.wait(variables[callee], (self._apply, site))

    def _run_call_method(self, row: Sequence[Any]) -> None:
        _, to, held, name, arguments, symbol, line = row
        place = self._variables[held]
        numbered = self._number_arguments(arguments)
        site = self.program.site(
            self._variables[to], numbered, self._symbols[symbol], line, name, "method"
        )
        site.place = place
        if (receiver := self._parameters.get(place)) is not None:
            self.program.receivers[site] = receiver
        self.flows.wait(place, (self._call_member, name, site))

    def _run_special(self, row: Sequence[Any]) -> None:
        _, to, place, name, arguments, symbol, line = row
        variables = self._variables
        numbered = self._number_arguments(arguments)
        own = self._symbols[symbol]
        trigger = (self._call_special, variables[to], name, numbered, own, line)
        self.flows.wait(variables[place], trigger)

    def _run_decorate(self, row: Sequence[Any]) -> None:
        _, to, decorator, source, symbol, line = row
        variables = self._variables
        self._decorators.decorate(
            variables[to], variables[decorator], variables[source], self._symbols[symbol], line
        )

    def _run_wrap(self, row: Sequence[Any]) -> None:
        _, to, callee, source = row
        variables = self._variables
        trigger = (self._give_back, variables[to], variables[source])
        self.flows.wait(variables[callee], trigger)

    def _run_raise(self, row: Sequence[Any]) -> None:
        _, place, symbol, line = row
        own = self._symbols[symbol]
        site = self.program.site(self.flows.fresh(), (), own, line, "raise", "special")
        self.flows.wait(self._variables[place], (self._calls.raised, site))

    # Imports

    def _run_import(self, row: Sequence[Any]) -> None:
        _, to, module, name, level, line = row
        self._imports.bind(self._bound, self._variables[to], module, name, level, line)

    def _run_import_all(self, row: Sequence[Any]) -> None:
        _, module, level = row
        self._imports.bind_all(self._bound, module, level)

    _handlers: ClassVar[dict[int, Callable[["Instructions", Sequence[Any]], None]]] = {
        Op.COPY: _run_copy,
        Op.FUNCTION: _run_function,
        Op.CLASS: _run_class,
        Op.LOAD: _run_load,
        Op.STORE: _run_store,
        Op.CALL: _run_call,
        Op.CALL_METHOD: _run_call_method,
        Op.ELEMENT: _run_await,
        Op.INDEX: _run_index,
        Op.STORE_INDEX: _run_store_index,
        Op.CONTAINER: _run_container,
        Op.IMPORT: _run_import,
        Op.IMPORT_ALL: _run_import_all,
        Op.EXTERNAL: _run_external,
        Op.SPECIAL: _run_special,
        Op.INSTANCE: _run_await_type,
        Op.ENTER: _run_await,
        Op.SUPER: _run_super,
        Op.DECORATE: _run_decorate,
        Op.RAISE: _run_raise,
        Op.PROVIDED: _run_provided,
        Op.DECLARED: _run_await_type,
        Op.CONTAINERS: _run_await_type,
        Op.NARROW: _run_narrow,
        Op.MIX: _run_mix,
        Op.WRAP: _run_wrap,
    }
