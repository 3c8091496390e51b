"""Variables of attributes: of instances, classes and functions. What a class has is looked up along
its bases.
"""

from collections import defaultdict

from gieok.code.model.facts import NOTHING, Trait
from gieok.code.resolve.flows import Trigger
from gieok.code.resolve.program import Program, SolverPart
from gieok.code.resolve.values import INHERITED, Value


class Attributes(SolverPart):
    """The variable of each attribute, made when it is first asked for."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._fields: dict[tuple[int, str], int] = {}
        #: Names under which anything was stored in an instance; and who asks for the others: most
        #: are names of methods.
        self._stored: set[str] = set()
        self._asked: dict[str, list[tuple[int, int | Trigger]]] = defaultdict(list)
        #: (class, name) → the variable of what is found under the name, in the class or above it.
        self._slots: dict[tuple[int, str], int] = {}
        self._of_functions: dict[tuple[int, str], int] = {}

    def field(self, owner: int, name: str) -> int:
        """Return the variable of an instance's attribute, to store in: one for all instances of a
        class.
        """
        if name not in self._stored:
            self._stored.add(name)
            for asker, reader in self._asked.pop(name, ()):
                self._read(asker, name, reader)
        return self._field(owner, name)

    def _field(self, owner: int, name: str) -> int:
        variable = self._fields.get((owner, name))
        if variable is None:
            variable = self._fields[owner, name] = self.flows.fresh()
        return variable

    def read(self, owner: int, name: str, reader: int | Trigger) -> None:
        """Let what instances of a class hold under `name`, now and later, reach a variable or a
        trigger.
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
        variable = self._of_functions.get((function, name))
        if variable is None:
            variable = self._of_functions[function, name] = self.flows.fresh()
        return variable

    def has_field(self, owner: int, name: str) -> bool:
        """Say whether anything was stored under a name in instances of a class or of those above
        it.
        """
        fields = (self._fields.get((base, name)) for base in self.hierarchy.linear(owner))
        return any(self.flows.held(field) for field in fields if field is not None)

    def look(self, owner: int, name: str, trigger: Trigger) -> None:
        """Wait for what a class has under `name`, also if it gets it later."""
        slot = self._slots.get((owner, name))
        if slot is None:
            slot = self._slots[owner, name] = self.flows.fresh()
            self._fill(slot, owner, name)
        self.flows.wait(slot, trigger)

    def _fill(self, slot: int, owner: int, name: str) -> None:
        def look() -> None:
            variable = self.hierarchy.find(owner, name)
            if variable is not None:
                self.flows.flow(variable, slot)

        self.hierarchy.watch(owner, name, look)
        look()

    def settle(self) -> None:
        """Give those who asked for a name that holds nothing what is stored under no known name
        (`?`).
        """
        held, wild = self.flows.held, "?"
        for (function, name), variable in list(self._of_functions.items()):
            stored = self._of_functions.get((function, wild))
            if stored is not None and name not in INHERITED and not held(variable):
                self.flows.flow(stored, variable)
        for (owner, name), slot in list(self._slots.items()):
            if name[:2] != "__" and name not in INHERITED and not held(slot):
                found = self.hierarchy.find(owner, wild)
                if found is not None:
                    self.flows.flow(found, slot)
        self.flows.fire()

    def let_go(self) -> None:
        """Drop the triggers of those who asked for what was stored nowhere."""
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
        """A function that is put on a class (`A.prototype.f = …`) is called with instances of
        it.
        """
        if self.values.kinds[value] == Value.FUNCTION:
            fact = self.program.functions[int(self.values.first[value])]
            if Trait.RECEIVER in fact.traits and fact.owner == NOTHING:
                self.flows.add(fact.parameters[0], self.values.number(Value.INSTANCE, owner))
