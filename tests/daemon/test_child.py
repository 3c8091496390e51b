"""Work in a child process ends with the process that asked for it."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from gieok.processes.child import ask_child, run_in_child
from gieok.text.messages import in_language


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
    for is_stopped, function, answer in (
        (False, print_an_object, {"count": 3}),
        (True, print_an_object, {"count": 3}),
        (False, print_a_list, {}),
        (True, print_a_list, None),
        (False, print_nothing, {}),
        (True, print_nothing, None),
    ):
        asked = ask_child(tmp_path, partial(bool, is_stopped), function)
        assert asked == answer


@pytest.mark.parametrize(("work", "said"), [("the sync", "동기화가"), ("the validation", "검증이")])
def test_what_ended_without_an_answer_is_named_in_korean(work: str, said: str) -> None:
    told = in_language(f"/shop: {work} ended without an answer", "ko")
    assert told == f"/shop: {said} 답 없이 끝남"
