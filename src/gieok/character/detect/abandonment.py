"""Finds which held facts a message gives up: ideas, plans, habits, work."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, tzinfo

from gieok.character.detect.plan_clause import read_plan_clause
from gieok.character.facts import Fact
from gieok.text.day_ahead import days_ahead
from gieok.zone import day_in

_DROPPED = re.compile(
    r"안 ?하기로|나왔어|나왔다|졸업했|수료|팔았|넘겼|퇴사|사표|안 ?다녀|못 ?하게 ?됐|관두|취소|접었|접고|폐기|환불|이제 ?안 ?(?:해|하|가|다녀)"
    r"|그만(?:두|뒀|둔|하)|관뒀|포기|때려 ?[치쳤]|없던 ?일|[은는] 안 ?(?:해|하려|할)|끊었|끊고"
    r"|\bscrap(?:ped)?\b|\bdropp(?:ed|ing)\b|\bcancel|\bgave up\b|\bgiving up\b|\bgiven "
    r"up\b|\bcalled off\b|\bnot doing\b|\bquit\b|\bbailed on\b|\bditched\b",
    re.IGNORECASE,
)
_LEFT_WORK = re.compile(
    r"퇴사(?:했|함|하고|하기로)|사표 ?(?:를 )?(?:냈|던졌|썼)|(?:회사|직장|일)(?:를|을|은|는)? ?(?:그만뒀|관뒀|때려 ?[쳤치])|짤렸|잘렸|해고"
    r"|\b(?:quit|left|lost) my job\b|\bgot (?:fired|laid off)\b|\bhanded in my notice\b|\bi "
    r"(?:quit|resigned)\b[.!]",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"(?<![가-힣])(?:가(?![가-힣])|가[요고기려는서]|간다|갈|갑니다|갔)|\bgo(?:ing)?\b|\boff to\b|\bmake it\b"
    r"|\bcoming\b|\bheading\b",
    re.IGNORECASE,
)
_DAY_WORD = re.compile(
    r"(?:이번|다음|내일|모레|글피|주말|[월화수목금토일]요일|오전|오후|아침|저녁)|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|tomorrow|next|week",
    re.IGNORECASE,
)
#: Words that may name a thing.
_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
_COMMON = frozenset(
    (
        "this that with have just idea plan thing doing maybe thinking about eventually class 생각 "
        "요즘 이제 그냥 아직 모르 진짜 나중"
    ).split()
)


def iter_given_up_facts(
    parts: Sequence[str], held: Sequence[Fact], day: date, zone: tzinfo = UTC
) -> Iterator[Fact]:
    """Yield the ideas, plans, habits and work that the sentences of a message give up.

    A fact is given up by a word of it; work also by a general statement about work.
    """
    given_up = ". ".join(
        sentence for sentence in parts if _DROPPED.search(sentence) or _LEFT_WORK.search(sentence)
    )
    given_up_words = {word for word in _WORD.findall(given_up) if word not in _COMMON}
    denied = [(word, sentence) for sentence in parts for word in _list_denied_days(sentence, day)]
    if not given_up and not denied:
        return
    for fact in held:
        is_open = fact.is_idea or fact.type in ("plan", "habit") or fact.predicate == "job"
        own = {word for word in _WORD.findall(fact.object) if word not in _COMMON}
        is_left = (
            fact.predicate == "job" and day_in(fact.at, zone) < day and _LEFT_WORK.search(given_up)
        )
        is_named = any(
            _cut_word_stem(own_word) == _cut_word_stem(other)
            for own_word in own
            for other in given_up_words
        )
        is_denied = any(
            fact.type == "plan" and fact.day == of_day and _is_same_doing(fact.source, sentence)
            for of_day, sentence in denied
        )
        if (is_open and is_named) or is_left or is_denied:
            yield fact


def _list_denied_days(sentence: str, day: date) -> list[str]:
    """Return the days ahead on which, as a sentence says, something will not be."""
    ahead = [named for named in days_ahead(sentence, day) if named.day >= day]
    return [
        named.day.isoformat()
        for named in ahead
        if (clause := read_plan_clause(sentence, named, "")).is_denied and not clause.is_open
    ]


def _is_same_doing(planned: str, denied: str) -> bool:
    """Return whether a sentence denies what another planned.

    It calls something off, goes nowhere where the other went, or names a word of it.
    """
    if _DROPPED.search(denied) or (_GOES.search(denied) and _GOES.search(planned)):
        return True
    return shares_word(planned, denied)


def shares_word(one: str, other: str) -> bool:
    """Return whether two texts share a word that may name a thing, days left out."""
    words = {_cut_word_stem(word) for word in _iter_names(one)}
    return any(_cut_word_stem(word) in words for word in _iter_names(other))


def _iter_names(text: str) -> Iterator[str]:
    return (
        word
        for word in _WORD.findall(text)
        if word.lower() not in _COMMON and not _DAY_WORD.match(word)
    )


def _cut_word_stem(word: str) -> str:
    return word[:2] if "가" <= word[0] <= "힣" else word.lower()[:5]
