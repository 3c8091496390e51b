"""Places in the source that the solver learns about."""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.capabilities.code.model.facts import Argument


class Site:
    """Where something is called (kind `call`), read through a property or called by an operator (`special`)."""

    __slots__ = ("arguments", "kind", "line", "met", "name", "symbol", "targets", "to", "wired")

    def __init__(self, to: int, arguments: Sequence[Argument], symbol: int, line: int, name: str, kind: str) -> None:
        self.to = to
        self.arguments = arguments
        self.symbol = symbol
        self.line = line
        self.name = name
        self.kind = kind
        self.targets: dict[int, None] = {}
        #: What has been connected already; `external` where the callee is known to lie outside of the project.
        self.wired: list[object] = []
        #: Objects and classes that were called here: each once, whatever their calls come back to.
        self.met: set[int] | None = None  # most sites meet none: an empty set has three times a site's weight

    def meets(self, value: int) -> bool:
        """Say whether a value is called here for the first time, and note that it is."""
        if self.met is None:
            self.met = set()
        is_new = value not in self.met
        self.met.add(value)
        return is_new

    def note(self, mark: str) -> None:
        """Note something about the callee, once."""
        if mark not in self.wired:
            self.wired.append(mark)

    def constructor(self, to: int) -> "Site":
        """Return a site with the same targets for `__init__`, whose result is not what the call gives.

        What was called is shared too: `A.__init__ = A` ends there.
        """
        inner = Site(to, self.arguments, self.symbol, self.line, self.name, self.kind)
        inner.targets, inner.met = self.targets, self.met
        return inner


class Reference(NamedTuple):
    """A symbol that is handed on, constructed or asked for at a place."""

    symbol: int
    target: int
    line: int
