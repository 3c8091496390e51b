"""What JavaScript's globals and the frameworks around it do with what they are given."""

from gieok.capabilities.code.resolve.common import COMMON
from gieok.capabilities.code.resolve.natives import (
    Caller,
    Machine,
    Natives,
    by_name,
    elements_of,
    give_container,
    give_result,
    passed_on,
)
from gieok.capabilities.code.resolve.sites import Site


def _collection(machine: Machine, site: Site, arguments: list[int], name: str) -> None:
    """Model `new Map(pairs)` and `new Set(elements)`."""
    flows = machine.program.flows
    elements = elements_of(machine, site, arguments[0]) if arguments else flows.fresh()
    if name.endswith("Map"):
        inner = flows.fresh()
        flows.wait(elements, (machine.iterate, inner, site.symbol, site.line))
        elements = inner
    give_container(machine, site, {"*": elements})


_PASSING = "freeze assign shallowReactive proxy"

NATIVES = COMMON.and_also(
    Natives(
        by_name(
            (
                """setTimeout setImmediate setInterval nextTick catch finally forEach Promise requestAnimationFrame
                queueMicrotask""",
                Caller(),
            ),
            ("then", Caller(give_result)),
        ),
        by_name((f"{_PASSING} cache", passed_on), ("Map WeakMap Set WeakSet", _collection)),
        {},
        frozenset(_PASSING.split()),
    )
)
