"""Finds, in the source, every English text that a person may read and that no `Words` and no
`Phrase` pairs with its Korean, and the templates of all errors.

A text is found where it enters: an argument of a ValueError, a line of progress, a reason in a
result, or whatever is a sentence in a module that is listed in `said_tables`. An f-string is a
template: `{0!r}` is a value in quotes, `{0:,}` a number, `{0}` anything. What is put in and may be
a sentence itself is found too, as a template of its own.

An error of ours has a template with named values, and so has a `Phrase`: `RaisedWalk` finds these,
and the f-strings that stand where a template belongs.
"""

import ast
import gc
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.said_tables import APART, CALLS, CODE, PAIRED, PROGRAM, RESULTS, SHARED, WHOLE

SOURCE = Path(__file__).parents[2] / "src" / "gieok"
_MOST, _DEEPEST, _FEW = 24, 6, 3
_WORD = re.compile(r"[A-Za-z]{2,}")


class Hole(NamedTuple):
    """A place in a template: what is put in there is in quotes (r), a number (,), or anything."""

    kind: str


#: Calls whose first argument is a template with named values, besides the errors themselves: name →
#: the modules in which it is one, () for all.
TEMPLATED: dict[str, tuple[str, ...]] = {
    "Phrase": (),
    "bad": (),
    "failed": ("flow/service.py", "home/embedders.py", "models/onnx_folder.py"),
    "_failed": ("models/http.py", "models/onnx_folder.py"),
}
#: A place with a name in a template.
NAMED_PLACE = re.compile(r"(?<!\{)\{([a-z_]\w*)(!r)?(:[^{}\s]*)?\}(?!\})")

Parts = tuple["str | Hole", ...]
_HOLE: Parts = (Hole(""),)


def template(parts: Parts) -> str:
    """Return a text with numbered places."""
    numbers = itertools.count()
    return "".join(
        one if isinstance(one, str) else f"{{{next(numbers)}{one.kind}}}" for one in parts
    )


_CLASS = re.compile(r"^ *class (\w+)(?:\[[^\]]*\])?\(([^()]*)\):", re.MULTILINE)


def _names_of_errors() -> frozenset[str]:
    """Return the names of the classes of `GieokError`, wherever they stand."""
    bases: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        # Read as text: every worker of the tests does this while it collects them.
        for name, of in _CLASS.findall(path.read_text(encoding="utf-8")):
            bases.setdefault(name, set()).update(re.findall(r"\w+(?=\s*(?:,|\[|$))", of))
    found, before = {"GieokError"}, 0
    while len(found) != before:
        before = len(found)
        found |= {name for name, of in bases.items() if of & found}
    return frozenset(found)


ERRORS = _names_of_errors()
_NOTHING = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
_TELLING = (ast.Call, ast.ClassDef, ast.FunctionDef, ast.JoinedStr, ast.Constant)


