"""Recogniser of texts that cancel the previous statement without naming it.

Examples: "undo that", "그거 취소, 원래대로".

Such a text consists of a pointer (`that`, 그거), a cancellation or a return to the earlier state,
and fillers. With one more word that names an object, the text is an order: "undo that commit",
"이 주문 취소해줘". The caller knows which statement came before. Each row has an example and a
counter-example; a test runs them.
"""

import re
from functools import lru_cache
from typing import NamedTuple

#: The text cancels what it points to, or restores the earlier state. Restoring is the surer
#: sign: no answer to an offer means it.
CANCELS, RESTORES = "cancels", "restores"
_FILLER, _POINTS = "filler", "points"


class TakingBackPart(NamedTuple):
    """Row of the table of parts: kind, pattern, example and counter-example."""

    kind: str
    pattern: str
    example: str
    counter_example: str


_WAS = r"(?:was|were|had been|used to be)"
_IT = r"(?:it|that|this|things|everything|all of it|them)"
_OLD = r"(?:old|original|previous|former|earlier|first)"
_PLAN = r"(?:way|plan|one|arrangement|set-?up|choice|setting|idea|state)"
_ENGLISH = (
    TakingBackPart(
        RESTORES,
        r"(?:(?:go|going|gone|went|put|move|change|switch|set|turn|bring|get|leave|keep|stay"
        r"|revert|return|have|make|let) )?"
        rf"(?:{_IT} )?(?:is |be |stays? |goes |go )?(?:all )?(?:back )?(?:to )?(?:just |exactly )?"
        rf"(?:how|what|the way|where|as|like) (?:{_IT} |they |we )?(?:{_WAS}|had it|did "
        r"it)(?: before)?",
        "back to how it was",
        "back to the office",
    ),
    TakingBackPart(
        RESTORES,
        r"(?:(?:go|going|went|put|move|change|switch|set|get|revert|return|we['’]re|i['’]m) "
        rf")?(?:{_IT} )?(?:right )?"
        rf"back to (?:(?:the|our|my|its|their) {_OLD} {_PLAN}|before|normal|the way before)",
        "go back to the old plan",
        "go back to the old school",
    ),
    TakingBackPart(
        RESTORES,
        r"(?:(?:we|i)(?:['’]re|['’]m|['’]ll| are| am| will)? )?(?:keep(?:ing)?|stick(?:ing)? "
        r"(?:with|to)|stay(?:ing)? with) "
        rf"(?:the|our|my) {_OLD} {_PLAN}",
        "we're keeping the old one",
        "we're keeping the old car",
    ),
    TakingBackPart(
        RESTORES,
        (
            rf"(?:(?:leave|keep|let) {_IT}|{_IT} stays?|(?:same )?as) (?:as |like )?(?:it "
            r")?(?:before|the same as before)"
        ),
        "keep it like before",
        "keep it before lunch",
    ),
    TakingBackPart(
        CANCELS,
        r"(?:undo|cancel|revert|scrap|scratch|drop|ditch|forget|ignore|disregard|reverse"
        r"|withdraw|strike|nix|take back"
        r"|roll back|rollback|call off)(?: about)?",
        "scratch",
        "back up",
    ),
    TakingBackPart(
        CANCELS,
        r"(?:call (?:that|it) off|(?:i |we )?(?:take|taking) (?:that|it) back)",
        "I take that back",
        "take it",
    ),
    TakingBackPart(
        CANCELS,
        r"(?:(?:i|we)(?:['’]m|['’]re| am| are) )?not (?:doing|changing|switching|moving|going "
        r"with|going for) (?:that|it|this)"
        r"(?: after all| any ?more)?",
        "we're not doing that after all",
        "we're not doing laundry",
    ),
    TakingBackPart(
        _POINTS,
        r"(?:that|it|this|those|them)(?: (?:last )?(?:change|switch|move|decision|plan|idea"
        r"|one|bit|part))?"
        r"|what (?:i|we)(?:['’]ve)?(?: just)? (?:said|told you|decided)(?: about that| "
        r"before| earlier| just now)?",
        "that change",
        "that commit",
    ),
    TakingBackPart(
        _FILLER,
        r"(?:ok|okay|oh|ah|um+|uh|hm+|well|no|nope|nah|wait|hey|hold on|actually|sorry|please"
        r"|pls|then|just|so|yeah|yes|right"
        r"|you know what|on second thoughts?|(?:i(?:['’]ve)? )?changed my mind|my bad|again"
        r"|for now|after all|instead|and|but"
        r"|never ?mind|let['’]s|lets|let us|i['’]ll|we['’]ll|we|i|now|all)",
        "never mind",
        "Neverland",
    ),
)
_DO = r"(?:하|해|했|함|합|할|한)"
#: How an asserted order or decision ends; doubt, hearsay and denial (취소할까, 취소했대, 취소하지 마) have other
#: endings.
_ENDS = (
    r"(?:고|자고?|줘|줘요|주세요|주라|줄래|라|요|죠|할게|할게요|할래|할래요|게|게요|래|래요|겠습니다|겠어|겠어요|니다|시다|어|어요"
    r"|었어|었어요|음|임|야|다|기로(?: ?(?:했어|했어요|했습니다|했음|함|해|해요|하자|할게|할게요|합시다))?)?"
)
_AGAIN = (
    r"(?:(?:다시 )?(?:하|해|할|합|함|했|가|갈|간|갑|둬|두|둘|둡|돌려|돌려놔|돌려놓|돌아가|돌아갈"
    r"|되돌려|되돌려놔|되돌려놓|되돌리|되돌릴|돌리|돌릴|유지|유지하|유지해|유지할|바꿔|바꾸|바꿀|놔|놓|쓰|쓸|써)"
    rf"(?: ?놔| ?놓)?{_ENDS})"
)
_SAID = r"(?:(?:내가|제가) )?(?:방금|아까|지금|좀 전에)(?:(?: 내가| 제가)? ?(?:한|말한|했던|바꾼|정한|얘기한|말씀드린))?"
_KOREAN = (
    TakingBackPart(
        RESTORES,
        r"(?:원래|예전|이전|기존|그 ?전|전|처음|하던|쓰던|먹던|가던|있던|바꾸기 전|옮기기 전)"
        rf"(?: ?대로| ?처럼| ?(?:하던|쓰던|있던) ?대로| ?(?:상태|값|걸|거|것|계획|방식)(?:로|으로|대로))(?: {_AGAIN})?",
        "원래대로 가자",
        "원래대로라면 금요일",
    ),
    TakingBackPart(
        CANCELS,
        rf"취소(?:{_DO})?{_ENDS}|철회(?:{_DO})?{_ENDS}|무효(?:야|임|다|로 ?하자)?"
        r"|무르(?:자|기로 했어)|물러(?:줘|주세요)?|물릴게(?:요)?"
        rf"|없(?:던|었던) ?(?:일|걸|것|거|얘기|말)로 ?(?:{_DO}{_ENDS})?"
        rf"|되돌(?:리자|려|려줘|려주세요|려놔|릴게|릴게요)|안 (?:하|바꾸|옮기)기로{_ENDS}(?: ?(?:했어|했어요|함))?"
        r"|(?:하|바꾸|옮기)지 말자|잊어(?:줘|주세요|버려)?|안 ?(?:할래|할게|바꿀래|바꿀게|옮길래)(?:요)?",
        "취소할게",
        "취소할까",
    ),
    TakingBackPart(
        _POINTS,
        r"(?:그거|그건|그걸|그것|이거|이건|이걸|그 ?말|그 ?얘기|그 ?결정|그 ?변경"
        rf"|{_SAID} ?(?:거|건|걸|것|말|얘기|결정|말씀)|{_SAID}"
        r"|(?:바꾼|바꾸기로 한|바꾼다는|옮긴|옮기기로 한|옮긴다는) ?(?:거|건|걸|것))(?:은|는|을|를|도)?",
        "방금 한 말은",
        "그 주문은",
    ),
    TakingBackPart(
        _FILLER,
        r"(?:아니(?:다|야|요|에요)?|아냐|아+|어+|음+|야|저기|잠깐만?|잠시만|미안(?:해|해요)?|죄송(?:해요|합니다)?|그냥|걍|다시|일단"
        r"|역시|근데|그럼|그러면|우리|나|이제|좀|(?:다시 )?생각해 ?보니까?|(?:마음|생각)이? ?(?:바뀌었어|바뀌었어요|바뀜)"
        r"|ㅋ+|ㅎ+|ㅠ+|에이|앗|ㄴㄴ|됐고|그리고|모두|전부|다)",
        "잠깐만",
        "잠수함",
    ),
)
_BREAK = re.compile(r"[\s,.!~…;:–—-]+")
#: A cancellation with its pointer inside: "call it off".
_POINTS_WITHIN = re.compile(
    r"(?:call|take|taking) (?:it|that) (?:off|back)|not \w+(?: \w+)? (?:that|it|this)\b"
)
#: Longest text that is checked: a longer text has content words, and takes nothing back.
_LONGEST_CHARS = 160


