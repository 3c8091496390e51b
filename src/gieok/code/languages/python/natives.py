"""Models of Python's standard library, pytest and unittest: how they use their arguments."""

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
    give_first,
    give_nothing,
    give_result,
    model_copied_container,
    pass_variable_on,
    passed_on,
    refer,
)
from gieok.code.resolve.program import CallSite
from gieok.code.resolve.values import Value

#: Functions that return their argument.
_PASSING = """lru_cache cache fixture staticmethod classmethod property contextmanager
total_ordering asynccontextmanager
    singledispatch setupmethod no_type_check abstractmethod overload dataclass final
    runtime_checkable deprecated proxy"""
_KEEPING = (
    "copy deepcopy update_wrapper cached_property setter getter deleter wraps "
    "singledispatchmethod override"
)


def _model_functools_wraps(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model `functools.wraps(f)`: a decorator that returns the function it decorates, not `f`."""
    del arguments
    passed_on(calls, site, [])


def _update_wrapper(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model `update_wrapper`: the result is the wrapper, not the wrapped function.

    The wrapped function would be every function that the decorator ever got.
    """
    passed_on(calls, site, arguments[:1] or [NOTHING])


def _model_pytest_param(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model `pytest.param`: one value is itself, several are a row."""
    positional = [variable for keyword, variable in site.arguments if not keyword]
    if len(positional) == 1:
        pass_variable_on(calls, site, arguments[0])
    else:
        give_container(calls, site, dict(enumerate(positional)))


def _model_pytest_raises(key: str, calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model `with pytest.raises(E) as caught` and unittest's equivalent.

    The exception is the `value` or the `exception` of the result.
    """
    program = calls.program
    caught = program.containers.new()
    for variable in arguments[:1]:
        exception = program.containers.key(int(program.values.first[caught]), key)
        await_(calls, variable, calls.types.allow, exception)
    program.flows.add(site.to, caught)


def _model_type_call(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    if len(arguments) == 1:
        await_(calls, arguments[0], _class_of, calls, site)
    else:
        _new_class(calls, site, arguments)


def _new_class(calls: Calls, site: CallSite, arguments: list[int]) -> None:
    """Model a class that is made from bases at runtime: it is called as its bases are."""
    for bases in arguments[1:2]:
        pass_variable_on(calls, site, elements_of(calls, site, bases))
    refer(calls, site)


def _class_of(value: int, calls: Calls, site: CallSite) -> None:
    values = calls.program.values
    if values.kinds[value] == Value.INSTANCE:
        calls.program.flows.add(site.to, values.number(Value.CLASS, values.first[value]))


NATIVES = COMMON.and_also(
    Natives(
        build_model_table(
            (
                """call_soon call_soon_threadsafe Thread Timer partial run_in_executor start_soon
                run_in_threadpool""",
                partial(call_back, give_nothing),
            ),
            ("gather create_task to_thread run_sync", partial(call_back, give_result)),
            ("partial", partial(call_back, give_first, called=slice(1, None))),
            ("frozenset deque", model_copied_container),
            (_PASSING, passed_on),
            ("type", _model_type_call),
            ("new_class", _new_class),
            ("wraps", _model_functools_wraps),
            ("update_wrapper", _update_wrapper),
            ("param", _model_pytest_param),
            ("raises", partial(_model_pytest_raises, "value")),
            ("assertRaises assertRaisesRegex", partial(_model_pytest_raises, "exception")),
        ),
        {},
        frozenset(f"{_PASSING} {_KEEPING}".split()),
    )
)
