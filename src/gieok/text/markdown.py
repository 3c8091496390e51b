"""Front matter and title of a Markdown file."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern

_FRONT = defer_pattern(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = defer_pattern(r"([^\s:#][^:]*):(?:\s+(.*))?$")
_ITEM = defer_pattern(r"\s*-\s+(.*)$")
_OTHER = defer_pattern(r"\s|#|\]|$")
#: Values that continue in the indented lines below.
_BLOCK = defer_pattern(r"[|>][-+]?\d?(?:\s+#.*)?$")
_QUOTED = defer_pattern(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')(?:\s+#.*)?""")
_COMMENT = defer_pattern(r"\s+#\s.*")
_LISTED = defer_pattern(
    r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[\[[^\[\]]{0,200}\]\]|[^,]*)\s*(?:,|$)"""
)
_TITLE = defer_pattern(r"^#[ \t]+(\S.*)$", re.MULTILINE)
_QUOTES = "\"'"
#: Marks that a line begins with: a heading, an item with or without its box, a quotation.
_HEADING = defer_pattern(r"\s*#{1,6}\s+(?P<words>\S.*)$")
_LISTED_LINE = defer_pattern(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<words>.*)$")
_QUOTED_LINE = defer_pattern(r"\s*(?:>\s?)+(?P<words>.*)$")
#: Signs of the rule below the head of a table, of a line across the page, of an empty heading.
_OF_RULES = frozenset("|:-*_# \t")
#: What code stands between.
_FENCES = ("```", "~~~")


class FrontMatter(NamedTuple):
    """Fields of the block between `---` lines, and the offset of the text after the block.

    `lines`: the numbers of the first and last line of each field, from 1 on.
    """

    fields: Mapping[str, str]
    end: int = 0
    end_line: int = 0
    lines: Mapping[str, tuple[int, int]] = MappingProxyType({})


def front_matter(text: str) -> FrontMatter:
    """Read the front matter of `text`; the result is empty without one.

    Prose between two rules is none either. Reads `key: value`, lists (joined by commas) and text in
    several lines, as notes have them. Not a YAML parser: an invalid block must not make a note
    unreadable, and the index must not depend on an optional library.
    """
    block = _FRONT.match(text)
    if not block:
        return FrontMatter({})
    fields: dict[str, str] = {}
    lines: dict[str, tuple[int, int]] = {}
    name = ""
    for number, line in enumerate((block[1] or "").splitlines(), start=2):
        pair, item = _FIELD.match(line), _ITEM.match(line)
        if name and line[:1] in " \t]" and _goes_on(fields[name], line):
            fields[name] = f"{fields[name]} {line.strip()}".lstrip()
        elif item and name:
            fields[name] = ", ".join(filter(None, (fields[name], _parse_plain_value(item[1]))))
        elif pair:
            name = pair[1].strip().strip(_QUOTES)
            fields[name] = (pair[2] or "").strip()
            lines[name] = (number, number)
            continue
        elif not _OTHER.match(line):
            return FrontMatter({})
        if name and line.strip():
            lines[name] = (lines[name][0], number)
    fields = {name: _parse_plain_value(_strip_block_mark(value)) for name, value in fields.items()}
    return FrontMatter(fields, block.end(), text.count("\n", 0, block.end()), lines)


def _goes_on(value: str, line: str) -> bool:
    """Return whether a line continues a value.

    The value is a text in several lines, or a list whose bracket is open.
    """
    if value.startswith("["):
        return value.count("[") > value.count("]")
    return bool(value) and not line.lstrip().startswith(("- ", "#"))


def _strip_block_mark(value: str) -> str:
    head, _, rest = value.partition(" ")
    return rest if _BLOCK.fullmatch(head) else "" if _BLOCK.fullmatch(value) else value


def _parse_plain_value(value: str) -> str:
    value = value.strip()
    # literally, because Gieok's own values are written so
    if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES:
        return value[1:-1]
    if quoted := _QUOTED.fullmatch(value):
        return (quoted[1] or quoted[2] or "").strip()
    value = _COMMENT.sub("", value)
    if value.startswith("[") and value.endswith("]") and not value.startswith("[["):
        items = (match[1] for match in _LISTED.finditer(value[1:-1].strip()) if match[1])
        return ", ".join(_parse_plain_value(item) for item in items)
    return value


def find_markdown_title(text: str, start: int = 0) -> str:
    """Return the first level-one heading at or after `start`, or ''."""
    match = _TITLE.search(text, start)
    return heading_text(match[1]) if match else ""


def heading_text(words: str) -> str:
    """Return the text of a heading without closing marks.

    No regular expression, because one takes cubic time on spaces.
    """
    return words.rstrip().rstrip("#").rstrip()


def flatten_markdown(text: str) -> str:
    """Return Markdown as one line, without the marks that its lines begin with.

    A heading ends with a colon, an item begins with a dot.
    """
    pieces, is_code = list[str](), False
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCES):
            is_code = not is_code
            continue
        if is_code:  # where `#` begins a comment, and `-` subtracts
            pieces.append(line)
            continue
        if _OF_RULES.issuperset(line):
            continue
        if heading := _HEADING.match(line):
            pieces.append(f"{heading_text(heading['words']).rstrip(':')}:")
        elif item := _LISTED_LINE.match(line):
            pieces.append(f"· {item['words']}" if pieces else item["words"])
        elif line.strip().startswith("|"):
            pieces.append(", ".join(cell.strip() for cell in line.strip().strip("|").split("|")))
        elif quotation := _QUOTED_LINE.match(line):
            pieces.append(quotation["words"])
        else:
            pieces.append(line)
    return " ".join(" ".join(pieces).split()).removesuffix(":")
