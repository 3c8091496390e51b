"""What a call may mean on an object that comes from outside, by the name of the parameter that
holds it: `res.send()`.

A framework calls handlers with objects that the project defined (`res.send = function …`, `class
Route`): nothing in the project hands them over, but the parameter is called as the object is.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from gieok.code.model.facts import Trait
from gieok.code.resolve.program import CallSite, Program

_TESTS = frozenset((Trait.TEST, Trait.SUITE))


def named_after(
    program: Program, keys: Sequence[str], is_product: Callable[[str], bool]
) -> Mapping[CallSite, str]:
    """Return the function that each unresolved call means whose receiver is named after what the
    only one is put on.

    The only one of the product (by its key), or else of the tests and examples.
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
    found = {site: meant.get((program.receivers[site].lower(), site.name), []) for site in waiting}
    return {site: own[0] for site, own in found.items() if len(own) == 1}
