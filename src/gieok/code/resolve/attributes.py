"""Variables of attributes of instances, classes and functions.

Attributes of a class are looked up along its bases.
"""

from collections import defaultdict

from gieok.code.model.facts import NOTHING, Trait
from gieok.code.resolve.flows import Trigger
from gieok.code.resolve.program import Program, SolverPart
from gieok.code.resolve.values import INHERITED, Value


class Attributes(SolverPart):
    """Solver part that holds the variable of each attribute, made at the first request."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.fields: dict[tuple[int, str], int] = {}
        #: Names under which a value was stored in any instance; and the readers of all other names:
        #: most are names of methods.
        self._stored: set[str] = set()
        self._asked: dict[str, list[tuple[int, int | Trigger]]] = defaultdict(list)
        #: (class, name) → the variable of the attribute that is found in the class or its
        #: superclasses.
        self._slots: dict[tuple[int, str], int] = {}
        self.of_functions: dict[tuple[int, str], int] = {}

    def field(self, owner: int, name: str) -> int:
        """Return the variable to store an instance's attribute in: one for all instances of a
        class.
        """
        if name not in self._stored:
            self._stored.add(name)
            for asker, reader in self._asked.pop(name, ()):
                self._read(asker, name, reader)
        return self._field(owner, name)

    def _field(self, owner: int, name: str) -> int:
        variable = self.fields.get((owner, name))
        if variable is None:
            variable = self.fields[owner, name] = self.flows.fresh()
        return variable

    def read(self, owner: int, name: str, reader: int | Trigger) -> None:
        """Let values that instances of a class hold under `name` reach a variable or a trigger.

        This holds for present and future values.
        """
        if name in self._stored:
            self._read(owner, name, reader)
        else:
            self._asked[name].append((owner, reader))

    def _read(self, owner: int, name: str, reader: int | Trigger) -> None:
        for base in self.hierarchy.linear(owner):
            if isinstance(reader, int):
                self.flows.flow(self._field(base, name), reader)
            else:
                self.flows.wait(self._field(base, name), reader)

    def of_function(self, function: int, name: str) -> int:
        """Return the variable of a function's attribute."""
        variable = self.of_functions.get((function, name))
        if variable is None:
            variable = self.of_functions[function, name] = self.flows.fresh()
        return variable

    def has_field(self, owner: int, name: str) -> bool:
        """Return whether a name was stored in instances of a class or of its superclasses."""
        fields = (self.fields.get((base, name)) for base in self.hierarchy.linear(owner))
        return any(self.flows.held(field) for field in fields if field is not None)

    def look(self, owner: int, name: str, trigger: Trigger) -> None:
        """Call `trigger` with the variable that a class has under `name`, now or once there is
        one.
        """
        slot = self._slots.get((owner, name))
        if slot is None:
            slot = self._slots[owner, name] = self.flows.fresh()
            self.hierarchy.watch(owner, name)
            self._fill(slot, owner, name)
        self.flows.wait(slot, trigger)

    def _fill(self, slot: int, owner: int, name: str) -> None:
        variable = self.hierarchy.find(owner, name)
        if variable is not None:
            self.flows.flow(variable, slot)

    def refresh(self) -> bool:
        """Repeat the look-ups that new bases or attributes may have changed; say whether there
        were any.
        """
        stale = self.hierarchy.take_stale()
        for owner, name in stale:
            self._fill(self._slots[owner, name], owner, name)
        return bool(stale)

    def settle(self) -> None:
        """Give the values stored under no known name (`?`) to the readers of names that hold
        nothing.
        """
        held, wild = self.flows.held, "?"
        for (function, name), variable in list(self.of_functions.items()):
            stored = self.of_functions.get((function, wild))
            if stored is not None and name not in INHERITED and not held(variable):
                self.flows.flow(stored, variable)
        for (owner, name), slot in list(self._slots.items()):
            if name[:2] != "__" and name not in INHERITED and not held(slot):
                source = self.hierarchy.find(owner, wild)
                if source is not None:
                    self.flows.flow(source, slot)
        self.flows.fire()

    def asked_names(self) -> list[str]:
        """Return the names that were read of instances and stored in none, sorted."""
        return sorted(self._asked)

    def let_go(self) -> None:
        """Drop the triggers of the readers of names that were stored nowhere."""
        self._asked.clear()

    def define(self, owner: int, name: str, source: int) -> None:
        """Let a class have an attribute that is set from outside of its body."""
        variable = self.hierarchy.attributes[owner].get(name)
        if variable is None:
            variable = self.flows.fresh()
            self.hierarchy.define(owner, name, variable)
        self.flows.flow(source, variable)
        self.flows.wait(source, (self._owned, owner))

    def _owned(self, value: int, owner: int) -> None:
        """Let a function that is put on a class be called with instances of the class.

        An example is `A.prototype.f = …`.
        """
        if self.values.kinds[value] == Value.FUNCTION:
            fact = self.program.functions[int(self.values.first[value])]
            if Trait.RECEIVER in fact.traits and fact.owner == NOTHING:
                self.flows.add(fact.parameters[0], self.values.number(Value.INSTANCE, owner))
