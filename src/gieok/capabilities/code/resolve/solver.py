"""Which values reach which variable: inclusion constraints over the facts of all files, solved by propagating differences.

Every (variable, value) pair is handled once, in an order that depends on the sorted paths and their content alone: the same
files give the same answer in any process. Source: Andersen 1994; difference propagation, Pearce et al. 2003. Fan-out is
capped (`FAN`, `CAP`): what a registry or a decorator of everything holds is "possible", and is not followed.
"""

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

from gieok.capabilities.code.model.facts import NOTHING, Argument, Facts, FunctionFact, Op, Trait
from gieok.capabilities.code.resolve import natives
from gieok.capabilities.code.resolve.hierarchy import Hierarchy
from gieok.capabilities.code.resolve.linking import Linker, Target
from gieok.capabilities.code.resolve.sites import Reference, Site
from gieok.capabilities.code.resolve.values import Value, Values

#: A call that may go to more functions than this is a dispatch through a registry: possible, not certain.
FAN = 12
#: Values kept per variable.
CAP = 20
#: Steps per instruction, and beside: real projects take 1.1 to 1.8. A knot of a file that takes more is left out (`isolation`).
STEPS, FREE_STEPS = 20, 100_000
#: Beyond this many functions, arguments are not followed into parameters: half the time for two points of recall.
ARGUMENT_FUNCTIONS = 20_000
_CONTAINER_METHODS = natives.METHODS.keys() | {"remove", "then", "has"}

Handler = Callable[..., None]

_EMPTY = Facts("", (), (), (), {}, 0, 0, (), ())


class Tangled(Exception):
    """Values bring about ever more calls, which bring about values."""


