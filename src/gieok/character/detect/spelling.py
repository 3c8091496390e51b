"""Corrects Korean chat spelling to standard spelling, for the rules only.

The corrected text is what the rules compare, and is never stored.
"""

import re

_FIRST, _FINALS = 0xAC00, 28
_S, _SS = 19, 20
#: Vowels of syllables of a past tense and of 있, 겠: by their number.
_PAST_VOWELS = frozenset((0, 1, 4, 5, 6, 9, 10, 11, 14, 20))
#: Syllables that correctly end in ㅅ.
_TRUE_S = frozenset("벗씻짓낫빗맛것멋깃넷셋핏팟컷텃첫젓")
_TYPED_S = re.compile(r"[가-힣](?=[어다음슴네는지고거던드습나냐니을으잖ㅋㅎㅠㅜ~!.]|\s*$)")
#: Endings of the south-west, and of the middle, as standard Korean writes them. They come first:
#: what they leave is read by the rows below.
_DIALECT = (
    (r"(?<=[가-힣])당께", "다니까"),
    (r"(?<=[가-힣])랑께", "라니까"),
    (r"(?<=[가-힣])응께", "으니까"),
    (r"(?<=[가-힣])니께", "니까"),
    (r"(?<![가-힣])긍께", "그러니까"),
    (r"(?<![가-힣])(?:글믄|그라믄|그라면|그람)(?![가-힣])", "그러면"),
    (r"(?<![가-힣])(?:글제|그라제)(?![가-힣])", "그렇지"),
    (r"(?<![가-힣])글고(?![가-힣])", "그리고"),
    (r"(?<=[가-힣])믄(?=[\s.,!?~]|$)", "면"),
    # what is so, and yet: 하는디, 좋은디, 학생인디
    (r"(?<=[는은던])디(?=[\s.,!?~]|$)", "데"),
    (r"(?<=[가-힣]인)디(?=[\s.,!?~]|$)|(?<=(?<![가-힣])근)디(?![가-힣])", "데"),
    # 하다 and its forms: 공부허고, 조용혀, 그만뒀다 혔어
    (
        r"허(?=(?:고|는|지|제|니까|네|러|면|거든|다가|다고|던|자|려)(?:[^가-힣]|[가-힣]{0,2}(?:[^가-힣]|$)|$))",
        "하",
    ),
    (r"헌(?=[디데]|다(?=[\s.,!?~]|$))", "한"),
    ("혔", "했"),
    (r"(?<=[가-힣])혀(?=[.,!?~\s]|$)|(?<![가-힣])혀(?=[.!?~]|$)", "해"),
    (r"한디(?=[\s.,!?~]|$)", "한데"),
    # 먹다; 묵다 alone is also to stay overnight
    (r"(?<=[못안])( ?)묵(?=[거고는지어었네])", r"\1먹"),
    (r"(?<=[을를] )묵(?=[고는어었])", "먹"),
    (r"(?:(?<=^)|(?<=[.,!?~] )|(?<=나 )|(?<=나는 )|(?<=난 ))인자 ", "이제 "),
    (r"(?:(?<=^)|(?<=[.!?~] ))잉(?=[\s.,!~])", "응"),
    # vowel harmony: 살어, 알어, 받어, 많어
    (
        r"(?<![가-힣])(살|알|놀|팔|받|잡|남|많|않|앉|맞|찾|같|좋|작|닫|볶|닦)어(?=[요유.,!?~\s]|$)",
        r"\1아",
    ),
    # what something is: 학생이여, 학생이유
    (r"(?<=[가-힣]이)(?:여|유)(?=[.,!?~\s]|$)", "야"),
    # the middle: 살아유, 먹었슈
    (r"(?<=[가-힣][아어해여])유(?=[.,!?~\s]|$)", "요"),
    (r"(?<=[가-힣][았었했])슈(?=[.,!?~\s]|$)", "어요"),
)
_WORDS = (
    *_DIALECT,
    ("됬", "됐"),
    (r"(?<=[가-힣])께(?=[요.!~\s]|$)", "게"),
    ("조아(?=[해하])", "좋아"),
    ("시러(?=[해하요])", "싫어"),
    (r"(?<![가-힣])(?:글케|그케)", "그렇게"),
    (r"(?<![가-힣])넘(?= )", "너무"),
    (r"(?<![가-힣])걍(?= )", "그냥"),
    (
        (
            r"(?<=[가-힣])자나(?=[;"
            r".!?~\s]|$)"
        ),
        "잖아",
    ),
    ("알러지|알러쥐|알레르지|알르레기", "알레르기"),
    (r"(?<![가-힣])담 ?(?=[주달])", "다음 "),
    (
        (
            r"(?<![가-힣])울 ?(?=엄마|아빠|언니|오빠|누나"
            r"|형|집|동생|딸|아들|강아지|고양이)"
        ),
        "우리 ",
    ),
    (r"욜(?![가-힣])", "요일"),
    (r"(?<=[월화수목금토일])욜", "요일"),
    # Dialect of the south-east.
    (r"(?<![가-힣])내는(?= )", "나는"),
    (
        (
            r"(?<![가-힣])몬(?: (?=[가-힣])"
            r"|(?=먹|하|가|자|사|무|살|해))"
        ),
        "못 ",
    ),
    ("아이다", "아니다"),
    # what something is not; 아이고 alone is a sigh, and a child is one
    (r"(?<=[가-힣][이가은는도] )아이(?=(?:고|라|라고|고요)(?![가-힣]))", "아니"),
    # a noun that is said again: 간호대 카니까
    (r"(?<=[가-힣]) 카니까?(?![가-힣])", "라니까"),
    (r"(?<=[라다자냐]) ?카(?=[는더데노네고이지])", "고 하"),
    (r"(?<=[라다자냐]) ?캐(?=[라서도])", "고 해"),
    (r"(?<=[라다자냐]) ?캤", "고 했"),
)
_REPLACED = tuple((re.compile(words), right) for words, right in _WORDS)


