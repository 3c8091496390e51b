"""Which rule a tool's use breaks, of rules that a model read: by their words and by their sense.

The reader holds the use against what a message states of rules, both read together, and what it
says is weighed with signs that stand in the words. It costs some ten milliseconds a message, so of
many messages those are read that name the use, and then those whose rules are nearest.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gieok.flow.gate_rules import GateRule
from gieok.ports.models import Reader
from gieok.text.gates.action import ASK, NONE, REMIND
from gieok.text.gates.signs import UseSigns, find_signs, split_rule_words, weigh_signs
from gieok.text.gates.verdict import ToolAttempt, judge_tool_attempt, list_acting_actions

#: Chance from which a use is asked about. `benchmarks/rule_signs.py` shows what it lets pass.
ASKED = 0.76
#: Chance from which the agent is reminded of the user's words: nobody is interrupted, so that a use
#: which is only near to a rule may be reminded of it (docs/figures.md).
REMINDED = 0.35
#: Messages that are held against one use.
_MOST_READ = 3


class DescribedUse(NamedTuple):
    """Use of a tool, and the same as a model reads it."""

    attempt: ToolAttempt
    text: str


class BrokenRule(NamedTuple):
    """Rule that a use likely breaks, and how likely."""

    rule: GateRule
    chance: float

    @property
    def outcome(self) -> str:
        """Return what the rule does about the use: `ASK`, `REMIND` or `NONE`."""
        if self.chance < REMINDED:
            return NONE
        return REMIND if self.chance < ASKED or self.rule.rule.mode == REMIND else ASK


def find_broken_rules(
    rules: Sequence[GateRule],
    use: DescribedUse,
    reader: Reader,
    measure_nearness: Callable[[Sequence[str]], Sequence[float]],
) -> list[BrokenRule]:
    """Return the rules that a use likely breaks: those that ask first, then the likeliest.

    `rules` have a sense. `measure_nearness` tells how near each of some texts is to the use: asked
    where more messages state rules than are read. Raises EmbedderFailed.
    """
    naming = {rule.sense for rule in rules if names_use(rule, use.attempt)}
    senses = list(dict.fromkeys(rule.sense for rule in rules))
    if len(senses) > _MOST_READ:
        nearness = dict(zip(senses, measure_nearness(senses), strict=True))
        senses.sort(key=lambda sense: (sense not in naming, -nearness[sense]))
        senses = senses[:_MOST_READ]
    if not senses:
        return []
    read = dict(zip(senses, reader.measure_breaks(senses, use.text), strict=True))
    judged = [
        BrokenRule(rule, weigh_signs(find_use_signs(rule, use), read[rule.sense]))
        for rule in rules
        if rule.sense in read
    ]
    broken = [one for one in judged if one.outcome != NONE]
    return sorted(broken, key=lambda one: (one.outcome != ASK, -one.chance))


def find_use_signs(rule: GateRule, use: DescribedUse) -> UseSigns:
    """Return the signs of a use under a rule that a model read."""
    words = split_rule_words(rule.sense, rule.rule.allowed, rule.rule.text)
    return find_signs(words, use.attempt, use.text, list_acting_actions(rule.rule, use.attempt))


def names_use(rule: GateRule, attempt: ToolAttempt) -> bool:
    """Return whether a rule names a use by its words."""
    return judge_tool_attempt(rule.rule, attempt) != NONE
