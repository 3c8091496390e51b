"""Personal numbers with valid check digits: Korean resident numbers and payment cards."""

import re

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.rule import AROUND, Rule, search_before

_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_CENTURY = {
    sex: century for century, of in ((1800, "90"), (1900, "1256"), (2000, "3478")) for sex in of
}
#: Resident numbers since October 2020 have no check digit; the words before one identify it.
_NAMED_BY = r"(?i:주민|등록\s?번호|resident|jumin|(?<![a-z])rrn(?![a-z]))"
_NAMED = defer_pattern(_NAMED_BY)
#: With its dash, the words may be those of a column above it; without, they are near.
_NAMED_NEAR = defer_pattern(rf"{_NAMED_BY}[\s\S]{{0,22}}$")


#: A person in front of a bracket, and what stands before it.
_PERSON = defer_pattern(r"[^\n]{0,20}(?<![가-힣])[가-힣]{3,4} ?\($")
_OTHER = defer_pattern(r"번호|주문|접수|송장|문서|코드|관리|버전|공고")


def _is_behind_person(found: re.Match[str]) -> bool:
    """Say whether a number stands behind the name of a person, which an order's number does not."""
    before = search_before(_PERSON, found.string, found.start())
    return before is not None and not _OTHER.search(before[0])


def _cut_resident_number(found: re.Match[str]) -> tuple[int, int] | None:
    digits = [int(c) for c in found[0] if c.isdigit()]
    birth = found[0][:6]
    named = _NAMED_NEAR if found["dash"] == "" else _NAMED
    is_named = search_before(named, found.string, found.start()) is not None
    is_named = is_named or (found["dash"] != "" and _is_behind_person(found))
    # Milliseconds since 1970 look like a resident number without its dash.
    if not is_named and (found["dash"] == "" and birth[0] == "1"):
        return None
    sex = str(digits[6])
    from datetime import date  # few texts have such a number

    try:
        date(_CENTURY[sex] + int(birth[:2]), int(birth[2:4]), int(birth[4:]))
    except ValueError:
        return None
    rest = sum(weight * digit for weight, digit in zip(_WEIGHTS, digits, strict=False)) % 11
    # A foreigner's check digit counts from 13, but many programs (and numbers) count from 11.
    is_right = digits[12] == (11 - rest) % 10 or (sex in "5678" and digits[12] == (13 - rest) % 10)
    return found.span() if is_right or is_named else None


def _cut_card_number(found: re.Match[str]) -> tuple[int, int] | None:
    digits = [int(c) for c in found[0] if c.isdigit()]
    if len(set(digits)) < 4:
        return None
    total = sum(
        digit if n % 2 == 0 else digit * 2 - 9 * (digit > 4)
        for n, digit in enumerate(reversed(digits))
    )
    return found.span() if total % 10 == 0 else None


_EDGE = r"(?<![A-Za-z0-9_.,/=#+-][0-9])"
_END = r"(?![A-Za-z0-9_]|[.,/=+-][0-9A-Za-z])"
#: Edges of a number that a comma may divide from its neighbours, which no thousands do.
_CELL_EDGE = r"(?<![A-Za-z0-9_./=#+-][0-9])(?<![0-9],[0-9])"
_CELL_END = r"(?![A-Za-z0-9_]|[./=+-][0-9A-Za-z]|,[0-9]{3}(?![0-9-]))"
#: Six digits in a row, or two groups of four.
_DIGITS = (b"000000", b"0000-0000", b"0000 0000")
_FOUR = r"[0-9]{4}"

PERSONAL = (
    Rule(
        name="resident-number",
        hints=(),
        pattern=(
            rf"[0-9]{_CELL_EDGE}[0-9](?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?P<dash> ?[-–] "
            rf"?|)[0-9]{{7}}{_CELL_END}"
        ),
        example="주민등록번호 900101-1234568",
        counter_example="900101-9234567",
        cut=_cut_resident_number,
        in_source=False,
        needs=_DIGITS,
        before=AROUND,
    ),
    Rule(
        name="card-number",
        hints=(),
        pattern=(
            rf"[2-69]{_EDGE}[0-9]{{3}}(?:(?P<gap>[ -]){_FOUR}(?P=gap){_FOUR}(?P=gap){_FOUR}"
            rf"|[0-9]{{12}}){_END}"
        ),
        example="카드 4929-1111-1234-5678",
        counter_example="4111-1111-1234-5678",
        cut=_cut_card_number,
        in_source=False,
        needs=_DIGITS,
        before=AROUND,
    ),
    Rule(
        name="card-number",
        hints=(),
        pattern=rf"3{_EDGE}[47][0-9]{{2}}(?P<gap>[ -]?)[0-9]{{6}}(?P=gap)[0-9]{{5}}{_END}",
        example="amex 3782 822463 10005",
        counter_example="3782 822463 10006",
        cut=_cut_card_number,
        in_source=False,
        needs=_DIGITS,
        before=AROUND,
    ),
)
