"""Dates in words, Korean and English: the days that a question names, and the day in a note's file name."""

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from gieok.text.day_phrases import HINT, Found, Meaning, edges, patterns

_DAY = timedelta(days=1)
_LINK = re.compile(
    r"\s*(?:부터|에서|~|〜|–|—|\.\.|-|\b(?:to|until|till|through|thru|and)\b)\s*(?:the )?", re.IGNORECASE
)
_BETWEEN = re.compile(r"\bbetween\b", re.IGNORECASE)
_SINCE = re.compile(r"(?:\s?부터|\s이후|\s이래)(?![가-힣]*\s*[가-힣\d]*까지)|\bsince (?:the )?", re.IGNORECASE)
_DAY_ALONE = re.compile(r"(\d{1,2})(?:st|nd|rd|th|일)?(?![\d.:/%월년])")


class DateSpan(NamedTuple):
    """Days from `first` to `last`, both included, and the words of the question that name them."""

    first: date
    last: date
    words: str


@lru_cache(16)  # a question is looked at by whoever ranks, lists or filters
def find_span(question: str, today: date) -> DateSpan | None:
    """Return the days that `question` names, seen from `today`; None without any (or for an impossible date)."""
    if not HINT.search(question):
        return None
    return _range(question, today) or _since(question, today) or _single(question, today)


def _single(question: str, today: date) -> DateSpan | None:
    for pattern, meaning in patterns():
        found = pattern.search(question)
        if found and (days := _days(found, meaning, today)):
            return DateSpan(*days, found[0])
    return None


def _days(found: Found, meaning: Meaning, today: date) -> tuple[date, date] | None:
    try:
        return meaning(found, today)
    except (ValueError, OverflowError, StopIteration):  # 2월 31일
        return None


def _range(question: str, today: date) -> DateSpan | None:
    """Return the days from one that is named to another: from A to B, between A and B, A부터 B까지, A–B."""
    for link in _LINK.finditer(question):
        left, right = question[: link.start()], question[link.end() :]
        if link[0].strip().lower() == "and" and not _BETWEEN.search(left):
            continue
        first = _edge(left, today, is_end=True)
        last = (_day_alone(right, first) or _edge(right, today, is_end=False)) if first else None
        if first and last:
            start = first.first if first.first <= last.last else _earlier(first.first, last.last)
            words = question[len(left) - len(first.words) : link.end() + len(last.words)]
            return DateSpan(start, last.last, words)
    return None


def _since(question: str, today: date) -> DateSpan | None:
    """Return the days from one that is named until today: since A, A부터."""
    for mark in _SINCE.finditer(question):
        is_end = not mark[0].lower().startswith("since")
        text = question[: mark.start()] if is_end else question[mark.end() :]
        if (found := _edge(text, today, is_end=is_end)) and found.first <= today:
            words = found.words + mark[0] if is_end else mark[0] + found.words
            return DateSpan(found.first, today, words)
    return None


def _edge(text: str, today: date, *, is_end: bool) -> DateSpan | None:
    """Return the days whose name a text ends or begins with; the longest name counts."""
    best: DateSpan | None = None
    for pattern, meaning in (*patterns(), *edges()):
        for found in pattern.finditer(text):
            is_there = found.end() == len(text) if is_end else found.start() == 0
            longer = best is None or len(found[0]) > len(best.words)
            if is_there and longer and (days := _days(found, meaning, today)):
                best = DateSpan(*days, found[0])
    return best


def _day_alone(text: str, first: DateSpan) -> DateSpan | None:
    """Return the later day of the same month that a text begins with: September 3 to 10."""
    found = _DAY_ALONE.match(text)
    if not found or first.first != first.last or int(found[1]) <= first.first.day:
        return None
    try:
        day = first.first.replace(day=int(found[1]))
    except ValueError:
        return None
    return DateSpan(day, day, found[0])


def _earlier(first: date, last: date) -> date:
    """Return a beginning a week or a year before, so that the end does not precede it."""
    week = first - 7 * _DAY
    return week if week <= last else first.replace(year=first.year - 1, day=min(first.day, 28))


_DAY_NAME = re.compile(r"(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")


def name_without_day(name: str) -> str:
    """Return a file name without the day that it begins with."""
    return _DAY_NAME.sub("", name).strip("-_. ") if day_in_name(name) else name


def day_in_name(name: str) -> date | None:
    """Return the day that a file name begins with (`2026-10-14-incident.md`, `2026_10_14`, `20261014`), or None."""
    found = _DAY_NAME.match(name)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
