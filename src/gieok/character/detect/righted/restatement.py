"""What was put right in words: of the user, with the right value, or as a value alone."""

import re

from gieok.character.detect.righted.claims import WHO, Righted
from gieok.text.josa import with_particle
from gieok.text.language import detect_text_language

#: Longest sentence that is kept with a value in it put right.
_MOST_KEPT = 70


def format_righted(one: Righted) -> str:
    """Return what is put right as a value: 베이스가 아니라 드럼; "drums, not bass".

    A short sentence of the user's own is kept with the right value in it.
    """
    if one.is_own and len(one.claim) <= _MOST_KEPT and not re.search(r"[\"“”]", one.claim):
        return _replace_word(one.claim, one.wrong, one.right).strip(" ,.!~")
    whose = find_other(one)
    lead = f"{whose}: " if whose else ""
    if detect_text_language(one.claim + one.right) == "ko":
        return f"{lead}{with_particle(one.wrong, '이', '가')} 아니라 {one.right}"
    return f"{lead}{one.right}, not {one.wrong}"


def find_other(one: Righted) -> str:
    """Return the person of whom the character said what was wrong, '' for the user."""
    found = None if one.is_own else WHO.search(one.claim)
    return found[0] if found and found[0] != one.wrong else ""


def restate(one: Righted) -> str:
    """Return the wrong sentence with the right value, as the user would say it of themselves."""
    said = _replace_word(one.claim, one.wrong, one.right)
    return said if one.is_own else _say_as_user(said)


_AS_USER = (
    (re.compile(r"^\W*(?:(?:and|so|ah|oh|well|but|hi|hey)\b\W*)+", re.IGNORECASE), ""),
    (
        re.compile(
            r",?\s*(?:is it|is he|is she|isn't it|aren't you|don't you|right|innit|eh)\W*$",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"\byou(?:'re| are)\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\byou were\b", re.IGNORECASE), "I was"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
    (re.compile(r"(?<![가-힣])(?:너는|넌|너|당신은)(?![가-힣])"), "나는"),
)  # fmt: skip


def _say_as_user(sentence: str) -> str:
    """Return a sentence that addresses the user as the user would say it of themselves."""
    for words_, right in _AS_USER:
        sentence = words_.sub(right, sentence)
    return sentence.strip(" ?")


def _replace_word(text: str, old: str, new: str) -> str:
    return re.sub(re.escape(old), lambda _: new, text, count=1, flags=re.IGNORECASE)
