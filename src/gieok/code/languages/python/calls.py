"""Calls of Python: methods, `super()`, `getattr`, imports by name, patches and wrappers."""

import ast
from collections.abc import Callable
from typing import ClassVar

from gieok.code.languages.python.expressions import Expressions, find_last_name, read_text_constant
from gieok.code.model.facts import NOTHING, Argument, Op, Trait, Variable

#: Methods of dictionaries that take a key.
_KEYED = frozenset(("get", "pop", "setdefault"))
#: Functions that import the module whose name they get.
_IMPORTERS = frozenset(("import_module", "importorskip"))


def _parse_imported_module(arguments: list[ast.expr]) -> str:
    """Return the absolute name of the module that a call imports; '' where it is not known."""
    name = _parse_attribute_name(arguments[0]) if arguments else ""
    return name if all(part.isidentifier() for part in name.split(".")) else ""


def _parse_first_key(arguments: list[ast.expr]) -> str:
    """Return the constant key of a call's first argument; '' where it is unknown or has a dot."""
    text = read_text_constant(arguments[0] if arguments else None) or ""
    return "" if "." in text else text


def _parse_attribute_name(node: ast.expr) -> str:
    """Return the name that `getattr` reads; '' where it is not known.

    A name that is put together gives `prefix*`.
    """
    if isinstance(node, ast.JoinedStr) and node.values:
        return prefix + "*" if (prefix := _parse_attribute_name(node.values[0])) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return (
            prefix + "*" if (prefix := _parse_attribute_name(node.left).partition("%")[0]) else ""
        )
    return read_text_constant(node) or ""


class CallReader(Expressions):
    """Reader of calls."""

    def _call(self, node: ast.Call) -> Variable:
        function = node.func
        is_import = (
            isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "importlib"
        )
        plain = find_last_name(function) if is_import else getattr(function, "id", "")
        if plain and (special := self._builtin_call(node, plain)) is not None:
            return special
        place = self.expression(function.value if isinstance(function, ast.Attribute) else function)
        arguments = self._arguments(node)
        if (
            isinstance(function, ast.Attribute)
            and function.attr in _KEYED
            and arguments
            and _parse_first_key(node.args[:1])
        ):
            arguments[0] = ("", self.builder.external("'" + _parse_first_key(node.args)))
        if (
            place == NOTHING
            and isinstance(function, ast.Attribute)
            and not isinstance(function.value, ast.Constant)
        ):
            # nothing is known of the callee: an unresolved site, which is counted
            place = self.builder.fresh()
        if place == NOTHING:
            return NOTHING
        value = self.builder.fresh()
        where = (self.scope.symbol, node.lineno)
        if find_last_name(function) in _IMPORTERS and (module := _parse_imported_module(node.args)):
            self.emit(Op.IMPORT, value, module, "", 0, node.lineno)
        if isinstance(function, ast.Attribute):
            self.emit(Op.CALL_METHOD, value, place, function.attr, arguments, *where)
            self._note_wrapper(function.attr, node)
            self._note_patch(function.attr, node, arguments)
        else:
            name = function.id if isinstance(function, ast.Name) else ""
            self.emit(Op.CALL, value, place, arguments, *where, name)
            self._note_wrapper(name, node)
            self._note_patch(name, node, arguments)
        return value

    def _arguments(self, node: ast.Call) -> list[Argument]:
        arguments = [
            ("*" if isinstance(a, ast.Starred) else "", self.expression(a)) for a in node.args
        ]
        return arguments + [(k.arg or "**", self.expression(k.value)) for k in node.keywords]

    def _note_wrapper(self, name: str, node: ast.Call) -> None:
        """Note that `update_wrapper(inner, f)` makes inner transparent, as the decorator `wraps`
        does.
        """
        if name == "update_wrapper" and node.args and (wrapper := find_last_name(node.args[0])):
            qualified = self.scope.prefix + wrapper
            for number, fact in enumerate(self.builder.functions):
                if self.builder.symbols[fact.symbol].qualified == qualified:
                    self.builder.functions[number] = fact._replace(
                        traits=(*fact.traits, Trait.TRANSPARENT)
                    )

    def _builtin_call(self, node: ast.Call, name: str) -> Variable | None:
        """Return the result of `super()`, `getattr(x, "constant", default)` or an import by text.

        None stands for any other call.
        """
        if name == "super":
            return self._super(node)
        if (
            name == "getattr"
            and len(node.args) > 1
            and (attribute := _parse_attribute_name(node.args[1]))
        ):
            if attribute.endswith("*"):
                self.expression(node.args[1])
            default = self.expression(node.args[2]) if len(node.args) > 2 else NOTHING
            place = self.expression(node.args[0])
            return self.builder.merge(self.load(place, attribute, node), default)
        if name == "getattr" and len(node.args) > 1 and (texts := self.texts_of(node.args[1])):
            place = self.expression(node.args[0])
            default = self.expression(node.args[2]) if len(node.args) > 2 else NOTHING
            return self.builder.merge(
                *(self.load(place, text, node) for text in dict.fromkeys(texts)), default
            )
        if (
            name in ("__import__", "import_module")
            and node.args
            and (module := _parse_attribute_name(node.args[0]))
        ):
            return self._imported(name, module, node) if not module.endswith("*") else None
        return None

    def _imported(self, name: str, module: str, node: ast.Call) -> Variable:
        """Return the module that a call imports: `__import__("a.b")` gives `a`."""
        value = self.builder.fresh()
        path = module.lstrip(".")
        path, level = (
            (path.partition(".")[0], 0) if name == "__import__" else (path, len(module) - len(path))
        )
        self.emit(Op.IMPORT, value, path, "", level, node.lineno)
        return value

    def _note_patch(self, name: str, node: ast.Call, arguments: list[Argument]) -> None:
        """Note that `setattr(x, "constant", value)` assigns; so does pytest's
        `monkeypatch.setattr`.
        """
        if name == "setattr" and len(node.args) > 2 and len(arguments) > 2:
            place, value = arguments[0][1], arguments[2][1]
            for text in (
                dict.fromkeys(self.texts_of(node.args[1])) if NOTHING not in (place, value) else ()
            ):
                self.emit(Op.STORE, place, text, value, self.scope.symbol, node.lineno)

    def _super(self, node: ast.Call) -> Variable:
        for argument in node.args:
            self.expression(argument)
        fact = self.builder.method(self.scope)
        if fact is None or not fact.parameters:
            return NOTHING
        return self.made(Op.SUPER, fact.parameters[0], fact.owner)

    handlers: ClassVar[dict[type[ast.AST], Callable[..., Variable]]] = {
        **Expressions.handlers,
        ast.Call: _call,
    }
