"""Questions about a time → the turns and decisions of that time, the most important first.

"지난주에 뭐 했지", "what happened in October": such a question names days and hardly anything that an
answer would say, so that neither words nor meaning find the answer. The days are listed instead.
The rest of the question ("about the blog") lifts passages on that subject.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from gieok.model.memory import PassageId, Scope
from gieok.model.retrieval import Filter, FoundPassage, Hit, KeywordQuery, VectorQuery
from gieok.ports.store import Documents, KeywordSearch, VectorCopy, VectorSearch
from gieok.ranking.learned import heads
from gieok.ranking.profile import Profile
from gieok.ranking.snippet import snippet
from gieok.text.assent import accepts
from gieok.text.dates import DateSpan, find_asked_span
from gieok.text.embedform import text_to_embed
from gieok.text.keywords import query_tokens
from gieok.text.times.order import asks_newest, without_order

#: Number of passages per scope that are weighed: the turns of three busy months.
_MOST = 5_000
#: A block of turns may have begun on the day before the wanted days, and go on in them.
_SLACK = timedelta(days=1)
#: How much the words of the question count beside a memory's own worth.
_RELEVANCE = 1.4
_KEYWORD_SHARE = 0.6
#: Deduction for each further line of a document, so that one long talk does not fill the list.
_REPETITION = 0.06
#: Deduction for a file that names no day and was only changed then: what is dated comes first, and
#: a folder that was copied today does not fill the list.
_EDITED_ONLY = 1.0
#: Number of the user's turns that are judged by meaning, the bonus of a turn worth keeping, and the
#: deduction for a turn about the person: who asks what happened wants to hear of the work.
_JUDGED = 400
_JUDGED_SPAN, _ABOUT_USER = 0.5, 0.5
#: Days that "the newest" means, unless no document is of them; a line worth less than this share of
#: the best line is left out.
_RECENT, _NEAR_BEST = timedelta(days=90), 0.35
_LEAST_SCORE, _MOST_SCORE = 0.3, 0.95

_DONE = (
    r"(?:happen\w*|chang\w*|discuss\w*|decid\w*|work(?:ed|ing)? on|talk\w*|ship\w*|agree\w*"
    r"|say|said|mention\w*"
    r"|learn\w*|buil[dt]\w*|fix\w*|finish\w*|plann?ed|planning|going on|went on|went "
    r"wrong|came up|come up|new|different"
    r"|get done|got done|do|(?<!what )did|done|doing|up to|accomplish\w*|been "
    r"through|conclu\w*|set up|open(?:ed)?"
    r"|close[ds]?|add(?:ed)?|remove[ds]?)\b"
)
# Patterns as strings, which are compiled on first use: a cold search has no time to compile all of
# them.
_LISTS = (
    r"(?i)\bwhat(?:'s|'ve| else| all)?(?: (?:is|was|were|has|have|had|did))?"
    rf"(?: (?:we|i|you|they|the team|everyone|anyone|us|been|all))* {_DONE}"
    r"|\b(?:anything|everything|something) (?:new|happen\w*|chang\w*|from|we|i|important"
    r"|decided|discussed|worth)\b"
    r"|\b(?:which|what|any|all|list|show) (?:\w+ )?(?:decisions?|changes|discussions?|news"
    r"|events)\b"
    r"|\b(?:recap|catch me up|remind me what)\b"
    r"|(?:뭐|뭘|뭣|뭐가|무엇[을이]?)\s*(?:했|하였|하고|있었|있나|있어|얘기|이야기|정했|정한|결정|바뀌|바뀐|바꿨|바꾼|논의|작업|지냈|말했|나눴|나왔|나온"
    r"|배웠|만들었|고쳤|끝냈|진행|합의|일어났|변했|달라졌|생겼)"
    r"|(?:무슨|어떤)\s*(?:일|얘기|이야기|말|작업|결정|변경|논의|변화|대화|약속|합의)|어떻게\s*(?:지냈|바뀌)"
    r"|(?:얘기|이야기|논의|결정|정|작업|말|합의|약속|진행|공유)(?:한|했던|하던|된|됐던|나눈|나눴던)\s*(?:거|것|게|건|걸|내용|일|사항)"
    r"|(?:바뀐|바꾼|달라진|변한|있었던|있던|했던|나온)\s*(?:거|것|게|건|걸|내용|일|점)(?![가-힣]{3})"
    r"|(?:결정|변경|논의)\s*사항|회고|타임라인|돌아보"
)
#: Words that ask for a list only where little else is said: "9월 정리", but not "list the tests that
#: fail today".
_MAY_LIST = (
    r"(?i)\b(?:summar\w+|timeline|retro\w*|history|overview"
    r"|list|standup|diary)\b|요약|정리|일지|보여|알려"
)
_FEW_WORDS = 1
#: Words that are left of a question that only asks for a time.
_FILLER = (
    rf"(?i){_DONE}|what\w*|what's|which|did|do|does|was|were|we|i|you|they|us|me|my|our|team"
    r"|everyone|anyone|the|an?|in|on|at|of|for|from|to|and|or"
    r"|about|with|back|all|is|are|have|has|had|been|going|show|list|tell|give|please|can|could"
    r"|that|there|anything|everything|something"
    r"|summar\w+|recap|timeline|retro\w*|history|overview|standup|diary|catch|remind|again"
    r"|around|during|over|late|early|mid|decisions?"
    r"|changes|discussions?|topics?|events?|news|ma[dk]e|things?|stuff|new|up|any|some|it|by"
    r"|then|time|day|days|week|month|period|work\w*"
    r"|important|else|else's|get|got|came|come|through"
    r"|(?:뭐|뭘|뭣|무엇|무슨|어떤|어떻게)[가-힣]{0,3}"
    r"|(?:했|하였|하던|하고|있었|있던|있나|있어|있니|얘기|이야기|정했|정한|결정|바뀌|바뀐|바꿨|바꾼|논의|작업|지냈|말했|말한|나눴|나눈|나온|나왔|진행|합의"
    r"|일어났|변했|변한|달라졌|달라진|생겼|변경|회고|요약|정리|일지|보여|알려|돌아보|타임라인)[가-힣]{0,5}"
    r"|(?:거|것|게|건|걸|내용|일|사항|점)(?:들|은|는|이|가|을|를|도|만|의|중)?"
    r"|에서|에|그때|당시|동안|쯤|우리|우리가|내가|나|좀|다|거기|지|해줘|줘|기억나|주|달|초|말|중순|사이|사이에|안에|중에|까지|부터|때|어땠[가-힣]*"
)
_WORD = re.compile(r"[\w'./+-]*\w")
_DECISION = (
    r"(?i)하기로|쓰기로|기로\s?(?:했|하자|결정)|로\s?(?:정했|정하|바꿨|바꾸|옮겼|옮기|갈게|가자|통일)|결정|정했|바꿨|바뀌|바뀐|변경|옮겼|대신"
    r"|말고|그만|앞으로"
    r"|이제부터|이젠|항상|절대|꼭|마감|출시|담당|규칙|약속|예정|합의|확정|취소|미뤘|연기|선호"
    r"|\b(?:decid|agreed?\b|we(?:'ll| will|'re going)|going with|go with|switch|mov(?:ed"
    r"|ing)\b|chang(?:ed|ing)\b"
    r"|instead\b|no longer|from now on|always|never|must\b|prefer|rule\b|deadline|due\b"
    r"|launch|releas|owner|responsible|settled|picked|chose\b"
    r"|renam|replac|drop(?:p|\b)|let's (?!see|look|check|run|fix|try|continue)"
    r"|cancel|postpone|correction|actually|turns out|use \w+,? not\b)"
)
_ASKS = re.compile(r"[?？]\s*$|(?:까|나요|니|는지|을지|ㄹ까|어때|뭐야|뭐지|인가)[.?!\s]*$")
_ORDERS = (
    r"(?i)(?:해줘|해 줘|해주세요|줘|주세요|해봐|봐줘|고쳐|돌려|만들어|올려|보여)[.!\s]*$"
    r"|^(?:please|can you|could you|now|ok(?:ay)?,?|run|fix|add|make|show|check|write"
    r"|implement|update|refactor"
    r"|let's|let me)\b"
)
_SPEAKER = re.compile(r"^(User|Assistant): ")
_SHORT_CHARS, _LONG_CHARS = 14, 400


class Period(NamedTuple):
    """Days to list, and the rest of the question; '' where there is no rest.

    `is_newest`: list the newest first.
    """

    span: DateSpan
    words: str = ""
    is_newest: bool = False


class PeriodQuestion(NamedTuple):
    """Question about a period, with the scopes to search.

    `vector` is that of the question, if there is one.
    """

    period: Period
    scopes: tuple[Scope, ...]
    where: Filter
    vector: bytes | None
    zone: tzinfo


def find_asked_period(question: str, today: date) -> Period | None:
    """Return the period that a question wants listed, seen from `today`.

    None for a question that asks for no list of days.
    """
    is_newest = asks_newest(question)
    span = find_asked_span(question, today)
    if span is None and not is_newest:
        return None
    rest = without_order(question.replace(span.words, " ", 1) if span else question)
    words = [word for word in _WORD.findall(rest) if not re.fullmatch(_FILLER, word)]
    list_match = re.search(_LISTS, rest) or (
        len(words) <= _FEW_WORDS and re.search(_MAY_LIST, rest)
    )
    if words and not list_match:
        return None
    return Period(span or open_period(None, None, today).span, " ".join(words), is_newest)


def open_period(since: DateSpan | None, until: DateSpan | None, today: date) -> Period:
    """Return the period between two days.

    A missing end is today; a missing beginning is the first of all days.
    """
    first = since.first if since else date.min + 2 * _SLACK
    return Period(DateSpan(first, max(until.last if until else today, first), ""))


def bounds(span: DateSpan, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return the moments when days begin and end in a zone."""
    first = datetime.combine(span.first, time(), zone)
    return first, datetime.combine(
        min(span.last, date.max - 2 * _SLACK) + timedelta(days=1), time(), zone
    )


