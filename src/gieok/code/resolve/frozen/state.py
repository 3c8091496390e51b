"""Solver state in which the values of a solution stand still.

Instructions run against it see what a whole link would show them. Where their effect could leave
the variables of their own, or where what they see depends on when they look, `Escapes` is raised,
and everything is to be linked again.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any, Generic, Self, TypeVar

from gieok.code.model.facts import Facts, FunctionFact
from gieok.code.resolve.attributes import Attributes
from gieok.code.resolve.flows import CAP, NONE, SEVERAL, Flows, Trigger
from gieok.code.resolve.frozen.solution import Solution
from gieok.code.resolve.hierarchy import Class, Hierarchy, Variable
from gieok.code.resolve.import_links import Linker, Target
from gieok.code.resolve.names import Names
from gieok.code.resolve.program import FileOffsets, Program, renumber_function
from gieok.code.resolve.values import Containers, Value, Values

_Row = TypeVar("_Row")


class Escapes(Exception):
    """Error where the effect of a change is not known to stay inside of the changed functions."""


class Ground:
    """A solution as the runs of one change share it, with the facts of files read when needed."""

    def __init__(self, solution: Solution, facts_by_path: Mapping[str, Facts]) -> None:
        self.solution = solution
        self.unread = frozenset(solution.unread)
        self.late = frozenset(solution.late)
        self.early_changed = frozenset(solution.early_changed)
        self.file_of = {path: number for number, path in enumerate(solution.paths)}
        self.facts_by_path = facts_by_path
        self.names = dict(solution.names)
        self.stars = dict(solution.stars)
        self.shared = dict(solution.shared)
        self.looked = dict(solution.looked)
        self.dispatched = dict(solution.dispatched)
        self.extended = frozenset(solution.extended)
        self.keys = {container: dict(keys) for container, keys in solution.keys}
        self.fields = {(owner, name): v for owner, name, v in solution.fields}
        self.of_functions = {(function, name): v for function, name, v in solution.of_functions}
        self.stored = {name for _, name in self.fields}
        self.asked = frozenset(solution.asked)
        ends = [*accumulate(solution.several_counts, initial=0)]
        places = zip(solution.several_variables, ends[:-1], ends[1:], strict=True)
        self._several = {variable: (first, end) for variable, first, end in places}
        #: The two parts beside each value's kind.
        self.first: list[int | str] = [*solution.first_numbers]
        self.second: list[int | str] = [*solution.second_numbers]
        for parts, names in (
            (self.first, solution.first_names),
            (self.second, solution.second_names),
        ):
            for value, name in names.items():
                parts[int(value)] = name
        self._starts = [[first[place] for first in solution.firsts] for place in range(5)]

    def iter_several(self) -> Iterator[tuple[int, "array[int]"]]:
        """Yield the variables with several values, and these."""
        values = self.solution.several_values
        for variable, (first, end) in self._several.items():
            yield variable, values[first:end]

    def read_facts(self, file: int) -> Facts:
        """Return the facts of a file as they were linked."""
        return self.facts_by_path[self.solution.paths[file]]

    def find_offsets(self, file: int) -> FileOffsets:
        """Return the first numbers of a file."""
        return FileOffsets(file, *self.solution.firsts[file])

    def locate_number(self, kind: str, number: int) -> tuple[int, int]:
        """Return the file of a project-wide number, and the number inside of the file.

        `kind` is `v`, `f`, `c`, `k` or `s`, as in the operands of instructions.
        """
        starts = self._starts["vfcks".index(kind)]
        file = bisect_right(starts, number) - 1
        return file, number - starts[file]

    def find_values(self, variable: int) -> tuple[int, ...]:
        """Return the values of a variable at the end."""
        held = self.solution.single[variable]
        if held == SEVERAL:
            first, end = self._several[variable]
            return tuple(self.solution.several_values[first:end])
        return () if held == NONE else (held,)

    def held_functions(self, variable: int | None) -> list[int]:
        """Return the functions that a variable holds at the end; empty for None."""
        values = self.find_values(variable) if variable is not None else ()
        kinds = self.solution.kinds
        return [int(self.first[v]) for v in values if kinds[v] == Value.FUNCTION]

    def count_early(self, variable: int) -> int:
        """Return how many of a variable's values were known before functions ran."""
        early = self.solution.early
        return early[variable] if variable < len(early) else 0

    def is_settled(self, variable: int) -> bool:
        """Return whether a variable had all of its values before the open questions."""
        settled = self.solution.settled
        count = settled[variable] if variable < len(settled) else 0
        return count == len(self.find_values(variable))

    def find_function(self, number: int) -> FunctionFact:
        """Return a function of the solution, with project-wide numbers."""
        file, own = self.locate_number("f", number)
        facts, bound = self.read_facts(file), self.find_offsets(file)
        variables = range(bound.variables, bound.variables + facts.variables)
        classes = range(bound.classes, bound.classes + len(facts.classes))
        return renumber_function(facts.functions[own], variables, classes)

    def function_symbol(self, number: int) -> int:
        """Return the symbol of a function."""
        file, own = self.locate_number("f", number)
        return self.find_offsets(file).symbols + self.read_facts(file).functions[own].symbol

    def class_symbol(self, number: int) -> int:
        """Return the symbol of a class."""
        file, own = self.locate_number("c", number)
        return self.find_offsets(file).symbols + self.read_facts(file).classes[own].symbol

    def build_key(self, symbol: int) -> str:
        """Return the key of a symbol."""
        file, own = self.locate_number("s", symbol)
        return f"{self.solution.paths[file]}::{self.read_facts(file).symbols[own].qualified}"

    def iter_star_origins(self, file: int) -> Iterator[int]:
        """Yield the files whose names a file gets by star imports, over other files too."""
        seen, stack = {file}, [file]
        while stack:
            for origin in self.stars.get(stack.pop(), ()):
                if origin not in seen:
                    seen.add(origin)
                    stack.append(origin)
                    yield origin

    def own_names(self, file: int) -> dict[str, int]:
        """Return the variables of a module's names."""
        base = self.find_offsets(file).variables
        own = {name: base + variable for name, variable in self.read_facts(file).names.items()}
        return own | self.names.get(file, {})


