"""Plans with a day: what will happen, when, and whether the plan was changed."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import NamedTuple, TypeVar

from gieok.character.detect.abandonment import shares_word
from gieok.character.detect.denials import is_among, list_names
from gieok.character.detect.patterns import regex, split_chat_sentences
from gieok.character.detect.plan_clause import OWN_KO, PlanClause, read_plan_clause, split_by_day
from gieok.character.facts import USER, WHOSE_UNSURE, Fact
from gieok.character.predicates import EVENTS, PLANS
from gieok.text.day_ahead import NamedDay, days_ahead
from gieok.text.josa import get_final
from gieok.text.language import detect_text_language
from gieok.text.times.reading import read_times

_FindingT = TypeVar("_FindingT")
_CHANGED = re.compile(
    r"밀렸|밀려|밀림|밀린|바뀌|바뀜|바꼈|바꿨|바꾸기로|미뤄|미뤘|미룸|늦춰|늦어졌|늦어져|연기|연장|당겨|당겼|앞당|옮겼|옮기기로|옮겨졌|변경|물 ?건너|로 "
    r"?하자(?:데|고|네|더)"
    r"|\bnot (?:on )?(?:the )?\d{1,2}(?:st|nd|rd|th)?\b[^.!?]{0,16}(?:\bit'?s\b|\bit is\b|\bbut\b)"
    r"|\bpreponed\b|\badvanced to\b|\bmoved (?:it|to|my|the)|\bmoved\b|\bpushed\b"
    r"|\bbumped\b|\bpostponed\b|\bresched"
    r"|\bdelayed\b|\bbrought forward\b|\bput off\b|\bnow (?:it'?s|the|on)\b|\d(?:st|nd|rd"
    r"|th)? now\b|\bshifted\b|\bis now\b|\bit'?s now\b|\binstead\b|\bworks "
    r"better\b|\baltered\b|\bchanged\b",
    re.IGNORECASE,
)
#: Somebody moves what is the user's.
_MOVED_BY = re.compile(
    r"\b(?:moved|pushed|bumped|changed|altered|shifted|resched\w*|postponed|delayed|put|brought)"
    r" (?:it|me|us|my|our|the|that)\b",
    re.IGNORECASE,
)
#: Words before a change that are not what changes.
_NO_THING = re.compile(
    r"they|you|and|now|just|today|yes|no|\d+(?:st|nd|rd|th)?|날짜[가-힣]*|시간[가-힣]*|약속[가-힣]*"
    r"|그게|그거[가-힣]*|원래|[으로]+"
    r"|[다이번음]+ ?주|[월화수목금토일]요일[가-힣]*|그런데|아니|참|맞다|죄송[가-힣]*|미안[가-힣]*",
    re.IGNORECASE,
)
#: What was to be on a day did not happen.
_CAME_TO_NOTHING = re.compile(
    r"(?<![가-힣])(?:안|못) ?[가갔했봤받]|지 ?(?:않|못)|취소|\bdidn'?t\b|\bcouldn'?t\b|\bdid not\b|\bcould not\b"
    r"|\bnever (?:went|made|happened)\b",
    re.IGNORECASE,
)
#: End of a clause that says why something changes.
_REASON = re.compile(
    r"(?:[아어여가와해려져]서|[아어여와해]가|니까|느라고?|때문에|바람에|탓에)(?![가-힣])|\b(?:because|since|as|so)\b"
)
#: The days of a relationship are counted from its first day ("1일"), so such a day is no plan.
_FIRST_DAY = re.compile(r"(?:오늘|어제|내일)(?:부터|이) ?1일|1일 ?차|사귄 ?지|만난 ?지")
#: Words of a sentence that do not name the planned event.
_AROUND = re.compile(
    r"(?:\d{4}년 ?)?(?:\d{1,2}월 ?)?\d{1,2}일(?:에|날|부터|까지|로|이|은)?|(?:다음|이번|다다음) "
    r"?[주달]|[월화수목금토일]요일(?:에|날|로)?|(?:오전|오후|아침|저녁) ?\S+시(?:에)?|(?<![가-힣])(?:나|저|난|전|나는|나가|내가"
    r"|제가|저는|우리|이제"
    r"|드디어|근데|그리고|아|참|맞다|오늘|내일|모레)(?![가-힣])"
)
_AROUND_EN = re.compile(
    (
        r"\b(?:oh|so|ok|well|and|btw|also|i think|lol|haha|um|anyway|on|the|in|at|by)\b|\b(?:jan"
        r"|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*,?(?: \d{1,2}(?:st|nd|rd|th)?)?"
        r"|\b\d{1,2}(?:st|nd|rd|th)?\b(?: of\b)?|\b(?:next |this )?(?:mon|tues|wednes|thurs|fri"
        r"|satur|sun)day\b"
    ),
    re.IGNORECASE,
)
#: A clause behind the one that tells a plan.
_NEXT_CLAUSE_EN = re.compile(
    r"[,;]\s+(?:and|but|so|because|cos|though|although|then)\s+\w", re.IGNORECASE
)
#: The user with auxiliary verbs, before what they will do.
_SUBJECT_EN = re.compile(
    r"^(?:(?:oh|so|ok|well|btw|and|but|right|yeah)\b[\s,]*)*(?:i|we)(?:'\w+|m|ll|ve)?\s+"
    r"(?:(?:am|are|have|will|be|got|gotta|need|going|having|also|just|finally|to)\s+)*",
    re.IGNORECASE,
)
_NO_DOING = re.compile(r"(?:free|busy|off|home|around|available|turn|fine|ok)?", re.IGNORECASE)
_MOST_CLAUSE = 48
_VERB_END = re.compile(
    r"(?:이에요|예요|이야|(?<=[가-힣])야|입니다|이다|인데요?|이래요?|래요?|이요|임|이고|이라서|이라|잡혔어|있어요?|있음|있다|있거든"
    r"|[.!~,ㅋㅎ])(?=\s|$)"
)
_SURE = 0.9
_MOST_PLAN, _LITTLE = 24, 3
_TIME = re.compile(
    (
        r"(?:(?:오전|오후|아침|저녁|밤|새벽|낮) ?)?(?<![가-힣\d])(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두) ?시"
        r"(?![간작험가-]|장|[대도절])(?: ?반|\s?\d{1,2}분)?"
        r"|(?:\bat )?\b\d{1,2}(?::\d\d)? ?[ap]m\b"
    ),
    re.IGNORECASE,
)
#: A time with its particle, which the name of a plan leaves out.
_TIME_IN_NAME = re.compile(
    rf"(?:{_TIME.pattern})(?:에|쯤|부터|까지|로)?(?![가-힣])\s*", re.IGNORECASE
)
#: Days that come every year are no plans.
_YEARLY = re.compile(
    r"생일|\d일생|생이[가-힣]|기념일|\bbirthday|\bbday|\bborn\b|\banniversary", re.IGNORECASE
)
_PLACE_KO = re.compile(
    r"(?<![가-힣\d])(?P<v>[가-힣]{2,4}?)(?:으로|로|에)?\s?(?:여행|놀러|가기로|가자|간다|출장|캠핑|떠나|다녀오|갔다 ?오|가려고|갈 ?거)"
)
_PLACE_EN = re.compile(
    (
        r"\b(?:to|in) (?P<v>(?-i:[A-Z])\w+)|\b(?P<w>[a-z]{4,}) (?=(?:jan|feb|mar|apr|may|june?"
        r"|july?|aug|sep|oct|nov|dec)[a-z]* \d)"
    ),
    re.IGNORECASE,
)
#: Words of travel: who only goes somewhere is on no trip.
_TRAVELS = re.compile(
    r"여행|놀러|휴가|캠핑|출장|비행|\btrip|\bflight|\btravel|\bvacation|\bholiday|\bbooked\b|\bfly",
    re.IGNORECASE,
)
_NO_PLACE = frozenset(
    (
        "모시고 데리고 혼자 우리 같이 이번 다음 그때 여름 겨울 방학 휴가 가족 친구 주말 thing next this trip friday saturday "
        "sunday"
    ).split()
)
#: Verbs of one syllable in the present, and their stems.
_VERB_STEMS = {
    "가": "가", "와": "오", "봐": "보", "해": "하", "줘": "주", "둬": "두", "써": "쓰", "타": "타",
    "사": "사", "자": "자", "나가": "나가", "나와": "나오", "다녀와": "다녀오", "올라가": "올라가",
    "내려가": "내려가", "들어가": "들어가", "만나": "만나", "쉬어": "쉬", "먹어": "먹", "받아": "받",
}  # fmt: skip
_FINAL_N = 4
_LEADING_DAY = re.compile(
    r"^(?:\d{1,2}월 \d{1,2}일|[A-Z][a-z]+ \d{1,2}) (?:[월화수목금토일]요일(?:날|에)? )?"
)


class PlanMessage(NamedTuple):
    """Message that may tell a plan: its day, its text, and what the user said just before.

    `wrong_days` are days of the month that the message itself put right: "not the 7th, the 9th".
    """

    said: date
    text: str
    earlier: Sequence[str] = ()
    wrong_days: frozenset[int] = frozenset()


def plans(
    message: PlanMessage, held: Sequence[Fact], make: Callable[..., _FindingT]
) -> Iterator[_FindingT]:
    """Yield the dated plans that a message tells, changes or corrects."""
    days = [day for day in days_ahead(message.text, message.said) if day.day >= message.said]
    if not days:
        yield from _iter_moved_times(message, held, make)
    elif _CHANGED.search(message.text) or message.wrong_days:
        yield from _read_plan(message, days, held, make)
    else:
        for part, named in split_by_day(message.text, days):
            yield from _read_plan(message._replace(text=part), named, held, make)


def _read_plan(
    message: PlanMessage,
    days: Sequence[NamedDay],
    held: Sequence[Fact],
    make: Callable[..., _FindingT],
) -> Iterator[_FindingT]:
    """Yield the plan of a text whose days are named."""
    text, earlier = message.text, message.earlier
    is_change = _CHANGED.search(text) is not None
    is_moved = is_change or bool(message.wrong_days)
    event = find_event_word(text)
    clause = read_plan_clause(text, days[-1 if is_moved else 0], event[1] if event else "")
    if _YEARLY.search(clause.sentence) and not (is_change and event):
        return
    earlier = earlier if clause.is_own else ()
    theirs = [fact for fact in held if fact.subject == (clause.owner or USER)]
    old = (
        _find_changed_plan(message, days, theirs, earlier, event=event, is_change=is_change)
        if is_moved
        else None
    )
    if old is not None and is_change and not _is_change_of(clause, text, old):
        return
    is_change = is_change or old is not None
    if old is None and _is_told(text, days[0], held):
        return
    is_news = old is not None or event is not None or bool(earlier)
    is_known = is_change and is_news and (old is not None or clause.is_own)
    if clause.is_open or not (is_known or (clause.is_stated and (clause.is_own or clause.owner))):
        return
    own = _find_unnamed_plan(text, days) if clause.has_predicate and clause.is_stated else None
    is_of_before = is_change or clause.has_predicate or clause.is_bare
    before = (
        _event_before(text, earlier, is_change)
        if is_of_before and (own is None or len(own[1]) < _LITTLE or is_change)
        else None
    )
    named = event or before or own
    if old is not None:
        named = name_held_plan(old)
    if named is None:
        return
    day = _as_planned(days[-1] if is_moved else days[0], text, named[0], held, old)
    shown = _format_plan_text(text, named, day, earlier, is_given=old is not None or named is own)
    if not shown:
        return
    yield make(
        named[0],
        shown,
        text.strip(),
        old.subject if old is not None else clause.owner or USER,
        confidence=_SURE if clause.names_user or clause.owner or old else WHOSE_UNSURE,
        day=day.day.isoformat(),
        is_change=is_change,
        replaces=old.object if old is not None else "",
    )


def _iter_moved_times(
    message: PlanMessage, held: Sequence[Fact], make: Callable[..., _FindingT]
) -> Iterator[_FindingT]:
    """Yield the one plan that a message names and gives another time of the same day."""
    text = message.text
    time = _TIME.search(text)
    if time is None or not _CHANGED.search(text):
        return
    clause = read_plan_clause(text, NamedDay(message.said, 0, 0), "")
    if clause.is_open or clause.is_denied:
        return
    names = list_names(text)
    named = [
        fact
        for fact in list_open_plans(held, message.said)
        if fact.subject == (clause.owner or USER) and any(is_among(name, fact) for name in names)
    ]
    if len(named) != 1 or not _is_change_of(clause, text, named[0]):
        return
    (old,) = named
    day = NamedDay(date.fromisoformat(old.day), 0, 0)
    shown = _format_plan_text(text, name_held_plan(old), day, (), is_given=True)
    yield make(
        old.predicate,
        shown,
        text.strip(),
        old.subject,
        day=old.day,
        is_change=True,
        replaces=old.object,
    )


def list_open_plans(held: Sequence[Fact], said: date) -> list[Fact]:
    """Return the plans whose day is not over."""
    return [
        fact
        for fact in held
        if fact.day >= said.isoformat() and fact.predicate in PLANS and not fact.is_idea
    ]


def name_held_plan(plan: Fact) -> tuple[str, str]:
    """Return the predicate of a plan and its words without its day."""
    return plan.predicate, _LEADING_DAY.sub("", plan.object)


def _is_change_of(clause: PlanClause, text: str, old: Fact) -> bool:
    """Return whether a message that changes a plan speaks of a held one.

    What is said to change must be that plan, by a word or its kind, or be named by nothing.
    """
    if _MOVED_BY.search(text):
        return True
    sentence = next((one for one in split_chat_sentences(text) if _CHANGED.search(one)), text)
    before = _REASON.split(_CHANGED.split(sentence, maxsplit=1)[0])[-1]
    for day in reversed(days_ahead(before, date.fromisoformat(old.day))):
        before = f"{before[: day.start]} {before[day.end :]}"
    names = [one for one in list_names(_TIME.sub(" ", before)) if not _NO_THING.fullmatch(one)]
    if not names:
        return clause.is_own or not clause.owner
    event = find_event_word(names[0])
    is_such = event is not None and event[0] == old.predicate
    return names[0] == clause.owner or is_such or is_among(names[0], old)


def _is_told(text: str, day: NamedDay, held: Sequence[Fact]) -> bool:
    """Return whether a plan for "tomorrow" is known already under its date."""
    is_near = re.match(
        r"오늘|내일|낼|모레|글피|이번|tomorrow|this|day after",
        text[day.start : day.end],
        re.IGNORECASE,
    )
    return is_near is not None and any(fact.day == day.day.isoformat() for fact in held)


def _event_before(text: str, earlier: Sequence[str], is_change: bool) -> tuple[str, str] | None:
    """Return the event of which the user spoke just before.

    A long message names its own event, so None is returned for it.
    """
    lately = reversed(earlier[-3:]) if is_change or _is_short_message(text) else ()
    return next((event for before in lately if (event := find_event_word(before))), None)


def _find_changed_plan(
    message: PlanMessage,
    days: Sequence[NamedDay],
    held: Sequence[Fact],
    earlier: Sequence[str],
    *,
    event: tuple[str, str] | None,
    is_change: bool,
) -> Fact | None:
    """Return the plan that a change refers to.

    That is a plan whose day or words the text names, else one that was told in a word of the text,
    else the last plan, where it was told just before. What only puts a day right refers to a plan
    of that day. `event` is that of the text; `is_change`: the text says that something changed.
    """
    text = message.text
    open_ = list_open_plans(held, message.said)
    if is_change and (over := _find_plan_of_past_day(text, held, message.said)):
        return over
    if not is_change:
        open_ = [fact for fact in open_ if int(fact.day[-2:]) in message.wrong_days]
    named = {day.day.isoformat() for day in days[:-1]}
    words = {word[:3] for word in re.findall(r"[가-힣]{2,}|[A-Za-z]{4,}", text.lower())}

    def likeness(fact: Fact) -> tuple[int, bool, object]:
        own = re.findall(r"[가-힣]{2,}|[A-Za-z]{4,}", name_held_plan(fact)[1].lower())
        is_such = event is not None and fact.predicate == event[0]
        shared = len({word[:3] for word in own} & words)
        return shared * 2 + is_such, fact.day in named, fact.at

    best = max(open_, key=likeness, default=None)
    if best is None or any(likeness(best)[:2]):
        return best
    if not is_change:
        return best if len(open_) == 1 and _is_short_message(text) else None
    if event is None and not earlier:
        return None
    is_other = event is not None and best.predicate not in (event[0], "plan")
    is_near = any(best.source in before or before in best.source for before in earlier)
    told_of = [fact for fact in open_ if shares_word(fact.source, text)]
    return next(reversed(told_of), best if is_near and not is_other else None)


def _find_plan_of_past_day(text: str, held: Sequence[Fact], said: date) -> Fact | None:
    """Return the one plan of a day just over that a text names, and says nothing came of.

    "Didn't go yesterday, moved it to the 8th."
    """
    for sentence in split_chat_sentences(text):
        if not _CAME_TO_NOTHING.search(sentence):
            continue
        days = {
            time.span.first.isoformat()
            for time in read_times(sentence, said).found
            if time.looks_back and time.span.first == time.span.last
        }
        plans_then = [
            fact
            for fact in held
            if fact.day in days and fact.predicate in PLANS and fact.subject == USER
        ]
        if len(plans_then) == 1:
            return plans_then[0]
    return None


def _find_unnamed_plan(text: str, days: Sequence[NamedDay]) -> tuple[str, str] | None:
    """Return a plan whose event is not in the table.

    The plan is what a sentence says about an exact future day.
    """
    first = days[0]
    if _FIRST_DAY.search(text):
        return None
    start = max((m.end() for m in re.finditer(r"[.!?\n]", text[: first.start])), default=0)
    end = re.search(r"[.!?\n]|$", text[first.end :])
    sentence = text[start : first.end + (end.start() if end else 0)].strip()
    if detect_text_language(text) != "ko":
        more = _NEXT_CLAUSE_EN.search(sentence, first.end - start)
        sentence = sentence[: more.start()] if more else sentence
        return "plan", _strip_english_clause(sentence) or _strip_english_clause(text)
    after = text[first.end : first.end + (end.start() if end else 0)]
    before = OWN_KO.sub("", text[start : first.start])
    if re.search(r"[가-힣](?:은|는|이|가|래|야)\s|[가-힣](?:이|가|은|는)\s*$", f"{before} "):
        return "plan", _noun_of(" ".join(before.split()[-3:])) or _noun_of(after) or _noun_of(text)
    return "plan", _noun_of(after) or _noun_of(" ".join(before.split()[-2:])) or _noun_of(text)


def _strip_english_clause(words: str) -> str:
    """Return an English sentence without its day and its filler words."""
    words = _SUBJECT_EN.sub("", _AROUND_EN.sub(" ", words).strip(" ,"))
    return (
        re.sub(r"\s+", " ", words).strip(" ,.!-?")[:_MOST_CLAUSE]
        if re.search(r"[a-z]{3,}", words) and not _NO_DOING.fullmatch(words.strip(" ,.!-?"))
        else ""
    )


def _noun_of(words: str) -> str:
    """Return the noun that a piece of a sentence names; '' for none.

    Day, particles and the final verb are removed.
    """
    words = re.sub(r"\s+", " ", _AROUND.sub(" ", words)).strip(" ,.~!ㅋㅎㅠ")
    words = re.sub(
        r"^(?:에|는|엔|날|부터|까지|로|이|은|임|이야|야|이에요|예요|요|쯤|경|오전|오후)+(?=\s|$)",
        "",
        words,
    ).strip()
    words = _VERB_END.split(words, maxsplit=1)[0]
    words = re.sub(
        r"(?<=[가-힣]{2})(?:이|(?<![려라어아])가|은|는|을|를|날짜가?)$", "", words.strip()
    )
    words = re.sub(
        r"^(?:\S*(?:는데|지만|니까|어서|아서|거든)\s+)+|\s*(?:갑니다|가요|간다|감|해요?|합니다|한다|하기로 ?했\S*|잡았\S*|있\S*)$",
        "",
        words,
    )
    return words[:_MOST_PLAN].strip() if len(words.strip()) > 1 else ""


def _as_planned(
    day: NamedDay, text: str, predicate: str, held: Sequence[Fact], old: Fact | None
) -> NamedDay:
    """Return the day of a known plan, or a day near it, where a text omits the month: "the
    30th".
    """
    where = text[day.start : day.end]
    if old is not None and re.fullmatch(r"\d{1,2}일.*|the \d.*", where, re.IGNORECASE):
        had = date.fromisoformat(old.day)
        with suppress(ValueError):
            return day._replace(day=max(had.replace(day=day.day.day), day.day))
    if re.search(r"월|[A-Za-z]{3} \d|\d [A-Za-z]{3}", where):
        return day
    known = (
        date.fromisoformat(fact.day) for fact in held if fact.day and fact.predicate == predicate
    )
    return next(
        (
            day._replace(day=known_day)
            for known_day in known
            if known_day.day == day.day.day and known_day >= day.day
        ),
        day,
    )


def _is_short_message(text: str) -> bool:
    return len(text) < 60


def find_event_word(text: str) -> tuple[str, str] | None:
    """Return the predicate and the word of the event that a text names."""
    for predicate, words in EVENTS:
        if word_match := regex(words).search(text):
            return predicate, word_match[0].strip()
    return None


def _format_plan_text(
    text: str, named: tuple[str, str], day: NamedDay, earlier: Sequence[str], *, is_given: bool
) -> str:
    """Return a plan in words: its day, its time, and its event."""
    predicate, word = named
    is_korean = detect_text_language(text) == "ko"
    when = f"{day.day.month}월 {day.day.day}일" if is_korean else f"{day.day:%B} {day.day.day}"
    time = _TIME.search(text)
    what = (
        _format_trip(text, is_korean)
        if predicate == "trip" and not is_given
        else word
        if is_given
        else _find_event_noun(text, word, is_korean)
        or _find_event_noun(" ".join(earlier[-2:]), word, is_korean)
    )
    kept = time or (_TIME.search(word) if is_given else None)
    what = _TIME_IN_NAME.sub(" ", what or word).strip(" ,")
    # the day is said as a date, and "tomorrow" would be false the day after
    what = what.removeprefix(f"{text[day.start : day.end].strip()} ")
    what = " ".join((_nominalise(what) if is_korean else what).split())
    return " ".join(filter(None, (when, kept[0].strip() if kept else "", what))) if what else ""


def _nominalise(words: str) -> str:
    """Return Korean words with their last verb as a noun: 부산 가 is 부산 가기.

    A verb of several syllables may stand alone: 들어가 is 들어가기. Other words are returned as they
    are.
    """
    before, _, verb = words.rpartition(" ")
    verb = verb.removesuffix("요")
    stem = ""
    if (before or len(verb) > 1) and verb in _VERB_STEMS:
        stem = _VERB_STEMS[verb]
    elif before and verb[-2:] in ("야제", "야지"):
        stem = _VERB_STEMS.get(verb[:-2], "")
    elif before and re.search(r"[가-힣]기로(?: ?\S+)?$", verb):
        stem = re.sub(r"기로.*$", "", verb)
    elif before and len(verb) > 1 and verb.endswith("다") and get_final(verb[-2]) == _FINAL_N:
        open_ = chr(ord(verb[-2]) - _FINAL_N)
        stem = verb[:-2] if open_ == "느" else verb[:-2] + open_
    return f"{before} {stem}기".strip() if stem else words


def _format_trip(text: str, is_korean: bool) -> str:
    for match in (_PLACE_KO if is_korean else _PLACE_EN).finditer(text):
        place = match["v"] or (match.groupdict().get("w") or "")
        if place and place.lower() not in _NO_PLACE:
            if not _TRAVELS.search(text):
                return f"{place} 가기" if is_korean else f"{place.capitalize()}"
            return f"{place} 여행" if is_korean else f"{place.capitalize()} trip"
    return "여행" if is_korean else "trip"


def _find_event_noun(text: str, word: str, is_korean: bool) -> str:
    """Return the word of an event, with the word before it where that adds meaning."""
    if is_korean:
        noun_match = re.search(
            rf"(?<![가-힣])(?:(?P<lead>[가-힣]{{2,7}}) )?(?P<w>[가-힣]*{re.escape(word)})", text
        )
        lead = noun_match["lead"] if noun_match and noun_match["lead"] else ""
        is_noun = lead and not re.search(
            r"(?:은|는|이|가|을|를|에|로|고|서|요|야|데|면|지|랑|까|래|다|도|한테|부터|요일날|번|주|나|저|우리|근데|그리고|맞다|이제)$",
            lead,
        )
        return (
            f"{lead} {noun_match['w']}"
            if noun_match and is_noun
            else noun_match["w"]
            if noun_match
            else ""
        )
    noun_match = re.search(
        rf"\b(?:(?P<lead>[a-z]{{3,}}) )?(?P<w>{re.escape(word)})", text, re.IGNORECASE
    )
    lead = noun_match["lead"] or "" if noun_match else ""
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
    return f"{lead} {word}" if noun_match and keep else word if noun_match else ""
