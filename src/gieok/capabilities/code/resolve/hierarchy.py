"""Classes, their bases and who inherits from whom; answers in the method resolution order of Python (C3)."""

from collections import defaultdict
from collections.abc import Callable, Iterator

Class = int
Variable = int
#: Called again when the answer to a look-up may have changed.
Lookup = Callable[[], None]


class Hierarchy:
    """Grows while bases are resolved; look-ups that a new base or attribute may change are made again."""

    def __init__(self) -> None:
        self.attributes: list[dict[str, Variable]] = []
        self._bases: list[list[Class]] = []
        self._order: dict[Class, list[int]] = {}
        self._subclasses: dict[Class, list[Class]] = defaultdict(list)
        self._linear: dict[Class, tuple[Class, ...]] = {}
        #: Look-ups to make again, by class.
        self.looked: dict[Class, list[tuple[str, Lookup]]] = defaultdict(list)

    def add(self, attributes: dict[str, Variable]) -> Class:
        """Add a class and return its number."""
        self.attributes.append(attributes)
        self._bases.append([])
        return len(self._bases) - 1

    def bases(self, owner: Class) -> list[Class]:
        """Return the direct bases, in the order of the source."""
        return self._bases[owner]

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Yield every class below, each once."""
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
        order = self._order.setdefault(owner * 4096 + base, [])  # remember the place beside the pair
        order.append(place)
        known.append(base)
        known.sort(key=lambda b: self._order[owner * 4096 + b][0])
        self._subclasses[base].append(owner)
        affected = [owner, *self.descendants(owner)]
        for child in affected:
            self._linear.pop(child, None)
        self._again(affected, None)
        return True

    def define(self, owner: Class, name: str, variable: Variable) -> None:
        """Add an attribute that is set from outside of the class body."""
        self.attributes[owner][name] = variable
        self._again([owner, *self.descendants(owner)], name)

    def _again(self, classes: list[Class], name: str | None) -> None:
        for child in classes:
            for looked, lookup in list(self.looked.get(child, ())):
                if name is None or looked == name:
                    lookup()

    def watch(self, owner: Class, name: str, lookup: Lookup) -> None:
        """Make `lookup` again whenever what `owner` has under `name` may have changed."""
        self.looked[owner].append((name, lookup))

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
        """Return the class and its bases in resolution order; where C3 has no answer, depth first."""
        known = self._linear.get(owner)
        if known is None:
            self._linear[owner] = (owner,)  # a cycle ends here
            lists = [list(self.linear(base)) for base in self._bases[owner]] + [list(self._bases[owner])]
            known = self._linear[owner] = (owner, *_merged([one for one in lists if one]))
        return known


def _merged(lists: list[list[Class]]) -> list[Class]:
    out: list[Class] = []
    while lists:
        heads = [one[0] for one in lists]
        head = next((h for h in heads if not any(h in one[1:] for one in lists)), heads[0])
        if head not in out:
            out.append(head)
        lists = [rest for one in lists if (rest := [c for c in one if c != head])]
    return out