class FrozenRows(Sequence[_Row], Generic[_Row]):
    """Rows of a solution, made when they are read, with further rows behind them."""

    def __init__(self, count: int, row: Callable[[int], _Row]) -> None:
        self._count = count
        self._row = cache(row)
        self.added: list[_Row] = []

    def __len__(self) -> int:
        return self._count + len(self.added)

    def __getitem__(self, number: Any) -> Any:  # noqa: ANN401 - a number alone
        if number >= self._count:
            return self.added[number - self._count]
        return self._row(number)

    def __setitem__(self, number: int, row: _Row) -> None:
        if number < self._count:
            raise Escapes
        self.added[number - self._count] = row

    def clear(self) -> None:
        """Drop the added rows."""
        self.added.clear()

    def append(self, row: _Row) -> None:
        """Add a row."""
        self.added.append(row)

    def __iadd__(self, rows: Iterable[_Row]) -> "FrozenRows[_Row]":
        self.added += rows
        return self


class FrozenFlows(Flows):
    """Flows whose first variables hold what the solution says, for ever."""

    def __init__(self, ground: Ground, steps: int, *, is_observing: bool) -> None:
        super().__init__(steps)
        self._ground = ground
        #: Whether the instructions are part of the solution: what they add is there.
        self._is_observing = is_observing
        #: Whether instructions of modules run: they may be what gave the early values.
        self.is_early = False
        self.is_solved = False
        self.frozen = count = len(ground.solution.single)
        self._points = FrozenRows(count, ground.find_values)  # type: ignore[assignment]
        self._targets = FrozenRows(count, _hold_nothing)  # type: ignore[assignment]
        self._waits = FrozenRows(count, _hold_nothing)  # type: ignore[assignment]
        #: Variables of the solution that were read, and those that nothing reads and that would
        #: hold other values.
        self.read: set[int] = set()
        self.written: set[int] = set()

    def held(self, variable: int) -> Iterable[int]:
        """Return the values of a variable, where they are those of any time.

        While modules run, it is not known when a value came.
        """
        if variable < self.frozen and not self.is_solved:
            self._look(variable)
            known = 0 if self.is_early else self._ground.count_early(variable)
            if known != len(self._ground.find_values(variable)):
                raise Escapes
        return super().held(variable)

    def add(self, variable: int, value: int) -> None:
        """Let a variable hold a value, if that changes nothing in the solution."""
        if variable < self.frozen:
            self._admit(variable, (value,))
            return
        self._refuse_full(variable, (value,))
        super().add(variable, value)

    def add_all(self, variable: int, values: list[int]) -> None:
        """Let a variable hold values, if that changes nothing in the solution."""
        if variable < self.frozen:
            self._admit(variable, values)
            return
        self._refuse_full(variable, values)
        super().add_all(variable, values)

    def flow(self, source: int, to: int) -> None:
        """Let the values of `source` reach `to`."""
        if source == to:
            return
        if source >= self.frozen:
            super().flow(source, to)
            return
        self._look(source)
        if known := self._ground.find_values(source):
            self.add_all(to, [*known])

    def wait(self, variable: int, trigger: Trigger) -> None:
        """Call `trigger` with every value of a variable."""
        if variable >= self.frozen:
            super().wait(variable, trigger)
            return
        self._look(variable)
        known = self._ground.find_values(variable)
        self._spend(len(known))
        self.due += [(value, trigger) for value in reversed(known)]

    def _look(self, variable: int) -> None:
        """Note that a variable of the solution is read, whose values must be those of any time."""
        if self.is_solved:
            return
        if variable in self.written or not self._ground.is_settled(variable):
            raise Escapes
        self.read.add(variable)

    def _admit(self, variable: int, values: Collection[int]) -> None:
        """Let values be added that were there before, or where nothing reads them."""
        if self._is_observing:
            return
        early = 0 if self.is_early else self._ground.count_early(variable)
        known = self._ground.find_values(variable)[:early]
        if all(value in known for value in values):
            return
        if variable not in self._ground.unread or variable in self.read:
            raise Escapes
        self.written.add(variable)

    def _refuse_full(self, variable: int, values: Collection[int]) -> None:
        """Refuse more values than a variable may hold: which are kept depends on their order."""
        known = self._points[variable] or ()
        if len({*known, *values}) > CAP:
            raise Escapes


