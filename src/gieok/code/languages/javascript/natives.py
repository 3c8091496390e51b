"""What JavaScript's globals and the frameworks around it do with what they are given."""

from gieok.code.model.facts import NOTHING
from gieok.code.resolve.natives import (
    COMMON,
    HigherOrder,
    Machine,
    Natives,
    by_name,
    elements_of,
    give_container,
    give_result,
    passed_on,
)
from gieok.code.resolve.program import Site


def _set(machine: Machine, site: Site, arguments: list[int]) -> None:
    """Model `new Set(elements)`."""
    give_container(
        machine, site, {"*": elements_of(machine, site, arguments[0] if arguments else NOTHING)}
    )


def _map(machine: Machine, site: Site, arguments: list[int]) -> None:
    """Model `new Map(pairs)`."""
    _set(machine, site, [elements_of(machine, site, variable) for variable in arguments[:1]])


_PASSING = "freeze assign shallowReactive proxy"

NATIVES = COMMON.and_also(
    Natives(
        by_name(
            (
                """setTimeout setImmediate setInterval nextTick catch finally forEach Promise
                requestAnimationFrame
                queueMicrotask""",
                HigherOrder(),
            ),
            ("then", HigherOrder(give_result)),
        ),
        by_name((f"{_PASSING} cache", passed_on), ("Map WeakMap", _map), ("Set WeakSet", _set)),
        {},
        frozenset(_PASSING.split()),
        is_open=True,
    )
)
