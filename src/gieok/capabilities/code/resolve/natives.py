"""What calls into the language and its libraries do with the functions, classes and containers that they are given."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from gieok.capabilities.code.model.facts import NOTHING, Argument
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
#: As decorators: what they are given stays with the class or module it stands in; nobody else is handed it.
_KEEPING = frozenset("cached_property setter getter deleter wraps singledispatchmethod override".split())
_SPECIAL = {"str": "__str__", "repr": "__repr__", "format": "__str__", "len": "__len__", "bool": "__bool__", "hash": "__hash__",
            "int": "__int__", "float": "__float__", "bytes": "__bytes__", "abs": "__abs__"}  # fmt: skip
#: Whatever something external gives: one value for all, because nothing is known of any.
RESULT = "()"


class Machine(Protocol):
    """What of the solver the models use."""

    values: Values
    #: Variables that hold something external and nothing else.
    inert: set[int]

    def fresh(self) -> int:
        """Return a new variable."""

    def add(self, variable: int, value: int) -> None:
        """Let a variable hold a value."""

    def flow(self, source: int, to: int) -> None:
        """Let everything that `source` holds reach `to`."""

    def wait(self, variable: int, trigger: tuple[Any, ...]) -> None:
        """Call `trigger` with every value of a variable."""

    def key(self, container: int, key: str | int) -> int:
        """Return the variable of one key of a container."""

    def any_of(self, container: int) -> int:
        """Return the variable of everything inside a container."""

    def allow(self, value: int, to: int) -> None:
        """Let a variable hold instances of a class and of what is below it."""

    def spread(self, container: int, listener: Callable[[str | int, int], None]) -> None:
        """Call `listener` with every key of a container."""

    def new_container(self) -> int:
        """Return a new container, as a value."""

    def iterate(self, value: int, to: int, symbol: int, line: int) -> None:
        """Let `to` hold the elements of a value."""

    def special(self, value: int, name: str, to: int, arguments: Sequence[Argument], symbol: int, line: int) -> None:
        """Call a method that an operator stands for."""

    def apply(self, value: int, site: Site) -> None:
        """Let a site call a value."""

    def refer(self, value: int, symbol: int, line: int) -> None:
        """Note that a function is handed out."""

    def derived(self, site: Site, to: int, arguments: Sequence[Argument]) -> Site:
        """Return a new site at the same place."""


def call(machine: Machine, site: Site, name: str) -> None:
    """Model a call of something external, by the last part of its name."""
    if ("native", name) in site.wired:
        return
    site.wired.append(("native", name))
    arguments = [variable for _, variable in site.arguments]
    if name in _CALLERS:
        _callbacks(machine, site, name)
    model = _FUNCTIONS.get(name)
    if model is not None:
        model(machine, site, arguments, name)
    elif name not in _CALLERS:
        refer(machine, site)
        machine.add(site.to, machine.values.number(Value.EXTERNAL, RESULT))


def _copy(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    for first in arguments[:1]:
        _held(machine, site, _elements(machine, site, first))


def _enumerate(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    for first in arguments[:1]:
        pair = machine.new_container()
        machine.flow(_elements(machine, site, first), machine.key(_number(machine, pair), 1))
        _held(machine, site, _holding(machine, pair))


def _on_first(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model what calls a special method of its first argument."""
    for first in arguments[:1]:
        if first != NOTHING and name == "next":
            machine.wait(first, (_next, machine, site))
        elif first != NOTHING:
            machine.wait(first, (machine.special, _SPECIAL[name], machine.fresh(), (), site.symbol, site.line))


