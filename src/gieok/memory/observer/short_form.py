"""Short form of a user's statement: without the words of it that bind nothing.

Cut are words that lead in ("by the way", 그리고), the words in which an agent proposes what the user
accepted ("I'd suggest", -는 걸 제안드립니다), and the question before an answer that says everything
itself. Of what a user said nothing is cut but at the beginning, so that the short form still stands
in the turn; reasons stay, since people ask for them, and a rule stays whole.
"""

import re
from typing import NamedTuple

from gieok.memory.observer import repeats
from gieok.memory.observer.standalone import UserStatement
from gieok.text.assent import LEAD_INS_KO, LEAD_JOINS_EN, LEAD_PHRASES_EN
from gieok.text.late_pattern import defer_pattern
from gieok.text.secrets.placeholder import PLACEHOLDER

#: Words before a statement that lead in. "so" and "but" begin more than they lead in: "so far".
_LEADS_IN = defer_pattern(
    rf"(?:(?:(?:and|oh|{LEAD_JOINS_EN}"
    r"|so(?!\s+(?:that|far|long|many|much|few|called|as|is|was)\b))\s+"
    rf"|(?:{LEAD_PHRASES_EN}|ok(?:ay)?|and|oh|so|{LEAD_JOINS_EN})\s*[,:]\s*)"
    rf"|(?:ㅇㅇ|아 맞다|아 참|아참|{LEAD_INS_KO})(?:\s*,)?\s+|참\s*,\s*)+",
    re.IGNORECASE,
)
#: The fewest characters that must follow.
_FEWEST_LEFT = 4
#: Words that stand for something said before: 'it' is what the question named.
_STANDS_FOR = defer_pattern(
    r"\b(?:it|its|it's|that|that's|this|them|they|they're|those|these|he|she|he's|she's|one|ones"
    r"|both|neither|same|there|so)\b"
    r"|(?<![가-힣])(?:그거|그건|그게|그걸|그것|이거|이건|이게|이걸|걔|거기|그때|그쪽|그분|둘 다|같은 거)",
    re.IGNORECASE,
)
_NUMBER = defer_pattern(r"\d+")
#: What a statement with a secret may say besides: a name, a bound, a plan, a place of a file.
_SAYS_BESIDES = defer_pattern(
    r"\d|\b[A-Z]\w|\w\.\w|(?<!\w)[./~]\w"
    r"|\b(?:only|always|must|will|going to|until|before|after|by)\b|'ll\b"
    r"|[가-힣]만(?![가-힣])|까지|부터|항상|절대|[야어아]\s?(?:돼|해|됨|함)|예정|바꿀|할 거"
)
#: Answer that says of whom or of what it speaks: "we ship on Friday", "오픈이 29일로 밀렸어". One that
#: does not may be half a sentence: "by us, from 2026-0001 on", "2층이야, 창고 말고".
_NAMES_SUBJECT = defer_pattern(
    r"(?:I|we)(?:'(?:m|re|ve|ll|d))?\s+\w"
    r"|.*[가-힣]{2}(?<!까지)(?<!부터)(?<!에서)(?<!으로)(?<!에게)(?<!한테)(?:이|가|을|를|은|는)\s+\S",
    re.IGNORECASE,
)


class ProposalFrame(NamedTuple):
    """Words in which an agent proposes something: at the beginning or the end of its sentence.

    `example` is a proposal, `short` what is left of it, and `other` a sentence that is left alone.
    """

    words: str
    left: str
    example: str
    short: str
    other: str


PROPOSAL_FRAMES = (
    ProposalFrame(
        words=r"하(?:는|시는) (?:걸|것을|것으로|걸로|편을|방법을) (?:제안|추천|권장|권)"
        r"(?:드립니다|드려요|합니다|해요|드릴게요)\.?$",
        left="",
        example="배포는 금요일을 피하는 순서로 고정하는 걸 제안드립니다.",
        short="배포는 금요일을 피하는 순서로 고정",
        other="고정하는 걸 제안드렸습니다만 아직입니다.",
    ),
    ProposalFrame(
        words=r"하(?:는|시는) (?:게|것이|건|것은) (?:어떨까요|어떠세요|어때요|어떤가요|좋을까요)\?$",
        left="",
        example="moment 대신 dayjs로 통일하는 게 어떨까요?",
        short="moment 대신 dayjs로 통일",
        other="통일하는 게 왜 어려운가요?",
    ),
    ProposalFrame(
        words=r"하(?:는|시는) (?:게|것이|편이) (?:좋겠습니다|좋을 것 같습니다|나을 것 같습니다|낫겠습니다)\.?$",
        left="",
        example="로그는 JSON으로 통일하는 게 좋겠습니다.",
        short="로그는 JSON으로 통일",
        other="통일하는 게 좋겠습니다만 먼저 물어보겠습니다.",
    ),
    ProposalFrame(
        words=r"(?<=[가-힣A-Za-z0-9)])((?:으)?로) (?:할까요|하시겠어요|하면 어떨까요|가면 어떨까요)\?$",
        left=r"\1",
        example="로그 보관 기간은 30일로 할까요?",
        short="로그 보관 기간은 30일로",
        other="어느 쪽으로 진행할까요?",
    ),
    ProposalFrame(
        words=r"^(?:(?:I'd|I would|I) (?:suggest|recommend|propose)|how about|what about)"
        r"(?: that we| we| to)? ",
        left="",
        example="I'd suggest keeping logs for ten days.",
        short="keeping logs for ten days.",
        other="The manual says: I'd suggest keeping logs.",
    ),
    ProposalFrame(
        words=r"^((?:for|as|with|on) [\w /-]{2,40}?),? (?:I'd|I would) "
        r"(?:suggest|recommend|propose)(?: that we| we| to)? ",
        left=r"\1: ",
        example="For secrets I'd suggest running Vault with the sidecar.",
        short="For secrets: running Vault with the sidecar.",
        other="For secrets I'd rather wait.",
    ),
)


def shorten_statement(text: str) -> str:
    """Return a statement of the user's without the words that lead in."""
    bare = text[lead.end() :] if (lead := _LEADS_IN.match(text)) else text
    return bare if len(bare) >= _FEWEST_LEFT else text


def shorten_proposal(proposal: str) -> str:
    """Return a proposal that was accepted without the words that propose."""
    for frame in PROPOSAL_FRAMES:
        short = re.sub(frame.words, frame.left, proposal, flags=re.IGNORECASE)
        if short != proposal and len(short) >= _FEWEST_LEFT:
            return short
    return proposal


def stands_without_question(stated: UserStatement) -> bool:
    """Say whether the answer of a joined statement says by itself of what it speaks.

    A number or a day that only the question names is kept with it.
    """
    numbers = set(_NUMBER.findall(stated.asked)) - set(_NUMBER.findall(stated.own))
    return (
        bool(stated.asked)
        and not numbers
        and stated.has_sentence
        and not (stated.is_agreed or stated.is_refused or stated.is_rule)
        and _STANDS_FOR.search(stated.own) is None
        and _NAMES_SUBJECT.match(stated.own) is not None
    )


def tells_only_secret(text: str) -> bool:
    """Say whether the value that a statement tells was a secret, and cut out of it.

    What is left says that there is a password. A statement that names anything else, forbids,
    bounds or plans something is none of these.
    """
    rest = PLACEHOLDER.sub(" ", text)
    return (
        rest != text
        and _SAYS_BESIDES.search(rest) is None
        and repeats.content(rest).isdisjoint(repeats.NEGATIONS)
    )
