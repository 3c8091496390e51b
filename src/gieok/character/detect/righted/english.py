"""Finds in an English reply what it denies, tells of something else or says again."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from gieok.character.detect import gates
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.righted.claims import (
    TAG,
    WHO,
    DoubtedClaim,
    Righted,
    find_claim,
    may_right,
    right_claim,
)
from gieok.character.detect.righted.english_values import (
    ALONE,
    BEFORE,
    BEHIND,
    LEADS,
    LITTLE,
    STOP,
    VALUE,
    find_right_value,
    find_value_before,
)
from gieok.character.detect.righted.openings import NO_EN, OPENS_NO
from gieok.character.facts import same_value
from gieok.text import persons

#: How much of a name is the same where it is misheard.
_LEAST_ALIKE = 0.6
_GIVEN_UP = (
    r"(?:(?:don'?t|do not|no longer|can'?t|never)(?: really)? (?:drink|eat|like|love|do|play|take"
    r"|wear|watch|read|listen to)|(?:gone|went|going|i['’]?m) off|(?:stopped|quit|gave up"
    r"|given up|sold|traded in|left)"
    r"(?: (?:drinking|eating|liking|doing|playing|taking))?)"
)

#: What was given up is named by the character alone: "I've gone off it".
_GIVEN_UP_IT = re.compile(rf"\b{_GIVEN_UP}\s+(?:it|that|them|those)\b", re.IGNORECASE)

_DENIED = re.compile(
    rf"\b(?:(?:not|isn'?t|wasn'?t)|{_GIVEN_UP})\s+{LITTLE}"
    r"(?P<wrong>[\w'’-]+(?:\s+[\w'’-]+)?)",
    re.IGNORECASE,
)

#: A word of the character said again as the subject of another statement, or as a question.
_SUBJECT = re.compile(
    rf"^\W*(?:(?:{NO_EN})\b\W+(?:\w+['’]?\w*, )?)?(?P<wrong>[\w’'-]+?)(?:['’]s| is| was| are)\s+"
    r"(?!called\b|named\b)\S",
    re.IGNORECASE,
)

_ECHO = re.compile(r"^\W*(?:an? |the )?(?P<wrong>[\w'’-]+(?: [\w'’-]+)?)(?P<mark>[?!])")

_OF_OTHER = re.compile(
    rf"\b(?:my|the) (?:\w+ )?(?:{persons.ANYBODY_EN}|ate|kuya|in-laws?)"
    r"(?:['’]s|\s+(?:is|was|has|in|works?|lives?))\b",
    re.IGNORECASE,
)

_BARE_NO = re.compile(r"^\W*(?:(?:oh|er|um)\W+)*(?:no|nope|nah|actually)\b\W", re.IGNORECASE)

_ONLY_NO = re.compile(r"\W*(?:\w{1,4}\W+)?(?:no|nope|nah|god no|lord no)\W*", re.IGNORECASE)

#: A statement about the user that ends in a value.
_ENDS_IN_VALUE = re.compile(
    r"^\W*(?:(?:and|so|oh|ah|well|still)\W+)*(?:living|working|based|studying|playing"
    r"|driving|you(?:['’]re|r)?|how['’]?s your)\b(?: \w+){0,4}? ?"
    rf"\b(?:in|at|from|near|for|with|on|an?|the|your|called|play|drive|like|love"
    rf"|hate)\s+{VALUE}"
    r"(?:,? (?:right|then|isn't it|is it|aren't you|don't you|eh|huh|still))*\W*$",
    re.IGNORECASE,
)

_VERB_OF_USER = re.compile(
    r"\byou (?:still |really |always |do |only )?(?P<verb>(?!are|were|have|had|said|told"
    r"|know)[a-z]{3,}?)"
    rf"(?:d|ed|ing)?\s+{LITTLE}{VALUE}",
    re.IGNORECASE,
)


def iter_english(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield what an English message puts right of claims, the surest first."""
    sentences = split_chat_sentences(text)
    if any(gates.is_idea(one) for one in sentences):
        return
    yield from _iter_bare(text, claims)
    for number, sentence in enumerate(sentences):
        others = sentences[number + 1 :] + sentences[:number]
        for found in _DENIED.finditer(sentence):
            wrong, claim = _find_wrong(found["wrong"], claims)
            if claim is None or not claim.is_open:
                continue
            place = found.start("wrong") + len(wrong)
            before, behind = sentence[: found.start()], sentence[place:]
            is_given_up = re.match(_GIVEN_UP, found[0], re.IGNORECASE) is not None
            behind = "" if is_given_up else behind  # a reason stands there
            near = BEHIND.match(behind)
            right = near["right"] if near else find_value_before(before, claim)
            right = right or find_right_value([behind, *others], wrong)
            if right and may_right(claim, right):
                yield right_claim(claim, wrong, right, text)
        if _GIVEN_UP_IT.search(sentence) and not _OF_OTHER.search(sentence):
            yield from _iter_given_up(others, text, claims)
        framed = list(_iter_framed(sentence, text, claims))
        yield from framed
        shouted = f"{sentence}!" if f"{sentence}!" in text else sentence
        for wrong, claim in () if framed else _iter_told_of_other(shouted, claims):
            right = find_right_value(others, wrong)
            if right and may_right(claim, right):
                yield right_claim(claim, wrong, right, text)
        yield from _iter_same_verb(sentence, text, claims)
        yield from _iter_name_again(sentence, text, claims)