def list_period_hits(
    store: Documents, question: PeriodQuestion, profile: Profile
) -> tuple[Hit, ...]:
    """Return the lines of a period, the most important first, at most `profile.limit`.

    Nothing where no document is of that period.
    """
    period = question.period
    recent = period.span.last - _RECENT
    if period.is_newest and period.span.first < recent:
        near = question._replace(period=period._replace(span=period.span._replace(first=recent)))
        if hits := list_period_hits(store, near, profile):
            return hits
    rows: list[tuple[float, FoundPassage, dict[str, float]]] = []
    for scope in question.scopes:
        where = _filter_period(question)
        held = store.passages(store.within(scope, where, _MOST), scope)
        passages = [
            p
            for p in held
            if is_passage_in_days(p, period.span, question.zone) and not _is_bare_answer(p)
        ]
        relevance = _find_relevance(store, scope, question, profile, where) if passages else {}
        judged = _judge_turns_of_user(store, passages, relevance)
        for passage in passages:
            own, words = (
                judged.get(passage.id, 0.0) or estimate_memory_worth(passage),
                relevance.get(passage.id, 0.0),
            )
            own -= _EDITED_ONLY if passage.valid_from is None else 0.0
            rows.append((own + _RELEVANCE * words, passage, {"worth": own, "words": words}))
    rows.sort(key=lambda row: (-row[0], row[1].scope, row[1].key, row[1].start_line))
    if period.is_newest and rows:
        least = rows[0][0] - _NEAR_BEST
        rows = [row for row in rows if row[0] >= least]
        rows.sort(key=lambda row: find_passage_day(row[1], question.zone), reverse=True)
    tokens = query_tokens(question.period.words) if question.period.words else {}
    return tuple(
        Hit(
            passage,
            _bound_worth_score(value),
            snippet(passage.text, tokens, profile.snippet_chars or len(passage.text)),
            signals,
        )
        for value, passage, signals in (
            rows if period.is_newest else _spread_over_talks(rows, profile.limit, question.zone)
        )[: profile.limit]
    )


