"""Measure how a Python package reads, beside others, and hold this one to what it has reached.

    python scripts/house.py                       this package
    python scripts/house.py src/gieok PATH …      several packages side by side
    python scripts/house.py --list doubled        the places behind a figure
    python scripts/house.py --update              write the ratchet anew (`make house`)

Lines are no measure: a ratchet on lines made people pack them. What counts is what a reader has
to hold in mind: expressions (`ast.expr` nodes outside of annotations and docstrings), names that
stand for several things, records that are filled by position, and types that hide where a call
goes.
"""

import argparse
import ast
import gc
import io
import json
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
PACKAGE = _ROOT / "src" / "gieok"
RATCHET = _ROOT / "tests" / "quality" / "house.json"
WIDTH = 100
#: Positional arguments from which a record is filled by keyword.
_MOST_POSITIONAL = 4
#: A folder may hold so many expressions more before anyone is asked.
STEP = 50
_PRAGMA = re.compile(r"\s*#\s*(?:noqa|type: ignore|pragma|pylint)\b.*$")
_RECORD_BASES = ("NamedTuple", "TypedDict", "BaseModel")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, and what."""

    path: str
    line: int
    name: str


@dataclass(slots=True)
class House:
    """What was counted in one package; each list names its places."""

    files: int = 0
    lines: int = 0
    expressions: Counter[str] = field(default_factory=Counter)
    functions: list[Place] = field(default_factory=list)
    classes: list[Place] = field(default_factory=list)
    records: list[Place] = field(default_factory=list)
    wide: list[Place] = field(default_factory=list)
    skips: list[Place] = field(default_factory=list)
    callables: list[Place] = field(default_factory=list)
    positional: list[Place] = field(default_factory=list)
    lonely: list[Place] = field(default_factory=list)

    @property
    def repeated(self) -> list[Place]:
        """Module functions whose name another module function has too."""
        return _repeated(self.functions)

    @property
    def doubled(self) -> list[Place]:
        """Classes whose name another class has too."""
        return _repeated(self.classes)

    @property
    def one_word(self) -> list[Place]:
        """Private module functions of a single word."""
        return [p for p in self.functions if p.name.startswith("_") and "_" not in p.name[1:]]

    def figures(self) -> dict[str, float]:
        """Return name of a figure → value."""
        expressions = sum(self.expressions.values())
        functions = max(1, len(self.functions))
        one_word = [p for p in self.functions if "_" not in p.name.strip("_")]
        return {
            "files": self.files,
            "lines": self.lines,
            "expressions": expressions,
            "expressions a line": round(expressions / max(1, self.lines), 2),
            f"lines over {WIDTH} columns": len(self.wide),
            "fmt: skip outside of tables": len(self.skips),
            "records per 1,000 lines": round(1000 * len(self.records) / max(1, self.lines), 1),
            "unique names of module functions, %": round(
                100 - 100 * len(self.repeated) / functions, 1
            ),
            "functions of one word, %": round(100 * len(one_word) / functions, 1),
            "private functions of one word": len(self.one_word),
            "class names that stand twice": len({p.name for p in self.doubled}),
            "callable fields": len(self.callables),
            "records filled by position": len(self.positional),
            "protocols with one implementation": len(self.lonely),
        }


def _repeated(places: Sequence[Place]) -> list[Place]:
    counted = Counter(place.name for place in places)
    return sorted((p for p in places if counted[p.name] > 1), key=lambda p: (p.name, p.path))


def measure(package: Path) -> House:
    """Measure all Python files below a folder."""
    gc.disable()  # it would look through all nodes again and again: nearly half of the time
    try:
        return _measure_files(package)
    finally:
        gc.enable()


def _measure_files(package: Path) -> House:
    house = House()
    modules: dict[str, _Module] = {}
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix()
        source = file.read_text(encoding="utf-8")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        module = modules[path] = _list_nodes(tree)
        house.files += 1
        house.lines += len(source.splitlines())
        house.expressions[str(PurePosixPath(path).parent)] += _count_expressions(module.nodes)
        _add_layout(house, path, source, tree)
        _add_definitions(house, path, module)
    aliases = _callable_aliases(modules)
    records = {node.name for module in modules.values() for node in module.records}
    for path, module in modules.items():
        _add_callable_fields(house, path, module.records, aliases)
        _add_positional(house, path, module.nodes, records)
    _add_lonely_protocols(house, modules)
    return house


class _Module(NamedTuple):
    """Parsed module, with all its nodes: walking a tree takes as long as parsing it."""

    tree: ast.Module
    nodes: list[ast.AST]
    classes: list[ast.ClassDef]
    records: list[ast.ClassDef]


def _list_nodes(tree: ast.Module) -> _Module:
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    return _Module(tree, nodes, classes, [node for node in classes if _is_record(node)])


def _count_expressions(nodes: Sequence[ast.AST]) -> int:
    """Count the expressions among all nodes of a module without annotations and docstrings."""
    counted = sum(isinstance(node, ast.expr) for node in nodes)
    for skipped in _unmeasured(nodes):
        counted -= sum(isinstance(node, ast.expr) for node in ast.walk(skipped))
    return counted


def _unmeasured(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the annotations and docstrings among nodes, of which none is inside of another."""
    for node in nodes:
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        if isinstance(node, _FUNCTIONS) and node.returns is not None:
            yield node.returns
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _add_layout(house: House, path: str, source: str, tree: ast.Module) -> None:
    for number, line in enumerate(source.splitlines(), 1):
        if len(_PRAGMA.sub("", line)) > WIDTH:
            house.wide.append(Place(path, number, line.strip()[:60]))
    tables = {
        node.end_lineno
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Tuple | ast.List | ast.Set | ast.Dict)
    }
    if "fmt: skip" not in source:
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_skip = token.type == tokenize.COMMENT and "fmt: skip" in token.string
        if is_skip and token.start[0] not in tables:
            house.skips.append(Place(path, token.start[0], token.line.strip()[:60]))


