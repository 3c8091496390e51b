"""Finds what a user puts right of what the character, or they themselves, said just before.

A character says things wrongly: a name that it misheard, a brother's knee taken for the user's.
Nothing of that is held, so nothing held says what is corrected. A reply puts right where a value
of the last turn is denied, is told of something else, or is said again as another value of its
kind, and the right value stands beside it. What the value is of says the sentence that had the
wrong one.
"""

import re
from collections.abc import Iterator, Sequence

from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.righted.claims import (
    Righted,
    list_claims,
    list_own_claims,
)
from gieok.character.detect.righted.english import iter_english
from gieok.character.detect.righted.korean import iter_korean
from gieok.character.detect.righted.openings import PUTS_RIGHT
from gieok.character.detect.righted.said_again import iter_said_again
from gieok.character.detect.righted.same_kind import iter_same_kind
from gieok.character.facts import same_value
from gieok.text.language import detect_text_language

#: A longer message is a story; patterns with free ends would take seconds for some of them.
_LONGEST_CORRECTION = 1_000

#: Longest value, in characters, that is put right.
_MOST_VALUE = 30
#: Contractions as a chat writes them. The neuter "its" owns a thing: a noun follows it, no article.
_CONTRACTED = (
    (re.compile(r"\bim\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\bive\b", re.IGNORECASE), "I've"),
    (re.compile(r"\bits\b(?= (?:an?|the|not|just|[A-Z]))"), "it's"),
    (re.compile(r"\b(ca|do|is|was)nt\b", re.IGNORECASE), r"\1n't"),
)


def iter_righted(
    text: str, answers: str, earlier: Sequence[str], recent: Sequence[str] = ()
) -> Iterator[Righted]:
    """Yield what a message puts right, the surest first, each wrong value once.

    `answers` is the character's message before it, `earlier` what the user had said before that,
    and `recent` what they had said in more of the last turns: of that, what has a word of the
    message may be put right.
    """
    if len(text) > _LONGEST_CORRECTION:
        return
    if all(one.endswith("?") for one in split_chat_sentences(text)):
        return
    for short, written in _CONTRACTED:
        text = short.sub(written, text)
    claims = list_claims(text, answers, earlier)
    older = recent[: len(recent) - len(earlier)] if PUTS_RIGHT.search(text) else ()
    claims += list_own_claims(text, older)
    find = iter_korean if detect_text_language(text) == "ko" else iter_english
    seen = set[str]()
    for one in (*find(text, claims), *iter_same_kind(text, claims), *iter_said_again(text, claims)):
        is_same = same_value(one.right) == same_value(one.wrong)
        if not is_same and one.wrong not in seen and len(one.right) <= _MOST_VALUE:
            seen.add(one.wrong)
            yield one
