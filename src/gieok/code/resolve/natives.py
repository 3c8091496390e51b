"""Models of builtins and libraries: how they use the functions and containers they are given.

A model is found by the last part of the called name. `COMMON` holds for all languages; a language
adds its own models (`and_also`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from gieok.code.model.facts import NOTHING, Argument
from gieok.code.resolve.program import CallSite, Program
from gieok.code.resolve.types import Types
from gieok.code.resolve.values import Value


class Machine(Protocol):
    """The part of the solver that models use."""

    program: Program
    types: Types

    def iterate(self, value: int, to: int, symbol: int, line: int) -> None:
        """Let `to` hold the elements of a value."""

    def special(
        self, value: int, to: int, name: str, arguments: Sequence[Argument], symbol: int, line: int
    ) -> None:
        """Call a method that an operator stands for."""

    def apply(self, value: int, site: CallSite) -> None:
        """Let a site call a value."""

    def refer(self, value: int, symbol: int, line: int) -> None:
        """Note that a function is passed to something external."""


#: Models a function, by (machine, site, variables of its arguments).
Function = Callable[[Machine, CallSite, list[int]], None]
#: Models a method of a container, by (machine, site, container, variables of its arguments).
Method = Callable[[Machine, CallSite, int, list[int]], None]


class HigherOrder(NamedTuple):
    """Model of a function that calls some arguments with the elements of other arguments."""

    #: Sets the result of the call, by (machine, site, variable of the elements, variable of the
    #: results of the called function).
    gives: Callable[[Machine, CallSite, int, int], None] = lambda machine, site, elements, result: (
        None
    )
    iterated: slice = slice(1, None)
    called: slice = slice(None)


class Natives(NamedTuple):
    """Models by name of the modelled function."""

    callers: Mapping[str, HigherOrder]
    functions: Mapping[str, Function]
    methods: Mapping[str, Method]
    #: Names of decorators that keep the decorated function with its class or module, and pass it to
    #: nobody else.
    keeping: frozenset[str] = frozenset()
    #: Methods of containers without a model: they return nothing.
    unmodelled: frozenset[str] = frozenset(("remove", "then", "has"))
    #: Whether objects of the project may have members that are named like methods of containers.
    is_open: bool = False

    def and_also(self, other: "Natives") -> "Natives":
        """Return the models of both."""
        return Natives(
            callers={**self.callers, **other.callers},
            functions={**self.functions, **other.functions},
            methods={**self.methods, **other.methods},
            keeping=self.keeping | other.keeping,
            unmodelled=self.unmodelled | other.unmodelled,
            is_open=self.is_open or other.is_open,
        )

    def call(self, machine: Machine, site: CallSite, name: str) -> None:
        """Apply the model of an external function to a call, once; found by the last part of the
        name.
        """
        if ("native", name) in site.wired:
            return
        site.wired.append(("native", name))
        if caller := self.callers.get(name):
            _call_back(machine, site, caller)
        elif function := self.functions.get(name):
            function(machine, site, [variable for _, variable in site.arguments])
        else:
            refer(machine, site)
            machine.program.flows.add(site.to, machine.program.values.unknown)

    def call_method(self, machine: Machine, site: CallSite, container: int, name: str) -> None:
        """Apply the model of a method of a list, dict, set or array, once."""
        if ("container", container, name) in site.wired:
            return
        site.wired.append(("container", container, name))
        if method := self.methods.get(name):
            method(machine, site, container, [variable for _, variable in site.arguments])

    def is_method(self, name: str) -> bool:
        """Say whether containers have a method of that name."""
        return name in self.methods or name in self.unmodelled


def refer(machine: Machine, site: CallSite) -> None:
    """Note functions that are passed to something external."""
    program = machine.program
    for _, variable in site.arguments:
        if variable not in program.inert:
            await_(machine, variable, machine.refer, site.symbol, site.line)


# Building blocks of models


def await_(machine: Machine, variable: int, *trigger: Any) -> None:  # noqa: ANN401 - as `Trigger`
    """Call a trigger with every value that a variable holds."""
    if variable != NOTHING:
        machine.program.flows.wait(variable, trigger)


def pass_variable_on(machine: Machine, site: CallSite, variable: int) -> None:
    """Let the call return the values of a variable."""
    if variable != NOTHING:
        machine.program.flows.flow(variable, site.to)


def elements_of(machine: Machine, site: CallSite, variable: int) -> int:
    """Return a variable that holds the elements of another."""
    to = machine.program.flows.fresh()
    await_(machine, variable, machine.iterate, to, site.symbol, site.line)
    return to


def give_container(machine: Machine, site: CallSite, held: Mapping[Any, int]) -> None:
    """Let the call return a new container."""
    machine.program.flows.add(site.to, container_of(machine, held))


def container_of(machine: Machine, held: Mapping[Any, int]) -> int:
    """Return a new container, as a value; `held` maps keys to the variables that it holds."""
    program = machine.program
    container = program.containers.new()
    for key, variable in held.items():
        if variable != NOTHING:
            program.flows.flow(
                variable, program.containers.key(int(program.values.first[container]), key)
            )
    return container


def _call_back(machine: Machine, site: CallSite, caller: HigherOrder) -> None:
    program = machine.program
    arguments = [variable for _, variable in site.arguments]
    elements = program.flows.fresh()
    for variable in arguments[caller.iterated]:
        program.flows.flow(elements_of(machine, site, variable), elements)
    result = program.flows.fresh()
    call_with(machine, site, arguments[caller.called], elements, result)
    caller.gives(machine, site, elements, result)


def call_with(
    machine: Machine, site: CallSite, arguments: Sequence[int], given: int, result: int
) -> None:
    """Call those of the arguments that are functions with the values of `given`."""
    inner = machine.program.site(result, (("", given),), site.symbol, site.line, "", "callback")
    for variable in arguments:
        await_(machine, variable, _apply_function, machine, inner)


def _apply_function(value: int, machine: Machine, site: CallSite) -> None:
    if machine.program.values.kinds[value] in (Value.FUNCTION, Value.BOUND):
        machine.apply(value, site)


# Results of functions that call their arguments


def give_all_elements(machine: Machine, site: CallSite, elements: int, result: int) -> None:
    """Let the call return a container of the elements."""
    del result
    give_container(machine, site, {"*": elements})


def give_result(machine: Machine, site: CallSite, elements: int, result: int) -> None:
    """Let the call return its first argument, and the result of calling the first argument."""
    give_first(machine, site, elements, result)
    machine.program.flows.flow(result, site.to)


def give_first(machine: Machine, site: CallSite, elements: int, result: int) -> None:
    """Let the call return its first argument."""
    del elements, result
    for _, variable in site.arguments[:1]:
        pass_variable_on(machine, site, variable)


# Functions


def model_copied_container(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    """Model a function that returns a new container of another container's elements."""
    for first in arguments[:1]:
        give_container(machine, site, {"*": elements_of(machine, site, first)})


