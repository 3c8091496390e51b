"""What the daemon opens before somebody needs it."""

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.support.silent_reader import SilentReader

from gieok.daemon import answers
from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.home.resident import Resident
from gieok.ports.models import Reader
from gieok.processes.call import HOOK, DaemonCall
from gieok.text.gates.action import ASK, ActionRule

_WORDS = "leave the production cluster to me"


class _GateReader(SilentReader):
    """Reader that counts what it holds against rules."""

    def __init__(self) -> None:
        self.held: list[Sequence[str]] = []
        self.is_asked = threading.Event()

    def measure_breaks(self, rules: Sequence[str], use: str) -> list[float]:
        self.held.append(list(rules))
        self.is_asked.set()
        return [1.0] * len(rules)


class _ReadingResident(Resident):
    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self._given = reader

    def reader(self, key: object, made: Callable[[], Reader]) -> Reader:
        del key, made
        return self._given


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("HOME", tmp_path), ("GIEOK_HOME", tmp_path / "home")):
        monkeypatch.setenv(name, str(folder))
    return tmp_path / "home"


def _call(home: Path, operation: str = "recall") -> DaemonCall:
    values = {"prompt": ["hello"]} if operation == "recall" else {}
    return DaemonCall(operation, values, HOOK, str(home.parent), dict(os.environ))


def _write_rule(home: Path, sense: str) -> None:
    rule = ActionRule(_WORDS, ASK, (), sense=sense)
    held = GateRule(
        handle="3fa9c01e",
        scope="agent:main",
        said_at=1.0,
        day="2026-11-20",
        origin="claude-code",
        source="turns/a",
        rule=rule,
    )
    write_gate_rules(str(home), [held])


def test_a_prompt_opens_what_the_next_tool_is_held_against_rules_with(home: Path) -> None:
    _write_rule(home, _WORDS)
    reader = _GateReader()
    resident = _ReadingResident(reader)
    for _ in range(2):
        answers.answer_call(resident, _call(home), lambda _: None, lambda _: None)
        assert reader.is_asked.wait(30)
    assert reader.held == [[_WORDS]]


def test_nothing_is_opened_where_no_rule_is_read_by_its_sense(home: Path) -> None:
    reader = _GateReader()
    answers.warm_gate(_ReadingResident(reader), _call(home))
    _write_rule(home, "")
    answers.warm_gate(_ReadingResident(reader), _call(home))
    assert reader.held == []


def test_what_was_let_go_is_opened_again() -> None:
    resident = _ReadingResident(_GateReader())
    assert [resident.claim_gate_opening() for _ in range(2)] == [True, False]
    resident.embedder("key", object)  # type: ignore[arg-type]
    assert resident.release(0.0)
    assert resident.claim_gate_opening()
