"""Parser of a model's answer → observations.

The parser works line by line and is tolerant: models omit tags, marks, times and categories.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, tzinfo
from typing import NamedTuple

from gieok.errors import DegenerateOutput
from gieok.memory.observation import (
    PRIORITY_OF_MARK,
    Category,
    Observation,
    Observed,
    Priority,
    most_important,
)
from gieok.memory.observer import categories, evidence
from gieok.memory.observer.evidence import select_nearest_messages
from gieok.model.conversation import Journalled
from gieok.text.degenerate import is_degenerate
from gieok.text.late_pattern import defer_pattern
from gieok.text.months import month_number

_TAG = r"<{name}>\s*(.*?)\s*(?:</{name}>|\Z)"
_OBSERVATIONS = defer_pattern(_TAG.format(name="observations"), re.DOTALL | re.IGNORECASE)
_TASK = defer_pattern(_TAG.format(name="current-task"), re.DOTALL | re.IGNORECASE)
_PATTERNS = defer_pattern(_TAG.format(name="patterns"), re.DOTALL | re.IGNORECASE)
_HEADING = defer_pattern(
    r"^\W{0,6}(?:date|날짜)\W{0,4}\s*(?P<day>\d.*|[A-Za-z]{3,9}\.? \d.*)$", re.IGNORECASE
)
_ISO = defer_pattern(r"(\d{4})\s*[-./년]\s*(\d{1,2})\s*[-./월]\s*(\d{1,2})")
_ENGLISH = defer_pattern(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_ITEM = defer_pattern(r"^(?P<indent>\s*)(?:[*•-]|\d{1,2}[.)])\s+(?P<rest>\S.*)$")
_MARKED = defer_pattern(r"^(?:[🔴🟡🟢✅]\ufe0f?\s*)+")
_TIME = defer_pattern(r"^[\[(]?(\d{1,2}):(\d{2})[\])]?\s*[-–:]?\s*")
_CATEGORY = defer_pattern(
    r"\s*[\[(](?:category|분류)?\s*:?\s*(state|decision|preference|task)[\])]\s*", re.IGNORECASE
)
_CITED = defer_pattern(r"\s*\{([\d,\s–-]+)\}\s*\.?$")
#: `{replaces k1, k4}`, which models write in any kind of bracket, before or behind the citation.
_REPLACES = defer_pattern(
    r"\s*[\[({]\s*replaces:?\s+(\[?k\d+\]?(?:[\s,]+(?:and\s+)?\[?k\d+\]?)*)\s*[\])}]", re.IGNORECASE
)
_HANDLE = defer_pattern(r"k\d+", re.IGNORECASE)
_NOTHING = defer_pattern(r"\b(none|nothing)\b|없음", re.IGNORECASE)
#: A shorter answer between the tags can only mean "nothing".
_SHORT_ANSWER_CHARS = 40
_LONGEST_CHARS = 2_000
_LONGEST_RANGE = 50


class SourceText(NamedTuple):
    """The messages that an answer is about, numbered from 1 as in the prompt."""

    messages: Sequence[Journalled]
    zone: tzinfo
    #: The day of lines without a date.
    today: date
    #: Whether the messages are a conversation, in which tool output is weaker evidence than speech.
    is_conversation: bool = False
    #: Handle → key, for observations that were shown and may be replaced.
    known: Mapping[str, str] = {}


def parse_observer_answer(
    answer: str, source: SourceText, *, limit: int, model: str = ""
) -> Observed:
    """Return at most `limit` observations of an answer, with its task and patterns.

    Raises DegenerateOutput.
    """
    if is_degenerate(answer):
        raise DegenerateOutput("the model repeats itself")
    tagged = _OBSERVATIONS.search(answer)
    body = tagged[1] if tagged else answer
    observations = _parse_answer_body(body, source)
    if not observations and not (
        tagged and len(body) < _SHORT_ANSWER_CHARS and _NOTHING.search(body)
    ):
        excerpt = " ".join(answer.split())[:80]
        raise DegenerateOutput(
            "the model answered without observations: {excerpt!r}"
            if excerpt
            else "the model answered nothing",
            excerpt=excerpt,
        )
    task = _TASK.search(answer)
    patterns = _PATTERNS.search(answer)
    listed = (
        [m["rest"].strip() for m in map(_ITEM.match, patterns[1].splitlines()) if m]
        if patterns
        else []
    )
    return Observed(
        most_important({o.text: o for o in _borne_out(observations, source)}.values(), limit),
        _strip_blank_lines(task[1]) if task and not _is_told_by_tools(task[1], source) else "",
        tuple(pattern for pattern in listed if not _is_told_by_tools(pattern, source)),
        model,
    )


def _borne_out(found: list[Observation], source: SourceText) -> list[Observation]:
    if not source.is_conversation:
        return found
    return [o for o in (evidence.weighed(o, source.messages) for o in found) if o]


def _is_told_by_tools(text: str, source: SourceText) -> bool:
    """Say whether a text without citations is an instruction that only tool output supports."""
    return (
        source.is_conversation
        and categories.is_instruction(text)
        and evidence.is_from_tools(text, source.messages)
    )


def _parse_answer_body(body: str, source: SourceText) -> list[Observation]:
    observations: list[Observation] = []
    day: date | None = None
    for line in body.splitlines():
        if heading := _HEADING.match(line):
            day = _parse_answer_day(heading["day"]) or day
        elif item := _ITEM.match(line):
            rest = item["rest"].strip()
            if observations and (
                rest.startswith("->") or (item["indent"] and not _MARKED.match(rest))
            ):
                observations[-1] = _extend_observation_text(
                    observations[-1], rest.removeprefix("->").strip()
                )
            elif observation := _parse_observation_item(rest, day, source):
                observations.append(observation)
    return observations


def _extend_observation_text(o: Observation, more: str) -> Observation:
    return o._replace(text=f"{o.text}; {_CITED.sub('', more)}"[:_LONGEST_CHARS])


def _parse_answer_day(text: str) -> date | None:
    try:
        if iso := _ISO.search(text):
            return date(int(iso[1]), int(iso[2]), int(iso[3]))
        if (english := _ENGLISH.search(text)) and (month := month_number(english[1])):
            return date(int(english[3]), month, int(english[2]))
    except ValueError:
        pass
    return None


def _parse_observation_item(rest: str, day: date | None, source: SourceText) -> Observation | None:
    marked = _MARKED.match(rest)
    marks = marked[0] if marked else ""
    rest = rest[len(marks) :].replace("**", "")
    clock = _TIME.match(rest)
    rest = rest[clock.end() :] if clock else rest
    replaces = _find_replaced_keys(rest, source.known)
    rest = _REPLACES.sub("", rest)
    cited = _CITED.search(rest)
    rest = _CITED.sub("", rest)
    category = _CATEGORY.search(rest)
    text = _CATEGORY.sub(" ", rest, count=1).strip()[:_LONGEST_CHARS]
    if len(text) < 3:
        return None
    is_done = "✅" in marks
    messages = (
        _cited_messages(cited[1], source.messages)
        if cited
        else select_nearest_messages(text, source.messages)
    )
    return Observation(
        text=text,
        at=_find_event_time(day, clock, messages, source),
        priority=next(
            (p for mark, p in PRIORITY_OF_MARK.items() if mark in marks), Priority.MEDIUM
        ),
        category=Category(category[1].lower())
        if category
        else Category.TASK
        if is_done
        else Category.STATE,
        is_done=is_done,
        message_ids=tuple(journalled.message.id for journalled in messages),
        replaces=replaces,
    )


def _find_replaced_keys(text: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys that a line replaces; only handles that were shown to the model count."""
    handles = [
        handle.lower() for match in _REPLACES.finditer(text) for handle in _HANDLE.findall(match[1])
    ]
    return tuple(dict.fromkeys(known[handle] for handle in handles if handle in known))


def _find_event_time(
    day: date | None, clock: re.Match[str] | None, cited: Sequence[Journalled], source: SourceText
) -> datetime:
    """Return the time of an event, from the answer, else from the messages."""
    known = (cited or source.messages)[-1:]
    last = (
        known[0].message.at.astimezone(source.zone)
        if known
        else datetime.combine(source.today, time(), source.zone)
    )
    hour, minute = (int(clock[1]), int(clock[2])) if clock else (last.hour, last.minute)
    if hour > 23 or minute > 59:
        hour, minute = last.hour, last.minute
    return datetime.combine(day or last.date(), time(hour, minute), source.zone).astimezone(UTC)


def _cited_messages(text: str, messages: Sequence[Journalled]) -> list[Journalled]:
    """Return the messages cited as `3, 5-7`."""
    numbers: list[int] = []
    for part in text.replace("–", "-").split(","):
        first, _, last = part.strip().partition("-")
        if first.strip().isdigit():
            end = int(last) if last.strip().isdigit() else int(first)
            numbers += range(int(first), min(end, int(first) + _LONGEST_RANGE) + 1)
    return [messages[n - 1] for n in dict.fromkeys(numbers) if 1 <= n <= len(messages)]


def _strip_blank_lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
