"""Values that variables can hold, numbered, so that a set of them is a set of ints."""

from enum import IntEnum


class Value(IntEnum):
    """Kinds of value, with what the two numbers (or names) beside the kind are."""

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
    """The numbering. The same value has the same number; numbers are given in order of first use."""

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

    @property
    def unknown(self) -> int:
        """Return whatever something external gives: one value for all, because nothing is known of any."""
        return self.number(Value.EXTERNAL, "()")
