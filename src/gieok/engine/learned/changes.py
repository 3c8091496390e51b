"""Judges two statements: does the later one replace the earlier, as a new value on the same subject does.

A linear model on how alike their vectors are, the words and values that they share and do not, and words of change in the later
one. `scripts/fit_changes.py` fits it on pairs written and labelled for this (`scripts/learned/changes.tsv`). Precision counts
most: who is unsure lets both stand.
"""

import re
from array import array
from functools import cache, lru_cache
from math import exp, sqrt
from operator import mul
from typing import NamedTuple

from gieok.engine.learned.features import NAMES as _ALL_MOODS
from gieok.engine.learned.features import features_of
from gieok.engine.learned.weights import Weights, learned
from gieok.text.keywords import keyword_text, normalise

#: From here the later statement replaces the earlier one; from `NEWER` on both stand, the newer one first.
REPLACES, NEWER = 0.8, 0.25
#: From here the later one is shown before the earlier one also where it was not found itself; nothing is marked for it.
SUCCEEDS = 0.5
#: Statements whose vectors are less alike, once what all have in common is taken off, are not looked at.
_LEAST_ALIKE = 0.12
_MOST_SENTENCES = 6
#: What is looked for in the later statement, in Korean and in English.
_CUES = {
    "change": (
        (
            r"바꿨|바꾸기로|바꾸자|바꿔서|바뀌|바뀜|변경|옮겼|옮기|옮겨|이사|이전|갈아탔|갈아타|갈아엎|교체|전환|넘어왔|넘어갔|걷어내"
            r"|버리고|그만 |빼기로|올렸|올랐|내렸|늘렸|늘었|줄였|줄었|당겼|미뤘|밀렸|연기|통일|개편|끊고|말고|대신"
        ),
        (
            r"\b(?:switch\w*|mov(?:ed|ing|es?)|migrat\w+|replac\w+|swap\w*|chang\w+|no longer|any ?more|instead|rather than"
            r"|ditch\w*|drop\w*|ripped|retired"
            r"|bump\w*|rais\w+|lower\w+|renam\w+|turned (?:down|up)|went (?:up|down)|going (?:up|down)"
            r"|pushed|slip\w*|stop\w*|ported|over to|gone|left|cut)\b"
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
            r"\b(?:scrap|never ?mind|forget|undo|undid|revert\w*|cancel\w*|back|again|after all|stays?|keep|fell through"
            r"|gave up|as planned|is off|didn't work out)\b"
        ),
    ),
    "also": (
        r"[가-힣]도(?![가-힣])|추가|또(?![가-힣])|외에|하나 더",
        r"\b(?:also|too|as well|in addition|another|second|joins?|plus|besides|both|add)\b",
    ),
    "theirs": (
        (
            r"친구|동생|형은|형이|누나|언니|오빠|옆집|옆 |경쟁사|협력사|외주|다른 팀|[가-힣]팀은|동료|걔네|남들|사장님"
            r"|(?<![기다])(?:대|래|더라|다더라|대요|래요)\s*[.!~ㅋㅎ]*$"
        ),
        (
            r"\b(?:friends?|brother|sister|colleague\w*|parents|mother|father|intern|their|they|upstream|competitors?|someone"
            r"|everyone|the [a-z]+ (?:team|office))\b|[A-Z][a-z]+'s\b"
        ),
    ),
    "past": (
        r"예전|옛날|작년|전에는|까진|원래는|왕년|때는",
        r"\b(?:used to|back then|back when|years ago|originally|formerly|in the past|as a (?:student|kid|child))\b",
    ),
    "joke": (
        r"ㅋㅋ|아주$|그러지 그래|하지 그래|차라리",
        r"\b(?:yeah sure|oh yeah|sure,|great,|great idea|while we're at it)",
    ),
    "unsure": (
        r"고민|수도 있|할까|을까|를까|생각 ?중|검토|어때|어떨|만약|만일|가정|치면|치고|라면|다면",
        r"\b(?:might|maybe|perhaps|thinking|considering|not sure|some day|what if|suppose|imagine|should we|would|could)\b",
    ),
    "once": (
        r"이번만|이번 ?(?:주|커밋|건|에만)[은만]|오늘만|하루만|예외|잠깐",
        r"\b(?:just (?:this|for)|today only|tomorrow's|only today|this once|for this)\b",
    ),
}
#: What stands before or after a word that is given up.
_GIVEN_UP_AFTER = re.compile(
    r"[은는이가을를]? ?(?:에서|말고|대신|버리|그만|걷어|빼|아니|계약 끝|쪽|취소|접|없던|너무|안 |자꾸|별로|때문)|에서"
)
_GIVEN_UP_BEFORE = re.compile(
    r"(?:from|instead of|rather than|no longer|not|n't|dropped|drop|replaced?|never ?mind|forget|scrap|ditched|swapped"
    r"|stop using|undo|no more|gave up on|more than|less than)(?: the| a| our)? (?:\w+ )?$"
)
_TAKES_BACK = re.compile(
    r"\b(?:scrap|never ?mind|forget|und(?:o|id)|revert\w*|cancel\w*|fell through|gave up|is off)\b"
    r"|취소|없던|철회|무산|접었|접자|되돌",
    re.IGNORECASE,
)
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
_NUMBER = re.compile(
    rf"(\d[\d,.:]*\d|\d)\s*(?:-| )?\s*([A-Za-z%]+|[가-힣]{{1,2}})?|\b({_ENGLISH_NUMBERS})[ -]([a-z]+)"
    r"|(?<![가-힣])(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?([가-힣]{1,2})",
    re.IGNORECASE,
)
_UNITS = {
    "percent": "%", "퍼센트": "%", "퍼": "%", "프로": "%", "분": "minute", "시간": "hour", "시": "oclock", "초": "second",
    "am": "oclock", "pm": "oclock", "일": "day", "주": "week", "달": "month", "개월": "month", "월": "date", "명": "person",
    "people": "person", "usd": "dollar", "원": "won", "만": "won", "천": "won", "번": "number", "포트": "port",
    "달러": "dollar",
}  # fmt: skip
_DAYS = {
    "monday": "1", "tuesday": "2", "wednesday": "3", "thursday": "4", "friday": "5", "saturday": "6", "sunday": "7",
    "월요일": "1", "화요일": "2", "수요일": "3", "목요일": "4", "금요일": "5", "토요일": "6", "일요일": "7",
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_+#-]*(?:\.[A-Za-z0-9]+)*|[가-힣]+|\d[\d.,:]*")
_PARTICLE = re.compile(
    r"(?:으로는|에서는|한테|에게|에서|으로|까지|부터|이랑|처럼|이라|이야|이고|이에요|입니다|예요|이다|야|은|는|이|가|을|를|에|의|와|과|로|도|만|서|랑)$"
)
_STOP = frozenset(
    """the a an of in on at to for and or is are was were be been it its it's this that with as by from we we're we've our us
    i i'm i've my me you your he she they his her their so not no do don't does did have has had will would can could just
    now then than out up over down off into about there here use uses using used run runs running keep please make get got
    go goes going one 우리 나 난 내 나는 저 그 이 거 걸 것 게 좀 다 더 안 해 써 쓰고 쓰기로 있어 했어 하고 하는 해줘 돼
    돼서 그거 이거 지금 이제 앞으로 그냥 그럼 근데 아 어 응 음 다시 로 줘 가자 하자 이번 오늘 바꿨어 옮겼어 됐어 중 된 할
    함""".split()
)


class Statement(NamedTuple):
    """What is read of a text: words of its subject, values by what they count, names, cues, moods, the language."""

    text: str
    words: tuple[str, ...]
    values: dict[str, frozenset[str]]
    names: frozenset[str]
    cues: dict[str, bool]
    moods: tuple[float, ...]
    is_korean: bool


#: Of `engine.learned.features`: how long a text is says nothing of what it changes.
_MOODS = (
    *("i", "we", "question", "request", "always", "liking", "supposed", "quoted", "decided", "rule", "code", "digit"),
    *("once", "korean"),
)
_PLACES = [_ALL_MOODS.index(name) for name in _MOODS]
#: In the order of the fitted weights.
NAMES = (
    "cosine", "cosine squared", "shared words", "share of the shorter", "share of the longer",
    "same first word", "same last word", "unit conflicts", "unit repeats", "other unit", "names differ",
    "name repeats", "values only earlier", "is given up",
    "cross", "cross cosine", "words beside earlier", "words beside later", "all words repeated",
    *(f"later {name}" for name in _CUES), *(f"earlier {name}" for name in ("unsure", "theirs", "once", "also")),
    "cued", "cued cosine", "cued shared", "cancel cosine", "also cosine", "now cosine", "uncued conflict",
    *(f"later mood {name}" for name in _MOODS), *(f"earlier mood {name}" for name in _MOODS),
)  # fmt: skip


class Judged(NamedTuple):
    """A statement, and its vector without what all vectors have in common, of unit length."""

    said: Statement
    vector: "array[float]"


def judged(text: str, vector: bytes, model: str) -> Judged | None:
    """Prepare a statement: its words without a label, and the vector of the passage that holds it.

    None for vectors of a model that nothing was fitted on.
    """
    weights = _weights()
    if model != weights.model:
        return None
    moved = [value - mean for value, mean in zip(array("f", vector), weights.matrices["mean"][0], strict=True)]
    norm = sqrt(sum(map(mul, moved, moved))) or 1.0
    return Judged(read(text), array("f", [value / norm for value in moved]))


def replaces(earlier: Judged, later: Judged) -> float:
    """Return the probability that the later statement replaces the earlier one."""
    alike = sum(map(mul, earlier.vector, later.vector))
    if alike < _LEAST_ALIKE:
        return 0.0
    weights = _weights()
    if is_repeated(earlier.said, later.said):
        return 0.0
    log_odds = weights.numbers["bias"] + sum(
        map(mul, weights.matrices["features"][0], features(earlier.said, later.said, alike))
    )
    return 1 / (1 + exp(-max(-30.0, min(30.0, log_odds))))


def fitted_on() -> str:
    """Return the model whose vectors are judged."""
    return _weights().model


def is_cancelling(text: str) -> bool:
    """Say whether a statement takes an earlier one back."""
    return read(text).cues["cancel"]


def is_changing(text: str) -> bool:
    """Say whether a statement has words of change."""
    cues = read(text).cues
    return cues["change"] or cues["correction"] or cues["cancel"]


@lru_cache(1)
def _weights() -> Weights:
    return learned("changes")


@lru_cache(50_000)
def read(text: str) -> Statement:
    """Read a statement; what is longer than a turn's line is cut."""
    text = normalise(text)[:800]
    found = _WORD.findall(text)
    words = tuple(dict.fromkeys(stem for word in found if (stem := _stem(word)) and stem not in _STOP))
    cues = {name: pattern.search(text) is not None for name, pattern in _cues().items()}
    is_korean = re.search("[가-힣]", text) is not None
    return Statement(text, words, _values(text), _names(text, is_korean), cues, _moods(text), is_korean)


def _moods(text: str) -> tuple[float, ...]:
    found = features_of(text)
    return tuple(found[place] for place in _PLACES)


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join(both), re.IGNORECASE | re.MULTILINE) for name, both in _CUES.items()}


