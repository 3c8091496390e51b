"""The end that a statement gives itself.

Examples: "until Friday the staging database is read-only", 이번 달만, 다음 주까지.

A deadline is no end: a task that is due by Friday is still due afterwards. An end is returned only
where the words leave no doubt that the state, not a task, lasts until then: a statement that is
wrongly shown as ended is worse than an old one.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.times import ahead


class StatedEnd(NamedTuple):
    """The last day on which a statement holds, and the words that say so.

    `last` is None where the statement ends on no known day: "for this sprint", because a sprint has
    no length in the calendar. `is_estimated`: the words leave room ("until next week" may or may
    not include that week); `last` is then the latest day that they may mean.
    """

    last: date | None
    words: str
    is_estimated: bool = False


#: Separates sentences, which are judged one by one. A full stop between digits ends none.
_SENTENCE = defer_pattern(r"(?<=[.!?。…])\s+|\n+")
_ASKS = defer_pattern(
    r"[?？]\s*$|(?:까|나요|니|는지|을지|려나|던가|인가요?)[.\s]*$"
    r"|^\s*(?:is|are|was|were|do|does|did|can|could|will|would|should|shall|may|has|have|what"
    r"|when|which|who|why|how)\b"
    r"(?! (?:is|are|was) (?:a|an|the|read|down|on)\b)",
    re.IGNORECASE,
)
#: Marks of sentences that are supposed, wished, asked of others or reported, and so not stated.
_NOT_STATED = defer_pattern(
    r"\b(?:if|unless|whether|suppose|imagine|assum\w+|maybe|perhaps|might|could|would|should "
    r"we|i wish|i hope|hopefully)\b"
    r"|\b(?:said|says|claim\w*|heard|thinks?|thought|believe\w*|according to|rumou?r\w*"
    r"|apparently|for example|e\.g\.)\b"
    r"|(?:으면|라면|다면|이면|하면|거든|더라도|어도\s?될|을까|지도\s?(?:모르|몰라)|것\s?같|거\s?같|듯(?:해|하|싶)|아마|혹시|만약|만일)"
    r"|(?:다고|라고|자고|대요|래요|다던데|라던데|다더라|라더라|다며|라며|한대|된대|는대|이래)(?![가-힣]{3})|예를\s?들",
    re.IGNORECASE,
)
#: "no longer until", "not only until", 까지가 아니라: such a sentence denies the end itself.
_DENIED = defer_pattern(
    (
        r"\b(?:not (?:just|only|merely)|no longer|isn't only|is not only|it(?:'s| is) not|beyond"
        r"|rather than|instead of)\s*$"
    ),
    re.IGNORECASE,
)
_DENIED_KO = defer_pattern(
    r"\s*(?:가|이|는|은)?\s*(?:아니|아닌|아닙|안\s?끝|못\s?끝|뿐\s?아니|뿐만)"
)
#: Marks of a state that was over when it was told: the statement is about the past, and stays true.
_PAST = defer_pattern(
    (
        r"\b(?:was|were|had|did|used to|worked|lasted|ran|stayed|kept|held|waited|slept|used|lived"
        r"|went|got|happened|failed)\b"
    ),
    re.IGNORECASE,
)
#: 뒀 is left out: a thing that was put somewhere is still there (막아 뒀어).
_PAST_KO = defer_pattern(
    r"[았었했였됐왔갔섰났렸켰쳤졌꼈줬봤](?:어|다|음|지|고|던|는데|습|네|구|군|으)"
)
#: Words for a task, which is done once, at the latest on the day; a state lasts until the day.
_TASK = defer_pattern(
    r"\b(?:finish\w*|submit\w*|send\w*|deliver\w*|complet\w*|hand(?:ed|ing)? (?:in|over)"
    r"|repl(?:y|ies|ied)|respond\w*"
    r"|due|deadline|turn(?:ed|ing)? in|wrap\w* up|write|fix|review|prepare|register|sign "
    r"up|pay|decide|implement"
    r"|ship|answer|return|upload|file|apply for|book|order|renew|update)\b",
    re.IGNORECASE,
)
#: Words for something forbidden or put off: that lasts, whichever task must not be done.
_BARS = defer_pattern(
    r"\b(?:don't|do not|never|no|not|nobody|cannot|can't|mustn't|must not|won't|shouldn't"
    r"|isn't|aren't|without"
    r"|frozen|freeze|blocked|paused?|on hold|postponed|suspended|banned|forbidden|off[- "
    r"]limits|read[- ]only|down)\b",
    re.IGNORECASE,
)
_TASK_KO = defer_pattern(
    r"(?:내야|내자|내면|내기|내줘|내\s?주|낼\s?(?:것|게|거)|제출|보내|끝내|끝낼|마치|마쳐|마무리|마감|기한|완료|완성|고쳐|고치|수정|만들|작성"
    r"|써\s?(?:줘|주)"
    r"|보고(?!\s?있)|전달|올려|올리|등록|신청|회신|답장|답변|답\s?(?:줘|주)|준비|구현|결제|입금|납부|반납|예약|정해|정하|결정|해결|처리|검토"
    r"|갱신|제공|공유"
    r"|배포(?:해|하자|할|하기|를\s?해)|출시|합의|확인|목표|부탁|가져|갖다|바꿔|바꾸|옮겨|옮기|추가|받아|도착|돌려|찾아|업로드|인수인계|사야"
    r"|사\s?(?:와|올))"
)
_BARS_KO = defer_pattern(
    r"(?:지\s?(?:마|말|않|못)|말\s?것|금지|안\s?(?:돼|되|됨|됩|합|해|함|한|하)|못\s?(?:해|하|씀|쓰)|중단|중지|보류|동결|프리즈"
    r"|멈[춰추춘]|쉬[고어는]?|없"
    r"|불가|막혀|막아|막힘|차단)"
)
#: Words for a state in Korean: a sentence with X 까지 and without one of these may be about a task.
_STATE_KO = defer_pattern(
    r"(?:전용|상태|중(?:이|입|인|$|[.\s])|휴가|출장|재택|휴무|휴업|방학|연차|운영|유지|진행|가능|있[어다는음을습]|머물|머무|열려|닫혀|켜|꺼"
    r"|고정|제한|적용|유효|점검"
    r"|무료|할인|임시|계속|당번|당직|담당|맡[아는은]|쓰기로|쓴다|써(?:[.\s]|$)|써야|쓰자|사용|쓸\s?수|이용|근무|지낸|지내|대신|예정대로|공사"
    r"|연장|전시|행사|세일"
    r"|(?:이야|이다|입니다|예요|이에요|임|야)[.!\s]*$)"
)

_CLOCK = (
    r"(?:at )?(?:\d{1,2}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)?,? "
    r"(?!(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)(?:[a-z]*\b))|noon |midnight |close of "
    r"business |cob |eod )?"
)
_UNTIL = defer_pattern(
    r"\b(?P<mark>until|untill|till|(?<!\w)'til|up (?:until|till|to(?: and including)?)"
    rf"|through(?:out)?|thru)\s+{_CLOCK}"
    r"(?:on |(?:and )?including )?(?P<about>(?:about|around|roughly|approximately|maybe|at "
    r"least|sometime(?: in)?) )?",
    re.IGNORECASE,
)
_ONLY_BEFORE = defer_pattern(
    r"\b(?:only|just|solely)(?: for| during)?\s+$|\bfor\s+$|\bduring\s+$", re.IGNORECASE
)
_ONLY_AFTER = defer_pattern(r"\s*(?:only|alone|exclusively)\b", re.IGNORECASE)
_CLAUSE_END = defer_pattern(r"\s*(?:$|[.,;:!)—–-])")
_TO_KO = defer_pattern(
    r"\s*(?:(?:오전|오후|저녁|밤|아침|낮|정오|자정)?\s*(?:\d{1,2}시(?:\s?\d{1,2}분)?|정오|자정|밤)?\s*)?(?P<about>쯤"
    r"|께|경)?\s*까지(?P<only>만)?(?:는|은|로|의)?"
)
_ONLY_KO = defer_pattern(r"\s*(?:동안|간)?\s*만(?:은|의)?(?![가-힣])|\s*한정")
_DURING_KO = defer_pattern(
    r"\s*(?:동안|내내)(?:은|는|에는|만)?(?![가-힣])|\s*(?:은|는|엔|에는)(?![가-힣])"
)
#: Spans of work that have no length in the calendar.
_BOX = (
    r"(?:sprint|iteration|cycle|release|milestone|semester|term|phase|experiment|trial|migration)"
)
_BOXED = defer_pattern(
    rf"\b(?:(?:for|during|only|just) (?:the rest of )?(?:this|the current) {_BOX}\b(?! "
    r"(?:plan|goal|board))"
    rf"|(?:until|till|through) (?:the )?(?:end of )?(?:this|the|the current) {_BOX}(?:'s end| "
    r"ends| is over| is done)?\b"
    rf"|this {_BOX} only\b)"
    r"|이번\s*(?:스프린트|이터레이션|릴리스|마일스톤|학기)(?:\s*동안|\s*내내)?\s*(?:까지만|까지|만|동안|내내)(?:은|는|의)?(?![가-힣])",
    re.IGNORECASE,
)


def find_end(text: str, said_on: date) -> StatedEnd | None:
    """Return the end that a statement gives itself, seen from the day on which it was said.

    None without an end. A text of several sentences ends where each of them ends: the last day
    counts. A question, a deadline, and sentences that are supposed, denied or told of the past have
    no end.
    """
    sentences = split_end_sentences(text)
    ends = [_find_sentence_end(sentence, said_on) for sentence in sentences]
    stated = [end for end in ends if end is not None]
    if not stated or len(stated) < len(ends):
        return None
    return max(stated, key=lambda end: end.last or date.max)


def split_end_sentences(text: str) -> list[str]:
    """Return the sentences of a text, which are judged one by one."""
    return [part for part in _SENTENCE.split(text.strip()) if part.strip()]


def is_stated(sentence: str) -> bool:
    """Say whether a sentence states something: it asks, supposes, wishes and reports nothing."""
    return not (_ASKS.search(sentence) or _NOT_STATED.search(sentence))


def tells_what_is_ahead(sentence: str) -> bool:
    """Say whether a sentence states something, and nothing of the past: no question, no wish."""
    return is_stated(sentence) and not (_PAST.search(sentence) or _PAST_KO.search(sentence))


def _find_sentence_end(sentence: str, said_on: date) -> StatedEnd | None:
    if not is_stated(sentence):
        return None
    ends = [*_iter_english_ends(sentence, said_on), *_iter_korean_ends(sentence, said_on)]
    ends = [end for end in ends if end.last is None or end.last >= said_on]
    return max(ends, key=lambda end: end.last or date.min) if ends else _find_boxed_end(sentence)


def _find_boxed_end(sentence: str) -> StatedEnd | None:
    match = _BOXED.search(sentence)
    is_past = _PAST.search(sentence) or _PAST_KO.search(sentence)
    if match is None or is_past or _is_task(sentence) or _is_task_ko(sentence, match.end()):
        return None
    return StatedEnd(None, match[0])


def _iter_english_ends(sentence: str, said_on: date) -> Iterator[StatedEnd]:
    if _PAST.search(sentence):
        return
    for mark in _UNTIL.finditer(sentence):
        named = ahead.at_start(sentence[mark.end() :], said_on)
        before = sentence[: mark.start()]
        if (
            named is None
            or _is_weekly(before, named.words)
            or _DENIED.search(before)
            or _is_task(sentence)
        ):
            continue
        is_open = not mark["mark"].lower().startswith(("through", "thru", "up")) and named.is_period
        yield StatedEnd(named.last, mark[0] + named.words, bool(mark["about"]) or is_open)
    for start, named in ahead.each(sentence, said_on):
        before, after = sentence[:start], sentence[start + len(named.words) :]
        lead, tail = _ONLY_BEFORE.search(before), _ONLY_AFTER.match(after)
        is_framed = lead and (_CLAUSE_END.match(after) or not before[: lead.start()].strip())
        if not named.is_current or _DENIED.search(before):
            continue
        is_limited = tail or (lead and re.match(r"only|just|solely", lead[0], re.IGNORECASE))
        if is_limited or (is_framed and not _is_task(sentence)):
            words = (lead[0] if lead else "") + named.words + (tail[0] if tail else "")
            yield StatedEnd(named.last, words)


def _is_weekly(before: str, words: str) -> bool:
    """Return whether a range of weekdays is a habit: open Monday through Friday."""
    return bool(re.search(r"day\s*$", before)) and words.lower().endswith("day")


def _is_task(sentence: str) -> bool:
    return bool(_TASK.search(sentence)) and not _BARS.search(sentence)


def _iter_korean_ends(sentence: str, said_on: date) -> Iterator[StatedEnd]:
    if _PAST_KO.search(sentence):
        return
    for start, named in ahead.each(sentence, said_on):
        at = start + len(named.words)
        after = sentence[at:]
        if to := _TO_KO.match(after):
            if _DENIED_KO.match(after[to.end() :]) or not _is_lasting_state(
                sentence, at + to.end(), is_limit=bool(to["only"])
            ):
                continue
            yield StatedEnd(named.last, named.words + to[0], bool(to["about"]))
        elif named.is_current and (only := _ONLY_KO.match(after)):
            if not _DENIED_KO.match(after[only.end() :]):
                yield StatedEnd(named.last, named.words + only[0])
        elif (
            named.is_current
            and (during := _DURING_KO.match(after))
            and _is_lasting_state(sentence, at, is_limit=False)
        ):
            yield StatedEnd(named.last, named.words + during[0].rstrip())


def _is_lasting_state(sentence: str, at: int, *, is_limit: bool) -> bool:
    """Return whether the words behind a day describe a state that lasts until then, not a task."""
    rest = sentence[at:]
    if _BARS_KO.search(rest):
        return True
    if _TASK_KO.search(rest):
        return False
    return is_limit or bool(_STATE_KO.search(rest))


def _is_task_ko(sentence: str, at: int) -> bool:
    rest = sentence[at:]
    return bool(_TASK_KO.search(rest)) and not _BARS_KO.search(rest)
