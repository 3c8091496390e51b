"""Models of builtins and libraries: how they use the functions and containers they are given.

A model is found by the last part of the called name. `COMMON` holds for all languages; a language
adds its own models (`and_also`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gieok.code.model.facts import NOTHING
from gieok.code.resolve.program import CallSite, Program
from gieok.code.resolve.values import Value

if TYPE_CHECKING:
    from gieok.code.resolve.calls import Calls

#: Arguments of a function that calls others.
_ALL = slice(None)
_ALL_BUT_FIRST = slice(1, None)


#: Models a function, by (calls, site, variables of its arguments).
Function = Callable[["Calls", CallSite, list[int]], None]
#: Models a method of a container, by (calls, site, container, variables of its arguments).
Method = Callable[["Calls", CallSite, int, list[int]], None]
#: Sets the result of a call, by (calls, site, variable of the elements, variable of the results of
#: the called function).
_Give = Callable[["Calls", CallSite, int, int], None]


class Natives(NamedTuple):
    """Models by name of the modelled function."""

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
            functions={**self.functions, **other.functions},
            methods={**self.methods, **other.methods},
            keeping=self.keeping | other.keeping,
            unmodelled=self.unmodelled | other.unmodelled,
            is_open=self.is_open or other.is_open,
        )

    def call(self, calls: "Calls", site: CallSite, name: str) -> None:
        """Apply the model of an external function to a call, once; found by the last part of the
        name.
        """
        if not site.note(("native", name)):
            return
        if function := self.functions.get(name):
            function(calls, site, [variable for _, variable in site.arguments])
        else:
            refer(calls, site)
            calls.program.flows.add(site.to, calls.program.values.unknown)

    def call_method(self, calls: "Calls", site: CallSite, container: int, name: str) -> None:
        """Let a call of a container's method have that method's modelled effect on the value flows.

        Containers are lists, dicts, sets and arrays. A second call with the same container, method
        and call site has no effect.
        """
        if not site.note(("container", container, name)):
            return
        if method := self.methods.get(name):
            method(calls, site, container, [variable for _, variable in site.arguments])

    def is_method(self, name: str) -> bool:
        """Say whether containers have a method of that name."""
        return name in self.methods or name in self.unmodelled


def refer(calls: "Calls", site: CallSite) -> None:
    """Note functions and classes that are passed to something external."""
    program = calls.program
    for _, variable in site.arguments:
        if variable not in program.inert:
            await_(calls, variable, calls.refer, site.symbol, site.line)
            await_(calls, variable, calls.refer_class, site.symbol, site.line)


# Building blocks of models


def await_(calls: "Calls", variable: int, *trigger: Any) -> None:  # noqa: ANN401 - as `Trigger`
    """Call a trigger with every value that a variable holds."""
    if variable != NOTHING:
        calls.program.flows.wait(variable, trigger)


def pass_variable_on(calls: "Calls", site: CallSite, variable: int) -> None:
    """Let the call return the values of a variable."""
    if variable != NOTHING:
        calls.program.flows.flow(variable, site.to)


def elements_of(calls: "Calls", site: CallSite, variable: int) -> int:
    """Return a variable that holds the elements of another."""
    to = calls.program.flows.fresh()
    await_(calls, variable, calls.iterate, to, site.symbol, site.line)
    return to


def give_container(calls: "Calls", site: CallSite, held: Mapping[Any, int]) -> None:
    """Let the call return a new container."""
    calls.program.flows.add(site.to, container_of(calls, held))


def container_of(calls: "Calls", held: Mapping[Any, int]) -> int:
    """Return a new container, as a value; `held` maps keys to the variables that it holds."""
    program = calls.program
    container = program.containers.new()
    for key, variable in held.items():
        if variable != NOTHING:
            program.flows.flow(
                variable, program.containers.key(int(program.values.first[container]), key)
            )
    return container


def call_back(
    give: _Give,
    calls: "Calls",
    site: CallSite,
    arguments: list[int],
    *,
    iterated: slice = _ALL_BUT_FIRST,
    called: slice = _ALL,
) -> None:
    """Model a function that calls some arguments with the elements of other arguments.

    A class among them is kept and made an object of later (`register(Item)`).
    """
    program = calls.program
    for variable in arguments[called]:
        await_(calls, variable, calls.refer_class, site.symbol, site.line)
    elements = program.flows.fresh()
    for variable in arguments[iterated]:
        program.flows.flow(elements_of(calls, site, variable), elements)
    result = program.flows.fresh()
    call_with(calls, site, arguments[called], elements, result)
    give(calls, site, elements, result)


def call_with(
    calls: "Calls", site: CallSite, arguments: Sequence[int], given: int, result: int
) -> None:
    """Call those of the arguments that are functions with the values of `given`."""
    inner = calls.program.site(result, (("", given),), site.symbol, site.line, "", "callback")
    for variable in arguments:
        await_(calls, variable, _apply_function, calls, inner)


def _apply_function(value: int, calls: "Calls", site: CallSite) -> None:
    if calls.program.values.kinds[value] in (Value.FUNCTION, Value.BOUND):
        calls.apply(value, site)


# Results of functions that call their arguments


def give_nothing(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    """Let the call return nothing that is known."""
    del calls, site, elements, result


def give_all_elements(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    """Let the call return a container of the elements."""
    del result
    give_container(calls, site, {"*": elements})


def give_result(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    """Let the call return its first argument, and the result of calling the first argument."""
    give_first(calls, site, elements, result)
    calls.program.flows.flow(result, site.to)


def give_first(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    """Let the call return its first argument."""
    del elements, result
    for _, variable in site.arguments[:1]:
        pass_variable_on(calls, site, variable)


# Functions


def model_copied_container(calls: "Calls", site: CallSite, arguments: list[int]) -> None:
    """Model a function that returns a new container of another container's elements."""
    for first in arguments[:1]:
        give_container(calls, site, {"*": elements_of(calls, site, first)})


