"""Ranks functions of CoSQA by their text alone: one profile beside that of `gieok code query`."""

import re

from gieok.code.model import korean_terms
from gieok.ranking.profile import Profile
from gieok.text.bm25 import CLASSIC

_LANGUAGE = re.compile(
    r"\b(in |using |with )?(python ?[23]?|javascript|java|golang|c\+\+)\b", re.IGNORECASE
)
_ASKING = re.compile(r"^\s*(how (do you|can i|do i|to)|what is the way to)\s+", re.IGNORECASE)
_HANGUL = re.compile("[가-힣]")


def as_function(question: str) -> str:
    """Return the head of a function that would answer a question.

    Returns '' for a Korean question without known terms.
    """
    if _HANGUL.search(question):
        question = korean_terms.in_english(question)
        if not question:
            return ""
    words = _LANGUAGE.sub(" ", question).split() or question.split()
    words = _ASKING.sub("", " ".join(words)).split() or words
    return f'def {"_".join(words)}(): """{" ".join(words)}"""'


#: Its scores are those of notes; notes and code keep the fused order, so weights change no rank.
CODE = Profile(
    name="code",
    keyword_share=0.15,
    statement_keyword_share=0.15,
    bm25=CLASSIC,
    hub_weight=0.3,
    stop_words=frozenset("python code function can get make write using use way".split()),
    imagine=as_function,
    learned="notes",
    least_best=0.0,
)
