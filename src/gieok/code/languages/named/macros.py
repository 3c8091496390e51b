"""Macros around names of C and C++: `class API Widget {`, `int *CALL open(…) {`, `TEST(A, B) {`.

The grammar does not know what a macro stands for. Words in capitals at which it fails are blanked,
so that what is around them parses; a heading of capitals with a body behind it defines a function,
named by what stands in its parentheses.
"""

import re
from collections.abc import Iterator

from gieok.code.languages.tree import Node, Parse, name_by_title

#: Rounds in which words are blanked, each as long as it leaves fewer errors.
_ROUNDS = 3
_WORD = re.compile(rb"\b[A-Z][A-Z0-9_]{2,}\b(?:\([^()\n]*\))?")
#: A statement that is a macro with types or numbers in it, in which nothing is called.
_STATEMENT = re.compile(rb"\b[A-Z][A-Z0-9_]{2,}\([^(){};]*\)\s*;")
#: A word between `class` and the class's name, or the type of a variable with a list of values.
_CLASS_MARK = (
    rb"(?<=[\s;}>])((?:class|struct|union)\s+)([A-Z][A-Z0-9_]+)(\([^(){};\n]*\))?(?=\s+(\w+))"
)
_MARK_OR_SIGN = re.compile(_CLASS_MARK + rb"|[;{}]")
#: What stands between a class's name and its brace; a colon begins the bases.
_CLASS_HEAD = re.compile(rb"\s*(?:final\b\s*)?(?P<bases>:(?!:))?")
#: What stands before a brace inside of a class: a head with parameters, a type inside of it, or a
#: type and a name, perhaps with a value.
_MEMBER = re.compile(
    rb"\)[\w\s:&]*$|^(?>[\w\s]*?\b(?:class|struct|union|enum)\b)[^=(),]*$"
    rb"|[\w>&*]\s+[*&]*\w+\s*(?:=\s*)?$"
)
_DEFINED_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_MACRO = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_TEST_WORD = re.compile(r"TEST|SCENARIO|SPEC")
_TITLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LONGEST_WORD = 80


def parse_around_macros(source: bytes, parse: Parse) -> Node:
    """Return the syntax tree of a source with as few errors as blanking macros leaves.

    Offsets are those of the source: blanks take the place of what is blanked.
    """
    marked = blank_class_marks(source)
    tree = parse(marked)
    for _ in range(_ROUNDS):
        if not tree.has_error:
            break
        blanked = _blank_words(marked, tree)
        if blanked == marked:
            break
        other = parse(blanked)
        if _count_error_bytes(other) >= _count_error_bytes(tree):
            break
        marked, tree = blanked, other
    return tree


def blank_class_marks(source: bytes) -> bytes:
    """Return the source with the words blanked that stand before the name of a defined class.

    One pass over marks, semicolons and braces: a mark belongs to the next brace, unless another
    mark or another sign is nearer to it.
    """
    text = b"\n" + source
    parts = bytearray(text)
    defined = frozenset(match[1] for match in _DEFINED_MACRO.finditer(text))
    mark: re.Match[bytes] | None = None
    opened: tuple[re.Match[bytes], int] | None = None
    for match in _MARK_OR_SIGN.finditer(text):
        if match[1]:
            mark = match
            continue
        if opened is not None:
            (before, begin), opened = opened, None
            inside = text[begin : match.start()].strip()
            if before[2] in defined or _is_class_body(before, inside, match[0]):
                _blank_mark(parts, before)
        if mark is not None and match[0] == b"{":
            head = _CLASS_HEAD.match(text, mark.end(4), match.start())
            if head is not None and head["bases"]:
                _blank_mark(parts, mark)
            elif head is not None and head.end() == match.start():
                opened = mark, match.end()
        mark = None
    return bytes(parts[1:])


def _blank_mark(parts: bytearray, mark: re.Match[bytes]) -> None:
    parts[mark.end(1) : mark.end()] = b" " * (mark.end() - mark.end(1))


def _is_class_body(mark: re.Match[bytes], inside: bytes, sign: bytes) -> bool:
    """Say whether a brace opens a class, and not a variable: `struct POINT origin{1, 2};`.

    A class has members up to its first semicolon or brace. Of empty braces only the name can tell,
    unless `class` is written: most variables do not begin with a capital.
    """
    if sign == b"}" and not inside:
        return mark[1].startswith(b"class") or mark[4][:1].isupper()
    if sign == b";":
        return True
    return sign == b"{" and not inside.startswith(b"(") and bool(_MEMBER.search(inside))


def _blank_words(source: bytes, tree: Node) -> bytes:
    """Return the source without the words in capitals at which the grammar failed."""
    parts = bytearray(source)
    for node in _iter_errors(tree):
        piece = source[node.start_byte : node.end_byte]
        for call in _STATEMENT.finditer(piece):
            first = node.start_byte + call.start()
            parts[first : first + len(call[0])] = re.sub(rb"[^\n]", b" ", call[0])
        if len(piece) <= _LONGEST_WORD and _WORD.fullmatch(piece.strip()):
            parts[node.start_byte : node.end_byte] = b" " * len(piece)
    return bytes(parts)


def _iter_errors(tree: Node) -> Iterator[Node]:
    """Yield the nodes at which the grammar failed, inner ones too."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.type == "ERROR":
            yield node
        stack += [child for child in node.children if child.has_error or child.type == "ERROR"]


def _count_error_bytes(tree: Node) -> int:
    return sum(node.end_byte - node.start_byte for node in _iter_errors(tree))


def read_heading(text: str) -> tuple[str, bool] | None:
    """Return the name that a macro's heading defines, and whether it is a test; None for no macro.

    `TEST(Parser, Empty)` defines `Parser.Empty`, `TEST_CASE("adds one", "[math]")` what its title
    says, `PNG_FUNCTION(void, PNGAPI png_error, (int a))` the declared function.
    """
    macro, _, inside = text.partition("(")
    macro = macro.strip()
    if not _MACRO.fullmatch(macro) or not inside:
        return None
    inside = inside.rpartition(")")[0]
    if title := _TITLE.search(inside):
        name = name_by_title(title[1])
    else:
        parts = [part.strip() for part in re.sub(r"\([^()]*\)|<[^<>]*>", "", inside).split(",")]
        declared = [part.rpartition(" ")[2].lstrip("*&") for part in parts if " " in part]
        plain = [part for part in parts if re.fullmatch(r"[^\W\d]\w*", part)]
        name = next((word for word in declared if re.fullmatch(r"\w+", word)), "") or ".".join(
            plain[:2]
        )
    return (name, bool(_TEST_WORD.search(macro))) if name else None