#: The dialect of the south-west asks and states with 제 behind a past tense or an adjective.
_ASKED_SO = re.compile(r"([가-힣])제(?=[.,!?~\s]|$)")
#: Finals ㅄ, ㅆ, ㅎ and ㄶ: of 없, 있, 했, 좋 and 많. Nouns in 제 have none of them before it.
_FINALS_OF_VERBS = frozenset((6, 18, 20, 27))

#: Gaps, and what is too long for a word: rules take time that grows with the square of such runs.
_GAP = re.compile(r"[^\S\n]{3,}")
_LONG_WORD = re.compile(r"(\S{80})\S+")


def spelled(text: str) -> str:
    """Return a message with the frequent misspellings of a chat corrected."""
    text = _LONG_WORD.sub(r"\1", _GAP.sub("  ", text))
    text = _TYPED_S.sub(_double_final_s, text)
    text = _ASKED_SO.sub(_state_with_ji, text)
    for words, right in _REPLACED:
        text = words.sub(right, text)
    return text


def _double_final_s(found: "re.Match[str]") -> str:
    """Return a syllable of a past tense with the correct final ㅆ: 햇 → 했."""
    syllable = found[0]
    code = ord(syllable) - _FIRST
    is_typed = (
        code % _FINALS == _S and code // _FINALS % 21 in _PAST_VOWELS and syllable not in _TRUE_S
    )
    return chr(ord(syllable) + _SS - _S) if is_typed else syllable


def _state_with_ji(found: "re.Match[str]") -> str:
    """Return the end of a verb with the standard 지: 있제 → 있지. A noun is left: 숙제."""
    is_verb = (ord(found[1]) - _FIRST) % _FINALS in _FINALS_OF_VERBS
    return f"{found[1]}지" if is_verb else found[0]
