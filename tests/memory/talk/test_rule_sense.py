"""Which rule a tool's use breaks by its sense, and how many are read for it."""

from collections.abc import Sequence

import pytest
from tests.support.silent_reader import SilentReader

from gieok.flow.gate_rules import GateRule
from gieok.memory.talk.rule_sense import (
    ASKED,
    REMINDED,
    DescribedUse,
    find_broken_rules,
    find_use_signs,
    names_use,
)
from gieok.text.gates.action import ASK, NONE, REMIND, Action, ActionRule, CommandPattern
from gieok.text.gates.signs import weigh_signs
from gieok.text.gates.verdict import ToolAttempt


class _Reader(SilentReader):
    """Says of each rule what a test gives it, and keeps what it read."""

    def __init__(self, chances: dict[str, float]) -> None:
        self._chances = chances
        self.read: list[str] = []

    def measure_breaks(self, rules: Sequence[str], use: str) -> list[float]:
        self.read += rules
        return [self._chances.get(rule, 0.0) for rule in rules]


def _rule(
    handle: str, sense: str, *actions: Action, allowed: Sequence[str] = (), mode: str = ASK
) -> GateRule:
    return GateRule(
        handle=handle,
        scope="project:shop",
        said_at=0.0,
        day="2026-11-20",
        origin="claude-code",
        source="a",
        rule=ActionRule(sense, mode, actions, sense=sense, allowed=allowed),
    )


def _use(command: str) -> DescribedUse:
    return DescribedUse(ToolAttempt(tool="Bash", command=command), command)


def _find_cut(rule: GateRule, use: DescribedUse, least: float = ASKED) -> float:
    """Return the chance of the reader from which a use reaches a weight, to four places."""
    signs = find_use_signs(rule, use)
    return next(
        step / 10_000 for step in range(10_000) if weigh_signs(signs, step / 10_000) >= least
    )


def _nowhere(senses: Sequence[str]) -> list[float]:
    raise AssertionError("few rules are all read")


@pytest.mark.parametrize(
    ("cut", "above", "outcome"),
    [
        (ASKED, 0.0, ASK),
        (ASKED, -0.0001, REMIND),
        (REMINDED, 0.0, REMIND),
        (REMINDED, -0.0001, NONE),
    ],
)
def test_a_use_is_asked_about_or_reminded_of_from_its_cut_on(
    cut: float, above: float, outcome: str
) -> None:
    rule, use = _rule("a", "the deploys are mine"), _use("kubectl apply -f .")
    reader = _Reader({rule.sense: _find_cut(rule, use, cut) + above})
    found = find_broken_rules([rule], use, reader, _nowhere)
    assert [one.outcome for one in found] == [outcome][: outcome != NONE]


def test_a_doubtful_rule_only_reminds_and_hides_none_that_asks() -> None:
    doubtful = _rule("a", "the deploys are hers", mode=REMIND)
    rule = _rule("b", "the deploys are mine")
    reader = _Reader({doubtful.sense: 0.999, rule.sense: 0.99})
    use = _use("kubectl apply -f .")
    found = find_broken_rules([doubtful, rule], use, reader, _nowhere)
    assert [(one.rule.handle, one.outcome) for one in found] == [("b", ASK), ("a", REMIND)]


def test_a_rule_that_names_a_use_needs_less_of_the_reader_and_one_that_does_not_more() -> None:
    use, trial = _use("kubectl apply -f ."), _use("kubectl apply -f . --dry-run=none # preview")
    named = _rule("a", "the deploys are mine", Action([CommandPattern("kubectl", ["apply"])]))
    unnamed = _rule("b", "the deploys are mine")
    assert names_use(named, use.attempt)
    assert not names_use(unnamed, use.attempt)
    assert _find_cut(named, use) < _find_cut(unnamed, use) < _find_cut(unnamed, trial)


def test_what_the_same_message_allows_needs_more_of_the_reader() -> None:
    sense, use = "deploys are mine, docs are yours", _use("git push docs")
    fine = _rule("a", sense, allowed=["docs are yours"])
    assert _find_cut(_rule("b", sense), use) < _find_cut(fine, use)


def test_each_rule_that_is_likely_broken_is_named_the_likeliest_first() -> None:
    reader = _Reader({"one": 0.99, "two": 0.995, "three": 0.0})
    rules = [_rule("a", "one"), _rule("b", "two"), _rule("c", "three")]
    found = find_broken_rules(rules, _use("x"), reader, _nowhere)
    assert [one.rule.handle for one in found] == ["b", "a"]
    assert ASKED <= found[1].chance < found[0].chance < 1


def test_rules_of_one_message_are_read_once() -> None:
    reader = _Reader({"both": 0.99})
    found = find_broken_rules([_rule("a", "both"), _rule("b", "both")], _use("x"), reader, _nowhere)
    assert reader.read == ["both"]
    assert [one.rule.handle for one in found] == ["a", "b"]


def test_of_many_rules_the_nearest_are_read() -> None:
    names = ["one", "two", "three", "four", "five"]
    nearness = dict(zip(names, (0.1, 0.5, 0.2, 0.9, 0.3), strict=True))
    reader = _Reader({})
    find_broken_rules(
        [_rule(name, name) for name in names],
        _use("x"),
        reader,
        lambda senses: [nearness[sense] for sense in senses],
    )
    assert reader.read == ["four", "two", "five"]


def test_of_many_rules_one_that_names_the_use_is_read_first() -> None:
    names = ["one", "two", "three", "four"]
    far = _rule("far", "far", Action([CommandPattern("kubectl")]))
    reader = _Reader({})
    find_broken_rules(
        [*(_rule(name, name) for name in names), far],
        _use("kubectl apply"),
        reader,
        lambda senses: [0.0 if sense == "far" else 0.5 for sense in senses],
    )
    assert reader.read == ["far", "one", "two"]


def test_without_rules_nothing_is_read() -> None:
    assert find_broken_rules([], _use("x"), _Reader({}), _nowhere) == []
