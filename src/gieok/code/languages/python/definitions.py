"""Functions, lambdas and classes of Python, with their decorators and annotations."""

import ast
from collections import deque
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from gieok.code.languages.python.calls import CallReader
from gieok.code.languages.python.expressions import (
    BUILTINS,
    Code,
    find_last_name,
    read_text_constant,
)
from gieok.code.model.facts import (
    METACLASS,
    NOTHING,
    Argument,
    ClassFact,
    FunctionFact,
    Namespace,
    Op,
    SymbolFact,
    SymbolKind,
    Trait,
    Variable,
)

#: Decorator → the trait that it gives a function.
TRAITS = {
    "property": Trait.PROPERTY,
    "cached_property": Trait.PROPERTY,
    "setter": Trait.PROPERTY,
    "getter": Trait.PROPERTY,
    "deleter": Trait.PROPERTY,
    "staticmethod": Trait.STATIC,
    "classmethod": Trait.CLASS,
    "fixture": Trait.PROVIDER,
    "contextmanager": Trait.CONTEXT,
    "asynccontextmanager": Trait.CONTEXT,
    "wraps": Trait.TRANSPARENT,
}
_ABSTRACT = frozenset(
    "abstractmethod abstractproperty abstractclassmethod abstractstaticmethod".split()
)
_CLASS_METHODS = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
_ONE_OF = frozenset(
    (
        "Optional Union Final ClassVar Awaitable Coroutine Required NotRequired Annotated ReadOnly"
    ).split()
)
_ITERABLE = frozenset(
    "list sequence mutablesequence iterable iterator set frozenset abstractset tuple "
    "collection deque generator "
    "asynciterator asynciterable asyncgenerator".split()
)
_MAPPING = frozenset("dict mapping mutablemapping defaultdict ordereddict".split())
_DEEPEST_ANNOTATION = 5
_DEPRECATED = frozenset(("deprecated", "deprecate"))

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class _Waiting(NamedTuple):
    """A function whose body is read later."""

    node: FunctionNode
    scope: Namespace


def _parse_parameter_names(node: ast.expr) -> list[str]:
    """Return the names in `"a, b"` or `("a", "b")`."""
    if (text := read_text_constant(node)) is not None:
        return [name.strip() for name in text.split(",")]
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [text for part in parts if (text := read_text_constant(part)) is not None]


def _is_bare(node: ast.FunctionDef | ast.AsyncFunctionDef, is_declared: bool) -> bool:
    """Return whether a method has no body of its own and stands for its implementations.

    Such methods belong to a protocol, are abstract, or only raise that they are not implemented.
    """
    if any(find_last_name(decorator) in _ABSTRACT for decorator in node.decorator_list):
        return True
    body = [
        s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    ]
    if len(body) == 1 and isinstance(body[0], ast.Raise) and body[0].exc is not None:
        return find_last_name(body[0].exc) == "NotImplementedError"
    return is_declared and all(isinstance(s, ast.Pass) for s in body)