def _hold_nothing(number: int) -> None:
    del number


class FrozenContainers(Containers):
    """Containers of which those of the solution keep their keys."""

    def __init__(self, flows: FrozenFlows, values: Values, ground: Ground) -> None:
        super().__init__(flows, values)
        keys = ground.keys
        self._frozen = count = ground.solution.counts[2]
        self._keys = FrozenRows(count, lambda container: keys.get(container, {}))  # type: ignore[assignment]
        self._any = FrozenRows(count, lambda container: ground.solution.any_of[container])  # type: ignore[assignment]

    def has(self, container: int, key: str) -> bool:
        """Return whether a value was stored or read under a key, at any time."""
        is_there = super().has(container, key)
        if is_there and container < self._frozen:  # perhaps since later, or by what is removed
            raise Escapes
        return is_there

    def key(self, container: int, key: str | int) -> int:
        """Return the variable of one key, which a container of the solution has already."""
        if container < self._frozen:
            kept = "*" if isinstance(key, int) and key > CAP else key
            if kept not in self._keys[container]:
                raise Escapes
        return super().key(container, key)


class FrozenHierarchy(Hierarchy):
    """Class hierarchy in which the classes of the solution do not change."""

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        solution = ground.solution
        self.attributes = [*solution.attributes]
        self._bases = [*solution.bases]
        self._frozen = len(self._bases)
        for owner, bases in enumerate(solution.bases):
            for base in bases:
                self._subclasses[base].append(owner)
        self.outside = set(solution.outside)
        self._late = ground.late
        self._early_changed = ground.early_changed
        #: Whether instructions of modules run, while classes may get their bases.
        self.is_early = False
        self.is_solved = False

    def inherit(self, owner: Class, base: Class, place: int) -> bool:
        """Refuse a new base of a class of the solution."""
        if owner >= self._frozen:
            return super().inherit(owner, base, place)
        if base not in self._bases[owner]:
            raise Escapes
        return False

    def leave(self, owner: Class) -> None:
        """Refuse a new external base of a class of the solution."""
        if owner >= self._frozen:
            super().leave(owner)
        elif owner not in self.outside:
            raise Escapes

    def define(self, owner: Class, name: str, variable: Variable) -> None:
        """Refuse a new attribute of a class of the solution."""
        if owner < self._frozen:
            raise Escapes
        super().define(owner, name, variable)

    def linear(self, owner: Class) -> tuple[Class, ...]:
        """Return the class and its bases, where they are those of any time."""
        self._check(owner)
        return super().linear(owner)

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Yield every subclass, where they are those of any time."""
        for child in super().descendants(owner):
            self._check(child)
            yield child

    def _check(self, owner: Class) -> None:
        is_open = owner in self._late or (self.is_early and owner in self._early_changed)
        if is_open and not self.is_solved:
            raise Escapes


class FrozenAttributes(Attributes):
    """Attributes of which those of the solution keep their variables."""

    def __init__(self, program: Program, ground: Ground) -> None:
        super().__init__(program)
        self.fields = dict(ground.fields)
        self.of_functions = dict(ground.of_functions)
        self._stored = set(ground.stored)
        self._ground = ground

    def field(self, owner: int, name: str) -> int:
        """Return the variable of an instance's attribute; nobody may ask for a new one."""
        if name not in self._stored and name in self._ground.asked:
            raise Escapes
        return super().field(owner, name)

    def of_function(self, function: int, name: str) -> int:
        """Return the variable of a function's attribute."""
        is_known = (function, name) in self.of_functions
        if name == "?" and not is_known and function < self._ground.solution.counts[0]:
            raise Escapes
        return super().of_function(function, name)

    def settle(self) -> None:
        """Give the values of unknown names to what these runs alone read."""
        known = self._ground.of_functions
        own = {place: held for place, held in self.of_functions.items() if place not in known}
        if any((function, "?") in known for function, _ in own):
            raise Escapes
        self.of_functions = own
        super().settle()


