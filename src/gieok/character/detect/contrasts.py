"""Corrections of what was understood before: "요리사 아니고 제빵사라니까", "not Leith, Keith".

A correction names the wrong value, which must stand in a fact that is held, and the right one. So a
message that contrasts other things corrects nothing. Where only the right value is said ("it's
M-o-c-h-y", "sorry, I meant March 13"), it corrects a fact of the last messages that is like it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from gieok.character.facts import USER, Fact, FactType, same_value

#: What stands between a wrong and a right Korean value. A wish is told with 말고 too, so there the
#: right value must be stated: 커피 말고 차 줘.
_KOREAN = re.compile(
    r"(?:이|가|은|는|도)?\s?(?P<mark>아니고|아니구|아니라|아니야|아니에요|아녜요|아냐|아님|말고)(?:요)?[,.\s]+"
)
#: Ends of a stated Korean value, the longest first.
_STATED = re.compile(
    r"(?:이라니까요?|라니까요?|이라고요?|라고요?|이라구요?|라구요?|이거든요?|거든요?|이에요|예요|이잖아요?|잖아요?"
    r"|인데요?|입니다|이야|이지|이네|이요|임|야|지|요)$"
)
_OPENING = re.compile(
    r"^(?:(?:아니|아|어|앗|근데|그게|그|내가|나는|나|내|제가|저는|저|진짜|사실|실은|그냥|이제|원래|지금은)[\s,]+)+"
)
_PARTICLE = re.compile(r"(?:이|가|은|는|을|를|도|의)$")
_SENTENCE_END = re.compile(r"[.!?…\n]|[ㅋㅎㅠㅜ]{2,}")
_MOST_WORDS, _MOST_RIGHT = 4, 40
_LEAD_EN = r"(?:(?:it|that|he|she|they)(?:'?s| is| are| was)|i(?:'?m| am| said| meant))\s+"
_ARTICLE = r"(?:an?\s+|the\s+|in\s+|on\s+|my\s+)?"
_WORDS_EN = r"[a-z0-9][\w' -]{0,30}?"
_ENGLISH = (
    # not a chef, a baker; it's not nuts, it's shellfish; not Leith but Keith
    re.compile(
        rf"\bnot\s+{_ARTICLE}(?P<wrong>{_WORDS_EN})(?:\s*,\s*(?:but\s+)?|\s+but\s+)(?:{_LEAD_EN})?"
        rf"{_ARTICLE}(?P<right>{_WORDS_EN})$",
        re.IGNORECASE,
    ),
    # a baker, not a chef
    re.compile(
        rf"^(?:no,?\s+)?(?:{_LEAD_EN})?{_ARTICLE}(?P<right>{_WORDS_EN}),\s*not\s+"
        rf"{_ARTICLE}(?P<wrong>{_WORDS_EN})$",
        re.IGNORECASE,
    ),
)
#: The right value alone: spelled letter by letter, or said once more.
_SPELLED = re.compile(r"\b(?P<right>(?:[a-z]-){2,}[a-z])\b", re.IGNORECASE)
_MEANT = re.compile(
    rf"\bi (?:meant|said|mean)\s+{_ARTICLE}(?P<right>{_WORDS_EN})$|"
    r"(?P<right_ko>[가-힣0-9][가-힣0-9 ]{0,20}?)(?:이)?라(?:고|구) (?:했|말했)",
    re.IGNORECASE,
)
#: Whose it is instead of the user's.
_OWNER = re.compile(
    r"^(?:no|nah|nope|not mine)\b[,.\s]*(?:it'?s |that'?s |i meant )?my (?P<en>[a-z]{3,12})'?s\b"
    r"|^(?:아니|아뇨|ㄴㄴ)[,.\s]*(?:나 말고 |내가 아니라 |내 ?(?:거|얘기) ?(?:말고|아니라|아니고) )?"
    r"(?:우리 )?(?P<ko>엄마|아빠|언니|오빠|누나|형|동생|남동생|여동생|남편|아내|남자친구|여자친구|친구) ?(?:거|얘기|이야기|말이)",
    re.IGNORECASE,
)
_SHAPE = re.compile(r"\d+")
#: How alike a word must be to one that it corrects.
_ALIKE = 0.6


class Correction(NamedTuple):
    """Held fact that is wrong, its right subject and value, and the sentence that says so."""

    fact: Fact
    subject: str
    value: str
    sentence: str


def find_corrections(text: str, earlier: Sequence[str], held: Sequence[Fact]) -> list[Correction]:
    """Return what a message corrects of the facts that are held.

    `earlier` are the user's last messages before it.
    """
    current = [fact for fact in held if fact.is_current]
    lately = [fact for fact in current if fact.source and _was_said(fact, earlier)]
    corrections: dict[str, Correction] = {}
    for sentence in filter(None, (part.strip(" ,~") for part in _SENTENCE_END.split(text))):
        for one in _iter_sentence_corrections(sentence, current, lately):
            corrections.setdefault(one.fact.key, one)
    return list(corrections.values())


def _was_said(fact: Fact, earlier: Sequence[str]) -> bool:
    return any(fact.source[:_MOST_RIGHT] in text for text in earlier)


def _iter_sentence_corrections(
    sentence: str, current: Sequence[Fact], lately: Sequence[Fact]
) -> Iterator[Correction]:
    for wrong, right in _iter_contrasts(sentence):
        for fact in current:
            if value := _put_right(fact, wrong, right):
                yield Correction(fact, fact.subject, value, sentence)
                return
    if owner := _OWNER.search(sentence):
        own = [fact for fact in lately if fact.subject == USER]
        if own:
            subject = (owner["en"] or owner["ko"]).lower()
            yield Correction(own[-1], subject, own[-1].object, sentence)
        return
    if right := _find_right_alone(sentence):
        for fact in reversed(lately):
            if value := _put_like(fact, right):
                yield Correction(fact, fact.subject, value, sentence)
                return


def _iter_contrasts(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a wrong and a right value that a sentence may contrast, the longest first."""
    if mark := _KOREAN.search(sentence):
        before = _OPENING.sub("", sentence[: mark.start()]).split()
        right = _OPENING.sub("", sentence[mark.end() :]).strip()[:_MOST_RIGHT]
        stated = _strip_statement(right.split(",")[0].strip())
        if not stated or (mark["mark"] == "말고" and stated == right):
            return
        for first in range(max(len(before) - _MOST_WORDS, 0), len(before)):
            yield " ".join(before[first:]), stated
    for pattern in _ENGLISH:
        if found := pattern.search(sentence):
            yield found["wrong"].strip(), found["right"].strip()