class Solver:
    """Holds the constraints of a whole project. Build it, `solve`, then read `sites` and `references`."""

    def __init__(self, files: list[tuple[str, Facts]], linker: Linker) -> None:
        self.paths = [path for path, _ in files]
        self.linker = linker
        self.values = Values()
        self.hierarchy = Hierarchy()
        self.functions: list[FunctionFact] = []
        self.function_file = array("l")
        self.class_file = array("l")
        self.class_symbol: list[int] = []
        self.function_symbol: list[int] = []
        self.symbol_base: list[int] = []
        self.names: list[dict[str, int]] = []
        self.sites: list[Site] = []
        self.references: dict[Reference, None] = {}
        self.imports: dict[tuple[int, int, int], None] = {}
        self._variables = 0
        self._points: list[list[int] | None] = []
        self._flows: list[list[int] | None] = []
        self._waits: list[list[tuple[Any, ...]] | None] = []
        self._pending: dict[int, list[int]] = {}
        self._queue: deque[int] = deque()
        #: Triggers with a value each, to be called next: a trigger calls none itself, so nothing here recurses.
        self._due: list[tuple[Any, tuple[Any, ...]]] = []
        self._fields: dict[tuple[int, str], int] = {}
        #: (class, name) → the variable of what is found under the name, in the class or above it.
        self._slots: dict[tuple[int, str], int] = {}
        self._function_attributes: dict[tuple[int, str], int] = {}
        self._keys: list[dict[str | int, int]] = []
        self._any: list[int] = []
        #: (descriptor, receiver, symbol, line) → the variable of what its `__get__` gives there.
        self._given: dict[tuple[int, int, int, int], int] = {}
        #: Variables that hold something external and nothing else.
        self.inert: set[int] = set()
        #: The container of a variable that holds nothing else.
        self._literals: dict[int, int] = {}
        self._spread: dict[int, list[Callable[[str | int, int], None]]] = defaultdict(list)
        #: Package → name → (file, variable) of those who define it.
        self._spaces: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        self._stars: dict[int, list[int]] = defaultdict(list)
        self._fixtures: dict[str, list[int]] = defaultdict(list)
        #: (symbol, class, prefix, line) where a method is read by a name that is put together.
        self.computed: dict[tuple[int, int, str, int], None] = {}
        self._referred: dict[tuple[int, int], int] = defaultdict(int)
        self._decorations: list[tuple[int, int, int]] = []
        self._allowances: list[tuple[int, int]] = []
        self._fallbacks: list[tuple[int, str, Callable[[], None]]] = []
        #: Attributes of containers that are asked for by name: what is stored there by no known name (`?`) may be meant.
        self._unnamed: list[tuple[int, str, tuple[Any, ...]]] = []
        self._file_index = {path: number for number, path in enumerate(self.paths)}
        self._file = self._symbols = 0
        self._base = self._function_base = self._class_base = self._container_base = 0
        self._steps = FREE_STEPS + STEPS * sum(len(facts.top) + len(facts.inner) for _, facts in files)
        self._declare(files)

    # Declaring

    def _declare(self, files: list[tuple[str, Facts]]) -> None:
        bases: list[tuple[int, int, int, int]] = []
        symbols = 0
        for number, (_, facts) in enumerate(files):
            bases.append((self._variables, len(self.functions), len(self.class_symbol), len(self._keys)))
            self.symbol_base.append(symbols)
            self._grow(facts.variables)
            base = bases[-1][0]
            self.names.append({name: base + variable for name, variable in facts.names.items()})
            if self.linker.spaces:
                given = {i[1] for i in facts.top if i[0] == Op.COPY}
                for name, variable in facts.names.items():
                    if variable in given:
                        self._spaces[self.linker.spaces[self.paths[number]]][name].append((number, base + variable))
            for fact in facts.functions:
                self.functions.append(_shifted(fact, base, len(self.class_symbol)))
                self.function_file.append(number)
                self.function_symbol.append(symbols + fact.symbol)
                if Trait.FIXTURE in fact.traits:
                    self._fixtures[facts.symbols[fact.symbol].name].append(len(self.functions) - 1)
            for kind in facts.classes:
                self.class_symbol.append(symbols + kind.symbol)
                self.class_file.append(number)
                self.hierarchy.add({name: base + variable for name, variable in kind.attributes.items()})
            self._keys += [{} for _ in range(facts.containers)]
            self._any += [self.fresh() for _ in range(facts.containers)]
            symbols += len(facts.symbols)
        self._follow_arguments = len(self.functions) <= ARGUMENT_FUNCTIONS
        self._start(files, bases)

    def _start(self, files: list[tuple[str, Facts]], bases: list[tuple[int, int, int, int]]) -> None:
        """Run imports and class heads first, so that look-ups find a hierarchy; then what modules do, then functions."""
        for file, bound in enumerate(bases):
            self._enter(file, bound)
            self._await_bases(files[file][1])
        for early in (True, False):
            for file, bound in enumerate(bases):
                self._enter(file, bound)
                for instruction in files[file][1].top:
                    if (instruction[0] in _EARLY) == early:
                        self._run(instruction)
                        self._fire()
            self._drain()
        self._satisfy()
        for file, bound in enumerate(bases):
            self._enter(file, bound)
            for instruction in files[file][1].inner:
                self._run(instruction)
                self._fire()
            files[file] = (files[file][0], _EMPTY)  # instructions are most of what facts weigh

    def _await_bases(self, facts: Facts) -> None:
        for owner, kind in enumerate(facts.classes):
            for place, variable in enumerate(kind.bases):
                if variable != NOTHING:
                    self.wait(self._base + variable, (self._inherit, self._class_base + owner, place))
                    self._fire()

    def _satisfy(self) -> None:
        """A type that has every method of an interface (named `<method>`) is below it, as in Go."""
        attributes = self.hierarchy.attributes
        wanted = [
            (owner, methods)
            for owner, names in enumerate(attributes)
            if (methods := [name[1:-1] for name in names if name[:1] == "<"])
        ]
        if not wanted:
            return
        interfaces = {owner for owner, _ in wanted}
        by_method: dict[str, set[int]] = defaultdict(set)
        for owner in range(len(attributes)):
            for base in self.hierarchy.linear(owner) if owner not in interfaces else ():
                for name in attributes[base]:
                    by_method[name].add(owner)
        for owner, methods in wanted:
            for below in sorted(set.intersection(*(by_method[name] for name in methods))):
                self.hierarchy.inherit(below, owner, len(self.hierarchy.bases(below)))

    def _enter(self, file: int, bound: tuple[int, int, int, int]) -> None:
        self._file, self._symbols = file, self.symbol_base[file]
        self._base, self._function_base, self._class_base, self._container_base = bound

    def _grow(self, count: int) -> None:
        self._variables += count
        self._points += [None] * count
        self._flows += [None] * count
        self._waits += [None] * count

    def fresh(self) -> int:
        """Return a new variable."""
        self._points.append(None)
        self._flows.append(None)
        self._waits.append(None)
        self._variables += 1
        return self._variables - 1

    # Propagation

    def solve(self) -> None:
        """Propagate until nothing changes; then once more with what was left open (`_settle`)."""
        self._drain()
        self._settle()
        self._drain()
        self._let_go()

    def _let_go(self) -> None:
        """Drop the triggers: they point back here, and would keep everything until the garbage collector runs."""
        for kept in (self._waits, self._fallbacks, self._spread, self._given, self.hierarchy.looked):
            kept.clear()

    def _drain(self) -> None:
        self._propagate()
        while self.hierarchy.refresh():
            self._propagate()

    def _propagate(self) -> None:
        queue, pending, flows, waits = self._queue, self._pending, self._flows, self._waits
        while queue:
            variable = queue.popleft()
            fresh = pending.pop(variable)
            targets, waiting = flows[variable] or (), waits[variable]
            self._spend(len(targets))
            for target in targets:
                self.add_all(target, fresh)
            if waiting:
                self._spend(len(fresh) * len(waiting))
                triggers = tuple(waiting)  # one that is added meanwhile is called with all that is known
                for value in fresh:
                    for trigger in triggers:
                        trigger[0](value, *trigger[1:])
                        self._fire()

    def _spend(self, steps: int) -> None:
        """Count down: whatever a file holds, the work on it ends. Raises Tangled."""
        self._steps -= steps
        if self._steps < 0:
            raise Tangled("values and calls bring about each other without end")

    def _fire(self) -> None:
        """Call the triggers that are due, and those that become due by it, the last first."""
        due = self._due
        while due:
            value, trigger = due.pop()
            trigger[0](value, *trigger[1:])

    def _settle(self) -> None:
        """A decorator of which nothing is known gives back what it got; `__getattr__` serves what nothing else does."""
        for to, decorator, source in self._decorations:
            if not self._points[decorator] or not self._points[to]:
                self.flow(source, to)
        for container, name, trigger in self._unnamed:
            if "?" in self._keys[container] and not self._points[self.key(container, name)]:
                self.wait(self.key(container, "?"), trigger)
                self._fire()
        self._drain()
        self._allow_subclasses()
        for owner, name, call in self._fallbacks:
            if not any(
                self._points[v] for c in self.hierarchy.linear(owner) if (v := self._fields.get((c, name))) is not None
            ):
                call()
                self._fire()

    def _allow_subclasses(self) -> None:
        below: dict[int, list[int]] = {}
        for owner, to in self._allowances:
            if owner not in below:
                below[owner] = [self.values.number(Value.INSTANCE, c) for c in self.hierarchy.descendants(owner)]
            if len(below[owner]) <= CAP:
                self.add_all(to, below[owner])
        self._drain()
        for site in list(self.sites):
            if not site.targets and not site.wired and site.arguments and site.name:
                natives.call(self, site, site.name)  # what it is given may be called from there
                self._fire()
                site.wired.remove(("native", site.name))

    def add(self, variable: int, value: int) -> None:
        """Let a variable hold a value."""
        known = self._points[variable]
        if known is None:
            self._points[variable] = [value]
        elif value in known or len(known) >= CAP:
            return
        else:
            known.append(value)
        waiting = self._pending.get(variable)
        if waiting is None:
            self._pending[variable] = [value]
            self._queue.append(variable)
        else:
            waiting.append(value)

    def add_all(self, variable: int, values: list[int]) -> None:
        """Let a variable hold values, up to the cap. Most hold one or two: a list, which has a third of a set's weight."""
        known = self._points[variable]
        if known is None:
            fresh = values[:]
            self._points[variable] = values[:]
        elif len(known) >= CAP:
            return
        else:
            fresh = [value for value in values if value not in known]
            if not fresh:
                return
            known += fresh
        waiting = self._pending.get(variable)
        if waiting is None:
            self._pending[variable] = fresh
            self._queue.append(variable)
        else:
            waiting += fresh

    def flow(self, source: int, to: int) -> None:
        """Let everything that `source` holds, now and later, reach `to`."""
        if source == to:
            return
        targets = self._flows[source]
        if targets is None:
            self._flows[source] = [to]
        elif to in targets[-4:]:
            return
        else:
            targets.append(to)
        known = self._points[source]
        if known:
            self.add_all(to, known)

    def wait(self, variable: int, trigger: tuple[Any, ...]) -> None:
        """Let `trigger` be called with every value that a variable holds, now and later."""
        waiting = self._waits[variable]
        if waiting is None:
            self._waits[variable] = [trigger]
        else:
            waiting.append(trigger)
        known = self._points[variable]
        if known:
            late = self._pending.get(variable, ())
            self._spend(len(known))
            self._due += [(value, trigger) for value in reversed(known) if value not in late]

    def owners(self, function: int) -> list[int]:
        """Return the classes whose objects have a method as it is here: its own, and those below that do not override it."""
        owner = self.functions[function].owner
        name = (
            next((n for n, v in self.hierarchy.attributes[owner].items() if self._is(v, function)), None)
            if owner != NOTHING
            else None
        )
        if name is None:
            return []
        variable = self.hierarchy.find(owner, name)
        return [owner, *(c for c in self.hierarchy.descendants(owner) if self.hierarchy.find(c, name) == variable)]

    def methods(self, owner: int, prefix: str) -> list[int]:
        """Return the methods of a class whose names begin so, inherited ones too."""
        names = dict.fromkeys(
            n for c in self.hierarchy.linear(owner) for n in self.hierarchy.attributes[c] if n.startswith(prefix)
        )
        found = (value for name in names for value in self.held(self.hierarchy.find(owner, name) or 0))
        return [int(self.values.first[value]) for value in found if self.values.kinds[value] == Value.FUNCTION]

    def is_family(self, functions: Iterable[int]) -> bool:
        """Say whether functions are methods of classes that have a base in common."""
        owners = {self.functions[function].owner for function in functions}
        return NOTHING not in owners and bool(set.intersection(*(set(self.hierarchy.linear(o)) for o in owners)))

    def _is(self, variable: int, function: int) -> bool:
        return any(
            self.values.kinds[v] == Value.FUNCTION and self.values.first[v] == function for v in self.held(variable)
        )

    def held(self, variable: int) -> Iterable[int]:
        """Return what a variable holds."""
        return self._points[variable] or ()

    # Instructions

    def _run(self, instruction: Sequence[Any]) -> None:
        self._handlers[instruction[0]](self, *instruction[1:])

    def _copy(self, to: int, source: int) -> None:
        self.flow(self._base + source, self._base + to)

    def _function(self, to: int, function: int) -> None:
        number = self._function_base + function
        self.add(self._base + to, self.values.number(Value.FUNCTION, number))
        fact = self.functions[number]
        if fact.rest != NOTHING:
            self.add(fact.rest, self.new_container())
        if fact.keywords != NOTHING:
            self.add(fact.keywords, self.new_container())
        if fact.owner != NOTHING and fact.parameters and Trait.STATIC not in fact.traits:
            kind = Value.CLASS if Trait.CLASS in fact.traits else Value.INSTANCE
            self.add(fact.parameters[0], self.values.number(kind, fact.owner))
            if Trait.TEST in fact.traits:  # nobody calls it but the runner, on every class that inherits it
                self._allowances.append((fact.owner, fact.parameters[0]))

    def _class(self, to: int, owner: int) -> None:
        number = self._class_base + owner
        self.add(self._base + to, self.values.number(Value.CLASS, number))

    def _inherit(self, value: int, owner: int, place: int) -> None:
        values = self.values
        if values.kinds[value] != Value.CLASS:
            return
        base = int(values.first[value])
        if self.hierarchy.inherit(owner, base, place):
            site = self._site(self.fresh(), (), self.class_symbol[owner], 0, "__init_subclass__", "special")
            self._look(base, "__init_subclass__", self._bind_call, site, values.number(Value.CLASS, owner))

    def _load(self, to: int, place: int, name: str, symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.wait(self._base + place, (self._loaded, self._base + to, name, where, line))

    def _store(self, place: int, name: str, source: int, symbol: int, line: int) -> None:
        origin = self._base + source if source != NOTHING else NOTHING
        where = self._symbols + symbol
        self.wait(self._base + place, (self._stored, name, origin, where, line))

    def _call(self, to: int, callee: int, arguments: list[Argument], symbol: int, line: int, name: str) -> None:
        site = self._site(self._base + to, self._shift(arguments), self._symbols + symbol, line, name, "call")
        self.wait(self._base + callee, (self.apply, site))

    def _call_method(self, to: int, place: int, name: str, arguments: list[Argument], symbol: int, line: int) -> None:
        site = self._site(self._base + to, self._shift(arguments), self._symbols + symbol, line, name, "method")
        self.wait(self._base + place, (self._called, name, site))

    def _special(self, to: int, place: int, name: str, arguments: list[Argument], symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.wait(self._base + place, (self.special, name, self._base + to, tuple(self._shift(arguments)), where, line))

    def _element(self, to: int, place: int, symbol: int, line: int) -> None:
        self.wait(self._base + place, (self.iterate, self._base + to, self._symbols + symbol, line))

    def _index(self, to: int, place: int, key: str | int | None, symbol: int, line: int) -> None:
        where = self._symbols + symbol
        self.wait(self._base + place, (self._indexed, self._base + to, key, where, line))

    def _store_index(self, place: int, key: str | int | None, source: int, symbol: int, line: int) -> None:
        origin = self._base + source if source != NOTHING else NOTHING
        key = "*" if key is None else key
        literal = self._literals.get(self._base + place)
        if literal is None:
            self.wait(self._base + place, (self._stored_index, key, origin, self._symbols + symbol, line))
        elif source != NOTHING:
            self.flow(origin, self.key(literal, key))

    def _container(self, to: int, container: int) -> None:
        number = self._literals[self._base + to] = self._container_base + container
        self.add(self._base + to, self.values.number(Value.CONTAINER, number))

    def _external(self, to: int, name: str) -> None:
        self.inert.add(self._base + to)
        self.add(self._base + to, self.values.number(Value.EXTERNAL, name.rpartition(".")[2]))

    def _instance(self, to: int, source: int) -> None:
        self.wait(self._base + source, (self._instantiated, self._base + to))

    def _declared(self, to: int, source: int) -> None:
        self.wait(self._base + source, (self.allow, self._base + to))

    def allow(self, value: int, to: int) -> None:
        """Let a variable of a declared type hold instances of it, and of what is below it."""
        if self.values.kinds[value] == Value.CLASS:
            owner = int(self.values.first[value])
            self.add(to, self.values.number(Value.INSTANCE, owner))
            self._allowances.append((owner, to))

    def _enter_context(self, to: int, place: int, symbol: int, line: int) -> None:
        self.wait(self._base + place, (self._entered, self._base + to, self._symbols + symbol, line))

    def _super(self, to: int, receiver: int, owner: int) -> None:
        start = self._class_base + owner
        self.add(self._base + to, self.values.number(Value.SUPER, start, start))
        self.wait(self._base + receiver, (self._above, self._base + to, start))

    def _decorate(self, to: int, decorator: int, source: int, symbol: int, line: int) -> None:
        base = self._base
        result = self.fresh()
        site = self._site(result, [("", base + source)], self._symbols + symbol, line, "", "call")
        self._decorations.append((base + to, base + decorator, base + source))
        self.wait(base + decorator, (self._decorated, site, base + source, base + to))
        self.wait(result, (self._through, base + source, base + to))

    def _raise(self, place: int, symbol: int, line: int) -> None:
        site = self._site(self.fresh(), (), self._symbols + symbol, line, "raise", "special")
        self.wait(self._base + place, (self._raised, site))

    def _fixture(self, to: int, name: str, symbol: int, line: int) -> None:
        file = self._file
        for function in self._fixtures.get(name, ()):
            origin = self.function_file[function]
            if origin == file or self._is_conftest_for(self.paths[origin], self.paths[file]):
                fact = self.functions[function]
                self.flow(fact.yields, self._base + to)
                self.flow(fact.result, self._base + to)
                self._refer(self._symbols + symbol, self.function_symbol[function], line)

    @staticmethod
    def _is_conftest_for(origin: str, path: str) -> bool:
        folder, _, name = origin.rpartition("/")
        return name == "conftest.py" and (not folder or path.startswith(f"{folder}/"))

    def _containers(self, to: int, source: int) -> None:
        self.wait(self._base + source, (self._only_container, self._base + to))

    def _only_container(self, value: int, to: int) -> None:
        if self.values.kinds[value] == Value.CONTAINER:
            self.add(to, value)

    def _narrow(self, to: int, source: int, kind: int) -> None:
        self.wait(self._base + source, (self._narrowed, self._base + to, self._base + kind))

    def _narrowed(self, value: int, to: int, kind: int) -> None:
        """A cast lets through what may be of its class; of a class outside of the project nothing is known."""
        values = self.values
        if values.kinds[value] == Value.INSTANCE:
            classes = [v for v in self.held(kind) if values.kinds[v] == Value.CLASS]
            above = self.hierarchy.linear(int(values.first[value]))
            if classes and not any(values.first[c] in above for c in classes):
                return
        self.add(to, value)

    # Imports

    def _import(self, to: int, module: str, name: str, level: int, line: int) -> None:
        file = self._file
        target = self.linker.target(self.paths[file], module, name, level)
        self._note_import(file, target, line)
        to += self._base
        if target.space is not None:
            self._import_space(file, target, to, line)
        elif target.file is not None and target.path:
            self._follow(self.name_of(self._file_index[target.file], target.path[0]), target.path[1:], to, line)
        elif target.file is not None and name:
            self.flow(self.name_of(self._file_index[target.file], name), to)
        elif target.file is not None:
            self.add(to, self.values.number(Value.MODULE, self._file_index[target.file]))
        if target.member is not None:
            origin = self._file_index.get(target.file) if target.file is not None else None
            if origin is None or not self._points[self.name_of(origin, name)]:
                self.add(to, self.values.number(Value.MODULE, self._file_index[target.member]))
        if target.package:
            self.add(to, self.values.number(Value.PACKAGE, target.package))
        if target.external:
            self.add(to, self.values.number(Value.EXTERNAL, target.external.rpartition(".")[2]))

    def _import_space(self, file: int, target: Target, to: int, line: int) -> None:
        """Import a package (Go), or a class inside of one (Java)."""
        space = target.space or ""
        if not target.path:
            self.add(to, self.values.number(Value.PACKAGE, space))
            for origin in {origin for origins in self._spaces[space].values() for origin, _ in origins}:
                if origin != file:
                    self.imports[file, origin, line] = None
            return
        held = self.fresh()
        for origin, variable in self._spaces[space].get(target.path[0], ()):
            self.imports[file, origin, line] = None
            self.flow(variable, held)
        self._follow(held, target.path[1:], to, line)

    def _follow(self, held: int, path: Sequence[str], to: int, line: int) -> None:
        """Let `to` hold what `held`.a.b… is."""
        for name in path:
            after = self.fresh()
            self.wait(held, (self._loaded, after, name, self._symbols, line))
            held = after
        self.flow(held, to)

    def _note_import(self, file: int, target: Target, line: int) -> None:
        for path in (target.file, target.member):
            if path is not None and path != self.paths[file]:
                self.imports[file, self._file_index[path], line] = None

    def _import_all(self, module: str, level: int) -> None:
        file = self._file
        if self.linker.spaces:
            self._share_space(file, module, level)
            return
        for path in self.linker.all_of(self.paths[file], module, level):
            origin = self._file_index[path]
            if origin == file or origin in self._stars[file]:
                continue
            self.imports[file, origin, 0] = None
            self._stars[file].append(origin)
            own = self.names[file]
            for name in list(own):
                if name in self.names[origin] or self._stars.get(origin):
                    self.flow(self.name_of(origin, name), own[name])

    def _share_space(self, file: int, module: str, level: int) -> None:
        """Let the names of a package reach the names of a file that it does not define itself."""
        paths = self.linker.all_of(self.paths[file], module, level)
        if not paths:
            return
        space = self._spaces[self.linker.spaces[paths[0]]]
        for name, variable in self.names[file].items():
            for origin, other in space.get(name, ()):
                if origin != file:
                    self.flow(other, variable)
                    self.imports[file, origin, 0] = None

    def name_of(self, file: int, name: str) -> int:
        """Return the variable of a module's name, which star imports may fill."""
        known = self.names[file].get(name)
        if known is not None:
            return known
        filled: list[tuple[int, int]] = []
        asked = [file]
        self.names[file][name] = self.fresh()
        while asked:
            here = asked.pop()
            for origin in self._stars.get(here, ()):
                if name not in self.names[origin]:
                    self.names[origin][name] = self.fresh()
                    asked.append(origin)
                filled.append((self.names[origin][name], self.names[here][name]))
        for source, to in reversed(filled):
            self.flow(source, to)
        return self.names[file][name]

    # Attributes

    def field(self, owner: int, name: str) -> int:
        """Return the variable of an instance's attribute, one for all instances of a class."""
        variable = self._fields.get((owner, name))
        if variable is None:
            variable = self._fields[owner, name] = self.fresh()
        return variable

    def _look(self, owner: int, name: str, handler: Handler, *rest: object) -> None:
        """Wait for what a class has under `name`, also if it gets it later."""
        slot = self._slots.get((owner, name))
        if slot is None:
            slot = self._slots[owner, name] = self.fresh()
            self._fill(slot, owner, name)
        self.wait(slot, (handler, *rest))

    def _fill(self, slot: int, owner: int, name: str) -> None:
        def look() -> None:
            variable = self.hierarchy.find(owner, name)
            if variable is not None:
                self.flow(variable, slot)

        self.hierarchy.watch(owner, name, look)
        look()

    def _loaded(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        """`to` = `value`.name."""
        kind = self.values.kinds[value]
        loader = self._loaders.get(kind)
        if name[-1:] == "*":
            if kind == Value.INSTANCE:
                self._load_some(value, to, name[:-1], symbol, line)
        elif loader is not None:
            loader(self, value, to, name, symbol, line)

    def _load_some(self, value: int, to: int, prefix: str, symbol: int, line: int) -> None:
        """A name that is put together may be any that begins so; each such method is bound to the object."""
        owner = int(self.values.first[value])
        self.computed[symbol, owner, prefix, line] = None
        methods = self.methods(owner, prefix)
        for function in methods:
            fact = self.functions[function]
            if fact.parameters and Trait.STATIC not in fact.traits:
                self.add(fact.parameters[0], self._receiver(fact.traits, value))
            if len(methods) <= FAN:
                self._bind_load(self.values.number(Value.FUNCTION, function), to, value, symbol, line)

    def _load_instance(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        owner = int(self.values.first[value])
        self._look(owner, name, self._bind_load, to, value, symbol, line)
        for base in self.hierarchy.linear(owner):
            self.flow(self.field(base, name), to)
        if self._is_served(owner, name) and not name.startswith("__"):
            again = partial(self.special, value, "__getattr__", to, (), symbol, line)
            self._fallbacks.append((owner, name, again))

    def _is_served(self, owner: int, name: str) -> bool:
        """Say whether `__getattr__` answers for a name that a class does not have."""
        find = self.hierarchy.find
        return find(owner, "__getattr__") is not None and find(owner, name) is None

    def _load_class(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del symbol, line
        if name == "prototype":
            self.add(to, value)
        else:
            self._look(int(self.values.first[value]), name, self._bind_class, to, value)

    def _load_external(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del value, symbol, line
        self.add(to, self.values.number(Value.EXTERNAL, name))

    def _load_above(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del symbol, line
        self._load_super(value, name, (self._bind_super, to, value))

    def _load_container(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del symbol, line
        container = int(self.values.first[value])
        if name in _CONTAINER_METHODS:
            self.add(to, self.values.number(Value.CONTAINER_METHOD, container, name))
        if name not in _CONTAINER_METHODS or name in self._keys[container]:  # object literals
            self.flow(self.key(container, name), to)
            self._unnamed.append((container, name, (self._hold, to)))

    def _hold(self, value: int, to: int) -> None:
        self.add(to, value)

    def _load_function(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del symbol, line
        self.flow(self._function_attribute(int(self.values.first[value]), name), to)

    def _load_module(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del symbol, line
        file = int(self.values.first[value])
        names = self.names[file]
        self.flow(self.name_of(file, name), to)
        member = self.linker.member(self.paths[file], name)
        if member is not None and not self._points[names[name]]:
            self.add(to, self.values.number(Value.MODULE, self._file_index[member]))

    def _load_package(self, value: int, to: int, name: str, symbol: int, line: int) -> None:
        del symbol, line
        space = str(self.values.first[value])
        if self.linker.spaces:
            for _, variable in self._spaces[space].get(name, ()):
                self.flow(variable, to)
            return
        target = self.linker.target("", f"{space}.{name}", "", 0)
        if target.file is not None:
            self.add(to, self.values.number(Value.MODULE, self._file_index[target.file]))
        elif target.package:
            self.add(to, self.values.number(Value.PACKAGE, target.package))

    def _load_super(self, value: int, name: str, trigger: tuple[Any, ...]) -> bool:
        """Wait for what a class above has under `name`; return whether one of the project has it."""
        start, owner = int(self.values.first[value]), int(self.values.second[value])
        variable = self.hierarchy.find_after(start, owner, name)
        if variable is not None:
            self.wait(variable, trigger)
        return variable is not None

    def _hand_up(self, site: Site) -> None:
        """A base from outside gets functions and objects that can be called: it keeps them to call them."""
        for keyword, variable in site.arguments:
            handed = self.fresh() if keyword[:1] == "*" else variable
            if variable not in (handed, NOTHING):
                self.wait(variable, (self.iterate, handed, site.symbol, site.line))
            if handed != NOTHING:
                self.wait(handed, (self._handed, site.symbol, site.line))

    def _handed(self, value: int, symbol: int, line: int) -> None:
        if self.values.kinds[value] == Value.INSTANCE:
            called = self.hierarchy.find(int(self.values.first[value]), "__call__")
            if called is not None:
                self.wait(called, (self.refer, symbol, line))
        self.refer(value, symbol, line)

    def _function_attribute(self, function: int, name: str) -> int:
        variable = self._function_attributes.get((function, name))
        if variable is None:
            variable = self._function_attributes[function, name] = self.fresh()
        return variable

    def _bind_load(self, value: int, to: int, receiver: int, symbol: int, line: int) -> None:
        """An attribute of a class is read through an instance."""
        values = self.values
        if values.kinds[value] != Value.FUNCTION:
            if not self._described(value, to, receiver, symbol, line):
                self.add(to, value)
            return
        function = int(values.first[value])
        traits = self.functions[function].traits
        if Trait.PROPERTY in traits:
            self.call(self._site(to, (), symbol, line, "", "property"), function, receiver)
        elif Trait.STATIC in traits:
            self.add(to, value)
        else:
            self.add(to, values.number(Value.BOUND, function, self._receiver(traits, receiver)))

    def _described(self, value: int, to: int, receiver: int, symbol: int, line: int) -> bool:
        """Let an attribute that is a descriptor (`__get__`) give its value; return whether it is one."""
        values = self.values
        if values.kinds[value] != Value.INSTANCE or values.kinds[receiver] not in (Value.INSTANCE, Value.CLASS):
            return False
        if self.hierarchy.find(int(values.first[value]), "__get__") is None:
            return False
        place = (value, receiver, symbol, line)
        given = self._given.get(place)
        if given is None:  # once, for what `__get__` holds may be a descriptor itself
            given = self._given[place] = self.fresh()
            instance = self.fresh()
            self.add(instance, receiver)
            self.special(value, "__get__", given, [("", instance)], symbol, line)
        self.flow(given, to)
        return True

    def _receiver(self, traits: Sequence[str], receiver: int) -> int:
        """Return what a method is bound to: a class method to the instance's class."""
        if Trait.CLASS in traits and self.values.kinds[receiver] == Value.INSTANCE:
            return self.values.number(Value.CLASS, self.values.first[receiver])
        return receiver

    def _bind_class(self, value: int, to: int, owner: int) -> None:
        """An attribute of a class is read through the class."""
        values = self.values
        if values.kinds[value] == Value.FUNCTION and Trait.CLASS in self.functions[int(values.first[value])].traits:
            value = values.number(Value.BOUND, values.first[value], owner)
        self.add(to, value)

    def _bind_super(self, value: int, to: int, above: int) -> None:
        values = self.values
        if values.kinds[value] == Value.FUNCTION:
            traits = self.functions[int(values.first[value])].traits
            if Trait.STATIC not in traits:
                receiver = self._receiver(traits, values.number(Value.INSTANCE, values.second[above]))
                value = values.number(Value.BOUND, values.first[value], receiver)
        self.add(to, value)

    def _stored(self, value: int, name: str, source: int, symbol: int, line: int) -> None:
        """`value`.name = `source`."""
        values = self.values
        kind = values.kinds[value]
        if kind in (Value.EXTERNAL, Value.PACKAGE):  # nothing of the project's is written to
            return
        first = int(values.first[value])
        if kind == Value.INSTANCE:
            self._look(first, name, self._set_property, source, value, symbol, line)
            if source != NOTHING:
                self.flow(source, self.field(first, name))
        elif source == NOTHING:
            return
        elif kind == Value.CLASS and name == "prototype":
            self.wait(source, (self._prototype, first))
        elif kind == Value.CLASS:
            self._define(first, name, source)
        elif kind == Value.MODULE:
            self.flow(source, self.name_of(first, name))
        elif kind in (Value.FUNCTION, Value.BOUND):
            self.flow(source, self._function_attribute(first, name))
        elif kind == Value.CONTAINER:
            self.flow(source, self.key(first, name))

    def _prototype(self, value: int, owner: int) -> None:
        """A class gets another prototype: an object of methods, or one made from another class."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind in (Value.CLASS, Value.INSTANCE):
            self._inherit(self.values.number(Value.CLASS, first), owner, len(self.hierarchy.bases(owner)))
        elif kind == Value.CONTAINER:
            self.spread(int(first), lambda key, variable: self._define(owner, str(key), variable))

    def _define(self, owner: int, name: str, source: int) -> None:
        variable = self.hierarchy.attributes[owner].get(name)
        if variable is None:
            variable = self.fresh()
            self.hierarchy.define(owner, name, variable)
        self.flow(source, variable)
        self.wait(source, (self._owned, owner))

    def _owned(self, value: int, owner: int) -> None:
        """A function that is put on a class (`A.prototype.f = …`) is called with instances of it."""
        if self.values.kinds[value] == Value.FUNCTION:
            fact = self.functions[int(self.values.first[value])]
            if Trait.RECEIVER in fact.traits and fact.owner == NOTHING:
                self.add(fact.parameters[0], self.values.number(Value.INSTANCE, owner))

    def _set_property(self, value: int, source: int, receiver: int, symbol: int, line: int) -> None:
        values = self.values
        if values.kinds[value] == Value.FUNCTION and Trait.PROPERTY in self.functions[int(values.first[value])].traits:
            arguments = [("", source)] if source != NOTHING else ()
            site = self._site(self.fresh(), arguments, symbol, line, "", "property")
            self.call(site, int(values.first[value]), receiver)
        elif values.kinds[value] == Value.INSTANCE:
            instance = self.fresh()
            self.add(instance, receiver)
            self.special(value, "__set__", self.fresh(), [("", instance), ("", source)], symbol, line)

    # Containers

    def new_container(self) -> int:
        """Return a new container, as a value (for `*args`, `**kwargs`, the results of builtins)."""
        self._keys.append({})
        self._any.append(self.fresh())
        return self.values.number(Value.CONTAINER, len(self._keys) - 1)

    def key(self, container: int, key: str | int) -> int:
        """Return the variable of one key of a container; `*` is any."""
        keys = self._keys[container]
        if isinstance(key, int) and key > CAP:
            key = "*"
        variable = keys.get(key)
        if variable is None:
            variable = keys[key] = self.fresh()
            self.flow(variable, self._any[container])
            self._due += [(key, (listener, variable)) for listener in reversed(self._spread.get(container, ()))]
        return variable

    def any_of(self, container: int) -> int:
        """Return the variable that holds everything inside a container."""
        return self._any[container]

    def spread(self, container: int, listener: Callable[[str | int, int], None]) -> None:
        """Call `listener` with every key of a container, now and later."""
        self._spread[container].append(listener)
        for key, variable in list(self._keys[container].items()):
            listener(key, variable)

    def _indexed(self, value: int, to: int, key: str | int | None, symbol: int, line: int) -> None:
        values = self.values
        kind, first = values.kinds[value], values.first[value]
        if kind == Value.CONTAINER:
            container = int(first)
            if key is None or (isinstance(key, int) and key < 0):
                self.flow(self._any[container], to)
            else:
                self.flow(self.key(container, key), to)
                self.flow(self.key(container, "*"), to)
        elif kind == Value.INSTANCE:
            self.special(value, "__getitem__", to, (), symbol, line)
            if isinstance(key, int):  # unpacking
                self.iterate(value, to, symbol, line)
        elif kind == Value.CLASS:
            self.add(to, value)
        elif kind == Value.GENERATED:
            self.iterate(value, to, symbol, line)
        elif kind == Value.EXTERNAL:
            self.add(to, values.number(Value.EXTERNAL, natives.RESULT))

    def _stored_index(self, value: int, key: str | int, source: int, symbol: int, line: int) -> None:
        kind = self.values.kinds[value]
        if kind == Value.CONTAINER and source != NOTHING:
            self.flow(source, self.key(int(self.values.first[value]), key))
        elif kind == Value.INSTANCE:
            arguments = (("", NOTHING), ("", source))
            self.special(value, "__setitem__", self.fresh(), arguments, symbol, line)

    def iterate(self, value: int, to: int, symbol: int, line: int) -> None:
        """Let `to` hold what iterating over `value` gives."""
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.CONTAINER:
            self.flow(self._any[int(first)], to)
        elif kind == Value.GENERATED:
            self.flow(self.functions[int(first)].yields, to)
            self._site(to, (), symbol, line, "__next__", "special").targets[int(first)] = None  # its body runs here
        elif kind == Value.INSTANCE:
            result = self.fresh()
            for name in ("__iter__", "__aiter__"):
                self.special(value, name, result, (), symbol, line)
            self.wait(result, (self._next, to, value, symbol, line))
            if self.hierarchy.find(int(first), "__iter__") is None:
                self.special(value, "__getitem__", to, (), symbol, line)

    def _next(self, value: int, to: int, origin: int, symbol: int, line: int) -> None:
        kind = self.values.kinds[value]
        if kind == Value.INSTANCE:
            for name in ("__next__", "__anext__"):
                self.special(value, name, to, (), symbol, line)
        elif value != origin:
            self.iterate(value, to, symbol, line)

    # Calls

    def _site(self, to: int, arguments: Sequence[Argument], symbol: int, line: int, name: str, kind: str) -> Site:
        site = Site(to, arguments, symbol, line, name, kind)
        self.sites.append(site)
        return site

    def derived(self, site: Site, to: int, arguments: Sequence[Argument]) -> Site:
        """Return a new site at the same place: a callback is called from there."""
        return self._site(to, arguments, site.symbol, site.line, "", "callback")

    def _shift(self, arguments: Iterable[Argument]) -> list[Argument]:
        base = self._base
        return [(k, base + v if v != NOTHING else NOTHING) for k, v in arguments]

    def special(self, value: int, name: str, to: int, arguments: Sequence[Argument], symbol: int, line: int) -> None:
        """Call a method that an operator or statement stands for; only instances of the project have one."""
        values = self.values
        if values.kinds[value] != Value.INSTANCE:
            return
        owner = int(values.first[value])
        if self.hierarchy.find(owner, name) is not None:
            site = self._site(to, arguments, symbol, line, name, "special")
            self._look(owner, name, self._bind_call, site, value)

    def _called(self, value: int, name: str, site: Site) -> None:
        """`site` calls `value`.name."""
        values = self.values
        kind = values.kinds[value]
        if kind == Value.INSTANCE:
            owner = int(values.first[value])
            self._look(owner, name, self._bind_call, site, value)
            for base in self.hierarchy.linear(owner):
                self.wait(self.field(base, name), (self._bind_own, site, value))
            if self._is_served(owner, name):
                again = partial(self.special, value, "__getattr__", site.to, (), site.symbol, site.line)
                self._fallbacks.append((owner, name, again))
        elif kind == Value.CLASS:
            self._look(int(values.first[value]), name, self._bind_class_call, site, value)
        elif kind == Value.CONTAINER:
            self._called_inside(value, name, site)
        elif kind == Value.SUPER:
            if not self._load_super(value, name, (self._bind_super_call, site, value)):
                self._hand_up(site)
            site.note("external")
        elif kind == Value.EXTERNAL:
            self.apply(values.number(Value.EXTERNAL, name), site)
        elif kind in (Value.FUNCTION, Value.BOUND) and name[-2:] == "()":  # the one method of a functional interface
            self.apply(value, site)
        else:
            function = self.fresh()
            self.wait(function, (self._bind_own, site, value))
            self._loaded(value, function, name, site.symbol, site.line)

    def _called_inside(self, value: int, name: str, site: Site) -> None:
        container = int(self.values.first[value])
        if name in _CONTAINER_METHODS and name not in self._keys[container]:
            self.apply(self.values.number(Value.CONTAINER_METHOD, container, name), site)
            return
        self.wait(self.key(container, name), (self._bind_call, site, value))
        self._unnamed.append((container, name, (self._bind_call, site, value)))

    def _bind_call(self, value: int, site: Site, receiver: int) -> None:
        values = self.values
        if values.kinds[value] != Value.FUNCTION:
            result = self.fresh()
            if self._described(value, result, receiver, site.symbol, site.line):
                self.wait(result, (self.apply, site))
            else:
                self.apply(value, site)
            return
        function = int(values.first[value])
        traits = self.functions[function].traits
        if Trait.PROPERTY in traits:
            result = self.fresh()
            self.wait(result, (self.apply, site))
            self.call(self._site(result, (), site.symbol, site.line, "", "property"), function, receiver)
        elif Trait.STATIC in traits:
            self.call(site, function, NOTHING)
        else:
            self.call(site, function, self._receiver(traits, receiver))

    def _bind_own(self, value: int, site: Site, receiver: int) -> None:
        """What an instance or a function has of its own is called: in JavaScript, as a method of it."""
        values = self.values
        is_method = values.kinds[value] == Value.FUNCTION and values.kinds[receiver] in (Value.INSTANCE, Value.FUNCTION)
        if is_method and Trait.RECEIVER in self.functions[int(values.first[value])].traits:
            self.call(site, int(values.first[value]), receiver)
        else:
            self.apply(value, site)

    def _bind_class_call(self, value: int, site: Site, owner: int) -> None:
        values = self.values
        if values.kinds[value] == Value.FUNCTION:
            function = int(values.first[value])
            self.call(site, function, owner if Trait.CLASS in self.functions[function].traits else NOTHING)
        else:
            self.apply(value, site)

    def _bind_super_call(self, value: int, site: Site, above: int) -> None:
        self._bind_call(value, site, self.values.number(Value.INSTANCE, self.values.second[above]))

    def apply(self, value: int, site: Site) -> None:
        """`site` calls `value`."""
        values = self.values
        kind, first = values.kinds[value], values.first[value]
        if kind == Value.FUNCTION:
            self.call(site, int(first), NOTHING)
        elif kind == Value.BOUND:
            self.call(site, int(first), int(values.second[value]))
        elif kind == Value.CLASS:
            self._construct(int(first), value, site)
        elif kind == Value.INSTANCE:
            if site.meets(value):  # `A.__call__ = A()` comes back to itself
                self._look(int(first), "__call__", self._bind_call, site, value)
        elif kind == Value.CONTAINER_METHOD:
            site.note("external")
            natives.container_method(self, site, int(first), str(values.second[value]))
        elif kind == Value.EXTERNAL:
            site.note("external")
            natives.call(self, site, str(first))
        elif kind == Value.IDENTITY:
            for _, argument in site.arguments:
                self.flow(argument, site.to)

    def _construct(self, owner: int, value: int, site: Site) -> None:
        values = self.values
        if len(site.targets) > FAN or not site.meets(value):
            return
        instance = values.number(Value.INSTANCE, owner)
        self.add(site.to, instance)
        self._refer(site.symbol, self.class_symbol[owner], site.line)
        site.note("constructed")
        self._look(owner, "__init__", self._bind_call, site.constructor(self.fresh()), instance)
        self._look(owner, "__new__", self._bind_call, site.constructor(self.fresh()), value)
        if self.hierarchy.find(owner, "__init__") is None:
            for keyword, argument in site.arguments:
                if keyword and keyword[0] != "*" and argument != NOTHING:
                    self.flow(argument, self.field(owner, keyword))

    def call(self, site: Site, function: int, receiver: int) -> None:
        """`site` calls a function of the project, with a receiver or none."""
        targets = site.targets
        fact = self.functions[function]
        if Trait.EXACT in fact.traits and len(site.arguments) != len(fact.parameters) - 1 and not _is_open(site):
            return
        if function not in targets:
            targets[function] = None
        if len(targets) > FAN:
            return
        parameters = fact.parameters
        if receiver != NOTHING and parameters:
            self.add(parameters[0], receiver)
            parameters = parameters[1:]
        elif Trait.RECEIVER in fact.traits:
            parameters = parameters[1:]
        self._connect(site, function, fact, parameters, receiver)

    def _connect(self, site: Site, function: int, fact: FunctionFact, parameters: Sequence[int], receiver: int) -> None:
        """Connect arguments with parameters and the result with the call, once per function and site."""
        wiring = (function, receiver != NOTHING)
        if fact.passes and receiver != NOTHING and 0 in fact.passes:
            self.add(site.to, receiver)
        if wiring in site.wired:
            return
        site.wired.append(wiring)
        if fact.passes:
            self._give_back(site, fact, len(fact.parameters) - len(parameters))
        if self._follow_arguments:
            self._pass(site.arguments, fact, parameters)
        if Trait.CONTEXT in fact.traits:
            self.add(site.to, self.values.number(Value.MANAGER, function))
        elif Trait.GENERATOR in fact.traits:
            self.add(site.to, self.values.number(Value.GENERATED, function))
        else:
            self.flow(fact.result, site.to)

    def _give_back(self, site: Site, fact: FunctionFact, skipped: int) -> None:
        """Let what a function returns of its parameters reach this call alone."""
        spread = any(keyword[:1] == "*" for keyword, _ in site.arguments)
        places = [variable for keyword, variable in site.arguments if not keyword]
        named = dict(site.arguments)
        for place in fact.passes:
            at = place - skipped
            if at < 0:
                continue
            if spread:
                self.flow(fact.parameters[place], site.to)
                continue
            variable = places[at] if at < len(places) else named.get(fact.names[place], NOTHING)
            if variable != NOTHING:
                self.flow(variable, site.to)

    def _pass(self, arguments: Sequence[Argument], fact: FunctionFact, parameters: Sequence[int]) -> None:
        place = 0
        skipped = len(fact.parameters) - len(parameters)
        for keyword, argument in arguments:
            if argument == NOTHING:
                place += not keyword
            elif not keyword:
                self.flow(argument, parameters[place] if place < len(parameters) else self._inside(fact.rest))
                place += 1
            elif keyword == "*":
                rest = parameters[place:]
                self.wait(argument, (self._spread_places, tuple(rest), self._inside(fact.rest)))
            elif keyword == "**":
                self.wait(argument, (self._spread_names, fact, skipped))
            elif keyword == "this" and Trait.RECEIVER in fact.traits:
                self.flow(argument, fact.parameters[0])
            else:
                self.flow(argument, self._named_parameter(fact, keyword, skipped))

    def _named_parameter(self, fact: FunctionFact, name: str, skipped: int) -> int:
        if name in fact.names[skipped:]:
            return fact.parameters[fact.names.index(name, skipped)]
        if name in fact.keyword_only:
            return fact.keyword_only[name]
        return self._inside(fact.keywords, name)

    def _inside(self, variable: int, key: str = "*") -> int:
        """Return the variable of a key in the container that `*args` or `**kwargs` is; a new one if there is none."""
        for value in self._points[variable] or () if variable != NOTHING else ():
            if self.values.kinds[value] == Value.CONTAINER:
                return self.key(int(self.values.first[value]), key)
        return self.fresh()

    def _spread_places(self, value: int, parameters: tuple[int, ...], rest: int) -> None:
        if self.values.kinds[value] != Value.CONTAINER:
            return

        def passed(key: str | int, variable: int) -> None:
            chosen = parameters[key : key + 1] if isinstance(key, int) else parameters
            for parameter in chosen:
                self.flow(variable, parameter)
            if not isinstance(key, int) or key >= len(parameters):
                self.flow(variable, rest)

        self.spread(int(self.values.first[value]), passed)

    def _spread_names(self, value: int, fact: FunctionFact, skipped: int) -> None:
        if self.values.kinds[value] != Value.CONTAINER:
            return

        def passed(key: str | int, variable: int) -> None:
            if key == "*":
                for parameter in (*fact.parameters[skipped:], *fact.keyword_only.values()):
                    self.flow(variable, parameter)
                self.flow(variable, self._inside(fact.keywords))
            else:
                self.flow(variable, self._named_parameter(fact, str(key), skipped))

        self.spread(int(self.values.first[value]), passed)

    # Other

    def _instantiated(self, value: int, to: int) -> None:
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.CLASS:
            self.add(to, self.values.number(Value.INSTANCE, first))
        elif kind == Value.CONTAINER:  # an alias such as `Handler = Union[A, B]` in a tuple
            self.wait(self._any[int(first)], (self._instantiated, to))

    def _entered(self, value: int, to: int, symbol: int, line: int) -> None:
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind == Value.CONTAINER:  # what `pytest.raises` gives
            self.add(to, value)
        elif kind == Value.MANAGER:
            self.flow(self.functions[int(first)].yields, to)
        elif kind == Value.INSTANCE:
            for name in ("__enter__", "__aenter__"):
                self.special(value, name, to, (), symbol, line)
            for name in ("__exit__", "__aexit__"):
                self.special(value, name, self.fresh(), (), symbol, line)
        elif kind == Value.EXTERNAL:
            self.add(to, self.values.number(Value.EXTERNAL, natives.RESULT))

    def _above(self, value: int, to: int, start: int) -> None:
        kind, first = self.values.kinds[value], self.values.first[value]
        if kind in (Value.INSTANCE, Value.CLASS):
            self.add(to, self.values.number(Value.SUPER, start, first))

    def _decorated(self, value: int, site: Site, source: int, to: int) -> None:
        """An external decorator gives back what it got; one of the project is called."""
        kind = self.values.kinds[value]
        if kind in (Value.EXTERNAL, Value.IDENTITY):
            self.flow(source, to)
            if kind == Value.EXTERNAL and not natives.keeps(str(self.values.first[value])):
                natives.refer(self, site)
        else:
            self.apply(value, site)

    def _through(self, value: int, source: int, to: int) -> None:
        """What a decorator gave: a wrapper made by functools.wraps stands for what it wraps."""
        values = self.values
        if (
            values.kinds[value] == Value.FUNCTION
            and Trait.TRANSPARENT in self.functions[int(values.first[value])].traits
        ):
            self.flow(source, to)
        else:
            self.add(to, value)
            if values.kinds[value] == Value.INSTANCE:  # a property of the project's own making
                self.wait(source, (self._kept_property, to))

    def _kept_property(self, value: int, to: int) -> None:
        values = self.values
        if values.kinds[value] == Value.FUNCTION and Trait.PROPERTY in self.functions[int(values.first[value])].traits:
            self.add(to, value)

    def _raised(self, value: int, site: Site) -> None:
        if self.values.kinds[value] == Value.CLASS:
            self.apply(value, site)

    def refer(self, value: int, symbol: int, line: int) -> None:
        """Note that a function is handed to something outside: it may be called from there."""
        if self.values.kinds[value] in (Value.FUNCTION, Value.BOUND):
            self._refer(symbol, self.function_symbol[int(self.values.first[value])], line)

    def _refer(self, symbol: int, target: int, line: int) -> None:
        place = (symbol, line)
        if symbol != target and self._referred[place] < FAN:
            reference = Reference(symbol, target, line)
            self._referred[place] += reference not in self.references
            self.references[reference] = None

    _loaders: ClassVar[dict[int, Callable[..., None]]] = {
        Value.INSTANCE: _load_instance, Value.CLASS: _load_class, Value.MODULE: _load_module,
        Value.EXTERNAL: _load_external, Value.SUPER: _load_above, Value.CONTAINER: _load_container,
        Value.FUNCTION: _load_function, Value.BOUND: _load_function, Value.PACKAGE: _load_package,
    }  # fmt: skip
    _handlers: ClassVar[dict[int, Callable[..., None]]] = {
        Op.COPY: _copy, Op.FUNCTION: _function, Op.CLASS: _class, Op.LOAD: _load,
        Op.STORE: _store, Op.CALL: _call, Op.CALL_METHOD: _call_method, Op.ELEMENT: _element,
        Op.INDEX: _index, Op.STORE_INDEX: _store_index, Op.CONTAINER: _container,
        Op.IMPORT: _import, Op.IMPORT_ALL: _import_all, Op.EXTERNAL: _external,
        Op.SPECIAL: _special, Op.INSTANCE: _instance, Op.ENTER: _enter_context, Op.SUPER: _super,
        Op.DECORATE: _decorate, Op.RAISE: _raise, Op.FIXTURE: _fixture, Op.CONTAINERS: _containers,
        Op.DECLARED: _declared, Op.NARROW: _narrow,
    }  # fmt: skip


def _is_open(site: Site) -> bool:
    """Say whether a call has nobody knows how many arguments."""
    return any(keyword == "*" for keyword, _ in site.arguments)


def _shifted(fact: FunctionFact, base: int, classes: int) -> FunctionFact:
    """Return a function's facts with variables and class numbered for the whole project."""

    def move(variable: int) -> int:
        return variable + base if variable != NOTHING else NOTHING

    return fact._replace(
        owner=fact.owner + classes if fact.owner != NOTHING else NOTHING,
        names=tuple(fact.names),
        parameters=tuple(base + v for v in fact.parameters),
        keyword_only={name: base + v for name, v in fact.keyword_only.items()},
        rest=move(fact.rest), keywords=move(fact.keywords), result=base + fact.result, yields=base + fact.yields,
    )  # fmt: skip


#: What must be known before attributes are looked up.
_EARLY = frozenset((Op.IMPORT, Op.IMPORT_ALL, Op.CLASS, Op.FUNCTION, Op.EXTERNAL))
