"""Links of changed files alone, where everything else is known to stay as it is.

The solution of the last whole link stands still, and the changed functions of each file run against
it: once as they were, once as they are. Where neither gives another function, class or module any
value, and nobody asked for a name that came or went, a whole link would find the same edges
everywhere else. In all other cases `None` says that everything is to be linked again.

What changed is always what changed since the whole link, so nothing adds up.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.index import graph
from gieok.code.index.alignment import (
    WITHOUT_RESULT,
    FactsAlignment,
    Folds,
    Row,
    RowLevels,
    align_facts,
    find_made_containers,
    iter_rows,
)
from gieok.code.index.graph import EdgeSet, Naming, fold_lambda_key
from gieok.code.languages.language import Family
from gieok.code.languages.table import LANGUAGES, find_source_language
from gieok.code.model.facts import (
    DEFINITIONS,
    NOTHING,
    ClassFact,
    Facts,
    FunctionFact,
    Op,
    SymbolFact,
    Trait,
    parse_facts,
)
from gieok.code.resolve import by_receiver
from gieok.code.resolve.arguments import are_arguments_followed
from gieok.code.resolve.flows import Tangled
from gieok.code.resolve.frozen.solution import Solution
from gieok.code.resolve.frozen.state import (
    Escapes,
    FrozenAttributes,
    FrozenHierarchy,
    FrozenLinker,
    FrozenNames,
    FrozenProgram,
    FrozenRows,
    Ground,
)
from gieok.code.resolve.program import FAN, FileOffsets, Program, renumber_function
from gieok.code.resolve.solver import NO_FACTS, Solver
from gieok.code.resolve.values import Value
from gieok.model.code import Edge, Symbol, UnresolvedCall

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore

#: More changed files are linked with all others: each takes a little, and a whole link renews what
#: they are compared with.
MOST_FILES = 40
_FUNCTION_VALUES = frozenset((Value.FUNCTION, Value.BOUND, Value.GENERATED, Value.MANAGER))
_STEPS_PER_INSTRUCTION = 20
#: Language of files that say what the names of imports mean.
_MANIFEST = "manifest"


class FileVersions(NamedTuple):
    """A file as the last whole link read it, with the edges and calls that it has since, and as it
    is.
    """

    path: str
    before: Facts
    after: Facts
    edges: Sequence[Edge]
    calls: Sequence[UnresolvedCall]


class FileLinks(NamedTuple):
    """Edges and unresolved calls of files; nothing else changes."""

    edges: list[Edge]
    calls: list[UnresolvedCall]


def link_locally(
    store: "ProjectStore", family: Family, solution: Solution, changed: Sequence[FileVersions]
) -> FileLinks | None:
    """Return the links of changed files; None where all files are to be linked again."""
    try:
        return _Local(store, family, solution, changed).link()
    except (Escapes, Tangled, RecursionError):
        return None


class StoredFacts(dict[str, Facts]):
    """Facts of files as they were linked: those that changed since then are given."""

    def __init__(self, store: "ProjectStore", before: Mapping[str, Facts]) -> None:
        super().__init__(before)
        self._store = store

    def __missing__(self, path: str) -> Facts:
        """Read the facts of a file that did not change."""
        ((_, text),) = self._store.facts([path])
        facts = self[path] = parse_facts(text)
        return facts


class _Changed:
    """A changed file with what differs, in the numbers of the solution."""

    def __init__(self, ground: Ground, file: FileVersions) -> None:
        self.path = file.path
        self.before, self.after = file.before, file.after
        self.links = file
        self.number = ground.file_of[file.path]
        self.bound = ground.find_offsets(self.number)
        folds = Folds(*(_fold_symbols(file.path, facts) for facts in (file.before, file.after)))
        alignment = align_facts(file.before, file.after, folds)
        if alignment is None:
            raise Escapes
        self.alignment: FactsAlignment = alignment

    def new_names(self) -> set[str]:
        return self.after.names.keys() - self.before.names.keys()

    def old_names(self) -> set[str]:
        return self.before.names.keys() - self.after.names.keys()

    def iter_moved_attributes(self) -> Iterator[tuple[int, str]]:
        """Yield (class, name) of the methods that came or went, with project-wide classes."""
        for number, known in self.alignment.classes.items():
            old, new = self.before.classes[known], self.after.classes[number]
            for name in sorted(old.attributes.keys() ^ new.attributes.keys()):
                yield self.bound.classes + known, name

    def list_moved_symbols(self) -> list[SymbolFact]:
        """Return the functions that came or went, and the classes that came."""
        before, after = self.before, self.after
        numbers = [before.functions[n].symbol for n in self.alignment.gone]
        symbols = [before.symbols[number] for number in numbers]
        numbers = [after.functions[n].symbol for n in self.alignment.come]
        numbers += [kind.symbol for _, kind in self.list_new_classes()]
        return symbols + [after.symbols[number] for number in numbers]

    def list_new_classes(self) -> list[tuple[int, ClassFact]]:
        """Return the classes that came, each with its number in the file."""
        return [
            (number, kind)
            for number, kind in enumerate(self.after.classes)
            if number not in self.alignment.classes
        ]


class _Work(NamedTuple):
    """Instructions of a file that are run, with the numbers of their operands."""

    bound: FileOffsets
    numbers: dict[str, list[int]]
    rows: RowLevels
    #: Classes that came, with their numbers.
    heads: list[tuple[int, ClassFact]]


class _Local:
    """The linking of some changed files on the ground of a solution."""

    def __init__(
        self,
        store: "ProjectStore",
        family: Family,
        solution: Solution,
        changed: Sequence[FileVersions],
    ) -> None:
        before = {file.path: file.before for file in changed}
        self._after = {file.path: file.after for file in changed}
        self._ground = Ground(solution, StoredFacts(store, before))
        self._solution = solution
        self._store = store
        self._family = family
        self._files = [_Changed(self._ground, file) for file in changed]
        files = [
            (path, NO_FACTS if _is_code_file(path) else self._facts_of(path))
            for path in solution.paths
        ]
        self._linker = FrozenLinker(family.linker or FrozenLinker, files)

    def link(self) -> FileLinks:
        """Return the links. Raises Escapes."""
        self._check_names()
        self._check_methods()
        self._check_definitions()
        self._check_gone_functions()
        self._check_size()
        removed = sum(len(f.alignment.removed.inner) for f in self._files)
        steps = self._solution.steps - _STEPS_PER_INSTRUCTION * removed
        written = self._run_removed(steps)
        programs = [
            self._run_new(steps, written, is_observing=False),
            self._run_new(steps, written, is_observing=True),
        ]
        return self._collect(programs)

    # What others may have asked for

    def _check_names(self) -> None:
        """Refuse names of modules that came or went where others may ask for them."""
        for file in self._files:
            new, old = file.new_names(), file.old_names()
            if (
                self._is_given_by_stars(file.number, new | old)
                or not new.isdisjoint(self._ground.names.get(file.number, ()))
                or not old.isdisjoint(self._ground.shared.get(file.number, ()))
            ):
                raise Escapes

    def _is_given_by_stars(self, file: int, names: set[str]) -> bool:
        """Return whether star imports of a file may give it one of some names."""
        if not names:
            return False
        return any(
            not names.isdisjoint(self._list_held_names(origin))
            for origin in self._ground.iter_star_origins(file)
        )

    def _list_held_names(self, file: int) -> set[str]:
        """Return the names that a file had or has, and those that others gave values to."""
        path, ground = self._solution.paths[file], self._ground
        asked = ground.names.get(file, {})
        return {
            *ground.read_facts(file).names,
            *self._facts_of(path).names,
            *(name for name, variable in asked.items() if ground.find_values(variable)),
        }

    def _check_methods(self) -> None:
        """Refuse methods that came or went where a class around has the name, or was asked."""
        solution = self._solution
        hierarchy = FrozenHierarchy(self._ground)
        for file in self._files:
            for owner, name in file.iter_moved_attributes():
                below = [owner, *hierarchy.descendants(owner)]
                around = {*hierarchy.linear(owner), *below} - {owner}
                if (
                    name.startswith(("__", *solution.prefixes))
                    or solution.is_mixed
                    or name in solution.declared
                    or any(name in solution.attributes[other] for other in around)
                    or any(name in self._ground.looked.get(other, ()) for other in below)
                ):
                    raise Escapes

    def _check_definitions(self) -> None:
        """Refuse definitions that came or went where an unresolved call may mean them."""
        opened = set(self._solution.open_names)
        for file in self._files:
            for symbol in file.list_moved_symbols():
                name = symbol.qualified.rpartition(".")[2]
                if {symbol.name, name} & opened and self._may_be_meant(symbol, name):
                    raise Escapes

    def _may_be_meant(self, symbol: SymbolFact, name: str) -> bool:
        """Return whether an unresolved call of a definition's name may be another call without it.

        Where receivers say by their names what is meant, any member may be the only one that is. A
        call by name alone means a method only where its name is rare.
        """
        others = [s for s in self._find_definitions(name) if s.path not in self._after]
        if symbol.name != name or not others:
            return True
        if "." not in symbol.qualified:
            return False
        linker = self._family.linker
        is_open = linker is None or linker.natives.is_open
        return is_open or not (name in graph.COMMON or self._has_many_methods(name, others))

    def _has_many_methods(self, name: str, definitions: Sequence[Symbol]) -> bool:
        """Return whether the files of some definitions have more methods of a name than a call by
        name may mean.
        """
        paths = {symbol.path for symbol in definitions}
        return len(self._collect_methods(name, paths)) > graph.MOST_NAMESAKES

    def _check_gone_functions(self) -> None:
        """Refuse functions that went where somebody else holds them."""
        solution, ground = self._solution, self._ground
        gone = {file.bound.functions + n for file in self._files for n in file.alignment.gone}
        if not gone:
            return
        allowed = {
            file.bound.variables + v for file in self._files for v in file.alignment.old_touched
        }
        for value, kind in enumerate(solution.kinds):
            if kind in _FUNCTION_VALUES and ground.first[value] in gone:
                own = sum(solution.single[variable] == value for variable in allowed)
                if solution.single.count(value) != own or any(
                    value in held and variable not in allowed
                    for variable, held in ground.iter_several()
                ):
                    raise Escapes

    def _check_size(self) -> None:
        """Refuse more or fewer functions where that decides whether arguments are followed."""
        before, *_ = self._solution.counts
        after = before + sum(len(f.alignment.come) - len(f.alignment.gone) for f in self._files)
        if are_arguments_followed(before) != are_arguments_followed(after):
            raise Escapes

    # Runs

    def _run_removed(self, steps: int) -> set[int]:
        """Run what was removed or may have had another effect; return which variables it wrote.

        Nothing reads these. Raises Escapes where others do.
        """
        program = FrozenProgram(self._ground, steps, is_observing=False)
        work: list[_Work] = []
        for file in self._files:
            numbers = self._number_old(program, file)
            _add_externals(program, file.before, numbers)
            work.append(_Work(file.bound, numbers, file.alignment.removed, []))
        self._run(program, work)
        _refuse_dispatch(program)
        return program.frozen_flows.written

    def _run_new(
        self, steps: int, written: Collection[int], *, is_observing: bool
    ) -> FrozenProgram:
        """Run what was added, or what stands beside it at the same lines."""
        program = FrozenProgram(self._ground, steps, is_observing=is_observing)
        program.frozen_flows.written.update(written)
        work: list[_Work] = []
        for file in self._files:
            numbers = self._number_new(program, file)
            self._change_names(program, file, numbers)
            _add_externals(program, file.after, numbers)
            rows = file.alignment.added
            if is_observing:
                beside = file.alignment.beside
                rows = RowLevels(*(_drop_results(program, level, numbers) for level in beside))
            heads = [(numbers["c"][number], kind) for number, kind in file.list_new_classes()]
            work.append(_Work(file.bound, numbers, rows, heads))
        self._run(program, work)
        self._check_new_classes(program)
        program.solve_finally()
        return program

    def _check_new_classes(self, program: FrozenProgram) -> None:
        """Refuse classes that came where others may hold their objects, or call their methods.

        Others do where they hold objects of a base and of all below it, or call a method that has
        no body, which stands for all that override it.
        """
        ground, hierarchy = self._ground, program.hierarchy
        for owner in range(program.first_class, len(program.class_symbol)):
            names = hierarchy.attributes[owner].keys()
            bases = [c for c in hierarchy.linear(owner) if c < program.first_class]
            if (
                not names.isdisjoint(self._solution.declared)
                or not ground.extended.isdisjoint(bases)
                or not ground.dispatched.keys().isdisjoint(bases)
                or any(self._stands_for_others(program, c, name) for c in bases for name in names)
            ):
                raise Escapes

    def _stands_for_others(self, program: FrozenProgram, owner: int, name: str) -> bool:
        """Return whether a class has a method without a body of this name."""
        functions = self._ground.held_functions(self._solution.attributes[owner].get(name))
        return any(
            Trait.ABSTRACT in traits or Trait.DECLARED in traits
            for traits in (program.functions[function].traits for function in functions)
        )

    def _run(self, program: FrozenProgram, work: Sequence[_Work]) -> None:
        """Run instructions of modules and classes, then those of functions."""
        solver = Solver(FrozenNames(program, self._linker), FrozenAttributes(program, self._ground))
        for level in (0, 1):
            program.run_modules(is_early=not level)
            for bound, numbers, rows, heads in work:
                for owner, kind in heads if not level else ():
                    solver.await_bases(owner, kind.bases, numbers["v"])
                solver.run(bound, numbers, rows[level])
            solver.drain()
        solver.settle()

    def _number_old(self, program: FrozenProgram, file: _Changed) -> dict[str, list[int]]:
        """Return the numbers of the old version's operands: what may differ has new ones."""
        facts, bound, alignment = file.before, file.bound, file.alignment
        touched = alignment.old_touched
        variables = [
            program.flows.fresh() if v in touched else bound.variables + v
            for v in range(facts.variables)
        ]
        functions = [bound.functions + n for n in range(len(facts.functions))]
        classes = [bound.classes + n for n in range(len(facts.classes))]
        for number in alignment.gone:
            fact = renumber_function(facts.functions[number], variables, classes)
            functions[number] = self._clone(program, fact, bound.symbols)
        made = find_made_containers(alignment.removed)
        return _end_numbers(
            v=variables,
            f=functions,
            c=classes,
            k=[
                program.containers.grow(1) if n in made else bound.containers + n
                for n in range(facts.containers)
            ],
            s=[bound.symbols + n for n in range(len(facts.symbols))],
        )

    def _clone(self, program: FrozenProgram, fact: FunctionFact, symbols: int) -> int:
        """Add a function that came, or one that went and whose effect is looked at.

        The fact has project-wide numbers; `symbols` is the first symbol of its file.
        """
        program.add_functions([fact], [symbols + fact.symbol])
        return len(program.functions) - 1

    def _number_new(self, program: FrozenProgram, file: _Changed) -> dict[str, list[int]]:
        """Return the numbers of the new version's operands: the old ones, where it has them."""
        facts, bound, alignment = file.after, file.bound, file.alignment
        symbols = len(program.keys)
        program.keys += [f"{file.path}::{s.qualified}" for s in facts.symbols]
        variables = [
            bound.variables + old
            if (old := alignment.variables.get(v)) is not None and v not in alignment.new_touched
            else program.flows.fresh()
            for v in range(facts.variables)
        ]
        classes = [
            bound.classes + alignment.classes[n]
            if n in alignment.classes
            else program.add_class(
                {name: variables[v] for name, v in fact.attributes.items()}, symbols + fact.symbol
            )
            for n, fact in enumerate(facts.classes)
        ]
        functions: list[int] = []
        for number, fact in enumerate(facts.functions):
            known = alignment.functions.get(number)
            moved = renumber_function(fact, variables, classes)
            functions.append(
                bound.functions + known
                if known is not None
                else self._clone(program, moved, symbols)
            )
            if fact.owner != NOTHING and fact.parameters:
                program.own_receivers.add(variables[fact.parameters[0]])
            program.named_parameters.update(
                (variables[v], name) for v, name in zip(fact.parameters, fact.names, strict=False)
            )
        return _end_numbers(
            v=variables,
            f=functions,
            c=classes,
            k=[
                bound.containers + alignment.containers[n]
                if n in alignment.containers
                else program.containers.grow(1)
                for n in range(facts.containers)
            ],
            s=[symbols + n for n in range(len(facts.symbols))],
        )

    def _change_names(
        self, program: FrozenProgram, file: _Changed, numbers: Mapping[str, list[int]]
    ) -> None:
        """Let modules and classes have the names that came, and not those that went."""
        own, variables = program.ground_names[file.number], numbers["v"]
        for name in file.old_names():
            del own[name]
        own.update({name: variables[file.after.names[name]] for name in file.new_names()})
        for number, known in file.alignment.classes.items():
            owner, fact = file.bound.classes + known, file.after.classes[number]
            before = file.before.classes[known].attributes
            if before.keys() != fact.attributes.keys():
                kept = self._solution.attributes[owner]
                program.hierarchy.attributes[owner] = {
                    **{n: v for n, v in kept.items() if n not in before or n in fact.attributes},
                    **{n: variables[v] for n, v in fact.attributes.items() if n not in before},
                }

    # Edges

    def _collect(self, programs: Sequence[FrozenProgram]) -> FileLinks:
        """Return the kept links of the changed files with those that were found anew."""
        edges = EdgeSet()
        calls: set[UnresolvedCall] = set()
        graph.add_nested_edges([(f.path, f.after) for f in self._files], edges, fold_lambda_key)
        for file in self._files:
            self._keep_links(file, edges, calls)
        answered = set.union(*(graph.list_answered(program) for program in programs))
        referred: Counter[tuple[int, int]] = Counter()
        for program in programs:
            _refuse_dispatch(program)
            naming = self._name(program)
            calls |= graph.add_site_edges(program, naming, answered, edges)
            graph.add_reference_edges(program, naming.placed, edges)
            self._add_dispatch_edges(program, naming.placed, edges)
            graph.add_import_edges(program, edges)
            graph.add_class_edges(program, program.keys, edges, first=program.first_class)
            referred.update((r.symbol, r.line) for r in program.references)
        if any(count >= FAN for count in referred.values()):
            raise Escapes
        shown = {key for f in self._files for key in graph.iter_visible_keys(f.path, f.after)}
        rows = [
            edge
            for edge in edges.rows()
            if edge.source in shown and (edge.source != edge.target or edge.kind == graph.CALLS)
        ]
        return FileLinks(rows, sorted(calls))

    def _keep_links(self, file: _Changed, edges: EdgeSet, calls: set[UnresolvedCall]) -> None:
        """Keep what the file had at lines at which nothing changed."""
        lines, changed = file.alignment.lines, file.alignment.old_places
        for edge in file.links.edges:
            place = (edge.source, edge.line)
            if edge.reason == graph.DEFINED_INSIDE:
                # it may hide a less certain edge of the same place
                row = (edge.source, edge.target, edge.kind, lines.get(place, -1))
                if place in lines and row not in edges.found:
                    raise Escapes
            elif place not in changed:
                line = lines[place] if edge.line else 0
                edges.add(edge.source, edge.target, edge.kind, edge.tier, edge.reason, line)
        for call in file.links.calls:
            if (call.source, call.line) not in changed:
                line = lines[call.source, call.line] if call.line else 0
                calls.add(call._replace(line=line))

    def _add_dispatch_edges(
        self, program: FrozenProgram, placed: Sequence[str], edges: EdgeSet
    ) -> None:
        owners = {
            self._ground.class_symbol(owner): functions
            for owner, functions in self._ground.dispatched.items()
        }
        for reference in program.references:
            for function in owners.get(reference.target, ()) if reference.is_made else ():
                edges.add(
                    placed[reference.symbol],
                    placed[program.function_symbol[function]],
                    graph.REFERENCES,
                    graph.Certainty.UNIQUE_NAME,
                    graph.MAKES_CALLED,
                    reference.line,
                )

    def _name(self, program: FrozenProgram) -> Naming:
        waiting = by_receiver.find_waiting(program)
        members: dict[tuple[str, str], set[str]] = defaultdict(set)
        for name in {site.name for site in waiting}:
            paths = {symbol.path for symbol in self._find_definitions(name)}
            for key, fact in self._iter_functions(name, paths):
                if place := by_receiver.place_member(key, fact):
                    members[place].add(key)
        return Naming(
            keys=program.keys,
            placed=FrozenRows(len(program.keys), lambda n: fold_lambda_key(program.keys[n])),
            names=_Names(self),
            wrapped=_Wrapped(self),
            methods=_Methods(self),
            named_after=by_receiver.choose_members(program, waiting, members, graph.is_product_key),
        )

    @cached_property
    def _languages(self) -> frozenset[str]:
        return frozenset(n for n, row in LANGUAGES.items() if row.family == self._family)

    # Names of all files

    def _facts_of(self, path: str) -> Facts:
        return self._after.get(path) or self._ground.facts_by_path[path]

    def _find_definitions(self, name: str) -> list[Symbol]:
        """Return the functions, methods and classes of a name in the family's files."""
        return [
            symbol
            for symbol in self._store.symbols(names=[name])
            if symbol.kind in DEFINITIONS and find_source_language(symbol.path) in self._languages
        ]

    def is_defined(self, name: str) -> bool:
        """Return whether something of a name is defined."""
        return bool(self._find_definitions(name))

    def is_wrapped(self, key: str) -> bool:
        """Return whether the body of a symbol is handed to a wrapper."""
        path, _, qualified = key.partition("::")
        return any(
            symbol.qualified == qualified and Trait.WRAPPED in symbol.traits
            for symbol in self._facts_of(path).symbols
        )

    def _iter_functions(
        self, name: str, paths: Collection[str]
    ) -> Iterator[tuple[str, FunctionFact]]:
        """Yield the functions of some files whose keys end in a name."""
        for path in sorted(paths):
            facts = self._facts_of(path)
            for fact in facts.functions:
                qualified = facts.symbols[fact.symbol].qualified
                if qualified.rpartition(".")[2] == name:
                    yield f"{path}::{qualified}", fact

    def find_methods(self, name: str) -> set[str]:
        """Return the methods of a name; of too many some."""
        return self._collect_methods(name, {s.path for s in self._find_definitions(name)})

    def _collect_methods(self, name: str, paths: Collection[str]) -> set[str]:
        methods: set[str] = set()
        for key, fact in self._iter_functions(name, paths):
            if fact.owner != NOTHING and "<lambda" not in key and Trait.PROPERTY not in fact.traits:
                methods.add(key)
                if len(methods) > graph.MOST_NAMESAKES:
                    break
        return methods