def _strip_statement(text: str) -> str:
    """Return a value without the ending that states it.

    A name such as 민지 keeps its last syllable.
    """
    first, gap, last = text.rpartition(" ")
    bare = _STATED.sub("", last)
    is_name = len(bare) < 2 and len(last) - len(bare) == 1
    return text if is_name or not bare else f"{first}{gap}{bare}"


def _find_right_alone(sentence: str) -> str:
    """Return a right value that is said without the wrong one; '' for none."""
    if spelled := _SPELLED.search(sentence):
        return spelled["right"].replace("-", "").capitalize()
    meant = _MEANT.search(sentence)
    return (meant["right"] or meant["right_ko"] or "").strip() if meant else ""


def _put_right(fact: Fact, wrong: str, right: str) -> str:
    """Return a fact's value with the wrong part put right; '' where it has no such part."""
    if len(same_value(wrong)) < 2 or (fact.type is FactType.PLAN and _SHAPE.search(wrong)):
        return ""  # plans that are moved are read by `plans`
    found = re.search(rf"(?<![\w]){re.escape(wrong)}", fact.object, re.IGNORECASE)
    if found is None:
        return ""
    words = right.split()
    rest = f"{fact.object[: found.start()]} {fact.object[found.end() :]}"
    if len(words) > 1 and all(_PARTICLE.sub("", word) in rest for word in words[1:]):
        right = _PARTICLE.sub("", words[0])  # 동생 말고 언니가 은행원이야
    elif len(words) == 2 and words[0].startswith(words[1]):
        right = words[1]  # 민지야 민지
    value = fact.object[: found.start()] + right + fact.object[found.end() :]
    return "" if same_value(value) == same_value(fact.object) else value


def _put_like(fact: Fact, right: str) -> str:
    """Return a fact's value with the part that is like the right one replaced; '' for none."""
    if _SHAPE.search(right):
        shape = re.escape(_SHAPE.sub("#", right)).replace("\\#", r"\d+").replace("#", r"\d+")
        found = re.search(shape, fact.object, re.IGNORECASE)
        value = fact.object[: found.start()] + right + fact.object[found.end() :] if found else ""
        return "" if fact.type is FactType.PLAN or value == fact.object else value
    for word in fact.object.split():
        alike = SequenceMatcher(None, word.casefold(), right.casefold()).ratio()
        if _ALIKE <= alike < 1 and len(right) > 1:
            return fact.object.replace(word, right, 1)
    return ""
