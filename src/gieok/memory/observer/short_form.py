"""Short form of a user's statement: the same words without those that only lead in or out.

Words go from the ends alone. A form that loses a number, a name, a negation or a word of content is
not taken. Clauses in the middle and reasons stay: of clauses that the reader finds worth little
alone, a third says what binds ("Jonas takes over", "nightly"), measured on three transcripts.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.text.gist import gist

#: Least words of a short form: with fewer, what was dropped may have been the statement.
_FEWEST_WORDS = 3


class EndWords(NamedTuple):
    """Words at an end of a statement: a pattern, a statement with them, and one without."""

    pattern: str
    example: str
    counter_example: str


#: At the beginning, as often as they stand there.
OPENERS = (
    EndWords(
        r"(?:and|also|but|anyway|btw|by the way|fyi|eh|again)\b[\s,:;–-]+"
        r"|(?:one more(?: thing)?|next thing|already ahead of you)[,:] ",
        "and careful with instance types, the bill may not pass 1,850 dollars",
        "one more node runs in Seoul since Friday",
    ),
    EndWords(
        r"(?:글고|그리고|참고로|암튼|아무튼|어쨌든|아 ?맞다|맞다|아 ?참|일단은?|ㅇㅇ)(?=[\s,.~])[\s,.~]+",
        "아 맞다 금요일 점심 이후로는 운영 서버에 배포하자",
        "일단락된 이슈는 매달 25일에 닫는다",
    ),
)
#: At the end, as often as they stand there.
ENDERS = (
    EndWords(
        r"[\s,]+(?:please|pls|thanks|thank you|thx|haha|lol|tbh|imo|or whatever|you know)[.!~]*",
        "forbid star imports everywhere in the schema, please",
        "the form says thank you in three languages",
    ),
    EndWords(
        r"\s*(?:[ㅋㅎㅠㅜ]{1,9}|:-?\)|\^\^)[.!~]*",
        "재고가 늦게 들어와서 오픈이 9월 29일로 밀렸어 ㅠ",
        "답은 ㅋㅋ 없이 두 문장으로 써줘",
    ),
)


def _compile_ends(ends: tuple[EndWords, ...], form: str) -> re.Pattern[str]:
    return re.compile(form.format("|".join(one.pattern for one in ends)), re.IGNORECASE)


_OPENER = _compile_ends(OPENERS, r"^(?:{})+")
_ENDER = _compile_ends(ENDERS, r"(?:{})+$")


def shorten_statement(text: str) -> str:
    """Return the short form of a statement, or the statement where that would say less.

    Of an answer that stands behind the agent's question, both are shortened.
    """
    question, mark, answer = text.partition("? – ")
    parts = [question, answer] if mark else [text]
    short = mark.join(_strip_ends(part) for part in parts)
    stripped = [end[0] for part in parts for end in _find_ends(part)]
    return short if _says_as_much(short, text, stripped) else text


def _find_ends(text: str) -> list[re.Match[str]]:
    return [match for match in (_OPENER.search(text), _ENDER.search(text)) if match]


def _strip_ends(text: str) -> str:
    return _ENDER.sub("", _OPENER.sub("", text)).strip()


def _says_as_much(short: str, text: str, stripped: Sequence[str]) -> bool:
    """Return whether a short form has the content and the negation of a statement.

    Words among those that were stripped are no content, although `gist` may count them.
    """
    before, after = gist(text), gist(short)
    ends = frozenset[str]().union(*(gist(words).words for words in stripped))
    return (
        len(short.split()) >= _FEWEST_WORDS
        and after.is_not == before.is_not
        and before.words - after.words <= ends
    )
