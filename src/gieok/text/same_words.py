"""Whether two texts are one statement, said twice in the same words.

Standard library, quick to import. The comparison is strict: whoever takes two statements for one
stops weighing them against each other.
"""

from gieok.text.gist import as_told, gist
from gieok.text.keywords import asks_or_requests
from gieok.text.late_pattern import defer_pattern
from gieok.text.turns import asks, read_spoken_line

_ASSISTANT = "assistant"
_BETWEEN = defer_pattern(r"(?<=[.!?…。？！])[\"'”’)\]]*\s+|\n+")
_FRAME = "\"'“”‘’«».,:;!…。！()[]"
#: A request with such a word may be about what was said before it: "can you ignore that?".
_REFERS_BACK = defer_pattern(
    r"(?i)\b(?:that|this|it|those|these|above|said|before)\b|그거|그걸|그건|이거|이걸|이건|방금|말한|위에"
)
#: Words from which an observation is told from a mere word of a turn.
_FEWEST_WORDS = 3


class StatedText:
    """Text of a turn, or of an observation or a note, which have no speaker.

    Of a turn with the line that it answers, the turn alone counts. `states` are the sentences that
    state something, each as its words with their signs; `rest` are those that ask or request.
    """

    __slots__ = ("rest", "states", "who")

    def __init__(self, text: str) -> None:
        turn = read_spoken_line([text.rsplit("\n", 1)[-1]], 1)
        self.who = turn.who if turn else ""
        self.states: list[list[str]] = []
        self.rest: list[str] = []
        for sentence in _BETWEEN.split(turn.text if turn else as_told(text)):
            words = [word for part in sentence.lower().split() if (word := part.strip(_FRAME))]
            if words and (asks(sentence) or asks_or_requests(sentence)):
                self.rest.append(sentence)
            elif words:
                self.states.append(words)


def says_the_same(one: StatedText, other: StatedText) -> bool:
    """Say whether two texts state the same, word for word, and neither says more.

    So does an observation, and the user's turn that it was made of, where the turn only asks or
    requests something besides that does not go back to what it stated. What an agent says again is
    no statement of the user's, and a question states nothing.
    """
    if _ASSISTANT in (one.who, other.who) or not one.states or one.states != other.states:
        return False
    if one.who == other.who:
        return not one.rest and not other.rest
    turn, observed = (one, other) if one.who else (other, one)
    is_statement = sum(map(len, observed.states)) >= _FEWEST_WORDS and not observed.rest
    return is_statement and not any(
        _REFERS_BACK.search(sentence) or gist(sentence).is_not for sentence in turn.rest
    )
