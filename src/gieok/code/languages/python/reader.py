"""Read Python into facts, by the standard library's own parser.

The parser gives exact positions and needs no dependency. The analysis is flow-insensitive: a name
is one variable in its scope. Bodies of functions are read after the scope around them, so that
names which are bound later are known. Nothing here recurses on statements of nested functions, only
on expressions.
"""

import ast
from collections.abc import Callable
from typing import ClassVar

from gieok.code.languages.python.definitions import PythonDefinitions
from gieok.code.languages.python.expressions import BRANCHES, OPERATORS, Code
from gieok.code.model.facts import NOTHING, Facts, FunctionFact, Namespace, Op, Trait, Variable


def read_python(source: str) -> Facts:
    """Return the facts of a Python file. Raises SyntaxError, ValueError, RecursionError."""
    tree = ast.parse(source)
    reader = _PythonReader(source.count("\n") + 1)
    reader.module(tree)
    return reader.builder.finish()


class _PythonReader(PythonDefinitions):
    """Reader of statements."""

    def __init__(self, lines: int) -> None:
        super().__init__(lines)
        #: (function, position) of parameters that are returned.
        self.passed: list[tuple[int, int]] = []

    def module(self, tree: ast.Module) -> None:
        self.builder.symbols[0] = self.builder.symbols[0]._replace(
            doc=ast.get_docstring(tree) or ""
        )
        self.block(tree.body)
        self.builder.code = self.builder.inner
        while self.waiting:
            function, self.scope = self.waiting.popleft()
            if isinstance(function, ast.Lambda):
                self.give(self.expression(function.body))
            else:
                self.block(function.body)
        for bound, value in self.overloads.items():
            self.builder.copy(bound, value)
        for number, value, node in self.returns:
            self._annotated_return(self.builder.functions[number], value, node)
        for number, place in sorted(set(self.passed)):
            self._given_back(number, place)
        for symbol, branches in enumerate(self.branches):
            self.builder.symbols[symbol] = self.builder.symbols[symbol]._replace(
                complexity=branches + 1
            )

    def _given_back(self, number: int, place: int) -> None:
        """Note that a function returns one of its parameters.

        Each call then gets its own argument back. A parameter that was assigned another value flows
        into the result like any variable.
        """
        fact = self.builder.functions[number]
        if fact.parameters[place] in self.assigned:
            self.builder.copy(fact.result, fact.parameters[place])
        else:
            self.builder.functions[number] = fact._replace(passes=(*fact.passes, place))

    def _annotated_return(self, fact: FunctionFact, value: Variable, node: Code) -> None:
        if Trait.GENERATOR in fact.traits or Trait.CONTEXT in fact.traits:
            self.scope = self.builder.module
            self.builder.copy(fact.yields, self.element(value, node))
        else:
            self.builder.copy(fact.result, value)

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            kind = type(statement)
            if kind in BRANCHES:
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
        name = OPERATORS.get(type(node.op))
        target = self._load_of(node.target)
        if name and target != NOTHING:
            self.special(target, f"__i{name}__", [("", value)], node)
            self.special(target, f"__{name}__", [("", value)], node)
        self.assign(node.target, value, None)

    def _load_of(self, node: ast.expr) -> Variable:
        if isinstance(node, ast.Name):
            return self.lookup(node.id)
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
        self.loop(node.target, node.iter, node)
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
            value = self.made(Op.ENTER, manager, self.scope.symbol, item.context_expr.lineno)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, None)
        self.block(node.body)

    def _try(self, node: ast.Try) -> None:
        self.block(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                caught = self.expression(handler.type)
                if handler.name and caught != NOTHING:
                    name = self.own_variable(handler.name)
                    self.emit(Op.DECLARED, name, caught)
                    self.emit(Op.DECLARED, name, self.element(caught, node))
            self.block(handler.body)
        self.block(node.orelse)
        self.block(node.finalbody)

    def _raise(self, node: ast.Raise) -> None:
        for part in (node.exc, node.cause):
            if part is not None and (value := self.expression(part)) != NOTHING:
                self.emit(Op.RAISE, value, self.scope.symbol, node.lineno)

    def _assert(self, node: ast.Assert) -> None:
        self.expression(node.test)
        if node.msg is not None:
            self.expression(node.msg)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.special(self.expression(target.value), "__delitem__", [], node)

    def _match(self, node: ast.Match) -> None:
        subject = self.expression(node.subject)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchClass):
                    self.expression(pattern.cls)
                if isinstance(pattern, ast.MatchAs) and pattern.name:
                    self.bind(pattern.name, subject)
            if case.guard is not None:
                self.expression(case.guard)
            self.block(case.body)

    def _outward(self, node: ast.Global | ast.Nonlocal) -> None:
        target: Namespace | None = (
            self.builder.module if isinstance(node, ast.Global) else self.scope.outer
        )
        for name in node.names:
            place = target
            while place is not None and place.outer is not None and name not in place.names:
                place = place.outer
            self.scope.outward[name] = place or self.builder.module

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name if alias.asname else alias.name.partition(".")[0]
            to = self.own_variable(alias.asname or top)
            self.emit(Op.IMPORT, to, top, "", 0, node.lineno)
            if top != alias.name:  # `import a.b` runs a.b too, though it binds a
                self.emit(Op.IMPORT, self.builder.fresh(), alias.name, "", 0, node.lineno)

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.emit(Op.IMPORT_ALL, node.module or "", node.level)
            else:
                to = self.own_variable(alias.asname or alias.name)
                self.emit(Op.IMPORT, to, node.module or "", alias.name, node.level, node.lineno)

    _statements: ClassVar[dict[type[ast.AST], Callable[..., None]]] = {
        ast.Expr: _expr,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Return: _return,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.If: _while,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Delete: _delete,
        ast.Match: _match,
        ast.Global: _outward,
        ast.Nonlocal: _outward,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.FunctionDef: PythonDefinitions.function,
        ast.AsyncFunctionDef: PythonDefinitions.function,
        ast.ClassDef: PythonDefinitions.class_,
    }
