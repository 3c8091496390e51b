"""Corrections of what was understood before: "요리사 아니고 제빵사라니까", "not Leith, Keith".

A sentence corrects where it is nothing but the correction: nobody else is named in it, the wrong
value is a whole word of a held fact, and that fact was told just before, or the sentence names what
the fact is about. The right value must be one that the rules find where it stands in the wrong
one's place (`Correction.restated`). A contrast of other things corrects nothing.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain
from typing import NamedTuple

from gieok.character.detect import gates, words
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.facts import USER, Fact, FactType, same_value

#: What stands between a wrong and a right Korean value. A wish is told with 말고 too, so there the
#: right value must be stated: 커피 말고 차 줘.
_KOREAN = re.compile(
    rf"(?P<before>.+?)(?:이|가|은|는|도)?\s?(?P<mark>{words.NOT_BUT}|아니야|아니에요|아녜요|아냐|아님)"
    r"(?:요)?[,\s]+(?P<right>.+)"
)
#: Ends of a stated Korean value that follow a noun alone, and ends that follow a verb too.
_COPULA = r"이라니까요?|라니까요?|이라고요?|라고요?|이라구요?|라구요?|이거든요?|이에요|예요|이잖아요?|인데요?|입니다|이야|이지|이네|이요|임|야"
_STATED = re.compile(rf"(?:(?P<copula>{_COPULA})|거든요?|잖아요?|지|요)$")
#: Ends of a word that is no stated value: hearsay, conditions, questions, verbs.
_NOT_STATED = re.compile(r"(?:래요?|대요?|더라(?:고요?|구요?)?|면|까|[어아해줘려]요?|다)$")
_OPENINGS = frozenset("아니 아뇨 ㄴㄴ 아 어 앗 음 근데 그게 진짜 사실 실은 그냥 이제 원래".split())
_SELF = frozenset("나 나는 난 내 내가 저 저는 전 제 제가".split())
_MOST_WORDS, _MOST_RIGHT, _MOST_LEAD = 4, 40, 2
#: Korean words for somebody else than the user.
_OTHER = re.compile(
    rf"(?<![가-힣])(?:{gates.ONE_RELATIVE}|{gates.PARTNERS}|친구|걔|걘|얘|쟤|너|넌|네가|니가)"
    rf"(?:{gates.OF_PERSON})?(?![가-힣])"
)
_OPENING_EN = r"(?:(?:no|nope|nah|sorry|wait|actually|oh|oops|i said|i meant|i mean)\b[,.\s]+)*"
#: What the user says of themselves: it names what the fact is about.
_OWN_EN = (
    r"(?:i'?m|i am|my (?:\w+ )?(?:name|birthday|job|pet|dog|cat)(?:'s| is(?: called)?)"
    r"|i (?:live|work|study|come)(?: (?:in|as|at|from))?)\s+"
)
_IT_EN = r"(?:it'?s|that'?s|it is|that is)\s+"
_ARTICLE = r"(?:an?\s+|the\s+|in\s+|on\s+)?"
_WORDS_EN = r"[a-z0-9][\w' -]{0,30}?"
_ENGLISH = (
    # not a chef, a baker; not Leith but Keith
    re.compile(
        rf"{_OPENING_EN}(?P<own>{_OWN_EN})?not\s+{_ARTICLE}(?P<wrong>{_WORDS_EN})"
        rf"(?:\s*,\s*(?:but\s+)?|\s+but\s+){_OPENING_EN}(?:{_IT_EN})?(?P<again>{_OWN_EN})?"
        rf"(?P<right_in>{_ARTICLE}(?P<right>{_WORDS_EN}))",
        re.IGNORECASE,
    ),
    # a baker, not a chef
    re.compile(
        rf"{_OPENING_EN}(?:{_IT_EN})?(?P<own>{_OWN_EN})?(?P<again>)"
        rf"(?P<right_in>{_ARTICLE}(?P<right>{_WORDS_EN})),\s*"
        rf"not\s+{_ARTICLE}(?P<wrong>{_WORDS_EN})",
        re.IGNORECASE,
    ),
)
#: Words of a clause: what holds one is no value.
_CLAUSE = re.compile(
    r"\b(?:i|i'\w+|you|he|she|we|they|it|this|these|that|is|are|was|were|be|has|have|had|do|does"
    r"|did|will|would|can|could|not|my|your|his|her|our|their)\b",
    re.IGNORECASE,
)
#: The right name alone: spelled letter by letter, or said once more.
_NAME_ALONE = (
    re.compile(
        rf"{_OPENING_EN}(?:{_IT_EN}|{_OWN_EN}|spelled\s+)?(?P<spelled>(?:[a-z]-){{2,}}[a-z])",
        re.IGNORECASE,
    ),
    re.compile(rf"{_OPENING_EN}i (?:meant|said|mean)\s+(?P<said>[a-z][\w'-]+)", re.IGNORECASE),
    re.compile(r"(?:아니|아)?[,\s]*(?P<said>[가-힣]{2,5}?)이?라(?:고|구) (?:했|말했)[가-힣]*"),
)
#: Whose it is instead of the user's. In English the value is said once more.
_OWNER_EN = re.compile(
    r"(?:no|nah|nope)\b[,.\s]*(?:i meant )?my (?P<who>[a-z]{3,12})(?:'s| is)\s+"
    rf"{_ARTICLE}(?P<value>{_WORDS_EN})",
    re.IGNORECASE,
)
_OWNER_KO = re.compile(
    r"(?:아니|아뇨|ㄴㄴ)[,\s]*(?:(?:나|내가|내 ?(?:거|얘기)) ?(?:" + words.NOT_BUT + r") )?"
    rf"(?:우리 )?(?P<who>{gates.ONE_RELATIVE}) ?(?:얘기|이야기)(?:{_COPULA})"
)
#: Predicates whose value is a name, or holds one.
_NAMES = frozenset("name address_form pet partner friend boss colleague roommate family".split())
#: A contrast of tastes tells a choice of the moment.
_TASTES = ("likes", "dislikes")
#: Types of facts that are of somebody else where they are not of the user.
_OF_ANYBODY = (FactType.PERSONAL, FactType.PREFERENCE)
_NUMBER = re.compile(r"\d+")
#: How alike a name must be to one that it corrects.
_ALIKE = 0.6


class Correction(NamedTuple):
    """Held fact that is wrong, its right subject and value, and the sentence that says so.

    `restated` is a statement in which the rules must find the right value; '' where the value is
    not changed.
    """

    fact: Fact
    subject: str
    value: str
    sentence: str
    restated: str = ""


class _Contrast(NamedTuple):
    """Wrong and right value that a sentence contrasts.

    `named` is the sentence without the wrong value; `is_own` says that the user speaks of
    themselves alone, and `has_cue` that the sentence says what the values are.
    """

    wrong: str
    right: str
    named: str
    is_own: bool
    has_cue: bool


def iter_corrections(
    text: str, earlier: Sequence[str], answers: str, held: Sequence[Fact]
) -> Iterator[Correction]:
    """Yield what a message may correct of the facts that are held, the likeliest first.

    `earlier` are the user's last messages before it, `answers` is the message that it answers.
    """
    current = [fact for fact in held if fact.is_current]
    lately = [fact for fact in current if fact.source and _was_said(fact, earlier)]
    if _OTHER.search(answers):
        return  # it may be them of whom the user speaks
    for sentence in (part.strip(" ,~") for part in split_chat_sentences(text)):
        if not sentence.endswith("?"):
            yield from _iter_sentence_corrections(sentence, current, lately)


def _was_said(fact: Fact, earlier: Sequence[str]) -> bool:
    return any(fact.source[:_MOST_RIGHT] in text for text in earlier)


def _iter_sentence_corrections(
    sentence: str, current: Sequence[Fact], lately: Sequence[Fact]
) -> Iterator[Correction]:
    rows = chain(_iter_contrasted(sentence, current, lately), _iter_renamed(sentence, lately))
    for fact, value, restated in rows:
        yield Correction(
            fact=fact,
            subject=fact.subject,
            value=value,
            sentence=sentence,
            restated=restated,
        )
    own = [fact for fact in lately if fact.subject == USER and fact.type in _OF_ANYBODY]
    yield from _iter_owned(sentence, own)


def _iter_contrasted(
    sentence: str, current: Sequence[Fact], lately: Sequence[Fact]
) -> Iterator[tuple[Fact, str, str]]:
    """Yield each fact whose wrong value a sentence contrasts, its right value, and how that reads
    in the words of the fact.
    """
    if gates.is_idea(sentence) or gates.is_unreal(sentence):
        return
    for contrast in _iter_contrasts(sentence):
        for fact in reversed(current):
            value = _put_right(fact, contrast)
            if not value:
                continue
            is_told = fact in lately and fact.predicate not in _TASTES
            for restated in _iter_restated(fact, contrast, is_told=is_told):
                yield fact, value, restated


def _iter_renamed(sentence: str, lately: Sequence[Fact]) -> Iterator[tuple[Fact, str, str]]:
    """Yield each name that a sentence says anew alone, as `_iter_contrasted` does."""
    right = _find_name_alone(sentence)
    for fact in reversed(lately) if right else ():
        for word in _list_like(fact, right):
            value, restated = (text.replace(word, right, 1) for text in (fact.object, fact.source))
            yield fact, value, restated


def _iter_owned(sentence: str, own: Sequence[Fact]) -> Iterator[Correction]:
    """Yield the user's newest fact as one of somebody else's, where a sentence says no more."""
    if owner := _OWNER_KO.fullmatch(sentence):
        for fact in own[-1:]:
            yield Correction(fact, owner["who"], fact.object, sentence)
    elif owner := _OWNER_EN.fullmatch(sentence):
        for fact in own[-1:]:
            if same_value(owner["value"]) == same_value(fact.object):
                yield Correction(fact, owner["who"].lower(), fact.object, sentence)


def _iter_contrasts(sentence: str) -> Iterator[_Contrast]:
    """Yield pairs of values that a sentence may contrast, the longest wrong value first."""
    if found := _KOREAN.fullmatch(sentence):
        if not _OTHER.search(sentence):
            yield from _iter_korean_contrasts(found)
        return
    for pattern in _ENGLISH:
        found = pattern.fullmatch(sentence)
        if found is None or _CLAUSE.search(found["right"]) or _CLAUSE.search(found["wrong"]):
            continue
        if len(found["right"].split()) <= len(found["wrong"].split()) + 1:
            own = found["again"] or found["own"] or ""
            yield _Contrast(
                wrong=found["wrong"].strip(),
                right=found["right"].strip(),
                named=own + found["right_in"],
                is_own=False,
                has_cue=bool(own),
            )


def _iter_korean_contrasts(found: "re.Match[str]") -> Iterator[_Contrast]:
    own, before = _split_opening(found["before"])
    again, after = _split_opening(found["right"])
    said = " ".join(after)[:_MOST_RIGHT]
    for first in range(max(len(before) - _MOST_WORDS, 0), len(before)):
        wrong = " ".join(before[first:])
        right = _find_stated(said, wrong, is_wish=found["mark"] == "말고")
        if right and first <= _MOST_LEAD:
            yield _Contrast(
                wrong=wrong,
                right=right,
                named=" ".join((*(again or own), *before[:first], said)),
                is_own=bool(own or again) and not first,
                has_cue=bool(first),
            )


def _split_opening(text: str) -> tuple[list[str], list[str]]:
    """Return the words for the user with which a text opens, and the words behind its opening."""
    own, left = list[str](), text.split()
    while len(left) > 1 and (word := left[0].strip(",.~")) in _OPENINGS | _SELF:
        own += [word] if word in _SELF else []
        left = left[1:]
    return own, left


def _find_stated(said: str, wrong: str, *, is_wish: bool) -> str:
    """Return the value that the words behind a contrast state; '' for none.

    A name such as 민지 keeps its last syllable.
    """
    first, gap, last = said.rpartition(" ")
    end = _STATED.search(last)
    bare = last[: end.start()] if end else last
    if end is None or not bare or (len(bare) < 2 and end[0] == "지"):
        is_value = not is_wish and not gap and not _NOT_STATED.search(last)
        return last if is_value else ""
    is_clause = gap and (not end["copula"] or len(said.split()) > len(wrong.split()) + 1)
    return "" if is_clause else f"{first}{gap}{bare}"


def _iter_restated(fact: Fact, contrast: _Contrast, *, is_told: bool) -> Iterator[str]:
    """Yield statements that would hold the right value of a fact.

    That is what the sentence itself says of the value, and the words of a fact that was just told.
    """
    if fact.type in (FactType.HABIT, FactType.PLAN):
        return  # plans that are moved are read by `plans`
    if contrast.has_cue or contrast.is_own:
        yield contrast.named
    if is_told and not contrast.has_cue and not (contrast.is_own and fact.subject != USER):
        end = r"(?![A-Za-z])" if contrast.wrong.isascii() else ""
        wrong = re.compile(rf"(?<!\w){re.escape(contrast.wrong)}{end}", re.IGNORECASE)
        if wrong.search(fact.source):
            yield wrong.sub(lambda _: contrast.right, fact.source, count=1)


def _put_right(fact: Fact, contrast: _Contrast) -> str:
    """Return a fact's value with the wrong words put right; '' where it has no such words."""
    wrong, right = contrast.wrong, contrast.right
    found = re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", fact.object, re.IGNORECASE)
    if found is None or _NUMBER.sub("#", wrong).count("#") != _NUMBER.sub("#", right).count("#"):
        return ""
    value = fact.object[: found.start()] + right + fact.object[found.end() :]
    return "" if same_value(value) == same_value(fact.object) else value


def _find_name_alone(sentence: str) -> str:
    """Return a name that is all that a sentence says; '' for none."""
    for pattern in _NAME_ALONE:
        if found := pattern.fullmatch(sentence):
            said = found.groupdict()
            spelled = (said.get("spelled") or "").replace("-", "").capitalize()
            return spelled or str(said["said"])
    return ""


def _list_like(fact: Fact, right: str) -> list[str]:
    """Return the words of a fact's name that are like the right one."""
    if fact.predicate not in _NAMES:
        return []
    return [
        word
        for word in fact.object.split()
        if _ALIKE <= SequenceMatcher(None, word.casefold(), right.casefold()).ratio() < 1
        and word in fact.source
    ]