def passed_on(calls: "Calls", site: CallSite, arguments: list[int]) -> None:
    """Model a function that returns its argument; without arguments, such a decorator."""
    for variable in arguments:
        pass_variable_on(calls, site, variable)
    if not arguments:
        calls.program.flows.add(site.to, calls.program.values.number(Value.IDENTITY, 0))


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


def _give_elements(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    """Let the call return one of the elements."""
    del result
    calls.program.flows.flow(elements, site.to)


def _give_all_results(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    """Let the call return a container of the called function's results."""
    del elements
    give_container(calls, site, {"*": result})


def _give_iterator(calls: "Calls", site: CallSite, elements: int, result: int) -> None:
    give_first(calls, site, elements, result)
    for _, variable in site.arguments[:1]:
        await_(calls, variable, calls.special, site.to, "__iter__", (), site.symbol, site.line)


# Functions


def _hold_value(calls: "Calls", value: int) -> int:
    variable = calls.program.flows.fresh()
    calls.program.flows.add(variable, value)
    return variable


def _model_zip(calls: "Calls", site: CallSite, arguments: list[int]) -> None:
    """Model `zip`: a container of rows with an element of each argument."""
    row = {place: elements_of(calls, site, variable) for place, variable in enumerate(arguments)}
    give_container(calls, site, {"*": _hold_value(calls, container_of(calls, row))})


def _model_enumerate(calls: "Calls", site: CallSite, arguments: list[int]) -> None:
    """Model `enumerate`: a container of pairs of a number and an element."""
    for first in arguments[:1]:
        pair = container_of(calls, {1: elements_of(calls, site, first)})
        give_container(calls, site, {"*": _hold_value(calls, pair)})


def _model_special_method(
    method: str, calls: "Calls", site: CallSite, arguments: list[int]
) -> None:
    """Model a function that calls a special method of its first argument."""
    for first in arguments[:1]:
        await_(
            calls,
            first,
            calls.special,
            calls.program.flows.fresh(),
            method,
            (),
            site.symbol,
            site.line,
        )


def _model_next(calls: "Calls", site: CallSite, arguments: list[int]) -> None:
    for first in arguments[:1]:
        await_(calls, first, _advance_iterator, calls, site)


def _advance_iterator(value: int, calls: "Calls", site: CallSite) -> None:
    if calls.program.values.kinds[value] == Value.INSTANCE:
        calls.special(value, site.to, "__next__", (), site.symbol, site.line)
    else:
        calls.iterate(value, site.to, site.symbol, site.line)


def _model_cast(calls: "Calls", site: CallSite, arguments: list[int]) -> None:
    for variable in arguments[1:2]:
        pass_variable_on(calls, site, variable)


# Methods of containers


def _model_append(calls: "Calls", site: CallSite, container: int, arguments: list[int]) -> None:
    del site
    for variable in arguments[-1:]:
        if variable != NOTHING:
            calls.program.flows.flow(variable, calls.program.containers.key(container, "*"))


def _model_extend(calls: "Calls", site: CallSite, container: int, arguments: list[int]) -> None:
    for variable in arguments[:1]:
        elements = elements_of(calls, site, variable)
        calls.program.flows.flow(elements, calls.program.containers.key(container, "*"))


def _model_update(calls: "Calls", site: CallSite, container: int, arguments: list[int]) -> None:
    program = calls.program
    for keyword, variable in site.arguments:
        if keyword and variable != NOTHING:
            program.flows.flow(variable, program.containers.key(container, keyword))
    for variable in arguments[:1]:
        await_(calls, variable, _merge_container, program, container)


def _merge_container(value: int, program: Program, container: int) -> None:
    if program.values.first[value] != container:
        key, flow = program.containers.key, program.flows.flow
        program.containers.spread(
            value, lambda name, variable: flow(variable, key(container, name))
        )


def _model_keyed_take(calls: "Calls", site: CallSite, container: int, arguments: list[int]) -> None:
    """Model a method that takes a value by key, with the second argument as default.

    Where the key is no constant, any value of the container is returned.
    """
    containers = calls.program.containers
    key = constant(calls.program, arguments[0]) if arguments else ""
    places = (
        (containers.key(container, key), containers.key(container, "*"))
        if key
        else (containers.any_of(container),)
    )
    for variable in (*places, *arguments[1:2]):
        pass_variable_on(calls, site, variable)


def constant(program: Program, variable: int) -> str:
    """Return the text that a variable holds, where its reader kept it.

    A kept text is an external value named `'text`.
    """
    held = program.flows.held(variable) if variable in program.inert else ()
    names = [str(program.values.first[value]) for value in held]
    return names[0][1:] if len(names) == 1 and names[0][:1] == "'" else ""


def _set_default(calls: "Calls", site: CallSite, container: int, arguments: list[int]) -> None:
    _model_append(calls, site, container, arguments[1:])
    _model_keyed_take(calls, site, container, arguments)


def _model_same_container(
    calls: "Calls", site: CallSite, container: int, arguments: list[int]
) -> None:
    del arguments
    calls.program.flows.add(site.to, calls.program.values.number(Value.CONTAINER, container))


def _model_items(calls: "Calls", site: CallSite, container: int, arguments: list[int]) -> None:
    del arguments
    pair = container_of(calls, {1: calls.program.containers.any_of(container)})
    give_container(calls, site, {"*": _hold_value(calls, pair)})


def _model_each_element(
    calls: "Calls", site: CallSite, container: int, arguments: list[int]
) -> None:
    """Model map, filter, forEach …: the function is called with the elements."""
    flows, containers = calls.program.flows, calls.program.containers
    result, inside = flows.fresh(), containers.any_of(container)
    call_with(calls, site, arguments, inside, result)
    collected = calls.program.containers.new()
    for source in (result, inside):
        flows.flow(source, containers.key(int(calls.program.values.first[collected]), "*"))
    flows.add(site.to, collected)
    flows.flow(inside, site.to)  # find


COMMON = Natives(
    build_model_table(
        ("any all submit apply register sort reduce", partial(call_back, give_nothing)),
        ("iter", partial(call_back, _give_iterator)),
        ("sorted", partial(call_back, give_all_elements, iterated=_ALL)),
        ("min max", partial(call_back, _give_elements, iterated=_ALL)),
        ("map", partial(call_back, _give_all_results)),
        ("filter", partial(call_back, give_all_elements)),
        ("run", partial(call_back, give_result)),
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