class FrozenNames(Names):
    """Names of modules as the solution has them."""

    program: "FrozenProgram"

    def __init__(self, program: "FrozenProgram", linker: Linker) -> None:
        super().__init__(program, linker, [])
        self.own = program.ground_names  # type: ignore[assignment]
        self.stars = program.ground.stars

    def variable(self, file: int, name: str) -> int:
        """Return the variable of a module's name, which one star import at most gives.

        Which of several values is kept could depend on the order of the imports.
        """
        own = self.own[file]
        if name not in own:
            given = self._find_given(file, name)
            if len(given) > 1:
                raise Escapes
            own[name] = self.flows.fresh()
            for variable in given:
                self.flows.flow(variable, own[name])
        return own[name]

    def _find_given(self, file: int, name: str) -> list[int]:
        """Return the variables from which star imports give a file a name.

        A file that has the name has it from its own star imports too.
        """
        given: list[int] = []
        seen, stack = {file}, [file]
        while stack:
            for origin in self.stars.get(stack.pop(), ()):
                if origin in seen:
                    continue
                seen.add(origin)
                variable = self.own[origin].get(name)
                if variable is not None and self.program.may_hold(variable):
                    given.append(variable)
                else:
                    stack.append(origin)
        return given

    def is_bound(self, file: int, name: str) -> bool:
        """Return that a name never holds a value: when it does is not known."""
        if [*self.flows.held(self.variable(file, name))]:
            raise Escapes
        return False

    def bring_all(self, file: int, origin: int) -> None:
        """Refuse a star import."""
        del file, origin
        raise Escapes

    def read_package(self, space: str, name: str, to: int) -> None:
        """Refuse a name of a package, which depends on all imports."""
        del space, name, to
        raise Escapes