def _is_bare_answer(passage: FoundPassage) -> bool:
    """Return whether a passage is a turn that only agrees, thanks or greets: it tells nothing."""
    speaker = _SPEAKER.match(passage.text)
    return speaker is not None and accepts(passage.text[speaker.end() :])


def _filter_period(question: PeriodQuestion) -> Filter:
    first, end = bounds(question.period.span, question.zone)
    since = max(filter(None, (first - _SLACK, question.where.since)))
    return question.where._replace(
        since=since, until=min(filter(None, (end + _SLACK, question.where.until)))
    )


def is_passage_in_days(passage: FoundPassage, span: DateSpan, zone: tzinfo) -> bool:
    """Say whether a passage's document falls into the days.

    A document falls into them by its own day, or by any day from its first turn to its last.
    """
    day = find_passage_day(passage, zone)
    last = (
        passage.updated_at.astimezone(zone).date() if passage.key.startswith("sessions/") else day
    )
    return day <= span.last and max(day, last) >= span.first


def find_passage_day(passage: FoundPassage, zone: tzinfo) -> date:
    """Return the day of a passage in the user's zone.

    A note has its own day; any other passage has the day when it was said.
    """
    return day_of_moment(passage.valid_from, passage.updated_at, zone)


def day_of_moment(valid_from: datetime | None, updated_at: datetime, zone: tzinfo) -> date:
    """Return the day of a fact that is valid from a moment.

    Midnight UTC stands for a day without a time.
    """
    is_day = valid_from is not None and valid_from.astimezone(UTC).time() == time()
    return (valid_from or updated_at).astimezone(UTC if is_day else zone).date()


