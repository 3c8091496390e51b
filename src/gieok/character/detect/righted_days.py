"""Finds the plan whose day a message puts right: "no wait, Saturday", 정정할게요 25일이에요.

The plan is named by a word of it, or was told just before and the message names no other.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.character.detect.denials import is_among, list_names
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.plans import list_open_plans, name_held_plan
from gieok.character.detect.righted.claims import names_other
from gieok.character.detect.righted.openings import puts_right
from gieok.character.facts import USER, Fact
from gieok.text.times.reading import Time, read_times

#: Words of a correction that name nothing, and days.
_FILLERS = re.compile(
    r"\b(?:no|wait|correction|lie|tell|mean|meant|said|mistake|sorry|scratch|hang|hold|on|second"
    r"|wrong|right|day|date|it'?s|that'?s|so|is|not|the|\w+day|\d+(?:st|nd|rd|th)?|mind|idiot|think"
    r"|let|me|yes|correct)\b"
    r"|[월화수목금토일]요일|\d{1,2}일|정정[가-힣]*|잘못[가-힣]*|말했[가-힣]*|말씀[가-힣]*|날짜[가-힣]*|아까|제가|내가|맞[가-힣]*"
    r"|아니[가-힣]*|[가-힣]*라고 ?했[가-힣]*|헷갈[가-힣]*|착각[가-힣]*|말고",
    re.IGNORECASE,
)
#: What others say of a day: 금요일이라고 하더라.
_HEARD_DAY = re.compile(r"(?<=[일날])이라(?:고 ?하[가-힣]+|더라|네)(?:요)?(?![가-힣])")
#: How much of a fact's sentence is looked for in a message.
_MOST_COMPARED = 40


class RightedDay(NamedTuple):
    """Plan, the day that is right, and the plan's words with that day."""

    plan: Fact
    day: date
    value: str


class _DatedPart(NamedTuple):
    """Sentence without its days, and the days that it names."""

    rest: str
    days: list[date]


def iter_righted_days(
    text: str, said: date, earlier: Sequence[str], held: Sequence[Fact]
) -> Iterator[RightedDay]:
    """Yield the user's plan whose day a message of the day `said` puts right, at most one.

    `earlier` are the user's last messages before it.
    """
    sentences = [one for one in split_chat_sentences(text) if not one.endswith("?")]
    text = _HEARD_DAY.sub("이다", ". ".join(sentences))
    if not puts_right(text) or gates.is_idea(text) or names_other(text):
        return
    parts = list[_DatedPart]()
    for sentence in split_chat_sentences(text):  # "Saturday. Saturday the 17th" is no one day
        times = [
            one for one in read_times(sentence, said, is_ahead=True).found if _is_single_day(one)
        ]
        days = [time.span.first for time in times if time.span.first >= said]
        parts.append(_DatedPart(_cut_times(sentence, times), days))
    is_dated = any(part.days for part in parts)
    plan = (
        _find_plan(" ".join(part.rest for part in parts), said, earlier, held) if is_dated else None
    )
    if plan is None:
        return
    day = _choose_day(parts, plan)
    if plan.day != day.isoformat():
        yield RightedDay(plan, day, _format_plan(plan, day))


def _choose_day(parts: Sequence[_DatedPart], plan: Fact) -> date:
    """Return the last day of the sentence that names a plan, else the last one of all."""
    named = [
        part.days[-1]
        for part in parts
        if part.days and any(is_among(name, plan) for name in _list_plan_names(part.rest))
    ]
    return named[-1] if named else [part.days[-1] for part in parts if part.days][-1]


def _list_plan_names(text: str) -> list[str]:
    return [name for name in list_names(_FILLERS.sub(" ", text)) if len(name) > 1]


def _cut_times(text: str, times: Sequence[Time]) -> str:
    for time in reversed(times):
        text = f"{text[: time.start]} {text[time.end :]}"
    return text


def _is_single_day(time: Time) -> bool:
    return time.span.first == time.span.last


def _find_plan(text: str, said: date, earlier: Sequence[str], held: Sequence[Fact]) -> Fact | None:
    """Return the one open plan of which a text without its days has most words.

    Where it names nothing else, that is the last plan that was told just before.
    """
    own = [fact for fact in list_open_plans(held, said) if fact.subject == USER]
    names = _list_plan_names(text)
    shared = [sum(is_among(name, fact) for name in names) for fact in own]
    if most := max(shared, default=0):
        likest = [fact for fact, count in zip(own, shared, strict=True) if count == most]
        return likest[0] if len(likest) == 1 else None
    lately = [fact for fact in own if any(fact.source[:_MOST_COMPARED] in one for one in earlier)]
    return lately[-1] if lately and not names else None


def _format_plan(plan: Fact, day: date) -> str:
    """Return a plan's words with another day, in the language of its words."""
    words = name_held_plan(plan)[1]
    is_korean = re.match(r"\d{1,2}월", plan.object) is not None
    return f"{day.month}월 {day.day}일 {words}" if is_korean else f"{day:%B} {day.day} {words}"
