"""Which rules about actions the reader's stretches of a message make."""

from datetime import date

import pytest
from tests.support.silent_reader import SilentReader

from gieok.memory.talk.gate_lines import read_given_rules
from gieok.memory.talk.rule_readings import POSSIBLE, SAID
from gieok.ports.models import RuleKind, RuleStretch
from gieok.text.gates.action import ASK, REMIND


class _Reader(SilentReader):
    """Marks the whole of each message as one kind of stretch."""

    def __init__(self, kind: RuleKind, chance: float = 1.0) -> None:
        self._kind, self._chance = kind, chance

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        return [RuleStretch(start=0, end=len(text), kind=self._kind, chance=self._chance)]


@pytest.mark.parametrize("words", ["staging is yours to play with", "스테이징은 마음대로 써"])
@pytest.mark.parametrize(("kind", "number"), [(RuleKind.NEVER, 1), (RuleKind.ALLOWED, 0)])
def test_a_permission_alone_makes_no_rule_about_actions(
    words: str, kind: RuleKind, number: int
) -> None:
    rules = read_given_rules([words], date(2026, 11, 20), _Reader(kind))
    assert [rule.sense for rule in rules] == [words] * number


@pytest.mark.parametrize(
    ("chance", "mode"), [(SAID, ASK), (SAID - 0.01, REMIND), (POSSIBLE, REMIND)]
)
def test_what_the_reader_may_take_for_a_rule_reminds(chance: float, mode: str) -> None:
    said = "leave the dye room for Maren to sort"
    (rule,) = read_given_rules([said], date(2026, 11, 20), _Reader(RuleKind.NEVER, chance))
    assert (rule.mode, rule.sense) == (mode, said)
    unlikely = _Reader(RuleKind.NEVER, POSSIBLE - 0.01)
    assert read_given_rules([said], date(2026, 11, 20), unlikely) == []


class _TwoMarks(SilentReader):
    """Marks the first clause of a message as surely stating a rule, and the second as maybe."""

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        at = text.index(". ") + 1
        sure = RuleStretch(start=0, end=at, kind=RuleKind.NEVER, chance=1.0)
        return [sure, sure._replace(start=at + 1, end=len(text), chance=0.6)]


def test_beside_a_sure_rule_a_doubtful_one_of_the_message_is_left_out() -> None:
    said = "the dye room is for Maren to sort. the loom is loud"
    (rule,) = read_given_rules([said], date(2026, 11, 20), _TwoMarks())
    assert (rule.mode, rule.text) == (ASK, "the dye room is for Maren to sort.")