def _find_relevance(
    store: Documents, scope: Scope, question: PeriodQuestion, profile: Profile, where: Filter
) -> Mapping[PassageId, float]:
    """Return how well passages fit the rest of the question, 0–1; nothing without a rest."""
    words = question.period.words
    if not words:
        return {}
    relevance: dict[PassageId, float] = {}
    if isinstance(store, KeywordSearch):
        by = profile.bm25
        query = KeywordQuery(
            weights=query_tokens(words),
            k1=by.k1,
            b=by.b,
            context_weight=by.context_weight,
            spread=by.spread,
        )
        ranking = store.keyword(scope, query, where, _MOST)
        relevance = {
            i: _KEYWORD_SHARE * min(score / ranking.ceiling, 1.0) for i, score in ranking.ranked
        }
    if question.vector is not None and isinstance(store, VectorSearch):
        near = store.nearest(scope, VectorQuery(question.vector), where, _MOST).ranked
        low, high = (near[-1][1], near[0][1]) if near else (0.0, 0.0)
        for i, score in near:
            relevance[i] = relevance.get(i, 0.0) + (1 - _KEYWORD_SHARE) * (score - low) / (
                (high - low) or 1.0
            )
    return relevance


def _judge_turns_of_user(
    store: Documents, passages: Sequence[FoundPassage], relevance: Mapping[PassageId, float]
) -> dict[PassageId, float]:
    """Return the worth of the most promising turns of the user, judged by meaning.

    Nothing where there are no vectors.
    """
    if not isinstance(store, VectorCopy) or (active := store.active_model()) is None:
        return {}
    speakers = {p.id: m for p in passages if (m := _SPEAKER.match(p.text)) and m[1] == "User"}
    promising = sorted(
        (p for p in passages if p.id in speakers),
        key=lambda p: -estimate_memory_worth(p) - _RELEVANCE * relevance.get(p.id, 0.0),
    )[:_JUDGED]
    vectors = store.vectors_of(active[0], [text_to_embed(p.text) for p in promising])
    worth = {}
    for p in promising:
        vector = vectors.get(text_to_embed(p.text))
        text = p.text[speakers[p.id].end() :]
        if vector and (value := heads.judge_turn_worth(text, vector, active[0])):
            worth[p.id] = (
                estimate_memory_worth(p)
                + _JUDGED_SPAN * value
                - _ABOUT_USER * heads.about_user(text, vector, active[0])
            )
    return worth


def estimate_memory_worth(passage: FoundPassage) -> float:
    """Return how much a memory is worth telling, about 0–1, by its kind and its wording."""
    speaker = _SPEAKER.match(passage.text)
    text = passage.text[speaker.end() :] if speaker else passage.text
    value = _value_of_kind(passage, speaker[1] if speaker else "")
    value += (
        (0.1 if speaker and speaker[1] != "User" else 0.3) if re.search(_DECISION, text) else 0.0
    )
    value += 0.05 if re.search(r"\d", text) else 0.0
    value -= 0.3 if _ASKS.search(text) else 0.0
    value -= 0.15 if speaker and re.search(_ORDERS, text) else 0.0
    value -= 0.25 if len(text) < _SHORT_CHARS else 0.0
    return value - (0.1 if len(text) > _LONG_CHARS and speaker else 0.0)


def _value_of_kind(passage: FoundPassage, speaker: str) -> float:
    if speaker:
        return 0.45 if speaker == "User" else 0.25
    return 0.35 + 0.4 * passage.importance


def _bound_worth_score(value: float) -> float:
    return min(max(0.4 + 0.35 * value, _LEAST_SCORE), _MOST_SCORE)


def _spread_over_talks(
    found: Sequence[tuple[float, FoundPassage, dict[str, float]]], limit: int, zone: tzinfo
) -> list[tuple[float, FoundPassage, dict[str, float]]]:
    """Return the best passages, without repetitions, and not all from one conversation.

    What was said and what was observed of it on that day is one statement: the longer one is kept.
    """
    left = list(found[: 20 * limit])
    chosen: list[tuple[float, FoundPassage, dict[str, float]]] = []
    taken: dict[tuple[Scope, str], int] = {}
    texts = dict[str, date]()
    while left and len(chosen) < limit:
        best = max(
            left, key=lambda row: row[0] - _REPETITION * taken.get((row[1].scope, row[1].key), 0)
        )
        left.remove(best)
        text = " ".join(_SPEAKER.sub("", best[1].text, count=1).lower().split())
        day = find_passage_day(best[1], zone)
        within = [place for place, one in enumerate(texts) if text in one and texts[one] == day]
        if text in texts or within:
            continue
        part = next(
            (n for n, one in enumerate(texts) if one in text and texts[one] == day), len(chosen)
        )
        chosen[part : part + 1] = [best]
        texts = dict([*list(texts.items())[:part], (text, day), *list(texts.items())[part + 1 :]])
        taken[best[1].scope, best[1].key] = taken.get((best[1].scope, best[1].key), 0) + 1
    return chosen


def asks_or_orders(text: str) -> bool:
    """Return whether a text is a question or a request, which tells nothing that happened."""
    own = _SPEAKER.sub("", text.strip(), count=1)
    return bool(_ASKS.search(own) or re.search(_ORDERS, own))