class _Names:
    """Names of definitions, looked for when they are asked for."""

    def __init__(self, local: _Local) -> None:
        self._local = local
        self._known: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        key = str(name)
        if key not in self._known:
            self._known[key] = self._local.is_defined(key)
        return self._known[key]


class _Wrapped:
    """Keys of symbols whose body is handed to a wrapper."""

    def __init__(self, local: _Local) -> None:
        self._local = local

    def __contains__(self, key: object) -> bool:
        return self._local.is_wrapped(str(key))


class _Methods(dict[str, Collection[str]]):
    """Methods by name, looked for when they are asked for."""

    def __init__(self, local: _Local) -> None:
        super().__init__()
        self._local = local

    def __missing__(self, name: str) -> Collection[str]:
        methods = self[name] = self._local.find_methods(name)
        return methods


def _refuse_dispatch(program: Program) -> None:
    """Refuse calls of names that are put together, and of more targets than are followed.

    The makers of their objects, in whatever file, refer to the targets of such a call.
    """
    if program.computed or any(len(site.targets) > FAN for site in program.sites):
        raise Escapes


def _is_code_file(path: str) -> bool:
    """Return whether a file is no manifest, by its name."""
    return find_source_language(path) != _MANIFEST


def _fold_symbols(path: str, facts: Facts) -> list[str]:
    return [fold_lambda_key(f"{path}::{symbol.qualified}") for symbol in facts.symbols]


def _end_numbers(**numbers: list[int]) -> dict[str, list[int]]:
    """Return numbers of operands, the last of each kind for the operand that means nothing."""
    return {kind: [*own, NOTHING] for kind, own in numbers.items()}


def _add_externals(program: Program, facts: Facts, numbers: Mapping[str, Sequence[int]]) -> None:
    """Note the variables of a file that hold something external and nothing else."""
    program.inert |= {
        numbers["v"][variable] for op, variable, *_ in iter_rows(facts.top) if op == Op.EXTERNAL
    }


def _drop_results(
    program: Program, rows: Sequence[Row], numbers: dict[str, list[int]]
) -> list[Row]:
    """Return instructions whose results reach nothing: they are in the solution already."""
    dropped: list[Row] = []
    for row in rows:
        op, _, *operands = row
        if op in WITHOUT_RESULT:
            dropped.append(row)
        else:
            numbers["v"].insert(-1, program.flows.fresh())
            dropped.append([op, len(numbers["v"]) - 2, *operands])
    return dropped
