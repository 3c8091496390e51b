"""Finds, in the source, every English text that a person may read and that no `Words` pairs with its Korean.

A text is found where it enters: as an argument of an error, as a hint, as a line of progress, as a reason in a result, as what is
returned by a function that is listed here. An f-string is a template: `{0!r}` is a value in quotes, `{0:,}` a number, `{0}` anything.
"""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[2] / "src" / "gieok"
#: Calls whose texts a person reads, besides errors: name → which arguments, by position or keyword; () for all.
CALLS: dict[str, tuple[int | str, ...]] = {
    "Check": (0, 2, 3, "hint", "detail"),
    "Failed": (1,),
    "Option": (2, "doc", "hint"),
    "Reason": (0,),
    "Reject": (1, 3, "reason"),
    "Skipped": (1,),
    "Trial": (0, 1, 2),
    "Unfit": (0,),
    "Untrusted": (0,),
    "Unwanted": (0,),
    "Validation": (0, 2),
    "ValueError": (0,),
    "TypeError": (0,),
    "_check": (0,),
    "_schedule": (0, 1, 2, 3),
    "note": (0, 1),
    "say": (0,),
    "tell": (0,),
}
#: Paired with Korean where they stand.
PAIRED = {"Words", "words"}
#: Functions whose result a person reads, by module.
RESULTS: dict[str, tuple[str, ...]] = {
    "ops/home/doctor.py": (
        "_home", "_journal", "_accounts", "_store", "_embedder", "_reranker", "_round_trip", "_folders",
    ),
}  # fmt: skip
#: Functions that put what they are given into a message, and that other modules call: name → module.
SHARED = {
    "misunderstood": "backends/http.py",
    "failed": "backends/opening.py",
    "short": "backends/embedders/e5/room.py",
    "bad": "option.py",
    "opening": "backends/opening.py",
}
#: What models, agents, programs and developers read, and tests of ours.
APART = (
    "testing/", "surfaces/jsonrpc.py", "surfaces/mcp.py", "surfaces/qmd.py", "surfaces/hook/", "surfaces/tools.py",
    "surfaces/http/access.py", "surfaces/http/app.py", "surfaces/http/envelope.py", "surfaces/http/guards.py",
    "surfaces/http/metrics.py", "surfaces/http/problems.py", "surfaces/http/routes/", "surfaces/http/shapes.py",
    "surfaces/http/tokens.py", "capabilities/code/languages/javascript/", "capabilities/code/resolve/",
)  # fmt: skip
#: Modules in which every sentence that is no `Words` is for people, wherever it stands.
WHOLE = (
    "agents/install/", "agents/openclaw/gateway.py", "app/backups.py", "app/embedders.py", "app/encryption.py", "app/keys.py",
    "app/models.py", "app/notices.py", "app/observe.py", "backends/archives/", "backends/backups/", "backends/http.py",
    "agents/openclaw/installation.py", "backends/accounts/sql/copying.py", "backends/embedders/e5/runtime.py",
    "backends/embedders/openai.py", "backends/imports/notes.py", "backends/postgres/connection.py",
    "backends/sealers/", "backends/sqlite/driver.py", "backends/sqlite/files.py", "backends/stores/gemini/",
    "backends/stores/mirrored/", "backends/stores/postgres/reading.py", "backends/stores/sqlite/reading.py",
    "backends/stores/sql_vectors.py", "capabilities/character/reading.py", "capabilities/code/ask/executed.py",
    "capabilities/code/deepen/summarise.py", "capabilities/code/index/", "capabilities/code/languages/python/tolerant.py",
    "capabilities/code/languages/tree.py", "capabilities/code/report/validate.py", "capabilities/observe/sidecar.py",
    "ops/code/query.py", "ops/home/backup.py", "ops/home/status.py", "ops/memory/forget.py", "ops/memory/forgetting.py",
    "ops/memory/trust.py",
    "backends/embedders/e5/weights.py", "backends/embedders/ollama.py",
    "backends/generators/ollama.py", "backends/imports/chatgpt.py", "backends/imports/claude.py",
    "backends/imports/claude_mem.py", "backends/imports/json_items.py", "backends/imports/mem0.py",
    "backends/notifiers/", "backends/onnx_folder.py", "backends/rerankers/", "backends/sqlite/failures.py",
    "capabilities/code/deepen/escalation.py", "capabilities/observe/archive/move.py",
    "capabilities/observe/archive/note_file.py", "capabilities/observe/archive/sweep.py", "capabilities/observe/capture.py",
    "capabilities/observe/carried.py", "capabilities/observe/notes.py", "capabilities/observe/tail.py",
    "capabilities/observe/taking_in.py", "engine/lifecycle.py", "engine/notices.py", "engine/recall.py", "engine/service.py",
    "ops/code/model.py", "ops/home/cold.py", "ops/memory/index.py", "ops/memory/leftovers.py", "ops/memory/whereabouts.py",
    "ops/moving/", "ops/prompt/delivery.py", "ops/prompt/installed.py", "ops/prompt/recall.py", "text/encoding.py",
    "text/jsonc.py", "text/redact/own.py",
)  # fmt: skip
#: No sentence for a person: a query, an expression, a file's content, what a program prints or a model reads.
_CODE = re.compile(
    r"""\\b | \(\? | \]\| | _statement\b | \{\w*\} | ^[\[%#{<;] | \b(?:SELECT|FROM|WHERE|PRAGMA|AND|JOIN|BEGIN|UPDATE|CREATE\ TABLE)\b
    | (?i:^(?:no\ matching\ keys|no\ space\ left|too\ many\ tokens|too\ long|too\ large|maximum\ context|context\ length
    |token\ limit|text\ required|message\ required|invalid\ fts5|database\ is\ locked|on\ run\ argv|memory\ summary\ un
    |the\ key\ lies\ below|the\ lighthouse|what\ do\ we\ know|embedder:\ none|library/|answer\ with\ one\ word|say\ of\ each
    |quote,\ in\ a\ few|untrusted|---|own\.tf|name,\ is_|day,\ streak|id,\ |daemon\.log|config\.yaml|(?:\\0)?gieok\ |\.git\ |build\ dist
    |close\ read|async\ def|type\ category|insert\ into|create\ store|vault's|gieok's\ version|\0\.\ tell))""",
    re.VERBOSE,
)
#: What is a program's own, in a text that is put together.
_PROGRAM = re.compile(
    r"#.*|(?:BEGIN|SET) .*|(?:claude|codex): \0|claude auth login|codex login|archive (?:cold|approval)|gieok move .*|\0gieok trust .*"
    r"|\W*gieok \0: \0",
    re.DOTALL,
)
_MOST = 24
_WORD = re.compile(r"[A-Za-z]{2,}")


