"""Link the facts of all files into edges and unresolved calls, as a pure function.

An incremental run and a full run are the same call.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from gieok.code.index.doubts import Doubts
from gieok.code.languages import places
from gieok.code.languages.language import Family
from gieok.code.languages.table import LANGUAGES
from gieok.code.model import facts as fact_file
from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, Facts, Op, SymbolKind, Trait
from gieok.code.resolve import by_name, by_receiver
from gieok.code.resolve.frozen.solution import SolutionRecorder, find_dispatched
from gieok.code.resolve.isolation import Files, isolated
from gieok.code.resolve.program import CallSite, Program, Reference
from gieok.code.resolve.solver import solve
from gieok.model.code import Edge, Symbol, UnresolvedCall, key_name, key_path, module_key

#: Version of the linker: changes whenever the edges of unchanged facts would.
RESOLVER_VERSION = 19
#: Version of facts and edges.
SHAPE = f"{fact_file.VERSION}:{RESOLVER_VERSION}"


class Certainty(IntEnum):
    """Certainty of an edge, best first. A path is as certain as its weakest edge."""

    OBSERVED = 0
    RESOLVED = 1
    UNIQUE_NAME = 2
    AMBIGUOUS = 3
    IMPORT = 4


CALLS, CONSTRUCTS, REFERENCES, INHERITS, IMPORTS = (
    "calls",
    "constructs",
    "references",
    "inherits",
    "imports",
)
#: Methods of the language's own containers, texts and files: a lone method of the project with such
#: a name proves nothing.
COMMON = frozenset(
    {name for kind in (list, dict, str, set, bytes) for name in dir(kind)}
    | set(
        """
            close read write open run send next flush readline readlines seek tell group
            match search sub findall exists mkdir info debug warning error exception log
            push forEach map filter reduce then catch test exec toString equals hashCode
            size add put get set remove contains isEmpty stream iter unwrap clone into
            expect as_str len to_string to_s to_sym to_i each inspect is_a? nil? empty?
            begin end data move ToString Add Equals
        """.split()
    )
)
#: Where more functions than this have one name, a call by that name says nothing at all.
MOST_NAMESAKES = 3
_REASONS = {
    "call": "resolved call",
    "method": "resolved method",
    "property": "property",
    "special": "operator",
    "callback": "callback",
}
#: Reason of an edge from a wrapper to the function that it was given by the function's own symbol.
GIVEN_BODY = "is given it"
#: Reason of an edge to a function that stands inside of another.
DEFINED_INSIDE = "defined inside"
#: Reason of an edge from the maker of an object to a method that a wide call reaches.
MAKES_CALLED = "makes an object that is called so"
_NAMED_AFTER = "the only one of its receiver's name"
_LAMBDA = re.compile(r"(?:(?:^|\.)<lambda\d+>)+$")


class Built(NamedTuple):
    """Graph of a project as it was built, without its symbols.

    The graph consists of the edges, the calls without a known target, and the files that are linked
    in part.
    """

    edges: tuple[Edge, ...]
    unresolved_calls: tuple[UnresolvedCall, ...]
    #: Files that the solver cannot take whole, each with the reason: their symbols are in the
    #: graph, their calls in part.
    unlinked: tuple[tuple[str, str], ...] = ()
    #: Family → what the solver found, where that was asked for and all files were linked whole.
    solutions: Mapping[str, bytes] = MappingProxyType({})


class EdgeSet:
    """Collection of edges; of several edges at one place the most certain is kept."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str, int], tuple[int, str]] = {}

    def add(self, source: str, target: str, kind: str, tier: int, reason: str, line: int) -> None:
        """Add an edge, unless a more certain one stands at its place."""
        place = (source, target, kind, line)
        known = self.found.get(place)
        if known is None or (tier, reason) < known:
            self.found[place] = (tier, reason)

    def take(self, other: "EdgeSet") -> None:
        """Add the edges of another collection."""
        for (source, target, kind, line), (tier, reason) in other.found.items():
            self.add(source, target, kind, tier, reason, line)

    def rows(self) -> list[Edge]:
        """Return the edges, sorted."""
        return sorted(
            Edge(source=s, target=t, kind=kind, tier=tier, reason=reason, line=line)
            for (s, t, kind, line), (tier, reason) in self.found.items()
        )


def fold_lambda_key(key: str) -> str:
    """Return the key of the named symbol around a function without a name."""
    if not key.endswith(">"):
        return key
    path, _, qualified = key.partition("::")
    return f"{path}::{_LAMBDA.sub('', qualified) or '<module>'}"


