"""What calls into the language and its libraries do with the functions, classes and containers that they are given."""

from collections.abc import Callable
from typing import Any, Protocol

from gieok.capabilities.code.facts import NOTHING
from gieok.capabilities.code.resolve.sites import Site
from gieok.capabilities.code.resolve.values import Value, Values

#: Call what they are given with the elements of what else they are given.
_CALLERS = frozenset(
    """map filter sorted min max reduce sort any all iter submit apply call_soon call_soon_threadsafe Thread Timer run gather
    partial register run_sync run_in_executor to_thread start_soon create_task run_in_threadpool setTimeout setImmediate
    setInterval nextTick then catch finally forEach Promise requestAnimationFrame queueMicrotask""".split()
)
_OVER_FIRST = frozenset(("sorted", "min", "max"))
_COPIERS = frozenset("list tuple set reversed frozenset deque".split())
#: Give back what they are given.
_PASSING = frozenset(
    """update_wrapper lru_cache cache fixture copy deepcopy staticmethod classmethod property contextmanager total_ordering
    asynccontextmanager singledispatch setupmethod no_type_check abstractmethod overload dataclass final runtime_checkable
    deprecated freeze assign shallowReactive proxy""".split()
)
_SPECIAL = {"str": "__str__", "repr": "__repr__", "format": "__str__", "len": "__len__", "bool": "__bool__", "hash": "__hash__",
            "int": "__int__", "float": "__float__", "bytes": "__bytes__", "abs": "__abs__"}  # fmt: skip
_DEEPEST_CALL = 3


class Machine(Protocol):
    """What of the solver the models use."""

    values: Values

    def fresh(self) -> int: ...
    def add(self, variable: int, value: int) -> None: ...
    def flow(self, source: int, to: int) -> None: ...
    def wait(self, variable: int, trigger: tuple[Any, ...]) -> None: ...
    def key(self, container: int, key: str | int) -> int: ...
    def any_of(self, container: int) -> int: ...
    def spread(self, container: int, listener: Callable[[str | int, int], None]) -> None: ...
    def new_container(self) -> int: ...
    def iterate(self, value: int, to: int, symbol: int, line: int) -> None: ...
    def special(self, value: int, name: str, to: int, arguments: Any, symbol: int, line: int) -> None: ...
    def apply(self, value: int, site: Site) -> None: ...
    def refer(self, value: int, symbol: int, line: int) -> None: ...
    def derived(self, site: Site, to: int, arguments: Any) -> Site: ...


def call(machine: Machine, site: Site, dotted: str) -> None:
    """Model a call of something external, by the last part of its name."""
    name = dotted.rpartition(".")[2]
    if ("native", name) in site.wired:
        return
    site.wired.add(("native", name))
    arguments = [variable for _, variable in site.arguments]
    first = arguments[0] if arguments else NOTHING
    if name in _CALLERS:
        _callbacks(machine, site, name)
    if name in _COPIERS and first != NOTHING:
        _held(machine, site, _elements(machine, site, first))
    elif name == "enumerate" and first != NOTHING:
        pair = machine.new_container()
        machine.flow(_elements(machine, site, first), machine.key(_number(machine, pair), 1))
        _held(machine, site, _holding(machine, pair))
    elif name == "zip":
        _zip(machine, site, arguments)
    elif name == "next" and first != NOTHING:
        machine.wait(first, (_next, machine, site))
    elif name in _SPECIAL and first != NOTHING:
        machine.wait(first, (machine.special, _SPECIAL[name], machine.fresh(), (), site.symbol, site.line))
    elif name == "type" and len(arguments) == 1 and first != NOTHING:
        machine.wait(first, (_class_of, machine, site))
    elif name == "cast" and len(arguments) > 1:
        _pass(machine, arguments[1], site)
    elif name == "getattr" and len(arguments) > 2:
        _pass(machine, arguments[2], site)
    elif name == "wraps":
        machine.add(site.to, machine.values.number(Value.IDENTITY, 0))
    elif name in _PASSING:
        for variable in arguments:
            _pass(machine, variable, site)
        if not arguments:
            machine.add(site.to, machine.values.number(Value.IDENTITY, 0))
    elif name not in _CALLERS:
        refer(machine, site)
        if dotted.count("(") < _DEEPEST_CALL:
            machine.add(site.to, machine.values.number(Value.EXTERNAL, f"{dotted}()"))


def refer(machine: Machine, site: Site) -> None:
    """Note functions that are handed to something external."""
    for _, variable in site.arguments:
        if variable != NOTHING:
            machine.wait(variable, (machine.refer, site.symbol, site.line))


def _pass(machine: Machine, variable: int, site: Site) -> None:
    if variable != NOTHING:
        machine.flow(variable, site.to)


def _elements(machine: Machine, site: Site, variable: int) -> int:
    to = machine.fresh()
    if variable != NOTHING:
        machine.wait(variable, (machine.iterate, to, site.symbol, site.line))
    return to


def _number(machine: Machine, value: int) -> int:
    return int(machine.values.first[value])


def _holding(machine: Machine, value: int) -> int:
    variable = machine.fresh()
    machine.add(variable, value)
    return variable


