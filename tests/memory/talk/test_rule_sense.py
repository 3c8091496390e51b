"""Which rule a tool's use breaks by its sense, and how many are read for it."""

from collections.abc import Sequence

import pytest
from tests.support.silent_reader import SilentReader

from gieok.flow.gate_rules import GateRule
from gieok.memory.talk.rule_sense import ASKED, find_broken_rule
from gieok.text.gates.action import ASK, ActionRule


class _Reader(SilentReader):
    """Says of each rule what a test gives it, and keeps what it read."""

    def __init__(self, chances: dict[str, float]) -> None:
        self._chances = chances
        self.read: list[str] = []

    def measure_breaks(self, rules: Sequence[str], use: str) -> list[float]:
        self.read += rules
        return [self._chances.get(rule, 0.0) for rule in rules]


def _rule(handle: str, sense: str) -> GateRule:
    return GateRule(
        handle=handle,
        scope="project:shop",
        said_at=0.0,
        day="2026-11-20",
        origin="claude-code",
        source="a",
        rule=ActionRule(sense, ASK, (), sense=sense),
    )


def _nowhere(senses: Sequence[str]) -> list[float]:
    raise AssertionError("few rules are all read")


@pytest.mark.parametrize(("chance", "is_asked"), [(ASKED, True), (ASKED - 0.001, False)])
def test_a_use_is_asked_about_from_the_cut_on(chance: float, is_asked: bool) -> None:
    reader = _Reader({"the deploys are mine": chance})
    found = find_broken_rule([_rule("a", "the deploys are mine")], "kubectl", reader, _nowhere)
    assert (found is not None) == is_asked


def test_the_likeliest_rule_is_named() -> None:
    reader = _Reader({"one": 0.92, "two": 0.97})
    found = find_broken_rule([_rule("a", "one"), _rule("b", "two")], "x", reader, _nowhere)
    assert found is not None
    assert (found.rule.handle, found.chance) == ("b", 0.97)


def test_rules_of_one_message_are_read_once() -> None:
    reader = _Reader({"both": 0.95})
    found = find_broken_rule([_rule("a", "both"), _rule("b", "both")], "x", reader, _nowhere)
    assert reader.read == ["both"]
    assert found is not None
    assert found.rule.handle == "a"


def test_of_many_rules_the_nearest_are_read() -> None:
    names = ["one", "two", "three", "four", "five"]
    nearness = dict(zip(names, (0.1, 0.5, 0.2, 0.9, 0.3), strict=True))
    reader = _Reader({})
    find_broken_rule(
        [_rule(name, name) for name in names],
        "x",
        reader,
        lambda senses: [nearness[sense] for sense in senses],
    )
    assert reader.read == ["four", "two", "five"]


def test_without_rules_nothing_is_read() -> None:
    assert find_broken_rule([], "x", _Reader({}), _nowhere) is None
