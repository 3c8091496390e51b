"""Recognition of turns without content of their own: thanks, greetings, assent.

Standard library, quick to import. The patterns are strings, which `re` compiles at their first use:
the prompt hook imports this module and needs none of the patterns.
"""

import re

_LONGEST_CHARS = 160
#: Words that begin and end a conversation, or express agreement and thanks.
_SMALL_TALK = (
    r"(?i)\b(?:ok(?:ay|ey)?|k|yes|yeah|yep|yup|no|nah|nope|fine|thanks?(?: you| so much| a "
    r"lot)?|thx|ty|great"
    r"|perfect|nice|cool|good|sure|alright|lol|ha(?:ha)+|hi|hey|hello|bye|goodbye|cya|see you"
    r"|good (?:night|morning)|that'?s (?:all|it)|done|enough|for (?:today|now)|got it|ignore it"
    r"|never ?mind|you'?re welcome|no problem|noted|later|tomorrow|then|much|very"
    r"|(?:let'?s )?(?:stop|call(?:ing)? it a day)|here|so|and|all|right|ah|oh)\b"
    r"|고마워요?|고맙습니다|감사(?:합니다|해요|드려요)?|수고(?:하셨습니다|하셨어요|했어요?|하세요|요)?|오늘은?"
    r"|여기까지(?: ?(?:하자|할게요?|합시다|해요))?"
    r"|괜찮(?:네요?|아요?|습니다)|오케이|좋(?:아요?|다|네요?|습니다)|알겠(?:습니다|어요?)"
    r"|알았어요?|안녕(?:하세요|히 가세요|히 계세요)?|반가워요?"
    r"|내일 ?(?:보자|봐요?|봬요|뵐게요)"
    r"|잘 ?자요?|그래요?|됐(?:어요?|다|네요?)|이제|일단|끝|바이|넵|네|예|응|어|오|아|음|ㅇㅇ|ㅇㅋ|ㅋ+|ㅎ+|ㅂㅂ|ㄱㅅ|ㄱㄱ"
)
#: Words that lead a sentence in: phrases, words that join it to the one before, Korean ones.
LEAD_PHRASES_EN = "by the way|btw|fyi|next thing|one more(?: thing)?|anyway|eh|well"
LEAD_JOINS_EN = "but|also|plus"
LEAD_INS_KO = "그리고|글고|근데|그런데|참고로"
_LEAD_INS = rf"(?i)\b(?:{LEAD_JOINS_EN}|{LEAD_PHRASES_EN})\b|{LEAD_INS_KO}|맞다|참"
#: Further words that an assent may consist of.
_ASSENT = (
    r"(?i)\b(?:please|do|it|that|this|way|go|ahead|for|sounds|let'?s|you|can|i|agree|agreed"
    r"|like|by all means"
    r"|change|add|with|thing|we|will)\b"
    r"|그렇게|그걸로|그대로|그거|그건|이걸로|해 ?(?:주세요|줘요?|봐요?)?|합시다|하자|하죠|할게요?|가자|갑시다"
    r"|부탁(?:해요?|드려요|드립니다)?|진행|추가|적용|바꿔"
    r"|고쳐|늘려|줘요?|주세요|맞아요?|당연|콜|제발|전부|다"
)
_LETTER = r"\w"


def is_small_talk(text: str) -> bool:
    """Return whether a text consists only of thanks, greetings, assent and words that lead in."""
    if len(text) >= _LONGEST_CHARS:
        return False
    rest = re.sub(_LEAD_INS, " ", re.sub(_SMALL_TALK, " ", text))
    return re.search(_LETTER, rest) is None


def accepts(text: str) -> bool:
    """Return whether a short answer is mere assent or refusal: its content stands in the
    question.
    """
    return re.search(_LETTER, re.sub(_ASSENT, " ", re.sub(_SMALL_TALK, " ", text))) is None