def _stem(word: str) -> str:
    if word[0].isascii():
        lowered = word.lower().removesuffix("'s")
        return "" if lowered in _STOP else keyword_text(lowered).split(" ")[0]
    base = _PARTICLE.sub("", word) if len(word) > 1 else word
    return "" if word in _STOP else base or word


def _values(text: str) -> dict[str, frozenset[str]]:
    """Return what is counted → the numbers; a unit is a word without its plural, in English where both languages have it."""
    found: dict[str, set[str]] = {}
    for number, unit, word, after, korean, counter in _NUMBER.findall(text):
        value = number.replace(",", "").rstrip(".:") or _NUMBERS.get((word or korean).lower(), "")
        counted = (unit or after or counter).lower()
        counted = (
            _UNITS.get(counted) or _UNITS.get(counted[:1] if counted[:1] >= "가" else counted) or counted.rstrip("s")
        )
        found.setdefault("oclock" if ":" in value else counted, set()).add(value)
    for word in re.findall(r"[A-Za-z]+day|[월화수목금토일]요일", text):
        if day := _DAYS.get(word.lower().removesuffix("s")):
            found.setdefault("weekday", set()).add(day)
    return {unit: frozenset(values) for unit, values in found.items()}


def _names(text: str, is_korean: bool) -> frozenset[str]:
    """Return Latin words in Korean; in English those with a capital that begins no sentence, or with a digit or dot inside."""
    if is_korean:
        return frozenset(word.lower() for word in re.findall(r"[A-Za-z][\w.+-]*[\w+]", text))
    inside = re.findall(r"(?<![.!?] )(?<!^)\b[A-Z][\w.+-]*\w", text)
    return frozenset(
        word.lower()
        for word in [*inside, *re.findall(r"\b[a-z]+(?:[.-]?\d|\.\w)[\w.]*", text)]
        if word not in ("I'm", "I've")
    )


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    if one[0] < "가" or other[0] < "가":
        return False
    return len(one) > 1 and len(other) > 1 and (one.startswith(other) or other.startswith(one))


