"""Finds a value that a reply gives for another of its kind: 168 for 162, Thursday for Friday."""

import re
from collections.abc import Iterator, Sequence

from gieok.character.detect import words
from gieok.character.detect.righted.claims import (
    TAG,
    DoubtedClaim,
    Righted,
    list_cited,
    right_claim,
)
from gieok.character.detect.righted.openings import puts_right
from gieok.text.numerals import ENGLISH_ONES, ENGLISH_TENS
from gieok.text.times.lexicon import MONTHS, WEEKDAYS

_ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_ONES = "|".join(ENGLISH_ONES[:9])
_TEENS = "|".join(ENGLISH_ONES[10:])
_TENS = "|".join(ENGLISH_TENS)
#: "may" is a verb more often than a month.
_MONTHS = "|".join(month for month in MONTHS if month != "may")
#: Kinds of values that are told apart by their form alone.
KINDS = tuple(
    re.compile(kind, re.IGNORECASE)
    for kind in (
        r"(?<![\d.:])(?P<value>\d{1,2}) ?(?=시(?!간)|o'clock|[ap]\.?m\b)",
        r"(?<![\d.:])(?P<value>\d{1,4}) ?(?=살|세(?![가-힣])|개월|년|번|층|호|학년|명|마리|키로|킬로|센티|cm|kg|km)",
        rf"\b(?P<value>(?:{'|'.join(WEEKDAYS)})s?)\b",
        (rf"\b(?P<value>{_ORDINALS})(?= (?:year|grade|floor|form))"),
        r"(?<![가-힣])(?P<value>[일이삼사오육칠팔구]?[십백천만]+) ?(?=평|원|명|년|번|미터|킬로)",
        (rf"\b(?P<value>(?:{_TENS})(?:[- ](?:{_ONES}))?|{_TEENS})\b"),
        r"(?<![가-힣])(?P<value>[월화수목금토일])(?=요일|욜)",
        r"(?<!\d)(?P<value>\d{1,2})(?=일(?! ?(?:동안|간)))",
        r"(?<![\d.:,월-])(?P<value>\d{1,4})(?![\d:%-]|[.,]\d|[시일월년]|(?:st|nd|rd|th)\b)",
        r"(?<!\d)(?P<value>1?\d)(?=월(?!요일))",
        (rf"\b(?P<value>{_MONTHS})\b"),
    )
)

#: What may stand behind a value that is all that its clause says.
_STANDS_ALONE = re.compile(
    r"\w{0,4}?(?:인데|임|이야|이에요|예요|입니다|이요|거든|라고|라니까)|\s*(?:[.,!?…]|$|po\b|actually\b)",
    re.IGNORECASE,
)


def iter_same_kind(text: str, claims: Sequence[DoubtedClaim]) -> Iterator[Righted]:
    """Yield values of which a message gives another of the same kind: 168 for 162, Thursday.

    The message opens with the value, or says that it puts something right, and each of the two is
    the only one of its kind where it stands; the message may name the wrong one, too.
    """
    is_put_right = puts_right(text) or bool(list_cited(text))
    for kind in KINDS:
        now = list_kind_values(kind, text)
        first = next(kind.finditer(text), None)
        is_opening = first is not None and _opens_alone(text, first)
        own_first = sorted(claims, key=lambda claim: not claim.is_own)
        for claim in own_first if is_opening or (is_put_right and now) else ():
            was = list_kind_values(kind, claim.text)
            right = [value for value in now if value not in was]
            right = now[:1] if is_opening and now[0] in right else right
            is_repeated = bool(was) and any(
                was == list_kind_values(kind, one.text) for one in claims if not one.is_own
            )
            is_denied = bool(was) and _denies_value(text, was[0])
            if claim.is_own and not (claim.is_open or is_denied or is_repeated):
                continue
            is_asked = claim.text.endswith("?") and not TAG.search(claim.text)
            if len(was) == len(right) == 1 and claim.is_of_user and not is_asked:
                yield right_claim(claim, was[0], right[0], text)
                return


def _denies_value(text: str, value: str) -> bool:
    """Return whether a text says of a value that it is not the one."""
    named = re.escape(value)
    return (
        re.search(
            rf"{named}[가-힣]{{0,4}} ?(?:{words.NOT_BUT})|\bnot (?:the |on |at |my )?{named}\b",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def list_kind_values(kind: "re.Pattern[str]", text: str) -> list[str]:
    """Return the values of a kind in a text, each once."""
    return list(dict.fromkeys(found["value"] for found in kind.finditer(text)))


def _opens_alone(text: str, found: "re.Match[str]") -> bool:
    """Return whether a message opens with a value that is a statement of its own: 168인데."""
    before = re.findall(r"\w+", text[: found.start()])
    return len(before) <= 1 and _STANDS_ALONE.match(text[found.end() :]) is not None
