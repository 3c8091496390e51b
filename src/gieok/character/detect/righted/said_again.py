"""Finds a value that the user says again, which the character told as another of its kind.

The user said nine, the character says seven, the user says nine: nothing denies, and yet the
character's word is wrong. The same says a sentence about the thing itself: "Bramble's the cat", of
"your dog Bramble".
"""

import re
from collections.abc import Iterator, Sequence

from gieok.character.detect import words
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.righted.claims import (
    TAG,
    DoubtedClaim,
    Righted,
    list_name_words,
    right_claim,
)
from gieok.character.detect.righted.english_values import STOP
from gieok.character.detect.righted.same_kind import KINDS, list_kind_values
from gieok.text.numerals import ENGLISH_ONES
from gieok.text.persons import ANIMALS_EN

_BODY_EN = (
    "knee|ankle|shoulder|back|hip|wrist|elbow|foot|hand|neck|finger|thumb|toe|eye|ear|leg|arm|rib"
)
#: Kinds of things of which a sentence about the user rarely has two, beside those of form alone.
_THINGS = tuple(
    re.compile(kind, re.IGNORECASE)
    for kind in (
        # "one" is a pronoun more often
        rf"\b(?P<value>{'|'.join(ENGLISH_ONES[1:9])})\b",
        rf"\b(?P<value>{ANIMALS_EN})s?\b",
        rf"(?<![가-힣])(?P<value>{words.ANIMAL})",
        rf"\b(?P<value>{_BODY_EN})s?\b",
        rf"(?<![가-힣])(?P<value>{words.DAY_OF_MONTH})",
    )
)
#: A sentence of more words tells a story in which the value stands by chance.
_MOST_WORDS = 12
_SUBJECT = re.compile(r"^\W*(?P<subject>[\w’-]+?)(?:['’]s| is| was|이?는|은|이가|이|가)(?=\s)")


def iter_said_again(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield the value of a claim of the character for which a message has the user's own again."""
    for claim in claims:
        is_asked = claim.text.endswith("?") and not TAG.search(claim.text)
        if claim.is_own or is_asked:
            continue
        for sentence in split_chat_sentences(text):
            if len(sentence.split()) <= _MOST_WORDS:
                yield from _iter_same_thing(sentence, text, claim)
    yield from _iter_own_name(text, claims)


def _iter_same_thing(sentence: str, text: str, claim: DoubtedClaim) -> Iterator[Righted]:
    """Yield the one value of a kind in a claim that a sentence has another one of."""
    subject = _SUBJECT.match(sentence)
    is_about_it = (
        claim.is_of_user
        and subject is not None
        and subject["subject"] in list_name_words(claim.text)
    )
    for kind in (*KINDS, *_THINGS):
        known = set(list_kind_values(kind, claim.earlier))
        was = [value for value in list_kind_values(kind, claim.text) if value not in known]
        now = [value for value in list_kind_values(kind, sentence) if value not in was]
        said = [value for value in now if value in known or (is_about_it and kind in _THINGS)]
        if len(was) == len(said) == 1:
            yield right_claim(claim, was[0], said[0], text)
            return


def _iter_own_name(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield the name by which a claim calls the user, where a message opens with theirs again."""
    opening = re.match(r"\W*([A-ZÀ-Þ][\w’-]{2,})", text)
    name = opening[1] if opening else ""
    if not name or re.fullmatch(STOP, name, re.IGNORECASE):
        return
    for claim in claims:
        is_told = not claim.is_own and name not in claim.text
        called = re.search(r", ?([A-ZÀ-Þ][\w’-]{2,})\W*$", claim.text) if is_told else None
        if called and called[1] not in claim.earlier and name in list_name_words(claim.earlier):
            yield right_claim(claim, called[1], name, text)
            return
