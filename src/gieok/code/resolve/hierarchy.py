"""Class hierarchy: bases and subclasses, in Python's method resolution order (C3)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

Class = int
Variable = int


class Hierarchy:
    """Class hierarchy that grows while bases are resolved.

    A class is a number; classes are numbered in the order in which they are added. A look-up whose
    answer may change with a new base or attribute is repeated by who made it.
    """

    def __init__(self) -> None:
        self.attributes: list[dict[str, Variable]] = []
        self._bases: list[list[Class]] = []
        self._places: dict[tuple[Class, Class], int] = {}
        self._subclasses: dict[Class, list[Class]] = defaultdict(list)
        self._linear: dict[Class, tuple[Class, ...]] = {}
        #: Class → the names that were looked up in it.
        self._looked: dict[Class, list[str]] = defaultdict(list)
        #: Classes whose look-ups, of one name or all, wait to be repeated: in a long chain of
        #: classes each is repeated once, not at every new base.
        self._stale: dict[tuple[Class, str | None], None] = {}
        #: Classes with a base from outside of the project.
        self.outside: set[Class] = set()
        #: Classes whose bases or attributes changed, or those of their superclasses.
        self.changed: set[Class] = set()
        #: Name → the classes that have it, once all are known.
        self._having: dict[str, list[Class]] = defaultdict(list)

    def add(self, attributes: dict[str, Variable]) -> Class:
        """Add a class and return its number."""
        self.attributes.append(attributes)
        self._bases.append([])
        return len(self._bases) - 1

    def bases(self, owner: Class) -> list[Class]:
        """Return the direct bases, in the order of the source."""
        return self._bases[owner]

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Yield every subclass, direct or not, each once."""
        seen, stack = {owner}, [owner]
        while stack:
            for child in self._subclasses[stack.pop()]:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
                    yield child

    def inherit(self, owner: Class, base: Class, place: int) -> bool:
        """Add a base that stands at `place` in the source; return whether it is new."""
        known = self._bases[owner]
        if base == owner or base in known or owner in self.linear(base):
            return False
        self._places[owner, base] = place
        known.append(base)
        known.sort(key=lambda b: self._places[owner, b])
        self._subclasses[base].append(owner)
        affected = [owner, *self.descendants(owner)]
        for child in affected:
            self._linear.pop(child, None)
        self.changed.update(affected)
        self._again(affected, None)
        return True

    def leave(self, owner: Class) -> None:
        """Note that a class has an external base, of which nothing is known."""
        self.outside.add(owner)
        self.changed.update((owner, *self.descendants(owner)))

    def are_related(self, owner: Class, other: Class) -> bool:
        """Return whether two classes have a base of the project in common."""
        return not set(self.linear(owner)).isdisjoint(self.linear(other))

    def is_outside(self, owner: Class) -> bool:
        """Return whether a class or one of its superclasses has an external base."""
        return bool(self.outside) and not self.outside.isdisjoint(self.linear(owner))

    def overriders(self, owner: Class, name: str) -> list[Variable]:
        """Return the attributes of this name that the subclasses define themselves, each once.

        The attributes are in the order in which their classes were added.
        """
        variables = (self.attributes[child].get(name) for child in sorted(self.descendants(owner)))
        return list(dict.fromkeys(variable for variable in variables if variable is not None))

    def satisfying(self, owner: Class, name: str) -> list[Variable]:
        """Return the own attributes of this name in the classes that satisfy a protocol.

        `owner` is the protocol; the other classes have all of its attributes.
        """
        if not self._having:
            for number, names in enumerate(self.attributes):
                for attribute in names:
                    self._having[attribute].append(number)
        required = self.attributes[owner]
        return [
            self.attributes[other][name]
            for other in self._having[name]
            if other != owner
            and all(self.find(other, attribute) is not None for attribute in required)
        ]

    def define(self, owner: Class, name: str, variable: Variable) -> None:
        """Add an attribute that is set from outside of the class body."""
        self.attributes[owner][name] = variable
        affected = [owner, *self.descendants(owner)]
        self.changed.update(affected)
        self._again(affected, name)

    def _again(self, classes: list[Class], name: str | None) -> None:
        for child in classes:
            if child in self._looked:
                self._stale[child, name] = None

    def take_stale(self) -> list[tuple[Class, str]]:
        """Return the watched look-ups that additions may have changed, and forget that they did."""
        stale, self._stale = self._stale, {}
        return [
            (child, looked)
            for child, name in stale
            for looked in self._looked[child]
            if name is None or looked == name
        ]

    def watch(self, owner: Class, name: str) -> None:
        """Note that `name` was looked up in `owner`, once for each name."""
        self._looked[owner].append(name)

    def looked_names(self) -> dict[Class, list[str]]:
        """Return the names that were looked up in each class."""
        return self._looked

    def let_go(self) -> None:
        """Forget the look-ups, so that none is repeated."""
        self._looked = defaultdict(list)

    def find(self, owner: Class, name: str) -> Variable | None:
        """Return the attribute of the first class in the resolution order that has it."""
        for base in self.linear(owner):
            variable = self.attributes[base].get(name)
            if variable is not None:
                return variable
        return None

    def find_after(self, start: Class, owner: Class, name: str) -> Variable | None:
        """Return what `super()` in `start` finds for a receiver of class `owner`."""
        linear = self.linear(owner)
        rest = linear[linear.index(start) + 1 :] if start in linear else self.linear(start)[1:]
        for base in rest:
            variable = self.attributes[base].get(name)
            if variable is not None:
                return variable
        return None

    def linear(self, owner: Class) -> tuple[Class, ...]:
        """Return the class and its bases in resolution order; depth first where C3 has no
        answer.
        """
        linear, stack = self._linear, [owner]
        while owner not in linear:
            bases = self._bases[stack[-1]]
            # no cycle is possible: `inherit` refuses cycles
            missing = [base for base in bases if base not in linear]
            stack += missing
            if not missing:
                last = stack.pop()
                linear[last] = (last, *_merge_class_lines([linear[base] for base in bases], bases))
        return linear[owner]


def _merge_class_lines(lines: list[tuple[Class, ...]], bases: list[Class]) -> Iterable[Class]:
    if len(lines) < 2:
        return lines[0] if lines else ()
    lists = [*map(list, lines), bases]
    behind = Counter(chain.from_iterable(line[1:] for line in lists))
    rests = [line[::-1] for line in lists]
    out: dict[Class, None] = {}
    while heads := [rest[-1] for rest in rests if rest]:
        out[next((head for head in heads if not behind[head]), heads[0])] = None
        for rest in rests:
            while rest and rest[-1] in out:
                rest.pop()
                if rest:
                    behind[rest[-1]] -= 1
    return out
