"""Properties of a note as Obsidian shows them: YAML at the head of a file.

Each property is a block of lines. The blocks are written by this module's own rules and read back
as they are: properties of a person stay as the person wrote them, comments and order too, which no
YAML library keeps. Only values that Gieok itself writes are parsed: words, and lists of words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from gieok.text.late_pattern import defer_pattern

FENCE = "---"
#: Name → the lines of a property as they stand in the file, without the last line break.
Blocks = dict[str, str]
Value = str | Sequence[str]

_NAME = defer_pattern(
    r"""^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'"""
    r"""|([^\s#"'\-\[\]{}&*!|>%@`,?:][^:#]*?|-[^\s:][^:#]*?))\s*:(?=\s|$)"""
)
#: A word that every YAML reader takes for text, and as a whole.
_PLAIN = defer_pattern(r"[A-Za-z가-힣][A-Za-z0-9가-힣_/-]*(?: [A-Za-z0-9가-힣_/-]+)*")
_NO_TEXT = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"))
_ESCAPED = defer_pattern('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_DATE = defer_pattern(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?")
_ESCAPES = defer_pattern(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def split_properties(text: str) -> tuple[Blocks, str] | None:
    """Return the properties at the head of a text and the text after them.

    None where the head has no end, or holds no properties. A text without a head gives `({},
    text)`.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith(FENCE + "\n"):
        return {}, text
    lines = text.split("\n")
    end = next((n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == FENCE), 0)
    if not end:
        return None
    blocks: Blocks = {}
    name = ""
    for line in lines[1:end]:
        if match := _NAME.match(line):
            name = _unquote_yaml_value(match[0][:-1].rstrip())
            # The first one stays: a duplicate would make the head unreadable to other programs.
            if name in blocks:
                name = "\0again"
            blocks[name] = line
        elif not name and line.strip() and not line.startswith("#"):
            return None
        else:
            blocks[name] = f"{blocks[name]}\n{line}" if name in blocks else line
    blocks.pop("\0again", None)
    return blocks, "\n".join(lines[end + 1 :])


def join_properties(blocks: Mapping[str, str]) -> str:
    """Return the head of a file with these properties."""
    return "\n".join((FENCE, *(block for block in blocks.values()), FENCE)) + "\n"


def block(name: str, value: Value) -> str:
    """Return a property as YAML: one line, or a list."""
    if isinstance(value, str):
        return f"{name}: {scalar(value)}"
    return "\n".join((f"{name}:", *(f"  - {scalar(item)}" for item in value)))


def scalar(value: str) -> str:
    """Return a text as a scalar that YAML 1.1 and 1.2 read back unchanged.

    It is plain where that is possible, else in quotes; dates stay dates.
    """
    if _DATE.fullmatch(value) or (_PLAIN.fullmatch(value) and value.casefold() not in _NO_TEXT):
        return value
    return f'"{_ESCAPED.sub(_escape_yaml_character, value)}"'


def _escape_yaml_character(found: re.Match[str]) -> str:
    letter = found[0]
    if "\ud800" <= letter <= "\udfff":  # no text: half of a character
        return "\ufffd"
    return _NAMED.get(letter) or (
        f"\\x{ord(letter):02x}" if ord(letter) < 256 else f"\\u{ord(letter):04x}"
    )


def read_property_list(blocks: Mapping[str, str], name: str) -> list[str]:
    """Return the value of a property as a list, however it is written; [] for none."""
    block_text = blocks.get(name)
    if block_text is None:
        return []
    head, *rest = block_text.split("\n")
    value = head[_find_property_name_end(head) :].strip()
    if value.startswith("["):
        inner = " ".join((value, *(line.strip() for line in rest)))
        return [
            _unquote_yaml_value(item)
            for item in _iter_bracket_items(inner.strip().removeprefix("[").removesuffix("]"))
        ]
    if value:
        return [_unquote_yaml_value(_strip_yaml_comment(value))]
    items = (line.strip() for line in rest)
    return [
        _unquote_yaml_value(_strip_yaml_comment(item[1:].strip()))
        for item in items
        if item.startswith("-") and item[1:].strip()
    ]


def word(blocks: Mapping[str, str], name: str) -> str:
    """Return the value of a property as text, '' for none."""
    return next(iter(read_property_list(blocks, name)), "")


def _find_property_name_end(line: str) -> int:
    match = _NAME.match(line)
    return match.end() if match else 0


def _iter_bracket_items(inner: str) -> Iterable[str]:
    """Yield the items of a list in brackets; commas inside of quotes separate nothing."""
    for match in re.finditer(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]*)\s*(?:,|$)""", inner):
        if match[1].strip():
            yield match[1].strip()


def _strip_yaml_comment(value: str) -> str:
    """Return a plain value without the comment behind it."""
    return value if value[:1] in "\"'" else re.sub(r"\s+#.*", "", value)


def _unquote_yaml_value(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return _ESCAPES.sub(lambda found: _unescape_yaml_character(found[1]), value[1:-1])
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def _unescape_yaml_character(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _CHARACTERS.get(escape, escape)
