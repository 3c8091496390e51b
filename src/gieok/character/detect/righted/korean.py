"""Finds in a Korean reply what it denies, tells of something else or says again."""

import re
from collections.abc import Iterator, Sequence

from gieok.character.detect import gates, words
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.righted.claims import (
    WHO,
    DoubtedClaim,
    Righted,
    may_right,
    right_claim,
)
from gieok.character.detect.righted.korean_values import (
    ENDING,
    NEGATED,
    NO_RIGHT,
    SELF_KO,
    cut_clauses,
    strip_end,
)

#: What denies the word before it, and the word behind it.
_DENIED = re.compile(
    rf"(?P<lead>[가-힣A-Za-z0-9]{{1,30}} )?(?P<wrong>[가-힣A-Za-z0-9]{{1,30}}?)(?:이가|이|가|은|는|도|만|을"
    rf"|를)?\s?(?:{words.NOT_BUT}"
    r"|(?:(?:이제는?|이젠|요즘은?|요새는?|더는|지금은) )?(?:안|못) ?(?:마[시셔십]|먹|좋아|해|하|가|다니|다녀|타|쓰|써|키우|키워)[가-힣]*"
    r"|(?:이제 |요즘 |요새 )?(?:끊었|그만뒀|그만뒀|질렸)[가-힣]*|아니(?:에요|예요|야|고요|거든요?)"
    r"|아녜요|아냐|아님|아닌데요?|아닙니다|(?:은|는)? ?무슨|이?라[뇨니]요?|이?라니요)(?![가-힣])[요,.~;\sㅋㅎ]*(?P<behind>.*)"
)

_TOPIC = re.compile(r"^(?P<wrong>[가-힣A-Za-z0-9]+?)(?:이는|이가|은|는|이|가)(?=\s)")

#: How a Korean noun ends that is a statement of its own.
_INSISTS = re.compile(
    r"(?:이?라니까요?|이?라고요?|이?라구요?|이에요|예요|이요|이야|이다|(?<=[가-힣]{2})[야임]|이?거든요?|입니다)$"
)

#: Words of a message among which a name stands that is said again.
_FIRST_WORDS = 4


def iter_korean(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield what a Korean message puts right of claims, the surest first."""
    if gates.is_idea(text):
        return
    for sentence in split_chat_sentences(text):
        if sentence.endswith("?"):
            continue
        for found in _DENIED.finditer(sentence):
            lead = found["lead"] or ""
            wrong = f"{lead}{found['wrong']}" if len(found["wrong"]) < 2 else found["wrong"]
            claim = next((one for one in claims if len(wrong) > 1 and wrong in one.text), None)
            said_behind = found["behind"].removeprefix(found["wrong"])  # 시내는 무슨 시내
            behind = cut_clauses(said_behind)
            right = _find_right_value(behind, wrong, claim, is_pair=" " in wrong)
            if not right and not behind:
                right = _find_right_value(cut_clauses(sentence[: found.start()]), wrong, claim)
            is_meant = claim is not None and claim.is_open and may_right(claim, right)
            if claim is not None and right and (is_meant or _is_misheard(wrong, right)):
                yield right_claim(claim, wrong, right, text)
    yield from _iter_insisted(text, claims)
    clauses = cut_clauses(text)
    for number, clause in enumerate(clauses):
        topic = _TOPIC.match(clause)
        claim = _find_named_claim(topic["wrong"], claims) if topic else None
        if topic is None or claim is None or claim.is_own or WHO.fullmatch(topic["wrong"]):
            continue
        others = clauses[number + 1 :] + clauses[:number]
        own = [
            one
            for one in others
            if SELF_KO.match(one) or _topic_of(one, claim) or _repeats_value(one, claim)
        ]
        right = _find_right_value(own, topic["wrong"], claim)
        if right and may_right(claim, right):
            yield right_claim(claim, topic["wrong"], right, text)


def _find_named_claim(wrong: str, claims: Sequence[DoubtedClaim]) -> DoubtedClaim | None:
    """Return the sentence about the user that has a Korean word, perhaps as part of a name."""
    if len(wrong) < 2 or re.match(r"그게|그건|이게|그거|내가|제가|나는", wrong):
        return None
    return next((one for one in claims if wrong in one.text), None)


def _repeats_value(clause: str, claim: DoubtedClaim) -> bool:
    """Return whether a clause is one value that the user had said before: 불가사리라니까요."""
    topic = _TOPIC.match(clause)
    is_of_kin = topic is not None and WHO.fullmatch(topic["wrong"]) is not None
    tokens = clause[topic.end() :].split() if topic and is_of_kin else clause.split()
    value = strip_end(tokens[0]) if len(tokens) == 1 else ""
    return len(value) > 1 and value in claim.earlier


def _iter_insisted(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield a name that the user says again, which a claim has in another spelling: 채원이에요."""
    for token in text.split()[:_FIRST_WORDS]:
        word = token.strip(" ,.~!?ㅋㅎㅠㅜ")
        end = _INSISTS.search(word)
        right = word[: end.start()] if end else ""
        misheard = _find_misheard_name(right, claims)
        if misheard is not None:
            yield right_claim(misheard[1], misheard[0], right, text)
            return


def _find_misheard_name(
    right: str, claims: Sequence[DoubtedClaim]
) -> tuple[str, DoubtedClaim] | None:
    """Return what a claim has in the place of a name that the user had said, and the claim."""
    for claim in claims if len(right) > 1 else ():
        if claim.is_own or right not in claim.earlier:
            continue
        for word in re.findall(r"[가-힣]{2,}", claim.text):
            for start in range(len(word) - len(right) + 1):
                named = word[start : start + len(right)]
                if _is_misheard(named, right) and named not in claim.earlier:
                    return named, claim
    return None


def _is_misheard(one: str, other: str) -> bool:
    """Return whether two Korean words differ in one syllable, as names that are misheard do."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _topic_of(clause: str, claim: DoubtedClaim) -> "re.Match[str] | None":
    """Return the topic with which a clause begins, where a claim has it too."""
    topic = _TOPIC.match(clause)
    return topic if topic and topic["wrong"] in claim.text else None


def _find_right_value(
    clauses: Sequence[str], wrong: str, claim: DoubtedClaim | None, *, is_pair: bool = False
) -> str:
    """Return the value that clauses give in the place of a wrong one; '' for none.

    `is_pair`: it is two words, as the wrong one is.
    """
    for clause in clauses:
        said = SELF_KO.sub("", clause)
        topic = _topic_of(said, claim) if claim else None
        if topic is None and claim and _repeats_value(said, claim):
            topic = _TOPIC.match(said)
        said = said[topic.end() :].strip() if topic else said
        tokens = said.split()
        if not tokens or gates.names_person(said) or wrong in said or NEGATED.search(said):
            continue
        value = strip_end(tokens[0])
        if claim and f"{value}이" in claim.earlier and f"{value}이" in tokens[0]:
            value = f"{value}이"  # 고양이라고: the noun ends as the ending begins
        if is_pair and len(tokens) > 1:
            value = f"{tokens[0]} {ENDING.sub('', tokens[1])}"
        is_known = claim is not None and len(value) > 1 and value in claim.earlier
        if len(value) < 1 or (NO_RIGHT.fullmatch(value) and not is_known):
            continue
        if len(value) > 1 or value.isdigit() or len(tokens[0]) - len(value) > 1:
            return value
    return ""
