"""What of a call's targets is less than sure, and why: many of them, bodies that others override, objects from outside."""

from functools import cache

from gieok.capabilities.code.model.facts import NOTHING, Trait
from gieok.capabilities.code.resolve.program import FAN, Program, Site
from gieok.capabilities.code.resolve.values import Value

#: More methods than this of any object but `self`, and one of them is possible, not certain: of nine to twelve .21 were right
#: on eight projects, of seven or eight .82.
_MOST_METHODS = 8


class Doubts:
    """The doubts about the calls of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._stand_ins = cache(program.stand_ins)
        #: The variables of `self`: an inherited method runs on every class below.
        self._selves = {f.parameters[0] for f in program.functions if f.owner != NOTHING and f.parameters}
        self._remade = cache(self._is_remade)

    def of(self, site: Site) -> dict[int, str]:
        """Return the functions that a site may call, and why they are not sure: of its targets, and others."""
        count = len(site.targets)
        if count > FAN or (count > _MOST_METHODS and site.kind == "method" and site.place not in self._selves):
            return dict.fromkeys(site.targets, f"one of {count} possible targets")
        found: dict[int, str] = {}
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

    def is_outside(self, site: Site) -> bool:
        """Say whether a call's object is of a class that inherits from outside, and so may have what no class here has."""
        program, values = self._program, self._program.values
        return site.place != NOTHING and any(
            values.kinds[value] in (Value.INSTANCE, Value.CLASS)
            and program.hierarchy.is_outside(int(values.first[value]))
            for value in program.flows.held(site.place)
        )

    def _is_maker(self, function: int) -> bool:
        fact = self._program.functions[function]
        return function in self._program.held_functions(self._program.hierarchy.find(fact.owner, "__init__"))

    def _is_remade(self, owner: int) -> bool:
        """Say whether a class has a `__new__` that may give an object of an unrelated class."""
        program, hierarchy = self._program, self._program.hierarchy
        values = program.values
        return any(
            values.kinds[value] == Value.INSTANCE and not hierarchy.are_related(owner, int(values.first[value]))
            for function in program.held_functions(hierarchy.find(owner, "__new__"))
            for value in program.flows.held(program.functions[function].result)
        )
