"""Models of JavaScript's globals and of frameworks: how they use their arguments."""

from gieok.code.model.facts import NOTHING
from gieok.code.resolve.natives import (
    COMMON,
    HigherOrder,
    Machine,
    Natives,
    build_model_table,
    elements_of,
    give_container,
    give_result,
    passed_on,
)
from gieok.code.resolve.program import CallSite


def _model_new_set(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    """Model `new Set(elements)`."""
    give_container(
        machine, site, {"*": elements_of(machine, site, arguments[0] if arguments else NOTHING)}
    )


def _model_new_map(machine: Machine, site: CallSite, arguments: list[int]) -> None:
    """Model `new Map(pairs)`."""
    _model_new_set(
        machine, site, [elements_of(machine, site, variable) for variable in arguments[:1]]
    )


_PASSING = "freeze assign shallowReactive proxy"

NATIVES = COMMON.and_also(
    Natives(
        build_model_table(
            (
                """setTimeout setImmediate setInterval nextTick catch finally forEach Promise
                requestAnimationFrame
                queueMicrotask""",
                HigherOrder(),
            ),
            ("then", HigherOrder(give_result)),
        ),
        build_model_table(
            (f"{_PASSING} cache", passed_on),
            ("Map WeakMap", _model_new_map),
            ("Set WeakSet", _model_new_set),
        ),
        {},
        frozenset(_PASSING.split()),
        is_open=True,
    )
)
