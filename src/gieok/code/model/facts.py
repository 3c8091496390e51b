"""Facts of one file, read without any other file.

Facts are symbols, and instructions about which values flow where. They are a pure function of the
file's bytes, in one form for every language, and are kept as JSON by content hash. The solver
(`resolve/solver.py`) links the facts of all files. A variable is a number local to the file; -1
means that nothing is known.
"""

import json
import marshal
from collections.abc import Collection, Iterator
from enum import StrEnum
from sys import intern
from typing import Final, NamedTuple

#: Version, stored with the facts: changes whenever the facts of any file would.
VERSION = 24

Variable = int
NOTHING: Variable = -1
#: The attribute under which a class keeps its metaclass.
METACLASS = "__metaclass__"


class SymbolKind(StrEnum):
    """Kind of a symbol."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    LAMBDA = "lambda"
    CONCEPT = "concept"
    MARKER = "marker"


#: Kinds of symbols that are called, and those that a call by name may mean.
FUNCTIONS = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD))
DEFINITIONS = FUNCTIONS | {SymbolKind.CLASS}


class Trait(StrEnum):
    """Property of a function that changes how it is called or what its call returns."""

    PROPERTY = "property"
    STATIC = "static"
    CLASS = "class"
    CONTEXT = "context"
    #: Its result is provided to whoever asks for the function's name (a fixture).
    PROVIDER = "fixture"
    GENERATOR = "generator"
    #: A wrapper that stands for the function it wraps, and is seen through.
    TRANSPARENT = "transparent"
    TEST = "test"
    #: Holds tests, or is built for tests only (`describe`, `#[cfg(test)] mod`), but is no test
    #: itself.
    SUITE = "suite"
    TESTING = "testing"
    #: The first parameter is the object, also where a call does not pass one (`this`).
    RECEIVER = "receiver"
    #: Put on an object under a name that is known only at runtime: `app[method] = function …`.
    COMPUTED = "computed"
    #: Overloaded: called only with as many arguments as it has parameters.
    EXACT = "exact"
    #: Stands for its overrides: its body is only `...`, or says that it is not implemented.
    ABSTRACT = "abstract"
    #: The name that the result of a call with functions is bound to: its body is what it hands on.
    WRAPPED = "wrapped"
    #: A method of a protocol: the classes that satisfy the protocol have the body.
    DECLARED = "declared"


class Op:
    """Instructions, with their operands.

    Operands are variables unless a name says otherwise. They are plain numbers, as they are when
    they are read again, so that instructions can be packed as they stand.
    """

    COPY: Final = 0  # to, from
    FUNCTION: Final = 1  # to, function
    CLASS: Final = 2  # to, class
    LOAD: Final = 3  # to, object, attribute, symbol, line
    STORE: Final = 4  # object, attribute, from, symbol, line
    CALL: Final = 5  # to, callee, arguments, symbol, line, name
    CALL_METHOD: Final = 6  # to, object, attribute, arguments, symbol, line
    ELEMENT: Final = 7  # to, object, symbol, line
    INDEX: Final = 8  # to, object, key, symbol, line
    STORE_INDEX: Final = 9  # object, key, from, symbol, line
    CONTAINER: Final = 10  # to, container
    IMPORT: Final = 11  # to, module, name, level, line
    IMPORT_ALL: Final = 12  # module, level
    EXTERNAL: Final = 13  # to, dotted name
    SPECIAL: Final = 14  # to, object, method, arguments, symbol, line
    INSTANCE: Final = 15  # to, class: the annotation's classes become instances
    ENTER: Final = 16  # to, context manager, symbol, line
    SUPER: Final = 17  # to, self, class of the file
    DECORATE: Final = 18  # to, decorator, from, symbol, line
    RAISE: Final = 19  # class, symbol, line
    PROVIDED: Final = 20  # to, name, symbol, line: what the providers of a name give
    DECLARED: Final = 21  # to, class: as INSTANCE, but subclasses may stand there too
    CONTAINERS: Final = 22  # to, from: only containers flow
    NARROW: Final = 23  # to, from, class: instances of other classes do not flow
    MIX: Final = 24  # object, from, symbol, line: the object gets the members of the other
    WRAP: Final = 25  # to, callee, from: a callee outside of the project gives the function back


#: (keyword, `*`, `**` or "" for a place, variable)
Argument = tuple[str, Variable]
Instruction = tuple[object, ...]


class SymbolFact(NamedTuple):
    """A named range of a file, in 1-based inclusive lines.

    `parent` is an index into the symbols of the same file, -1 for none.
    """

    name: str
    qualified: str
    kind: str
    start: int
    end: int
    parent: int
    signature: str = ""
    doc: str = ""
    complexity: int = 0
    traits: tuple[str, ...] = ()
    status: str = "active"


class FunctionFact(NamedTuple):
    """A body of code: its symbol, and the variables through which values come and go."""

    symbol: int
    owner: int  # class, or -1
    names: tuple[str, ...]
    parameters: tuple[Variable, ...]
    keyword_only: dict[str, Variable]
    rest: Variable
    keywords: Variable
    result: Variable
    yields: Variable
    traits: tuple[str, ...] = ()
    #: Parameters that are returned unchanged (`return self`): each call gets its own argument back,
    #: not everybody's.
    passes: tuple[int, ...] = ()


class ClassFact(NamedTuple):
    """A class: its attributes by name, and the variables that hold its bases, in order."""

    symbol: int
    attributes: dict[str, Variable]
    bases: tuple[Variable, ...]


class Packed:
    """Instructions as bytes, in a tenth of the memory; never stored.

    Instructions are most of the weight of facts, and are run once.
    """

    __slots__ = ("_bytes", "_count")

    def __init__(self, instructions: Collection[Instruction]) -> None:
        self._bytes = marshal.dumps([*instructions])
        self._count = len(instructions)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(marshal.loads(self._bytes))  # noqa: S302 - made above, by this very process

    def __len__(self) -> int:
        return self._count

    def __contains__(self, instruction: object) -> bool:
        return any(instruction == other for other in self)


#: In the JSON of facts, what ends the list of instructions and begins the text behind it.
_LAST_LIST = '],"'


class Facts(NamedTuple):
    """All facts of one file; function 0 and symbol 0 are the module itself."""

    language: str
    symbols: tuple[SymbolFact, ...]
    functions: tuple[FunctionFact, ...]
    classes: tuple[ClassFact, ...]
    names: dict[str, Variable]
    variables: int
    containers: int
    #: Instructions that run when the module is imported (module and class bodies), and those of
    #: functions.
    top: Collection[Instruction]
    inner: Collection[Instruction]
    #: Java and Go: the package; Rust: the module path; else empty.
    package: str = ""
    error: str = ""

    def dump(self) -> str:
        """Return the facts as JSON."""
        return json.dumps(self, separators=(",", ":"), ensure_ascii=False)

    def packed(self) -> "Facts":
        """Return the facts with packed instructions, to wait until the facts of all files are
        there.

        The readers of languages share the names in instructions (`share_names`).
        """
        return self._replace(top=Packed(self.top), inner=Packed(self.inner))


def parse_facts(text: str) -> Facts:
    """Return facts from their JSON."""
    fields = json.loads(text)
    fields[1] = [SymbolFact(*row) for row in fields[1]]
    fields[2] = [FunctionFact(*row) for row in fields[2]]
    fields[3] = [ClassFact(*row) for row in fields[3]]
    return Facts(*fields)


def parse_packed_facts(text: str) -> Facts:
    """Return facts from their JSON, with packed instructions."""
    facts = parse_facts(text)
    return facts._replace(
        top=Packed(share_names(facts.top)), inner=Packed(share_names(facts.inner))
    )


def share_names(instructions: Collection[Instruction]) -> list[Instruction]:
    """Return instructions in which each name is one object, for all files.

    Of a million occurrences most are a few thousand names.
    """
    return [
        tuple([intern(part) if type(part) is str else part for part in row]) for row in instructions
    ]


def parse_package(text: str) -> str:
    """Return the package of facts from their JSON, without parsing the rest of it.

    The package and the error are the last two fields, behind the list of instructions.
    """
    try:
        package, _ = json.loads(f'["{text[text.rindex(_LAST_LIST) + len(_LAST_LIST) :]}')
    except ValueError:  # a text that looks like the end of the list
        return parse_facts(text).package
    return str(package)


class Namespace:
    """Scope in which names are bound while a file is read: a function, a class body or the
    module.
    """

    __slots__ = ("function", "names", "outer", "outward", "owner", "prefix", "symbol")

    def __init__(
        self, outer: "Namespace | None", symbol: int, function: int, prefix: str, owner: int = -1
    ) -> None:
        self.outer = outer
        self.symbol = symbol
        self.function = function
        self.prefix = prefix
        self.owner = owner
        self.names: dict[str, Variable] = {}
        #: Names that belong to another scope (`global`, `nonlocal`).
        self.outward: dict[str, Namespace] = {}

    def outwards(self) -> "Iterator[Namespace]":
        """Yield this scope and the scopes around it, innermost first."""
        scope: Namespace | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


class Builder:
    """Collector of the facts of one file while a language's reader walks the file."""

    def __init__(self, language: str, lines: int) -> None:
        self.language = language
        self.symbols: list[SymbolFact] = [
            SymbolFact(
                name="<module>",
                qualified="<module>",
                kind=SymbolKind.MODULE,
                start=1,
                end=max(lines, 1),
                parent=-1,
            )
        ]
        self.functions: list[FunctionFact] = []
        self.classes: list[ClassFact] = []
        self.top: list[Instruction] = []
        self.inner: list[Instruction] = []
        self.code = self.top
        self.package = ""
        self.variables = 0
        self.containers = 0
        self.module = Namespace(None, 0, 0, "")
        self._external: dict[str, Variable] = {}
        self._lambdas: dict[int, int] = {}
        self.functions.append(
            FunctionFact(
                symbol=0,
                owner=-1,
                names=(),
                parameters=(),
                keyword_only={},
                rest=NOTHING,
                keywords=NOTHING,
                result=self.fresh(),
                yields=self.fresh(),
            )
        )

    def fresh(self) -> Variable:
        """Return a new variable."""
        self.variables += 1
        return self.variables - 1

    def container(self) -> Variable:
        """Return a new variable that holds a new container (list, dict, object literal)."""
        variable = self.fresh()
        self.code.append((Op.CONTAINER, variable, self.containers))
        self.containers += 1
        return variable

    def data(self, symbol: int, line: int) -> Variable:
        """Return a variable for a literal of constants, however deep.

        The literal becomes one container of texts, because tables of constants are long.
        """
        held = self.container()
        self.code.append((Op.STORE_INDEX, held, "*", self.external("str"), symbol, line))
        return held

    def method(self, scope: Namespace) -> FunctionFact | None:
        """Return the method that a scope is in; None outside of methods."""
        around = (self.functions[outer.function] for outer in scope.outwards())
        return next((fact for fact in around if fact.owner != NOTHING), None)

    def external(self, name: str) -> Variable:
        """Return the variable that holds a value from outside of the project."""
        known = self._external.get(name)
        if known is None:
            known = self._external[name] = self.fresh()
            self.top.append((Op.EXTERNAL, known, name))
        return known

    def copy(self, to: Variable, source: Variable) -> None:
        """Let the values of `source` flow into `to`."""
        if NOTHING not in (source, to):
            self.code.append((Op.COPY, to, source))

    def merge(self, *sources: Variable) -> Variable:
        """Return a variable that holds the values of all `sources`."""
        known = [source for source in sources if source != NOTHING]
        if len(known) < 2:
            return known[0] if known else NOTHING
        joined = self.fresh()
        for source in known:
            self.code.append((Op.COPY, joined, source))
        return joined

    def bind(self, scope: Namespace, name: str) -> Variable:
        """Return the variable of a name that `scope` assigns."""
        scope = scope.outward.get(name, scope)
        variable = scope.names.get(name)
        if variable is None:
            variable = scope.names[name] = self.fresh()
        return variable

    def lambda_name(self, symbol: int) -> str:
        """Return the next name for a function without a name inside a symbol.

        The first is `<lambda1>`, then comes `<lambda2>`.
        """
        self._lambdas[symbol] = number = self._lambdas.get(symbol, 0) + 1
        return f"<lambda{number}>"

    def finish(self) -> Facts:
        """Return the facts."""
        return Facts(
            language=self.language,
            symbols=tuple(self.symbols),
            functions=tuple(self.functions),
            classes=tuple(self.classes),
            names=self.module.names,
            variables=self.variables,
            containers=self.containers,
            top=tuple(self.top),
            inner=tuple(self.inner),
            package=self.package,
        )
