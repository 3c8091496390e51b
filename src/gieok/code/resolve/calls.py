"""Targets of calls: functions, bound methods, classes, objects with `__call__`, externals.

Operators and statements call methods too; in every language these methods have Python's names
(`__init__`, `__iter__`, `__get__`).
"""

from collections.abc import Sequence

from gieok.code.model.facts import METACLASS, NOTHING, Argument, Trait
from gieok.code.resolve.arguments import Arguments
from gieok.code.resolve.attributes import Attributes
from gieok.code.resolve.natives import Natives, refer
from gieok.code.resolve.program import FAN, CallSite, Program, SolverPart
from gieok.code.resolve.types import Types
from gieok.code.resolve.values import Value

#: Methods that triggers refer to.
_TRIGGERS = (
    "apply",
    "call_member",
    "call_own",
    "call_through_class",
    "refer",
    "refer_class",
    "iterate",
)
#: External bases without methods by which a class could be called.
_BARE = frozenset("object Object Generic Protocol ABC type Type".split())


class Calls(SolverPart):
    """Solver part that finds the targets of calls, as the values of their callees come in."""

    def __init__(self, program: Program, natives: Natives, attributes: Attributes) -> None:
        super().__init__(program)
        self.natives = natives
        self.types = Types(program)
        self.attributes = attributes
        self._arguments = Arguments(program)
        #: (descriptor, receiver, symbol, line) → the variable of the value that its `__get__` gives
        #: there.
        self._given: dict[tuple[int, int, int, int], int] = {}
        self.keep(*_TRIGGERS)

    def apply(self, value: int, site: CallSite) -> None:
        """Let `site` call `value`."""
        values = self.values
        kind, first = values.kinds[value], values.first[value]
        if kind == Value.FUNCTION:
            self._arguments.call(site, int(first), NOTHING)
        elif kind == Value.BOUND:
            self._arguments.call(site, int(first), int(values.second[value]))
        elif kind == Value.CLASS:
            self._construct(int(first), value, site)
        elif kind == Value.INSTANCE:
            if site.meets(value):  # `A.__call__ = A()` comes back to itself
                self.attributes.look(int(first), "__call__", (self.call_member, site, value))
        elif kind == Value.CONTAINER_METHOD:
            site.note("external")
            self.natives.call_method(self, site, int(first), str(values.second[value]))
        elif kind == Value.EXTERNAL:
            site.note("external")
            self.natives.call(self, site, str(first))
        elif kind == Value.IDENTITY:
            for _, argument in site.arguments:
                self.flows.flow(argument, site.to)

    def _construct(self, owner: int, value: int, site: CallSite) -> None:
        look, find = self.attributes.look, self.hierarchy.find
        if len(site.targets) > FAN or not site.meets(value):
            return
        instance = self.values.number(Value.INSTANCE, owner)
        self.flows.add(site.to, instance)
        symbol = self.program.class_symbol[owner]
        self.program.refer(site.symbol, symbol, site.line, is_made=True)
        site.note("constructed")
        look(owner, "__init__", (self.call_member, site.constructor(self.flows.fresh()), instance))
        other = self.flows.fresh()
        self.flows.wait(other, (self._made_instead, site.to, owner))
        look(owner, "__new__", (self.call_member, site.constructor(other), value))
        look(owner, METACLASS, (self._construct_by, site, value))
        if find(owner, "__init__") is None:
            for keyword, argument in site.arguments:
                if keyword and keyword[0] != "*" and argument != NOTHING:
                    self.flows.flow(argument, self.attributes.field(owner, keyword))

    def _made_instead(self, value: int, to: int, owner: int) -> None:
        """Let a call of a class give what `__new__` returns, if it is an object of another class.

        Objects of the class itself are known more exactly.
        """
        kinds, first = self.values.kinds, self.values.first
        if kinds[value] == Value.INSTANCE and not self.hierarchy.are_related(
            owner, int(first[value])
        ):
            self.flows.add(to, value)

    def _construct_by(self, value: int, site: CallSite, made: int) -> None:
        """Call a metaclass's own `__call__`, which makes the object, where there is one."""
        if self.values.kinds[value] == Value.CLASS:
            inner = site.constructor(self.flows.fresh())
            self.attributes.look(
                int(self.values.first[value]), "__call__", (self.call_member, inner, made)
            )

    def inherit(self, value: int, owner: int, place: int) -> None:
        """Let a class have a base, and call the base's hook for new subclasses."""
        values, program = self.values, self.program
        if values.kinds[value] == Value.EXTERNAL and values.first[value] not in _BARE:
            self.hierarchy.leave(owner)
        if values.kinds[value] != Value.CLASS:
            return
        base = int(values.first[value])
        if self.hierarchy.inherit(owner, base, place):
            site = program.site(
                self.flows.fresh(),
                (),
                program.class_symbol[owner],
                0,
                "__init_subclass__",
                "special",
            )
            subclass = values.number(Value.CLASS, owner)
            self.attributes.look(base, "__init_subclass__", (self.call_member, site, subclass))

    def raised(self, value: int, site: CallSite) -> None:
        """Call a class that is raised, which makes the exception."""
        if self.values.kinds[value] == Value.CLASS:
            self.apply(value, site)

    def refer(self, value: int, symbol: int, line: int) -> None:
        """Note that a function is passed to something external, which may call it."""
        if self.values.kinds[value] in (Value.FUNCTION, Value.BOUND):
            self.program.refer(
                symbol, self.program.function_symbol[int(self.values.first[value])], line
            )

    def refer_class(self, value: int, symbol: int, line: int) -> None:
        """Note that a class is passed to something external, which may make objects of it."""
        if self.values.kinds[value] == Value.CLASS:
            owner = int(self.values.first[value])
            self.program.refer(symbol, self.program.class_symbol[owner], line)

    # Members that are called

    def call_member(self, value: int, site: CallSite, receiver: int) -> None:
        """Let `site` call a class's attribute on an instance of the class."""
        values = self.values
        if values.kinds[value] != Value.FUNCTION:
            result = self.flows.fresh()
            if self.described(value, result, receiver, site.symbol, site.line):
                self.flows.wait(result, (self.apply, site))
            else:
                self.apply(value, site)
            return
        function = int(values.first[value])
        traits = self.program.functions[function].traits
        if Trait.PROPERTY in traits:
            result = self.flows.fresh()
            self.flows.wait(result, (self.apply, site))
            self.call_property(result, (), function, receiver, site.symbol, site.line)
        elif Trait.STATIC in traits:
            self._arguments.call(site, function, NOTHING)
        else:
            self._arguments.call(site, function, self.receiver(traits, receiver))

    def call_own(self, value: int, site: CallSite, receiver: int) -> None:
        """Let `site` call an own attribute of an instance or a function.

        In JavaScript the attribute is called as a method of the object.
        """
        values = self.values
        is_method = values.kinds[value] == Value.FUNCTION and values.kinds[receiver] in (
            Value.INSTANCE,
            Value.FUNCTION,
        )
        if is_method and Trait.RECEIVER in self.program.functions[int(values.first[value])].traits:
            self._arguments.call(site, int(values.first[value]), receiver)
        else:
            self.apply(value, site)

    def call_through_class(self, value: int, site: CallSite, owner: int) -> None:
        """Let `site` call a class's attribute on the class itself."""
        values = self.values
        if values.kinds[value] == Value.FUNCTION:
            function = int(values.first[value])
            is_bound = Trait.CLASS in self.program.functions[function].traits
            self._arguments.call(site, function, owner if is_bound else NOTHING)
        else:
            self.apply(value, site)

    def call_through_super(self, value: int, site: CallSite, above: int) -> None:
        """Let `site` call a superclass's attribute on the current object."""
        self.call_member(value, site, self.values.number(Value.INSTANCE, self.values.second[above]))

    def call_property(
        self,
        to: int,
        arguments: Sequence[Argument],
        function: int,
        receiver: int,
        symbol: int,
        line: int,
    ) -> None:
        """Call the getter or setter of a property where it is read or written."""
        self._arguments.call(
            self.program.site(to, arguments, symbol, line, "", "property"), function, receiver
        )

    def receiver(self, traits: Sequence[str], receiver: int) -> int:
        """Return what a method is bound to: for a class method the class of the instance."""
        if Trait.CLASS in traits and self.values.kinds[receiver] == Value.INSTANCE:
            return self.values.number(Value.CLASS, self.values.first[receiver])
        return receiver

    # Operators and statements

    def special(
        self, value: int, to: int, name: str, arguments: Sequence[Argument], symbol: int, line: int
    ) -> None:
        """Call the method that an operator or statement stands for.

        Only instances of the project's classes have such a method.
        """
        values = self.values
        if values.kinds[value] != Value.INSTANCE:
            if values.kinds[value] == Value.EXTERNAL:
                self.flows.add(to, values.unknown)
            return
        owner = int(values.first[value])
        if self.hierarchy.find(owner, name) is not None:
            site = self.program.site(to, arguments, symbol, line, name, "special")
            self.attributes.look(owner, name, (self.call_member, site, value))

    def described(self, value: int, to: int, receiver: int, symbol: int, line: int) -> bool:
        """Let a descriptor (`__get__`) give its value; return whether the attribute is a
        descriptor.
        """
        values = self.values
        if values.kinds[value] != Value.INSTANCE or values.kinds[receiver] not in (
            Value.INSTANCE,
            Value.CLASS,
        ):
            return False
        if self.hierarchy.find(int(values.first[value]), "__get__") is None:
            return False
        place = (value, receiver, symbol, line)
        result = self._given.get(place)
        if result is None:  # once, for what `__get__` holds may be a descriptor itself
            result = self._given[place] = self.flows.fresh()
            instance = self.flows.fresh()
            self.flows.add(instance, receiver)
            self.special(value, result, "__get__", [("", instance)], symbol, line)
        self.flows.flow(result, to)
        return True

    def iterate(self, value: int, to: int, symbol: int, line: int) -> None:
        """Let `to` hold the elements that iterating over `value` gives."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.CONTAINER:
            self.flows.flow(self.containers.any_of(int(first)), to)
        elif kind == Value.GENERATED:
            self.flows.flow(self.program.functions[int(first)].yields, to)
            site = self.program.site(to, (), symbol, line, "__next__", "special")
            site.reach(int(first))  # its body runs here
        elif kind == Value.INSTANCE:
            result = self.flows.fresh()
            for name in ("__iter__", "__aiter__"):
                self.special(value, result, name, (), symbol, line)
            self.flows.wait(result, (self._next, to, value, symbol, line))
            if self.hierarchy.find(int(first), "__iter__") is None:
                self.special(value, to, "__getitem__", (), symbol, line)

    def _next(self, value: int, to: int, origin: int, symbol: int, line: int) -> None:
        if self.values.kinds[value] == Value.INSTANCE:
            for name in ("__next__", "__anext__"):
                self.special(value, to, name, (), symbol, line)
        elif value != origin:
            self.iterate(value, to, symbol, line)

    def enter(self, value: int, to: int, symbol: int, line: int) -> None:
        """Let `to` hold the value that `with value as to` gives."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.CONTAINER:  # what `pytest.raises` gives
            self.flows.add(to, value)
        elif kind == Value.MANAGER:
            self.flows.flow(self.program.functions[int(first)].yields, to)
        elif kind == Value.INSTANCE:
            for name in ("__enter__", "__aenter__"):
                self.special(value, to, name, (), symbol, line)
            for name in ("__exit__", "__aexit__"):
                self.special(value, self.flows.fresh(), name, (), symbol, line)
        elif kind == Value.EXTERNAL:
            self.flows.add(to, self.values.unknown)

    def settle(self) -> None:
        """Let callees that were found nowhere call the functions that they get."""
        for site in list(self.program.sites):
            if not site.targets and not site.wired and site.arguments and site.name:
                self.natives.call(self, site, site.name)
                self.flows.fire()
                site.wired = tuple(m for m in site.wired if m != ("native", site.name))

    def let_go(self) -> None:
        """Drop the results of descriptors, and the waiting readers of attributes."""
        self._given.clear()
        self.attributes.let_go()
        self.let_go_of(*_TRIGGERS)


