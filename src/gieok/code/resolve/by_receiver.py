"""Targets of a call on an external object, by the name of the parameter: `res.send()`.

A framework calls handlers with objects that the project defined (`res.send = function …`, `class
Route`): nothing in the project passes these objects, but the parameter is named like the object.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from gieok.code.model.facts import FunctionFact, Trait
from gieok.code.resolve.program import CallSite, Program

_TESTS = frozenset((Trait.TEST, Trait.SUITE))


def named_after(
    program: Program, keys: Sequence[str], is_product: Callable[[str], bool]
) -> Mapping[CallSite, str]:
    """Return unresolved call → the function that it means by the name of its receiver.

    The function has the called name, and its object or class has the receiver's name. Exactly one
    such function must exist in the product (judged by its key), or else in the tests and examples.
    """
    waiting = find_waiting(program)
    members: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, fact in enumerate(program.functions) if waiting else ():
        key = keys[program.function_symbol[number]]
        if place := place_member(key, fact):
            members[place].add(key)
    return choose_members(program, waiting, members, is_product)


def find_waiting(program: Program) -> list[CallSite]:
    """Return the calls without a target on the value of a parameter."""
    return [site for site in program.receivers if not site.targets and not site.wired]


def place_member(key: str, fact: FunctionFact) -> tuple[str, str] | None:
    """Return the name of a function's object or class, in lower case, and its own name.

    None for a function without an object, and for tests.
    """
    owner, _, name = key.rpartition("::")[2].rpartition(".")
    if not owner or name.endswith(">") or _TESTS.intersection(fact.traits):
        return None
    return owner.rpartition(".")[2].lower(), name


def choose_members(
    program: Program,
    waiting: Sequence[CallSite],
    members: Mapping[tuple[str, str], Collection[str]],
    is_product: Callable[[str], bool],
) -> Mapping[CallSite, str]:
    """Return unresolved call → the one function that it means, where there is exactly one."""
    candidates: dict[CallSite, list[str]] = {}
    for site in waiting:
        own = sorted(members.get((program.receivers[site].lower(), site.name), ()))
        candidates[site] = [*filter(is_product, own)] or own
    return {site: own[0] for site, own in candidates.items() if len(own) == 1}
