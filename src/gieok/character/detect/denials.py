"""Which plans with a day a message takes back.

A plan is given up only by a clause of the user that denies it and names nothing else: every word
of the clause that may name something must be a word of the plan. Another person, event or place,
a manner ("not alone"), and a sentence that goes on to affirm leave the plan as it was.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from gieok.character.detect.abandonment import cut_word_stem
from gieok.character.detect.plan_clause import PlanClause, read_plan_clause
from gieok.character.facts import USER, Fact
from gieok.text.day_ahead import NamedDay, days_ahead

#: A sentence that goes on to say otherwise.
_GOES_ON = re.compile(
    r"\bbut\b|\balthough\b|\bthough\b(?=\s+\w)|[는은인]데(?![가-힣])|지만|려[다던]|줄 ?알",
    re.IGNORECASE,
)
#: Words of a denial that name neither a person nor an event nor a place.
_EMPTY_EN = frozenset(
    (
        "i im i'm i'll i've i've we we're we'll it it's its that that's the a an to on at in for of "
        "is isn't isnt are aren't arent am aint ain't not no longer any more anymore go going gonna "
        "make making can't cant cannot won't wont don't dont didn't will be do doing happening get "
        "getting gets got cancelled canceled cancel cancelling cancels off called scrap scrapped "
        "dropped ditched bailed skipping pulled out fell through plan plans after all now sadly "
        "unfortunately actually sorry oh so well ugh damn and then my our 's s been have has had "
        "coming heading attending travelling traveling flying fly lol guess anyway tbh it'll"
    ).split()
)
_EMPTY_KO = re.compile(
    r"아|앗|어|음|헐|하|근데|그리고|그냥|결국|이제|이젠|갑자기|나|난|나는|나도|저|전|저는|내가|제가|우리|그거|그건|거기|거긴|못|안|더|더는|이상"
    r"|아예|일정|계획|그날|에|에는|엔|은|는|날|거|것|거야|거예요|거임|일|일로|없던|(?:안|못)?(?:가|가요|간다|갑니다|감|갈|갈래|갈래요|가기로|가게|가지)"
    r"|(?:안|못)?하(?:기로|게|지)|함|했[가-힣]*|해요?|합니다|됐[가-힣]*|됨|되[가-힣]*|돼[가-힣]*|취소[가-힣]*|무산[가-힣]*"
    r"|않[가-힣]*|없[가-힣]*|아니[가-힣]*"
    r"|파토|파투|엎어졌[가-힣]*|났[가-힣]*"
)
#: What calls a plan off where no day is named: "I can't swim" does not.
_CALLS_OFF = re.compile(
    r"취소|무산|파토|파투|엎어졌|없던 ?일|(?:안|못) ?(?:가|간다|감|갈)|(?:안|못) ?[가-힣]+[기게][로]? ?(?:[했함해됐됨돼])"
    r"|가지 ?(?:않|못)"
    r"|(?:\bnot|n'?t|\bno longer)(?: be)? (?:going|coming|flying|happening|travell?ing|attending)\b"
    r"|(?:\bcan'?t|\bcannot|\bwon'?t) (?:go|make|come|attend)\b"
    r"|\bcancel|\boff\b|\bfell through\b|\bscrap",
    re.IGNORECASE,
)
#: What is said of an event, not of a person.
_BEFALLS_EN = re.compile(
    r"\bcancel|\boff\b|\bhappening\b|\bscrapp|\bfell through\b|\bnot on\b", re.IGNORECASE
)
_DROPS = re.compile(r"\b(?:dropped|ditched|bailed on|called off)\b|접었|포기", re.IGNORECASE)
_TOKEN = re.compile(r"[가-힣]+|[A-Za-z][A-Za-z'’]*|\d+")
_COMPANION = re.compile(
    r"([가-힣]+?)(?:이랑|랑|하고|[와과])(?![가-힣])|\b(?:with|and) (?:my )?([A-Za-z]+)",
    re.IGNORECASE,
)
#: Days of one sentence that are looked at.
_MOST_DAYS = 8


def iter_given_up_plans(parts: Sequence[str], held: Sequence[Fact], day: date) -> Iterator[Fact]:
    """Yield the plans with a day that the sentences of a message surely take back."""
    open_ = [
        fact
        for fact in held
        if fact.type == "plan" and fact.day >= day.isoformat() and not fact.is_idea
    ]
    for sentence in parts if open_ else ():
        if _GOES_ON.search(sentence):
            continue
        days = [named for named in days_ahead(sentence, day) if named.day >= day][:_MOST_DAYS]
        if days:
            for named in days:
                clause = read_plan_clause(sentence, named, "")
                on_day = [fact for fact in open_ if fact.day == named.day.isoformat()]
                yield from _list_denied(clause, on_day, is_day_named=True)
            continue
        clause = read_plan_clause(sentence, NamedDay(day, 0, 0), "")
        if _CALLS_OFF.search(clause.words):
            yield from _list_denied(clause, open_, is_day_named=False)


def _list_denied(
    clause: PlanClause, plans: Sequence[Fact], *, is_day_named: bool
) -> Sequence[Fact]:
    """Return the plans that a clause takes back.

    A clause that names no day, or nothing but the day, takes back only a plan that stands alone.
    """
    denials = clause.denials or len(_DROPS.findall(clause.words))
    if denials != 1 or clause.is_open or clause.is_heard:
        return ()
    may_be_own = clause.is_own or clause.owner or _BEFALLS_EN.search(clause.words)
    if not may_be_own:
        return ()
    names = list_names(clause.words)
    whose = clause.owner or USER
    denied = [
        fact
        for fact in plans
        if fact.subject == whose
        and _covers_names(
            fact,
            [name for name in names if name != clause.owner],
            is_called_off=_CALLS_OFF.search(clause.words) is not None,
        )
        and not _names_companion(names, fact)
    ]
    if is_day_named and names:
        return denied
    return denied if len(denied) == 1 and (names or len(plans) == 1) else ()


def list_names(words: str) -> list[str]:
    """Return the words of a clause that may name a person, an event, a place or a manner."""
    tokens = (word.replace("’", "'").lower() for word in _TOKEN.findall(words))
    return [
        word.removesuffix("'s")
        for word in tokens
        if word not in _EMPTY_EN and not _EMPTY_KO.fullmatch(word)
    ]


def _covers_names(plan: Fact, names: Sequence[str], *, is_called_off: bool) -> bool:
    """Return whether every name is a word of a plan, and one is of what is planned itself.

    Who does not cook may still have guests; who does not go, or calls it off, may name any word.
    """
    itself = list_names(f"{plan.object} {plan.predicate}")
    words = [*list_names(plan.source), *itself]
    if not all(_is_word_of(words, name) for name in names):
        return False
    return is_called_off or not names or any(_is_word_of(itself, name) for name in names)


def is_among(name: str, plan: Fact) -> bool:
    """Return whether a word is one of a plan's."""
    return _is_word_of(list_names(f"{plan.source} {plan.object} {plan.predicate}"), name)


def _is_word_of(words: Sequence[str], name: str) -> bool:
    stem = cut_word_stem(name)
    is_long = len(stem) > 1 and "가" <= stem[0] <= "힣"
    return any(stem == cut_word_stem(word) or (is_long and stem in word) for word in words)


def _names_companion(names: Sequence[str], plan: Fact) -> bool:
    """Return whether a denial names who was to come along: they may be the ones who do not."""
    companions = {cut_word_stem(ko or en) for ko, en in _COMPANION.findall(plan.source)}
    return any(cut_word_stem(name) in companions for name in names)
