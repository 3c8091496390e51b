"""Stored executions under coverage as edges from tests to functions.

The edges are a function of the stored executions and of the current symbols. They are made when
they are asked for and not stored with the graph: no sync pays for them, and a query for callers
does not return every test that passes through. Only the impact analysis reads them.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.ask.coverage import LearnedExecutions
from gieok.code.index.graph import Certainty
from gieok.code.index.project import SCOPE, Project
from gieok.code.model.facts import FUNCTIONS
from gieok.model.code import Edge, Executed, Symbol

if TYPE_CHECKING:
    from gieok.storage.index.sqlite.graph import ProjectStore

RAN = "ran"
_REASON, _CHANGED = "ran under coverage", "ran under coverage, changed since"
NOT_RUN = "did not run it under coverage"
_NOTE = "code.executed_at"


class ObservedTests(NamedTuple):
    """Stored edges, edges from tests to the functions they ran, and edges from readers of names.

    The names are changed names outside of functions (`outside`).
    """

    store: "ProjectStore"
    readers: Sequence[Edge] = ()

    def edges_into(self, keys: Sequence[str]) -> list[Edge]:
        """Return the edges that end in these symbols, sorted."""
        reading = [edge for edge in self.readers if edge.target in keys]
        return sorted([*self.store.edges_into(keys), *edges_into(self.store, keys), *reading])

    def edges_out_of(self, keys: Sequence[str]) -> list[Edge]:
        """Return the stored edges that begin in these symbols, sorted."""
        return self.store.edges_out_of(keys)


def edges_into(store: "ProjectStore", keys: Sequence[str]) -> list[Edge]:
    """Return an edge for every test that ran one of these functions."""
    return [
        Edge(row.test, row.function, RAN, *_rate_execution(row), 0) for row in store.executed(keys)
    ]


def _rate_execution(row: Executed) -> tuple[int, str]:
    """Return tier and reason of an execution edge.

    A changed function is still reached by its test; a changed test may no longer reach the
    function.
    """
    if row.is_test_same:
        return (
            (Certainty.OBSERVED, _REASON)
            if row.is_function_same
            else (Certainty.RESOLVED, _CHANGED)
        )
    return Certainty.UNIQUE_NAME, _CHANGED


def not_run(
    store: "ProjectStore", seeds: Sequence[str], tests: Sequence[str], symbols: Mapping[str, Symbol]
) -> dict[str, str]:
    """Return those of `tests` that were seen not to run the change, each with an explanation.

    A test runs the same functions as long as nothing that it ran has changed. The rule holds for
    code in functions only: of a changed constant or class body coverage says nothing, and the
    result is empty. The result is also empty where no test ran a changed function, because coverage
    may not have measured it.
    """
    if any(key not in symbols or symbols[key].kind not in FUNCTIONS for key in seeds):
        return {}
    rows = store.executed(seeds)
    if {row.function for row in rows} != set(seeds):
        return {}
    ran = {row.test for row in rows}
    return dict.fromkeys(sorted(store.settled([key for key in tests if key not in ran])), NOT_RUN)


def store_test_executions(project: Project, learned: LearnedExecutions) -> None:
    """Replace the stored executions of the believed files and of their tests, and note the time.

    Also stored is that these tests ran something in other files, which were not believed: such code
    may have changed, so for these tests nothing is concluded.
    """
    project.store.put_executions(
        [*learned.executions, *learned.unread], learned.tests, learned.paths
    )
    project.store.write_note(SCOPE, _NOTE, project.clock.now().isoformat())


def forget_test_executions(project: Project) -> None:
    """Forget all executions."""
    project.store.forget_executions()
    project.store.write_note(SCOPE, _NOTE, "")


def taken_in(project: Project) -> str:
    """Return the time of the last imported coverage run; '' where there is none."""
    return project.store.notes(SCOPE).get(_NOTE, "")