@lru_cache(10_000)
def read_taking_back(text: str) -> str:
    """Return `RESTORES` or `CANCELS` for a text that only takes back the last statement, else
    ''.
    """
    text = text.strip().lower()
    if not text or len(text) > _LONGEST_CHARS or "?" in text or "？" in text:
        return ""
    kinds = _read_parts(text)
    if RESTORES in kinds:
        return RESTORES
    return CANCELS if CANCELS in kinds and (_POINTS in kinds or _POINTS_WITHIN.search(text)) else ""


def _read_parts(text: str) -> set[str]:
    """Return the kinds of the parts of a text; an empty set where a word fits no part."""
    return set(_split_parts(text, 0) or ())


def _split_parts(text: str, at: int) -> list[str] | None:
    """Return the kinds of the parts from position `at` to the end, longest part first.

    None where a word fits no part.
    """
    between = _BREAK.match(text, at)
    at = between.end() if between else at
    if at >= len(text):
        return []
    ends = [
        (match.end(), part.kind)
        for part, pattern in _compile_parts()
        if (match := pattern.match(text, at))
    ]
    for end, kind in sorted(ends, reverse=True):
        if end > at and (end == len(text) or _BREAK.match(text, end)):
            rest = _split_parts(text, end)
            if rest is not None:
                return [kind, *rest]
    return None


@lru_cache(1)
def _compile_parts() -> tuple[tuple[TakingBackPart, re.Pattern[str]], ...]:
    return tuple((part, re.compile(rf"(?:{part.pattern})(?![\w'’])")) for part in list_parts())


def list_parts() -> tuple[TakingBackPart, ...]:
    """Return all rows, for the test that runs their examples."""
    return (*_ENGLISH, *_KOREAN)
