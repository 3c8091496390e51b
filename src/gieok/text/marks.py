"""Finds the words of a question in a text, so that a person sees what matched."""

import re
from functools import lru_cache

from gieok.text.keywords import query_tokens

#: Shorter words match everywhere and are ignored.
_LEAST = 2


def split_at_question_words(text: str, question: str) -> list[str]:
    """Return a text in parts, every second of which is a word of the question.

    Latin words match by their stem, Korean words by their beginning.
    """
    forms = _build_question_forms(question)
    return (
        re.split(f"({'|'.join(forms)})", text, flags=re.IGNORECASE | re.ASCII) if forms else [text]
    )


def count_question_words(text: str, question: str) -> int:
    """Return how many different words of a question stand in a text."""
    return len({part.lower() for part in split_at_question_words(text, question)[1::2]})


@lru_cache(maxsize=16)
def _build_question_forms(question: str) -> tuple[str, ...]:
    """Return patterns of the words of a question, which is asked of many lines."""
    tokens = [token for token in query_tokens(question) if len(token) >= _LEAST]
    korean = [word for word in re.findall(r"[가-힣]+", question) if len(word) >= _LEAST]
    begun = [token for token in tokens if any(word.startswith(token) for word in korean)]
    forms = [re.escape(word) for word in sorted({*korean, *begun}, key=len, reverse=True)]
    return (
        *forms,
        *(rf"\b{re.escape(stem)}\w*" for stem in tokens if stem.isascii() and stem.isalnum()),
    )