def _find_wrong(said: str, claims: Sequence[DoubtedClaim]) -> tuple[str, DoubtedClaim | None]:
    """Return the longest beginning of some words that stands in a claim, and the claim."""
    parts = said.split()
    for count in range(len(parts), 0, -1):
        wrong = " ".join(parts[:count])
        if re.fullmatch(STOP, wrong, re.IGNORECASE) or WHO.fullmatch(wrong):
            continue
        if claim := find_claim(wrong, claims):
            return wrong, claim
    return "", None


def _iter_given_up(
    sentences: Sequence[str], text: str, claims: Sequence[DoubtedClaim]
) -> Iterator[Righted]:
    """Yield what the character's sentence named last, where the user gave it up for another."""
    for claim in [one for one in claims if not one.is_own][-1:]:
        values = BEFORE.findall(TAG.sub("", claim.text))
        right = find_right_value(sentences, values[-1].split()[-1]) if values else ""
        if right:
            yield right_claim(claim, values[-1].split()[-1], right, text)


def _iter_told_of_other(
    sentence: str, claims: Sequence[DoubtedClaim]
) -> Iterator[tuple[str, DoubtedClaim]]:
    """Yield the words of a claim that an English sentence asks back, or tells of something else."""
    for pattern in (_ECHO, _SUBJECT):
        if found := pattern.match(sentence):
            wrong, claim = _find_wrong(found["wrong"], claims)
            is_asked = found.groupdict().get("mark") != "!"
            if claim is not None and not claim.is_own and (is_asked or _is_thing(wrong, claim)):
                yield wrong, claim
    if _OF_OTHER.search(sentence):
        for word in re.findall(r"[A-Za-z'’-]{3,}", sentence):
            wrong, claim = _find_wrong(word, claims)
            if claim is not None and not claim.is_own:
                yield wrong, claim


def _is_thing(wrong: str, claim: DoubtedClaim) -> bool:
    """Return whether a word is a name or has an article in an English claim."""
    thing = rf"\b(?:an?|the|your) {re.escape(wrong)}\b|(?-i:\b{re.escape(wrong.capitalize())}\b)"
    return re.search(thing, claim.text, re.IGNORECASE) is not None


def _iter_framed(sentence: str, text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield a claim that an English sentence says again with another value: Rex is a horse."""
    frame = re.compile(
        rf"^\W*(?:(?:ah|oh|so|and|no)\W+)*(?P<subject>[\w’-]+?)(?:['’]s| is)\s+(?:an?|the|in|my)\s+"
        rf"{VALUE}",
        re.IGNORECASE,
    )
    now = frame.match(sentence)
    for claim in claims if now else ():
        was = None if claim.is_own else frame.match(claim.text)
        if now is None or re.fullmatch(STOP, now["subject"], re.IGNORECASE):
            continue
        if was and same_value(was["subject"]) == same_value(now["subject"]):
            yield right_claim(claim, was["right"], now["right"], text)


def _iter_same_verb(sentence: str, text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield what the user does with another thing than the character says: "it's prunes I hate"."""
    if not OPENS_NO.match(text):
        return
    for claim in claims:
        was = None if claim.is_own else _VERB_OF_USER.search(claim.text)
        verb = re.escape(was["verb"]) if was else ""
        now = was and re.search(
            rf"\b(?:i|we) {verb}\w*\s+{LITTLE}{VALUE}"
            rf"|\bit['’]?s {LITTLE}(?P<cleft>[\w'’-]+)(?: that)? (?:i|we) {verb}\b",
            sentence,
            re.IGNORECASE,
        )
        if was and now:
            right = now["right"] or now["cleft"]
            yield right_claim(claim, was["right"], right, text)


def _iter_bare(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield the value that a claim ends in, where the reply is a denial and another: "No, Hull"."""
    sentences = split_chat_sentences(text)
    first = next(iter(sentences), "")
    alone = ALONE.search(first) if _BARE_NO.match(f"{first} ") else None
    if _ONLY_NO.fullmatch(first):
        alone = next((one for one in map(LEADS.match, sentences[1:2]) if one), None)
    for claim in claims if alone else ():
        was = None if claim.is_own else _ENDS_IN_VALUE.search(claim.text)
        if alone and was and not WHO.search(alone["right"]):
            yield right_claim(claim, was["right"], alone["right"], text)


def _iter_name_again(sentence: str, text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield a name of a claim that a sentence says alone in another spelling: "Deaglán."."""
    name = re.fullmatch(
        r"\W*(?:(?:no|it['’]s|that['’]s|sorry|i['’]m|it is|i am|the name['’]s|i said)\W+)*"
        r"(?P<right>(?-i:[A-ZÀ-Þ])[\w’-]{3,})(?:,? (?:hon|dear|love|mate|please|actually|girl|man"
        r"|not|with)\b.*)?\W*",
        sentence,
        re.IGNORECASE,
    )
    if name is None or re.fullmatch(STOP, name["right"], re.IGNORECASE):
        return
    for claim in claims:
        if claim.is_own:
            continue
        for word in re.findall(r"\b[A-ZÀ-Þ][\w’-]{2,}", claim.text):
            ratio = SequenceMatcher(None, word.casefold(), name["right"].casefold()).ratio()
            is_again = name["right"] in claim.earlier and word not in claim.earlier
            is_called = is_again and re.search(rf"(?:^|, ?){word}\W*(?:$|[,!.?])", claim.text)
            if (_LEAST_ALIKE <= ratio < 1 or is_called) and not re.fullmatch(
                STOP, word, re.IGNORECASE
            ):
                yield right_claim(claim, word, name["right"], text)
                return
