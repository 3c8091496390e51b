"""Wording of empty answers: a fact where everything was searched, else with the gaps."""

from collections.abc import Sequence

from gieok.commands.command import Style, printable
from gieok.text.messages import Words

#: Heading of the gaps, in a terminal and on a page.
GAPS_HEAD = Words("But not everything was looked at:")


def absence(sentence: Words, gaps: Sequence[Words] | None, style: Style) -> str:
    """Return a sentence that nothing was found, with the gaps: the places that were not searched.

    None and an empty sequence stand for no gap.
    """
    return "\n".join([sentence.say(style.lang), *gap_lines(gaps, style)])


def gap_lines(gaps: Sequence[Words] | None, style: Style) -> list[str]:
    """Return the gaps, a line each below a heading; no line where there is no gap."""
    if not gaps:
        return []
    return [GAPS_HEAD.say(style.lang), *(f"  - {printable(gap.say(style.lang))}" for gap in gaps)]
