"""Facts in short answers to what a character asked: a name, a home, work, an age, a taste."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from gieok.character.detect.asks import ASKS, Ask
from gieok.character.detect.introductions import (
    find_asked_person,
    introduce,
    names_somebody,
)
from gieok.character.detect.patterns import regex
from gieok.character.detect.plans import find_event_word
from gieok.character.detect.words import NO_VALUE
from gieok.text.day_ahead import day_ahead
from gieok.text.language import detect_text_language

#: Words that may stand before the answer itself.
_FILLER = re.compile(
    r"^(?:[\s,.~!?;^ㅋㅎㅠㅜ]|(?:네|넵|넹|응|엉|웅|어|아|음|흠|글쎄요?|헐|오|저요|나요|저는|나는|난|전|저|나|전에는|지금은?|요즘은?|그냥"
    r"|제|내|우리|저희)(?=[\s,.!?~])|(?:이름은|집은|직업은|집이)(?= )"
    r"|\b(?:oh|omg|uh|um|well|yes|yeah|yep|hi|hey|hello|good (?:evening|morning|afternoon)|god"
    r"|so|just|it's|its|i'm|im|i am|the name's|name's|my name is|they call me|call me)\b)+",
    re.IGNORECASE,
)
_COMPILED = tuple(
    (ask, re.compile(ask.asks, re.IGNORECASE), re.compile(ask.answer, re.IGNORECASE))
    for ask in ASKS
)
#: A question for the day of something.
_ASKS_WHEN = re.compile(
    r"언제|며칠|몇 ?월|무슨 ?요일|\bwhen\b|\bwhat (?:day|date)\b", re.IGNORECASE
)
_ON = re.compile(r"^on ", re.IGNORECASE)
_BEFORE_DAY = ("", "on", "the", "on the", "next", "this")
_MOST_ANSWER = 60
#: Parts of an answer; an initial or a title before a point ends none.
_PART = re.compile(r"[.!\n]+|[ㅋㅎ]{2,}|[ㅠㅜ]+")
_ASKS = re.compile(r"(?:까|나|냐|니|느냐|소|오|가|지)[.!\s]*$")


def iter_answered_facts(
    text: str, question: str, earlier: Sequence[str] = ()
) -> Iterator[tuple[str, str, str, float]]:
    """Yield the predicate, value, sentence and confidence of each fact that answers a question.

    `question` is the message before the answer, and `earlier` what the user had said before it: a
    question for "her name" asks for somebody whom they told of.
    """
    if "?" not in question and not _ASKS.search(question):
        return
    last_sentences = " ".join(re.split(r"(?<=[.!])\s", question.strip())[-2:])
    for ask, asks, answer in _COMPILED:
        asked = asks.search(last_sentences)
        if asked is None:
            continue
        good = _list_answers(ask, answer, text)
        if not good:
            continue
        person = find_asked_person(last_sentences, asked, earlier)
        value = good[-1 if ask.predicate == "lives_in" else 0]
        if person is None:
            words = {**asked.groupdict(default=""), **value.groupdict(default="")}
            yield ask.predicate, ask.value.format_map(words), text.strip(), ask.confidence
        elif ask.predicate == "name" and person:
            predicate, named = introduce(person, value["v"])
            yield predicate, named, text.strip(), ask.confidence
        return


def name_asked_event(text: str, question: str, said: date) -> str:
    """Return an answer to "when is the interview?" with the event that it leaves out: "interview
    Tuesday at ten".

    Another text is returned as it is: the answer begins with no day or names what is on it, or the
    question is about somebody else. `said` is the day of the answer.
    """
    asking = re.split(r"(?<=[.!?])\s+", question.strip())[-1]
    asked = _ASKS_WHEN.search(asking)
    event = find_event_word(asking)
    if asked is None or event is None or find_event_word(text) or names_somebody(asking):
        return text
    answer = _FILLER.sub("", text, count=1)
    day = day_ahead(answer, said)
    if day is None or answer[: day.start].strip(" ,~").lower() not in _BEFORE_DAY:
        return text
    if detect_text_language(question) == "ko":
        return f"{event[1]} {answer}"
    return f"my {event[1]} is on {_ON.sub('', answer)}"


def _list_answers(ask: Ask, answer: "re.Pattern[str]", text: str) -> "list[re.Match[str]]":
    """Return what answers a question in the parts of a text, in order."""
    parts = [_FILLER.sub("", part, count=1) for part in _PART.split(text[:_MOST_ANSWER])]
    spoken = [part for part in parts if part.strip(" ,~?")]
    found = (answer.match(part) for part in (spoken[:1] if ask.is_first else parts))
    return [one for one in found if one and one["v"] and not regex(NO_VALUE).fullmatch(one["v"])]