class FrozenLinker(Linker):
    """Linker of a family as paths and manifests tell it."""

    def __init__(self, family: type[Linker], files: Sequence[tuple[str, Facts]]) -> None:
        self.natives = family.natives
        self._family = family
        self._files = files
        self._linker: Linker | None = None

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, Facts]]) -> Self:
        """Refuse: such a linker is made of a solution."""
        del files
        raise Escapes

    @property
    def _whole(self) -> Linker:
        if self._linker is None:
            self._linker = self._family.of_files(self._files)
        return self._linker

    def target(self, importer: str, module: str, name: str, level: int) -> Target:
        """Return the target of an import, where paths and manifests tell it."""
        if not self._whole.is_by_files:
            raise Escapes
        return self._whole.target(importer, module, name, level)

    def member(self, file: str, name: str) -> str | None:
        """Return the module inside a package."""
        return self._whole.member(file, name)

    def provides(self, origin: str, path: str) -> bool:
        """Say whether names that file `origin` provides are visible in another file `path`."""
        return self._whole.provides(origin, path)


class FrozenProgram(Program):
    """State of the solver over a solution; what is added has numbers behind the solution's."""

    def __init__(self, ground: Ground, steps: int, *, is_observing: bool) -> None:
        super().__init__([])
        solution = ground.solution
        self.ground = ground
        self.paths = solution.paths
        self.file_of = ground.file_of
        self.values.restore(solution.kinds, ground.first, ground.second)
        self.hierarchy = self.frozen_hierarchy = FrozenHierarchy(ground)
        self.flows = self.frozen_flows = FrozenFlows(ground, steps, is_observing=is_observing)
        self.containers = FrozenContainers(self.frozen_flows, self.values, ground)
        functions, classes, _, symbols = solution.counts
        self.functions = FrozenRows(functions, ground.find_function)  # type: ignore[assignment]
        self.function_symbol = FrozenRows(functions, ground.function_symbol)  # type: ignore[assignment]
        self.class_symbol = FrozenRows(classes, ground.class_symbol)  # type: ignore[assignment]
        self.keys: FrozenRows[str] = FrozenRows(symbols, ground.build_key)
        self.ground_names: FrozenRows[dict[str, int]] = FrozenRows(
            len(solution.paths), ground.own_names
        )
        #: Variable of a parameter → its name, of the changed file.
        self.named_parameters: dict[int, str] = {}
        #: First parameters of the changed file's methods.
        self.own_receivers: set[int] = set()
        self.symbols = symbols
        self.providers.update(solution.providers)
        #: Number of the first class that came.
        self.first_class = classes

    def add_class(self, attributes: dict[str, int], symbol: int) -> int:
        """Add a class, whose variables are those of this state, and return its number."""
        self.class_symbol.append(symbol)
        return self.hierarchy.add(attributes)

    def add_functions(self, facts: Sequence[FunctionFact], symbols: Sequence[int]) -> None:
        """Add functions, whose variables are those of this state, with their symbols."""
        self.functions += facts
        self.function_symbol += symbols

    def may_hold(self, variable: int) -> bool:
        """Return whether a variable holds values of the solution, or is none of its variables."""
        is_frozen = variable < self.frozen_flows.frozen
        return not is_frozen or bool(self.ground.find_values(variable))

    def find_receivers(self) -> set[int]:
        """Return the variables of `self` in the changed files."""
        return self.own_receivers

    def name_parameters(self) -> dict[int, str]:
        """Return the variables of the changed files' parameters, with the parameters' names."""
        return self.named_parameters

    def run_modules(self, *, is_early: bool) -> None:
        """Let instructions of modules run from now on, or those of functions."""
        self.frozen_flows.is_early = is_early
        self.frozen_hierarchy.is_early = is_early

    def solve_finally(self) -> None:
        """Let what is read from now on be what a whole link has found in the end."""
        self.frozen_flows.is_solved = True
        self.frozen_hierarchy.is_solved = True
