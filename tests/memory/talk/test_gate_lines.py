"""Which rules about actions the reader's stretches of a message make."""

from datetime import date

import pytest
from tests.support.silent_reader import SilentReader

from gieok.memory.talk.gate_lines import read_given_rules
from gieok.ports.models import RuleKind, RuleStretch


class _Reader(SilentReader):
    """Marks the whole of each message as one kind of stretch."""

    def __init__(self, kind: RuleKind) -> None:
        self._kind = kind

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        return [RuleStretch(start=0, end=len(text), kind=self._kind, chance=1.0)]


@pytest.mark.parametrize("words", ["staging is yours to play with", "스테이징은 마음대로 써"])
@pytest.mark.parametrize(("kind", "number"), [(RuleKind.NEVER, 1), (RuleKind.ALLOWED, 0)])
def test_a_permission_alone_makes_no_rule_about_actions(
    words: str, kind: RuleKind, number: int
) -> None:
    rules = read_given_rules([words], date(2026, 11, 20), _Reader(kind))
    assert [rule.sense for rule in rules] == [words] * number
