"""Facts in short answers to a character's question about name, home or work."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gieok.character.detect import words
from gieok.character.detect.patterns import regex

#: Words that may stand before the answer itself.
_FILLER = re.compile(
    r"^(?:[\s,.~!?;^ㅋㅎㅠㅜ]|(?:네|넵|넹|응|엉|웅|어|아|음|흠|글쎄요?|헐|오|저요|나요|저는|나는|난|전|저|나|전에는|지금은?|요즘은?|그냥"
    r"|제|내|우리|저희)(?=[\s,.!?~])|(?:이름은|집은|직업은|집이)(?= )"
    r"|\b(?:oh|omg|uh|um|well|yes|yeah|yep|hi|hey|hello|good (?:evening|morning|afternoon)|god"
    r"|so|just|it's|its|i'm|im|i am|the name's|name's|my name is|they call me|call me)\b)+",
    re.IGNORECASE,
)
_END = rf"(?:{words.IS}|(?=[.,!?~…^;(ㅋㅎㅠㅜ]|\s*$))"


class Ask(NamedTuple):
    """Question type: what it asks for, the words that ask, and the words that answer (group
    `v`).
    """

    predicate: str
    asks: str
    answer: str
    confidence: float = 0.8


_NAME_EN = (
    r"(?P<v>(?:(?:Mrs?|Ms|Miss|Dr)\.? )?(?-i:[A-ZÀ-Þ][a-zà-ÿ]+)(?: (?-i:[A-ZÀ-Þ][a-zà-ÿ]+))?)"
    r"(?=[.,!;]|$| "
    r"and\b| or\b| here\b)"
)
_PLACE_EN = (
    r"(?:(?:just |right )?(?:home's |i live |i'm |im |out |over |up |down )*(?:in|near|outside"
    r"|by) )?(?P<v>(?-i:[A-Z])[\w']+(?: (?-i:[A-Z])[\w']+)?)(?=[.,!;]|$| but\b| and\b)"
)
#: More exact questions come first.
ASKS = (
    Ask(
        "name",
        r"이름|성함|존함|누구(?:냐|세요|신가|시오|니|인|야|지|요)|누가|뉘시|당신은요|너는\?|그대는 누구|뭐라고 (?:불|부르면)|어떻게 (?:불|부르면)",
        rf"(?:{words.ME} )?(?P<v>{words.FULL_NAME}){_END}",
    ),
    Ask(
        "name",
        r"이름|성함|존함|누구(?:냐|세요|신가|시오|니|인|야|지|요)|뉘시|당신은요|그대는 누구",
        (
            rf"^(?:{words.ME} )?(?P<v>[가-힣]{{2,3}}?)(?:이?라고 (?:해|합니다|하는)|이?요|이에요|예요|이야|(?<=[가-힣])야"
            r"|입니다|[.!~]*$)"
        ),
        0.7,
    ),
    Ask(
        "lives_in",
        (
            r"어디 ?(?:살|사(?:세|시|는|니|냐|나)|계시|지내)|어디에? (?:사|살)|집(?:이|은) ?(?:어디|가까|멀)|댁이|어느 ?(?:동네|도시"
            r"|별|나라|지역)|사는 ?(?:곳|데|동네|집)|동네 ?(?:분|사람|사세)"
        ),
        (
            rf"(?P<v>(?:(?!{words.NO_NOUN})[가-힣]{{2,6}} )?(?!{words.NO_NOUN})[가-힣]{{2,7}}?)(?:역|쪽"
            rf"|근처)?(?:에서? (?:살|지내|자취|있|산다|사는)|{_END})"
        ),
    ),
    Ask(
        "job",
        (
            r"무슨 ?일(?:을)? ?(?:하|로)|뭐 ?하(?:는 ?(?:사람|분|녀석|애|인간)|시는|고 ?사|세요|니\?|며)|하는 ?일|직업|어떤 "
            r"?일을|생업|밥을? ?벌|벌어 ?먹|업으로|무엇을 ?하(?:며|는|시)"
        ),
        (
            rf"(?P<v>(?:[가-힣A-Za-z]{{1,7}}[^은는이가을를에서고의\s] "
            rf")??(?!{words.NO_NOUN})[가-힣A-Za-z]{{2,9}}?(?: \d년 ?차)?)(?:에(?:서)? (?:[가-힣]+ "
            r")?(?:다니|다녀|다닙|다닌|일하|일해|일합|근무|있)|(?:을|를)? ?(?:하고 있|해요|합니다|하는|하거든|운영|몹니다|몰아|몬다|만들|그려"
            rf"|키워)|{_END})"
        ),
    ),
    Ask(
        "name",
        (
            r"\b(?:your name|call you|who(?:'s| is| are) (?:this|there|you|it|that)|who goes "
            r"there|and you are|whom have i|addressing|who am i)\b"
        ),
        _NAME_EN,
    ),
    Ask(
        "lives_in",
        (
            r"\b(?:where (?:do|are) you (?:live|living|based|staying|calling|from)|where's "
            r"home|where(?:'s| is) your|your home|live (?:around|near)|where are you\b)"
        ),
        _PLACE_EN,
    ),
)
_COMPILED = tuple(
    (ask, re.compile(ask.asks, re.IGNORECASE), re.compile(ask.answer, re.IGNORECASE))
    for ask in ASKS
)
_MOST_ANSWER = 60
#: Whose name, home or work is asked for, where it is not the user's.
_OF_WHOM = re.compile(
    r"(?P<kin>여동생|남동생|동생|조카|아들|딸|언니|오빠|누나|형(?=[이의은 ])|엄마|아빠|어머니|아버지|친구|남편|아내)"
    rf"|(?P<pet>{words.ANIMAL}|녀석|그 아이)|\b(?:his|her|their|its|he|she) "
)


def iter_answered_facts(text: str, question: str) -> Iterator[tuple[str, str, str, float]]:
    """Yield the predicate, value, sentence and confidence of each fact that answers a question.

    `question` is the message before the answer.
    """
    if "?" not in question and not re.search(r"(?:까|나|냐|니|느냐|소|오|가|지)[.!\s]*$", question):
        return
    last_sentences = " ".join(re.split(r"(?<=[.!])\s", question.strip())[-2:])
    of_whom = _OF_WHOM.search(last_sentences)
    for ask, asks, answer in _COMPILED:
        if not asks.search(last_sentences):
            continue
        parts = re.split(r"[.!\n]+|[ㅋㅎ]{2,}|[ㅠㅜ]+", text[:_MOST_ANSWER])
        answer_matches = [
            match
            for match in (answer.match(_FILLER.sub("", part, count=1)) for part in parts)
            if match
        ]
        good = [
            match
            for match in answer_matches
            if match["v"] and not regex(words.NO_VALUE).fullmatch(match["v"])
        ]
        if good and of_whom and ask.predicate == "name":
            is_pet = of_whom["pet"]
            value = f"{good[0]['v']} ({is_pet})" if is_pet else f"{of_whom['kin']} {good[0]['v']}"
            yield "pet" if is_pet else "family", value, text.strip(), ask.confidence
        elif good and not of_whom:
            yield (
                ask.predicate,
                good[-1 if ask.predicate == "lives_in" else 0]["v"],
                text.strip(),
                ask.confidence,
            )
        if good:
            return
