"""Lists, dicts, sets, object literals: a variable per key, and one for everything inside."""

from collections import defaultdict
from collections.abc import Callable

from gieok.capabilities.code.resolve.flows import CAP, Flows, Trigger
from gieok.capabilities.code.resolve.values import Value, Values

#: Called with a key and its variable.
Listener = Callable[[str | int, int], None]


class Containers:
    """The containers of a project, numbered."""

    def __init__(self, flows: Flows, values: Values) -> None:
        self._flows = flows
        self._values = values
        self._keys: list[dict[str | int, int]] = []
        self._any: list[int] = []
        self._listeners: dict[int, list[Listener]] = defaultdict(list)
        #: Attributes of containers that are asked for by name: what is stored there by no known name (`?`) may be meant.
        self._asked: list[tuple[int, str, Trigger]] = []

    def grow(self, count: int) -> int:
        """Add containers; return the first of them."""
        first = len(self._keys)
        self._keys += [{} for _ in range(count)]
        self._any += [self._flows.fresh() for _ in range(count)]
        return first

    def new(self) -> int:
        """Return a new container, as a value (for `*args`, `**kwargs`, the results of builtins)."""
        return self._values.number(Value.CONTAINER, self.grow(1))

    def has(self, container: int, key: str) -> bool:
        """Say whether something was stored or asked for under a key."""
        return key in self._keys[container]

    def key(self, container: int, key: str | int) -> int:
        """Return the variable of one key of a container; `*` is any."""
        keys = self._keys[container]
        if isinstance(key, int) and key > CAP:
            key = "*"
        variable = keys.get(key)
        if variable is None:
            variable = keys[key] = self._flows.fresh()
            self._flows.flow(variable, self._any[container])
            self._flows.due += [(key, (one, variable)) for one in reversed(self._listeners.get(container, ()))]
        return variable

    def any_of(self, container: int) -> int:
        """Return the variable that holds everything inside a container."""
        return self._any[container]

    def spread(self, container: int, listener: Listener) -> None:
        """Call `listener` with every key of a container, now and later."""
        self._listeners[container].append(listener)
        for key, variable in list(self._keys[container].items()):
            listener(key, variable)

    def ask(self, container: int, name: str, trigger: Trigger) -> None:
        """Note who asks for an attribute by name."""
        self._asked.append((container, name, trigger))

    def settle(self) -> None:
        """Give those who asked for a name that holds nothing what is stored under no known name."""
        for container, name, trigger in self._asked:
            if "?" in self._keys[container] and not self._flows.held(self.key(container, name)):
                self._flows.wait(self.key(container, "?"), trigger)
                self._flows.fire()

    def let_go(self) -> None:
        """Drop the listeners and those who asked."""
        self._listeners.clear()
        self._asked.clear()
