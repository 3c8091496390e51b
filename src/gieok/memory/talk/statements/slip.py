"""Recogniser of texts that put one value right, and say nothing else.

Examples: "sorry, 27, not 17", "아 미안, 17 말고 27". Such a text names the wrong value and the right
one. The caller knows which statement came before, and whether the wrong value stands in it. Each
row has an example and a counter-example; a test runs them.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple


class Slip(NamedTuple):
    """Value that a speaker had wrong, and the right one."""

    wrong: str
    right: str


_FILLERS = (
    r"(?:(?:oops|whoops|sorry|wait|ah|oh|uh|argh|hm+|no|nope|correction|my (?:bad|mistake)|typo"
    r"|actually|i mean[t]?|make (?:that|it)|that['’]?s|it['’]?s|(?:it|that) (?:is|should (?:be"
    r"|have been))|should be|아니|아니다|아|앗|어|엇|미안(?:해요?)?|죄송(?:해요|합니다)?|잠깐(?:만)?|참|정정|오타)"
    r"[\s,.;:!–—…-]+)*"
)
#: Up to four words, none of them one with which a sentence of its own, or an answer, begins.
_VALUE = (
    r"(?!(?:i|you|he|she|it|we|they|this|that|there|what|why|how|who|when|yes|yeah|yep|ok|okay|good"
    r"|great|nice|well|그건|이건|저건|응|네|그래|좋아)\b)"
    r"[^\s,.;:!?]+?(?:[ .:/-][^\s,;!?]+?){0,3}?"
)
_WRONG, _RIGHT = rf"(?P<wrong>{_VALUE})", rf"(?P<right>{_VALUE})"
_IS_KO = r"(?:이?야|이?에요|예요|이?다|입니다|임|요)?"
_OF_KO = r"(?:이|가|은|는)?"
#: (pattern of a whole text, example, counter-example).
SLIPS = (
    (
        rf"{_FILLERS}{_RIGHT},? (?:and |but )?not {_WRONG}",
        "sorry, 27, not 17",
        "I'm not sure",
    ),
    (
        rf"{_FILLERS}not {_WRONG}[,;:] ?(?:but )?{_RIGHT}",
        "not 17, 27",
        "not now, that would take the whole of the afternoon",
    ),
    (
        rf"{_FILLERS}{_RIGHT} (?:instead of|rather than) {_WRONG}",
        "oops, 27 instead of 17",
        "what do we do instead of all that",
    ),
    (
        rf"{_FILLERS}{_WRONG}{_OF_KO} ?(?:말고|아니고|아니라)[ ,]+{_RIGHT}{_IS_KO}",
        "아 미안, 17 말고 27이야",
        "17 말고",
    ),
    (
        rf"{_FILLERS}{_RIGHT}{_IS_KO}[ ,]+{_WRONG}{_OF_KO} ?(?:말고|아니고|아니라|아니야)",
        "앗 27이야, 17 아니고",
        "그건 아니고",
    ),
)
_MOST_CHARS = 60


def read_slip(text: str) -> Slip | None:
    """Return the values of a text that puts one value right and says nothing else; None for others.

    A text that asks something puts nothing right.
    """
    said = text.strip().rstrip(".!~ㅋㅎㅠㅜ) ")
    if len(said) > _MOST_CHARS or "?" in said:
        return None
    for pattern, _, _ in SLIPS:
        match = re.fullmatch(pattern, said, re.IGNORECASE)
        if match:
            return Slip(match["wrong"], match["right"])
    return None


def find_wrong_sentence(slip: Slip, sentences: Sequence[str]) -> str:
    """Return the last sentence that states the wrong value; '' where none does.

    Where the right value was stated too, the text may confirm it and not correct it.
    """
    if any(_states_value(sentence, slip.right) for sentence in sentences):
        return ""
    return next((one for one in reversed(sentences) if _states_value(one, slip.wrong)), "")


def _states_value(sentence: str, value: str) -> bool:
    """Return whether a sentence has a value as a word; a Korean particle may follow it."""
    pattern = rf"(?<![\w.]){re.escape(value)}(?![A-Za-z0-9])"
    return re.search(pattern, sentence, re.IGNORECASE) is not None
