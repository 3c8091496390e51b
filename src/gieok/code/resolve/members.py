"""Members of values: what `a.b` and `a[b]` read and write, and what `a.b()` calls.

The result depends on the kind of value that `a` holds.
"""

from collections.abc import Callable
from functools import partial

from gieok.code.model.facts import NOTHING, Trait
from gieok.code.resolve.calls import Calls
from gieok.code.resolve.flows import Trigger
from gieok.code.resolve.mixins import Mixing
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import FAN, CallSite, SolverPart
from gieok.code.resolve.values import Value

#: Methods that triggers refer to.
_TRIGGERS = ("call", "store", "store_index", "_read", "_write")


class Members(SolverPart):
    """Solver part for attributes and elements of values."""

    def __init__(self, calls: Calls, names: Names) -> None:
        super().__init__(calls.program)
        self._calls = calls
        self._attributes = calls.attributes
        self._names = names
        self.mixing = Mixing(calls, self.load, self.store)
        self._fallbacks: list[tuple[int, str, Callable[[], None]]] = []
        #: Reads and calls on objects whose class inherits from an external class, where the member
        #: may come from there.
        self._inherited: dict[int, None] = {}
        self._handed_over: list[tuple[CallSite, int, str]] = []
        self.keep(*_TRIGGERS)

    # Reading

    def load(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        """Let `to` be `value`.name."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if name[-1:] == "*":
            if kind == Value.INSTANCE:
                self._load_some(value, to, name[:-1], symbol, line)
        elif kind == Value.INSTANCE:
            self._load_instance(value, to, name, symbol, line)
        elif kind == Value.CLASS and name == "prototype":
            self.flows.add(to, value)
        elif kind == Value.CLASS:
            self._attributes.look(int(first), name, (self._read_through_class, to, value))
        elif kind == Value.MODULE:
            self._names.read_module(int(first), name, to)
        else:
            self._load_other(value, to, name, symbol, line)

    def _load_other(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.EXTERNAL:
            self.flows.add(to, self.values.number(Value.EXTERNAL, name))
        elif kind == Value.CONTAINER:
            self._load_container(int(first), to, name)
        elif kind == Value.SUPER:
            self._look_above(value, name, (self._read_through_super, to, value))
        elif kind in (Value.FUNCTION, Value.BOUND):
            self.flows.flow(self._attributes.of_function(int(first), name), to)
            self.mixing.ask(int(first), to, name, symbol, line)
        elif kind == Value.PACKAGE:
            self._names.read_package(str(first), name, to)

    def _load_some(self, value: int, to: int, prefix: str, symbol: int, line: int) -> None:
        """Load all members whose names begin with a prefix, for a name that is put together.

        Each such method is bound to the object.
        """
        owner = int(self.values.first[value])
        self.program.computed[symbol, owner, prefix, line] = None
        methods = self.program.methods(owner, prefix)
        for function in methods:
            fact = self.program.functions[function]
            if fact.parameters and Trait.STATIC not in fact.traits:
                self.flows.add(fact.parameters[0], self._calls.receiver(fact.traits, value))
            if len(methods) <= FAN:
                self._read(self.values.number(Value.FUNCTION, function), to, value, symbol, line)

    def _load_instance(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        owner = int(self.values.first[value])
        if self.hierarchy.is_outside(owner):
            self._inherited[to] = None
        self._attributes.look(owner, name, (self._read, to, value, symbol, line))
        self._attributes.read(owner, name, to)
        if not name.startswith("__"):
            self._fall_back(value, name, to, symbol, line)

    def _fall_back(self, value: int, name: str, to: int, symbol: int, line: int) -> None:
        """Register `__getattr__` for a name that neither a class nor its instances have.

        It is called at the end (`settle`).
        """
        owner, find = int(self.values.first[value]), self.hierarchy.find
        if find(owner, "__getattr__") is not None and find(owner, name) is None:
            again = partial(self._calls.special, value, to, "__getattr__", (), symbol, line)
            self._fallbacks.append((owner, name, again))

    def _look_above(self, value: int, name: str, trigger: Trigger) -> bool:
        """Call `trigger` with the values of a superclass's `name`.

        Returns whether a superclass of the project has the name.
        """
        start, owner = int(self.values.first[value]), int(self.values.second[value])
        variable = self.hierarchy.find_after(start, owner, name)
        if variable is not None:
            self.flows.wait(variable, trigger)
        return variable is not None

    def _load_container(self, container: int, to: int, name: str) -> None:
        is_method = self._calls.natives.is_method(name)
        if is_method:
            self.flows.add(to, self.values.number(Value.CONTAINER_METHOD, container, name))
        if not is_method or self._is_open(container, name):  # object literals
            self.flows.flow(self.containers.key(container, name), to)
            self.containers.ask(container, name, (self._hold, to))

    def _hold(self, value: int, to: int) -> None:
        self.flows.add(to, value)

    def _read(self, value: int, to: int, receiver: int, symbol: int, line: int) -> None:
        """Read an attribute of a class through an instance."""
        values, calls = self.values, self._calls
        if values.kinds[value] != Value.FUNCTION:
            if not calls.described(value, to, receiver, symbol, line):
                self.flows.add(to, value)
            return
        function = int(values.first[value])
        traits = self.program.functions[function].traits
        if Trait.PROPERTY in traits:
            calls.call_property(to, (), function, receiver, symbol, line)
        elif Trait.STATIC in traits:
            self.flows.add(to, value)
        else:
            self.flows.add(
                to, values.number(Value.BOUND, function, calls.receiver(traits, receiver))
            )

    def _read_through_class(self, value: int, to: int, owner: int) -> None:
        values = self.values
        is_function = values.kinds[value] == Value.FUNCTION
        if is_function and Trait.CLASS in self.program.functions[int(values.first[value])].traits:
            value = values.number(Value.BOUND, values.first[value], owner)
        self.flows.add(to, value)

    def _read_through_super(self, value: int, to: int, above: int) -> None:
        values = self.values
        if values.kinds[value] == Value.FUNCTION:
            traits = self.program.functions[int(values.first[value])].traits
            if Trait.STATIC not in traits:
                receiver = self._calls.receiver(
                    traits, values.number(Value.INSTANCE, values.second[above])
                )
                value = values.number(Value.BOUND, values.first[value], receiver)
        self.flows.add(to, value)

    # Calling

    def call(self, value: int, name: str, site: CallSite) -> None:
        """Let `site` call `value`.name."""
        values, calls, look = self.values, self._calls, self._attributes.look
        kind, first = values.kinds[value], values.first[value]
        if kind == Value.INSTANCE:
            look(int(first), name, (calls.call_member, site, value))
            self._attributes.read(int(first), name, (calls.call_own, site, value))
            self._fall_back(value, name, site.to, site.symbol, site.line)
            self._hand_over(int(first), name, site)
        elif kind == Value.CLASS:
            look(int(first), name, (calls.call_through_class, site, value))
            self._hand_over(int(first), name, site)
        elif kind == Value.CONTAINER:
            self._call_inside(value, name, site)
        elif kind == Value.SUPER:
            if not self._look_above(value, name, (calls.call_through_super, site, value)):
                self._hand_up(site)
            site.note("external")
        elif kind == Value.EXTERNAL:
            calls.apply(values.number(Value.EXTERNAL, name), site)
        # the single method of a functional interface
        elif kind in (Value.FUNCTION, Value.BOUND) and name[-2:] == "()":
            calls.apply(value, site)
        else:
            function = self.flows.fresh()
            self.flows.wait(function, (calls.call_own, site, value))
            self.load(value, function, name, site.symbol, site.line)

    def _hand_over(self, owner: int, name: str, site: CallSite) -> None:
        if self.hierarchy.is_outside(owner):
            self._handed_over.append((site, owner, name))

    def _call_inside(self, value: int, name: str, site: CallSite) -> None:
        container = int(self.values.first[value])
        if self._calls.natives.is_method(name) and not self.containers.has(container, name):
            self._calls.apply(self.values.number(Value.CONTAINER_METHOD, container, name), site)
            if not self._is_open(container, name):
                return
        trigger = (self._calls.call_member, site, value)
        self.flows.wait(self.containers.key(container, name), trigger)
        self.containers.ask(container, name, trigger)

    def _is_open(self, container: int, name: str) -> bool:
        """Return whether an object may have a member named like a method of the language's
        containers.
        """
        return self._calls.natives.is_open or self.containers.has(container, name)

    def _hand_up(self, site: CallSite) -> None:
        """Pass functions and callable objects to an external base, which keeps and calls them."""
        for keyword, variable in site.arguments:
            handed = self.flows.fresh() if keyword[:1] == "*" else variable
            if variable not in (handed, NOTHING):
                self.flows.wait(variable, (self._calls.iterate, handed, site.symbol, site.line))
            if handed != NOTHING:
                self.flows.wait(handed, (self._handed, site.symbol, site.line))

    def _handed(self, value: int, symbol: int, line: int) -> None:
        if self.values.kinds[value] == Value.INSTANCE:
            called = self.hierarchy.find(int(self.values.first[value]), "__call__")
            if called is not None:
                self.flows.wait(called, (self._calls.refer, symbol, line))
        self._calls.refer(value, symbol, line)

    # Writing

    def store(self, value: int, name: str, source: int, symbol: int, line: int) -> None:
        """Set `value`.name to `source`."""
        values, flow = self.values, self.flows.flow
        kind = values.kinds[value]
        if kind in (Value.EXTERNAL, Value.PACKAGE):  # nothing of the project's is written to
            return
        first = int(values.first[value])
        if kind == Value.INSTANCE:
            self._attributes.look(first, name, (self._write, source, value, symbol, line))
            if source != NOTHING:
                flow(source, self._attributes.field(first, name))
        elif source == NOTHING:
            return
        elif kind == Value.CLASS and name == "prototype":
            self.flows.wait(source, (self._prototype, first))
        elif kind == Value.CLASS:
            self._attributes.define(first, name, source)
        elif kind == Value.MODULE:
            flow(source, self._names.variable(first, name))
        elif kind in (Value.FUNCTION, Value.BOUND):
            flow(source, self._attributes.of_function(first, name))
        elif kind == Value.CONTAINER:
            flow(source, self.containers.key(first, name))

    def _prototype(self, value: int, owner: int) -> None:
        """Give a class another prototype: an object of methods, or one made from another class."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind in (Value.CLASS, Value.INSTANCE):
            base = self.values.number(Value.CLASS, first)
            self._calls.inherit(base, owner, len(self.hierarchy.bases(owner)))
        self.containers.spread(
            value, lambda key, variable: self._attributes.define(owner, str(key), variable)
        )

    def _write(self, value: int, source: int, receiver: int, symbol: int, line: int) -> None:
        """Write an attribute of a class through an instance; call its property or descriptor."""
        values = self.values
        kind, first = values.kinds[value], values.first[value]
        if kind == Value.FUNCTION and Trait.PROPERTY in self.program.functions[int(first)].traits:
            arguments = [("", source)] if source != NOTHING else ()
            self._calls.call_property(
                self.flows.fresh(), arguments, int(first), receiver, symbol, line
            )
        elif kind == Value.INSTANCE:
            instance = self.flows.fresh()
            self.flows.add(instance, receiver)
            arguments = [("", instance), ("", source)]
            self._calls.special(value, self.flows.fresh(), "__set__", arguments, symbol, line)

    # Elements

    def index(self, value: int, to: int, key: str | int | None, symbol: int, line: int) -> None:
        """Let `to` be `value`[key]."""
        kind, first, flow = self.values.kinds[value], self.values.first[value], self.flows.flow
        if kind == Value.CONTAINER:
            container = int(first)
            if key is None or (isinstance(key, int) and key < 0):
                flow(self.containers.any_of(container), to)
            else:
                flow(self.containers.key(container, key), to)
                flow(self.containers.key(container, "*"), to)
        elif kind == Value.INSTANCE:
            self._calls.special(value, to, "__getitem__", (), symbol, line)
            if isinstance(key, int):  # unpacking
                self._calls.iterate(value, to, symbol, line)
        elif kind == Value.CLASS:
            self.flows.add(to, value)
        elif kind == Value.GENERATED:
            self._calls.iterate(value, to, symbol, line)
        elif kind == Value.EXTERNAL:
            self.flows.add(to, self.values.unknown)

    def store_index(self, value: int, key: str | int, source: int, symbol: int, line: int) -> None:
        """Set `value`[key] to `source`."""
        kind = self.values.kinds[value]
        if kind == Value.CONTAINER and source != NOTHING:
            self.flows.flow(source, self.containers.key(int(self.values.first[value]), key))
        elif kind in (Value.FUNCTION, Value.BOUND, Value.CLASS) and isinstance(key, str):
            if key != "*":  # `app[name] = …` is by a name as well
                self.store(value, key, source, symbol, line)
        elif kind == Value.INSTANCE:
            arguments = (("", NOTHING), ("", source))
            self._calls.special(value, self.flows.fresh(), "__setitem__", arguments, symbol, line)

    def settle_outside(self) -> None:
        """Let members that no class of the project has be external, where a base is external."""
        values, flows = self.values, self.flows
        for to in self._inherited:
            if not flows.held(to):
                flows.add(to, values.unknown)
        for site, owner, name in self._handed_over:
            if not site.targets and not site.wired and not self.hierarchy.overriders(owner, name):
                self._calls.apply(values.number(Value.EXTERNAL, name), site)
                flows.fire()

    def settle(self) -> None:
        """Let `__getattr__` serve the names that nothing else has, and members of computed
        names.
        """
        self._attributes.settle()
        for owner, name, call in self._fallbacks:
            if not self._attributes.has_field(owner, name):
                call()
                self.flows.fire()

    def let_go(self) -> None:
        """Drop the calls of `__getattr__` that were not needed."""
        self._fallbacks.clear()
        self._inherited.clear()
        self._handed_over.clear()
        self.let_go_of(*_TRIGGERS)
        self.mixing.let_go()
