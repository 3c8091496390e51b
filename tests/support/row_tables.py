"""Tables of hundreds of rows, each of which a test asks the same: a few tests, not hundreds.

A test takes three thousandths of a second to collect, begin and report, in each of the processes
that run the suite; most rows take less.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

_ROWS_PER_TEST = 50


def for_each_row(rows: Iterable[Any]) -> Callable[[Callable[..., None]], pytest.MarkDecorator]:
    """Let a test function be called with each row, taken apart where it has several parameters.

    The rows are divided into tests; one of them fails with the faults of all its rows, each of
    which names its row.
    """
    listed = list(rows)
    assert listed, "a table without rows tests nothing"
    starts = range(0, len(listed), _ROWS_PER_TEST)

    def divide(check: Callable[..., None]) -> Any:
        def check_rows(start: int) -> None:
            faults = list(_find_faults(check, listed[start : start + _ROWS_PER_TEST]))
            if faults:
                raise ExceptionGroup(f"{len(faults)} rows fail", faults)

        check_rows.__name__ = check.__name__
        check_rows.__qualname__ = check.__qualname__
        check_rows.__doc__ = check.__doc__
        check_rows.__module__ = check.__module__
        return pytest.mark.parametrize("start", starts)(check_rows)

    return divide


def _find_faults(check: Callable[..., None], rows: Iterable[Any]) -> Iterator[Exception]:
    is_taken_apart = len(inspect.signature(check).parameters) > 1
    for row in rows:
        try:
            check(*(row if is_taken_apart else (row,)))
        except Exception as fault:  # noqa: BLE001 - told below, beside those of other rows
            fault.add_note(f"in the row {row!r}")
            yield fault