@lru_cache(20_000)
def _parts(text: str) -> tuple[Statement, ...]:
    parts = [part.strip() for part in re.split(r"(?<=[.!?。;])\s+|\n", text)]
    return tuple(read(part) for part in parts[:_MOST_SENTENCES] if len(part) > 3)


def _sentences(said: Statement) -> tuple[Statement, ...]:
    """Return the sentences of a statement; the whole where it is one."""
    return _parts(said.text) or (said,)


def _shared(earlier: Statement, later: Statement) -> list[str]:
    """Return the words of the later statement that the earlier one has."""
    return [word for word in later.words if any(_is_same(word, one) for one in earlier.words)]


def _is_given_up(words: list[str], later: str) -> bool:
    """Say whether the later statement gives up a word that both have: `X 말고`, `instead of X`."""
    lowered = later.lower()
    for word in words:
        for found in re.finditer(re.escape(word), lowered):
            if _GIVEN_UP_AFTER.match(lowered, found.end()) or _GIVEN_UP_BEFORE.search(lowered[: found.start()]):
                return True
    return False


def is_repeated(earlier: Statement, later: Statement) -> bool:
    """Say whether the later of two statements says what the earlier says: an observation of a turn, the same told again."""
    if earlier.text in later.text or later.text in earlier.text:
        return True
    more = [word for word in later.words if word not in earlier.words and not word[0].isdigit()]
    if more and any(later.cues[name] for name in ("change", "now", "correction")):
        return False  # `X 말고 Y` has all the words of X
    if more and _TAKES_BACK.search(later.text):
        return False
    kept = all(word in later.words for word in earlier.words) or not more
    fewer, others = (earlier.values, later.values) if more else (later.values, earlier.values)
    return kept and all(values <= others.get(unit, frozenset()) for unit, values in fewer.items())


