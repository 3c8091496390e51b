"""Targets of a call on an external object, by the name of the parameter: `res.send()`.

A framework calls handlers with objects that the project defined (`res.send = function …`, `class
Route`): nothing in the project passes these objects, but the parameter is named like the object.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from gieok.code.model.facts import Trait
from gieok.code.resolve.program import CallSite, Program

_TESTS = frozenset((Trait.TEST, Trait.SUITE))


def named_after(
    program: Program, keys: Sequence[str], is_product: Callable[[str], bool]
) -> Mapping[CallSite, str]:
    """Return unresolved call → the function that it means by the name of its receiver.

    The function has the called name, and its object or class has the receiver's name. Exactly one
    such function must exist in the product (judged by its key), or else in the tests and examples.
    """
    waiting = [site for site in program.receivers if not site.targets and not site.wired]
    members: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, fact in enumerate(program.functions) if waiting else ():
        key = keys[program.function_symbol[number]]
        owner, _, name = key.rpartition("::")[2].rpartition(".")
        if owner and not name.endswith(">") and not _TESTS.intersection(fact.traits):
            members[owner.rpartition(".")[2].lower(), name].add(key)
    meant = {
        place: sorted(filter(is_product, own)) or sorted(own) for place, own in members.items()
    }
    candidates = {
        site: meant.get((program.receivers[site].lower(), site.name), []) for site in waiting
    }
    return {site: own[0] for site, own in candidates.items() if len(own) == 1}