class Module:
    """One file of the source."""

    def __init__(self, path: Path) -> None:
        self.name = path.relative_to(SOURCE).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.nodes: list[ast.AST] = [self.tree]
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes:  # which grows
            children = [
                child for child in ast.iter_child_nodes(node) if not isinstance(child, _NOTHING)
            ]
            self.parents.update(dict.fromkeys(children, node))
            self.nodes += children
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
        #: Nodes that may bring a text.
        self.telling = [one for one in self.nodes if isinstance(one, _TELLING)]
        self._own: dict[ast.FunctionDef, list[tuple[str, ast.expr]]] = {}

    @cached_property
    def constants(self) -> dict[str, list[ast.expr]]:
        """Return what names of the module and of classes are given."""
        found: dict[str, list[ast.expr]] = {}
        bodies = [
            self.tree.body,
            *(node.body for node in self.tree.body if isinstance(node, ast.ClassDef)),
        ]
        for node in itertools.chain.from_iterable(bodies):
            for name, value in _given(node):
                found.setdefault(name, []).append(value)
        return found

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node stands in, from the inside."""
        while (found := self.parents.get(node)) is not None:
            yield found
            node = found

    def inside(self, node: ast.AST) -> ast.FunctionDef | None:
        """Return the function that a node stands in."""
        return next((one for one in self.above(node) if isinstance(one, ast.FunctionDef)), None)

    def is_paired(self, node: ast.AST) -> bool:
        """Say whether a text has its Korean beside it."""
        inside = itertools.takewhile(lambda one: not isinstance(one, ast.stmt), self.above(node))
        return any(
            isinstance(one, ast.Call) and (_pairs(one) or is_templated(self.name, one))
            for one in inside
        )

    def is_sentence(self, node: ast.expr) -> bool:
        """Say whether a literal may be a sentence for a person: no docstring, type, query or part
        of another text.
        """
        above = self.parents[node]
        if isinstance(above, _NO_SENTENCE) or (
            isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Add)
        ):
            return False
        if isinstance(above, ast.Attribute) and above.attr == "split":  # words, not a sentence
            return False
        if isinstance(above, ast.keyword) and above.arg in ("name", "needed", "examples", "tool"):
            return False
        if isinstance(above, ast.Call) and getattr(above.func, "id", "") == "command":
            return False  # the name of a command
        if isinstance(above, ast.Tuple) and isinstance(
            self.parents[above], ast.keyword
        ):  # examples of a command
            return False
        pieces = getattr(node, "values", [node])
        text = "".join(str(one.value) if isinstance(one, ast.Constant) else "\0" for one in pieces)
        words = _WORD.findall(re.sub(r"`[^`]*`", "", text))
        is_part = text[:1] in (" ", ",", ";")  # of a text that is put together
        return len(words) > 1 and " " in text.strip() and not is_part and not CODE.search(text)

    def values_of(self, name: str, function: ast.FunctionDef | None) -> list[ast.expr]:
        """Return what a name may be given: in the function, else in the module."""
        if function is not None:
            if function not in self._own:
                self._own[function] = [pair for node in ast.walk(function) for pair in _given(node)]
            own = [value for key, value in self._own[function] if key == name]
            if own or any(one.arg == name for one in _parameters(function)):
                return own
        return self.constants.get(name, [])


_NO_SENTENCE = (
    ast.Expr,
    ast.JoinedStr,
    ast.arg,
    ast.Subscript,
    ast.AnnAssign,
    ast.Compare,
    ast.FunctionDef,
)


def _pairs(call: ast.Call) -> bool:
    """Say whether a call takes a message, which has its translation in the catalogue."""
    on = getattr(call.func, "value", None)
    receiver = getattr(on, "id", "") or getattr(on, "attr", "")
    if called(call) in ("of", "said"):
        return receiver == "Words"
    # `context.say`, the board of the daemon and a bare `say` take finished texts.
    is_message = called(call) == "say" and receiver not in (
        "call",
        "_call",
        "board",
        "_board",
    )
    return called(call) in PAIRED or is_message


def is_templated(module: str, call: ast.Call) -> bool:
    """Say whether a call takes a template with named values: an error, or what makes one."""
    modules = TEMPLATED.get(called(call))
    return called(call) in ERRORS or (modules is not None and (not modules or module in modules))


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _bound(target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case (
            ast.NamedExpr(target=ast.Name(id=name), value=value)
            | ast.AugAssign(target=ast.Name(id=name), value=value)
        ):
            yield name, value


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=False):
            yield from _bound(one, part)
    elif isinstance(target, ast.Tuple):
        for place, one in enumerate(target.elts):
            yield from _bound(one, ast.Subscript(value, ast.Constant(place), lineno=value.lineno))


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def called(node: ast.Call) -> str:
    """Return the name of what is called."""
    return getattr(node.func, "id", None) or getattr(node.func, "attr", None) or ""


@cache
def read_modules() -> tuple[Module, ...]:
    """Read the whole source, sorted by path; parsing it takes seconds, so once for all tests."""
    gc.disable()  # it would look through all nodes again and again, and all are kept
    try:
        return tuple(Module(path) for path in sorted(SOURCE.rglob("*.py")))
    finally:
        gc.freeze()
        gc.enable()


class Walk:
    """The whole source, and all that is found in it: template → the module and the line."""

    def __init__(self) -> None:
        self.modules = read_modules()
        self.found: dict[str, str] = {}
        self._errors = _errors(self.modules)
        self._flows: dict[tuple[str, str], set[str]] = {}
        self._seen: set[ast.expr] = set()
        self._forms: dict[type[ast.AST], Callable[[Module, Any, int], list[Parts]]] = {
            ast.Constant: self._constant,
            ast.JoinedStr: self._joined,
            ast.IfExp: self._either,
            ast.BoolOp: self._first,
            ast.NamedExpr: lambda module, node, depth: self._alternatives(
                module, node.value, depth
            ),
            ast.BinOp: self._added,
            ast.Name: self._named,
            ast.Attribute: self._attribute,
            ast.Call: self._called,
            ast.Subscript: self._subscript,
            ast.Dict: lambda module, node, depth: self._all(module, node.values, depth),
        }

    def run(self) -> dict[str, str]:
        """Walk until nothing more is known of what functions put into messages."""
        shown = [module for module in self.modules if not module.name.startswith(APART)]
        before: dict[tuple[str, str], set[str]] | None = None
        while before != self._flows:
            before = {name: set(those) for name, those in self._flows.items()}
            for module in shown:
                self._look(module)
        return self.found

    def _look(self, module: Module) -> None:
        is_whole, results = module.name.startswith(WHOLE), RESULTS.get(module.name, ())
        for node in module.telling:
            texts: Iterable[ast.expr] = ()
            if is_whole and isinstance(node, ast.JoinedStr | ast.Constant):
                texts = [node] if module.is_sentence(node) else []
            elif isinstance(node, ast.Call):
                texts = self._texts_of(module, node)
            elif isinstance(node, ast.ClassDef) and node.name in self._errors:
                texts = [
                    value for one in node.body for name, value in _given(one) if name == "hint"
                ]
            elif isinstance(node, ast.FunctionDef) and node.name in results:
                texts = _returned(node)
            for text in texts:
                self._take(module, text)

    def _texts_of(self, module: Module, call: ast.Call) -> Iterator[ast.expr]:
        name = called(call)
        wanted: tuple[int | str, ...] = (
            (0, "message", "hint") if name in self._errors else CALLS.get(name, ())
        )
        by_flow = self._flows.get((module.name, name), set()) | self._flows.get(("", name), set())
        for place, one in enumerate(call.args):
            if place in wanted or str(place) in by_flow:
                yield one
        for keyword in call.keywords:
            if keyword.arg == "hint" or keyword.arg in wanted or keyword.arg in by_flow:
                yield keyword.value

    def _take(self, module: Module, expression: ast.expr) -> None:
        if expression not in self._seen and not module.is_paired(expression):
            self._seen.add(expression)
            self._keep(module, expression, self._alternatives(module, expression, 0))

    def _keep(
        self, module: Module, node: ast.expr | ast.FormattedValue, found: Iterable[Parts]
    ) -> None:
        for parts in found:
            if _is_prose(parts):
                self.found.setdefault(template(parts), f"{module.name}:{node.lineno}")

    def _alternatives(self, module: Module, node: ast.expr, depth: int) -> list[Parts]:
        form = self._forms.get(type(node)) if depth <= _DEEPEST else None
        return form(module, node, depth) if form else [_HOLE]

    def _all(self, module: Module, nodes: Iterable[ast.expr], depth: int) -> list[Parts]:
        return [one for node in nodes for one in self._alternatives(module, node, depth)]

    def _constant(self, module: Module, node: ast.Constant, depth: int) -> list[Parts]:
        del module, depth
        return (
            [(node.value,) if node.value else ()] if isinstance(node.value, str | None) else [_HOLE]
        )

    def _either(self, module: Module, node: ast.IfExp, depth: int) -> list[Parts]:
        return self._all(module, (node.body, node.orelse), depth)

    def _first(self, module: Module, node: ast.BoolOp, depth: int) -> list[Parts]:
        before = [one for one in self._all(module, node.values[:-1], depth) if one]
        return before + self._alternatives(module, node.values[-1], depth)

    def _added(self, module: Module, node: ast.BinOp, depth: int) -> list[Parts]:
        if isinstance(node.op, ast.Mult):
            return [*self._alternatives(module, node.left, depth), ()]
        if not isinstance(node.op, ast.Add) or not _adds_text(node):
            return [_HOLE]
        return _product(
            [self._alternatives(module, side, depth) for side in (node.left, node.right)]
        )

    def _attribute(self, module: Module, node: ast.Attribute, depth: int) -> list[Parts]:
        values = (
            module.constants.get(node.attr, [])
            if getattr(node.value, "id", "") in ("self", "cls")
            else []
        )
        return [one for one in self._all(module, values, depth + 1) if one] or [_HOLE]

    def _subscript(self, module: Module, node: ast.Subscript, depth: int) -> list[Parts]:
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            rows = [row.elts for row in _rows(module, node.value) if isinstance(row, ast.Tuple)]
            return self._all(
                module,
                [row[node.slice.value] for row in rows if len(row) > node.slice.value],
                depth + 1,
            ) or [_HOLE]
        tables = [node.value] if isinstance(node.value, ast.Dict) else []
        if isinstance(node.value, ast.Name):
            tables = module.values_of(node.value.id, module.inside(node))
        held = [value for table in tables for value in _held(table, node.slice)]
        return self._all(module, held, depth + 1) or [_HOLE]

    def _named(self, module: Module, node: ast.Name, depth: int) -> list[Parts]:
        function = module.inside(node)
        if function is not None and depth <= 1:
            self._flow(module, function, node.id)
        found = list(
            dict.fromkeys(self._all(module, module.values_of(node.id, function), depth + 1))
        )
        return [one for one in found if one or _HOLE not in found] or [_HOLE]

    def _flow(self, module: Module, function: ast.FunctionDef, name: str) -> None:
        """Note that a function puts what it is given into a message: then its callers' texts are
        messages too.
        """
        for place, one in enumerate(_parameters(function)):
            is_text = one.annotation is not None and ast.unparse(one.annotation).strip(
                "\"'"
            ).startswith("str")
            is_own = function.name.startswith("_") and function.name != "__init__"
            if one.arg == name and is_text and (is_own or SHARED.get(function.name) == module.name):
                is_method = bool(function.args.args) and function.args.args[0].arg in (
                    "self",
                    "cls",
                )
                of = module.name if is_own else ""
                self._flows.setdefault((of, function.name), set()).update(
                    (str(place - is_method), name)
                )

    def _called(self, module: Module, node: ast.Call, depth: int) -> list[Parts]:
        name = called(node)
        if isinstance(node.func, ast.Attribute) and name == "format":
            return [
                _from_format(parts) for parts in self._alternatives(module, node.func.value, depth)
            ]
        if (
            isinstance(node.func, ast.Attribute)
            and name == "get"
            and isinstance(node.func.value, ast.Name)
        ):
            tables = module.values_of(node.func.value.id, module.inside(node))
            held = [value for table in tables for value in _held(table, node.args[0])]
            return self._all(module, (*held, *node.args[1:]), depth + 1) or [_HOLE]
        if name == "join" and node.args:
            self._take_joined(module, node.args[0])
        elif name in module.functions and name not in self._errors:
            returned = [
                value for function in module.functions[name] for value in _returned(function)
            ]
            return self._all(module, returned, depth + 2) or [_HOLE]
        return [_HOLE]

    def _take_joined(self, module: Module, pieces: ast.expr) -> None:
        for inner in ast.walk(pieces):
            if isinstance(inner, ast.JoinedStr | ast.Constant) and not isinstance(
                module.parents[inner], ast.JoinedStr
            ):
                self._take(module, inner)

    def _joined(self, module: Module, node: ast.JoinedStr, depth: int) -> list[Parts]:
        before = ["", *(str(getattr(one, "value", "")) for one in node.values)]
        return _product(
            [self._piece(module, *pair, depth) for pair in zip(node.values, before, strict=False)]
        )

    def _piece(self, module: Module, value: ast.expr, before: str, depth: int) -> list[Parts]:
        if isinstance(value, ast.FormattedValue):
            return self._put_in(module, value, before, depth)
        return self._alternatives(module, value, depth)

    def _put_in(
        self, module: Module, value: ast.FormattedValue, before: str, depth: int
    ) -> list[Parts]:
        if value.conversion == ord("r"):
            return [(Hole("!r"),)]
        if value.format_spec is not None:
            return (
                [(Hole(":,"),)]
                if re.search(r"[,fg%d]", ast.unparse(value.format_spec))
                else [_HOLE]
            )
        found = self._alternatives(module, value.value, depth + 1)
        is_inline = isinstance(value.value, ast.IfExp | ast.BoolOp | ast.Constant | ast.BinOp)
        is_small = all(parts != _HOLE and _words(parts) < _FEW for parts in found)
        is_one = len(found) == 1 and len(found[0]) == 1 and isinstance(found[0][0], str)
        is_part = any(parts and str(parts[0])[:1] in (" ", ",", ";") for parts in found)
        # Of a sentence, as the predicate is of `f"{place} {what}"`.
        is_part = is_part or (before == " " and _HOLE not in found)
        if is_inline or is_small or is_one or is_part:
            return found[:_MOST]
        self._keep(module, value, found)  # another message, put into this one
        return [_HOLE]


class RaisedWalk(Walk):
    """Templates of errors, of their hints and of the phrases in them; f-strings in their place."""

    def __init__(self) -> None:
        super().__init__()
        self._errors = set(ERRORS)
        self.joined: dict[str, str] = {}

    def _texts_of(self, module: Module, call: ast.Call) -> Iterator[ast.expr]:
        name = called(call)
        wanted = (0, "hint") if is_templated(module.name, call) else ()
        by_flow = self._flows.get((module.name, name), set()) | self._flows.get(("", name), set())
        for place, one in enumerate(call.args):
            if place in wanted or str(place) in by_flow:
                yield one
        for keyword in call.keywords:
            if keyword.arg in wanted or keyword.arg in by_flow:
                yield keyword.value

    def _look(self, module: Module) -> None:
        for node in module.telling:
            texts: Iterable[ast.expr] = ()
            if isinstance(node, ast.Call):
                texts = self._texts_of(module, node)
            elif isinstance(node, ast.ClassDef) and node.name in ERRORS:
                texts = [
                    value for one in node.body for name, value in _given(one) if name == "hint"
                ]
            for text in texts:
                self._take_template(module, text)

    def _take_template(self, module: Module, text: ast.expr) -> None:
        if text in self._seen:
            return
        self._seen.add(text)
        for parts in self._alternatives(module, text, 0):
            if len(parts) == 1 and isinstance(parts[0], str):
                self.found.setdefault(parts[0], f"{module.name}:{text.lineno}")

    def _joined(self, module: Module, node: ast.JoinedStr, depth: int) -> list[Parts]:
        self.joined.setdefault(ast.unparse(node), f"{module.name}:{node.lineno}")
        return super()._joined(module, node, depth)


def _rows(module: Module, looked_up: ast.expr) -> list[ast.expr]:
    """Return what may be looked up in a table of the module: `_TABLE[key]`, `_TABLE.get(key,
    …)`.
    """
    match looked_up:
        case ast.Subscript(value=ast.Name(id=name), slice=key):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[key, *_]):
            pass
        case _:
            return []
    return [value for table in module.values_of(name, None) for value in _held(table, key)]


def _errors(modules: Iterable[Module]) -> set[str]:
    """Return the names of all errors of ours; what is put into one may be a ValueError's text."""
    classes = [
        node for module in modules for node in module.nodes if isinstance(node, ast.ClassDef)
    ]
    bases = {
        one.name: {getattr(base, "id", None) or getattr(base, "attr", None) for base in one.bases}
        for one in classes
    }
    found, before = {"Exception", "ValueError"}, 0
    while len(found) != before:
        before = len(found)
        found |= {name for name, of in bases.items() if of & found}
    return found - {"Exception"} - ERRORS