def features(whole_earlier: Statement, whole_later: Statement, alike: float) -> list[float]:
    """Return a number for each of `NAMES`; `alike` is the cosine of the vectors.

    People say a fact in passing: words and values are those of the two sentences that have most in common.
    """
    earlier, later = max(
        ((one, other) for one in _sentences(whole_earlier) for other in _sentences(whole_later)),
        key=lambda pair: len(_shared(*pair)) / max(3, min(len(pair[0].words), len(pair[1].words))),
    )
    shared = _shared(earlier, later)
    least, most = sorted((max(1, len(earlier.words)), max(1, len(later.words))))
    units = earlier.values.keys() & later.values.keys()
    conflicts = any(not earlier.values[unit] & later.values[unit] for unit in units)
    only_earlier, only_later = earlier.names - later.names, later.names - earlier.names
    nearness = (alike - 0.4) * 4
    cross = float(earlier.is_korean != later.is_korean)
    cues = {name: float(found) for name, found in later.cues.items()}
    cued = max(cues["change"], cues["now"], cues["correction"], cues["cancel"])
    return [
        nearness, nearness * nearness * (1 if nearness > 0 else -1), min(4.0, len(shared)), len(shared) / least,
        len(shared) / most,
        float(bool(earlier.words and later.words) and _is_same(earlier.words[0], later.words[0])),
        float(bool(earlier.words and later.words) and _is_same(earlier.words[-1], later.words[-1])),
        float(conflicts), float(any(earlier.values[unit] & later.values[unit] for unit in units)),
        float(bool(earlier.values and later.values) and not units),
        float(bool(only_earlier and only_later)), float(bool(earlier.names & later.names)),
        float(bool(earlier.values) and not later.values), float(_is_given_up(shared, later.text)), cross, cross * nearness,
        min(6.0, len(earlier.words) - len(shared)) / 3,
        min(6.0, len(later.words) - len(shared)) / 3, float(len(shared) >= len(earlier.words)),
        *cues.values(), *(float(earlier.cues[name]) for name in ("unsure", "theirs", "once", "also")),
        cued, cued * nearness, cued * min(3.0, len(shared)), cues["cancel"] * nearness, cues["also"] * nearness,
        cues["now"] * nearness, (1 - cued) * float(conflicts),
        *later.moods, *earlier.moods,
    ]  # fmt: skip