class PythonDefinitions(CallReader):
    """Reader of definitions.

    Bodies of functions wait in a queue; a class's body is read at once, by `block`.
    """

    def __init__(self, lines: int) -> None:
        super().__init__(lines)
        self.waiting: deque[_Waiting] = deque()
        self.returns: list[tuple[int, Variable, Code]] = []
        #: Name → the last of its `overload` definitions, which is called only where no body
        #: follows.
        self.overloads: dict[Variable, Variable] = {}
        self._protocols: set[int] = set()

    def block(self, body: list[ast.stmt]) -> None:
        """Read statements."""
        raise NotImplementedError

    # Functions

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Add a function and bind the result of its decorators."""
        traits = self._traits(node)
        symbol = self._symbol(
            node,
            node.name,
            SymbolKind.METHOD if self.scope.owner != NOTHING else SymbolKind.FUNCTION,
            traits,
        )
        number = self._make(node, symbol, node.name, traits)
        value = self.made(Op.FUNCTION, number)
        for decorator in reversed(node.decorator_list):
            decorating = self.expression(decorator)
            if decorating == NOTHING:
                continue
            if isinstance(decorator, ast.Call):
                self._given_by_pytest(decorator, self.builder.functions[number])
            value = self.made(Op.DECORATE, decorating, value, self.scope.symbol, decorator.lineno)
        bound = self.own_variable(node.name)
        if any(find_last_name(d) == "overload" for d in node.decorator_list):
            self.overloads[bound] = value
        else:
            self.overloads.pop(bound, None)
            self.builder.copy(bound, value)

    def _given_by_pytest(self, decorator: ast.Call, fact: FunctionFact) -> None:
        """Pass the values of `parametrize` to a test's parameters.

        The `params` of a fixture become its `request.param`.
        """
        kind = find_last_name(decorator)
        if kind not in ("parametrize", "fixture"):
            return
        read = self.builder.code[-1]  # the call that the decorator is
        arguments: list[Argument] = next(part for part in read if isinstance(part, list))
        parameters = dict(zip(fact.names, fact.parameters, strict=True)) | fact.keyword_only
        named = dict(arguments)
        if kind == "fixture":
            if (
                "request" in parameters
                and (value := self.element(named.get("params", NOTHING), decorator)) != NOTHING
            ):
                request = self.builder.container()
                self.emit(Op.STORE_INDEX, request, "param", value, fact.symbol, decorator.lineno)
                self.builder.copy(parameters["request"], request)
            return
        names = _parse_parameter_names(decorator.args[0]) if decorator.args else []
        row = self.element(arguments[1][1] if len(arguments) > 1 else NOTHING, decorator)
        for place, name in enumerate(names if row != NOTHING else ()):
            if name in parameters and len(names) == 1:
                self.builder.copy(parameters[name], row)
            elif name in parameters:
                self.emit(Op.INDEX, parameters[name], row, place, fact.symbol, decorator.lineno)

    def _traits(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
        traits = {
            TRAITS[name] for d in node.decorator_list if (name := find_last_name(d)) in TRAITS
        }
        if self.scope.owner != NOTHING and node.name in _CLASS_METHODS:
            traits.add(Trait.CLASS)
        if node.name.startswith("test"):
            traits.add(Trait.TEST)
        if self.scope.owner != NOTHING and _is_bare(node, self.scope.owner in self._protocols):
            traits.add(Trait.DECLARED if self.scope.owner in self._protocols else Trait.ABSTRACT)
        return tuple(sorted(traits))

    def _symbol(self, node: Definition, name: str, kind: str, traits: tuple[str, ...]) -> int:
        decorators = node.decorator_list
        start = min([node.lineno, *(d.lineno for d in decorators)])
        doc = ast.get_docstring(node) or ""
        deprecated = (
            any(find_last_name(d) in _DEPRECATED for d in decorators) or ".. deprecated" in doc
        )
        fact = SymbolFact(
            name=name,
            qualified=self.scope.prefix + name,
            kind=kind,
            start=start,
            end=node.end_lineno or start,
            parent=self.scope.symbol,
            doc=doc,
            traits=traits,
            status="deprecated" if deprecated else "active",
        )
        return self._add(fact)

    def _add(self, fact: SymbolFact) -> int:
        self.builder.symbols.append(fact)
        self.branches.append(0)
        return len(self.builder.symbols) - 1

    def _make(self, node: FunctionNode, symbol: int, name: str, traits: tuple[str, ...]) -> int:
        """Add the function's fact, and queue its body."""
        builder, fresh = self.builder, self.builder.fresh
        number = len(builder.functions)
        inner = Namespace(self.outside_class(), symbol, number, f"{self.scope.prefix}{name}.")
        a = node.args
        places = (*a.posonlyargs, *a.args)
        parameters = tuple(builder.bind(inner, p.arg) for p in places)
        keyword_only = {p.arg: builder.bind(inner, p.arg) for p in a.kwonlyargs}
        rest = builder.bind(inner, a.vararg.arg) if a.vararg else NOTHING
        keywords = builder.bind(inner, a.kwarg.arg) if a.kwarg else NOTHING
        owner = self.scope.owner
        fact = FunctionFact(
            symbol=symbol,
            owner=owner,
            names=tuple(p.arg for p in places),
            parameters=parameters,
            keyword_only=keyword_only,
            rest=rest,
            keywords=keywords,
            result=fresh(),
            yields=fresh(),
            traits=traits,
        )
        builder.functions.append(fact)
        self._defaults(a, fact)
        if not isinstance(node, ast.Lambda):
            self._annotations(node, fact)
        self.waiting.append(_Waiting(node, inner))
        return number

    def _defaults(self, a: ast.arguments, fact: FunctionFact) -> None:
        for variable, default in zip(
            fact.parameters[len(fact.parameters) - len(a.defaults) :], a.defaults, strict=True
        ):
            self.builder.copy(variable, self.expression(default))
        for parameter, value in zip(a.kwonlyargs, a.kw_defaults, strict=True):
            if value is not None:
                self.builder.copy(fact.keyword_only[parameter.arg], self.expression(value))

    def _annotations(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, fact: FunctionFact
    ) -> None:
        a = node.args
        pairs = [*zip((*a.posonlyargs, *a.args), fact.parameters, strict=True)]
        pairs += [(p, fact.keyword_only[p.arg]) for p in a.kwonlyargs]
        for parameter, variable in pairs:
            self.builder.copy(variable, self.annotation(parameter.annotation))
        if node.returns is not None:
            self.returns.append(
                (len(self.builder.functions) - 1, self.annotation(node.returns), node)
            )
        if Trait.TEST in fact.traits or Trait.PROVIDER in fact.traits:
            for parameter, variable in pairs:
                self.emit(Op.PROVIDED, variable, parameter.arg, fact.symbol, node.lineno)

    def _lambda(self, node: ast.Lambda) -> Variable:
        name = self.builder.lambda_name(self.scope.symbol)
        qualified = self.scope.prefix + name
        end = node.end_lineno or node.lineno
        symbol = self._add(
            SymbolFact(
                name=name,
                qualified=qualified,
                kind=SymbolKind.LAMBDA,
                start=node.lineno,
                end=end,
                parent=self.scope.symbol,
            )
        )
        number = self._make(
            node, symbol, name, (Trait.STATIC,) if self.scope.owner != NOTHING else ()
        )
        return self.made(Op.FUNCTION, number)

    # Classes

    def class_(self, node: ast.ClassDef) -> None:
        """Add a class, bind it and read its body."""
        symbol = self._symbol(
            node, node.name, SymbolKind.CLASS, (Trait.TEST,) if node.name.startswith("Test") else ()
        )
        number = len(self.builder.classes)
        if any(
            find_last_name(b.value if isinstance(b, ast.Subscript) else b) == "Protocol"
            for b in node.bases
        ):
            self._protocols.add(number)
        bases = tuple(
            self.expression(b.value if isinstance(b, ast.Subscript) else b) for b in node.bases
        )
        keywords = {keyword.arg: self.expression(keyword.value) for keyword in node.keywords}
        outer = self.scope
        inner = Namespace(outer, symbol, outer.function, f"{outer.prefix}{node.name}.", number)
        self.builder.classes.append(ClassFact(symbol, inner.names, bases))
        class_value = self.made(Op.CLASS, number)
        if keywords.get("metaclass", NOTHING) != NOTHING:
            self.bind(METACLASS, keywords["metaclass"], inner)
        if bases or keywords:  # a class is made by its metaclass, which it may inherit
            maker = self.made(Op.LOAD, class_value, METACLASS, outer.symbol, node.lineno)
            self.emit(Op.CALL, self.builder.fresh(), maker, [], outer.symbol, node.lineno, "")
        for decorator in reversed(node.decorator_list):
            decorating = self.expression(decorator)
            if decorating != NOTHING:
                where = (outer.symbol, decorator.lineno)
                self.emit(Op.DECORATE, self.builder.fresh(), decorating, class_value, *where)
        self.bind(node.name, class_value, outer)
        self.scope = inner
        self.block(node.body)
        self.scope = outer

    # Annotations

    def annotation(self, node: ast.expr | None, depth: int = 0) -> Variable:
        """Return a variable that holds instances of the classes that an annotation allows."""
        if node is None or depth > _DEEPEST_ANNOTATION:
            return NOTHING
        if isinstance(node, ast.Constant):
            return self._quoted(node.value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.builder.merge(
                self.annotation(node.left, depth + 1), self.annotation(node.right, depth + 1)
            )
        if isinstance(node, ast.Subscript):
            return self._generic(node, depth)
        if not isinstance(node, ast.Name | ast.Attribute) or find_last_name(node) in BUILTINS:
            return NOTHING
        return self.made_of(self.expression(node), Op.INSTANCE)

    def _quoted(self, text: object, depth: int) -> Variable:
        if not isinstance(text, str):
            return NOTHING
        try:
            return self.annotation(ast.parse(text, mode="eval").body, depth + 1)
        except (SyntaxError, ValueError):
            return NOTHING

    def _generic(self, node: ast.Subscript, depth: int) -> Variable:
        name = find_last_name(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in _ONE_OF:
            chosen = parts[:1] if name == "Annotated" else parts
            return self.builder.merge(*[self.annotation(part, depth + 1) for part in chosen])
        if name in ("type", "Type"):
            return self.builder.merge(*[self.expression(part) for part in parts])
        lower = name.lower()
        if lower in _ITERABLE or lower in _MAPPING:
            chosen = parts[-1:] if lower in _MAPPING else parts[:1] if "gen" in lower else parts
            inside = self.builder.merge(*[self.annotation(part, depth + 1) for part in chosen])
            return self.holding(inside, node)
        return self.annotation(node.value, depth + 1)

    handlers: ClassVar[dict[type[ast.AST], Callable[..., Variable]]] = {
        **CallReader.handlers,
        ast.Lambda: _lambda,
    }
