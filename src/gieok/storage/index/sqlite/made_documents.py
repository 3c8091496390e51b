"""Summaries by models and executions by tests, as values that the journal keeps.

One value per summary, one per test.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from gieok.model.code import Execution, Summary

_SUMMARY, _RUN = "summary:", "run:"


class Made(NamedTuple):
    """Summaries by models, and executions: which test ran which function."""

    summaries: Sequence[Summary]
    executions: Sequence[Execution]


def dump_made_values(made: Made) -> dict[str, str]:
    """Return the values to keep, by name."""
    values = {
        _SUMMARY + row.code_hash: json.dumps(row[1:], ensure_ascii=False) for row in made.summaries
    }
    of_test = attrgetter("test")
    for test, rows in groupby(sorted(made.executions), of_test):
        ran = [[row.test_hash, row.function, row.function_hash] for row in rows]
        values[_RUN + test] = json.dumps(ran, ensure_ascii=False)
    return values


def load_made_values(values: Mapping[str, str]) -> Made:
    """Return the summaries and executions in kept values."""
    rows = [(name, json.loads(text)) for name, text in values.items()]
    return Made(
        [
            Summary(name.removeprefix(_SUMMARY), *row)
            for name, row in rows
            if name.startswith(_SUMMARY)
        ],
        [
            Execution(name.removeprefix(_RUN), function, test_hash, function_hash)
            for name, ran in rows
            if name.startswith(_RUN)
            for test_hash, function, function_hash in ran
        ],
    )


def names_of_summaries(hashes: Iterable[str]) -> set[str]:
    """Return the names of the kept values with the summaries of code with these hashes."""
    return {_SUMMARY + code_hash for code_hash in hashes}


def names_of_runs(values: Iterable[str]) -> set[str]:
    """Return those names that are of kept executions."""
    return {name for name in values if name.startswith(_RUN)}
