"""Korean particles that depend on how the word before them ends."""

import re

from gieok.text.late_pattern import defer_pattern

_FIRST, _COUNT, _RIEUL = ord("가"), 28, 8
#: Vowels in the order of the syllables of Unicode.
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
#: How digits and single Latin letters are read: those whose reading ends in a consonant, and in ㄹ.
_CLOSED = "013678lmnrLMNR"
_RIEUL_READ = "178lrLR"
#: Approximate pattern of Latin words whose reading ends in a consonant: `handle`, `name`, `hook`,
#: `secret` do, `server`, `code`, `list` do not.
_WORD = defer_pattern(r"[A-Za-z]{2,}$")
_CLOSED_WORD = defer_pattern(r"(?:[lmn]e?|ng|[aeiou]c?k|[aeiou][pt]|[aeiou]b)$")
_RIEUL_WORD = defer_pattern(r"le?$")
#: An abbreviation that is read letter by letter, such as URL.
_LONGEST_NAME = 4
_FIELD = defer_pattern(r"\{(\w+)(?::([^{}/]*)/([^{}]*))?\}")


def get_final(syllable: str) -> int:
    """Return the number of a Korean syllable's final consonant, such as 4 for ㄴ; 0 for none."""
    return (ord(syllable) - _FIRST) % _COUNT if "가" <= syllable <= "힣" else 0


def is_closed(word: str) -> bool:
    """Return whether a word, as it is read aloud, ends in a consonant.

    Signs and brackets at its end do not count.
    """
    last = _find_last_syllable(word)
    if "가" <= last <= "힣":
        return get_final(last) != 0
    if latin := _find_latin_ending(word):
        return _CLOSED_WORD.search(latin) is not None
    return last in _CLOSED and bool(last)


def _strip_unspoken_end(word: str) -> str:
    return re.sub(r"\([^()]*\)\s*$|[^\w]+$", "", word).strip()


def get_vowel(syllable: str) -> str:
    """Return the vowel of a Hangul syllable: ㅓ of 서."""
    return _VOWELS[(ord(syllable) - _FIRST) // _COUNT % len(_VOWELS)]


def _find_last_syllable(word: str) -> str:
    return _strip_unspoken_end(word)[-1:]


def _find_latin_ending(word: str) -> str:
    """Return the Latin word at the end in lower case.

    '' where there is none, or where the word is read letter by letter.
    """
    match = _WORD.search(_strip_unspoken_end(word))
    if not match or (match[0].isupper() and len(match[0]) <= _LONGEST_NAME):
        return ""
    return match[0].lower()


def _ends_in_rieul(word: str) -> bool:
    last = _find_last_syllable(word)
    if latin := _find_latin_ending(word):
        return _RIEUL_WORD.search(latin) is not None
    return get_final(last) == _RIEUL if "가" <= last <= "힣" else last in _RIEUL_READ and bool(last)


def with_particle(word: str, closed: str, open_: str) -> str:
    """Return a word with the particle that fits.

    It is `closed` after a consonant, `open_` after a vowel (and 로 after ㄹ).
    """
    is_open = not is_closed(word) or (closed == "으로" and _ends_in_rieul(word))
    return word + (open_ if is_open else closed)


def fill_particles(form: str, **words: str) -> str:
    """Return a template filled with words and the particles that fit them.

    `{who:은/는}` is the word `who` and the particle that fits, `{who}` the word alone.
    """

    def put(found: "re.Match[str]") -> str:
        word, closed, open_ = words[found[1]], found[2], found[3]
        if closed is None:
            return word
        return with_particle(word, closed, open_)

    return _FIELD.sub(put, form)
