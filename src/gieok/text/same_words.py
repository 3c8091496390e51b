"""Whether a text says all that another one says, sentence by sentence, in the same words.

Standard library, quick to import.
"""

import re

from gieok.text.gist import as_told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL = re.compile(r"([^\W\d_][\w .'-]{0,40}): ")
_BETWEEN = re.compile(r"(?<=[.!?…。？！])[\"'”’)\]]*\s+|\n+|;\s+")
_ASSISTANT = "assistant"
#: Of two turns, or of two texts without a speaker, one may hold so many times the words of the
#: other: a turn that ends with "let me know please" says more than that.
_MOST_LONGER = 2


class SaidText:
    """Text of a turn, of an observation or of a note, as its speaker and the words of its sentences.

    `who` is '' for a text without a speaker. Of a turn with the line that it answers, the turn alone
    counts.
    """

    __slots__ = ("asks", "sentences", "who", "words")

    def __init__(self, text: str) -> None:
        last = text.rsplit("\n", 1)[-1]
        label = _LABEL.match(last)
        said = last[label.end() :] if label else text
        parts = [part for part in _BETWEEN.split(as_told(said)) if part.strip()]
        self.who = label[1].lower() if label else ""
        #: Whether any sentence is a question, which states nothing.
        self.asks = any(part.rstrip("\"'”’)] ").endswith(("?", "？")) for part in parts)
        self.sentences = [_list_words(part) for part in parts]
        self.words = sum(len(sentence) for sentence in self.sentences)


def says_the_same(one: SaidText, other: SaidText) -> bool:
    """Say whether all sentences of one text stand in the other, one after another.

    No word of a sentence may be missing or added: "don't use tabs" is not "use tabs". What an agent
    or another person says again is another statement; an observation has no speaker and may be a
    part of a longer turn.
    """
    speakers = {one.who, other.who} - {""}
    shorter, longer = sorted((one, other), key=lambda said: said.words)
    if len(speakers) > 1 or _ASSISTANT in speakers or shorter.asks or not shorter.words:
        return False
    is_alike = bool(one.who) == bool(other.who)
    if is_alike and longer.words > _MOST_LONGER * shorter.words:
        return False
    return _stands_in(shorter.sentences, longer.sentences)


def _stands_in(part: "Sequence[list[str]]", whole: "Sequence[list[str]]") -> bool:
    places = range(len(whole) - len(part) + 1)
    return any(whole[place : place + len(part)] == part for place in places)


def _list_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
