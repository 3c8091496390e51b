"""Messages of a program that a question quotes: the text of a string with its places filled.

Who asks about an error pastes its message. Its words are those of one string of the code, in their
order, while the best passage by words may hold them all somewhere else.
"""

import re
from collections.abc import Iterator

_TEXT = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\\n])*)\1""")
#: What is filled at runtime: `{name}`, `${x}`, `#{x}`, `%s`, `<name>`.
_FILLED = re.compile(r"[$#]?\{[^{}]*\}|%(?:\([^)]*\))?[-+.\d]*[a-zA-Z]|<\w+>")
_ESCAPE = re.compile(r"\\(?:u\{?[0-9a-fA-F]+\}?|x[0-9a-fA-F]{2}|.)")
_WORD = re.compile(r"[^\W_]+")
#: A message has so many words of its own, at least; fewer stand anywhere.
_LEAST_WORDS = 3
#: Words that stand for one filled place, at most.
_MOST_FILLED = 12
_GAP = "\0"


class QuotedMessage:
    """A question, as a message that some string of the code may be."""

    def __init__(self, question: str) -> None:
        self._words = _split_message_words(question)
        self._set = set(self._words)
        self._line = f" {' '.join(self._words)} "

    def stands_in(self, code: str) -> bool:
        """Return whether a string of a piece of code says what the question quotes.

        The question holds all of the string, or it is itself a part of it.
        """
        return len(self._words) >= _LEAST_WORDS and any(
            self._says(parts) for parts in _iter_messages(code)
        )

    def _says(self, parts: list[list[str]]) -> bool:
        own = [word for part in parts for word in part]
        if len(own) < _LEAST_WORDS:
            return False
        if self._set.issuperset(own):
            pieces = [" ".join(part) for part in parts]
            gap = rf"(?: \S+){{0,{_MOST_FILLED}}} "
            return re.search(f" {gap.join(map(re.escape, pieces))} ", self._line) is not None
        if len(parts) == 1 and self._set.issubset(own):
            return self._line in f" {' '.join(own)} "
        return any(
            len(part) >= len(self._words) and self._line in f" {' '.join(part)} " for part in parts
        )


def _iter_messages(code: str) -> Iterator[list[list[str]]]:
    """Yield the strings of code, each as its words between the places that are filled."""
    for match in _TEXT.finditer(code):
        text = _FILLED.sub(_GAP, _ESCAPE.sub(" ", match[2]))
        parts = [words for part in text.split(_GAP) if (words := _split_message_words(part))]
        if parts:
            yield parts


def _split_message_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
