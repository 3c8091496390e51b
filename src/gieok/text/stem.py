"""The English (Porter2) stemmer of the Snowball project, in the standard library.

Own code because the prompt hook imports the standard library alone, and because every store must
make the same stems. Agrees with Snowball's C implementation on its published vocabulary
(`tests/text/test_stem.py` carries a sample).
Source: https://snowballstem.org/algorithms/english/stemmer.html
"""

from gieok.text.late_pattern import defer_pattern

_VOWEL = "aeiouy"
_DOUBLE = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_EXCEPTIONS = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli",
    "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news",
    "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_AFTER_1A = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed")
)
_R1_PREFIX = defer_pattern(r"gener|commun|arsen|past|univers|later|emerg|organ|inter")
_REGION = defer_pattern(r"[aeiouy][^aeiouy]")
_SHORT_END = defer_pattern(r"(?:(?:^|.*[^aeiouy])[aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|^past)$")
_STEP2 = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"),
    ("iveness", "ive"), ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"),
    ("ation", "ate"), ("alism", "al"), ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"),
    ("fulli", "ful"), ("ogist", "og"), ("enci", "ence"), ("anci", "ance"), ("abli", "able"),
    ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"), ("ogi", "og"), ("li", ""),
)  # fmt: skip
_STEP3 = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"),
    ("ative", ""), ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic",
)  # fmt: skip
_STEP2_ENDS = tuple(suffix for suffix, _ in _STEP2)
_STEP3_ENDS = tuple(suffix for suffix, _ in _STEP3)


def stem_english_word(word: str) -> str:
    """Return the Porter2 stem of a lower-case English word.

    Words of one or two letters are unchanged.
    """
    if len(word) <= 2:
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    word = _mark_consonant_y(word)
    r1, r2 = _find_stem_regions(word)
    word = _step_1a(word)
    if word in _AFTER_1A:
        return word
    word = _step_1c(_step_1b(word, r1))
    word = _step_3(_step_2(word, r1), r1, r2)
    return _step_5(_step_4(word, r2), r1, r2).replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    if "y" not in word:
        return word
    letters = list(word)
    for i, letter in enumerate(letters):
        if letter == "y" and (i == 0 or letters[i - 1] in _VOWEL):
            letters[i] = "Y"
    return "".join(letters)


def _find_stem_regions(word: str) -> tuple[int, int]:
    """Return the offsets at which the regions R1 and R2 begin."""
    prefix = _R1_PREFIX.match(word)
    r1 = prefix.end() if prefix else _region_after(word, 0)
    return r1, _region_after(word, r1)


def _region_after(word: str, start: int) -> int:
    match = _REGION.search(word, start)
    return match.end() if match else len(word)


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if (
        word.endswith("s")
        and not word.endswith(("us", "ss"))
        and any(c in _VOWEL for c in word[:-2])
    ):
        return word[:-1]
    return word


def _step_1b(word: str, r1: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            cut = len(word) - len(suffix)
            return word[:cut] + "ee" if cut >= r1 else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            return _after_1b(word, word[: -len(suffix)], suffix, r1)
    return word


def _after_1b(word: str, base: str, suffix: str, r1: int) -> str:
    if not any(c in _VOWEL for c in base):
        return word
    if suffix.startswith("ing") and len(base) == 2 and base[1] == "y" and base[0] not in _VOWEL:
        return base[0] + "ie"
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base.endswith(_DOUBLE):
        return base if len(base) == 3 and base[0] in "aeo" else base[:-1]
    return base + "e" if r1 >= len(base) and _SHORT_END.match(base) else base


def _step_1c(word: str) -> str:
    return (
        word[:-1] + "i" if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWEL else word
    )


def _step_2(word: str, r1: int) -> str:
    if not word.endswith(_STEP2_ENDS):  # most words: one call instead of one for each suffix
        return word
    for suffix, replacement in _STEP2:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            fits = len(base) >= r1 and (suffix != "ogi" or base.endswith("l"))
            if suffix == "li":
                fits = fits and base[-1:] in tuple("cdeghkmnrt")
            return base + replacement if fits else word
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    if not word.endswith(_STEP3_ENDS):
        return word
    for suffix, replacement in _STEP3:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + replacement if len(base) >= (r2 if suffix == "ative" else r1) else word
    return word


def _step_4(word: str, r2: int) -> str:
    if not word.endswith(_STEP4):
        return word
    for suffix in _STEP4:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            fits = len(base) >= r2 and (suffix != "ion" or base.endswith(("s", "t")))
            return base if fits else word
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    end = len(word) - 1
    if word.endswith("e"):
        return word[:-1] if end >= r2 or (end >= r1 and not _SHORT_END.match(word[:-1])) else word
    if word.endswith("ll") and end >= r2:
        return word[:-1]
    return word