class Hole(NamedTuple):
    """A place in a template: what is put in there is in quotes (r), a number (,), or anything."""

    kind: str


Parts = tuple["str | Hole", ...]


class Found(NamedTuple):
    """A template, and where it stands."""

    template: str
    place: str


def template(parts: Parts) -> str:
    """Return a text with numbered places."""
    numbers = itertools.count()
    return "".join(
        one if isinstance(one, str) else f"{{{next(numbers)}{one.kind}}}"
        for one in parts
    )


class Module:
    """One file of the source."""

    def __init__(self, path: Path) -> None:
        self.name = path.relative_to(SOURCE).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)

    @cached_property
    def constants(self) -> dict[str, list[ast.expr]]:
        """Return what names of the module and of classes are given."""
        found: dict[str, list[ast.expr]] = {}
        bodies = [self.tree.body, *(node.body for node in self.tree.body if isinstance(node, ast.ClassDef))]
        for node in itertools.chain.from_iterable(bodies):
            for name, value in _given(node):
                found.setdefault(name, []).append(value)
        return found

    def inside(self, node: ast.AST) -> ast.FunctionDef | None:
        """Return the function that a node stands in."""
        while (node := self.parents.get(node)) is not None:  # type: ignore[assignment]
            if isinstance(node, ast.FunctionDef):
                return node
        return None

    def is_paired(self, node: ast.AST) -> bool:
        """Say whether a text has its Korean beside it."""
        while (node := self.parents.get(node)) is not None:  # type: ignore[assignment]
            if isinstance(node, ast.Call) and (
                called(node) in PAIRED or (called(node) == "say" and len(node.args) == 2)  # noqa: PLR2004 - English, Korean
            ):
                return True
            if isinstance(node, ast.stmt):
                return False
        return False

    def is_sentence(self, node: ast.expr) -> bool:
        """Say whether a literal may be a sentence for a person: no docstring, type, query or part of another text."""
        text = "".join(
            str(one.value) if isinstance(one, ast.Constant) else "\0" for one in getattr(node, "values", [node])
        )
        above = self.parents[node]
        if isinstance(above, ast.keyword) and above.arg in ("name", "needed", "examples", "tool"):
            return False
        if isinstance(above, ast.Tuple) and isinstance(self.parents[above], ast.keyword):  # examples of a command
            return False
        if isinstance(above, ast.Expr | ast.JoinedStr | ast.arg | ast.Subscript | ast.AnnAssign | ast.Compare | ast.FunctionDef):
            return False
        if isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Add):
            return False
        return len(_WORD.findall(re.sub(r"`[^`]*`", "", text))) > 1 and " " in text.strip() and not _CODE.search(text)

    def values_of(self, name: str, function: ast.FunctionDef | None) -> list[ast.expr]:
        """Return what a name may be given: in the function, else in the module."""
        if function is not None:
            own = [value for node in ast.walk(function) for key, value in _given(node) if key == name]
            if own or any(one.arg == name for one in _parameters(function)):
                return own
        return self.constants.get(name, [])


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            elif isinstance(target, ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) else []
                for one, value in zip(target.elts, values, strict=False):
                    if isinstance(one, ast.Name):
                        yield one.id, value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and isinstance(node.target, ast.Name):
        if node.value is not None:
            yield node.target.id, node.value


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def called(node: ast.Call) -> str:
    """Return the name of what is called."""
    return getattr(node.func, "id", None) or getattr(node.func, "attr", None) or ""


