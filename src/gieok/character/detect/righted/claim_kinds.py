"""What a character's sentence says of its user: where they live, how they are called."""

import re
from typing import NamedTuple

from gieok.character.detect.righted.claims import Righted


class ClaimKind(NamedTuple):
    """What a character's sentence says of its user: a predicate, and words around the value `{w}`.

    Of the two texts the first is such a sentence about Busan (부산), the second is none.
    """

    predicate: str
    words: str
    example: str
    counter_example: str


#: The first that a sentence has names its kind.
CLAIM_KINDS = (
    ClaimKind(
        "name",
        (
            r"^\W*(?:hi|hey|hello|welcome(?: back)?|good \w+),? {w}\b|^\W*{w}, is it\b"
            r"|^\W*{w}(?:아|야| ?씨| ?님)(?![가-힣])|이름(?:이|은) {w}"
        ),
        "부산 님, 어서 오세요",
        "부산은 좋겠다",
    ),
    ClaimKind(
        "lives_in",
        (
            r"{w}(?:에|에서)? ?(?:살(?:면|지|잖|았|고|다|아)|사(?:시|신|세|셨))"
            r"|\b(?:live|living|lives|based)\b[^,.]* {w}\b|\bhome (?:in|to) {w}\b"
        ),
        "부산 살면 바다 자주 가겠다",
        "부산 사는 친구는 잘 지내?",
    ),
    ClaimKind(
        "from",
        r"{w} ?(?:출신|사람이|분이)|고향(?:이|은) {w}|\byou(?:'re| are| were)? (?:come )?from {w}\b",
        "부산 출신이라며",
        "부산 다녀왔다며",
    ),
    ClaimKind(
        "age",
        r"(?:{w} ?살|\b{w} years old\b|\byou(?:'re| are) {w}\b(?! \w))",
        "너 부산 살이라며",
        "부산 번 갔다며",
    ),
    ClaimKind(
        "likes",
        (
            r"{w}(?:을|를|이|가)? ?(?:제일 |진짜 )?(?:좋아하|좋다며|최애)|최애(?:가|는) {w}"
            r"|\byou (?:like|love) (?:your )?{w}\b|\byour favou?rite\b[^.]* {w}\b"
        ),
        "너 최애가 부산이랬지",
        "부산은 안 좋아한다며",
    ),
    ClaimKind(
        "hobby",
        r"{w}(?:을|를)? ?(?:친다|치신다|치시|배운다|배우신다|연주)|\byou(?:'re| are)? play(?:ing)?(?: the)? {w}\b",
        "너 부산 친다며",
        "부산 갔다며",
    ),
)


def name_claim_kind(one: Righted) -> str:
    """Return the predicate of a wrong sentence of the character about the user, '' for none."""
    if one.is_own:
        return ""
    wrong = re.escape(one.wrong)
    return next(
        (
            kind.predicate
            for kind in CLAIM_KINDS
            if re.search(kind.words.replace("{w}", wrong), one.claim, re.IGNORECASE)
        ),
        "",
    )
