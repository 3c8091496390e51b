"""Joins new findings with held facts.

A repeat is counted; of a single-valued fact the newest value holds, and the old value ends. Pure:
facts in, facts out. A contradiction is never kept as two current truths.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from gieok.character.detect.detect import Detection, Finding
from gieok.character.facts import PERSON, Fact, same_value
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.predicates import PLANS, PREDICATES
from gieok.zone import day_in

#: Findings with a lower confidence are not kept as facts.
LEAST_CONFIDENCE = 0.6
#: A value that is corrected within this time was never true: it is not kept as history.
_SLIP = timedelta(minutes=10)
_PUT_RIGHT = re.compile(
    r"\bsorry\b|\bi meant?\b|\bmy bad\b|아니다|아 아니|착각|잘못|헷갈|정정|뭐라고 했", re.IGNORECASE
)
_LATELY = timedelta(days=60)
_MOST_SOURCE = 200
#: Words of time say nothing about an activity; a swap of habits is told with these words.
_WHEN = re.compile(
    r"맨날|매일|매주|아침|저녁|새벽|밤|주말|요즘|요새|자기|전에|퇴근|출근|마다|시간|번씩|every|morning|night|week|times"
)
_SWAPPED = re.compile(
    r"대신|바꿨|바꾸|말고|접고|접었|끊고|끊었|관두|관뒀|그만|이제는|\binstead\b|\bswitched\b|\bgave up\b|\bquit\b"
)
#: Words by which a message says that something became another than it was.
_NEWS = re.compile(
    r"이제|바뀌|바뀐|옮겼|옮긴|이사|이직|개명|새로|\bnow\b|\bmov(?:ed|ing)\b|\bchanged\b|\bnew\b"
    r"|\bno longer\b|\banymore\b",
    re.IGNORECASE,
)
_SPOUSE = frozenset("아내 와이프 남편 신랑 마누라 집사람 안사람 바깥양반 wife husband".split())


class FactChanges(NamedTuple):
    """Facts to put (new and changed), and facts to forget because they were never true."""

    put: tuple[Fact, ...] = ()
    forget: tuple[Fact, ...] = ()


class ToldMessage(NamedTuple):
    """Time, id and text of the message that states something."""

    at: datetime
    message_id: str
    text: str
    #: Time zone of the message's day.
    zone: tzinfo = UTC


def join_detected_facts(found: Detection, held: Sequence[Fact], told: ToldMessage) -> FactChanges:
    """Return how a message's findings change the facts.

    `held` are all facts and ideas of the scope.
    """
    known = {fact.key: fact for fact in held}
    before = dict(known)
    for finding in found.findings:
        _join_finding(finding, known, told)
    for fact in found.dropped:
        if (
            fact.key in known
            and known[fact.key].is_current
            and _may_be_ended(known[fact.key], told)
        ):
            known[fact.key] = replace(known[fact.key], until=told.at, ended_by=told.message_id)
    changed = tuple(fact for key, fact in known.items() if before.get(key) != fact)
    return FactChanges(changed, tuple(fact for key, fact in before.items() if key not in known))


def build_stated_fact(finding: Finding, told: ToldMessage) -> Fact:
    """Return the fact that a finding states. Raises KeyError for an unknown predicate."""
    row = PREDICATES[finding.predicate]
    return Fact(
        subject=finding.subject,
        predicate=finding.predicate,
        object=finding.object,
        type=row.type,
        at=told.at,
        confidence=finding.confidence,
        source=(finding.sentence if finding.sentence in told.text else told.text)[:_MOST_SOURCE],
        subtype=finding.subtype,
        day=finding.day,
        message_ids=(told.message_id,),
        importance=row.importance,
        is_idea=finding.is_idea,
        born=told.message_id,
        by=finding.by,
    )


def build_set_fact(decision_id: str, at: datetime, change: MemoryEdit, ids: Sequence[str]) -> Fact:
    """Return the fact that a person set; `ids` are the messages from which it was known before.

    Raises KeyError for an unknown predicate.
    """
    row = PREDICATES[change.predicate or ""]
    return Fact(
        subject=change.subject or "",
        predicate=change.predicate or "",
        object=change.object or "",
        type=row.type,
        at=at,
        confidence=1.0,
        subtype=change.subtype or "",
        mentions=max(len(ids), 1),
        day=change.day or "",
        message_ids=tuple(ids),
        importance=row.importance if change.importance is None else change.importance,
        born=decision_id,
        edits=(decision_id,),
        by=PERSON,
        is_important=bool(change.is_important),
    )


def join_set_fact(fact: Fact, held: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts with one that a person set.

    It takes the place of an equal fact, and of the fact that holds where only one can.
    """
    facts: list[Fact] = []
    for one in held:
        is_rival = one.is_current and one.slot == fact.slot and not one.is_idea
        if is_rival and same_value(one.object) == same_value(fact.object):
            ids = (*one.message_ids, *fact.message_ids)
            ids = tuple(dict.fromkeys(ids))
            fact = replace(fact, slips=(*fact.slips, one), message_ids=ids, mentions=one.mentions)
        elif is_rival and PREDICATES[fact.predicate].is_single:
            facts.append(replace(one, until=fact.at, replaced_by=fact.key, ended_by=fact.born))
        else:
            facts.append(one)
    return (*facts, fact)


