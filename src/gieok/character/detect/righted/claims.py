"""Sentences of the last turns that may be wrong about the user."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.righted.korean_values import PARTICLE, SELF_KO, cut_clauses
from gieok.character.detect.righted.openings import OPENS_NO, PUTS_RIGHT
from gieok.text import persons


class Righted(NamedTuple):
    """Wrong value, the right one, the sentence that puts it right, and the one that was wrong.

    `is_own`: the wrong sentence is the user's, not the character's.
    """

    wrong: str
    right: str
    sentence: str
    claim: str
    is_own: bool = False


class DoubtedClaim(NamedTuple):
    """Sentence of the last turn that may be wrong about the user.

    `is_of_user`: it is surely about the user: it addresses them, or says what they said.
    """

    text: str
    is_own: bool
    is_of_user: bool
    #: What the user had said before it.
    earlier: str = ""
    #: Whether the message says itself that it puts something right that the user said.
    is_open: bool = True


_NEAR_KO = persons.alternatives(gates.ONE_RELATIVE, persons.PARTNERS_KO, persons.CIRCLE_KO)

#: Somebody else whom a sentence names.
WHO = re.compile(
    rf"(?<![가-힣])(?:{_NEAR_KO}"
    rf"|따님|아드님|사모님|손주)(?!님?이? ?없)|\b(?:{persons.ANYBODY_EN})\b",
    re.IGNORECASE,
)

#: How much of the end of a message is looked at.
_MOST_CLAIM = 160

#: What the user cites of their own words in the message that puts them right.
_CITED = (
    re.compile(
        r"\bi (?:told (?:you|u|ya)|said|wrote|typed|put)\s+(?:that )?(?P<said>[^.!?,]{3,60}?)"
        r"(?=,|[.!?]|\s+(?:but|and|when|before|earlier)\b|$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:^|[.!?,] ?)(?:(?:아|어|참|근데|아까|방금|전에|저번에|제가"
        r"|내가) )*(?P<said>[^.!?,]{2,40}?)(?:이라고?|라고|이랬|랬|다고|댔) ?"
        r"(?:했|말했|말씀드렸|적었|그랬)?[가-힣]{0,4}(?:는데|지만)"
    ),
)

#: A sentence of the character about the user: it addresses them, or says what they said.
_OF_USER_KO = re.compile(
    r"(?<![가-힣])(?:너|넌|너는|네가|니가|네|니|당신|자기|댁)(?![가-힣])"
    r"|[다라](?:며|면서)(?:요)?(?![가-힣])|[다라]고 ?(?:했|하셨|하지|그랬)|[랬댔](?:지|잖|죠|나|던)"
    r"|(?:시|셨|으셨)(?:죠|지|군|네|다|어|나|겠|잖)|세요|님(?![가-힣])|[었았였했]지(?:요)?(?=\W*$)"
)

_OF_USER_EN = re.compile(
    r"\byou(?:'re|r|'ve)?\b|\bi (?:thought|guessed|heard)\b|\bi['’]d have (?:said|guessed"
    r"|thought)\b|,\s*(?:is it|is he|is she|isn't it|right|no|diba|innit|eh|was it)\b"
    r"|^\W*(?:hi|hey|hello|welcome(?: back)?|so|and|how's|how is|how are|no)\b",
    re.IGNORECASE,
)

#: The character speaks of itself.
_OF_CHARACTER = re.compile(
    r"(?<![가-힣])(?:나는|난|내가|나도|내|저는|제가|저도|제)(?![가-힣])|\b(?:i|i'm|i've|my|me|mine)\b",
    re.IGNORECASE,
)

#: What makes a question of what is believed to be so.
TAG = re.compile(
    r"(?:isn'?t it|is it|right|wasn'?t it|aren'?t you|don'?t you|no|innit)\?$|(?:죠|지요?|다며"
    r"|라며|다면서|라면서)(?:요)?\?$",
    re.IGNORECASE,
)
_SELF_EN = re.compile(r"\b(?:i|i'm|i've|my|mine|me)\b", re.IGNORECASE)


def names_other(text: str) -> bool:
    """Return whether a text names somebody near the user."""
    return WHO.search(text) is not None


def right_claim(claim: DoubtedClaim, wrong: str, right: str, text: str) -> Righted:
    """Return a value of a claim that a message puts right."""
    return Righted(
        wrong=wrong, right=right, sentence=text.strip(), claim=claim.text, is_own=claim.is_own
    )


def list_claims(text: str, answers: str, earlier: Sequence[str]) -> list[DoubtedClaim]:
    """Return the sentences that a message may put right, the character's first.

    What the user said themselves is looked at where the message says that it puts something right.
    """
    is_of_reply = bool(_SELF_EN.search(text) or any(map(SELF_KO.match, cut_clauses(text))))
    names = list_name_words(" ".join(earlier))
    claims = list[DoubtedClaim]()
    for sentence in split_chat_sentences(answers[-_MOST_CLAIM:]):
        who = WHO.search(sentence) if sentence.endswith("?") else None
        if who and who[0].lower() not in text.lower():
            continue  # it may be them of whom the user speaks
        addresses = any(one.search(sentence) for one in (_OF_USER_KO, _OF_USER_EN, TAG))
        if addresses or not _OF_CHARACTER.search(sentence):
            is_of_user = bool(addresses or who or is_of_reply or list_name_words(sentence) & names)
            claims.append(
                DoubtedClaim(sentence.strip(), False, is_of_user, earlier=" ".join(earlier))
            )
    is_open = bool(PUTS_RIGHT.search(text) or OPENS_NO.match(text))
    lately = () if WHO.search(answers) or not (answers or is_open) else reversed(earlier)
    own = [one for said in lately for one in split_chat_sentences(said[-_MOST_CLAIM:])]
    cited = list_cited(text)
    claims += [
        DoubtedClaim(one.strip(" ,"), is_own=True, is_of_user=True, is_open=is_open or one in cited)
        for one in (*own, *cited)
    ]
    return claims


def list_cited(text: str) -> list[str]:
    """Return what a text cites of what its user had said."""
    return [found["said"] for pattern in _CITED for found in pattern.finditer(text)]


def list_own_claims(text: str, older: Sequence[str]) -> list[DoubtedClaim]:
    """Return the sentences of a user's older messages that have a word of a text, newest first."""
    words = _list_lesser_words(text)
    return [
        DoubtedClaim(one.strip(), is_own=True, is_of_user=True)
        for said in reversed(older)
        for one in split_chat_sentences(said[-_MOST_CLAIM:])
        if words & _list_lesser_words(one)
    ]


