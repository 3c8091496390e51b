"""The decision whether ambiguous words are meant as a time, by the words around them.

금요일에 배포해도 돼? asks for a rule, not for the events of Friday; Q4 may be a quantization, 9/25 a score.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.times.lexicon import Token
from gieok.text.times.rules import encode_token_kinds

_BARE_MONTHS = {
    "january", "february", "july", "august", "september", "october", "november", "december", "sept",
    "sep", "oct", "nov",
}  # fmt: skip
_LEAD = defer_pattern(
    r"\b(?:in|during|of|back in|for|since|around|from|over|by|throughout) (?:the )?$", re.IGNORECASE
)
_LEAD_OF_QUARTER = defer_pattern(r"\b(?:in|during|of|from|for|since)(?: the)? $", re.IGNORECASE)
_LEAD_OF_WEEKEND = defer_pattern(r"\b(?:over|on|at|during|this past) (?:the )?$", re.IGNORECASE)
_LEAD_OF_SEASON = defer_pattern(r"\b(?:in|over|during) the $", re.IGNORECASE)
_LEAD_OF_HOLIDAY = defer_pattern(
    r"\b(?:on|at|over|during|since) (?:(?:the|my|our|his|her|their|\w+['’]s) )?$", re.IGNORECASE
)
_LEAD_OF_YEAR = defer_pattern(r"\b(?:in|since|during|of|from|back in) $", re.IGNORECASE)
_LEAD_OF_SLASH = defer_pattern(r"\b(?:on|since|from|until|by|before|after|of) $", re.IGNORECASE)
_ON_THE = defer_pattern(r"\bon the $", re.IGNORECASE)
#: A weekday says when something was in: on Friday; Friday, we; 금요일에, 금요일 뭐. It names a kind in:
#: Friday deploys, 금요일 배포.
_LEAD_OF_DAY = defer_pattern(
    r"\b(?:on|from|since|until|of|around|by|back|this past) $", re.IGNORECASE
)
_OF_EVENT = defer_pattern(r"\b(?:in|at|during|from) (?:the|our|my)? ?$", re.IGNORECASE)
_WHEN = defer_pattern(
    r"\s*(?:[,;.?!)]|$)|(?:['’]s)?\s+(?:we|i|you|he|she|they|it|everyone|somebody|someone|did"
    r"|was|were|had|what|who|why|how|when"
    r"|the|an?|my|our|at|in|with|about|after|before|and|but|that|night|morning|afternoon"
    r"|evening|lunch)\b",
    re.IGNORECASE,
)
_OBJECT = defer_pattern(
    r"\b(?:to|for|chose|choose|picked?|named?|called|and|or) (?:the )?$", re.IGNORECASE
)
_WHEN_KO = defer_pattern(
    r"(?:날|밤)?(?:에|엔|에는|에도|에만)(?![가-힣])|(?:날|밤)?\s+(?:뭐|뭘|무엇|무슨|누구|누가|어디|왜|어떻게|아침|점심|저녁|밤|오전"
    r"|오후|나|내가|우리)"
    r"|\s*[,?!.]|$"
)
_AT_EVENT_KO = defer_pattern(r"\s*[가-힣]+\s?(?:때|에서|에선|중에)")
_COUNTED_KO = defer_pattern(r"[가-힣]*\s*(?:한|두|세|네|\d+)\s*(?:번|회|차례)")
_THINGS = defer_pattern(
    (
        r"\s+(?:floor|try|attempt|line|commit|item|page|row|street|iteration|run|call|time|step"
        r"|test|case|version)\b"
    ),
    re.IGNORECASE,
)
_UNITS_OF_DATA = defer_pattern(r"\s+(?:[a-z]*s|ms|mb|kb|gb|px)\b", re.IGNORECASE)
_EVENTS = defer_pattern(
    r"[\s(]*(?:회의|미팅|일지|회고|기록|노트|작업|배포|릴리스|대화|메모|일정|약속|출장|워크숍|스탠드업|장애|발표|meeting|stand-?up|notes?\b"
    r"|call\b|retro|release|deploy|sync\b|demo\b|incident|outage|review|decision|goals?\b"
    r"|results?\b|roadmap|okrs?\b"
    r"|planning|revenue|budget|sales|report|targets?\b|plans?\b)",
    re.IGNORECASE,
)
#: Marks of a question about the past.
_PAST = defer_pattern(
    r"[았었했였됐왔갔섰났렸켰쳤졌꼈뒀줬봤랐](?:어|다|음|지|고|던|는|습|네|나|니|구|군|으|더|을|$|[?.!\s])"
    r"|[가-힣](?:한|된|던|긴|쓴|은|난|온|간|킨|린|친|진|꾼|뀐|눈|운)"
    r"\s*(?:거|것|게|건|걸|일|내용|얘기|이야기|말|회의|결정|이유|사람|곳|데)"
    r"|(?<![가-힣])[정말한된](?:한|된)?\s*(?:거|것|게|건|걸|일)(?![가-힣]{2})"
    r"|\b(?:did|was|were|had|happened|said|told|went|made|came|got|left|wrote|ran|broke|met"
    r"|took|gave|chose|began|saw"
    r"|found)\b"
)
#: A word in -ed tells of the past, except after one of `_PRESENT`: are they allowed, must be
#: signed.
_ENDS_IN_ED = defer_pattern(r"\b\w{2,}ed\b")
_PRESENT = defer_pattern(
    r"\b(?:is|are|am|be|being|can|may|must|should|shall|will|do|does|gets?)\b", re.IGNORECASE
)
_ALONE = defer_pattern(r"\b(?:on|in|at|over|during|since|the)\b", re.IGNORECASE)
_MOST_SHORT_YEAR = 99


class _TimeContext(NamedTuple):
    """Time words, and the text around them."""

    token: Token
    before: str
    after: str
    text: str

    @property
    def is_korean(self) -> bool:
        return bool(re.search(r"[가-힣]", self.text))

    @property
    def is_alone(self) -> bool:
        """Return whether the text says nothing besides the time."""
        after = re.sub(r"^(?:에는|에|은|는|날)", "", self.after.strip())
        return not re.sub(r"\W", "", _ALONE.sub("", self.before) + after)

    @property
    def asks_what_was(self) -> bool:
        return asks_what_was(self.text)


def asks_what_was(text: str) -> bool:
    """Return whether a text is about the past, by the tense of its verbs."""
    if _PAST.search(text):
        return True
    return bool(_ENDS_IN_ED.search(text)) and not _PRESENT.search(text)


def is_meant(run: Sequence[Token], text: str) -> bool:
    """Return whether a row of tokens is meant as a time; unambiguous rows always are."""
    place = _TimeContext(run[0], text[: run[0].start], text[run[-1].end :], text)
    test = _TESTS.get(encode_token_kinds(run))
    return test is None or test(place)


def _is_month_meant(place: _TimeContext) -> bool:
    token = place.token
    # a person's name, or a date whose end is not understood: 1월 1일생
    if re.match(r"\s*(?:씨|님|\d+일)", place.after):
        return False
    if "월" in token.text:
        return True
    is_name = token.text in _BARE_MONTHS and place.text[token.start].isupper()
    is_counting = re.match(r"\.?\s+\d", place.after) and not place.is_korean
    return bool(is_name or _LEAD.search(place.before)) and not is_counting


def _is_weekday(place: _TimeContext) -> bool:
    return place.is_alone or (place.asks_what_was and _says_when(place))


def _says_when(place: _TimeContext) -> bool:
    """Return whether a weekday says when something was.

    It may also name a kind of thing (Friday deploys) or be a thing itself (to Friday).
    """
    if place.is_korean:
        is_event = _EVENTS.match(place.after) and _AT_EVENT_KO.match(place.after)
        return bool(is_event or _WHEN_KO.match(place.after))
    if _LEAD_OF_DAY.search(place.before) or (
        _OF_EVENT.search(place.before) and _EVENTS.match(place.after)
    ):
        return True
    return bool(_WHEN.match(place.after)) and not _OBJECT.search(place.before)


def _is_weekend(place: _TimeContext) -> bool:
    is_asked = place.asks_what_was and place.token.text == "주말" and _says_when(place)
    return place.is_alone or bool(_LEAD_OF_WEEKEND.search(place.before)) or is_asked


def _is_season(place: _TimeContext) -> bool:
    is_framed = place.after.startswith("에") or _LEAD_OF_SEASON.search(place.before)
    return bool(is_framed) and place.asks_what_was


def _is_quarter(place: _TimeContext) -> bool:
    is_word = place.token.text[-2:] in ("분기", "반기")
    return bool(
        is_word
        or _LEAD_OF_QUARTER.search(place.before)
        or place.is_alone
        or _EVENTS.match(place.after)
    )


def _is_date(place: _TimeContext) -> bool:
    if "일" in place.token.text:
        return bool(re.match(r"에|날", place.after)) and not _COUNTED_KO.match(place.after[1:])
    is_named = place.token.text[0].isdigit() and _ON_THE.search(place.before)
    return bool(is_named) and not _THINGS.match(place.after)


def _is_year_number(place: _TimeContext) -> bool:
    return bool(_LEAD_OF_YEAR.search(place.before)) and not _UNITS_OF_DATA.match(place.after)


def _is_year(place: _TimeContext) -> bool:
    is_whole = place.token.value > _MOST_SHORT_YEAR or "'" in place.before[-1:] + place.token.text
    return is_whole or bool(re.match(r"에(?!\s*한)|도|의", place.after)) or place.is_alone


def _is_decade(place: _TimeContext) -> bool:
    return "년대" in place.token.text or bool(_LEAD.search(place.before)) or place.is_alone


def _is_slash_date(place: _TimeContext) -> bool:
    if _LEAD_OF_SLASH.search(place.before) or place.is_alone or _EVENTS.match(place.after):
        return True
    return place.is_korean and bool(re.match(r"에\s|에는|에서|의\s|일|날|부터|까지|$", place.after))


def _is_holiday(place: _TimeContext) -> bool:
    """Return whether the name of a holiday says when something was: 크리스마스에, on my birthday."""
    is_framed = place.after.startswith(("에", "때", " 때")) or _LEAD_OF_HOLIDAY.search(place.before)
    return bool(is_framed) and place.asks_what_was


def _is_never(_place: _TimeContext) -> bool:
    return False


#: Kinds of a row of tokens, as letters → test.
_TESTS: Mapping[str, Callable[[_TimeContext], bool]] = {
    "m": _is_month_meant,
    "e": _is_weekday,
    "et": _is_weekday,
    "k": _is_weekend,
    "kt": _is_weekend,
    "s": _is_season,
    "Q": _is_quarter,
    "h": _is_quarter,
    "o": _is_date,
    "d": _is_date,
    "Z": _is_year_number,
    "y": _is_year,
    "z": _is_decade,
    "l": _is_slash_date,
    "H": _is_holiday,
    "H!": _is_holiday,
    "?": _is_holiday,
} | dict.fromkeys(
    ("ou", "n#u", "oe", "ok", "of", "w", "u", "t", "W", "p", "O", "g", "<", "!"), _is_never
)
