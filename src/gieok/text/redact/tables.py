"""Secrets in tables: cells of a column, or beside a label, whose name is the name of a secret.

Read are Markdown tables, lines divided by commas, semicolons or tabs, and columns aligned with
blanks. Documents have tables about passwords too, so a plain word counts as a secret only where
another column holds user names.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.nouns import NounKind, read_name
from gieok.text.redact.rule import Rule, compile_on_use
from gieok.text.redact.value import is_literal, is_row, is_shaped

_MOST_ROWS = 400
_MOST_LINE = 2_000
_LEAST_COLUMNS = 3
_LEAST_VALUE = 4
#: Divider of columns that are aligned with two or more blanks.
_ALIGNED = "  "
_RULE_OF_HEADER = defer_pattern(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*[|+]?){2,40}[ \t\r]*")
_KOREAN_NAME = defer_pattern(
    r"[가-힣A-Za-z ]{0,10}(?:비밀 ?번호|비번|패스 ?워드|암호|핀 ?번호|PIN|pin|PW|pw)"
)
_LOGIN = defer_pattern(
    r"(?i)(?:[\w ]{0,12}[ _-])?(?:log ?in|user(?:name|id)?|account|e?-?mail|id|ssid)|[가-힣 "
    r"]{0,6}(?:아이디|계정|사용자|이메일)"
)
_HEADER_CELL = defer_pattern(r"[\w가-힣 ./#*'()-]{1,40}")


class _Cell(NamedTuple):
    """Cell without the blanks and marks around its text, and the offset of that text."""

    text: str
    start: int

    @property
    def span(self) -> tuple[int, int]:
        """Return the offsets of the beginning and the end of the cell's text."""
        return self.start, self.start + len(self.text)


def _search_secret_columns(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the cells that hold secrets, each table once.

    `places` are the offsets of the rule's hints in the text.
    """
    reached = 0
    for at in places:
        if at < reached:
            continue
        start = text.rfind("\n", 0, at) + 1
        end = _end_of_line(text, at)
        reached = end
        if end - start > _MOST_LINE:
            continue
        line = text[start:end]
        following = text[end + 1 : _end_of_line(text, end + 1)] if end < len(text) else ""
        if line.count("|") > 1:
            if _RULE_OF_HEADER.fullmatch(following):
                yield from _iter_column_secrets(text, start, _end_of_line(text, end + 1) + 1, "|")
            else:
                yield from _beside_label(text, start, end)
        elif (sign := _sign_of(line)) and (
            sign == _ALIGNED or following.count(sign) >= line.count(sign)
        ):
            yield from _iter_column_secrets(text, start, end + 1, sign)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _sign_of(line: str) -> str:
    """Return the divider of a line that may be a header; '' for any other line.

    A header has only short names; the divider is a tab, `;`, `,`, or `_ALIGNED` for columns that
    blanks align.
    """
    if not line[:1].strip() or "=" in line:
        return ""
    if compile_on_use(r"\S{1,30}(?: \S{1,20})?(?: {2,30}\S{1,30}(?: \S{1,20})?){2,9} *").fullmatch(
        line
    ):
        return (
            _ALIGNED
            if line.isupper() or compile_on_use(r"(?:[A-Z가-힣]\S* +){3,10}").fullmatch(f"{line} ")
            else ""
        )
    for sign in ("\t", ";", ","):
        cells = line.split(sign)
        if len(cells) >= _LEAST_COLUMNS:
            return sign if all(_is_header(cell) for cell in cells) else ""
    return ""


def _is_header(cell: str) -> bool:
    bare = cell.strip('"\r')
    return bare == bare.strip() and _HEADER_CELL.fullmatch(bare) is not None


def _split_table_cells(text: str, start: int, end: int, sign: str) -> list[_Cell]:
    """Return the cells of a line; a divider inside quotes does not divide."""
    if sign == _ALIGNED:
        words = compile_on_use(r"\S+(?: \S+)*").finditer(text, start, end)
        return [_Cell(match[0], match.start()) for match in words]
    edge = re.escape(sign)
    cells = [
        _strip_table_cell(text, *match.span())
        for match in compile_on_use(
            rf'(?<![^{edge}\n])(?:"[^"\n]{{0,400}}"(?={edge}|\r?\n|\Z)|[^{edge}\n]*)'
        ).finditer(text, start, end)
    ]
    is_framed = sign == "|" and text[start:end].lstrip().startswith("|")
    return cells[1:] if is_framed else cells


def _strip_table_cell(text: str, start: int, end: int) -> _Cell:
    raw = text[start:end]
    bare = raw.strip(' \t\r"`*')
    return _Cell(bare, start + raw.find(bare) if bare else start)


def _names_secret(name: str) -> bool:
    """Say whether a header or label is the name of a secret: `Password`, `wifi pw`, `PIN`,
    `패스워드`.
    """
    if not name.isascii():
        return _KOREAN_NAME.fullmatch(name) is not None
    noun = (
        read_name(name.replace(" ", "_"))
        if compile_on_use(r"[\w .-]{2,40}").fullmatch(name)
        else None
    )
    return noun is not None and (noun.is_whole or noun.kind in (NounKind.PIN, NounKind.SECRET))


def _iter_column_secrets(text: str, header: int, at: int, sign: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the secrets in the columns whose header names a secret."""
    names = [
        cell.text for cell in _split_table_cells(text, header, _end_of_line(text, header), sign)
    ]
    columns = [n for n, name in enumerate(names) if _names_secret(name)]
    has_login = any(_LOGIN.fullmatch(name) for name in names)
    for _ in range(_MOST_ROWS):
        end = _end_of_line(text, at)
        if not columns or at >= len(text) or text.find(sign, at, end) < 0:
            return
        cells = _split_table_cells(text, at, end, sign)
        for column in columns:
            if column < len(cells) and _is_secret(cells[column].text, is_named=has_login):
                yield cells[column].span
        at = end + 1


def _beside_label(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the secrets whose label is the cell to their left in the same row."""
    cells = _split_table_cells(text, start, end, "|")
    for label, value in pairwise(cells):
        if _names_secret(label.text) and _is_secret(value.text, is_named=False):
            yield value.span


def _is_secret(value: str, *, is_named: bool) -> bool:
    """Say whether a cell holds a secret. `is_named`: another column holds user names."""
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
        search=_search_secret_columns,
    ),
)
