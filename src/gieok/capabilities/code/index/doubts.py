"""What of a call's targets is less than sure, and why: many of them, bodies that others override, objects from outside."""

from collections.abc import Sequence
from functools import cache, partial

from gieok.capabilities.code.languages import places
from gieok.capabilities.code.model.facts import NOTHING, Trait
from gieok.capabilities.code.resolve.program import FAN, Program, Site
from gieok.capabilities.code.resolve.values import Value

#: More methods than this of any object but `self`, and one of them is possible, not certain: of nine to twelve .21 were right
#: on eight projects, of seven or eight .82.
_MOST_METHODS = 8
_LARGEST_TABLE = 40


class Doubts:
    """The doubts about the calls of a program."""

    def __init__(self, program: Program, keys: Sequence[str]) -> None:
        self._program = program
        self._keys = keys
        self._stand_ins = cache(program.stand_ins)
        #: The variables of `self`: an inherited method runs on every class below.
        self._selves = {f.parameters[0] for f in program.functions if f.owner != NOTHING and f.parameters}
        self._remade = cache(partial(_is_remade, program))  # not a method: a circle would keep the program

    def of(self, site: Site) -> dict[int, str]:
        """Return the functions that a site may call, and why they are not sure: of its targets, and others."""
        count = len(site.targets)
        if count > (FAN if site.kind != "method" or site.place in self._selves else _MOST_METHODS) and not (
            site.kind == "call" and self._is_registry(site)
        ):
            return dict.fromkeys(site.targets, f"one of {count} possible targets")
        found = self._doubles(site)
        for function in site.targets:
            fact = self._program.functions[function]
            if Trait.ABSTRACT in fact.traits or Trait.DECLARED in fact.traits:
                others = self._stand_ins(function)
                if others or Trait.DECLARED in fact.traits:
                    found[function] = "stands for what overrides it"
                for other in others if len(others) <= FAN else ():
                    if other not in site.targets:
                        found[other] = "overrides what is called"
            elif (
                "constructed" in site.wired
                and fact.owner != NOTHING
                and self._remade(fact.owner)
                and self._is_maker(function)
            ):
                found[function] = "`__new__` may give an object of another class"
        return found

    def _doubles(self, site: Site) -> dict[int, str]:
        """Return the methods of what tests put in the place of the product's own objects. A callback is no double."""
        path = self._keys[site.symbol].partition("::")[0]
        if len(site.targets) < 2 or site.kind != "method" or places.is_test(path):
            return {}
        own = [
            f for f in site.targets if places.is_test(self._keys[self._program.function_symbol[f]].partition("::")[0])
        ]
        return dict.fromkeys(own, "defined in a test") if len(own) < len(site.targets) else {}

    def _is_registry(self, site: Site) -> bool:
        """Say whether what is called are functions of many names: a table of them. Of one name, they are what callers pass."""
        names = {self._keys[self._program.function_symbol[f]].rpartition(".")[2] for f in site.targets}
        return len(site.targets) <= _LARGEST_TABLE and len(names) > FAN

    def _is_maker(self, function: int) -> bool:
        fact = self._program.functions[function]
        return function in self._program.held_functions(self._program.hierarchy.find(fact.owner, "__init__"))


def _is_remade(program: Program, owner: int) -> bool:
    """Say whether a class has a `__new__` that may give an object of an unrelated class."""
    hierarchy, values = program.hierarchy, program.values
    return any(
        values.kinds[value] == Value.INSTANCE and not hierarchy.are_related(owner, int(values.first[value]))
        for function in program.held_functions(hierarchy.find(owner, "__new__"))
        for value in program.flows.held(program.functions[function].result)
    )
