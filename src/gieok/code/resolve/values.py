"""Values that variables can hold, numbered, and the contents of containers.

A set of values is a set of ints.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import IntEnum

from gieok.code.resolve.flows import CAP, Flows, Trigger

#: Members that every object has from the language: a value stored under an unknown name (`?`) is
#: not meant by these names.
INHERITED = frozenset(
    """
        call apply bind toString valueOf hasOwnProperty constructor prototype length name
        then catch finally forEach map filter push pop slice join keys values entries on
        once off emit addListener removeListener removeAllListeners listeners listenerCount
        pipe
    """.split()
)


class Value(IntEnum):
    """Kinds of value; each comment names the two numbers (or names) beside the kind."""

    FUNCTION = 0  # function
    CLASS = 1  # class
    MODULE = 2  # file
    INSTANCE = 3  # class
    BOUND = 4  # function, receiver (a value)
    CONTAINER = 5  # container
    GENERATED = 6  # function
    MANAGER = 7  # function
    EXTERNAL = 8  # the last part of its name: all that the models look at
    SUPER = 9  # class to start after, class of the receiver
    CONTAINER_METHOD = 10  # container, name
    IDENTITY = 11  # gives back the function it is called with
    PACKAGE = 12  # dotted name of a folder without a file of its own


class Values:
    """Numbering of values.

    Equal values have the same number; numbers are given in order of first use.
    """

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.first: list[int | str] = []
        self.second: list[int | str] = []
        self._known: dict[tuple[int, int | str, int | str], int] = {}

    def number(self, kind: int, first: int | str, second: int | str = 0) -> int:
        """Return the number of a value."""
        key = (kind, first, second)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.kinds)
            self.kinds.append(kind)
            self.first.append(first)
            self.second.append(second)
        return number

    def restore(
        self, kinds: Sequence[int], first: Sequence[int | str], second: Sequence[int | str]
    ) -> None:
        """Begin with values that were numbered before."""
        self.kinds, self.first, self.second = [*kinds], [*first], [*second]
        rows = zip(kinds, first, second, strict=True)
        self._known = {row: number for number, row in enumerate(rows)}

    @property
    def unknown(self) -> int:
        """Return the one value for any result of something external, of which nothing is known."""
        return self.number(Value.EXTERNAL, "()")


#: Called with a key and its variable.
Listener = Callable[[str | int, int], None]


class Containers:
    """Containers of a project, numbered."""

    def __init__(self, flows: Flows, values: Values) -> None:
        self._flows = flows
        self._values = values
        self._keys: list[dict[str | int, int]] = []
        self._any: list[int] = []
        self._listeners: dict[int, list[Listener]] = defaultdict(list)
        #: Attributes of containers that are read by name: a value that is stored in the container
        #: under an unknown name (`?`) may be meant.
        self._asked: list[tuple[int, str, Trigger]] = []

    def grow(self, count: int) -> int:
        """Add containers; return the number of the first."""
        first = len(self._keys)
        self._keys += [{} for _ in range(count)]
        self._any += [self._flows.fresh() for _ in range(count)]
        return first

    def new(self) -> int:
        """Return a new container, as a value (for `*args`, `**kwargs`, the results of builtins)."""
        return self._values.number(Value.CONTAINER, self.grow(1))

    def has(self, container: int, key: str) -> bool:
        """Return whether a value was stored or read under a key."""
        return key in self._keys[container]

    def key(self, container: int, key: str | int) -> int:
        """Return the variable of one key of a container; `*` is any key."""
        keys = self._keys[container]
        if isinstance(key, int) and key > CAP:
            key = "*"
        variable = keys.get(key)
        if variable is None:
            variable = keys[key] = self._flows.fresh()
            self._flows.flow(variable, self._any[container])
            self._flows.due += [
                (key, (listener, variable))
                for listener in reversed(self._listeners.get(container, ()))
            ]
        return variable

    def any_of(self, container: int) -> int:
        """Return the variable into which every value of a container flows."""
        return self._any[container]

    def spread(self, value: int, listener: Listener) -> None:
        """Call `listener` with every present and future key of a value that is a container."""
        if self._values.kinds[value] != Value.CONTAINER:
            return
        container = int(self._values.first[value])
        self._listeners[container].append(listener)
        for key, variable in list(self._keys[container].items()):
            listener(key, variable)

    def ask(self, container: int, name: str, trigger: Trigger) -> None:
        """Register a reader of an attribute by name."""
        self._asked.append((container, name, trigger))

    def settle(self) -> None:
        """Give the values stored under no known name to the readers of names that hold nothing."""
        for container, name, trigger in self._asked:
            if (
                "?" in self._keys[container]
                and name not in INHERITED
                and not self._flows.held(self.key(container, name))
            ):
                self._flows.wait(self.key(container, "?"), trigger)
                self._flows.fire()

    def dump(self) -> "tuple[list[tuple[int, list[tuple[str | int, int]]]], array[int]]":
        """Return the keys of each container that has any, and the variables of any key."""
        keys = [(c, [*own.items()]) for c, own in enumerate(self._keys) if own]
        return keys, array("i", self._any)

    def let_go(self) -> None:
        """Drop the listeners and the readers."""
        self._listeners.clear()
        self._asked.clear()