def _adds_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _adds_text(node.left) or _adds_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _held(table: ast.expr, key: ast.expr) -> list[ast.expr]:
    """Return what a table that is written out holds under a key; all of it where the key is not
    known.
    """
    if not isinstance(table, ast.Dict):
        return []
    pairs = zip(table.keys, table.values, strict=True)
    known = key.value if isinstance(key, ast.Constant) else None
    return [value for one, value in pairs if known is None or getattr(one, "value", None) == known]


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [
        one.value
        for one in ast.walk(function)
        if isinstance(one, ast.Return | ast.Yield) and one.value is not None
    ]


def _product(pieces: list[list[Parts]]) -> list[Parts]:
    found: list[Parts] = []
    for chosen in itertools.islice(itertools.product(*pieces), _MOST):
        joined: list[str | Hole] = []
        for part in itertools.chain.from_iterable(chosen):
            before = joined[-1] if joined else None
            if isinstance(part, str) and isinstance(before, str):
                joined[-1] = before + part
            elif part != "":
                joined.append(part)
        found.append(tuple(joined))
    return found


def _from_format(parts: Parts) -> Parts:
    found: list[str | Hole] = []
    for part in parts:
        pieces = re.split(r"\{\w*\}", part) if isinstance(part, str) else []
        found += [] if pieces else [part]
        for place, piece in enumerate(pieces):
            found += ([Hole("")] if place else []) + ([piece] if piece else [])
    return tuple(found)


def _words(parts: Parts) -> int:
    return sum(len(_WORD.findall(part)) for part in parts if isinstance(part, str))


def _is_prose(parts: Parts) -> bool:
    """Say whether there is anything to translate: words of a language, not a name, a command or an
    address.
    """
    text = "".join(part if isinstance(part, str) else "\0" for part in parts)
    plain = re.sub(r"`[^`]*`", "\0", text)
    is_said = (
        bool(_WORD.search(plain)) and " " in plain.strip() and not re.search(r"[가-힣]", plain)
    )
    return is_said and not PROGRAM.fullmatch(text)
