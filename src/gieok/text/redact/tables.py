"""Secrets in tables: the cells of a column, or the cell beside a label, whose name is a secret's.

Tables of Markdown and lines with commas, semicolons or tabs are read. A document has tables about
passwords too, so a plain word counts only where another column says who logs in.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gieok.text.redact.nouns import Kind, read_name
from gieok.text.redact.rule import Rule, compiled
from gieok.text.redact.value import is_literal, is_row, is_shaped

_MOST_ROWS = 400
_MOST_LINE = 2_000
_LEAST_COLUMNS = 3
_MOST_HEADER = 40
_LEAST_VALUE = 4
#: Columns that blanks align.
_ALIGNED = "  "
_RULE_OF_HEADER = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*[|+]?){2,40}[ \t\r]*")
_KOREAN_NAME = re.compile(
    r"[가-힣A-Za-z ]{0,10}(?:비밀 ?번호|비번|패스 ?워드|암호|핀 ?번호|PIN|pin|PW|pw)"
)
_LOGIN = re.compile(
    r"(?i)(?:[\w ]{0,12}[ _-])?(?:log ?in|user(?:name|id)?|account|e?-?mail|id|ssid)|[가-힣 "
    r"]{0,6}(?:아이디|계정|사용자|이메일)"
)
_HEADER_CELL = re.compile(r"[\w가-힣 ./#*'()-]{1,40}")


class _Cell(NamedTuple):
    """A cell without the blanks and signs around it, and where it stands."""

    text: str
    start: int

    @property
    def span(self) -> tuple[int, int]:
        """Return where the cell begins and ends."""
        return self.start, self.start + len(self.text)


def _search(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the cells of tables that hold secrets, each table once."""
    done = 0
    for at in places:
        if at < done:
            continue
        start = text.rfind("\n", 0, at) + 1
        end = _end_of_line(text, at)
        done = end
        if end - start > _MOST_LINE:
            continue
        line = text[start:end]
        following = text[end + 1 : _end_of_line(text, end + 1)] if end < len(text) else ""
        if line.count("|") > 1:
            if _RULE_OF_HEADER.fullmatch(following):
                yield from _column(text, start, _end_of_line(text, end + 1) + 1, "|")
            else:
                yield from _beside_label(text, start, end)
        elif (sign := _sign_of(line)) and (
            sign == _ALIGNED or following.count(sign) >= line.count(sign)
        ):
            yield from _column(text, start, end + 1, sign)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _sign_of(line: str) -> str:
    """Return what divides the cells of a line that may be a header: short names and nothing
    else.
    """
    if not line[:1].strip() or "=" in line:
        return ""
    if compiled(r"\S{1,30}(?: \S{1,20})?(?: {2,30}\S{1,30}(?: \S{1,20})?){2,9} *").fullmatch(line):
        return (
            _ALIGNED
            if line.isupper() or compiled(r"(?:[A-Z가-힣]\S* +){3,10}").fullmatch(f"{line} ")
            else ""
        )
    for sign in ("\t", ";", ","):
        cells = line.split(sign)
        if len(cells) >= _LEAST_COLUMNS:
            return sign if all(_is_header(cell) for cell in cells) else ""
    return ""


def _is_header(cell: str) -> bool:
    bare = cell.strip('"\r')
    return (
        bare == bare.strip()
        and len(bare) < _MOST_HEADER
        and _HEADER_CELL.fullmatch(bare) is not None
    )


def _cells(text: str, start: int, end: int, sign: str) -> list[_Cell]:
    """Return the cells of a line; a divider in quotes divides nothing."""
    if sign == _ALIGNED:
        words = compiled(r"\S+(?: \S+)*").finditer(text, start, end)
        return [_Cell(found[0], found.start()) for found in words]
    edge = re.escape(sign)
    cells = [
        _stripped(text, *found.span())
        for found in compiled(
            rf'(?<![^{edge}\n])(?:"[^"\n]{{0,400}}"(?={edge}|\r?\n|\Z)|[^{edge}\n]*)'
        ).finditer(text, start, end)
    ]
    is_framed = sign == "|" and text[start:end].lstrip().startswith("|")
    return cells[1:] if is_framed else cells


def _stripped(text: str, start: int, end: int) -> _Cell:
    raw = text[start:end]
    bare = raw.strip(' \t\r"`*')
    return _Cell(bare, start + raw.find(bare) if bare else start)


def _names_secret(name: str) -> bool:
    """Say whether a header or a label names a secret: `Password`, `wifi pw`, `PIN`, `패스워드`."""
    if not name.isascii():
        return _KOREAN_NAME.fullmatch(name) is not None
    noun = read_name(name.replace(" ", "_")) if compiled(r"[\w .-]{2,40}").fullmatch(name) else None
    return noun is not None and (noun.is_whole or noun.kind in (Kind.PIN, Kind.SECRET))


def _column(text: str, header: int, at: int, sign: str) -> Iterator[tuple[int, int]]:
    names = [cell.text for cell in _cells(text, header, _end_of_line(text, header), sign)]
    columns = [n for n, name in enumerate(names) if _names_secret(name)]
    has_login = any(_LOGIN.fullmatch(name) for name in names)
    for _ in range(_MOST_ROWS):
        end = _end_of_line(text, at)
        if not columns or at >= len(text) or text.find(sign, at, end) < 0:
            return
        cells = _cells(text, at, end, sign)
        for column in columns:
            if column < len(cells) and _is_secret(cells[column].text, is_named=has_login):
                yield cells[column].span
        at = end + 1


def _beside_label(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    cells = _cells(text, start, end, "|")
    for label, value in pairwise(cells):
        if _names_secret(label.text) and _is_secret(value.text, is_named=False):
            yield value.span


def _is_secret(value: str, *, is_named: bool) -> bool:
    """Say whether a cell holds a secret; `is_named`: another column says whose it is."""
    if len(value) < _LEAST_VALUE or len(set(value)) == 1:
        return False
    if value.isdigit():
        return True
    if is_named and is_literal(value):
        return True
    return " " not in value and (is_shaped(value) or is_row(value))


TABLES = (
    Rule(
        name="password",
        hints=("pass", "pw", "pin", "secret", "token", "key", "비밀", "비번", "패스", "암호", "핀"),
        pattern=r"(?i:pass|pw|pin|secret|token|key)|비밀|비번|패스|암호|핀",
        example="site,login,password\nshop,kim,pear-tree",
        counter_example="option,default,password\nlogin,yes,no",
        in_source=False,
        search=_search,
    ),
)
