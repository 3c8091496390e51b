"""What calls of every language do with what they are given: functions and methods of containers that many have, by name."""

from gieok.capabilities.code.model.facts import NOTHING
from gieok.capabilities.code.resolve.natives import (
    Caller,
    Machine,
    Natives,
    by_name,
    call_with,
    container_of,
    copied,
    elements_of,
    give_all_elements,
    give_container,
    give_first,
    give_result,
    pass_on,
    passed_on,
)
from gieok.capabilities.code.resolve.program import Program
from gieok.capabilities.code.resolve.sites import Site
from gieok.capabilities.code.resolve.values import Value

_SPECIAL = {"str": "__str__", "repr": "__repr__", "format": "__str__", "len": "__len__", "bool": "__bool__", "hash": "__hash__",
            "int": "__int__", "float": "__float__", "bytes": "__bytes__", "abs": "__abs__"}  # fmt: skip


# What callers give


def _give_elements(machine: Machine, site: Site, elements: int, result: int) -> None:
    """Give one of the elements."""
    del result
    machine.program.flows.flow(elements, site.to)


def _give_all_results(machine: Machine, site: Site, elements: int, result: int) -> None:
    """Give a container of what the function gave."""
    del elements
    give_container(machine, site, {"*": result})


def _give_iterator(machine: Machine, site: Site, elements: int, result: int) -> None:
    give_first(machine, site, elements, result)
    for _, variable in site.arguments[:1]:
        if variable != NOTHING:
            machine.program.flows.wait(variable, (machine.special, "__iter__", site.to, (), site.symbol, site.line))


# Functions


def _holding(machine: Machine, value: int) -> int:
    variable = machine.program.flows.fresh()
    machine.program.flows.add(variable, value)
    return variable


def _zipped(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model a container of rows with an element of each argument."""
    del name
    row = {place: elements_of(machine, site, variable) for place, variable in enumerate(arguments)}
    give_container(machine, site, {"*": _holding(machine, container_of(machine, row))})


def _enumerated(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model a container of pairs, of a number and an element."""
    del name
    for first in arguments[:1]:
        pair = container_of(machine, {1: elements_of(machine, site, first)})
        give_container(machine, site, {"*": _holding(machine, pair)})


def _special(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model what calls a special method of its first argument."""
    for first in arguments[:1]:
        if first != NOTHING:
            trigger = (machine.special, _SPECIAL[name], machine.program.flows.fresh(), (), site.symbol, site.line)
            machine.program.flows.wait(first, trigger)


def _next(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    for first in arguments[:1]:
        if first != NOTHING:
            machine.program.flows.wait(first, (_advance, machine, site))


def _advance(value: int, machine: Machine, site: Site) -> None:
    if machine.program.values.kinds[value] == Value.INSTANCE:
        machine.special(value, "__next__", site.to, (), site.symbol, site.line)
    else:
        machine.iterate(value, site.to, site.symbol, site.line)


def _type(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    if len(arguments) == 1 and arguments[0] != NOTHING:
        machine.program.flows.wait(arguments[0], (_class_of, machine, site))


def _class_of(value: int, machine: Machine, site: Site) -> None:
    values = machine.program.values
    if values.kinds[value] == Value.INSTANCE:
        machine.program.flows.add(site.to, values.number(Value.CLASS, values.first[value]))


def _cast(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    for variable in arguments[1:2]:
        pass_on(machine, site, variable)


# Methods of containers


def _append(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    del site
    for variable in arguments[-1:]:
        if variable != NOTHING:
            machine.program.flows.flow(variable, machine.program.containers.key(container, "*"))


def _extend(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    for variable in arguments[:1]:
        elements = elements_of(machine, site, variable)
        machine.program.flows.flow(elements, machine.program.containers.key(container, "*"))


def _update(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    program = machine.program
    for keyword, variable in site.arguments:
        if keyword and variable != NOTHING:
            program.flows.flow(variable, program.containers.key(container, keyword))
    for variable in arguments[:1]:
        if variable != NOTHING:
            program.flows.wait(variable, (_merge, program, container))


def _merge(value: int, program: Program, container: int) -> None:
    other = program.values.first[value]
    if program.values.kinds[value] == Value.CONTAINER and other != container:
        program.containers.spread(
            int(other), lambda key, variable: program.flows.flow(variable, program.containers.key(container, key))
        )


def _take(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    machine.program.flows.flow(machine.program.containers.any_of(container), site.to)
    for variable in arguments[1:2]:
        pass_on(machine, site, variable)


def _set_default(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    _append(machine, site, container, arguments[1:])
    _take(machine, site, container, arguments)


def _same(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    del arguments
    machine.program.flows.add(site.to, machine.program.values.number(Value.CONTAINER, container))


def _items(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    del arguments
    pair = container_of(machine, {1: machine.program.containers.any_of(container)})
    give_container(machine, site, {"*": _holding(machine, pair)})


def _each(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    """Model map, filter, forEach …: the function is called with the elements."""
    flows, containers = machine.program.flows, machine.program.containers
    result, inside = flows.fresh(), containers.any_of(container)
    call_with(machine, site, arguments, inside, result)
    made = machine.program.containers.new()
    for source in (result, inside):
        flows.flow(source, containers.key(int(machine.program.values.first[made]), "*"))
    flows.add(site.to, made)
    flows.flow(inside, site.to)  # find


COMMON = Natives(
    by_name(
        ("any all submit apply register sort reduce", Caller()),
        ("iter", Caller(_give_iterator)),
        ("sorted", Caller(give_all_elements, slice(None))),
        ("min max", Caller(_give_elements, slice(None))),
        ("map", Caller(_give_all_results)),
        ("filter", Caller(give_all_elements)),
        ("run", Caller(give_result)),
    ),
    by_name(
        ("list tuple set reversed", copied),
        ("copy deepcopy", passed_on),
        (" ".join(_SPECIAL), _special),
        ("enumerate", _enumerated),
        ("zip", _zipped),
        ("next", _next),
        ("type", _type),
        ("cast", _cast),
    ),
    by_name(
        ("append add appendleft insert push unshift set put addLast addFirst offer", _append),
        ("extend addAll", _extend),
        ("update putAll", _update),
        ("setdefault", _set_default),
        ("items entries entrySet", _items),
        (
            """pop get popleft popitem __getitem__ shift getOrDefault orElse orElseThrow getFirst getLast getValue poll peek
            next first last get_mut first_mut last_mut""",
            _take,
        ),
        (
            """values copy slice concat keys stream parallelStream iterator listIterator toList collect sorted limit distinct
            findFirst findAny values_mut drain chain rev take skip""",
            _same,
        ),
        (
            """sort map filter forEach find reduce some every flatMap ifPresent ifPresentOrElse anyMatch allMatch noneMatch
            removeIf computeIfAbsent computeIfPresent orElseGet for_each filter_map flat_map any all fold sort_by_key
            sort_by find_map max_by_key min_by_key""",
            _each,
        ),
    ),
)
