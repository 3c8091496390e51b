"""Work in a child process ends with the process that asked for it."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from gieok.processes.child import ask_child, run_in_child


@pytest.mark.skipif(os.name == "nt", reason="no such call there")
def test_a_child_that_would_never_end_ends_when_its_asker_stops(tmp_path: Path) -> None:
    assert run_in_child(tmp_path, lambda: True, signal.pause) == ""


def print_a_list() -> None:
    print("[1]")


def print_an_object() -> None:
    print('{"count": 3}')


def print_nothing() -> None:
    pass


def test_a_child_answers_with_an_object_or_its_asker_is_told_that_it_did_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    for function in (print_an_object, print_a_list, print_nothing):
        function.__module__ = Path(__file__).stem
    error = {"error": "the sync ended without an answer"}
    for is_stopped, function, answer in (
        (False, print_an_object, {"count": 3}),
        (True, print_an_object, {"count": 3}),
        (False, print_a_list, error),
        (True, print_a_list, None),
        (False, print_nothing, error),
        (True, print_nothing, None),
    ):
        asked = ask_child(tmp_path, partial(bool, is_stopped), function, work="the sync")
        assert asked == answer
