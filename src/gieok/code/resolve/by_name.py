"""Link files of a language without a resolver, by name alone.

A call means the definitions of the same name, the nearest first, and its edges say so.

Facts of such a language hold `Op.CALL` (a name that is called), `Op.CALL_METHOD` (a method call on
some object), `Op.LOAD` (a base of a class) and `Op.IMPORT`; no variables.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gieok.code.model.facts import Facts, Op, SymbolKind

#: How many of a dotted name's last parts a path must end with to be meant: the first parts may be
#: the project's own.
_ENOUGH = 2


class Named(NamedTuple):
    """A name that a symbol uses at a line, and the symbols that the name may mean.

    `op` says whether the symbol calls, extends or imports them.
    """

    op: int
    source: str
    name: str
    line: int
    targets: tuple[str, ...]


def iter_named_links(files: Sequence[tuple[str, Facts]]) -> Iterator[Named]:
    """Yield every name that is called, extended or imported, with the keys it may mean.

    The keys are those of symbols of the same family of languages.
    """
    functions, classes = (
        _index_defined_names(files, (SymbolKind.FUNCTION, SymbolKind.CLASS)),
        _index_defined_names(files, (SymbolKind.CLASS,)),
    )
    methods, above = _index_defined_names(files, (SymbolKind.METHOD,)), _find_base_names(files)
    ends = _by_end(path for path, _ in files)
    for path, facts in files:
        keys = [f"{path}::{symbol.qualified}" for symbol in facts.symbols]
        for op, source, name, line in _iter_naming_rows(facts):
            targets: Sequence[str]
            if op == Op.IMPORT:
                file = _find_imported_file(path, name, ends)
                targets = (f"{file}::<module>",) if file else ()
            # the object is unknown: no place is nearer than another
            elif op == Op.CALL_METHOD:
                targets = methods.get(name, ())
            elif op == Op.LOAD:
                targets = _select_nearest_keys(path, classes.get(name, ()))
            else:
                own = _find_own_methods(path, keys[source], methods.get(name, ()), above)
                targets = own or _select_nearest_keys(path, functions.get(name, ()))
            yield Named(
                op=op,
                source=keys[source],
                name=name,
                line=line,
                targets=tuple(dict.fromkeys(targets)),
            )


def _find_base_names(files: Sequence[tuple[str, Facts]]) -> Mapping[str, set[str]]:
    """Return name of a class → names of the classes that it extends."""
    base_names: dict[str, set[str]] = defaultdict(set)
    for _, facts in files:
        for op, source, name, _ in _iter_naming_rows(facts):
            if op == Op.LOAD:
                base_names[facts.symbols[source].name].add(name)
    return base_names


def _find_own_methods(
    path: str, source: str, methods: Sequence[str], above: Mapping[str, set[str]]
) -> list[str]:
    """Return the methods that a call without an object may mean.

    They are methods of the enclosing class, else of the classes that it extends, else of the file.
    """
    around = {_find_method_class(source)}
    while more := {base for name in around for base in above.get(name, ())} - around:
        around |= more
    return [key for key in methods if _find_method_class(key) in around] or [
        key for key in methods if key.startswith(f"{path}::")
    ]


def _find_method_class(key: str) -> str:
    """Return the name of the class that contains a method."""
    return key.rpartition("::")[2].rpartition(".")[0].rpartition(".")[2]


def _iter_naming_rows(facts: Facts) -> Iterator[tuple[int, int, str, int]]:
    """Yield (instruction, symbol, name, line) for each name that a symbol uses."""
    rows: Sequence[Sequence[Any]] = (*facts.top, *facts.inner)
    for row in rows:
        if row[0] == Op.CALL:
            yield Op.CALL, row[4], row[6], row[5]
        elif row[0] == Op.CALL_METHOD:
            yield Op.CALL_METHOD, row[5], row[3], row[6]
        elif row[0] == Op.LOAD:
            yield Op.LOAD, row[4], row[3], row[5]
        elif row[0] == Op.IMPORT:
            yield Op.IMPORT, 0, row[2], row[5]


def _index_defined_names(
    files: Sequence[tuple[str, Facts]], kinds: Sequence[str]
) -> Mapping[str, list[str]]:
    """Return name → keys of the symbols of that name, in the order of paths."""
    keys_by_name: dict[str, list[str]] = defaultdict(list)
    for path, facts in files:
        for symbol in facts.symbols:
            if symbol.kind in kinds:
                keys_by_name[symbol.name.rpartition(".")[2]].append(f"{path}::{symbol.qualified}")
    return keys_by_name


def _select_nearest_keys(path: str, keys: Sequence[str]) -> Sequence[str]:
    """Return the keys of the same file, else of the same folder, else all."""
    own = [key for key in keys if key.startswith(f"{path}::")]
    folder = path.rpartition("/")[0]
    near = own or [key for key in keys if key.partition("::")[0].rpartition("/")[0] == folder]
    return near or keys


def _by_end(paths: Iterator[str]) -> Mapping[str, list[str]]:
    """Return file name, with and without suffix → files."""
    by_end: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        name = path.rpartition("/")[2]
        for end in {name, name.rpartition(".")[0]}:
            by_end[end].append(path)
    return by_end


def _find_imported_file(importer: str, module: str, ends: Mapping[str, list[str]]) -> str:
    """Return the file that a path or a dotted name means; '' for a file outside of the project."""
    slashed = module.replace("\\", "/")
    for spelling in (slashed, slashed.replace(".", "/")):
        parts = [part for part in spelling.split("/") if part not in ("", ".", "..")]
        if not parts:
            continue
        named = [path for path in ends.get(parts[-1], ()) if path != importer]
        best = sorted(named, key=lambda path: (-_count_shared_tail(path, parts), len(path), path))
        if best and _count_shared_tail(best[0], parts) >= min(len(parts), _ENOUGH):
            return best[0]
    return ""


def _count_shared_tail(path: str, parts: Sequence[str]) -> int:
    """Return how many of the last parts a path ends with."""
    own = path.rpartition(".")[0].split("/") if "." not in parts[-1] else path.split("/")
    count = 0
    while count < min(len(own), len(parts)) and own[-1 - count] == parts[-1 - count]:
        count += 1
    return count