class Walk:
    """The whole source, and all that is found in it."""

    def __init__(self) -> None:
        self.modules = [Module(path) for path in sorted(SOURCE.rglob("*.py"))]
        self.errors = self._errors()
        self.flows: dict[tuple[str, str], set[str]] = {}
        self.found: dict[str, str] = {}
        self._seen: set[int] = set()

    def _errors(self) -> set[str]:
        found, before = {"GieokError", "Exception", "ValueError"}, 0
        classes = [n for module in self.modules for n in ast.walk(module.tree) if isinstance(n, ast.ClassDef)]
        while len(found) != before:
            before = len(found)
            bases = {c.name: {getattr(b, "id", None) or getattr(b, "attr", None) for b in c.bases} for c in classes}
            found |= {name for name, of in bases.items() if of & found}
        return found - {"Exception"}  # "ValueError" too: its text is put into an error's

    def run(self) -> dict[str, str]:
        """Return template → place: the module and the line."""
        shown = [module for module in self.modules if not module.name.startswith(APART)]
        for _ in range(4):  # a helper that calls a helper
            before = {name: set(those) for name, those in self.flows.items()}
            self._seen.clear()
            for module in shown:
                self._look(module)
            if before == self.flows:
                break
        return self.found

    def _look(self, module: Module) -> None:
        if module.name.startswith(WHOLE):
            for node in ast.walk(module.tree):
                if isinstance(node, ast.JoinedStr | ast.Constant) and module.is_sentence(node):
                    self._take(module, node)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call):
                for expression in self._texts_of(module, node):
                    self._take(module, expression)
            elif isinstance(node, ast.ClassDef) and node.name in self.errors:
                for one in node.body:
                    for name, value in _given(one):
                        if name == "hint":
                            self._take(module, value)
            elif isinstance(node, ast.FunctionDef) and node.name in RESULTS.get(module.name, ()):
                for expression in _returned(node):
                    self._take(module, expression)

    def _texts_of(self, module: Module, call: ast.Call) -> Iterator[ast.expr]:
        name = called(call)
        wanted: Iterable[int | str] = ()
        if name in self.errors:
            wanted = (0, "message", "hint")
        elif name in CALLS and not (name == "say" and len(call.args) != 1):
            wanted = CALLS[name]
        by_flow = self.flows.get((module.name, name), set()) | self.flows.get(("", name), set())
        for place, one in enumerate(call.args):
            if place in wanted or str(place) in by_flow:
                yield one
        for keyword in call.keywords:
            if keyword.arg == "hint" or keyword.arg in wanted or keyword.arg in by_flow:
                yield keyword.value

    def _take(self, module: Module, expression: ast.expr) -> None:
        if id(expression) in self._seen or module.is_paired(expression):
            return
        self._seen.add(id(expression))
        for parts in self._alternatives(module, expression, 0):
            text = template(parts)
            if _is_prose(parts):
                self.found.setdefault(text, f"{module.name}:{expression.lineno}")

    def _alternatives(self, module: Module, node: ast.expr, depth: int) -> list[Parts]:
        hole: list[Parts] = [(Hole(""),)]
        if depth > 6:  # noqa: PLR2004 - deep enough
            return hole
        match node:
            case ast.Constant(value=str(text)):
                return [(text,)] if text else [()]
            case ast.Constant(value=None):
                return [()]
            case ast.JoinedStr():
                return self._joined(module, node, depth)
            case ast.IfExp():
                return self._alternatives(module, node.body, depth) + self._alternatives(module, node.orelse, depth)
            case ast.BoolOp(values=values):
                found = [one for value in values[:-1] for one in self._alternatives(module, value, depth) if one]
                return found + self._alternatives(module, values[-1], depth)
            case ast.NamedExpr():
                return self._alternatives(module, node.value, depth)
            case ast.BinOp(op=ast.Add()) if _adds_text(node):
                return _product([self._alternatives(module, side, depth) for side in (node.left, node.right)])
            case ast.BinOp(op=ast.Mult()):
                return [*self._alternatives(module, node.left, depth), ()]
            case ast.Name():
                return self._named(module, node, depth)
            case ast.Attribute(attr=name):
                values = module.constants.get(name, []) if getattr(node.value, "id", "") in ("self", "cls") else []
                return [one for v in values for one in self._alternatives(module, v, depth + 1) if one] or hole
            case ast.Call():
                return self._call(module, node, depth)
            case ast.Subscript(value=ast.Dict(values=values)) :
                return [one for value in values for one in self._alternatives(module, value, depth)]
            case ast.Subscript(value=ast.Name(id=name), slice=key):
                those = [v for d in module.values_of(name, module.inside(node)) for v in _held(d, key)]
                return [one for value in those for one in self._alternatives(module, value, depth + 1)] or hole
        return hole

    def _named(self, module: Module, node: ast.Name, depth: int) -> list[Parts]:
        function = module.inside(node)
        if function is not None:
            for place, one in enumerate(_parameters(function)):
                if one.arg == node.id and depth <= 1:
                    self._flow(module, function, place, one)
        values = module.values_of(node.id, function)
        found = [one for value in values for one in self._alternatives(module, value, depth + 1)]
        found = list(dict.fromkeys(found))
        if (Hole(""),) in found:
            found = [one for one in found if one]
        return found or [(Hole(""),)]

    def _flow(self, module: Module, function: ast.FunctionDef, place: int, one: ast.arg) -> None:
        """Note that a function puts what it is given into a message: then its callers' texts are messages too."""
        is_text = one.annotation is not None and ast.unparse(one.annotation).strip("\"'").startswith("str")
        where = module.name if function.name.startswith("_") else SHARED.get(function.name)
        if is_text and where == module.name and function.name != "__init__":
            is_method = bool(function.args.args) and function.args.args[0].arg in ("self", "cls")
            of = where if function.name.startswith("_") else ""
            self.flows.setdefault((of, function.name), set()).update((str(place - is_method), one.arg))

    def _call(self, module: Module, node: ast.Call, depth: int) -> list[Parts]:
        hole: list[Parts] = [(Hole(""),)]
        name = called(node)
        if name == "format" and isinstance(node.func, ast.Attribute):
            found = self._alternatives(module, node.func.value, depth)
            return [_from_format(parts) for parts in found]
        if name == "get" and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            those = module.values_of(node.func.value.id, module.inside(node))
            values = [v for d in those for v in _held(d, node.args[0])]
            return [one for v in (*values, *node.args[1:]) for one in self._alternatives(module, v, depth + 1)] or hole
        if name in ("join",) and node.args:
            for inner in ast.walk(node.args[0]):
                if isinstance(inner, ast.JoinedStr | ast.Constant) and not isinstance(module.parents[inner], ast.JoinedStr):
                    self._take(module, inner)
            return hole
        if name in module.functions and name not in self.errors:
            found = [
                one for function in module.functions[name] for value in _returned(function)
                for one in self._alternatives(module, value, depth + 2)
            ]  # fmt: skip
            return found or hole
        return hole

    def _joined(self, module: Module, node: ast.JoinedStr, depth: int) -> list[Parts]:
        pieces: list[list[Parts]] = []
        for value in node.values:
            if isinstance(value, ast.Constant):
                pieces.append([(str(value.value),)])
            elif isinstance(value, ast.FormattedValue):
                pieces.append(self._put_in(module, value, depth))
        return _product(pieces)

    def _put_in(self, module: Module, value: ast.FormattedValue, depth: int) -> list[Parts]:
        if value.conversion == ord("r"):
            return [(Hole("!r"),)]
        if value.format_spec is not None:
            spec = ast.unparse(value.format_spec)
            return [(Hole(":," if re.search(r"[,f%d]", spec) else ""),)]
        found = self._alternatives(module, value.value, depth + 1)
        is_inline = isinstance(value.value, ast.IfExp | ast.BoolOp | ast.Constant | ast.BinOp)
        is_small = all(parts != (Hole(""),) and _words(parts) < 3 for parts in found)  # noqa: PLR2004
        if is_inline or is_small or len(found) == 1 and len(found[0]) == 1 and isinstance(found[0][0], str):
            return found[:_MOST]
        for parts in found:  # another message, put into this one
            if _is_prose(parts):
                self.found.setdefault(template(parts), f"{module.name}:{value.lineno}")
        return [(Hole(""),)]


