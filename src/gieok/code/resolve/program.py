"""State that the solver's parts share.

It holds the facts of all files in one numbering, and the findings about them.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from gieok.code.model.facts import NOTHING, Argument, Facts, FunctionFact, Trait
from gieok.code.resolve.flows import Flows
from gieok.code.resolve.hierarchy import Hierarchy
from gieok.code.resolve.values import Containers, Value, Values

#: A call with more possible targets than this is a dispatch through a registry: its targets are
#: possible, not certain, and not followed.
FAN = 12
#: Allowed steps per instruction, and in addition: real projects take 1.1 to 1.8 steps. A file that
#: takes more is left out (`isolation`).
_STEPS, _FREE_STEPS = 20, 100_000


class FileOffsets(NamedTuple):
    """First project-wide number of each kind for a file."""

    file: int
    variables: int
    functions: int
    classes: int
    containers: int
    symbols: int


class CallSite:
    """Place where something is called.

    `kind` is `call`, `method`, `property` (a read that calls), `special` (called by the language,
    such as an operator or a loop), or `callback`. `to` is the variable that receives the result.
    """

    __slots__ = (
        "_outer",
        "_targets",
        "arguments",
        "kind",
        "line",
        "met",
        "name",
        "place",
        "symbol",
        "to",
        "wired",
    )

    def __init__(
        self, to: int, arguments: Sequence[Argument], symbol: int, line: int, name: str, kind: str
    ) -> None:
        #: The variable of the object whose method is called.
        self.place = NOTHING
        self.to = to
        self.arguments = arguments
        self.symbol = symbol
        self.line = line
        self.name = name
        self.kind = kind
        #: The site whose targets these are, which has them itself; None for a site of its own.
        self._outer: CallSite | None = None
        # of half a million sites most have one target and one connection: a dict and a list for
        # each would weigh more than all else of a site
        self._targets: tuple[int, ...] = ()
        #: Connections that were made already; `external` where the callee is known to lie outside
        #: of the project.
        self.wired: tuple[object, ...] = ()
        #: Objects and classes that were called here: each is called once, even if its calls lead
        #: back here.
        # most sites call none: an empty set has three times a site's weight
        self.met: set[int] | None = None

    def meets(self, value: int) -> bool:
        """Return whether a value is called here for the first time, and note the call."""
        if self.met is None:
            self.met = set()
        is_new = value not in self.met
        self.met.add(value)
        return is_new

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the functions that are called here, in the order in which they were found."""
        return self._targets if self._outer is None else self._outer.targets

    def reach(self, function: int) -> int:
        """Add a target; return how many there are."""
        if self._outer is not None:
            return self._outer.reach(function)
        if function not in self._targets:
            self._targets = (*self._targets, function)
        return len(self._targets)

    def note(self, mark: object) -> bool:
        """Note a finding about the callee or a connection with it; return whether it is new."""
        is_new = mark not in self.wired
        if is_new:
            self.wired = (*self.wired, mark)
        return is_new

    def constructor(self, to: int) -> "CallSite":
        """Return a site with the same targets for `__init__`, whose result is not the call's.

        The called values are shared too, so that `A.__init__ = A` ends.
        """
        inner = CallSite(to, self.arguments, self.symbol, self.line, self.name, self.kind)
        inner._outer, inner.met = self._outer or self, self.met
        return inner


class Reference(NamedTuple):
    """A place where a symbol is passed on, constructed or requested."""

    symbol: int
    target: int
    line: int
    #: Whether the target is a class, and an object of it is made there.
    is_made: bool = False