def _held(machine: Machine, site: Site, elements: int) -> None:
    """Let the call give a new container of what `elements` holds."""
    made = machine.new_container()
    machine.flow(elements, machine.key(_number(machine, made), "*"))
    machine.add(site.to, made)


def _callbacks(machine: Machine, site: Site, name: str) -> None:
    arguments = [variable for _, variable in site.arguments]
    elements = machine.fresh()
    for variable in arguments if name in _OVER_FIRST else arguments[1:]:
        machine.flow(_elements(machine, site, variable), elements)
    result = machine.fresh()
    inner = machine.derived(site, result, (("", elements),))
    for place, variable in enumerate(arguments):
        if variable == NOTHING:
            continue
        if name == "partial" and place == 0:
            machine.flow(variable, site.to)
        else:
            machine.wait(variable, (_call_back, machine, inner))
    if name in ("min", "max"):
        machine.flow(elements, site.to)
    elif name in ("sorted", "filter"):
        _held(machine, site, elements)
    elif name == "map":
        _held(machine, site, result)
    elif name == "iter" and arguments:
        machine.flow(arguments[0], site.to)
        if arguments[0] != NOTHING:
            machine.wait(arguments[0], (machine.special, "__iter__", site.to, (), site.symbol, site.line))
    elif name in ("run", "gather", "create_task", "then", "to_thread", "run_sync"):
        for variable in arguments[:1]:
            _pass(machine, variable, site)
        machine.flow(result, site.to)


def _call_back(value: int, machine: Machine, site: Site) -> None:
    if machine.values.kinds[value] in (Value.FUNCTION, Value.BOUND):
        machine.apply(value, site)


def _next(value: int, machine: Machine, site: Site) -> None:
    if machine.values.kinds[value] == Value.INSTANCE:
        machine.special(value, "__next__", site.to, (), site.symbol, site.line)
    else:
        machine.iterate(value, site.to, site.symbol, site.line)


def _class_of(value: int, machine: Machine, site: Site) -> None:
    if machine.values.kinds[value] == Value.INSTANCE:
        machine.add(site.to, machine.values.number(Value.CLASS, machine.values.first[value]))


def _zip(machine: Machine, site: Site, arguments: list[int]) -> None:
    pair = machine.new_container()
    for place, variable in enumerate(arguments):
        machine.flow(_elements(machine, site, variable), machine.key(_number(machine, pair), place))
    _held(machine, site, _holding(machine, pair))


def container_method(machine: Machine, site: Site, container: int, name: str) -> None:
    """Model a method of a list, dict, set or array."""
    if ("container", container, name) in site.wired:
        return
    site.wired.add(("container", container, name))
    arguments = [variable for _, variable in site.arguments]
    model = _METHODS.get(name)
    if model is not None:
        model(machine, site, container, arguments)


def _append(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    del site
    for variable in arguments[-1:]:
        if variable != NOTHING:
            machine.flow(variable, machine.key(container, "*"))


def _extend(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    for variable in arguments[:1]:
        machine.flow(_elements(machine, site, variable), machine.key(container, "*"))


def _update(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    for keyword, variable in site.arguments:
        if keyword and variable != NOTHING:
            machine.flow(variable, machine.key(container, keyword))
    for variable in arguments[:1]:
        if variable != NOTHING:
            machine.wait(variable, (_merge, machine, container))


def _merge(value: int, machine: Machine, container: int) -> None:
    if machine.values.kinds[value] == Value.CONTAINER and _number(machine, value) != container:
        machine.spread(_number(machine, value), lambda key, variable: machine.flow(variable, machine.key(container, key)))


def _take(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    machine.flow(machine.any_of(container), site.to)
    for variable in arguments[1:2]:
        if variable != NOTHING:
            machine.flow(variable, site.to)


def _set_default(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    _append(machine, site, container, arguments[1:])
    _take(machine, site, container, arguments)


def _same(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    del arguments
    machine.add(site.to, machine.values.number(Value.CONTAINER, container))


def _items(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    del arguments
    pair = machine.new_container()
    machine.flow(machine.any_of(container), machine.key(_number(machine, pair), 1))
    _held(machine, site, _holding(machine, pair))


def _each(machine: Machine, site: Site, container: int, arguments: list[int]) -> None:
    """Model map, filter, forEach …: the function is called with the elements."""
    result = machine.fresh()
    inner = machine.derived(site, result, (("", machine.any_of(container)),))
    for variable in arguments:
        if variable != NOTHING:
            machine.wait(variable, (_call_back, machine, inner))
    made = machine.new_container()
    for source in (result, machine.any_of(container)):
        machine.flow(source, machine.key(_number(machine, made), "*"))
    machine.add(site.to, made)
    machine.flow(machine.any_of(container), site.to)  # find


Model = Callable[[Machine, Site, int, list[int]], None]
_METHODS: dict[str, Model] = {
    **dict.fromkeys(("append", "add", "appendleft", "insert", "push", "unshift"), _append),
    "extend": _extend, "update": _update, "setdefault": _set_default, "items": _items,
    **dict.fromkeys(("pop", "get", "popleft", "popitem", "__getitem__", "shift"), _take),
    **dict.fromkeys(("values", "copy", "slice", "concat", "keys"), _same),
    **dict.fromkeys(("sort", "map", "filter", "forEach", "find", "reduce", "some", "every", "flatMap"), _each),
}  # fmt: skip
