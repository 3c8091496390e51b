"""Mixing: an object gets all members of others at once.

Examples are `Object.assign(a, b)`, mixins, and a prototype that is set.
"""

from collections import defaultdict
from collections.abc import Callable

from gieok.code.resolve.calls import Calls
from gieok.code.resolve.program import SolverPart
from gieok.code.resolve.values import Value

_FUNCTIONS = (Value.FUNCTION, Value.BOUND)
_CLASSES = (Value.CLASS, Value.INSTANCE)


class Mixing(SolverPart):
    """Solver part that gives the members of one value to another.

    A function with attributes asks for the members that were mixed into it.
    """

    def __init__(self, calls: Calls, load: Callable[..., None], store: Callable[..., None]) -> None:
        super().__init__(calls.program)
        self._calls = calls
        self._load = load
        self._store = store
        #: Function → values whose members it also has; and the requests for its members: (name,
        #: variable) → (symbol, line).
        self._above: dict[int, dict[int, None]] = defaultdict(dict)
        self._asked: dict[int, dict[tuple[str, int], tuple[int, int]]] = defaultdict(dict)

    def mix(self, value: int, source: int, symbol: int, line: int) -> None:
        """Let a value get the members of the values of a variable."""
        self.flows.wait(source, (self._take, value, symbol, line))

    def _take(self, source: int, target: int, symbol: int, line: int) -> None:
        values = self.values
        kind, source_kind = values.kinds[target], values.kinds[source]
        if source == target:
            return
        if kind in _FUNCTIONS and source_kind in (*_FUNCTIONS, *_CLASSES, Value.CONTAINER):
            function = int(values.first[target])
            if source not in self._above[function]:
                self._above[function][source] = None
                for (name, to), place in list(self._asked[function].items()):
                    self._load(source, to, name, *place)
        elif source_kind == Value.CONTAINER:
            self.containers.spread(
                source, lambda key, held: self._give(target, key, held, symbol, line)
            )
        elif source_kind in _CLASSES and kind == Value.CLASS:
            owner = int(values.first[target])
            base = values.number(Value.CLASS, values.first[source])
            self._calls.inherit(base, owner, len(self.hierarchy.bases(owner)))
        elif source_kind in _CLASSES:
            for base in self.hierarchy.linear(int(values.first[source])):
                for name, held in self.hierarchy.attributes[base].items():
                    self._give(target, name, held, symbol, line)

    def _give(self, target: int, key: str | int, held: int, symbol: int, line: int) -> None:
        if isinstance(key, str) and key != "*" and not key.startswith("__"):
            self._store(target, key, held, symbol, line)

    def ask(self, function: int, to: int, name: str, symbol: int, line: int) -> None:
        """Let a variable hold the members of this name, present and future, mixed into a
        function.
        """
        requests = self._asked[function]
        if (name, to) not in requests:
            requests[name, to] = (symbol, line)
            for source in list(self._above.get(function, ())):
                self._load(source, to, name, symbol, line)

    def let_go(self) -> None:
        """Drop the requests, and the references to the owner's methods: the garbage collector is
        off.
        """
        self._above.clear()
        self._asked.clear()
        self.let_go_of("_load", "_store")
