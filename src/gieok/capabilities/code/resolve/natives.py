"""What calls into a language and its libraries do with the functions, classes and containers that they are given.

By the last part of the name that is called. `common.COMMON` holds for all languages; a language adds its own (`and_also`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from gieok.capabilities.code.model.facts import NOTHING, Argument
from gieok.capabilities.code.resolve.program import Program
from gieok.capabilities.code.resolve.sites import Site
from gieok.capabilities.code.resolve.types import Types
from gieok.capabilities.code.resolve.values import Value


class Machine(Protocol):
    """What of the solver the models use."""

    program: Program
    types: Types

    def iterate(self, value: int, to: int, symbol: int, line: int) -> None:
        """Let `to` hold the elements of a value."""

    def special(self, value: int, name: str, to: int, arguments: Sequence[Argument], symbol: int, line: int) -> None:
        """Call a method that an operator stands for."""

    def apply(self, value: int, site: Site) -> None:
        """Let a site call a value."""

    def refer(self, value: int, symbol: int, line: int) -> None:
        """Note that a function is handed out."""


#: Models a function, by (machine, site, variables of its arguments, name).
Function = Callable[[Machine, Site, list[int], str], None]
#: Models a method of a container, by (machine, site, container, variables of its arguments).
Method = Callable[[Machine, Site, int, list[int]], None]


class Caller(NamedTuple):
    """A function that calls what it is given with the elements of what else it is given."""

    #: What the call gives, by (machine, site, variable of the elements, variable of what was called gave).
    gives: Callable[[Machine, Site, int, int], None] = lambda machine, site, elements, result: None
    iterated: slice = slice(1, None)
    called: slice = slice(None)


class Natives(NamedTuple):
    """Models by name."""

    callers: Mapping[str, Caller]
    functions: Mapping[str, Function]
    methods: Mapping[str, Method]
    #: As decorators: what they are given stays with the class or module it stands in; nobody else is handed it.
    keeping: frozenset[str] = frozenset()
    #: Methods of containers that have no model: they give nothing.
    unmodelled: frozenset[str] = frozenset(("remove", "then", "has"))

    def and_also(self, other: "Natives") -> "Natives":
        """Return the models of both."""
        return Natives(
            {**self.callers, **other.callers}, {**self.functions, **other.functions}, {**self.methods, **other.methods},
            self.keeping | other.keeping, self.unmodelled | other.unmodelled,
        )  # fmt: skip

    def call(self, machine: Machine, site: Site, name: str) -> None:
        """Model a call of something external, by the last part of its name, once."""
        if ("native", name) in site.wired:
            return
        site.wired.append(("native", name))
        if caller := self.callers.get(name):
            _call_back(machine, site, caller)
        elif function := self.functions.get(name):
            function(machine, site, [variable for _, variable in site.arguments], name)
        else:
            refer(machine, site)
            machine.program.flows.add(site.to, machine.program.values.unknown)

    def call_method(self, machine: Machine, site: Site, container: int, name: str) -> None:
        """Model a method of a list, dict, set or array, once."""
        if ("container", container, name) in site.wired:
            return
        site.wired.append(("container", container, name))
        if method := self.methods.get(name):
            method(machine, site, container, [variable for _, variable in site.arguments])

    def is_method(self, name: str) -> bool:
        """Say whether containers have a method of that name."""
        return name in self.methods or name in self.unmodelled

    def keeps(self, name: str) -> bool:
        """Say whether a decorator from outside hands what it decorates to nobody: it is found by its own name alone."""
        return name in self.keeping


def refer(machine: Machine, site: Site) -> None:
    """Note functions that are handed to something external."""
    program = machine.program
    for _, variable in site.arguments:
        if variable != NOTHING and variable not in program.inert:
            program.flows.wait(variable, (machine.refer, site.symbol, site.line))


# What models are made of


def pass_on(machine: Machine, site: Site, variable: int) -> None:
    """Let the call give what a variable holds."""
    if variable != NOTHING:
        machine.program.flows.flow(variable, site.to)


def elements_of(machine: Machine, site: Site, variable: int) -> int:
    """Return a variable that holds what iterating over another gives."""
    to = machine.program.flows.fresh()
    if variable != NOTHING:
        machine.program.flows.wait(variable, (machine.iterate, to, site.symbol, site.line))
    return to


def give_container(machine: Machine, site: Site, held: Mapping[Any, int]) -> None:
    """Let the call give a new container."""
    machine.program.flows.add(site.to, container_of(machine, held))


def container_of(machine: Machine, held: Mapping[Any, int]) -> int:
    """Return a new container, as a value, that holds what variables hold, by key."""
    program = machine.program
    made = program.containers.new()
    for key, variable in held.items():
        if variable != NOTHING:
            program.flows.flow(variable, program.containers.key(int(program.values.first[made]), key))
    return made


def _call_back(machine: Machine, site: Site, caller: Caller) -> None:
    program = machine.program
    arguments = [variable for _, variable in site.arguments]
    elements = program.flows.fresh()
    for variable in arguments[caller.iterated]:
        program.flows.flow(elements_of(machine, site, variable), elements)
    result = program.flows.fresh()
    call_with(machine, site, arguments[caller.called], elements, result)
    caller.gives(machine, site, elements, result)


def call_with(machine: Machine, site: Site, arguments: Sequence[int], given: int, result: int) -> None:
    """Call those of the arguments that are functions with what `given` holds."""
    inner = machine.program.site(result, (("", given),), site.symbol, site.line, "", "callback")
    for variable in arguments:
        if variable != NOTHING:
            machine.program.flows.wait(variable, (_apply_function, machine, inner))


def _apply_function(value: int, machine: Machine, site: Site) -> None:
    if machine.program.values.kinds[value] in (Value.FUNCTION, Value.BOUND):
        machine.apply(value, site)


# What callers give


def give_all_elements(machine: Machine, site: Site, elements: int, result: int) -> None:
    """Give a container of the elements."""
    del result
    give_container(machine, site, {"*": elements})


def give_result(machine: Machine, site: Site, elements: int, result: int) -> None:
    """Give what the first argument is, and what it gave when called."""
    give_first(machine, site, elements, result)
    machine.program.flows.flow(result, site.to)


def give_first(machine: Machine, site: Site, elements: int, result: int) -> None:
    """Give the first argument."""
    del elements, result
    for _, variable in site.arguments[:1]:
        pass_on(machine, site, variable)


# Functions


def copied(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model what gives a new container of the elements of another."""
    del name
    for first in arguments[:1]:
        give_container(machine, site, {"*": elements_of(machine, site, first)})


def passed_on(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model what gives back what it is given; without arguments, a decorator that does."""
    del name
    for variable in arguments:
        pass_on(machine, site, variable)
    if not arguments:
        machine.program.flows.add(site.to, machine.program.values.number(Value.IDENTITY, 0))


_Model = TypeVar("_Model")


def by_name(*models: tuple[str, _Model]) -> dict[str, _Model]:
    """Return a table of models from names that are separated by blanks."""
    return {name: model for names, model in models for name in names.split()}
