"""Python → facts, by the standard library's own parser (exact positions, no dependency).

Flow-insensitive: a name is one variable in its scope. Bodies of functions are read after the scope around them, so that
names which are bound later are known. Nothing here recurses on statements of nested functions, only on expressions.
"""

import ast
import builtins
from collections import deque
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from gieok.capabilities.code.model.facts import (
    NOTHING,
    Argument,
    Builder,
    ClassFact,
    Facts,
    FunctionFact,
    Kind,
    Namespace,
    Op,
    SymbolFact,
    Trait,
    Variable,
)

_BUILTINS = frozenset(dir(builtins))
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.BitOr: "or", ast.BitAnd: "and",
    ast.Mod: "mod", ast.FloorDiv: "floordiv", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitXor: "xor", ast.Pow: "pow",
}  # fmt: skip
_COMPARISONS = {
    ast.Eq: "__eq__",
    ast.NotEq: "__eq__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}
_TRAITS = {
    "property": Trait.PROPERTY, "cached_property": Trait.PROPERTY, "setter": Trait.PROPERTY, "getter": Trait.PROPERTY,
    "deleter": Trait.PROPERTY, "staticmethod": Trait.STATIC, "classmethod": Trait.CLASS, "fixture": Trait.PROVIDER,
    "contextmanager": Trait.CONTEXT, "asynccontextmanager": Trait.CONTEXT, "wraps": Trait.TRANSPARENT,
}  # fmt: skip
_CLASS_METHODS = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
_ONE_OF = frozenset("Optional Union Final ClassVar Awaitable Coroutine Required NotRequired Annotated ReadOnly".split())
_ITERABLE = frozenset(
    "list sequence mutablesequence iterable iterator set frozenset abstractset tuple collection deque generator "
    "asynciterator asynciterable asyncgenerator".split()
)
_MAPPING = frozenset("dict mapping mutablemapping defaultdict ordereddict".split())
_BRANCHES = frozenset(
    (
        ast.If,
        ast.For,
        ast.AsyncFor,
        ast.While,
        ast.Try,
        ast.BoolOp,
        ast.IfExp,
        ast.ListComp,
        ast.GeneratorExp,
        ast.Match,
    )
)
_DEEPEST_ANNOTATION = 5
_METACLASS = "__metaclass__"
#: Import the module that they are given by name.
_IMPORTERS = frozenset(("import_module", "importorskip"))
_SEQUENCES = (ast.List, ast.Tuple, ast.Set)
_TEXTS = (str, bytes)
_DEPRECATED = frozenset(("deprecated", "deprecate"))

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class _Waiting(NamedTuple):
    """A function whose body is read later."""

    node: FunctionNode
    scope: Namespace


def read(source: str) -> Facts:
    """Return the facts of a Python file. Raises SyntaxError, ValueError, RecursionError."""
    tree = ast.parse(source)
    reader = _Reader(source.count("\n") + 1)
    reader.module(tree)
    return reader.builder.finish()


def _name_of(node: ast.expr) -> str:
    """Return the last name of `a.b.c` or `c(...)`; '' for anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_data(node: ast.expr) -> bool:
    """Say whether a literal holds constants only."""
    kind = type(node)
    if kind is ast.Constant:
        return True
    if isinstance(node, ast.Dict):
        return all(type(key) is ast.Constant for key in node.keys) and all(map(_is_data, node.values))
    return isinstance(node, _SEQUENCES) and all(map(_is_data, node.elts))


def _strings(node: ast.expr) -> list[str]:
    """Return the names in `"a, b"` or `("a", "b")`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",")]
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _module(arguments: list[ast.expr]) -> str:
    """Return the absolute name of the module that a call imports; '' for one that is not known."""
    name = _attribute(arguments[0]) if arguments else ""
    return name if all(part.isidentifier() for part in name.split(".")) else ""


def _attribute(node: ast.expr) -> str:
    """Return the name that `getattr` asks for, `prefix*` for one that is put together; '' for one that is not known."""
    if isinstance(node, ast.JoinedStr) and node.values:
        return prefix + "*" if (prefix := _attribute(node.values[0])) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return prefix + "*" if (prefix := _attribute(node.left).partition("%")[0]) else ""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


