"""Marks that Gieok itself writes into texts of memory, in English, as a person reads them.

What is stored, and what models and programs read, keeps the English mark.
"""

import re

from gieok.model.conversation import AGENT_MARK, CORRECTED_MARK
from gieok.text.messages import Words
from gieok.text.turns import ASSISTANT, USER

_DAY = r"\d{4}-\d\d-\d\d"
#: End of a line that was corrected: the day, and whether an agent wrote the correction.
CORRECTED_LINE = re.compile(
    rf"(?m){re.escape(CORRECTED_MARK)}({_DAY})({re.escape(AGENT_MARK)})?\)$"
)
#: Days that a relative date means (`memory.observer.relative_days`), at the end of a statement.
_SPAN = re.compile(
    rf"(?m) \((?P<first>{_DAY}) to (?P<last>{_DAY})\)(?=$|{re.escape(CORRECTED_MARK)}{_DAY})"
)
_SPEAKER = re.compile(rf"(?m)^({USER}|{ASSISTANT}): ")

#: Who said a line.
SPEAKERS = {
    USER: Words(USER, about="who said a line"),
    ASSISTANT: Words(ASSISTANT, about="who said a line"),
}


def translate_own_marks(text: str, lang: str, *, is_spoken: bool = False) -> str:
    """Return a text for a person, with the marks in their language.

    `is_spoken`: its lines are turns, each with the label of its speaker, which is a mark too.
    """
    if is_spoken:
        text = _SPEAKER.sub(lambda label: f"{SPEAKERS[label[1]].say(lang)}: ", text)
    if "(" not in text:
        return text
    spanned = _SPAN.sub(lambda mark: _say_span(mark["first"], mark["last"], lang), text)
    return CORRECTED_LINE.sub(lambda mark: _say_corrected(mark[1], mark[2], lang), spanned)


def _say_span(first: str, last: str, lang: str) -> str:
    return Words.of(" ({first} to {last})", first=first, last=last).say(lang)


def _say_corrected(day: str, by_agent: str | None, lang: str) -> str:
    if by_agent:
        return Words.of(" (corrected on {day} through an agent)", day=day).say(lang)
    return Words.of(" (corrected on {day})", day=day).say(lang)