def passed_on(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    """Model a function that returns its argument; without arguments, such a decorator."""
    for variable in arguments:
        pass_variable_on(machine, site, variable)
    if not arguments:
        machine.program.flows.add(site.to, machine.program.values.number(Value.IDENTITY, 0))


_Model = TypeVar("_Model")


def build_model_table(*models: tuple[str, _Model]) -> dict[str, _Model]:
    """Return name → model from pairs; the names are separated by blanks."""
    return {name: model for names, model in models for name in names.split()}


_SPECIAL = {
    "str": "__str__", "repr": "__repr__", "format": "__str__", "len": "__len__", "bool": "__bool__",
    "hash": "__hash__", "int": "__int__", "float": "__float__", "bytes": "__bytes__",
    "abs": "__abs__",
}  # fmt: skip


# Results of functions that call their arguments


def _give_elements(machine: Machine, site: CallSite, elements: int, result: int) -> None:
    """Let the call return one of the elements."""
    del result
    machine.program.flows.flow(elements, site.to)


def _give_all_results(machine: Machine, site: CallSite, elements: int, result: int) -> None:
    """Let the call return a container of the called function's results."""
    del elements
    give_container(machine, site, {"*": result})


def _give_iterator(machine: Machine, site: CallSite, elements: int, result: int) -> None:
    give_first(machine, site, elements, result)
    for _, variable in site.arguments[:1]:
        await_(machine, variable, machine.special, site.to, "__iter__", (), site.symbol, site.line)


# Functions


def _hold_value(machine: Machine, value: int) -> int:
    variable = machine.program.flows.fresh()
    machine.program.flows.add(variable, value)
    return variable


def _model_zip(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    """Model `zip`: a container of rows with an element of each argument."""
    row = {place: elements_of(machine, site, variable) for place, variable in enumerate(arguments)}
    give_container(machine, site, {"*": _hold_value(machine, container_of(machine, row))})


def _model_enumerate(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    """Model `enumerate`: a container of pairs of a number and an element."""
    for first in arguments[:1]:
        pair = container_of(machine, {1: elements_of(machine, site, first)})
        give_container(machine, site, {"*": _hold_value(machine, pair)})


def _model_special_method(
    method: str, machine: Machine, site: CallSite, arguments: list[int]
) -> None:
    """Model a function that calls a special method of its first argument."""
    for first in arguments[:1]:
        await_(
            machine,
            first,
            machine.special,
            machine.program.flows.fresh(),
            method,
            (),
            site.symbol,
            site.line,
        )


def _model_next(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    for first in arguments[:1]:
        await_(machine, first, _advance_iterator, machine, site)


def _advance_iterator(value: int, machine: Machine, site: CallSite) -> None:
    if machine.program.values.kinds[value] == Value.INSTANCE:
        machine.special(value, site.to, "__next__", (), site.symbol, site.line)
    else:
        machine.iterate(value, site.to, site.symbol, site.line)


def _model_cast(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    for variable in arguments[1:2]:
        pass_variable_on(machine, site, variable)


# Methods of containers


def _model_append(machine: Machine, site: CallSite, container: int, arguments: list[int]) -> None:
    del site
    for variable in arguments[-1:]:
        if variable != NOTHING:
            machine.program.flows.flow(variable, machine.program.containers.key(container, "*"))


def _model_extend(machine: Machine, site: CallSite, container: int, arguments: list[int]) -> None:
    for variable in arguments[:1]:
        elements = elements_of(machine, site, variable)
        machine.program.flows.flow(elements, machine.program.containers.key(container, "*"))


def _model_update(machine: Machine, site: CallSite, container: int, arguments: list[int]) -> None:
    program = machine.program
    for keyword, variable in site.arguments:
        if keyword and variable != NOTHING:
            program.flows.flow(variable, program.containers.key(container, keyword))
    for variable in arguments[:1]:
        await_(machine, variable, _merge_container, program, container)


def _merge_container(value: int, program: Program, container: int) -> None:
    if program.values.first[value] != container:
        key, flow = program.containers.key, program.flows.flow
        program.containers.spread(
            value, lambda name, variable: flow(variable, key(container, name))
        )


def _model_keyed_take(
    machine: Machine, site: CallSite, container: int, arguments: list[int]
) -> None:
    """Model a method that takes a value by key, with the second argument as default.

    Where the key is no constant, any value of the container is returned.
    """
    containers = machine.program.containers
    key = constant(machine.program, arguments[0]) if arguments else ""
    places = (
        (containers.key(container, key), containers.key(container, "*"))
        if key
        else (containers.any_of(container),)
    )
    for variable in (*places, *arguments[1:2]):
        pass_variable_on(machine, site, variable)


def constant(program: Program, variable: int) -> str:
    """Return the text that a variable holds, where its reader kept it.

    A kept text is an external value named `'text`.
    """
    held = program.flows.held(variable) if variable in program.inert else ()
    names = [str(program.values.first[value]) for value in held]
    return names[0][1:] if len(names) == 1 and names[0][:1] == "'" else ""


def _set_default(machine: Machine, site: CallSite, container: int, arguments: list[int]) -> None:
    _model_append(machine, site, container, arguments[1:])
    _model_keyed_take(machine, site, container, arguments)


def _model_same_container(
    machine: Machine, site: CallSite, container: int, arguments: list[int]
) -> None:
    del arguments
    machine.program.flows.add(site.to, machine.program.values.number(Value.CONTAINER, container))


def _model_items(machine: Machine, site: CallSite, container: int, arguments: list[int]) -> None:
    del arguments
    pair = container_of(machine, {1: machine.program.containers.any_of(container)})
    give_container(machine, site, {"*": _hold_value(machine, pair)})


def _model_each_element(
    machine: Machine, site: CallSite, container: int, arguments: list[int]
) -> None:
    """Model map, filter, forEach …: the function is called with the elements."""
    flows, containers = machine.program.flows, machine.program.containers
    result, inside = flows.fresh(), containers.any_of(container)
    call_with(machine, site, arguments, inside, result)
    collected = machine.program.containers.new()
    for source in (result, inside):
        flows.flow(source, containers.key(int(machine.program.values.first[collected]), "*"))
    flows.add(site.to, collected)
    flows.flow(inside, site.to)  # find


COMMON = Natives(
    build_model_table(
        ("any all submit apply register sort reduce", HigherOrder()),
        ("iter", HigherOrder(_give_iterator)),
        ("sorted", HigherOrder(give_all_elements, slice(None))),
        ("min max", HigherOrder(_give_elements, slice(None))),
        ("map", HigherOrder(_give_all_results)),
        ("filter", HigherOrder(give_all_elements)),
        ("run", HigherOrder(give_result)),
    ),
    build_model_table(
        ("list tuple set reversed", model_copied_container),
        ("copy deepcopy", passed_on),
        *((name, partial(_model_special_method, method)) for name, method in _SPECIAL.items()),
        ("enumerate", _model_enumerate),
        ("zip", _model_zip),
        ("next", _model_next),
        ("cast", _model_cast),
    ),
    build_model_table(
        ("append add appendleft insert push unshift set put addLast addFirst offer", _model_append),
        ("extend addAll", _model_extend),
        ("update putAll", _model_update),
        ("setdefault", _set_default),
        ("items entries entrySet", _model_items),
        (
            """pop get popleft popitem __getitem__ shift getOrDefault orElse orElseThrow getFirst
            getLast getValue poll peek
            next first last get_mut first_mut last_mut""",
            _model_keyed_take,
        ),
        (
            """values copy slice concat keys stream parallelStream iterator listIterator toList
            collect sorted limit distinct
            findFirst findAny values_mut drain chain rev take skip""",
            _model_same_container,
        ),
        (
            """sort map filter forEach find reduce some every flatMap ifPresent ifPresentOrElse
            anyMatch allMatch noneMatch
            removeIf computeIfAbsent computeIfPresent orElseGet for_each filter_map flat_map any all
            fold sort_by_key
            sort_by find_map max_by_key min_by_key""",
            _model_each_element,
        ),
    ),
)
