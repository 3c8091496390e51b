"""How functions and classes are ranked for a question in words.

Measured on CoSQA: words of a question rarely stand in the code, so vectors count far more than for prose; and a question
dressed as the head of a function finds functions better (R@1 .49 → .55 for the vector leg).
"""

import re

from gieok.engine.recall import Confidence, Profile

_LANGUAGE = re.compile(r"\b(in |using |with )?(python ?[23]?|javascript|java|golang|c\+\+)\b", re.IGNORECASE)
_ASKING = re.compile(r"^\s*(how (do you|can i|do i|to)|what is the way to)\s+", re.IGNORECASE)
_HANGUL = re.compile("[가-힣]")


def as_function(question: str) -> str:
    """Return the head of a function that would answer a question in English; '' for one in Korean."""
    if _HANGUL.search(question):
        return ""
    words = _LANGUAGE.sub(" ", question).split() or question.split()
    words = _ASKING.sub("", " ".join(words)).split() or words
    return f'def {"_".join(words)}(): """{" ".join(words)}"""'


CODE = Profile(
    name="code",
    keyword_share=0.15,
    statement_keyword_share=0.15,
    k1=1.2,
    b=0.75,
    spread=(),
    hub_weight=0.3,
    stop_words=frozenset("python code function can get make write using use way".split()),
    imagine=as_function,
    confidence=Confidence(bias=-47.1, keyword=10.1, cosine=53.8),
)
