"""Finds the words of a question in a text, so that a person sees what matched."""

import re
from functools import lru_cache
from typing import NamedTuple

from gieok.text.keywords import keyword_text, query_tokens

#: Shorter words match everywhere and are ignored.
_LEAST = 2


def split_at_question_words(text: str, question: str) -> list[str]:
    """Return a text in parts, every second of which is a word of the question.

    Latin words match by their stem, Korean words by their beginning.
    """
    words = _parse_question_words(question)
    parts, end = list[str](), 0
    for found in words.form.finditer(text) if words.form else ():
        if found["latin"] is None or words.has_stem(found["latin"]):
            parts += [text[end : found.start()], found[0]]
            end = found.end()
    return [*parts, text[end:]]


def count_question_words(text: str, question: str) -> int:
    """Return how many different words of a question stand in a text."""
    return len({part.lower() for part in split_at_question_words(text, question)[1::2]})


class _QuestionWords(NamedTuple):
    """What is looked for in a text: Korean words, and any Latin word, which has to have a stem."""

    form: re.Pattern[str] | None
    stems: tuple[str, ...]

    def has_stem(self, word: str) -> bool:
        """Return whether a Latin word is a word of the question, or begins with the stem of one.

        A stem need not begin its word: that of *staging* is *stage*.
        """
        tokens = keyword_text(word).split()
        return word.lower().startswith(self.stems) or any(token in self.stems for token in tokens)


@lru_cache(maxsize=16)
def _parse_question_words(question: str) -> _QuestionWords:
    """Return the words of a question, which is asked of many lines."""
    tokens = [token for token in query_tokens(question) if len(token) >= _LEAST]
    korean = [word for word in re.findall(r"[가-힣]+", question) if len(word) >= _LEAST]
    begun = [token for token in tokens if any(word.startswith(token) for word in korean)]
    forms = [re.escape(word) for word in sorted({*korean, *begun}, key=len, reverse=True)]
    stems = tuple(token for token in tokens if token.isascii() and token.isalnum())
    forms += [r"(?<![A-Za-z0-9_])(?P<latin>[A-Za-z0-9_]+)"] if stems else ["(?P<latin>(?!))"]
    form = re.compile("|".join(forms)) if len(forms) > 1 or stems else None
    return _QuestionWords(form, stems)
