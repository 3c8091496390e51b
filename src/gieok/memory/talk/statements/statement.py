"""Parsed form of one sentence for comparison: words, values by unit, names, cues, moods.

Cues are words of change.
"""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from gieok.memory.talk.statements.words import Word, read_words
from gieok.ranking.learned.features import NAMES as _ALL_MOODS
from gieok.ranking.learned.features import features_of
from gieok.text.keywords import normalise
from gieok.text.late_pattern import defer_pattern
from gieok.text.months import MONTH, month_number

_MOST_CHARS = 800
_MOST_SENTENCES = 6
_FEWEST_CHARS = 4
#: A full stop behind a title ends no sentence.
_SENTENCE_END = (
    r"(?<=[.!?。;])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\bProf\.)\s+|\n"
)
#: Cues to look for in the later statement, in Korean and in English.
CUES = {
    "change": (
        (
            r"바꿨|바꾸기로|바꾸자|바꿔서|바뀌|바뀜|변경|옮겼|옮기|옮겨|이사|이전|갈아탔|갈아타|갈아엎|교체|전환|넘어왔|넘어갔|걷어내"
            r"|버리고|그만 |빼기로|올렸|올랐|내렸|늘렸|늘었|줄였|줄었|당겼|미뤘|밀렸|연기|통일|개편|끊고|말고|대신"
        ),
        (
            r"\b(?:switch\w*|mov(?:ed|ing|es?)|migrat\w+|replac\w+|swap\w*|chang\w+|no "
            r"longer|any ?more|any longer"
            r"|instead|rather than"
            r"|ditch\w*|drop\w*|ripped|retired"
            r"|bump\w*|rais\w+|lower\w+|renam\w+|turned (?:down|up)|went (?:up|down)|going "
            r"(?:up|down)"
            r"|pushed|slip\w*|stop\w*|ported|over to|gone|left|cut|quit|cancel\w*|sold|fired"
            r"|traded)\b"
        ),
    ),
    "now": (
        r"이제|앞으로|지금은|요즘|(?:달|주|년|월|일|오늘)부터|확정|결정|기로 ?(?:했|함|하)",
        r"\b(?:now|from now on|these days|as of|from here on|going forward|nowadays|currently)\b",
    ),
    "correction": (
        r"정정|아니라|아니고|잘못 ?(?:말|알|적)|착각",
        r"\b(?:correction|actually|(?:had|got) (?:it|that) wrong|misspoke|mixed|sorry)\b",
    ),
    "cancel": (
        r"취소|원래대로|그대로|없던 ?(?:일|걸|것)|되돌|도로|다시|철회|무산|유지|접었|접자|돌아왔|돌아갔|예정대로",
        (
            r"\b(?:scrap|never ?mind|forget|undo|undid|revert\w*|cancel\w*|back|again|after "
            r"all|stays?|keep|fell through"
            r"|gave up|as planned|is off|didn't work out)\b"
        ),
    ),
    "also": (
        r"[가-힣]도(?![가-힣])|추가|또(?![가-힣])|외에|하나 더",
        (
            r"\b(?:also|too|as well|in addition|another|(?<!every )second|joins?|plus|besides|both"
            r"|add)\b"
        ),
    ),
    "theirs": (
        (
            r"친구|동생|형은|형이|누나|언니|오빠|옆집|옆 |경쟁사|협력사|외주|다른 팀|[가-힣]팀은|동료|걔네|남들|사장님"
        ),
        (
            r"\b(?:friends?|brother|sister|colleague\w*|parents|mother|father|intern|their"
            r"|they|upstream|competitors?|someone"
            r"|everyone|the [a-z]+ (?:team|office))\b"
        ),
    ),
    "past": (
        r"예전|옛날|작년|전에는|까진|원래는|왕년|때는",
        (
            r"\b(?:used to|back then|back when|years ago|originally|formerly|in the past|as a "
            r"(?:student|kid|child))\b"
        ),
    ),
    "joke": (
        r"ㅋㅋ|아주$|그러지 그래|하지 그래|차라리",
        r"\b(?:yeah sure|oh yeah|sure,|great,|great idea|while we're at it)",
    ),
    "unsure": (
        (
            r"(?<![기다])(?:대|래|더라|다더라|대요|래요)\s*[.!~ㅋㅎ]*$|고민|수도 있|할까|을까|를까|생각 ?중|검토"
            r"|어때|어떨|만약|만일|가정|치면|치고|라면|다면|할 ?걸|걸 그랬|싶네|싶다|싶은데|일단"
        ),
        (
            r"\b(?:might|maybe|perhaps|thinking|considering|not sure|some ?day|idea "
            r"of|intrigued|curious"
            r"|wonder\w*|interested|want(?:ed)? to|hop(?:e|ing) to|plann?(?:ing)? (?:to|on)"
            r"|(?:trying|need|looking|meant|about) to|should|what if|suppose|imagine|would|could)\b"
        ),
    ),
    "once": (
        r"이번만|이번 ?(?:주|커밋|건|에만)[은만]|오늘만|하루만|예외|잠깐",
        r"\b(?:just (?:this|for)|today only|tomorrow's|only today|this once|for this)\b",
    ),
}
_NUMBERS = {
    word: str(value)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열",
    )
    for value, word in enumerate(words.split(), start=1)
} | {
    "a": "1",
    "an": "1",
    "하루": "1",
    "하나": "1",
    "둘": "2",
    "셋": "3",
    "넷": "4",
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
}
_ENGLISH_NUMBERS = "|".join(word for word in _NUMBERS if word.isascii() and len(word) > 2)
_NUMBER = defer_pattern(
    rf"(\d[\d,.:]*\d|\d)\s*(?:-| )?\s*([A-Za-z%]+|[가-힣]{{1,2}})?|\b({_ENGLISH_NUMBERS})[ -]([a-z]+)"
    r"|(?<![가-힣])(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?([가-힣]{1,2})",
    re.IGNORECASE,
)
_UNITS = {
    "percent": "%", "퍼센트": "%", "퍼": "%", "프로": "%", "분": "minute", "시간": "hour", "시": "oclock",
    "초": "second", "am": "oclock", "pm": "oclock", "일": "day", "주": "week", "달": "month",
    "개월": "month", "월": "date", "명": "person", "people": "person", "usd": "dollar", "원": "won",
    "만": "won", "천": "won", "번": "number", "포트": "port", "달러": "dollar",
}  # fmt: skip
_DAYS = {
    "monday": "1", "tuesday": "2", "wednesday": "3", "thursday": "4", "friday": "5",
    "saturday": "6", "sunday": "7", "월요일": "1", "화요일": "2", "수요일": "3", "목요일": "4", "금요일": "5",
    "토요일": "6", "일요일": "7",
}  # fmt: skip
#: A day of a month: "May 8", "8th of May".
_MONTH_DAY = defer_pattern(
    rf"\b(?P<month>{MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])"
    rf"|\b(?P<first>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<named>{MONTH})\b",
    re.IGNORECASE,
)
#: Moods of `ranking.learned.features`; the length of a text says nothing of what it changes.
MOODS = (
    "i", "we", "question", "request", "always", "liking", "supposed", "quoted", "decided", "rule",
    "code", "digit", "once", "korean",
)  # fmt: skip
#: Requests for one piece of work, which state nothing that could hold: what is to be made or sent
#: stands before the verb, or behind it with an indefinite article. A topic, a condition or a manner
#: makes a request a standing one: "답은 짧게 써 줘", "존댓말로 써 줘", "make a backup before each deploy".
#: A reason states something: "월세 330인데 문자 좀 써 줘".
_ASKS_KO = defer_pattern(
    r"(?P<object>[가-힣A-Za-z0-9]+) (?:좀 |하나 |한번 )?[가-힣]+ ?"
    r"(?:줘|줘요|주세요|주십시오|주라|줄래|줄래요|주실래요|주시겠어요)[.!~^ㅋㅎㅠㅜ ]*$"
)
_MANNER = defer_pattern(r"(?:로|게|에|도|다고|라고|히|지)$")
_ASKS = defer_pattern(
    r"^(?:(?:please|pls|now|then|also|and|so|can you|could you|would you|next|first|just),? )*"
    r"(?:book|build|create|draft|find|generate|make|order|post|prepare|print|send|sketch|write)"
    r"(?: [\w-]+)? (?:a|an|one|another|some) ",
    re.IGNORECASE,
)
_STANDING = defer_pattern(
    r"[가-힣](?:은|는|땐|엔|면|마다)(?![가-힣])|(?<![가-힣])때|말고|니까|[는은인]데|라서|이고|[가-힣]임(?= )"
    r"|\b(?:because|since|when|whenever|each|if|all|any)\b",
    re.IGNORECASE,
)
_PLACES = [_ALL_MOODS.index(name) for name in MOODS]


