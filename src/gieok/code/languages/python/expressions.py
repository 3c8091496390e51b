"""Expressions of Python, and the targets of assignments."""

import ast
import builtins
from collections.abc import Callable
from typing import ClassVar

from gieok.code.languages.emission import Emission
from gieok.code.model.facts import NOTHING, Builder, FunctionFact, Op, Trait, Variable

Code = ast.expr | ast.stmt
BUILTINS = frozenset(dir(builtins))
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.BitOr: "or",
    ast.BitAnd: "and",
    ast.Mod: "mod",
    ast.FloorDiv: "floordiv",
    ast.MatMult: "matmul",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitXor: "xor",
    ast.Pow: "pow",
}
_COMPARISONS = {
    ast.Eq: "__eq__",
    ast.NotEq: "__eq__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}
BRANCHES = frozenset(
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
_SEQUENCES = (ast.List, ast.Tuple, ast.Set)
_TEXTS = (str, bytes)
#: A name with more constant texts than this does not select an attribute.
_MOST_TEXTS = 12


def read_text_constant(node: ast.expr | None) -> str | None:
    """Return the text that a node is; None for any other node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def find_last_name(node: ast.expr) -> str:
    """Return the last name of `a.b.c` or `c(...)`; '' for anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def _is_python_data(node: ast.expr) -> bool:
    """Say whether a literal holds constants only."""
    kind = type(node)
    if kind is ast.Constant:
        return True
    if isinstance(node, ast.Dict):
        return all(type(key) is ast.Constant for key in node.keys) and all(
            map(_is_python_data, node.values)
        )
    return isinstance(node, _SEQUENCES) and all(map(_is_python_data, node.elts))


class Expressions(Emission[Code]):
    """Reader of expressions; subclasses add those that call or define something (`handlers`)."""

    def __init__(self, lines: int) -> None:
        super().__init__(Builder("python", lines))
        self.branches = [0]
        #: The variables that the current statement assigns.
        self.assigned: set[Variable] = set()
        #: Variable → the constant texts that it is assigned, or that are inside its assigned value.
        self.texts: dict[Variable, list[str]] = {}

    def line(self, node: Code) -> int:
        """Return the line at which a node begins."""
        return node.lineno

    def expression(self, node: ast.expr | None) -> Variable:
        """Return the variable that holds the value of an expression."""
        if node is None:
            return NOTHING
        kind = type(node)
        if kind in BRANCHES:
            self.branches[self.scope.symbol] += 1
        handler = self.handlers.get(kind)
        return handler(self, node) if handler else NOTHING

    def lookup(self, name: str) -> Variable:
        """Return the variable that a name means here."""
        for scope in self.scope.outwards():
            if name in scope.names:
                return scope.names[name]
            if name in scope.outward:
                return self.builder.bind(scope, name)
        if name in BUILTINS:
            return self.builder.external(name)
        return self.module_variable(name)  # bound later, or by a star import

    # Targets

    def assign(self, target: ast.expr, value: Variable, source: ast.expr | None) -> None:
        """Let `value` flow into a target.

        `source` is the expression that the value came from, where it is known.
        """
        if isinstance(target, ast.Name):
            variable = self.own_variable(target.id)
            self.assigned.add(variable)
            if texts := self.texts_of(source):
                self.texts.setdefault(variable, []).extend(texts)
            self.builder.copy(variable, value)
        elif isinstance(target, ast.Attribute):
            place = self.expression(target.value)
            if place != NOTHING:  # also without a value: a property's setter is called
                self.emit(Op.STORE, place, target.attr, value, self.scope.symbol, target.lineno)
        elif isinstance(target, ast.Subscript):
            place, key = self.expression(target.value), self._key(target.slice)
            if place != NOTHING:  # also without a value: `__setitem__` is called
                self.emit(Op.STORE_INDEX, place, key, value, self.scope.symbol, target.lineno)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, None)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, source)

    def texts_of(self, node: ast.expr | None) -> list[str]:
        """Return the constant texts that an expression is, contains, or is known to hold.

        For names these are the texts that were assigned so far.
        """
        if isinstance(node, _SEQUENCES) and len(node.elts) <= _MOST_TEXTS:
            return [text for part in node.elts for text in self.texts_of(part)]
        if isinstance(node, ast.Name):
            return self.texts.get(self.lookup(node.id), [])[:_MOST_TEXTS]
        text = read_text_constant(node)
        return [] if text is None else [text]

    def _unpack(self, targets: list[ast.expr], value: Variable, source: ast.expr | None) -> None:
        parts = source.elts if isinstance(source, ast.Tuple | ast.List) else []
        if len(parts) == len(targets) and not any(
            isinstance(n, ast.Starred) for n in (*parts, *targets)
        ):
            for target, part in zip(targets, parts, strict=True):
                self.assign(target, self.expression(part), part)
            return
        for place, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                held = self.builder.container()
                self.store_index(held, "*", self.element(value, target), target)
                self.assign(target.value, held, None)
                continue
            self.assign(target, self.index(value, place, target), None)

    def _key(self, node: ast.expr) -> str | int | None:
        """Return a constant key; None where the key is not known."""
        if type(node) is not ast.Constant:
            self.expression(node)
            return None
        key = node.value
        return key if isinstance(key, str | int) and key is not True and key is not False else None

    # Values

    def _constant(self, node: ast.Constant) -> Variable:
        return self.builder.external("str") if type(node.value) in _TEXTS else NOTHING

    def _name(self, node: ast.Name) -> Variable:
        return self.lookup(node.id)

    def attribute(self, node: ast.Attribute) -> Variable:
        """Return the value of `object.name`."""
        return self.load(self.expression(node.value), node.attr, node)

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

    def _binary(self, node: ast.BinOp) -> Variable:
        left, right = self.expression(node.left), self.expression(node.right)
        name = OPERATORS.get(type(node.op))
        if name is None or left == right == NOTHING:
            return NOTHING
        result = self.special(left, f"__{name}__", [("", right)], node)
        reverse = self.special(right, f"__r{name}__", [("", left)], node)
        held = self.builder.fresh()  # lists added to lists stay lists
        for side in (left, right):
            if side != NOTHING:
                self.emit(Op.CONTAINERS, held, side)
        return self.builder.merge(result, reverse, held)

    def _unary(self, node: ast.UnaryOp) -> Variable:
        self.expression(node.operand)
        return NOTHING

    def _compare(self, node: ast.Compare) -> Variable:
        left = self.expression(node.left)
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.expression(right_node)
            if isinstance(operator, ast.In | ast.NotIn):
                self.special(right, "__contains__", [("", left)], node)
            elif name := _COMPARISONS.get(type(operator)):
                self.special(left, name, [("", right)], node)
            left = right
        return NOTHING

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Variable:
        if node.elts and _is_python_data(node):
            return self.builder.data(self.scope.symbol, node.lineno)
        held = self.builder.container()
        for place, element in enumerate(node.elts):
            value = self.expression(element)
            key: int | str = place
            if isinstance(element, ast.Starred):
                value, key = self.element(value, node), "*"
            self.store_index(held, key, value, node)
        return held

    def _dict(self, node: ast.Dict) -> Variable:
        if node.keys and _is_python_data(node):
            return self.builder.data(self.scope.symbol, node.lineno)
        held = self.builder.container()
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            value = self.expression(value_node)
            key: str | int | None = "*" if key_node is None else self._key(key_node)
            if key_node is None:
                value = self.element(value, node)
            self.store_index(held, "*" if key is None else key, value, node)
        return held

    def _subscript(self, node: ast.Subscript) -> Variable:
        place = self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            for part in (node.slice.lower, node.slice.upper, node.slice.step):
                self.expression(part)
            self.special(place, "__getitem__", [], node)
            return place
        return self.index(place, self._key(node.slice), node)

    def loop(self, target: ast.expr, iterated: ast.expr, node: Code) -> None:
        """Let a target be each element of the iterated expression."""
        value = self.element(self.expression(iterated), node)
        self.assign(target, value, iterated if isinstance(target, ast.Name) else None)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Variable:
        for generator in node.generators:
            self.loop(generator.target, generator.iter, node)
            for condition in generator.ifs:
                self.expression(condition)
        if isinstance(node, ast.DictComp):
            self.expression(node.key)
        value = self.expression(node.value if isinstance(node, ast.DictComp) else node.elt)
        held = self.builder.container()
        self.store_index(held, "*", value, node)
        return held

    def _joined(self, node: ast.JoinedStr) -> Variable:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.special(self.expression(part.value), "__str__", [], node)
        return self.builder.external("str")

    def _generates(self) -> FunctionFact:
        """Mark the function that is being read as a generator, and return its facts."""
        number = self.scope.function
        fact = self.builder.functions[number]
        if Trait.GENERATOR not in fact.traits:
            fact = self.builder.functions[number] = fact._replace(
                traits=(*fact.traits, Trait.GENERATOR)
            )
        return fact

    def _yield(self, node: ast.Yield) -> Variable:
        yields = self._generates().yields
        if node.value is not None:
            self.builder.copy(yields, self.expression(node.value))
        return NOTHING

    def _yield_from(self, node: ast.YieldFrom) -> Variable:
        value = self.expression(node.value)
        self.builder.copy(self._generates().yields, self.element(value, node))
        return NOTHING

    handlers: ClassVar[dict[type[ast.AST], Callable[..., Variable]]] = {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: attribute,
        ast.Starred: _value,
        ast.Await: _value,
        ast.IfExp: _choice,
        ast.BoolOp: _either,
        ast.NamedExpr: _named,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.Compare: _compare,
        ast.List: _list,
        ast.Tuple: _list,
        ast.Set: _list,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _comprehension,
        ast.JoinedStr: _joined,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
    }