def build(
    files: Files,
    place: Callable[[str], str] = fold_lambda_key,
    again: Callable[[], Files] | None = None,
    *,
    is_recorded: bool = False,
) -> Built:
    """Link `files` and return edges and unresolved calls.

    Each file is taken out of the list, so that its facts are freed once they were read; `again`
    gives the files once more.

    `place` gives the key under which a body of code is shown: functions without a name have no key
    of their own, unless `place` gives them one. Each family of languages is linked alone: nothing
    of one family shows in the edges of another. With `is_recorded`, the solutions are returned too.
    """
    edges = EdgeSet()
    unresolved_calls: set[UnresolvedCall] = set()
    unlinked: list[tuple[str, str]] = []
    solutions: dict[str, bytes] = {}
    visible_keys = {key for path, facts in files for key in iter_visible_keys(path, facts, place)}
    again = again or partial(list, list(files))
    add_nested_edges(files, edges, place)
    by_family = _by_family(files)
    files.clear()
    for family in sorted(by_family, key=lambda family: family.name):
        work = partial(_link_family, family, place, is_recorded=is_recorded)
        (family_edges, calls, solution), strange = isolated(
            work, by_family.pop(family), partial(_reload_family_files, family, again)
        )
        edges.take(family_edges)
        unresolved_calls |= calls
        if strange:
            in_part, open_calls = _linked_in_part(
                family, place, again, {path for path, _ in strange}
            )
            edges.take(in_part)
            unresolved_calls |= open_calls
        elif solution:
            solutions[family.name] = solution
        unlinked += strange
    return Built(
        tuple(
            e
            for e in edges.rows()
            if e.source in visible_keys
            and e.target in visible_keys
            and (e.source != e.target or e.kind == CALLS)
        ),
        tuple(sorted(unresolved_calls)),
        tuple(sorted(unlinked)),
        solutions,
    )


def iter_visible_keys(
    path: str, facts: Facts, place: Callable[[str], str] = fold_lambda_key
) -> Iterator[str]:
    """Yield the keys of the symbols of a file that are shown.

    A function without a name is folded into the symbol around it.
    """
    for symbol in facts.symbols:
        key = f"{path}::{symbol.qualified}"
        if symbol.kind != SymbolKind.LAMBDA or place(key) == key:
            yield key


