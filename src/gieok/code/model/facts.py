"""The facts of one file, read without any other: symbols, and instructions about which values flow
where.

Facts are a pure function of the file's bytes, in one form for every language, and are kept as JSON
by content hash. The solver (`resolve/solver.py`) links the facts of all files. A variable is a
number local to the file; -1 is "nothing is known".
"""

import json
import marshal
from collections.abc import Collection, Iterator
from enum import IntEnum, StrEnum
from typing import NamedTuple

#: Stored with the facts: changes whenever the facts of any file would.
VERSION = 17

Variable = int
NOTHING: Variable = -1
#: The attribute under which a class keeps the one that makes it.
METACLASS = "__metaclass__"


class SymbolKind(StrEnum):
    """What a symbol is."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    LAMBDA = "lambda"
    CONCEPT = "concept"
    MARKER = "marker"


class Trait(StrEnum):
    """A property of a function that changes how it is called or what a call gives."""

    PROPERTY = "property"
    STATIC = "static"
    CLASS = "class"
    CONTEXT = "context"
    #: What it gives is there for whoever asks for it by name.
    PROVIDER = "fixture"
    GENERATOR = "generator"
    #: A wrapper that stands for what it wraps: seen through.
    TRANSPARENT = "transparent"
    TEST = "test"
    #: Tests are inside, or it is built for tests only (`describe`, `#[cfg(test)] mod`): no test
    #: itself.
    SUITE = "suite"
    TESTING = "testing"
    #: The first parameter is the object, also where a call has none (`this`).
    RECEIVER = "receiver"
    #: Put on an object under a name that is known when it runs: `app[method] = function …`.
    COMPUTED = "computed"
    #: Overloaded: called only with as many arguments as it has parameters.
    EXACT = "exact"
    #: It stands for what overrides it: no body but `...`, or one that says it is not implemented.
    ABSTRACT = "abstract"
    #: Of a protocol: whoever satisfies it has the body.
    DECLARED = "declared"


class Op(IntEnum):
    """Instructions. Operands are variables unless a name says otherwise; `where` is (symbol,
    line).
    """

    COPY = 0  # to, from
    FUNCTION = 1  # to, function
    CLASS = 2  # to, class
    LOAD = 3  # to, object, attribute, symbol, line
    STORE = 4  # object, attribute, from, symbol, line
    CALL = 5  # to, callee, arguments, symbol, line, name
    CALL_METHOD = 6  # to, object, attribute, arguments, symbol, line
    ELEMENT = 7  # to, object, symbol, line
    INDEX = 8  # to, object, key, symbol, line
    STORE_INDEX = 9  # object, key, from, symbol, line
    CONTAINER = 10  # to, container
    IMPORT = 11  # to, module, name, level, line
    IMPORT_ALL = 12  # module, level
    EXTERNAL = 13  # to, dotted name
    SPECIAL = 14  # to, object, method, arguments, symbol, line
    INSTANCE = 15  # to, class: the annotation's classes become instances
    ENTER = 16  # to, context manager, symbol, line
    SUPER = 17  # to, self, class of the file
    DECORATE = 18  # to, decorator, from, symbol, line
    RAISE = 19  # class, symbol, line
    PROVIDED = 20  # to, name, symbol, line: what the providers of a name give
    DECLARED = 21  # to, class: as INSTANCE, but subclasses may stand there too
    CONTAINERS = 22  # to, from: only containers flow
    NARROW = 23  # to, from, class: instances of other classes do not flow
    MIX = 24  # object, from, symbol, line: the object gets the members of the other


#: (keyword, `*`, `**` or "" for a place, variable)
Argument = tuple[str, Variable]
Instruction = tuple[object, ...]


class SymbolFact(NamedTuple):
    """A named stretch of a file: 1-based inclusive lines; `parent` is an index into the same file,
    -1 for none.
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
    """A body of code: which symbol it belongs to, and the variables through which values come and
    go.
    """

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
    #: Parameters that are given back as they came (`return self`): each call gets its own, not
    #: everybody's.
    passes: tuple[int, ...] = ()


class ClassFact(NamedTuple):
    """A class: its attributes by name, and the variables that hold its bases, in order."""

    symbol: int
    attributes: dict[str, Variable]
    bases: tuple[Variable, ...]


class Packed:
    """Instructions as bytes, in a tenth of the room: they are most of what facts weigh, and run
    once. Never stored.
    """

    __slots__ = ("_bytes", "_count")

    def __init__(self, instructions: Collection[Instruction]) -> None:
        self._bytes = marshal.dumps([(int(op), *operands) for op, *operands in instructions])  # type: ignore[call-overload]
        self._count = len(instructions)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(marshal.loads(self._bytes))  # noqa: S302 - made above, by this very process

    def __len__(self) -> int:
        return self._count

    def __contains__(self, instruction: object) -> bool:
        return any(instruction == one for one in self)


class Facts(NamedTuple):
    """Everything of one file. Function 0 and symbol 0 are the module itself."""

    language: str
    symbols: tuple[SymbolFact, ...]
    functions: tuple[FunctionFact, ...]
    classes: tuple[ClassFact, ...]
    names: dict[str, Variable]
    variables: int
    containers: int
    #: Run when the module is imported (module and class bodies), and when a function is.
    top: Collection[Instruction]
    inner: Collection[Instruction]
    #: Java and Go: the package; Rust: the module path; else empty.
    package: str = ""
    error: str = ""

    def dump(self) -> str:
        """Return the facts as JSON."""
        return json.dumps(self, separators=(",", ":"), ensure_ascii=False)

    def packed(self) -> "Facts":
        """Return the facts with their instructions packed, to wait until those of all files are
        there.
        """
        return self._replace(top=Packed(self.top), inner=Packed(self.inner))


def parse_facts(text: str) -> Facts:
    """Return facts from their JSON."""
    fields = json.loads(text)
    fields[1] = [SymbolFact(*row) for row in fields[1]]
    fields[2] = [FunctionFact(*row) for row in fields[2]]
    fields[3] = [ClassFact(*row) for row in fields[3]]
    return Facts(*fields)


class Namespace:
    """Where names are bound while a file is read: a function, a class body or the module."""

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
        """Yield this scope and those around it."""
        scope: Namespace | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


class Builder:
    """Collects the facts of one file while a language's reader walks it."""

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
        """Return a literal of constants, however deep: one container of texts, for tables of them
        are long.
        """
        held = self.container()
        self.code.append((Op.STORE_INDEX, held, "*", self.external("str"), symbol, line))
        return held

    def method(self, scope: Namespace) -> FunctionFact | None:
        """Return the method that a scope stands in."""
        around = (self.functions[one.function] for one in scope.outwards())
        return next((fact for fact in around if fact.owner != NOTHING), None)

    def external(self, name: str) -> Variable:
        """Return the variable that holds something outside of the project."""
        known = self._external.get(name)
        if known is None:
            known = self._external[name] = self.fresh()
            self.top.append((Op.EXTERNAL, known, name))
        return known

    def copy(self, to: Variable, source: Variable) -> None:
        """Let what `source` holds flow into `to`."""
        if NOTHING not in (source, to):
            self.code.append((Op.COPY, to, source))

    def merge(self, *sources: Variable) -> Variable:
        """Return a variable that holds what any of `sources` does."""
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
        """Return the name of the next function without a name inside a symbol: `<lambda1>`, then
        `<lambda2>`.
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
