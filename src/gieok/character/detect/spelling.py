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
_WORDS = (
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
    (r"(?<=[라다자냐]) ?카(?=[는더데노네고이지])", "고 하"),
    (r"(?<=[라다자냐]) ?캐(?=[라서도])", "고 해"),
    (r"(?<=[라다자냐]) ?캤", "고 했"),
)
_REPLACED = tuple((re.compile(words), right) for words, right in _WORDS)


#: Gaps, and what is too long for a word: rules take time that grows with the square of such runs.
_GAP = re.compile(r"[^\S\n]{3,}")
_LONG_WORD = re.compile(r"(\S{80})\S+")


def spelled(text: str) -> str:
    """Return a message with the frequent misspellings of a chat corrected."""
    text = _LONG_WORD.sub(r"\1", _GAP.sub("  ", text))
    text = _TYPED_S.sub(_double_final_s, text)
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
