"""Slips that a message corrects itself: "885.. no, 895"; the wrong part is cut.

The rows are patterns; `wrong` is cut, together with the words that take it back.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from gieok.character.detect.words import NOT_BUT, ONES_END


class Settled(NamedTuple):
    """Text without its slips, and the slips: pairs of the wrong value and the right value."""

    text: str
    wrong: tuple[tuple[str, str], ...] = ()


_DOTS = r"[\s.…,!?~ㅋㅎ]*"
#: Words that take back the words before them.
_BACK_KO = (
    r"(?:(?:아|어|앗|헉|엥)[,.\s]*)?(?:아니(?:다|야|네|지|구나|요|에요|라)?"
    r"|아 ?뭐래|잠[깐만]+|참|정정|취소)(?:[\s.,!~]+|$)"
)
_BACK_EN = (
    r"(?:wait,?(?: no,?)?|no,? wait,?|no,?(?: sorry,?)?|sorry,?(?: no,?)?|i mean,?|actually,?"
    r"|scratch that,?|oops,?|make that|er,?|uh,?)\s+"
)
_DATE_KO = r"(?:\d{1,2}월 ?)?\d{1,2}일"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_NUMBER_KO = r"(?:\d+|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|고|중)"
_UNIT_KO = r"(?:살|년째|년|점|학년|개|명|번|시|층|호|kg|cm|[1-3])?"
_WORD_END_KO = r"(?:이에요|예요|이요|요|이야|야|인가|인데|이구|구|이고|쌤|씨)?"

_ROWS = (
    # 15일 말고 16일; 21일 아니고 22일: both values are named, the first is wrong.
    (
        rf"(?P<wrong>(?<![\d월]){_DATE_KO} ?(?:이 ?)?(?:{NOT_BUT}) "
        r")(?P<right>(?:\d{1,2}월 ?)?\d{1,2}일)"
    ),
    # 20일 수술 아니고 21일이야
    (
        rf"(?P<wrong>(?:\d{{1,2}}월 ?)?\d{{1,2}}일(?P<kept_but> [가-힣]{{2,8}}?)(?:이"
        rf"|가)? (?:{NOT_BUT}) )"
        r"(?P<right>(?:\d{1,2}월 ?)?\d{1,2}일)"
    ),
    rf"(?P<wrong>(?<![가-힣])[가-힣]{{2,8}}(?:이|가)? (?:{NOT_BUT}) )(?P<right>[가-힣\d])",
    rf"(?P<wrong>\bnot (?:the )?{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? but )(?P<right>(?:the )?\w)",
    # 5월 8일.. 아 뭐래 5월 9일요; 11월 13일생이거든요. 아 12일이구나
    (
        rf"(?P<wrong>{_DATE_KO}(?P<kept_ko>[^…!?\d]{{0,34}}?){_DOTS}(?:{_BACK_KO}|(?:아|앗|어"
        rf"|헉)[,.\s]+|그럼 )(?:내 |제 )?(?P<skip>생일은 )?)(?P<right>{_DATE_KO}|\d{{1,2}}일)"
    ),
    (
        rf"(?P<wrong>{_DATE_KO}(?P<kept_far>[^\d]{{0,30}}?)\. ?아 [^\d]{{0,16}}?그럼 "
        rf")(?P<right>{_DATE_KO})"
    ),
    # april 18. wait 19; june 12. june 13, the 12th is …
    (
        rf"(?P<wrong>{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?{_DOTS}(?:{_BACK_EN})(?:it'?s )?(?:the "
        rf")?)(?P<right>(?:{_MONTH} )?\d{{1,2}})"
    ),
    rf"(?P<wrong>{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?[.!]+ ?)(?P<right>{_MONTH} \d{{1,2}})",
    # 885.. 아니 895점; 세살.. 아니다 네살; 고2.. 아니 올해 고3; 다섯살, 아 생일지나서 여섯살
    (
        rf"(?P<wrong>(?<![가-힣\d]){_NUMBER_KO} ?{_UNIT_KO}{_WORD_END_KO}{_DOTS}(?:{_BACK_KO}"
        rf"|(?<=[.,…] )아 )(?P<why_ko>(?:올해|이제|지금|생일 ?지나서|이번에) ?)?)(?P<right>{_NUMBER_KO} "
        rf"?{_UNIT_KO})"
    ),
    (
        r"(?P<wrong>(?:'?s|is|'?m|am|are|turned|was) \d+{dots}(?:{back})(?P<he>(?:s?he|it|i"
        r"|they)?'?s? )?)(?P<right>\d+)"
    )
    .replace("{dots}", _DOTS)
    .replace("{back}", _BACK_EN),
    # Lorraine. Lorene? no Lorraine
    rf"(?P<wrong>(?<=[.,] )[A-Z][a-z]+\? *(?:{_BACK_EN}))(?P<right>[A-Z])",
    r"(?P<wrong>(?<=[.,…!?] )[가-힣]{2,5}\? *아니[,. ]+)(?P<right>[가-힣])",
    # 라떼요 아니다 아아요; 순한맛.. 아니 저 매운맛만; '소방서'예요.. 아 아니다 바꿨지 '우체국'
    (
        rf"(?P<wrong>(?:'[^']{{2,20}}'|(?<![가-힣])[가-힣]{{2,8}}?){_WORD_END_KO}(?:[.…,]+\s*|\s)(?:아 "
        r")?아니(?:다|야)?[,.\s]+(?:바꿨지 )?)(?P<right>'|[가-힣])"
    ),
    r"(?P<wrong>(?<![가-힣])[가-힣]{2,6}\.\. 아 )(?P<right>[가-힣])",
    rf"(?P<wrong>\bits? [a-z]+\.\.+ ?(?:{_BACK_EN})(?=i (?:hate|don'?t))[^.]*\. ?)(?P<right>\w)",
    # a mean mushroom.. no sorry lentil thing
    rf"(?P<wrong>\b[A-Za-z]+(?:\.\.+|…|\?| -)+ ?(?:{_BACK_EN})(?!i\b|that\b|it\b))(?P<right>\w)",
    (
        r"(?P<wrong>\b[A-Za-z]+, ?(?:(?:no,? )?sorry,? |wait,? (?:no,? )?|no wait,? |i mean,? "
        r"|scratch that,? )(?!i\b|that\b|it\b))(?P<right>\w)"
    ),
)
#: Kinds of values: of two values of one kind with words between them that take back, the later is
#: right.
_ONES = "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열"
_KINDS = tuple(
    re.compile(kind, re.IGNORECASE)
    for kind in (
        rf"(?<![\d가-힣])(?:\d{{1,2}}|{_ONES}|스무|(?:스물|서른|마흔)(?:{_ONES})?) ?살",
        rf"(?<![\d가-힣])(?:\d{{1,2}}|{_ONES}) ?(?:개월|년째|년 ?차)",
        r"(?<!\d)(?:\d{1,2}월 ?)?\d{1,2}일(?! ?(?:동안|간|차|째))",
        r"(?<!\d)\d{1,3}(?:\.\d)?점|(?<!\d)\d\.\d",
        r"(?<![가-힣])(?:고|중)[1-3](?!\d)|\d학년",
        (
            rf"(?<![가-힣])(?:스물|서른|마흔|쉰|예순|일흔|여든|아흔)(?:{ONES_END})?"
            r"(?=[이,.\s인임]|입|지|예|이여|야)"
        ),
        r"(?<![가-힣])초(?:하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘)",
        r"(?<![\d가-힣.])\d{1,2}(?: ?살)?(?=임|이야|이에요|입니다|이요|인데)",
        rf"(?<![\d가-힣])(?:\d{{1,2}}|{_ONES}|열한|열두) ?시",
        (
            r"\b(?:\d{1,2}|(?:four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif"
            r"|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh"
            r"|nine)ty"
            r"(?:-\w+| (?:one|two|three|four|five|six|seven|eight|nine)\b)?))\b(?=[.,;!? ])"
        ),
    )
)
_TAKES_BACK = re.compile(
    (
        r"(?:^|[\s.,!?…~ㅋㅎ])(?:아(?![가-힣])|아니(?:다|야|지|구나|네|요|에요|라)?(?![가-힣])|앗|참(?![가-힣])|아 ?맞다|아 "
        r"?뭐래|잠깐|이?라고? ?(?:한 ?거|했는데|했지만|말했는데|적었는데|썼는데)"
        r"|정정(?:하겠습니다|할게요?|합니다|해요|요)?|잘못 ?(?:말했|말씀드렸|썼)[가-힣]*"
        r"|no\b|i tell a lie\b|correction\b|sorry\b|wait\b|actually\b|i mean\b"
        r"|scratch that\b|make that\b)[\s,.!~]*"
    ),
    re.IGNORECASE,
)
_MOST_BETWEEN = 40
#: Leading digits of a value; a reason before the right value has more characters than this.
_UNIT = re.compile(r"^\d+")
_LEAST_REASON = 6
_COMPILED = tuple(re.compile(row, re.IGNORECASE) for row in _ROWS)
#: "아니" opens the sentence that follows here, and takes nothing back.
_NO_CORRECTION = re.compile(r"^\s*아니\s")
_KEPT = ("kept_ko", "kept_far", "kept_but")


def settle_corrections(text: str) -> Settled:
    """Return a text without the values that it corrects itself.

    The month of a wrong date stays where the right date names none.
    """
    wrong: list[tuple[str, str]] = []
    for pattern in _COMPILED:
        correction = pattern.search(text)
        if correction is None or _NO_CORRECTION.match(correction["wrong"]):
            continue
        named = correction.groupdict()
        month = re.match(r"\d{1,2}월 ?", correction["wrong"])
        en = re.match(_MONTH + r" ", correction["wrong"], re.IGNORECASE)
        right = correction["right"]
        if month and "월" not in right and right[0].isdigit():
            right = month[0] + right
        elif en and right.isdigit():
            right = en[0] + right
        elif correction["wrong"][:2] in ("'s", "is", "'m", "am") or re.match(
            r"(?:s|turned|was|are) \d", correction["wrong"]
        ):
            right = correction["wrong"].split(" ")[0] + " " + right
        remainder = "".join(named.get(name) or "" for name in _KEPT)
        remainder = (
            f"{remainder.strip()}{'. ' if named.get('skip') else ' '}{named.get('skip') or ''}"
            if remainder.strip()
            else ""
        )
        if named.get("kept_but"):
            remainder = f" {remainder.strip()}"
        wrong.append((correction["wrong"].strip(), right + text[correction.end() :][:12]))
        is_moved = remainder and not named.get(
            "skip"
        )  # "born 3 July, don't forget. no, August": the day goes where it was said
        text = (
            text[: correction.start()]
            + (right + remainder if is_moved else remainder + right)
            + text[correction.end() :]
        )
    return _same_kind(text, wrong)


def holds_kind_value(text: str) -> bool:
    """Return whether a text holds a figure, a day or an age, or names one in words."""
    return any(kind.search(f"{text} ") for kind in _KINDS) or re.search(r"\d", text) is not None


def _same_kind(text: str, wrong: list[tuple[str, str]]) -> Settled:
    """Cut the first of two values of one kind where the words between them take it back."""
    for kind in _KINDS:
        matches = list(kind.finditer(text))
        for first, later in pairwise(matches):
            between = text[first.end() : later.start()]
            back = _TAKES_BACK.search(between)
            if back and len(between) <= _MOST_BETWEEN and first[0] != later[0]:
                wrong.append((first[0], later[0]))
                text = _cut_taken_back(text, first, later, back)
                break
    return Settled(text, tuple(wrong))


def _cut_taken_back(
    text: str, first: "re.Match[str]", later: "re.Match[str]", back: "re.Match[str]"
) -> str:
    """Return a text without the first of two values.

    The later one stands in its place where a reason is told before it, and where it leaves out the
    unit of the first: 일흔둘입니다, 정정합니다, 생일 전이니 일흔하나; 17살 아니다 18임.
    """
    month = re.match(r"\d{1,2}월 ?", first[0])
    if month and re.fullmatch(r"\d{1,2}일", later[0]):
        return text[: first.start()] + month[0] + later[0] + text[later.end() :]
    unit = _UNIT.sub("", first[0])
    is_bare = bool(unit) and later[0].isdigit()
    reason = text[first.end() + back.end() : later.start()]
    if is_bare:
        return text[: first.start()] + later[0] + unit + text[later.end() :]
    told = text[first.end() : first.end() + back.start()]
    if len(reason) > _LEAST_REASON and told.rstrip().endswith(("다", "요", ".", "!")):
        told = told.rstrip(" .!")
        return f"{text[: first.start()]}{later[0]}{told}. {reason.strip()}{text[later.end() :]}"
    return text[: first.start()] + text[first.end() + back.end() :]
