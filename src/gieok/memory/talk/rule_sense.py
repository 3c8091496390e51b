"""Which rule a tool's use breaks by its sense: where no word of the rule names what the tool does.

The reader holds the use against what a message states of rules, both read together. It costs some
ten milliseconds a message, so of many messages those are read whose rules are nearest.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gieok.flow.gate_rules import GateRule
from gieok.ports.models import Reader

#: Chance from which a use is asked about. `benchmarks/said_rules.py` shows what it lets pass.
ASKED = 0.9
#: Messages that are held against one use.
_MOST_READ = 3


class BrokenRule(NamedTuple):
    """Rule that a use breaks by its sense, and how likely."""

    rule: GateRule
    chance: float


def find_broken_rule(
    rules: Sequence[GateRule],
    use: str,
    reader: Reader,
    measure_nearness: Callable[[Sequence[str]], Sequence[float]],
) -> BrokenRule | None:
    """Return the rule that a use most likely breaks; None where it likely breaks none.

    `rules` have a sense. `measure_nearness` tells how near each of some texts is to the use: asked
    where more messages state rules than are read. Raises EmbedderFailed.
    """
    senses = list(dict.fromkeys(rule.sense for rule in rules))
    if len(senses) > _MOST_READ:
        nearness = dict(zip(senses, measure_nearness(senses), strict=True))
        senses = sorted(senses, key=lambda sense: -nearness[sense])[:_MOST_READ]
    if not senses:
        return None
    chances = dict(zip(senses, reader.measure_breaks(senses, use), strict=True))
    likely = max(senses, key=lambda sense: chances[sense])
    if chances[likely] < ASKED:
        return None
    rule = next(rule for rule in rules if rule.sense == likely)
    return BrokenRule(rule, chances[likely])