def _add_definitions(house: House, path: str, module: _Module) -> None:
    for node in module.tree.body:
        if isinstance(node, _FUNCTIONS):
            house.functions.append(Place(path, node.lineno, node.name))
    house.classes += [Place(path, node.lineno, node.name) for node in module.classes]
    house.records += [Place(path, node.lineno, node.name) for node in module.records]


def _is_record(node: ast.ClassDef) -> bool:
    decorators = map(ast.unparse, node.decorator_list)
    bases = map(ast.unparse, node.bases)
    return any("dataclass" in text for text in decorators) or any(
        base.split("(")[0].split(".")[-1] in (*_RECORD_BASES, "namedtuple") for base in bases
    )


def _callable_aliases(modules: dict[str, _Module]) -> set[str]:
    """Return names of modules' aliases of a callable type: `_Test = Callable[…]`."""
    names = {"Callable"}
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
                is_callable = ast.unparse(node.value.value).endswith("Callable")
                targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
                names.update(targets if is_callable else ())
    return names


def _add_callable_fields(
    house: House, path: str, records: Sequence[ast.ClassDef], aliases: set[str]
) -> None:
    for node in records:
        for item in node.body:
            if not isinstance(item, ast.AnnAssign):
                continue
            words = set(re.findall(r"\w+", ast.unparse(item.annotation)))
            if words & aliases:
                name = f"{node.name}.{ast.unparse(item.target)}"
                house.callables.append(Place(path, item.lineno, name))


def _add_positional(house: House, path: str, nodes: Sequence[ast.AST], records: set[str]) -> None:
    for node in nodes:
        if not isinstance(node, ast.Call) or len(node.args) <= _MOST_POSITIONAL:
            continue
        name = ast.unparse(node.func).split(".")[-1]
        if name in records:
            house.positional.append(Place(path, node.lineno, f"{name}({len(node.args)})"))