class Sentence(NamedTuple):
    """Parsed sentence, as it is compared."""

    text: str
    words: tuple[Word, ...]
    stems: tuple[str, ...]
    #: What is counted → the numbers.
    values: dict[str, frozenset[str]]
    is_korean: bool

    def has_mood(self, name: str) -> bool:
        """Say whether the sentence has one of `MOODS`, such as `question`, `decided` or `rule`."""
        return read_moods(self.text)[MOODS.index(name)] > 0

    @property
    def asks_once(self) -> bool:
        """Say whether the sentence only asks for one piece of work, and states nothing."""
        if self.has_mood("always") or self.has_mood("rule") or _STANDING.search(self.text):
            return False
        if not self.is_korean:
            return _ASKS.search(self.text) is not None
        asked = _ASKS_KO.search(self.text)
        return asked is not None and _MANNER.search(asked["object"]) is None

    def find_cue(self, name: str) -> frozenset[str]:
        """Return the words of a row of `CUES` in the sentence, in lower case."""
        return find_cue(self.text, name)

    def place_of(self, stem: str) -> int:
        """Return the position of a word in the sentence; the sentence's length if it lacks the
        word.
        """
        return next((n for n, word in enumerate(self.words) if word.stem == stem), len(self.words))


def read_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text, at most six; text beyond the length of a turn's line is
    cut.
    """
    text = normalise(text)[:_MOST_CHARS].strip()
    parts = [part.strip() for part in re.split(_SENTENCE_END, text)]
    sentences = [part for part in parts if len(part) >= _FEWEST_CHARS][:_MOST_SENTENCES] or [text]
    return tuple(map(read_sentence, sentences))


@lru_cache(50_000)
def read_sentence(text: str) -> Sentence:
    """Read one sentence."""
    words = read_words(text)
    return Sentence(
        text=text,
        words=words,
        stems=tuple(dict.fromkeys(word.stem for word in words)),
        values=_read_values(text),
        is_korean=re.search("[가-힣]", text) is not None,
    )


@lru_cache(50_000)
def read_moods(text: str) -> tuple[float, ...]:
    """Return the moods of a sentence, in the order of `MOODS`."""
    features = features_of(text)
    return tuple(features[place] for place in _PLACES)


@lru_cache(100_000)
def find_cue(text: str, name: str) -> frozenset[str]:
    """Return the words of a row of `CUES` in a text, in lower case."""
    return frozenset(match[0].lower() for match in _compiled_cues()[name].finditer(text))


@cache
def _compiled_cues() -> dict[str, re.Pattern[str]]:
    return {
        name: re.compile("|".join(both), re.IGNORECASE | re.MULTILINE)
        for name, both in CUES.items()
    }


def _read_values(text: str) -> dict[str, frozenset[str]]:
    """Return unit → numbers; a unit is in English if both languages have it."""
    numbers: dict[str, set[str]] = {}
    for number, unit, word, after, korean, counter in _NUMBER.findall(text):
        value = number.replace(",", "").rstrip(".:") or _NUMBERS.get((word or korean).lower(), "")
        counted = (unit or after or counter).lower()
        shortened = counted[:1] if counted[:1] >= "가" else counted
        name = _UNITS.get(counted) or _UNITS.get(shortened) or counted.rstrip("s")
        numbers.setdefault("oclock" if ":" in value else name, set()).add(value)
    for word in re.findall(r"[A-Za-z]+day|[월화수목금토일]요일", text):
        if day := _DAYS.get(word.lower().removesuffix("s")):
            numbers.setdefault("weekday", set()).add(day)
    for found in _MONTH_DAY.finditer(text):
        month = month_number(found["month"] or found["named"])
        numbers.setdefault("date", set()).add(str(month))
        numbers.setdefault("day", set()).add(found["day"] or found["first"])
    return {unit: frozenset(values) for unit, values in numbers.items()}