class Decorators(SolverPart):
    """Solver part that applies decorators and sees through wrappers that stand for their
    function.
    """

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls.program)
        self._calls = calls
        self._applied: list[tuple[int, int, int]] = []

    def decorate(self, to: int, decorator: int, source: int, symbol: int, line: int) -> None:
        """Let `to` be decorator(source)."""
        result = self.flows.fresh()
        site = self.program.site(result, [("", source)], symbol, line, "", "call")
        self._applied.append((to, decorator, source))
        self.flows.wait(decorator, (self._apply, site, source, to))
        self.flows.wait(result, (self._see_through, source, to))

    def _apply(self, value: int, site: CallSite, source: int, to: int) -> None:
        """Apply a decorator: an external one returns its argument, one of the project is called."""
        kind = self.values.kinds[value]
        if kind in (Value.EXTERNAL, Value.IDENTITY):
            self.flows.flow(source, to)
            if (
                kind == Value.EXTERNAL
                and self.values.first[value] not in self._calls.natives.keeping
            ):
                refer(self._calls, site)
        else:
            self._calls.apply(value, site)

    def _see_through(self, value: int, source: int, to: int) -> None:
        """Let a wrapper that is marked as transparent stand for the function it wraps."""
        if self._has(value, Trait.TRANSPARENT):
            self.flows.flow(source, to)
        else:
            self.flows.add(to, value)
            if self.values.kinds[value] == Value.INSTANCE:  # a property of the project's own making
                self.flows.wait(source, (self._keep_property, to))

    def _keep_property(self, value: int, to: int) -> None:
        if self._has(value, Trait.PROPERTY):
            self.flows.add(to, value)

    def give_back(self, value: int, to: int, source: int) -> None:
        """Let a wrapper from outside of the project return the functions and classes it gets."""
        if self.values.kinds[value] == Value.EXTERNAL:
            self.flows.wait(source, (self._keep_callable, to))

    def _keep_callable(self, value: int, to: int) -> None:
        if self.values.kinds[value] in (Value.FUNCTION, Value.CLASS):
            self.flows.add(to, value)

    def _has(self, value: int, trait: Trait) -> bool:
        is_function = self.values.kinds[value] == Value.FUNCTION
        return is_function and trait in self.program.functions[int(self.values.first[value])].traits

    def settle(self) -> None:
        """Let a decorator of which nothing is known return its argument."""
        for to, decorator, source in self._applied:
            if not self.flows.held(decorator) or not self.flows.held(to):
                self.flows.flow(source, to)