def _may_be_ended(fact: Fact, told: ToldMessage, finding: Finding | None = None) -> bool:
    """Return whether a message may end a fact.

    What a person set ends only where a message says that something changed, and never by what only
    seems to put it right.
    """
    if not fact.is_set:
        return True
    if finding is not None and finding.corrects:
        return False
    is_change = finding is not None and finding.is_change
    return is_change or tells_news(told.text)


def tells_news(text: str) -> bool:
    """Return whether words say that something became another than it was, or was swapped."""
    return bool(_NEWS.search(text) or _SWAPPED.search(text))


def is_valid(finding: Finding) -> bool:
    """Return whether a finding may be kept.

    Its predicate must be known, its object named, and its confidence high enough.
    """
    is_known = (
        finding.predicate in PREDICATES
        and bool(same_value(finding.object))
        and len(finding.object) <= _MOST_SOURCE
    )
    return is_known and (finding.is_idea or finding.confidence >= LEAST_CONFIDENCE)


def added(by_rules: Sequence[Finding], by_model: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of the rules in a message, with the additional findings of a model.

    Where both find the same, the rules' wording is kept; of two values of which only one can hold,
    the model's value is kept.
    """
    findings = list(by_rules)
    for finding in by_model:
        same = [
            other
            for other in findings
            if (other.subject, other.predicate) == (finding.subject, finding.predicate)
        ]
        if any(_is_part(finding.object, other.object) for other in same):
            continue
        if PREDICATES[finding.predicate].is_single:
            findings = [other for other in findings if other not in same]
        findings.append(finding)
    return tuple(findings)


def _is_part(one: str, other: str) -> bool:
    a, b = same_value(one), same_value(other)
    return a in b or b in a


def _join_finding(finding: Finding, known: dict[str, Fact], told: ToldMessage) -> None:
    if not is_valid(finding):
        return
    fact = build_stated_fact(finding, told)
    rivals = [
        one
        for one in known.values()
        if one.is_current and one.slot == fact.slot and one.is_idea == fact.is_idea
    ]
    for one in rivals:
        is_moved = bool(finding.replaces) and same_value(one.object) != same_value(fact.object)
        if one.key != finding.corrects and not is_moved and _is_repeat(one, fact):
            known[one.key] = _count_mention(one, told)
            return
    is_part = fact.predicate == "name" and any(_is_part_of_name(one, fact) for one in rivals)
    if is_part and not finding.corrects:
        return
    ended = [
        one for one in rivals if not fact.is_idea and _is_ended_by_fact(one, fact, finding, told)
    ]
    if (wrong := known.get(finding.corrects)) and wrong not in ended:
        ended.append(wrong)
    ended += [one for one in known.values() if _is_turned(one, fact) or _was_left(one, fact)]
    if any(one.is_current and not _may_be_ended(one, told, finding) for one in ended):
        return
    if newer := [one for one in ended if one.is_current and one.at > fact.at]:
        first = min(newer, key=lambda one: one.at)
        # An old chat log, read after the messages that it led to.
        known[fact.key] = replace(fact, until=first.at, replaced_by=first.key)
        return
    for one in ended:
        if not finding.corrects and _is_slip(one, fact, told):
            del known[one.key]
            ids = (*one.message_ids, *fact.message_ids)
            fact = replace(
                fact, at=one.at, mentions=len(ids), message_ids=ids, slips=(*fact.slips, one)
            )
        else:
            ended_by = one.ended_by or told.message_id
            known[one.key] = replace(
                one, until=one.until or told.at, replaced_by=fact.key, ended_by=ended_by
            )
    known[fact.key] = fact


def _is_turned(old: Fact, new: Fact) -> bool:
    """Return whether a taste was reversed: from dislike to like, or from like to dislike."""
    is_opposite = {old.predicate, new.predicate} == {
        "likes",
        "dislikes",
    } and old.subject == new.subject
    return old.is_current and is_opposite and _is_part(old.object, new.object)


def _was_left(old: Fact, new: Fact) -> bool:
    """Return whether an old value was given up a while ago without a successor.

    The new value then becomes its successor.
    """
    was_so = old.until is not None and old.until > old.at
    is_lately = was_so and old.is_dropped and new.at - (old.until or new.at) <= _LATELY
    return (
        is_lately
        and old.slot == new.slot
        and PREDICATES[new.predicate].is_single
        and not old.is_idea
    )


def _is_part_of_name(old: Fact, new: Fact) -> bool:
    """Return whether a shorter new name is part of the known name."""
    return same_value(new.object) in same_value(old.object)


def _count_mention(fact: Fact, told: ToldMessage) -> Fact:
    if told.message_id in fact.message_ids:
        return fact
    return replace(
        fact, mentions=fact.mentions + 1, message_ids=(*fact.message_ids, told.message_id)
    )


def _is_repeat(old: Fact, new: Fact) -> bool:
    a, b = same_value(old.object), same_value(new.object)
    if old.learned and b == same_value(old.said):
        return True  # the user put it right: what they said before says nothing new
    if old.predicate in PLANS:
        return a == b or (bool(old.day) and old.day == new.day and len(b) <= len(a))
    is_part = b in a and (PREDICATES[old.predicate].is_single or len(b) > 1)
    return a == b or (is_part and old.predicate not in ("speech_level", "address_form"))


def _is_ended_by_fact(old: Fact, new: Fact, finding: Finding, told: ToldMessage) -> bool:
    """Return whether a new fact replaces an old fact of the same slot."""
    if old.predicate in PLANS:
        if finding.is_change and finding.replaces == old.object:
            return True
        is_pending = bool(old.day) and old.day >= day_in(told.at, told.zone).isoformat()
        is_named = finding.is_change and (not finding.replaces or finding.replaces == old.object)
        return is_pending and (is_named or old.day == new.day or _is_same_event(old, new))
    if old.predicate in ("habit", "hobby"):
        return _is_same_habit(old, new, told.text)
    if finding.is_change and old.predicate == "pet":
        return old.object.split(" (")[0] == new.object.split(" (")[0]
    return PREDICATES[old.predicate].is_single


def _is_same_habit(old: Fact, new: Fact, text: str) -> bool:
    """Return whether a habit replaces another habit.

    Either both name the same activity, or the old habit is given up for the new one.
    """

    def doing(fact: Fact) -> set[str]:
        words = (
            word
            for word in re.findall(r"[가-힣]+|[a-z]{4,}", fact.object.lower())
            if not _WHEN.match(word)
        )
        return {word[:2] if word[0] >= "가" else word[:5] for word in words if len(word) > 1}

    is_swapped = _SWAPPED.search(text) is not None and new.at - old.at > _SLIP
    return bool(doing(old) & doing(new)) or (
        is_swapped and bool(doing(old) & {w[:2] for w in re.findall(r"[가-힣]+", text)})
    )


def _is_same_event(old: Fact, new: Fact) -> bool:
    def name(fact: Fact) -> str:
        return same_value(
            re.sub(r"\d+월 \d+일|[A-Z][a-z]+ \d+|(?:오전|오후) ?\S+시", "", fact.object)
        )

    return name(old) == name(new)


def _is_slip(old: Fact, new: Fact, told: ToldMessage) -> bool:
    """Return whether an old value was a slip of the tongue, or a less complete new value."""
    is_more = (old.predicate in PLANS and old.day == new.day) or old.object in _SPOUSE
    is_fuller = same_value(old.object) in same_value(new.object) and old.predicate in (
        "name",
        "pet",
        "boss",
        "colleague",
    )
    return (
        is_more
        or is_fuller
        or (told.at - old.at <= _SLIP and _PUT_RIGHT.search(told.text) is not None)
    )