def _adds_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _adds_text(node.left) or _adds_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _held(table: ast.expr, key: ast.expr) -> list[ast.expr]:
    """Return what a table that is written out holds under a key; all of it where the key is not known."""
    if not isinstance(table, ast.Dict):
        return []
    if not isinstance(key, ast.Constant):
        return table.values
    return [
        value
        for one, value in zip(table.keys, table.values, strict=True)
        if isinstance(one, ast.Constant) and one.value == key.value
    ]


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [
        n.value for n in ast.walk(function) if isinstance(n, ast.Return | ast.Yield) and n.value is not None
    ]  # fmt: skip


def _product(pieces: list[list[Parts]]) -> list[Parts]:
    found: list[Parts] = []
    for chosen in itertools.islice(itertools.product(*pieces), _MOST):
        joined: list[str | Hole] = []
        for part in itertools.chain.from_iterable(chosen):
            if joined and isinstance(part, str) and isinstance(joined[-1], str):
                joined[-1] += part
            elif part != "":
                joined.append(part)
        found.append(tuple(joined))
    return found


def _from_format(parts: Parts) -> Parts:
    found: list[str | Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            found.append(part)
            continue
        for place, piece in enumerate(re.split(r"\{\w*\}", part)):
            found += ([Hole("")] if place else []) + ([piece] if piece else [])
    return tuple(found)


def _words(parts: Parts) -> int:
    return sum(len(_WORD.findall(part)) for part in parts if isinstance(part, str))


def _is_prose(parts: Parts) -> bool:
    """Say whether there is anything to translate: two words of a language, not a name or an address."""
    text = "".join(part if isinstance(part, str) else "\0" for part in parts)
    plain = re.sub(r"`[^`]*`", "\0", text)
    is_said = bool(re.search(r"[A-Za-z]{2,}", plain)) and " " in plain.strip() and not re.search(r"[가-힣]", text)
    return is_said and not _PROGRAM.fullmatch(text)
