"""Types of values by annotations, casts and `super()`: instances of a class or its subclasses."""

from gieok.code.resolve.flows import CAP
from gieok.code.resolve.program import Program, SolverPart
from gieok.code.resolve.values import Value


class Types(SolverPart):
    """Solver part that lets variables hold what their declared types allow."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._allowed: list[tuple[int, int]] = []
        #: (container, variable) pairs that are looked into: an object may hold itself.
        self._opened: set[tuple[int, int]] = set()

    def allow(self, value: int, to: int) -> None:
        """Let a variable hold instances of its declared type and of the subclasses."""
        if self.values.kinds[value] == Value.CLASS:
            owner = int(self.values.first[value])
            self.flows.add(to, self.values.number(Value.INSTANCE, owner))
            self.allow_subclasses(owner, to)

    def allow_subclasses(self, owner: int, to: int) -> None:
        """Let a variable hold instances of a class's subclasses, once all classes are known."""
        self._allowed.append((owner, to))

    def list_extended(self) -> list[int]:
        """Return the classes whose subclasses' instances a variable may hold, sorted."""
        return sorted({owner for owner, _ in self._allowed})

    def settle(self) -> None:
        """Add the instances of subclasses, where they are not too many."""
        below: dict[int, list[int]] = {}
        for owner, to in self._allowed:
            if owner not in below:
                below[owner] = [
                    self.values.number(Value.INSTANCE, c) for c in self.hierarchy.descendants(owner)
                ]
            if len(below[owner]) <= CAP:
                self.flows.add_all(to, below[owner])

    def instantiate(self, value: int, to: int) -> None:
        """Let a variable hold instances of exactly the classes that an annotation names."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.CLASS:
            self.flows.add(to, self.values.number(Value.INSTANCE, first))
        elif kind == Value.CONTAINER and (int(first), to) not in self._opened:
            # an alias such as `Handler = Union[A, B]` in a tuple
            self._opened.add((int(first), to))
            self.flows.wait(self.containers.any_of(int(first)), (self.instantiate, to))

    def narrow(self, value: int, to: int, kind: int) -> None:
        """Let a cast pass the values that may be of its class.

        Of a class outside of the project nothing is known.
        """
        values = self.values
        if values.kinds[value] == Value.INSTANCE:
            classes = [v for v in self.flows.held(kind) if values.kinds[v] == Value.CLASS]
            above = self.hierarchy.linear(int(values.first[value]))
            if classes and not any(values.first[c] in above for c in classes):
                return
        self.flows.add(to, value)

    def keep_container(self, value: int, to: int) -> None:
        """Let containers pass, and no other values."""
        if self.values.kinds[value] == Value.CONTAINER:
            self.flows.add(to, value)

    def above(self, value: int, to: int, start: int) -> None:
        """Let a variable hold `super()` of a receiver, as seen from the class `start`."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind in (Value.INSTANCE, Value.CLASS):
            self.flows.add(to, self.values.number(Value.SUPER, start, first))