class Program:
    """Plain data of the files of one family of languages, read and written by the solver's
    parts.
    """

    def __init__(self, files: Sequence[tuple[str, Facts]], *, is_lenient: bool = False) -> None:
        self.paths = [path for path, _ in files]
        self.file_of = {path: number for number, path in enumerate(self.paths)}
        self.values = Values()
        self.hierarchy = Hierarchy()
        steps = _FREE_STEPS + _STEPS * sum(len(facts.top) + len(facts.inner) for _, facts in files)
        self.flows = Flows(steps, is_lenient=is_lenient)
        self.containers = Containers(self.flows, self.values)
        self.bounds: list[FileOffsets] = []
        self.functions: list[FunctionFact] = []
        self.function_symbol: list[int] = []
        self.class_symbol: list[int] = []
        #: Name → (function, file) of the functions that provide a value under this name (fixtures).
        self.providers: dict[str, list[tuple[int, int]]] = defaultdict(list)
        #: Variables that hold something external and nothing else.
        self.inert: set[int] = set()
        self.sites: list[CallSite] = []
        #: Method calls on the value of a parameter, with the parameter's name, where the name says
        #: something (`Natives`).
        self.receivers: dict[CallSite, str] = {}
        self.references: dict[Reference, None] = {}
        self.imports: dict[tuple[int, int, int], None] = {}
        #: (symbol, class, prefix, line) where a method is read by a name that is put together at
        #: runtime.
        self.computed: dict[tuple[int, int, str, int], None] = {}
        #: Whether an object gets all members of another.
        self.is_mixed = False
        self._referred: dict[tuple[int, int], int] = defaultdict(int)
        symbols = 0
        for _, facts in files:
            self._declare(facts, symbols)
            symbols += len(facts.symbols)
        self.symbols = symbols
        #: Number of variables that facts name, and of containers: all others are made later.
        self.declared = len(self.flows)

    def _declare(self, facts: Facts, symbols: int) -> None:
        file, base = len(self.bounds), self.flows.grow(facts.variables)
        variables = range(base, base + facts.variables)
        functions, classes = len(self.functions), len(self.class_symbol)
        owners = range(classes, classes + len(facts.classes))
        for number, fact in enumerate(facts.functions, functions):
            self.functions.append(renumber_function(fact, variables, owners))
            self.function_symbol.append(symbols + fact.symbol)
            if Trait.PROVIDER in fact.traits:
                self.providers[facts.symbols[fact.symbol].name].append((number, file))
        for kind in facts.classes:
            self.class_symbol.append(symbols + kind.symbol)
            self.hierarchy.add(
                {name: base + variable for name, variable in kind.attributes.items()}
            )
        self.bounds.append(
            FileOffsets(
                file=file,
                variables=base,
                functions=functions,
                classes=classes,
                containers=self.containers.grow(facts.containers),
                symbols=symbols,
            )
        )

    def find_receivers(self) -> set[int]:
        """Return the variables of `self`: the first parameters of methods."""
        return {f.parameters[0] for f in self.functions if f.owner != NOTHING and f.parameters}

    def name_parameters(self) -> dict[int, str]:
        """Return the variables of parameters, with the parameters' names."""
        named: dict[int, str] = {}
        for fact in self.functions:
            named.update(zip(fact.parameters, fact.names, strict=False))
        return named

    def site(
        self, to: int, arguments: Sequence[Argument], symbol: int, line: int, name: str, kind: str
    ) -> CallSite:
        """Add a place where something is called, and return it.

        `to` is the variable that receives the result of the call.
        """
        site = CallSite(to, arguments, symbol, line, name, kind)
        self.sites.append(site)
        return site

    def refer(self, symbol: int, target: int, line: int, *, is_made: bool = False) -> None:
        """Add a reference, unless its place has so many references that they say nothing."""
        place = (symbol, line)
        if symbol != target and self._referred[place] < FAN:
            reference = Reference(symbol, target, line, is_made)
            self._referred[place] += reference not in self.references
            self.references[reference] = None

    # Methods

    def owners(self, function: int) -> list[int]:
        """Return the classes whose objects have exactly this method.

        They are its own class, and the subclasses that do not override it.
        """
        owner = self.functions[function].owner
        name = self._name_in(owner, function)
        if not name:
            return []
        variable = self.hierarchy.find(owner, name)
        return [
            owner,
            *(
                c
                for c in self.hierarchy.descendants(owner)
                if self.hierarchy.find(c, name) == variable
            ),
        ]

    def stand_ins(self, function: int) -> list[int]:
        """Return the methods that a method without a body stands for.

        These methods override it, or satisfy its protocol.
        """
        owner = self.functions[function].owner
        name = self._name_in(owner, function)
        if not name:
            return []
        below = self.hierarchy.overriders(owner, name)
        if Trait.DECLARED in self.functions[function].traits:
            below += self.hierarchy.satisfying(owner, name)
        return [
            other
            for variable in dict.fromkeys(below)
            for other in self.held_functions(variable)
            if other != function
        ]

    def _name_in(self, owner: int, function: int) -> str:
        """Return the name of a function in its class; '' where it has none."""
        names = self.hierarchy.attributes[owner].items() if owner != NOTHING else ()
        return next(
            (name for name, variable in names if function in self.held_functions(variable)), ""
        )

    def methods(self, owner: int, prefix: str) -> list[int]:
        """Return a class's methods, inherited ones too, whose names begin with `prefix`."""
        attributes = self.hierarchy.attributes
        names = dict.fromkeys(
            n for c in self.hierarchy.linear(owner) for n in attributes[c] if n.startswith(prefix)
        )
        return [f for name in names for f in self.held_functions(self.hierarchy.find(owner, name))]

    def is_family(self, functions: Sequence[int]) -> bool:
        """Return whether functions are methods of classes that have a base in common."""
        owners = {self.functions[function].owner for function in functions}
        return NOTHING not in owners and bool(
            set.intersection(*(set(self.hierarchy.linear(o)) for o in owners))
        )

    def held_functions(self, variable: int | None) -> list[int]:
        """Return the functions that a variable holds; empty for None."""
        values, held = self.values, self.flows.held(variable) if variable is not None else ()
        return [int(values.first[v]) for v in held if values.kinds[v] == Value.FUNCTION]


class SolverPart:
    """Base class of the solver's parts, with the shared state of the program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.flows = program.flows
        self.values = program.values
        self.hierarchy = program.hierarchy
        self.containers = program.containers

    def keep(self, *names: str) -> None:
        """Keep one bound-method object for each method that triggers refer to.

        A new object at each access would make each trigger two thirds heavier.
        """
        for name in names:
            setattr(self, name, getattr(self, name))

    def let_go_of(self, *names: str) -> None:
        """Drop the methods from `keep`: they refer to their owner, and the garbage collector is
        off.
        """
        for name in names:
            delattr(self, name)


def renumber_function(
    fact: FunctionFact, variables: Sequence[int], classes: Sequence[int]
) -> FunctionFact:
    """Return a function's facts with project-wide numbers of variables and class.

    `variables` and `classes` are the numbers of its file's variables and classes.
    """

    def move(variable: int) -> int:
        return variables[variable] if variable != NOTHING else NOTHING

    return fact._replace(
        owner=classes[fact.owner] if fact.owner != NOTHING else NOTHING,
        names=tuple(fact.names),
        parameters=tuple(variables[v] for v in fact.parameters),
        keyword_only={name: variables[v] for name, v in fact.keyword_only.items()},
        rest=move(fact.rest),
        keywords=move(fact.keywords),
        result=variables[fact.result],
        yields=variables[fact.yields],
    )
