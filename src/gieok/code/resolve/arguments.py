"""Arguments and results of a call of a function of the project.

Connects arguments with parameters, and the function's result with the call.
"""

from collections.abc import Sequence

from gieok.code.model.facts import NOTHING, Argument, FunctionFact, Trait
from gieok.code.resolve.program import FAN, CallSite, Program, SolverPart
from gieok.code.resolve.values import Value

#: With more than this many functions, arguments are not followed into parameters: this halves the
#: time for two points of recall.
_MOST_FUNCTIONS = 20_000


class Arguments(SolverPart):
    """Solver part that connects call sites with the functions that they call."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._are_followed = are_arguments_followed(len(program.functions))

    def call(self, site: CallSite, function: int, receiver: int) -> None:
        """Let `site` call a function of the project, with or without a receiver."""
        fact = self.program.functions[function]
        if (
            Trait.EXACT in fact.traits
            and len(site.arguments) != len(fact.parameters) - 1
            and not _is_variadic(site)
        ):
            return
        if site.reach(function) > FAN:
            return
        parameters = fact.parameters
        if receiver != NOTHING and parameters:
            self.flows.add(parameters[0], receiver)
            parameters = parameters[1:]
        elif Trait.RECEIVER in fact.traits:
            parameters = parameters[1:]
        self._connect(site, function, fact, parameters, receiver)

    def _connect(
        self,
        site: CallSite,
        function: int,
        fact: FunctionFact,
        parameters: Sequence[int],
        receiver: int,
    ) -> None:
        """Connect a function with a site, once."""
        if fact.passes and receiver != NOTHING and 0 in fact.passes:
            self.flows.add(site.to, receiver)
        # bound methods are the complements of functions: a pair would be an object of its own
        if not site.note(function if receiver == NOTHING else ~function):
            return
        if fact.passes:
            self._give_back(site, fact, len(fact.parameters) - len(parameters))
        if self._are_followed:
            self._pass(site.arguments, fact, parameters)
        if Trait.CONTEXT in fact.traits:
            self.flows.add(site.to, self.values.number(Value.MANAGER, function))
        elif Trait.GENERATOR in fact.traits:
            self.flows.add(site.to, self.values.number(Value.GENERATED, function))
        else:
            self.flows.flow(fact.result, site.to)

    def _give_back(self, site: CallSite, fact: FunctionFact, skipped: int) -> None:
        """Let an argument that the function returns reach this call alone."""
        spread = any(keyword[:1] == "*" for keyword, _ in site.arguments)
        places = [variable for keyword, variable in site.arguments if not keyword]
        named = dict(site.arguments)
        for place in fact.passes:
            at = place - skipped
            if at < 0:
                continue
            if spread:
                self.flows.flow(fact.parameters[place], site.to)
                continue
            variable = places[at] if at < len(places) else named.get(fact.names[place], NOTHING)
            if variable != NOTHING:
                self.flows.flow(variable, site.to)

    def _pass(
        self, arguments: Sequence[Argument], fact: FunctionFact, parameters: Sequence[int]
    ) -> None:
        flows, place = self.flows, 0
        skipped = len(fact.parameters) - len(parameters)
        for keyword, argument in arguments:
            if argument == NOTHING:
                place += not keyword
            elif not keyword:
                flows.flow(
                    argument,
                    parameters[place] if place < len(parameters) else self._inside(fact.rest),
                )
                place += 1
            elif keyword == "*":
                flows.wait(
                    argument,
                    (self._spread_places, tuple(parameters[place:]), self._inside(fact.rest)),
                )
            elif keyword == "**":
                flows.wait(argument, (self._spread_names, fact, skipped))
            elif keyword == "this" and Trait.RECEIVER in fact.traits:
                flows.flow(argument, fact.parameters[0])
            else:
                flows.flow(argument, self._named_parameter(fact, keyword, skipped))

    def _named_parameter(self, fact: FunctionFact, name: str, skipped: int) -> int:
        if name in fact.names[skipped:]:
            return fact.parameters[fact.names.index(name, skipped)]
        if name in fact.keyword_only:
            return fact.keyword_only[name]
        return self._inside(fact.keywords, name)

    def _inside(self, variable: int, key: str = "*") -> int:
        """Return the variable of a key in the container that `*args` or `**kwargs` is.

        A new variable is made if there is none.
        """
        for value in self.flows.held(variable) if variable != NOTHING else ():
            if self.values.kinds[value] == Value.CONTAINER:
                return self.containers.key(int(self.values.first[value]), key)
        return self.flows.fresh()

    def _spread_places(self, value: int, parameters: tuple[int, ...], rest: int) -> None:
        def passed(key: str | int, variable: int) -> None:
            chosen = parameters[key : key + 1] if isinstance(key, int) else parameters
            for parameter in chosen:
                self.flows.flow(variable, parameter)
            if not isinstance(key, int) or key >= len(parameters):
                self.flows.flow(variable, rest)

        self.containers.spread(value, passed)

    def _spread_names(self, value: int, fact: FunctionFact, skipped: int) -> None:
        def passed(key: str | int, variable: int) -> None:
            if key == "*":
                for parameter in (*fact.parameters[skipped:], *fact.keyword_only.values()):
                    self.flows.flow(variable, parameter)
                self.flows.flow(variable, self._inside(fact.keywords))
            else:
                self.flows.flow(variable, self._named_parameter(fact, str(key), skipped))

        self.containers.spread(value, passed)


def are_arguments_followed(functions: int) -> bool:
    """Return whether arguments are followed into the parameters of so many functions."""
    return functions <= _MOST_FUNCTIONS


def _is_variadic(site: CallSite) -> bool:
    """Say whether a call passes an unknown number of arguments (`*args`)."""
    return any(keyword == "*" for keyword, _ in site.arguments)
