"""Korean clauses of a reply, and what stands around a value in them."""

import re

from gieok.character.detect import words
from gieok.character.detect.righted.openings import NO_KO

SELF_KO = re.compile(
    r"^(?:나는|난|나|내가|내|저는|전|저|제가|제|(?:저희|우리)(?: (?:내외|부부|식구|가족))?(?:는|은)?"
    r"|여기는|여긴|여는)(?![가-힣])\s*"
)
_CLAUSE = re.compile(
    r"(?<=[가-힣])(?:(?<![라다냐자])고|는데|지만|인데)(?:요)?[\s,]+|[.,!?…]+|[ㅋㅎㅠㅜ]{2,}"
)
_OPENING = re.compile(
    rf"^\W*(?:(?:{NO_KO}|아|어|앗|음|엥|헐|근데|그게|그건|그거|아니라|아니고|사실은?|실은|참)(?![가-힣])[\s,.~]*)+"
)
ENDING = re.compile(
    r"(?:이올시다|이라니까요?|라니까요?|이라고요?|라고요?|이라구요?|라구요?|이거든요?|거든요?|이에요|예요|에요|이잖아요?|잖아요?|인데요?"
    r"|입니다|이었습니다|였습니다|이었어요?|였어요?|이야|이지요?|이죠|지요|죠|이네요?|이요|임|이다|이고|고|야|요)$"
)
PARTICLE = re.compile(r"(?:에서는|에서|으로|에는|에|로|을|를|은|는|이|가|도|만|이랑|랑|하고|의)$")
NO_RIGHT = re.compile(
    rf"(?:{words.NO_NOUN}|맞|몰|말|했|하|되|됐|같|그|이거|저거|그거|제가|내가|나|너|저|제|우리|누가|언제|원래|요즘|요새|예전|전에"
    rf"|괜찮|미안|죄송)"
    r"|.*(?:다|니다|어요|아요|했어|대요|래요|래|대|더라|까|면|서|지만|는데|게|니|냐|려고|네|줘|줄|듯|음)$"
)
NEGATED = re.compile(r"없|않|(?<![가-힣])(?:안|못) ?[가-힣]")


def cut_clauses(text: str) -> list[str]:
    """Return the clauses of a Korean text, without what opens a reply."""
    parts = (_OPENING.sub("", part).strip() for part in _CLAUSE.split(text))
    return [part for part in parts if part]


def strip_end(word: str) -> str:
    """Return a Korean word without the ending that states it, and without its particle."""
    word = word.strip(" ,.~!ㅋㅎㅠㅜ;")
    bare = ENDING.sub("", word)
    if bare != word and (len(bare) > 1 or len(word) - len(bare) > 1):
        return bare
    bare = PARTICLE.sub("", word)
    return bare if len(bare) > 1 else word
