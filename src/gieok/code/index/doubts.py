"""Doubts about a call's targets, with the reasons.

The reasons are many targets, methods that others override, and objects from outside of the project.
"""

from collections.abc import Sequence
from functools import cache, partial

from gieok.code.languages import places
from gieok.code.model.facts import NOTHING, Trait
from gieok.code.resolve.program import FAN, CallSite, Program
from gieok.code.resolve.values import Value
from gieok.model.code import key_path

#: If a test calls more methods than this of an object, each of them is possible, not certain: a
#: test has one object at hand (of nine to twelve methods .13 were right on twenty projects). The
#: product goes through all of its filters, fields or processors: there the limit is `FAN` (.56 were
#: right, .85 without tomlkit).
_MOST_METHODS_OF_A_TEST = 8
_LARGEST_TABLE = 40


class Doubts:
    """The doubts about the calls of a program."""

    def __init__(self, program: Program, keys: Sequence[str]) -> None:
        self._program = program
        self._keys = keys
        self._stand_ins = cache(program.stand_ins)
        #: The variables of `self`: an inherited method runs on instances of every subclass.
        self._selves = program.find_receivers()
        # not a method: a reference cycle would keep the program alive
        self._remade = cache(partial(_is_remade, program))

    def of(self, site: CallSite) -> dict[int, str]:
        """Return the functions that a call site reaches without certainty, each with the reason.

        They are targets of the site, and other functions that may run in their place.
        """
        count = len(site.targets)
        if count > self._most(site) and not (site.kind == "call" and self._is_registry(site)):
            return dict.fromkeys(site.targets, f"one of {count} possible targets")
        reasons = self._doubles(site)
        for function in site.targets:
            fact = self._program.functions[function]
            if Trait.ABSTRACT in fact.traits or Trait.DECLARED in fact.traits:
                others = self._stand_ins(function)
                if others or Trait.DECLARED in fact.traits:
                    reasons[function] = "stands for what overrides it"
                for other in others if len(others) <= FAN else ():
                    if other not in site.targets:
                        reasons[other] = "overrides what is called"
            elif (
                "constructed" in site.wired
                and fact.owner != NOTHING
                and self._remade(fact.owner)
                and self._is_maker(function)
            ):
                reasons[function] = "`__new__` may give an object of another class"
        return reasons

    def _most(self, site: CallSite) -> int:
        is_one = (
            site.kind == "method"
            and site.place not in self._selves
            and self._is_of_test(site.symbol)
        )
        return _MOST_METHODS_OF_A_TEST if is_one else FAN

    def _doubles(self, site: CallSite) -> dict[int, str]:
        """Return the methods of test doubles: objects that tests put in the place of the product's.

        No double is a class that inherits from the product, an object that `self` holds, or a
        function that is called by another name, which is a callback.
        """
        if (
            len(site.targets) < 2
            or site.kind != "method"
            or site.place in self._selves
            or self._is_of_test(site.symbol)
        ):
            return {}
        program, name = self._program, site.name.removesuffix("()")
        tested = [f for f in site.targets if self._is_of_test(program.function_symbol[f])]
        own = [program.functions[f].owner for f in site.targets if f not in tested]
        return {
            function: "defined in a test"
            for function in tested
            if own
            and self._keys[program.function_symbol[function]].rpartition(".")[2] == name
            and not self._is_related(program.functions[function].owner, own)
        }

    def _is_related(self, owner: int, others: Sequence[int]) -> bool:
        are_related = self._program.hierarchy.are_related
        return owner != NOTHING and any(
            other != NOTHING and are_related(owner, other) for other in others
        )

    def _is_of_test(self, symbol: int) -> bool:
        return places.is_test_file(key_path(self._keys[symbol]))

    def _is_registry(self, site: CallSite) -> bool:
        """Return whether a site calls functions with many names, which means a table of functions.

        Functions that all have one name are functions that callers pass.
        """
        names = {
            self._keys[self._program.function_symbol[f]].rpartition(".")[2] for f in site.targets
        }
        return len(site.targets) <= _LARGEST_TABLE and len(names) > FAN

    def _is_maker(self, function: int) -> bool:
        fact = self._program.functions[function]
        return function in self._program.held_functions(
            self._program.hierarchy.find(fact.owner, "__init__")
        )


def _is_remade(program: Program, owner: int) -> bool:
    """Return whether a class has a `__new__` that may return an object of an unrelated class."""
    hierarchy, values = program.hierarchy, program.values
    return any(
        values.kinds[value] == Value.INSTANCE
        and not hierarchy.are_related(owner, int(values.first[value]))
        for function in program.held_functions(hierarchy.find(owner, "__new__"))
        for value in program.flows.held(program.functions[function].result)
    )
