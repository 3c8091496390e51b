"""Alignment of two versions of a file's facts: what is the same, what was removed, what was added.

The numbers of variables, functions and symbols shift at every edit. Here those of the old version
are found again in the new one, instruction by instruction, so that what is left over on both sides
is the change.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, pairwise
from typing import Any, NamedTuple

from gieok.code.model.facts import NOTHING, Facts, FunctionFact, Instruction, Op, SymbolKind, Trait
from gieok.code.resolve.instructions import OPERANDS, read_operand

#: Between their common beginnings and ends, longer versions are not compared.
_LONGEST = 3_000
#: Operations whose effect is never known to stay inside of a file.
_FAR = frozenset((Op.IMPORT_ALL, Op.MIX))
#: Operations of modules and classes that are never known to stay inside of a file: they write to
#: what others may hold.
_FAR_TOP = frozenset((Op.STORE, Op.RAISE))
#: Operations without a variable that receives the result.
WITHOUT_RESULT = frozenset((Op.STORE, Op.STORE_INDEX, Op.RAISE, Op.IMPORT_ALL, Op.MIX))

Row = Sequence[Any]


class RowLevels(NamedTuple):
    """Instructions of one side, on the level of modules and classes and inside of functions."""

    top: list[Row]
    inner: list[Row]


class FactsAlignment(NamedTuple):
    """What is the same in two versions of a file, and what is not."""

    #: New function, variable, container, class → the old one that it was.
    functions: dict[int, int]
    variables: dict[int, int]
    containers: dict[int, int]
    classes: dict[int, int]
    #: Old and new instructions whose effect differs: removed or added, or of a variable that such
    #: an instruction writes.
    removed: RowLevels
    added: RowLevels
    #: Other new instructions at the lines of these.
    beside: RowLevels
    #: Variables, on both sides, whose values may differ.
    old_touched: set[int]
    new_touched: set[int]
    #: (symbol, line) on both sides whose edges are made again; and old (symbol, line) → new line
    #: for all others.
    old_places: set[tuple[str, int]]
    new_places: set[tuple[str, int]]
    lines: dict[tuple[str, int], int]
    #: Old functions that are gone, new ones that came.
    gone: list[int]
    come: list[int]


class Folds(NamedTuple):
    """Names under which the edges of a file's symbols are kept, by the symbols' numbers."""

    old: Sequence[str]
    new: Sequence[str]


def align_facts(old: Facts, new: Facts, fold: Folds) -> FactsAlignment | None:
    """Return what differs between two versions of a file; None where that cannot be told."""
    if (old.language, old.package) != (new.language, new.package):
        return None
    aligner = _Aligner(old, new)
    if not aligner.match_definitions():
        return None
    pairs = [
        aligner.match(before, after)
        for before, after in ((old.top, new.top), (old.inner, new.inner))
    ]
    return _Differences(aligner, pairs, fold).find()


class _Pairs(NamedTuple):
    """Instructions of one level, as lists, with the numbers of those that are the same."""

    old: list[Row]
    new: list[Row]
    same: list[tuple[int, int]]


class _Aligner:
    """Matching of the numbers of two versions of a file."""

    def __init__(self, old: Facts, new: Facts) -> None:
        self.old = old
        self.new = new
        #: New → old, and old → new.
        self.variables: dict[int, int] = {}
        self.old_variables: dict[int, int] = {}
        self.symbols: dict[int, int] = {}
        self.functions: dict[int, int] = {}
        self.classes: dict[int, int] = {}
        self.containers: dict[int, int] = {}
        #: Old and new variables by which others reach a function, class or module.
        self.old_shared: set[int] = set()
        self.new_shared: set[int] = set()

    def match_definitions(self) -> bool:
        """Match symbols, functions, classes and names; return whether no class changed or went."""
        old, new = self.old, self.new
        known = dict(zip(_iter_symbol_names(old), range(len(old.symbols)), strict=True))
        for number, name in enumerate(_iter_symbol_names(new)):
            if name in known:
                self.symbols[number] = known[name]
        classes = {fact.symbol: number for number, fact in enumerate(old.classes)}
        for number, kind in enumerate(new.classes):
            before = classes.get(self.symbols.get(kind.symbol, NOTHING))
            if before is not None:
                self.classes[number] = before
        functions = {fact.symbol: number for number, fact in enumerate(old.functions)}
        for number, fact in enumerate(new.functions):
            before = functions.get(self.symbols.get(fact.symbol, NOTHING))
            if before is not None and self._match_function(old.functions[before], fact):
                self.functions[number] = before
        matched = [*self.functions.values()]
        return (
            all(a < b for a, b in pairwise(matched))
            and self._match_classes()
            and self._match_names()
        )

    def _match_function(self, old: FunctionFact, new: FunctionFact) -> bool:
        pairs = [*zip(old.parameters, new.parameters, strict=False)]
        pairs += zip(old.keyword_only.values(), new.keyword_only.values(), strict=False)
        pairs += [
            (old.rest, new.rest),
            (old.keywords, new.keywords),
            (old.result, new.result),
            (old.yields, new.yields),
        ]
        is_same = (
            [*old.names] == [*new.names]
            and len(old.parameters) == len(new.parameters)
            and [*old.keyword_only] == [*new.keyword_only]
            and old.owner == self._find_old_class(new.owner)
            and [*old.traits] == [*new.traits]
            and [*old.passes] == [*new.passes]
            and all((a == NOTHING) == (b == NOTHING) for a, b in pairs)
        )
        return is_same and all(a == NOTHING or self._share(a, b) for a, b in pairs)

    def _match_classes(self) -> bool:
        if [*self.classes.values()] != [*range(len(self.old.classes))]:
            return False
        for number, known in self.classes.items():
            before, after = self.old.classes[known], self.new.classes[number]
            if len(before.bases) != len(after.bases):
                return False
            for a, b in zip(before.bases, after.bases, strict=True):
                if (a == NOTHING) != (b == NOTHING) or (a != NOTHING and not self._pair(a, b)):
                    return False
            for name, variable in after.attributes.items():
                if name in before.attributes and not self._share(before.attributes[name], variable):
                    return False
        return True

    def _find_old_class(self, number: int) -> int:
        """Return the old number of a new class; a number that no class has where it is new."""
        return NOTHING if number == NOTHING else self.classes.get(number, ~len(self.old.classes))

    def _match_names(self) -> bool:
        old, new = self.old.names, self.new.names
        return all(self._share(old[name], new[name]) for name in new if name in old)

    def _share(self, old: int, new: int) -> bool:
        """Match two variables through which others reach what is defined."""
        self.old_shared.add(old)
        self.new_shared.add(new)
        return self._pair(old, new)

    def _pair(self, old: int, new: int) -> bool:
        """Match two variables; return whether neither is matched with another."""
        return (
            self.variables.setdefault(new, old) == old
            and self.old_variables.setdefault(old, new) == new
        )

    # Instructions

    def match(self, before: Collection[Instruction], after: Collection[Instruction]) -> _Pairs:
        """Match instructions from both ends, and between as far as they look alike."""
        all_old, all_new = [*iter_rows(before)], [*iter_rows(after)]
        externals = self._match_externals(all_old, all_new)
        old_numbers = _list_others(len(all_old), {a for a, _ in externals})
        new_numbers = _list_others(len(all_new), {b for _, b in externals})
        old, new = [all_old[n] for n in old_numbers], [all_new[n] for n in new_numbers]
        same = [(old_numbers[a], new_numbers[b]) for a, b in self._match_in_order(old, new)]
        return _Pairs(all_old, all_new, externals + same)

    def _match_externals(self, old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, int]]:
        """Match what is external by its name, wherever it stands.

        Such an instruction gives its variable one value and has no other effect. It stands at the
        first use of a name, which moves with every earlier use.
        """
        known = _find_externals(new)
        return [
            (number, known[name])
            for name, number in _find_externals(old).items()
            if name in known and self._match_rows(old[number], new[known[name]])
        ]

    def _match_in_order(self, old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, int]]:
        first, end = 0, min(len(old), len(new))
        while first < end and self._match_rows(old[first], new[first]):
            first += 1
        same = [(n, n) for n in range(first)]
        last, most = 0, end - first
        while last < most and self._match_rows(old[-last - 1], new[-last - 1]):
            last += 1
        old_end, new_end = len(old) - last, len(new) - last
        if 0 < old_end - first <= _LONGEST and 0 < new_end - first <= _LONGEST:
            shapes = (
                [self._shape(row, is_new=False) for row in old[first:old_end]],
                [self._shape(row, is_new=True) for row in new[first:new_end]],
            )
            for a, b, size in SequenceMatcher(None, *shapes, autojunk=False).get_matching_blocks():
                for n in range(size):
                    place = (first + a + n, first + b + n)
                    if self._match_rows(old[place[0]], new[place[1]]):
                        same.append(place)
        same += [(old_end + n, new_end + n) for n in range(last)]
        return same

    def _match_rows(self, old: Row, new: Row) -> bool:
        """Match the variables of two instructions; return whether the two are the same."""
        if self._shape(old, is_new=False) != self._shape(new, is_new=True):
            return False
        fresh: dict[int, int] = {}
        for a, b in zip(iter_variables(old), iter_variables(new), strict=True):
            known = self.variables.get(b)
            if known is None and a not in self.old_variables:
                known = fresh.setdefault(b, a)
            if known != a:
                return False
        if len({*fresh.values()}) != len(fresh):
            return False
        before, after = read_operand(old, "k"), read_operand(new, "k")
        if before is not None and after is not None:
            self.containers[after] = before
        for b, a in fresh.items():
            self._pair(a, b)
        return True

    def _shape(self, row: Row, *, is_new: bool) -> tuple[object, ...]:
        """Return what two instructions have in common if they are the same."""
        op = int(row[0])
        shape: list[object] = [op]
        for place, kind in enumerate(OPERANDS[op], 1):
            operand = row[place]
            if kind in ("l", "k"):
                continue
            if kind == "v":
                shape.append(self._shape_variable(operand, is_new=is_new))
            elif kind == "a":
                shape.append(tuple((k, self._shape_variable(v, is_new=is_new)) for k, v in operand))
            elif kind == "s" and is_new:
                shape.append(self.symbols.get(operand, ~operand))
            elif kind == "f" and is_new:
                shape.append(self.functions.get(operand, ~operand))
            elif kind == "c" and is_new:
                shape.append(self._find_old_class(operand))
            else:
                shape.append(operand)
        return tuple(shape)

    def _shape_variable(self, variable: int, *, is_new: bool) -> object:
        if variable == NOTHING:
            return None
        if is_new:
            return self.variables[variable] if variable in self.new_shared else "local"
        return variable if variable in self.old_shared else "local"


class _Places(NamedTuple):
    """Places, as symbols with lines, whose edges are made again; and lines of all others."""

    old: set[tuple[str, int]]
    new: set[tuple[str, int]]
    lines: dict[tuple[str, int], int]


class _Differences:
    """Instructions and variables that two versions of a file do not have in common."""

    def __init__(self, aligner: _Aligner, levels: Sequence[_Pairs], fold: Folds) -> None:
        self._aligner = aligner
        self._levels = levels
        self._fold = fold
        self._removed = [
            set(range(len(level.old))) - {old for old, _ in level.same} for level in levels
        ]
        self._added = [
            set(range(len(level.new))) - {new for _, new in level.same} for level in levels
        ]
        self._same = [sorted(level.same) for level in levels]
        self._old_touched: set[int] = set()
        self._new_touched: set[int] = set()
        functions = aligner.functions
        self._gone = sorted(set(range(len(aligner.old.functions))) - {*functions.values()})
        self._come = sorted(set(range(len(aligner.new.functions))) - functions.keys())

    def find(self) -> FactsAlignment | None:
        """Return the differences; None where one has an effect that is not known to be near."""
        self._touch_functions()
        for level, removed, added in zip(self._levels, self._removed, self._added, strict=True):
            for number in removed:
                self._touch(level.old[number], self._old_touched, self._aligner.old_shared)
            for number in added:
                self._touch(level.new[number], self._new_touched, self._aligner.new_shared)
        self._spread()
        removed_rows = RowLevels(*self._select(self._removed, is_new=False))
        added_rows = RowLevels(*self._select(self._added, is_new=True))
        if not self._is_near(removed_rows, added_rows):
            return None
        places = self._find_places(removed_rows, added_rows)
        if places is None:
            return None
        beside = [
            [
                level.new[new]
                for _, new in same
                if _has_line(level.new[new])
                and _place_edges(level.new[new], self._fold.new) in places.new
            ]
            for level, same in zip(self._levels, self._same, strict=True)
        ]
        if any(map(_reaches_far, beside)):
            return None
        made = find_made_containers(added_rows)
        containers = self._aligner.containers
        return FactsAlignment(
            functions=self._aligner.functions,
            variables=self._aligner.variables,
            containers={new: old for new, old in containers.items() if new not in made},
            classes=self._aligner.classes,
            removed=removed_rows,
            added=added_rows,
            beside=RowLevels(*beside),
            old_touched=self._old_touched,
            new_touched=self._new_touched,
            old_places=places.old,
            new_places=places.new,
            lines=places.lines,
            gone=self._gone,
            come=self._come,
        )

    # Variables whose values may differ

    def _touch_functions(self) -> None:
        """Note the variables of functions and names that only one of the versions has."""
        aligner = self._aligner
        for facts, numbers, touched, shared in (
            (aligner.old, self._gone, self._old_touched, aligner.old_shared),
            (aligner.new, self._come, self._new_touched, aligner.new_shared),
        ):
            for names in (facts.names, *(fact.attributes for fact in facts.classes)):
                touched.update({*names.values()} - shared)
            for number in numbers:
                fact = facts.functions[number]
                touched.update(fact.parameters, fact.keyword_only.values())
                touched.update((fact.rest, fact.keywords, fact.result, fact.yields))
            touched.discard(NOTHING)

    def _touch(self, row: Row, touched: set[int], shared: set[int]) -> None:
        """Note the variable that an instruction writes; shared ones are watched as it runs."""
        op, variable, *_ = row
        # the container of a literal is written by its elements
        if (op not in WITHOUT_RESULT or op == Op.STORE_INDEX) and variable not in shared:
            touched.add(variable)
            touched.discard(NOTHING)

    def _spread(self) -> None:
        """Let instructions that read or write touched variables be removed and added too."""
        aligner = self._aligner
        size = -1
        while size != len(self._old_touched) + len(self._new_touched):
            size = len(self._old_touched) + len(self._new_touched)
            self._new_touched |= {
                aligner.old_variables[v] for v in self._old_touched if v in aligner.old_variables
            }
            self._old_touched |= {
                aligner.variables[v] for v in self._new_touched if v in aligner.variables
            }
            for number, level in enumerate(self._levels):
                self._same[number] = [
                    pair for pair in self._same[number] if not self._take(number, level, pair)
                ]

    def _take(self, number: int, level: _Pairs, pair: tuple[int, int]) -> bool:
        """Take an instruction out of what is the same, if it has a touched variable."""
        old, new = level.old[pair[0]], level.new[pair[1]]
        if self._new_touched.isdisjoint(iter_variables(new)):
            return False
        self._removed[number].add(pair[0])
        self._added[number].add(pair[1])
        self._touch(old, self._old_touched, self._aligner.old_shared)
        self._touch(new, self._new_touched, self._aligner.new_shared)
        return True

    def _select(self, numbers: Sequence[set[int]], *, is_new: bool) -> list[list[Row]]:
        """Return instructions of each level, in their order."""
        return [
            [(level.new if is_new else level.old)[number] for number in sorted(chosen)]
            for level, chosen in zip(self._levels, numbers, strict=True)
        ]

    # Effects and places

    def _is_near(self, removed: RowLevels, added: RowLevels) -> bool:
        """Return whether the effects of what differs may stay inside of the file."""
        aligner = self._aligner
        if any(map(_reaches_far, (*removed, *added))):
            return False
        made = [row[2] for rows in added for row in rows if row[0] == Op.CLASS]
        if any(row[0] == Op.CLASS for rows in removed for row in rows) or any(
            number in aligner.classes for number in made
        ):
            return False
        facts = [aligner.old.functions[n] for n in self._gone]
        facts += [aligner.new.functions[n] for n in self._come]
        return (
            not any(Trait.PROVIDER in fact.traits for fact in facts)
            and _is_of_names(removed.top, self._gone, self._old_touched)
            and _is_of_names(added.top, self._come, self._new_touched)
            and _have_functions(aligner.old, {*aligner.symbols.values()}, self._gone)
            and _have_functions(aligner.new, {*aligner.symbols}, self._come)
        )

    def _find_places(self, removed: RowLevels, added: RowLevels) -> _Places | None:
        """Return the places of what differs, and those that cannot be told from them."""
        old_places = _collect_edge_places(chain(*removed), self._fold.old)
        new_places = _collect_edge_places(chain(*added), self._fold.new)
        pairs = [
            (_place_edges(level.old[a], self._fold.old), _place_edges(level.new[b], self._fold.new))
            for level, same in zip(self._levels, self._same, strict=True)
            for a, b in same
            if _has_line(level.old[a])
        ]
        forth, back = dict(pairs), {new: old for old, new in pairs}
        for old, new in pairs:  # lines that became one, or one that became several
            if forth[old] != new or back[new] != old:
                old_places |= {old, back[new]}
                new_places |= {new, forth[old]}
        size = -1
        while size != len(old_places) + len(new_places):
            size = len(old_places) + len(new_places)
            for old, new in pairs:
                if old in old_places or new in new_places:
                    old_places.add(old)
                    new_places.add(new)
        kept = [(old, new) for old, new in pairs if old not in old_places]
        if any(old[0] != new[0] for old, new in kept):
            return None
        return _Places(old_places, new_places, {old: new[1] for old, new in kept})


def _find_externals(rows: Sequence[Row]) -> dict[str, int]:
    """Return name → number of the instructions that alone give an external of the name."""
    found: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if row[0] == Op.EXTERNAL:
            found.setdefault(row[2], []).append(number)
    return {name: numbers[0] for name, numbers in found.items() if len(numbers) == 1}


def _list_others(count: int, numbers: Collection[int]) -> list[int]:
    """Return the numbers below a count that are not among some."""
    return [number for number in range(count) if number not in numbers]


def _place_edges(row: Row, fold: Sequence[str]) -> tuple[str, int]:
    """Return the symbol that holds the edges of an instruction, and the line."""
    symbol = read_operand(row, "s")
    return fold[0 if symbol is None else symbol], read_operand(row, "l") or 0


def _collect_edge_places(rows: Iterable[Row], fold: Sequence[str]) -> set[tuple[str, int]]:
    """Return the places of those instructions that have a line."""
    return {_place_edges(row, fold) for row in rows if _has_line(row)}


def _has_line(row: Row) -> bool:
    """Return whether an instruction makes edges at a line."""
    return read_operand(row, "l") is not None


def _reaches_far(rows: Iterable[Row]) -> bool:
    """Return whether an instruction has an effect that is never known to stay inside of a file."""
    return any(op in _FAR for op, *_ in rows)


def find_made_containers(levels: RowLevels) -> set[int]:
    """Return the containers that instructions make."""
    found = {read_operand(row, "k") for rows in levels for row in rows}
    return {container for container in found if container is not None}


def _have_functions(facts: Facts, matched: set[int], functions: Sequence[int]) -> bool:
    """Return whether the symbols of only one version are those of its functions and classes."""
    own = {facts.functions[number].symbol for number in functions}
    own.update(kind.symbol for kind in facts.classes)
    return all(
        number in matched or number in own or symbol.kind == SymbolKind.MARKER
        for number, symbol in enumerate(facts.symbols)
    )


def _is_of_names(top: Sequence[Row], functions: Sequence[int], touched: Collection[int]) -> bool:
    """Return whether instructions of a module or class only give values to names of their own.

    Names that both versions have, and functions too, are held by others.
    """
    return all(
        row[0] not in _FAR_TOP
        and row[1] in touched
        and (row[0] != Op.FUNCTION or row[2] in functions)
        for row in top
    )


def iter_rows(instructions: Collection[Instruction]) -> Iterator[Any]:
    """Yield instructions, whose operands are of kinds that their operation says."""
    yield from instructions


def iter_variables(row: Row) -> Iterator[int]:
    """Yield the variables of an instruction."""
    for kind, operand in zip(OPERANDS[row[0]], row[1:], strict=False):
        if kind == "v" and operand != NOTHING:
            yield operand
        elif kind == "a":
            yield from (variable for _, variable in operand if variable != NOTHING)


def _iter_symbol_names(facts: Facts) -> Iterator[tuple[str, str, int]]:
    """Yield the name, kind and number among its likes of each symbol, with its traits."""
    seen: Counter[tuple[str, str]] = Counter()
    for symbol in facts.symbols:
        likeness = (symbol.qualified, f"{symbol.kind} {' '.join(symbol.traits)}")
        seen[likeness] += 1
        is_marker = symbol.kind == SymbolKind.MARKER
        yield (*likeness, -seen[likeness] if is_marker else seen[likeness])
