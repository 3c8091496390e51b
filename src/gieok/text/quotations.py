"""Finds what a sentence quotes: other people's words, and names in quotation marks."""

import re
from collections.abc import Iterator

from gieok.text.late_pattern import defer_pattern

#: A pair of straight marks around few characters is consumed first: else the words between two
#: short quotations ("A" and "B") would count as quoted.
_PAIR = defer_pattern(
    r"\"[^“”\"「」『』‘’]{0,7}\"|[“\"「『‘](?P<words>[^“”\"「」『』‘’]{8,})[”\"」』’]"
)
#: Straight single marks around Korean, in which they are no apostrophes.
_SINGLE = defer_pattern(r"(?<!\w)'(?=[^'\n]*[가-힣])(?P<words>[^'\n]{8,}?)'")
#: Quotations of fewer words are names, titles or values: "Co-Authored-By".
_FEWEST_SAID_WORDS = 2


def find_quotations(text: str) -> Iterator[re.Match[str]]:
    """Yield the quotations of eight characters or more; `words` are those inside of the marks."""
    yield from (pair for pair in _PAIR.finditer(text) if pair["words"] is not None)
    if "'" in text:
        yield from _SINGLE.finditer(text)


def quotes_speech(text: str) -> bool:
    """Say whether a text quotes several words, as other people say them."""
    return any(len(pair["words"].split()) >= _FEWEST_SAID_WORDS for pair in find_quotations(text))