def _type(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    if len(arguments) == 1 and arguments[0] != NOTHING:
        machine.wait(arguments[0], (_class_of, machine, site))


def _cast(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    for variable in arguments[1:2] if name == "cast" else arguments[2:3]:
        _pass(machine, variable, site)


def _row(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model `pytest.param`: one value is itself, several are a row."""
    del name
    given = [variable for keyword, variable in site.arguments if not keyword]
    if len(given) == 1:
        _pass(machine, arguments[0], site)
        return
    row = machine.new_container()
    for place, variable in enumerate(given):
        if variable != NOTHING:
            machine.flow(variable, machine.key(_number(machine, row), place))
    machine.add(site.to, row)


def _update_wrapper(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    for wrapper in arguments[:1]:  # not what is wrapped: that is everything which the decorator ever got
        _pass(machine, wrapper, site)


def _raises(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model `with pytest.raises(E) as caught` and unittest's: the exception is its `value`, or `exception`."""
    caught = machine.new_container()
    for variable in arguments[:1]:
        if variable != NOTHING:
            held = machine.key(_number(machine, caught), "value" if name == "raises" else "exception")
            machine.wait(variable, (machine.allow, held))
    machine.add(site.to, caught)


def _pass_on(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    for variable in arguments if name != "wraps" else ():
        _pass(machine, variable, site)
    if not arguments or name == "wraps":
        machine.add(site.to, machine.values.number(Value.IDENTITY, 0))


def keeps(name: str) -> bool:
    """Say whether a decorator from outside hands what it decorates to nobody: it is found by its own name alone."""
    return name in _PASSING or name in _KEEPING


def refer(machine: Machine, site: Site) -> None:
    """Note functions that are handed to something external."""
    for _, variable in site.arguments:
        if variable != NOTHING and variable not in machine.inert:
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
    if name == "partial":
        for variable in arguments[:1]:
            _pass(machine, variable, site)
    for variable in arguments[1:] if name == "partial" else arguments:
        if variable != NOTHING:
            machine.wait(variable, (_call_back, machine, inner))
    _give_result(machine, site, name, elements, result)


def _give_result(machine: Machine, site: Site, name: str, elements: int, result: int) -> None:
    """Let a call that took a function give the elements, a container of them, or what the function gave."""
    arguments = [variable for _, variable in site.arguments]
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


def _collection(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model `new Map(pairs)` and `new Set(elements)`."""
    elements = _elements(machine, site, arguments[0]) if arguments else machine.fresh()
    if name.endswith("Map"):
        inner = machine.fresh()
        machine.wait(elements, (machine.iterate, inner, site.symbol, site.line))
        elements = inner
    _held(machine, site, elements)


def _zip(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    del name
    pair = machine.new_container()
    for place, variable in enumerate(arguments):
        machine.flow(_elements(machine, site, variable), machine.key(_number(machine, pair), place))
    _held(machine, site, _holding(machine, pair))


Function = Callable[[Machine, Site, list[int], str], None]
_FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(_COPIERS, _copy), **dict.fromkeys(_PASSING, _pass_on), **dict.fromkeys(_SPECIAL, _on_first),
    **dict.fromkeys(("Map", "WeakMap", "Set", "WeakSet"), _collection),
    "enumerate": _enumerate, "zip": _zip, "next": _on_first, "type": _type, "cast": _cast, "wraps": _pass_on,
    "param": _row, "update_wrapper": _update_wrapper, "raises": _raises, "assertRaises": _raises, "assertRaisesRegex": _raises,
}  # fmt: skip


def container_method(machine: Machine, site: Site, container: int, name: str) -> None:
    """Model a method of a list, dict, set or array."""
    if ("container", container, name) in site.wired:
        return
    site.wired.append(("container", container, name))
    arguments = [variable for _, variable in site.arguments]
    model = METHODS.get(name)
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
        machine.spread(
            _number(machine, value), lambda key, variable: machine.flow(variable, machine.key(container, key))
        )


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
#: Methods of containers, by name, in all languages.
METHODS: dict[str, Model] = {
    **dict.fromkeys(("append", "add", "appendleft", "insert", "push", "unshift", "set", "put", "addLast",
        "addFirst", "offer"), _append),
    "extend": _extend, "update": _update, "setdefault": _set_default, **dict.fromkeys(("items", "entries"), _items),
    **dict.fromkeys(
        """pop get popleft popitem __getitem__ shift getOrDefault orElse orElseThrow getFirst getLast getValue poll peek next
        first last get_mut first_mut last_mut""".split(), _take),
    **dict.fromkeys(
        """values copy slice concat keys stream parallelStream iterator listIterator toList collect sorted limit distinct
        findFirst findAny values_mut drain chain rev take skip""".split(), _same),
    **dict.fromkeys(
        """sort map filter forEach find reduce some every flatMap ifPresent ifPresentOrElse anyMatch allMatch noneMatch
        removeIf computeIfAbsent computeIfPresent orElseGet for_each filter_map flat_map any all fold sort_by_key sort_by
        find_map max_by_key min_by_key""".split(), _each),
    "addAll": _extend, "putAll": _update, "entrySet": _items,
}  # fmt: skip
