"""The words of which time phrases consist, Korean and English, as tokens.

Each word is a token of one kind; `rules` says which kinds may stand together. Korean words are
written together with their particles: a group of syllables is read as tokens and particles from its
first to its last syllable, or not at all, so that 지난주에는 is a time and 지난주문 is none.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern


class Token(NamedTuple):
    """A time word: its kind, its number, its place in the text. `text` is in lower case."""

    kind: str
    value: int
    start: int
    end: int
    text: str


#: Names of months and of days of the week, in their order.
MONTHS = (
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT_DAYS = {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
_COUNTS = "one two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS = "first second third fourth fifth".split()
_UNITS = "day week month quarter year decade".split()


def _name_kinds(words_by_kind: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return the words of kinds, whose number is 0; they are given with commas between them."""
    return {kind: dict.fromkeys(words.split(", "), 0) for kind, words in words_by_kind.items()}


#: English words by kind, with their numbers.
_ENGLISH: dict[str, dict[str, int]] = {
    "month": {name: n for n, long in enumerate(MONTHS, 1) for name in (long, long[:3])}
    | {"sept": 9},
    "weekday": {name: n for n, name in enumerate(WEEKDAYS)},
    "weekdays": {f"{name}s": n for n, name in enumerate(WEEKDAYS)},
    "qualifier": {
        "last": -1, "previous": -1, "past": -1, "this past": -1, "this last": -1, "this": 0,
        "current": 0, "this coming": 1, "next": 1, "coming": 1, "upcoming": 1, "following": 1,
    },
    "postfix": {"before last": -2, "before the last": -2, "after next": 2},
    "unit": {name: n for n, long in enumerate(_UNITS) for name in (long, f"{long}s")},
    "halfyear": {"h1": 1, "h2": 2, "1h": 1, "2h": 2},
    "quarter": {f"{a}{n}{b}": n for n in range(1, 5) for a, b in (("q", ""), ("", "q"))},
    "season": {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    "count": {name: n for n, name in enumerate(_COUNTS, 1)}
    | {"a couple of": 2, "couple of": 2, "a couple": 2, "couple": 2}
    | {"a few": 3, "few": 3, "several": 0, "many": 0},
    "ordinal": {name: n for n, name in enumerate(_ORDINALS, 1)} | {"final": -1},
    "part": {
        "early": 1, "beginning of": 1, "start of": 1, "mid": 2, "middle of": 2, "late": 3,
        "end of": 4, "the end of": 4, "the very end of": 4, "rest of": 0, "end": 4, "beginning": 1,
        "start": 1, "first half of": 5, "second half of": 6, "latter half of": 6,
    },
    "day": {
        "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
        "yesterday": -1, "day before yesterday": -2, "tomorrow": 1, "day after tomorrow": 2,
    },
    "span": {"last night": 1, "the other day": 2},
    "holiday": {
        "christmas": 1225, "christmas day": 1225, "xmas": 1225, "christmas eve": 1224,
        "boxing day": 1226, "new year's day": 101, "new year": 101, "new years": 101,
        "new year's eve": 1231, "halloween": 1031, "valentine's day": 214, "valentines day": 214,
        "independence day": 704, "juneteenth": 619, "veterans day": 1111, "easter": 1,
        "easter sunday": 1, "good friday": 2, "thanksgiving": 3, "thanksgiving day": 3,
        "black friday": 4,
    },
}  # fmt: skip
#: English words of kinds whose number nothing asks for.
_PLAIN_ENGLISH = {
    "fortnight": "fortnight, fortnights",
    "weekend": "weekend, weekends",
    "half": "half, and a half",
    "ago": "ago, back, earlier",
    "hence": "from now, hence, from today",
    "week-of": "week of",
    "this-time": "this time, same time",
    "daytime": "morning, afternoon, evening, night, noon",
    "unknown": "birthday, birthdays, anniversary, payday, workday, business day, working day, "
    "trading day, ramadan, eid, diwali, hanukkah, passover, lunar new year, chinese new year, "
    "chuseok, seollal, cyber monday, labor day, labour day, memorial day, mother's day, "
    "father's day, bank holiday, long weekend, semester, trimester, fiscal, fiscal year, "
    "financial year, weekdays",
    "every": "every, each, every other, any, weekly, monthly, yearly, most",
    "link": "to, through, thru, and, or",
    "until": "until, till, up to",
    "since": "since",
    "after": "after",
    "before": "before, prior to, by",
}
_ENGLISH |= _name_kinds(_PLAIN_ENGLISH)
_HUNDRED = ("nineties eighties seventies sixties fifties".split(), (1990, 1980, 1970, 1960, 1950))
_ENGLISH["decade"] = dict(zip(*_HUNDRED, strict=True))

_COUNTS_KO = {
    "한": 1, "두": 2, "세": 3, "석": 3, "서너": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8,
    "아홉": 9, "열": 10, "일": 1, "이": 2, "삼": 3, "몇": 3, "몇몇": 0, "수": 0, "여러": 0,
}  # fmt: skip
#: Korean words by kind, with their numbers.
_KOREAN: dict[str, dict[str, int]] = {
    "year": {},
    "weekday": {f"{day}{end}": n for n, day in enumerate("월화수목금토일") for end in ("요일", "욜")},
    "qualifier": {
        "지지난": -2, "저저번": -2, "저지난": -2, "지난번": -1, "지난": -1, "저번": -1, "요번": 0, "이번": 0, "올": 0,
        "다다음": 2, "다음번": 1, "다음": 1, "담": 1, "오는": 1, "최근": -1,
    },
    #: Ten times the offset, plus the number of the unit.
    "near": {"금주": 1, "금월": 2, "이달": 2, "내달": 12, "내주": 11, "차주": 11, "전주": -9, "금일": 0},
    "unit": {
        "일": 0, "날": 0, "주": 1, "주일": 1, "주간": 1, "달": 2, "개월": 2, "분기": 3, "년": 4, "해": 4, "해간": 4,
    },
    "halfyear": {"상반기": 1, "하반기": 2, "전반기": 1, "후반기": 2},
    "season": {"봄": 3, "여름": 6, "가을": 9, "겨울": 12},
    "years": {
        "작년": -1, "재작년": -2, "재재작년": -3, "그러께": -2, "올해": 0, "금년": 0, "내년": 1, "내후년": 2, "후년": 2,
    },
    "days-count": {
        "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9, "열흘": 10,
        "보름": 15, "일주일": 7,
    },
    "half-year": {"반년": 6},
    "count": _COUNTS_KO,
    "ordinal": {
        "첫째": 1, "첫": 1, "둘째": 2, "두번째": 2, "셋째": 3, "세번째": 3, "넷째": 4, "네번째": 4, "다섯째": 5,
        "다섯번째": 5, "첫번째": 1, "마지막": -1,
    },
    "part": {
        "초순": 1, "초반": 1, "상순": 1, "초": 1, "중순": 2, "중반": 2, "말경": 4, "하순": 4, "말": 4, "후반": 6,
        "전반": 5,
    },
    "part-of": {"연초": 41, "연말": 44, "월초": 21, "월말": 24, "분기초": 31, "분기말": 34, "주초": 11},
    "day": {
        "오늘": 0, "아까": 0, "방금": 0, "어제": -1, "그저께": -2, "그제": -2, "엊그제": -2, "엊그저께": -2, "그끄저께": -3,
        "내일": 1, "낼": 1, "모레": 2, "낼모레": 2, "내일모레": 2, "글피": 3,
    },
    "span": {"어젯밤": 1, "며칠": 3, "간밤": 1},
    "holiday": {
        "크리스마스": 1225, "성탄절": 1225, "크리스마스이브": 1224, "신정": 101, "새해": 101, "삼일절": 301, "어린이날": 505,
        "어버이날": 508, "스승의날": 515, "현충일": 606, "제헌절": 717, "광복절": 815, "개천절": 1003, "한글날": 1009,
        "핼러윈": 1031, "할로윈": 1031, "빼빼로데이": 1111, "발렌타인데이": 214, "밸런타인데이": 214, "화이트데이": 314,
        "부활절": 1, "추수감사절": 3,
    },
    "shift": {"전날": -1, "이튿날": 1, "직전": 0, "직후": 0},
}  # fmt: skip
#: Korean words of kinds whose number nothing asks for.
_PLAIN_KOREAN = {
    "weekend": "주말",
    "half-unit": "반기",
    "half": "반",
    "last-day": "말일",
    "nth": "번째, 째",
    "ago": "전",
    "hence": "뒤, 후",
    "this-time": "이맘때",
    "eve": "이브",
    "unknown": "추석, 한가위, 설, 설날, 구정, 연휴, 명절, 석가탄신일, 초파일, 생일, 생신, 기념일, "
    "결혼기념일, 영업일, 근무일, 급여일, 월급날, 마감일, 만기일, 납기일, 평일, 공휴일, 학기, 회계연도",
    "daytime": "아침, 오전, 낮, 오후, 저녁, 밤, 새벽",
    "every": "매주, 매달, 매월, 매년, 매일, 격주, 매, 마다",
    "since": "부터, 이후, 이래",
    "link": "에서, 와, 과, 랑, 이랑",
    "until": "까지",
    "before": "이전",
    "while": "동안, 간, 내내, 사이",
}
_KOREAN |= _name_kinds(_PLAIN_KOREAN)
#: Particles and endings behind a time word, which do not change which time it is.
_PARTICLES = (
    "에 서 의 은 는 이 가 을 를 도 만 엔 쯤 께 경 중 내 처럼 보다 로 으로 치 인 야 이야 이다 이고 임 이라 였 였나 였지 "
    "이었나 이었지 입니다 예요 이에요 네 요 한정"
).split()

#: Endings behind a day or a month alone: 25일날, 3월달, 3월호.
_OF_NUMBERED = {"날": "date", "달": "month", "분": "month", "호": "month"}

_NAMES_EN = {
    word: (kind, value) for kind, words in _ENGLISH.items() for word, value in words.items()
}
#: Abbreviations that are also words: they are weekdays only where they begin with a capital letter.
_CAPITAL = {name: ("weekday", n) for name, n in _SHORT_DAYS.items()}
#: Words before "may 5" and the like that make it a month.
_PREPOSITION = defer_pattern(
    r"\b(?:in|on|of|during|since|until|till|by|from|between|early|mid|late|last|next|before|after"
    r"|\d(?:st|nd|rd|th)?)[\s-]+$",
    re.IGNORECASE,
)
_WORD_MONTHS = {
    "may",
    "march",
    "mar",
    "dec",
    "jan",
    "apr",
    "sep",
    "jun",
    "oct",
    "aug",
    "nov",
    "feb",
    "jul",
    "sept",
}


#: Parts that are named behind their period: last quarter's end.
BEHIND_OWNER = ("end", "beginning", "start")
#: Names of days, as an alternation for a regular expression.
DAY_NAMES = "|".join(
    {
        *_ENGLISH["holiday"],
        *_ENGLISH["unknown"],
        *_KOREAN["holiday"],
        *_KOREAN["unknown"],
        "전날",
        "이튿날",
    }
)

#: Names of the groups in the pattern below, one for each form of a word.
_FORMS = (
    "iso",
    "yearmonth",
    "slashes",
    "slash",
    "dayth",
    "decade",
    "short",
    "article",
    "number",
    "joined",
    "word",
    "capital",
    "dash",
)


@cache
def _compile_english_times() -> re.Pattern[str]:
    names = sorted(_NAMES_EN, key=len, reverse=True)
    words = "|".join(name.replace(" ", r"\s+").replace("'", "['’]") for name in names)
    return re.compile(
        # Not the number of a release: no day after one of these words (2024.1.3).
        r"(?P<iso>(?<![\d./v-])(?<!version )(?<!release )(?<!버전 )(?<!버전)"
        r"(?P<y>\d{4})(?P<sep>[-./])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?![\d-]|[./]\d))"
        r"|(?P<yearmonth>(?<![\d./-])(?P<y2>(?:19|20)\d\d)-(?P<m2>0[1-9]|1[0-2])(?![\d-]))"
        r"|(?P<slashes>(?<![\d./-])\d{1,2}(?P<sep2>[/.-])\d{1,2}(?P=sep2)(?:\d{4}|\d\d)(?![\d./-]))"
        r"|(?P<slash>(?<![\d./-])\d{1,2}/\d{1,2}(?![\d/]|\.\d))"
        r"|(?P<dayth>(?<![\w.#/])\d{1,2}(?:st|nd|rd|th)(?!\w))"
        r"|(?P<decade>(?<![\w.#/])(?:(?:19|20)\d0|['’]?\d0)s(?!\w))"
        r"|(?P<short>(?<!\w)['’]\d\d(?!\w))"
        r"|(?P<number>(?<![\w.#/:,$€₩%])\d{1,4}(?![\w/%]|:\d|[.,]\d))"
        r"|(?P<article>(?<![\w'-])an?(?=\s+(?:day|week|month|quarter|year|decade|fortnight"
        r"|half)\b))"
        r"|(?P<joined>(?<![\w@#./'-])(?:early|mid|late)-(?=\w))"
        rf"|(?P<word>(?<![\w@#./'])(?:{words})(?![\w@]|[./'’]\w(?<!'s)(?<!’s)))"
        r"|(?P<capital>(?-i:(?<![\w@#./'-])(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat"
        r"|Sun)(?![\w@'’])\.?))"
        r"|(?P<dash>~|〜|–|—|\.\.|-)",
        re.IGNORECASE,
    )


_CHUNK = defer_pattern(r"(?:(?<!\d)\d+)?[가-힣][가-힣\d]*")
_HANGUL_NUMBER = defer_pattern(r"\d{1,4}(?!\d)")


def tokens_of(text: str) -> list[Token]:
    """Return the time words of a text, in order."""
    tokens: list[Token] = []
    at = 0
    pattern = _compile_english_times()
    while at < len(text):
        chunk = _CHUNK.match(text, at)
        if chunk:
            tokens += _tokenize_korean_chunk(chunk[0], at) or ()
            at = chunk.end()
            continue
        match = pattern.match(text, at)
        if match is None:
            at += 1
            continue
        token = _build_time_token(match, text)
        tokens += (token,) if token else ()
        at = match.end()
    return _drop_hyphened_tokens(tokens, text)


def _drop_hyphened_tokens(tokens: list[Token], text: str) -> list[Token]:
    """Return the tokens without those that a hyphen joins to another word: last-minute, utf-8."""
    ends, starts = {token.end for token in tokens}, {token.start for token in tokens}
    remaining: list[Token] = []
    for token in tokens:
        before, after = text[: token.start], text[token.end :]
        if token.text == "-":
            is_kept = (token.start in ends and token.end in starts) or (
                before.endswith(" ") and after.startswith(" ")
            )
        else:
            is_joined = remaining and remaining[-1].end == token.start
            is_kept = not (before.endswith("-") and before[-2:-1].strip() and not is_joined)
            is_kept &= not (re.match(r"-\w", after) and token.end + 1 not in starts)
        remaining += [token] if is_kept else []
    return remaining


def _parse_time_digits(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", match[0]))


def _parse_decade_year(match: re.Match[str]) -> int:
    number = _parse_time_digits(match)
    return number if number > _MOST_SHORT_YEAR else 1900 + number


_MOST_SHORT_YEAR = 99
#: Form that holds a number → kind and number of its token.
_NUMBERS: dict[str, Callable[[re.Match[str]], tuple[str, int]]] = {
    "iso": lambda m: ("iso", int(m["y"]) * 10_000 + int(m["m"]) * 100 + int(m["d"])),
    "yearmonth": lambda m: ("year-month", int(m["y2"]) * 100 + int(m["m2"])),
    "slashes": lambda _: ("slashes", 0),
    "slash": lambda _: ("slash", 0),
    "dayth": lambda m: ("ordinal", _parse_time_digits(m)),
    "decade": lambda m: ("decade", _parse_decade_year(m)),
    "short": lambda m: ("year", 2000 + _parse_time_digits(m)),
    "number": lambda m: ("number", _parse_time_digits(m)),
    "dash": lambda _: ("link", 0),
    "article": lambda _: ("count", 1),
    "joined": lambda m: ("part", {"early": 1, "mid": 2, "late": 3}[m[0].lower()[:-1]]),
}


def _build_time_token(match: re.Match[str], text: str) -> Token | None:
    matched = match[0].lower()
    kind = next(name for name in _FORMS if match[name] is not None)
    start, end = match.span()
    if kind in _NUMBERS:
        name, value = _NUMBERS[kind](match)
        return Token(kind=name, value=value, start=start, end=end, text=matched)
    if kind == "capital":
        name, value = _CAPITAL[matched.rstrip(".")]
        return Token(kind=name, value=value, start=start, end=end, text=matched)
    words = " ".join(matched.split()).replace("’", "'")
    name, value = _NAMES_EN[words]
    if (
        name == "month"
        and match[0][0].islower()
        and not _is_month_word(words, text[:start], text[end:])
    ):
        return None
    return Token(kind=name, value=value, start=start, end=end, text=words)


def _is_month_word(word: str, before: str, after: str) -> bool:
    """Return whether a lower-case word is a month.

    It is in "in march" and "dec 5", but not in "it may" and "march on".
    """
    if word == "may" or (word == "march" and not re.match(r"\s+\d", after)):
        is_day = re.match(r"\s+\d{1,2}(?:st|nd|rd|th)?\s*(?:[.,;!?)]|$)", after)
        return bool(_PREPOSITION.search(before) or is_day)
    return word not in _WORD_MONTHS or bool(
        _PREPOSITION.search(before) or re.match(r"\.?\s+\d", after)
    )


#: Korean unit behind a number → kind of the token.
_NUMBERED = {
    "월": "month",
    "일": "date",
    "분기": "quarter",
    "년": "year",
    "년도": "year",
    "년대": "decade",
    "주차": "ordinal-week",
}


@cache
def _korean_words() -> Mapping[str, tuple[tuple[str, int], ...]]:
    words: dict[str, list[tuple[str, int]]] = {}
    for kind, names in _KOREAN.items():
        for name, value in names.items():
            words.setdefault(name, []).append((kind, value))
    for name in (*_PARTICLES, *_OF_NUMBERED):
        words.setdefault(name, []).append(("", 0))
    return {name: tuple(kinds) for name, kinds in words.items()}


#: Words that contain the syllables of a time and are none.
_NO_TIMES = defer_pattern(r"그제야|그제서야|이제|이주|전달|내주[었는고]|연초록")
_LONGEST = max(len(name) for names in _KOREAN.values() for name in names)


def _tokenize_korean_chunk(chunk: str, at: int) -> list[Token] | None:
    """Return the tokens of a group of syllables; None where a part of it is no time word."""
    return None if _NO_TIMES.match(chunk) else _segment_korean_chunk(chunk, 0, at, "start")


def _segment_korean_chunk(chunk: str, at: int, offset: int, before: str) -> list[Token] | None:
    if at == len(chunk):
        return []
    if number := _HANGUL_NUMBER.match(chunk, at):
        return _segment_numbered_chunk(chunk, number, offset)
    words = _korean_words()
    for length in range(min(_LONGEST, len(chunk) - at), 0, -1):
        name = chunk[at : at + length]
        for kind, value in words.get(name, ()):
            if not _may_follow(kind, name, before, chunk, at + length):
                continue
            rest = _segment_korean_chunk(chunk, at + length, offset, kind or "particle")
            if rest is None:
                continue
            return (
                rest
                if not kind
                else [
                    Token(
                        kind=kind,
                        value=value,
                        start=offset + at,
                        end=offset + at + length,
                        text=name,
                    ),
                    *rest,
                ]
            )
    return None


_AFTER_PARTICLES = frozenset(("until", "since", "every", "ago", "before", "while", "link"))
_UNITS_FOLLOW = frozenset(
    ("start", "qualifier", "count", "number", "ordinal", "nth", "halfyear", "date")
)
_COUNTED_SYLLABLES = "주달월년해개분일번"


def _may_follow(kind: str, name: str, before: str, chunk: str, end: int) -> bool:
    """Return whether a word may stand at this place of a group of syllables.

    Particles must follow another word, and short words must stand beside certain words.
    """
    if not kind and name in _OF_NUMBERED:
        return before == _OF_NUMBERED[name]
    if not kind:
        return before not in ("start", "count", "qualifier", "every") or (
            before == "qualifier" and name == "의"
        )
    if before == "particle":
        return kind in _AFTER_PARTICLES
    if kind == "count":
        is_counting = end == len(chunk) or len(name) > 1 or chunk[end] in _COUNTED_SYLLABLES
        return before in ("start", "qualifier") and is_counting
    if kind == "unit":
        return before in (("count", "number") if name == "일" else _UNITS_FOLLOW)
    return True


def _segment_numbered_chunk(chunk: str, number: re.Match[str], offset: int) -> list[Token] | None:
    value, start = int(number[0]), number.end()
    for name in sorted(_NUMBERED, key=len, reverse=True):
        if not chunk.startswith(name, start):
            continue
        end = start + len(name)
        kind = _NUMBERED[name]
        rest = _segment_korean_chunk(chunk, end, offset, kind)
        if rest is not None:
            return [
                Token(
                    kind=kind,
                    value=value,
                    start=offset + number.start(),
                    end=offset + end,
                    text=chunk[number.start() : end],
                ),
                *rest,
            ]
    rest = _segment_korean_chunk(chunk, start, offset, "number")
    if rest is None:
        return None
    return [
        Token(
            kind="number",
            value=value,
            start=offset + number.start(),
            end=offset + start,
            text=number[0],
        ),
        *rest,
    ]
