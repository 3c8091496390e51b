"""Models of JavaScript's globals and of frameworks: how they use their arguments."""

from functools import partial

from gieok.code.model.facts import NOTHING
from gieok.code.resolve.calls import Calls
from gieok.code.resolve.natives import (
    COMMON,
    Natives,
    await_,
    build_model_table,
    call_back,
    elements_of,
    give_container,
    give_nothing,
    give_result,
    passed_on,
    refer,
)
from gieok.code.resolve.program import CallSite


def _model_new_set(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model `new Set(elements)`."""
    give_container(
        calls, site, {"*": elements_of(calls, site, arguments[0] if arguments else NOTHING)}
    )


def _model_new_map(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model `new Map(pairs)`."""
    _model_new_set(calls, site, [elements_of(calls, site, variable) for variable in arguments[:1]])


def _model_shown(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model elements, which may show the components that they get, classes too."""
    refer(calls, site)
    for variable in arguments:
        await_(calls, variable, calls.refer_class, site.symbol, site.line)
    calls.program.flows.add(site.to, calls.program.values.unknown)


_PASSING = "freeze assign shallowReactive proxy"

NATIVES = COMMON.and_also(
    Natives(
        build_model_table(
            (
                """setTimeout setImmediate setInterval nextTick catch finally forEach Promise
                requestAnimationFrame
                queueMicrotask""",
                partial(call_back, give_nothing),
            ),
            ("jsx", _model_shown),
            ("then", partial(call_back, give_result)),
            (f"{_PASSING} cache", passed_on),
            ("Map WeakMap", _model_new_map),
            ("Set WeakSet", _model_new_set),
        ),
        {},
        frozenset(_PASSING.split()),
        is_open=True,
    )
)