def _add_lonely_protocols(house: House, modules: dict[str, _Module]) -> None:
    """Add protocols that at most one class of the package fits, by the names of its members."""
    classes = [(path, node) for path, module in modules.items() for node in module.classes]
    by_name: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for _, node in classes:
        by_name[node.name].append(node)
    members = {id(node): _members(node, by_name, set()) for _, node in classes}
    for path, node in classes:
        wanted = members[id(node)]
        if not _is_protocol(node) or not wanted:
            continue
        fitting = [
            other
            for _, other in classes
            if not _is_protocol(other) and wanted <= members[id(other)]
        ]
        if len(fitting) == 1:
            house.lonely.append(Place(path, node.lineno, f"{node.name} ({fitting[0].name})"))


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).split("[")[0].endswith("Protocol") for base in node.bases)


def _members(
    node: ast.ClassDef, by_name: dict[str, list[ast.ClassDef]], seen: set[int]
) -> set[str]:
    if id(node) in seen:
        return set()
    seen.add(id(node))
    names: set[str] = set()
    for item in node.body:
        if isinstance(item, _FUNCTIONS):
            names.add(item.name)
            if item.name == "__init__":
                names.update(_attributes(item))
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names.add(item.target.id)
        elif isinstance(item, ast.Assign):
            names.update(target.id for target in item.targets if isinstance(target, ast.Name))
    for base in node.bases:
        for parent in by_name.get(ast.unparse(base).split("[")[0].split(".")[-1], ()):
            names |= _members(parent, by_name, seen)
    return {name for name in names if name != "__init__"}


def _attributes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        is_stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if isinstance(node, ast.Attribute) and is_stored:
            yield node.attr


def ratchet_of(house: House) -> dict[str, dict[str, int]]:
    """Return what a package is held to: figure → at most, and folder → most expressions."""
    return {
        "package": {
            "repeated function names": len(house.repeated),
            "private functions of one word": len(house.one_word),
            "doubled classes": len(house.doubled),
            "lines over 100 columns": len(house.wide),
            "fmt: skip outside of tables": len(house.skips),
            "callable fields": len(house.callables),
            "records filled by position": len(house.positional),
            "protocols with one implementation": len(house.lonely),
        },
        "expressions": {
            folder: -(-count // STEP) * STEP
            for folder, count in sorted(house.expressions.items())
            if count
        },
    }


def _print_table(houses: dict[str, House]) -> None:
    figures = {name: house.figures() for name, house in houses.items()}
    rows = list(next(iter(figures.values())))
    width = max(map(len, rows)) + 2
    print(" " * width + "".join(f"{name:>14}" for name in figures))
    for row in rows:
        print(f"{row:<{width}}" + "".join(f"{values[row]:>14,}" for values in figures.values()))


def _update(house: House) -> None:
    old = json.loads(RATCHET.read_text(encoding="utf-8")) if RATCHET.exists() else {}
    new = ratchet_of(house)
    for part, values in new.items():
        for name, value in values.items():
            before = old.get(part, {}).get(name)
            if before != value:
                print(f"{name}: {before} → {value}")
    RATCHET.write_text(json.dumps(new, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Print the table, the places behind a figure, or write the ratchet."""
    lists = ("repeated", "one_word", "doubled", "wide", "skips", "callables", "positional")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", type=Path, help="folders of packages")
    parser.add_argument("--list", choices=(*lists, "lonely"), help="print the places")
    parser.add_argument("--update", action="store_true", help="write the ratchet")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    packages = arguments.packages or [PACKAGE]
    houses = {path.resolve().name: measure(path) for path in packages}
    if arguments.update:
        _update(measure(PACKAGE))
    elif arguments.list:
        for place in getattr(next(iter(houses.values())), arguments.list):
            print(f"{place.path}:{place.line}: {place.name}")
    elif arguments.json:
        json.dump({name: house.figures() for name, house in houses.items()}, sys.stdout, indent=2)
        print()
    else:
        _print_table(houses)


if __name__ == "__main__":
    main()
