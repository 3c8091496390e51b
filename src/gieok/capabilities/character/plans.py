"""Plans with a day: what is to happen, when, and whether that was changed."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TypeVar

from gieok.capabilities.character import gates
from gieok.capabilities.character.memory import USER, Fact
from gieok.capabilities.character.predicates import EVENTS, PLANS
from gieok.text.day_ahead import NamedDay, days_ahead
from gieok.text.language import language_of

_FindingT = TypeVar("_FindingT")
_CHANGED = re.compile(
    r"밀렸|밀려|바뀌|바뀜|바꼈|바꿨|미뤄|미뤘|연기|연장|당겨|당겼|옮겼대|변경|\bmoved (?:it|to)|\bmoved\b|\bpushed\b|\bbumped\b|\bpostponed\b|\bresched|\bdelayed\b|\bbrought forward\b|\bnow\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:오전|오후|아침|저녁|밤|새벽|낮) ?(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)시(?: ?반)?|\b(?:at )?\d{1,2}(?::\d\d)? ?[ap]m\b",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(r"생일|\d일생|생이[가-힣]|\bbirthday|\bbday|\bborn\b", re.IGNORECASE)
#: What is over, and what somebody else told of themselves.
_OVER = re.compile(
    r"다녀왔|갔다 ?왔|봤어|끝났|했었|지난|저번|\bwent\b|\bwas\b(?! (?:supposed|meant))|\bhad\b|\blast\b|\bback then\b",
    re.IGNORECASE,
)
_PLACE_KO = re.compile(
    r"(?<![가-힣])(?P<v>[가-힣]{2,4}?)(?:으로|로|에)?\s?(?:여행|놀러|가기로|가자|간다|출장|캠핑|떠나|다녀오|갔다 ?오|가려고|갈 ?거)"
)
_PLACE_EN = re.compile(
    r"\b(?:to|in) (?P<v>(?-i:[A-Z])\w+)|\b(?P<w>[a-z]{4,}) (?=(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]* \d)",
    re.IGNORECASE,
)
_NO_PLACE = frozenset(
    "모시고 데리고 혼자 우리 같이 이번 다음 그때 여름 겨울 방학 휴가 가족 친구 주말 thing next this trip friday saturday sunday".split()
)
_LEADING_DAY = re.compile(r"^(?:\d{1,2}월 \d{1,2}일|[A-Z][a-z]+ \d{1,2}) ")


def plans(
    said: date, text: str, earlier: Sequence[str], held: Sequence[Fact], make: Callable[..., _FindingT]
) -> Iterator[_FindingT]:
    """Yield the plan with a day that a message tells; `earlier` is what the user said just before."""
    days = [day for day in days_ahead(text, said) if day.day >= said]
    is_change = _CHANGED.search(text) is not None
    if _BIRTHDAY.search(text) and not (is_change and _event(text)):
        return
    if not days or gates.is_idea(text.split(".", maxsplit=1)[0]):
        return
    named = _event(text) or _event_before(text, earlier, is_change) or (_pending(held, said) if is_change else None)
    if named is None or (_OVER.search(text) and not is_change and len(days) == 1 and days[0].day == said):
        return
    day = _as_planned(days[-1] if is_change else days[0], text, named[0], held)
    about = gates.topic(text, frozenset())
    shown = _shown(text, named, day, earlier)
    subject = about.who or _owner(text) or USER
    yield make(named[0], shown, text.strip(), subject, day=day.day.isoformat(), is_change=is_change)


def _event_before(text: str, earlier: Sequence[str], is_change: bool) -> tuple[str, str] | None:
    """Return the event that the user spoke of just before; a long message speaks of its own."""
    lately = reversed(earlier[-3:]) if is_change or _is_short(text) else ()
    return next((event for before in lately if (event := _event(before))), None)


def _pending(held: Sequence[Fact], said: date) -> tuple[str, str] | None:
    """Return the plan that was told last of those whose day is still to come."""
    open_ = [fact for fact in held if fact.day >= said.isoformat() and fact.predicate in PLANS]
    if not open_:
        return None
    last = max(open_, key=lambda fact: fact.at)
    return last.predicate, _LEADING_DAY.sub("", last.object)


def _as_planned(day: NamedDay, text: str, predicate: str, held: Sequence[Fact]) -> NamedDay:
    """Return the day of a plan that is known, where a text names it without its month: "yes, the 30th"."""
    if re.search(r"월|[A-Za-z]{3} \d|\d [A-Za-z]{3}", text[day.start : day.end]):
        return day
    known = (date.fromisoformat(fact.day) for fact in held if fact.day and fact.predicate == predicate)
    return next((day._replace(day=one) for one in known if one.day == day.day.day and one >= day.day), day)


def _is_short(text: str) -> bool:
    return len(text) < 60


def _owner(text: str) -> str:
    found = re.search(r"\b(?P<kin>dad|mom|mum|sister|brother|father|mother)'?s\b", text, re.IGNORECASE)
    return found["kin"].lower() if found else ""


def _event(text: str) -> tuple[str, str] | None:
    """Return the predicate of the event that a text names, and the word."""
    for predicate, words in EVENTS:
        if found := re.search(words, text, re.IGNORECASE):
            return predicate, found[0].strip()
    return None


def _shown(text: str, named: tuple[str, str], day: NamedDay, earlier: Sequence[str]) -> str:
    """Return a plan in words: its day, its time, and what it is."""
    predicate, word = named
    is_korean = language_of(text) == "ko"
    when = f"{day.day.month}월 {day.day.day}일" if is_korean else f"{day.day:%B} {day.day.day}"
    time = _TIME.search(text)
    what = (
        _trip(text, is_korean)
        if predicate == "trip"
        else _what(text, word, is_korean) or _what(" ".join(earlier[-2:]), word, is_korean)
    )
    return " ".join(filter(None, (when, time[0] if time else "", what or word)))


def _trip(text: str, is_korean: bool) -> str:
    for found in (_PLACE_KO if is_korean else _PLACE_EN).finditer(text):
        place = found["v"] or (found.groupdict().get("w") or "")
        if place and place.lower() not in _NO_PLACE:
            return f"{place} 여행" if is_korean else f"{place.capitalize()} trip"
    return "여행" if is_korean else "trip"


def _what(text: str, word: str, is_korean: bool) -> str:
    """Return the word of an event with the one before it, where that says more."""
    if is_korean:
        found = re.search(rf"(?<![가-힣])(?:(?P<lead>[가-힣]{{2,7}}) )?(?P<w>[가-힣]*{re.escape(word)})", text)
        lead = found["lead"] if found and found["lead"] else ""
        is_noun = lead and not re.search(
            r"(?:은|는|이|가|을|를|에|로|고|서|요|야|데|면|지|랑|까|래|다|도|한테|부터|번|주|나|저|우리|근데|그리고|맞다|이제)$",
            lead,
        )
        return f"{lead} {found['w']}" if found and is_noun else found["w"] if found else ""
    found = re.search(rf"\b(?:(?P<lead>[a-z]{{3,}}) )?(?P<w>{re.escape(word)})", text, re.IGNORECASE)
    lead = found["lead"] or "" if found else ""
    keep = lead and lead.lower() not in {
        "the",
        "got",
        "have",
        "has",
        "and",
        "new",
        "that",
        "this",
        "its",
        "his",
        "her",
        "their",
        "your",
        "for",
        "with",
        "next",
        "was",
        "wants",
    }
    return f"{lead} {word}" if found and keep else word if found else ""
