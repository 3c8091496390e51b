"""What decorators make of functions: those of the project are called, of those from outside little is known."""

from gieok.capabilities.code.model.facts import Trait
from gieok.capabilities.code.resolve.calls import Calls
from gieok.capabilities.code.resolve.natives import refer
from gieok.capabilities.code.resolve.program import Part
from gieok.capabilities.code.resolve.sites import Site
from gieok.capabilities.code.resolve.values import Value


class Decorators(Part):
    """Applies decorators, and sees through wrappers that stand for what they wrap."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls.program)
        self._calls = calls
        self._applied: list[tuple[int, int, int]] = []

    def decorate(self, to: int, decorator: int, source: int, symbol: int, line: int) -> None:
        """`to` = decorator(source)."""
        result = self.flows.fresh()
        site = self.program.site(result, [("", source)], symbol, line, "", "call")
        self._applied.append((to, decorator, source))
        self.flows.wait(decorator, (self._apply, site, source, to))
        self.flows.wait(result, (self._see_through, source, to))

    def _apply(self, value: int, site: Site, source: int, to: int) -> None:
        """An external decorator gives back what it got; one of the project is called."""
        kind = self.values.kinds[value]
        if kind in (Value.EXTERNAL, Value.IDENTITY):
            self.flows.flow(source, to)
            if kind == Value.EXTERNAL and not self._calls.natives.keeps(str(self.values.first[value])):
                refer(self._calls, site)
        else:
            self._calls.apply(value, site)

    def _see_through(self, value: int, source: int, to: int) -> None:
        """A wrapper that says so stands for what it wraps."""
        if self._has(value, Trait.TRANSPARENT):
            self.flows.flow(source, to)
        else:
            self.flows.add(to, value)
            if self.values.kinds[value] == Value.INSTANCE:  # a property of the project's own making
                self.flows.wait(source, (self._keep_property, to))

    def _keep_property(self, value: int, to: int) -> None:
        if self._has(value, Trait.PROPERTY):
            self.flows.add(to, value)

    def _has(self, value: int, trait: Trait) -> bool:
        is_function = self.values.kinds[value] == Value.FUNCTION
        return is_function and trait in self.program.functions[int(self.values.first[value])].traits

    def settle(self) -> None:
        """Let a decorator of which nothing is known give back what it got."""
        for to, decorator, source in self._applied:
            if not self.flows.held(decorator) or not self.flows.held(to):
                self.flows.flow(source, to)
