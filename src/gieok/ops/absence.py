"""How it is said that there is nothing: as a fact where everything was looked at, else with what
was not.
"""

from collections.abc import Sequence

from gieok.ops.operation import Style, printable
from gieok.text.messages import Words

#: Stands before what was not looked at, in a terminal and on a page.
GAPS_HEAD = Words("But not everything was looked at:")


def absence(sentence: Words, gaps: Sequence[Words] | None, style: Style) -> str:
    """Return a sentence that there is nothing, and what was not looked at; None and an empty one
    stand for no gap.
    """
    return "\n".join([sentence.say(style.lang), *gap_lines(gaps, style)])


def gap_lines(gaps: Sequence[Words] | None, style: Style) -> list[str]:
    """Return what was not looked at, a line each below a head; no line where there is no gap."""
    if not gaps:
        return []
    return [GAPS_HEAD.say(style.lang), *(f"  - {printable(gap.say(style.lang))}" for gap in gaps)]