def _list_lesser_words(text: str) -> frozenset[str]:
    """Return the words that may name something, and the Latin ones of three letters or more."""
    return list_name_words(text) | frozenset(re.findall(r"\b[a-z]{3,}\b", text.lower()))


def list_name_words(text: str) -> frozenset[str]:
    """Return the words that may name something: Korean ones without particle, Latin ones."""
    korean = (PARTICLE.sub("", word) for word in re.findall(r"[가-힣]{2,}", text))
    latin = re.findall(r"(?<![.!?] )(?<!^)\b[A-Z][\w'’-]{2,}", text)
    return frozenset(word for word in (*korean, *latin) if len(word) > 1)


def may_right(claim: DoubtedClaim, right: str) -> bool:
    """Return whether a value may be the right one of a claim: that is about the user, or the user
    had said the value before.
    """
    return claim.is_of_user or right.casefold() in claim.earlier.casefold()


def find_claim(wrong: str, claims: Sequence[DoubtedClaim]) -> DoubtedClaim | None:
    """Return the sentence that has a word."""
    if len(wrong) < 2 and not wrong.isdigit():
        return None
    behind = r"(?![A-Za-z0-9])"
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(wrong)}{behind}", re.IGNORECASE)
    return next((one for one in claims if word.search(one.text)), None)