def select_graph_symbols(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the symbols that a graph holds: each key once, and none without a name.

    Of several symbols of one name the last is kept.
    """
    return [*{s.key: s for s in symbols if s.kind != SymbolKind.LAMBDA}.values()]


def _by_family(files: Files) -> dict[Family, Files]:
    """Return family → its files by path; files of one family are linked together."""
    by_family: dict[Family, Files] = defaultdict(list)
    for path, facts in sorted(files, key=lambda file: file[0]):
        if family := LANGUAGES[facts.language].family:
            by_family[family].append((path, facts))
    return by_family


def _reload_family_files(family: Family, again: Callable[[], Files]) -> Files:
    return _by_family(again())[family]


def _linked_in_part(
    family: Family, place: Callable[[str], str], again: Callable[[], Files], strange: set[str]
) -> tuple[EdgeSet, set[UnresolvedCall]]:
    """Return edges and unresolved calls of the files that could not be linked whole.

    The edges from and to these files are their imports, the links by name, and what the solver had
    found when its work on the files was given up. The values that reach a variable only grow, so a
    partial result is true.
    """
    try:
        family_edges, calls, _ = _link_family(
            family, place, _reload_family_files(family, again), is_lenient=True
        )
    # A file that breaks the solver in another way is reported as not followed.
    except Exception:  # noqa: BLE001
        return EdgeSet(), set()
    edges = EdgeSet()
    for (source, target, kind, line), (tier, reason) in family_edges.found.items():
        if key_path(source) in strange or key_path(target) in strange:
            edges.add(source, target, kind, tier, reason, line)
    return edges, {call for call in calls if key_path(call.source) in strange}


def _link_family(
    family: Family,
    place: Callable[[str], str],
    members: Files,
    *,
    is_lenient: bool = False,
    is_recorded: bool = False,
) -> tuple[EdgeSet, set[UnresolvedCall], bytes]:
    """Return the edges of one family of languages, the unresolved calls, and the solution.

    The solution is empty where it was not asked for.
    """
    edges = EdgeSet()
    names = {s.name for _, facts in members for s in facts.symbols if s.kind in DEFINITIONS}
    if family.linker is None:
        return edges, _add_named_edges(members, names, place, edges), b""
    keys = [f"{path}::{s.qualified}" for path, facts in members for s in facts.symbols]
    wrapped = {
        f"{path}::{s.qualified}"
        for path, facts in members
        for s in facts.symbols
        if Trait.WRAPPED in s.traits
    }
    recorder = SolutionRecorder(SHAPE) if is_recorded and family.linker.is_by_path else None
    linker = family.linker.of_files(members)
    program = solve(members, linker, is_lenient=is_lenient, recorder=recorder)
    placed = [place(key) for key in keys]
    unresolved_calls = _add_call_edges(program, keys, placed, names, edges, wrapped)
    add_reference_edges(program, placed, edges)
    add_class_edges(program, keys, edges)
    add_import_edges(program, edges)
    _add_dispatch_edges(program, placed, edges)
    return edges, unresolved_calls, recorder.solution if recorder else b""


def _add_call_edges(
    program: Program,
    keys: Sequence[str],
    placed: Sequence[str],
    names: set[str],
    edges: EdgeSet,
    wrapped: set[str],
) -> set[UnresolvedCall]:
    """Add an edge for every target of every site; return the unresolved calls.

    `wrapped` are the symbols whose body is handed to a wrapper.
    """
    methods: dict[str, set[str]] = defaultdict(set)
    for number, fact in enumerate(program.functions):
        key = keys[program.function_symbol[number]]
        if fact.owner != -1 and "<lambda" not in key and Trait.PROPERTY not in fact.traits:
            methods[key.rpartition(".")[2]].add(key)
    naming = Naming(
        keys=keys,
        placed=placed,
        names=names,
        wrapped=wrapped,
        methods=methods,
        named_after=by_receiver.named_after(program, keys, is_product_key),
    )
    return add_site_edges(program, naming, list_answered(program), edges)


class Naming(NamedTuple):
    """What names mean in a family of languages."""

    #: Symbol → its key, and the key under which it is shown.
    keys: Sequence[str]
    placed: Sequence[str]
    #: Names of all definitions; and the keys of symbols whose body is handed to a wrapper.
    names: Container[str]
    wrapped: Container[str]
    #: Any name → the methods that bear it.
    methods: Mapping[str, Collection[str]]
    #: Unresolved call → the function that it means by the name of its receiver.
    named_after: Mapping[CallSite, str]


def list_answered(program: Program) -> set[tuple[int, int, str]]:
    """Return (symbol, line, name) of the calls whose target is known, or known to be outside."""
    return {
        (site.symbol, site.line, _strip_call_parentheses(site.name))
        for site in program.sites
        if site.targets or site.wired
    }


def add_site_edges(
    program: Program, naming: Naming, answered: set[tuple[int, int, str]], edges: EdgeSet
) -> set[UnresolvedCall]:
    """Add the edges of the sites of a program; return the unresolved calls."""
    keys, placed, wrapped = naming.keys, naming.placed, naming.wrapped
    unresolved_calls = set[UnresolvedCall]()
    doubts = Doubts(program, keys)
    for site in program.sites:
        source = placed[site.symbol]
        doubted = doubts.of(site) if site.targets else {}
        for function in (*site.targets, *(other for other in doubted if other not in site.targets)):
            target = program.function_symbol[function]
            # the calls of a lambda are calls of its owner
            if placed[target] != source or keys[target] == source:
                sure = _rate_site_certainty(site, program, function, doubted.get(function))
                if placed[target] in wrapped and placed[target] != keys[target]:
                    sure = (sure[0], GIVEN_BODY)
                edges.add(source, placed[target], CALLS, *sure, site.line)
        if not site.targets and site.kind in ("call", "method"):
            name = _strip_call_parentheses(site.name)
            if name in naming.names and (site.symbol, site.line, name) not in answered:
                unresolved_calls.add(UnresolvedCall(source, name, site.line))
                if meant := naming.named_after.get(site):
                    edges.add(source, meant, CALLS, Certainty.UNIQUE_NAME, _NAMED_AFTER, site.line)
                else:
                    _add_namesake_edges(site, source, naming.methods, edges)
    return unresolved_calls


def _rate_site_certainty(
    site: CallSite, program: Program, function: int, doubt: str | None
) -> tuple[Certainty, str]:
    if doubt is not None:
        return Certainty.AMBIGUOUS, doubt
    if Trait.COMPUTED in program.functions[function].traits:
        return Certainty.UNIQUE_NAME, "a name that is put together"
    return Certainty.RESOLVED, _REASONS[site.kind]


def is_product_key(key: str) -> bool:
    """Return whether a symbol belongs to the product, not to tests or examples."""
    return not places.is_outside_product(key_path(key))


def _strip_call_parentheses(name: str) -> str:
    return name.removesuffix("()")  # methods of Java are told from fields by it


def _add_namesake_edges(
    site: CallSite, source: str, methods: Mapping[str, Collection[str]], edges: EdgeSet
) -> None:
    namesakes = methods[_strip_call_parentheses(site.name)]
    if (
        site.kind != "method"
        or _strip_call_parentheses(site.name) in COMMON
        or not 0 < len(namesakes) <= MOST_NAMESAKES
    ):
        return
    tier = Certainty.UNIQUE_NAME if len(namesakes) == 1 else Certainty.AMBIGUOUS
    reason = (
        "the only method of that name"
        if len(namesakes) == 1
        else f"one of {len(namesakes)} methods of that name"
    )
    for target in namesakes:
        edges.add(source, target, CALLS, tier, reason, site.line)


def _add_named_edges(
    members: Files, names: set[str], place: Callable[[str], str], edges: EdgeSet
) -> set[UnresolvedCall]:
    """Add the edges of a language whose calls are linked by name.

    Returns the calls of names that too many functions bear.
    """
    open_calls = set[UnresolvedCall]()
    for link in by_name.iter_named_links(members):
        source, count = place(link.source), len(link.targets)
        if link.op == Op.IMPORT:
            for target in link.targets:
                edges.add(source, target, IMPORTS, Certainty.IMPORT, "imported", link.line)
        elif not 0 < count <= MOST_NAMESAKES or (link.op == Op.CALL_METHOD and link.name in COMMON):
            if link.name in names:
                open_calls.add(UnresolvedCall(source, link.name, link.line))
        else:
            tier = Certainty.UNIQUE_NAME if count == 1 else Certainty.AMBIGUOUS
            reason = "by its name alone" if count == 1 else f"one of {count} of that name"
            kind = INHERITS if link.op == Op.LOAD else CALLS
            for target in link.targets:
                edges.add(source, place(target), kind, tier, reason, link.line)
    return open_calls


def add_reference_edges(program: Program, placed: Sequence[str], edges: EdgeSet) -> None:
    """Add the edges of the places where a symbol is passed on, constructed or requested."""
    for reference in program.references:
        kind, reason = (
            (CONSTRUCTS, "constructed")
            if reference.is_made
            else (REFERENCES, "handed on or asked for")
        )
        edges.add(
            placed[reference.symbol],
            placed[reference.target],
            kind,
            Certainty.RESOLVED,
            reason,
            reference.line,
        )


def add_class_edges(
    program: Program, keys: Sequence[str], edges: EdgeSet, *, first: int = 0
) -> None:
    """Add the edges from classes to their bases, from the class number `first` on."""
    for owner in range(first, len(program.class_symbol)):
        for base in program.hierarchy.bases(owner):
            edges.add(
                keys[program.class_symbol[owner]],
                keys[program.class_symbol[base]],
                INHERITS,
                Certainty.RESOLVED,
                "base class",
                0,
            )


def add_import_edges(program: Program, edges: EdgeSet) -> None:
    """Add the edges between modules."""
    for file, target_file, line in program.imports:
        edges.add(
            module_key(program.paths[file]),
            module_key(program.paths[target_file]),
            IMPORTS,
            Certainty.IMPORT,
            "imported",
            line,
        )


def add_nested_edges(files: Files, edges: EdgeSet, place: Callable[[str], str]) -> None:
    """Refer a function to the functions that are defined inside of it.

    The outer function makes the inner ones, and nobody else can. The facts are read here, not the
    symbols, because facts have every definition of a name; the stored symbols of an unchanged file
    have only one.
    """
    for path, facts in files:
        own = facts.symbols
        kinds = {s.qualified: s.kind for s in own}
        for s in own:
            if s.kind == SymbolKind.FUNCTION and s.parent >= 0:
                around = place(f"{path}::{own[s.parent].qualified}")
                if kinds.get(key_name(around)) in FUNCTIONS:
                    target = f"{path}::{s.qualified}"
                    edges.add(
                        around, target, REFERENCES, Certainty.RESOLVED, DEFINED_INSIDE, s.start
                    )


def _add_dispatch_edges(program: Program, placed: Sequence[str], edges: EdgeSet) -> None:
    """Refer the maker of an object to the object's method, where a call has too many targets.

    There the maker of the object decides which target runs. This holds for objects that are called,
    for methods of one family of classes, and for method names that are put together (`visit_` + x).
    """
    made_by: dict[int, list[Reference]] = defaultdict(list)
    for reference in program.references:
        if reference.is_made:
            made_by[reference.target].append(reference)
    for symbol, owner, prefix, line in program.computed:
        for function in program.methods(owner, prefix):
            target = placed[program.function_symbol[function]]
            edges.add(
                placed[symbol],
                target,
                REFERENCES,
                Certainty.AMBIGUOUS,
                "a name that is put together",
                line,
            )
    for owner, function in find_dispatched(program):
        target = placed[program.function_symbol[function]]
        for maker in made_by[program.class_symbol[owner]]:
            edges.add(
                placed[maker.symbol],
                target,
                REFERENCES,
                Certainty.UNIQUE_NAME,
                MAKES_CALLED,
                maker.line,
            )