class _Reader:
    def __init__(self, lines: int) -> None:
        self.builder = Builder("python", lines)
        self.scope = self.builder.module
        self.waiting: deque[_Waiting] = deque()
        self.returns: list[tuple[int, Variable, int]] = []
        self.branches = [0]
        #: (function, place) of parameters that are returned, and the variables that a statement assigns.
        self.passed: list[tuple[int, int]] = []
        self.assigned: set[Variable] = set()
        self._emit = self.builder.code.append

    def module(self, tree: ast.Module) -> None:
        self.builder.symbols[0] = self.builder.symbols[0]._replace(doc=ast.get_docstring(tree) or "")
        self.block(tree.body)
        self.builder.code = self.builder.inner
        self._emit = self.builder.code.append
        while self.waiting:
            node, self.scope = self.waiting.popleft()
            if isinstance(node, ast.Lambda):
                self.builder.copy(self.builder.functions[self.scope.function].result, self.expression(node.body))
            else:
                self.block(node.body)
        for number, value, line in self.returns:
            self._annotated_return(self.builder.functions[number], value, line)
        for number, place in sorted(set(self.passed)):
            self._given_back(number, place)
        for symbol, branches in enumerate(self.branches):
            self.builder.symbols[symbol] = self.builder.symbols[symbol]._replace(complexity=branches + 1)

    def _given_back(self, number: int, place: int) -> None:
        """A parameter that is returned is given back to its own caller, unless it is another value by then."""
        fact = self.builder.functions[number]
        if fact.parameters[place] in self.assigned:
            self.builder.copy(fact.result, fact.parameters[place])
        else:
            self.builder.functions[number] = fact._replace(passes=(*fact.passes, place))

    def _annotated_return(self, fact: FunctionFact, value: Variable, line: int) -> None:
        if Trait.GENERATOR in fact.traits or Trait.CONTEXT in fact.traits:
            self.scope = self.builder.module
            self.builder.copy(fact.yields, self.element(value, line))
        else:
            self.builder.copy(fact.result, value)

    # Statements

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            kind = type(statement)
            if kind in _BRANCHES:
                self.branches[self.scope.symbol] += 1
            if handler := self._statements.get(kind):
                handler(self, statement)

    def _expr(self, node: ast.Expr) -> None:
        self.expression(node.value)

    def _assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.assign(target, value, node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        value = self.expression(node.value) if node.value else NOTHING
        if value == NOTHING or (self.scope.owner != NOTHING and isinstance(node.target, ast.Name)):
            value = self.builder.merge(value, self.annotation(node.annotation))
        self.assign(node.target, value, node.value)

    def _augmented(self, node: ast.AugAssign) -> None:
        value = self.expression(node.value)
        name = _OPERATORS.get(type(node.op))
        target = self._load_of(node.target)
        if name and target != NOTHING:
            self._special(target, f"__i{name}__", [("", value)], node.lineno)
            self._special(target, f"__{name}__", [("", value)], node.lineno)
        self.assign(node.target, value, None)

    def _load_of(self, node: ast.expr) -> Variable:
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        return NOTHING

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            return
        fact = self.builder.functions[self.scope.function]
        value = self.expression(node.value)
        if isinstance(node.value, ast.Name) and value in fact.parameters:
            self.passed.append((self.scope.function, fact.parameters.index(value)))
        else:
            self.builder.copy(fact.result, value)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self.assign(node.target, self.element(self.expression(node.iter), node.lineno), None)
        self.block(node.body)
        self.block(node.orelse)

    def _while(self, node: ast.If | ast.While) -> None:
        self.expression(node.test)
        self.block(node.body)
        self.block(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            manager = self.expression(item.context_expr)
            if manager == NOTHING:
                continue
            value = self.builder.fresh()
            self._emit((Op.ENTER, value, manager, self.scope.symbol, item.context_expr.lineno))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, None)
        self.block(node.body)

    def _try(self, node: ast.Try) -> None:
        self.block(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                caught = self.expression(handler.type)
                if handler.name and caught != NOTHING:
                    name = self.builder.bind(self.scope, handler.name)
                    self._emit((Op.DECLARED, name, caught))
                    self._emit((Op.DECLARED, name, self.element(caught, node.lineno)))
            self.block(handler.body)
        self.block(node.orelse)
        self.block(node.finalbody)

    def _raise(self, node: ast.Raise) -> None:
        for part in (node.exc, node.cause):
            if part is not None and (value := self.expression(part)) != NOTHING:
                self._emit((Op.RAISE, value, self.scope.symbol, node.lineno))

    def _assert(self, node: ast.Assert) -> None:
        self.expression(node.test)
        if node.msg is not None:
            self.expression(node.msg)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self._special(self.expression(target.value), "__delitem__", [], node.lineno)

    def _match(self, node: ast.Match) -> None:
        subject = self.expression(node.subject)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchClass):
                    self.expression(pattern.cls)
                if isinstance(pattern, ast.MatchAs) and pattern.name:
                    self.builder.copy(self.builder.bind(self.scope, pattern.name), subject)
            if case.guard is not None:
                self.expression(case.guard)
            self.block(case.body)

    def _outward(self, node: ast.Global | ast.Nonlocal) -> None:
        target: Namespace | None = self.builder.module if isinstance(node, ast.Global) else self.scope.outer
        for name in node.names:
            place = target
            while place is not None and place.outer is not None and name not in place.names:
                place = place.outer
            self.scope.outward[name] = place or self.builder.module

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name if alias.asname else alias.name.partition(".")[0]
            to = self.builder.bind(self.scope, alias.asname or top)
            self._emit((Op.IMPORT, to, top, "", 0, node.lineno))
            if top != alias.name:  # `import a.b` runs a.b too, though it binds a
                self._emit((Op.IMPORT, self.builder.fresh(), alias.name, "", 0, node.lineno))

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self._emit((Op.IMPORT_ALL, node.module or "", node.level))
            else:
                to = self.builder.bind(self.scope, alias.asname or alias.name)
                self._emit((Op.IMPORT, to, node.module or "", alias.name, node.level, node.lineno))

    # Definitions

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        traits = self._traits(node)
        symbol = self._symbol(node, node.name, Kind.METHOD if self.scope.owner != NOTHING else Kind.FUNCTION, traits)
        number = self._make(node, symbol, node.name, traits)
        made = self.builder.fresh()
        self._emit((Op.FUNCTION, made, number))
        value = made
        for decorator in reversed(node.decorator_list):
            decorating = self.expression(decorator)
            if decorating == NOTHING:
                continue
            if isinstance(decorator, ast.Call):
                self._given_by_pytest(decorator, self.builder.functions[number])
            result = self.builder.fresh()
            self._emit((Op.DECORATE, result, decorating, value, self.scope.symbol, decorator.lineno))
            value = result
        self.builder.copy(self.builder.bind(self.scope, node.name), value)

    def _given_by_pytest(self, decorator: ast.Call, fact: FunctionFact) -> None:
        """What `parametrize` lists reaches a test's parameters; the `params` of a fixture are its `request.param`."""
        kind, line = _name_of(decorator), decorator.lineno
        if kind not in ("parametrize", "fixture"):
            return
        read = self.builder.code[-1]  # the call that the decorator is
        arguments: list[Argument] = next(part for part in read if isinstance(part, list))
        parameters = dict(zip(fact.names, fact.parameters, strict=True)) | fact.keyword_only
        named = dict(arguments)
        if kind == "fixture":
            if "request" in parameters and (value := self.element(named.get("params", NOTHING), line)) != NOTHING:
                request = self.builder.container()
                self._emit((Op.STORE_INDEX, request, "param", value, fact.symbol, line))
                self.builder.copy(parameters["request"], request)
            return
        names = _strings(decorator.args[0]) if decorator.args else []
        row = self.element(arguments[1][1] if len(arguments) > 1 else NOTHING, line)
        for place, name in enumerate(names if row != NOTHING else ()):
            if name in parameters and len(names) == 1:
                self.builder.copy(parameters[name], row)
            elif name in parameters:
                self._emit((Op.INDEX, parameters[name], row, place, fact.symbol, line))

    def _traits(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
        found = {_TRAITS[name] for d in node.decorator_list if (name := _name_of(d)) in _TRAITS}
        if self.scope.owner != NOTHING and node.name in _CLASS_METHODS:
            found.add(Trait.CLASS)
        if node.name.startswith("test"):
            found.add(Trait.TEST)
        return tuple(sorted(found))

    def _symbol(self, node: Definition, name: str, kind: str, traits: tuple[str, ...]) -> int:
        decorators = node.decorator_list
        start = min([node.lineno, *(d.lineno for d in decorators)])
        doc = ast.get_docstring(node) or ""
        deprecated = any(_name_of(d) in _DEPRECATED for d in decorators) or ".. deprecated" in doc
        fact = SymbolFact(
            name, self.scope.prefix + name, kind, start, node.end_lineno or start, self.scope.symbol,
            doc=doc, traits=traits, status="deprecated" if deprecated else "active",
        )  # fmt: skip
        return self._add(fact)

    def _add(self, fact: SymbolFact) -> int:
        self.builder.symbols.append(fact)
        self.branches.append(0)
        return len(self.builder.symbols) - 1

    def _make(self, node: FunctionNode, symbol: int, name: str, traits: tuple[str, ...]) -> int:
        """Add the function's fact, and queue its body."""
        builder, fresh = self.builder, self.builder.fresh
        number = len(builder.functions)
        inner = Namespace(self._closure(), symbol, number, f"{self.scope.prefix}{name}.")
        a = node.args
        places = (*a.posonlyargs, *a.args)
        parameters = tuple(builder.bind(inner, p.arg) for p in places)
        keyword_only = {p.arg: builder.bind(inner, p.arg) for p in a.kwonlyargs}
        rest = builder.bind(inner, a.vararg.arg) if a.vararg else NOTHING
        keywords = builder.bind(inner, a.kwarg.arg) if a.kwarg else NOTHING
        owner = self.scope.owner
        fact = FunctionFact(
            symbol, owner, tuple(p.arg for p in places), parameters, keyword_only, rest, keywords, fresh(), fresh(), traits
        )  # fmt: skip
        builder.functions.append(fact)
        self._defaults(a, fact)
        if not isinstance(node, ast.Lambda):
            self._annotations(node, fact)
        self.waiting.append(_Waiting(node, inner))
        return number

    def _closure(self) -> Namespace:
        """Return the scope whose names a nested function sees: a class body's are not seen."""
        scope = self.scope
        while scope.owner != NOTHING and scope.outer is not None:
            scope = scope.outer
        return scope

    def _defaults(self, a: ast.arguments, fact: FunctionFact) -> None:
        for variable, default in zip(
            fact.parameters[len(fact.parameters) - len(a.defaults) :], a.defaults, strict=True
        ):
            self.builder.copy(variable, self.expression(default))
        for parameter, value in zip(a.kwonlyargs, a.kw_defaults, strict=True):
            if value is not None:
                self.builder.copy(fact.keyword_only[parameter.arg], self.expression(value))

    def _annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef, fact: FunctionFact) -> None:
        a = node.args
        pairs = [*zip((*a.posonlyargs, *a.args), fact.parameters, strict=True)]
        pairs += [(p, fact.keyword_only[p.arg]) for p in a.kwonlyargs]
        for parameter, variable in pairs:
            self.builder.copy(variable, self.annotation(parameter.annotation))
        if node.returns is not None:
            self.returns.append((len(self.builder.functions) - 1, self.annotation(node.returns), node.lineno))
        if Trait.TEST in fact.traits or Trait.PROVIDER in fact.traits:
            for parameter, variable in pairs:
                self._emit((Op.PROVIDED, variable, parameter.arg, fact.symbol, node.lineno))

    def _class(self, node: ast.ClassDef) -> None:
        symbol = self._symbol(node, node.name, Kind.CLASS, (Trait.TEST,) if node.name.startswith("Test") else ())
        number = len(self.builder.classes)
        bases = tuple(self.expression(b.value if isinstance(b, ast.Subscript) else b) for b in node.bases)
        keywords = {keyword.arg: self.expression(keyword.value) for keyword in node.keywords}
        outer = self.scope
        inner = Namespace(outer, symbol, outer.function, f"{outer.prefix}{node.name}.", number)
        self.builder.classes.append(ClassFact(symbol, inner.names, bases))
        made = self.builder.fresh()
        self._emit((Op.CLASS, made, number))
        if keywords.get("metaclass", NOTHING) != NOTHING:
            self.builder.copy(self.builder.bind(inner, _METACLASS), keywords["metaclass"])
        if bases or keywords:  # a class is made by its metaclass, which it may inherit
            maker = self.builder.fresh()
            self._emit((Op.LOAD, maker, made, _METACLASS, outer.symbol, node.lineno))
            self._emit((Op.CALL, self.builder.fresh(), maker, [], outer.symbol, node.lineno, ""))
        for decorator in reversed(node.decorator_list):
            decorating = self.expression(decorator)
            if decorating != NOTHING:
                where = (outer.symbol, decorator.lineno)
                self._emit((Op.DECORATE, self.builder.fresh(), decorating, made, *where))
        self.builder.copy(self.builder.bind(outer, node.name), made)
        self.scope = inner
        self.block(node.body)
        self.scope = outer

    # Targets

    def assign(self, target: ast.expr, value: Variable, source: ast.expr | None) -> None:
        """Let `value` flow into a target; `source` is the expression it came from, where that is known."""
        if isinstance(target, ast.Name):
            variable = self.builder.bind(self.scope, target.id)
            self.assigned.add(variable)
            self.builder.copy(variable, value)
        elif isinstance(target, ast.Attribute):
            place = self.expression(target.value)
            if place != NOTHING:  # also without a value: a property's setter is called
                self._emit((Op.STORE, place, target.attr, value, self.scope.symbol, target.lineno))
        elif isinstance(target, ast.Subscript):
            place, key = self.expression(target.value), self._key(target.slice)
            if place != NOTHING:
                self._emit((Op.STORE_INDEX, place, key, value, self.scope.symbol, target.lineno))
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, None)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, source)

    def _unpack(self, targets: list[ast.expr], value: Variable, source: ast.expr | None) -> None:
        parts = source.elts if isinstance(source, ast.Tuple | ast.List) else []
        if len(parts) == len(targets) and not any(isinstance(n, ast.Starred) for n in (*parts, *targets)):
            for target, part in zip(targets, parts, strict=True):
                self.assign(target, self.expression(part), part)
            return
        for place, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                held = self.builder.container()
                self._emit(
                    (Op.STORE_INDEX, held, "*", self.element(value, target.lineno), self.scope.symbol, target.lineno)
                )
                self.assign(target.value, held, None)
                continue
            part_value = NOTHING
            if value != NOTHING:
                part_value = self.builder.fresh()
                self._emit((Op.INDEX, part_value, value, place, self.scope.symbol, target.lineno))
            self.assign(target, part_value, None)

    def _key(self, node: ast.expr) -> str | int | None:
        """Return a constant key, None for one that is not known."""
        if type(node) is not ast.Constant:
            self.expression(node)
            return None
        key = node.value
        return key if isinstance(key, str | int) and key is not True and key is not False else None

    # Expressions

    def expression(self, node: ast.expr | None) -> Variable:
        """Return the variable that holds what an expression gives."""
        if node is None:
            return NOTHING
        kind = type(node)
        if kind in _BRANCHES:
            self.branches[self.scope.symbol] += 1
        handler = self._expressions.get(kind)
        return handler(self, node) if handler else NOTHING

    def name(self, name: str) -> Variable:
        """Return what a name means here."""
        scope: Namespace | None = self.scope
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.outward:
                return self.builder.bind(scope, name)
            scope = scope.outer
        if name in _BUILTINS:
            return self.builder.external(name)
        return self.builder.bind(self.builder.module, name)  # bound later, or by a star import

    def _constant(self, node: ast.Constant) -> Variable:
        return self.builder.external("str") if type(node.value) in _TEXTS else NOTHING

    def _name(self, node: ast.Name) -> Variable:
        return self.name(node.id)

    def attribute(self, node: ast.Attribute) -> Variable:
        """Return what `object.name` gives."""
        place = self.expression(node.value)
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self._emit((Op.LOAD, value, place, node.attr, self.scope.symbol, node.lineno))
        return value

    def _value(self, node: ast.Starred | ast.Await) -> Variable:
        return self.expression(node.value)

    def _choice(self, node: ast.IfExp) -> Variable:
        self.expression(node.test)
        return self.builder.merge(self.expression(node.body), self.expression(node.orelse))

    def _either(self, node: ast.BoolOp) -> Variable:
        return self.builder.merge(*[self.expression(value) for value in node.values])

    def _named(self, node: ast.NamedExpr) -> Variable:
        value = self.expression(node.value)
        self.assign(node.target, value, node.value)
        return value

    def _special(self, place: Variable, name: str, arguments: list[Argument], line: int) -> Variable:
        """Return what a method that an operator stands for gives; only instances of the project have one."""
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self._emit((Op.SPECIAL, value, place, name, arguments, self.scope.symbol, line))
        return value

    def _binary(self, node: ast.BinOp) -> Variable:
        left, right = self.expression(node.left), self.expression(node.right)
        name = _OPERATORS.get(type(node.op))
        if name is None or left == right == NOTHING:
            return NOTHING
        made = self._special(left, f"__{name}__", [("", right)], node.lineno)
        reverse = self._special(right, f"__r{name}__", [("", left)], node.lineno)
        held = self.builder.fresh()  # lists added to lists stay lists
        for side in (left, right):
            if side != NOTHING:
                self._emit((Op.CONTAINERS, held, side))
        return self.builder.merge(made, reverse, held)

    def _unary(self, node: ast.UnaryOp) -> Variable:
        self.expression(node.operand)
        return NOTHING

    def _compare(self, node: ast.Compare) -> Variable:
        left = self.expression(node.left)
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.expression(right_node)
            if isinstance(operator, ast.In | ast.NotIn):
                self._special(right, "__contains__", [("", left)], node.lineno)
            elif name := _COMPARISONS.get(type(operator)):
                self._special(left, name, [("", right)], node.lineno)
            left = right
        return NOTHING

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Variable:
        if node.elts and _is_data(node):
            return self.builder.data(self.scope.symbol, node.lineno)
        held = self.builder.container()
        for place, element in enumerate(node.elts):
            value = self.expression(element)
            key: int | str = place
            if isinstance(element, ast.Starred):
                value, key = self.element(value, node.lineno), "*"
            if value != NOTHING:
                self._emit((Op.STORE_INDEX, held, key, value, self.scope.symbol, node.lineno))
        return held

    def _dict(self, node: ast.Dict) -> Variable:
        if node.keys and _is_data(node):
            return self.builder.data(self.scope.symbol, node.lineno)
        held = self.builder.container()
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            value = self.expression(value_node)
            key: str | int | None = "*" if key_node is None else self._key(key_node)
            if key_node is None:
                value = self.element(value, node.lineno)
            if value != NOTHING:
                self._emit((Op.STORE_INDEX, held, "*" if key is None else key, value, self.scope.symbol, node.lineno))
        return held

    def element(self, value: Variable, line: int) -> Variable:
        """Return what iterating over `value` gives."""
        if value == NOTHING:
            return NOTHING
        element = self.builder.fresh()
        self._emit((Op.ELEMENT, element, value, self.scope.symbol, line))
        return element

    def _subscript(self, node: ast.Subscript) -> Variable:
        place = self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            for part in (node.slice.lower, node.slice.upper, node.slice.step):
                self.expression(part)
            self._special(place, "__getitem__", [], node.lineno)
            return place
        key = self._key(node.slice)
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self._emit((Op.INDEX, value, place, key, self.scope.symbol, node.lineno))
        return value

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Variable:
        for generator in node.generators:
            self.assign(generator.target, self.element(self.expression(generator.iter), node.lineno), None)
            for condition in generator.ifs:
                self.expression(condition)
        if isinstance(node, ast.DictComp):
            self.expression(node.key)
        value = self.expression(node.value if isinstance(node, ast.DictComp) else node.elt)
        held = self.builder.container()
        if value != NOTHING:
            self._emit((Op.STORE_INDEX, held, "*", value, self.scope.symbol, node.lineno))
        return held

    def _lambda(self, node: ast.Lambda) -> Variable:
        name = self.builder.lambda_name(self.scope.symbol)
        qualified = self.scope.prefix + name
        end = node.end_lineno or node.lineno
        symbol = self._add(SymbolFact(name, qualified, Kind.LAMBDA, node.lineno, end, self.scope.symbol))
        number = self._make(node, symbol, name, (Trait.STATIC,) if self.scope.owner != NOTHING else ())
        value = self.builder.fresh()
        self._emit((Op.FUNCTION, value, number))
        return value

    def _joined(self, node: ast.JoinedStr) -> Variable:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self._special(self.expression(part.value), "__str__", [], node.lineno)
        return self.builder.external("str")

    def _generates(self) -> FunctionFact:
        """Note that the function at hand is a generator, and return its facts."""
        number = self.scope.function
        fact = self.builder.functions[number]
        if Trait.GENERATOR not in fact.traits:
            fact = self.builder.functions[number] = fact._replace(traits=(*fact.traits, Trait.GENERATOR))
        return fact

    def _yield(self, node: ast.Yield) -> Variable:
        yields = self._generates().yields
        if node.value is not None:
            self.builder.copy(yields, self.expression(node.value))
        return NOTHING

    def _yield_from(self, node: ast.YieldFrom) -> Variable:
        value = self.expression(node.value)
        self.builder.copy(self._generates().yields, self.element(value, node.lineno))
        return NOTHING

    def _call(self, node: ast.Call) -> Variable:
        function = node.func
        is_import = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "importlib"
        plain = _name_of(function) if is_import else getattr(function, "id", "")
        if plain and (special := self._builtin_call(node, plain)) is not None:
            return special
        place = self.expression(function.value if isinstance(function, ast.Attribute) else function)
        arguments = self._arguments(node)
        if place == NOTHING and isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Constant):
            place = self.builder.fresh()  # nothing is known of it: an unresolved site, which is counted
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        where = (self.scope.symbol, node.lineno)
        if _name_of(function) in _IMPORTERS and (module := _module(node.args)):
            self._emit((Op.IMPORT, value, module, "", 0, node.lineno))
        if isinstance(function, ast.Attribute):
            self._emit((Op.CALL_METHOD, value, place, function.attr, arguments, *where))
            self._note_wrapper(function.attr, node)
            self._note_patch(function.attr, node, arguments)
        else:
            name = function.id if isinstance(function, ast.Name) else ""
            self._emit((Op.CALL, value, place, arguments, *where, name))
            self._note_wrapper(name, node)
            self._note_patch(name, node, arguments)
        return value

    def _arguments(self, node: ast.Call) -> list[Argument]:
        found = [("*" if isinstance(a, ast.Starred) else "", self.expression(a)) for a in node.args]
        return found + [(k.arg or "**", self.expression(k.value)) for k in node.keywords]

    def _note_wrapper(self, name: str, node: ast.Call) -> None:
        """`update_wrapper(inner, f)` makes inner transparent, as the decorator `wraps` does."""
        if name == "update_wrapper" and node.args and (wrapper := _name_of(node.args[0])):
            qualified = self.scope.prefix + wrapper
            for number, fact in enumerate(self.builder.functions):
                if self.builder.symbols[fact.symbol].qualified == qualified:
                    self.builder.functions[number] = fact._replace(traits=(*fact.traits, Trait.TRANSPARENT))

    def _builtin_call(self, node: ast.Call, name: str) -> Variable | None:
        """Return what `super()`, `getattr(x, "constant", default)` or an import by text gives; None for other calls."""
        if name == "super":
            return self._super(node)
        if name == "getattr" and len(node.args) > 1 and (attribute := _attribute(node.args[1])):
            if attribute.endswith("*"):
                self.expression(node.args[1])
            default = self.expression(node.args[2]) if len(node.args) > 2 else NOTHING
            place = self.expression(node.args[0])
            if place == NOTHING:
                return default
            value = self.builder.fresh()
            self._emit((Op.LOAD, value, place, attribute, self.scope.symbol, node.lineno))
            return self.builder.merge(value, default)
        if name in ("__import__", "import_module") and node.args and (module := _attribute(node.args[0])):
            return self._imported(name, module, node) if not module.endswith("*") else None
        return None

    def _imported(self, name: str, module: str, node: ast.Call) -> Variable:
        """Return the module that a call imports: `__import__("a.b")` gives `a`."""
        value = self.builder.fresh()
        path = module.lstrip(".")
        path, level = (path.partition(".")[0], 0) if name == "__import__" else (path, len(module) - len(path))
        self._emit((Op.IMPORT, value, path, "", level, node.lineno))
        return value

    def _note_patch(self, name: str, node: ast.Call, arguments: list[Argument]) -> None:
        """`setattr(x, "constant", value)`, pytest's `monkeypatch.setattr` too, assigns."""
        if name == "setattr" and len(node.args) > 2 and len(arguments) > 2 and isinstance(node.args[1], ast.Constant):
            place, value = arguments[0][1], arguments[2][1]
            if isinstance(node.args[1].value, str) and NOTHING not in (place, value):
                self._emit((Op.STORE, place, node.args[1].value, value, self.scope.symbol, node.lineno))

    def _super(self, node: ast.Call) -> Variable:
        for argument in node.args:
            self.expression(argument)
        fact = self.builder.method(self.scope)
        if fact is None or not fact.parameters:
            return NOTHING
        value = self.builder.fresh()
        self._emit((Op.SUPER, value, fact.parameters[0], fact.owner))
        return value

    # Annotations

    def annotation(self, node: ast.expr | None, depth: int = 0) -> Variable:  # noqa: PLR0911 - one per form
        """Return a variable that holds what an annotation allows, as instances."""
        if node is None or depth > _DEEPEST_ANNOTATION:
            return NOTHING
        if isinstance(node, ast.Constant):
            return self._quoted(node.value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.builder.merge(self.annotation(node.left, depth + 1), self.annotation(node.right, depth + 1))
        if isinstance(node, ast.Subscript):
            return self._generic(node, depth)
        if not isinstance(node, ast.Name | ast.Attribute) or _name_of(node) in _BUILTINS:
            return NOTHING
        kind = self.expression(node)
        if kind == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        self._emit((Op.INSTANCE, value, kind))
        return value

    def _quoted(self, text: object, depth: int) -> Variable:
        if not isinstance(text, str):
            return NOTHING
        try:
            return self.annotation(ast.parse(text, mode="eval").body, depth + 1)
        except (SyntaxError, ValueError):
            return NOTHING

    def _generic(self, node: ast.Subscript, depth: int) -> Variable:
        name = _name_of(node.value)
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
            if inside == NOTHING:
                return NOTHING
            held = self.builder.container()
            self._emit((Op.STORE_INDEX, held, "*", inside, self.scope.symbol, node.lineno))
            return held
        return self.annotation(node.value, depth + 1)

    _statements: ClassVar[dict[type[ast.AST], Callable[..., None]]] = {
        ast.Expr: _expr, ast.Assign: _assign, ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented, ast.Return: _return, ast.For: _for, ast.AsyncFor: _for,
        ast.If: _while, ast.While: _while, ast.With: _with, ast.AsyncWith: _with,
        ast.Try: _try, ast.TryStar: _try, ast.Raise: _raise, ast.Assert: _assert,
        ast.Delete: _delete, ast.Match: _match, ast.Global: _outward, ast.Nonlocal: _outward,
        ast.Import: _import, ast.ImportFrom: _import_from, ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function, ast.ClassDef: _class,
    }  # fmt: skip
    _expressions: ClassVar[dict[type[ast.AST], Callable[..., Variable]]] = {
        ast.Constant: _constant, ast.Name: _name, ast.Attribute: attribute,
        ast.Starred: _value, ast.Await: _value, ast.IfExp: _choice, ast.BoolOp: _either,
        ast.NamedExpr: _named, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compare,
        ast.List: _list, ast.Tuple: _list, ast.Set: _list, ast.Dict: _dict,
        ast.Subscript: _subscript, ast.ListComp: _comprehension, ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension, ast.DictComp: _comprehension, ast.Lambda: _lambda,
        ast.JoinedStr: _joined, ast.Yield: _yield, ast.YieldFrom: _yield_from, ast.Call: _call,
    }  # fmt: skip
