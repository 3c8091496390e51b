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
_CLASS_MARK = re.compile(
    rb"(?<=[\s;}>])((?:class|struct|union)\s+)([A-Z][A-Z0-9_]+(?:\([^()\n]*\))?)"
    rb"(?=\s+(\w+)\s*(final\s*)?(:[^:;{}][^;{}]*)?\{)"
)
_UP_TO_SIGN = re.compile(rb"([^;{}]*)([;{}])")
#: What stands before a brace inside of a class: a head with parameters, or a type and a name.
_MEMBER = re.compile(rb"\)[\w\s:&]*$|[\w>&*]\s+[*&]*\w+\s*$")
_MACRO = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_TEST_WORD = re.compile(r"TEST|SCENARIO|SPEC")
_TITLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LONGEST_WORD = 80


def parse_around_macros(source: bytes, parse: Parse) -> Node:
    """Return the syntax tree of a source with as few errors as blanking macros leaves.

    Offsets are those of the source: blanks take the place of what is blanked.
    """
    marked = _CLASS_MARK.sub(_blank_class_mark, b"\n" + source)[1:]
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


def _blank_class_mark(match: re.Match[bytes]) -> bytes:
    """Return the text of a mark blanked where a class is defined, and as it is elsewhere."""
    return match[1] + b" " * len(match[2]) if _is_class_body(match) else match[0]


def _is_class_body(match: re.Match[bytes]) -> bool:
    """Say whether what follows is a class, and not a variable: `struct POINT origin{1, 2};`.

    A class has bases, or members up to a semicolon. Of empty braces only the name can tell: most
    variables do not begin with a capital.
    """
    if match[4] or match[5]:
        return True
    behind = match.string.index(b"{", match.end()) + 1
    first = _UP_TO_SIGN.match(match.string, behind)
    if first is None:
        return False
    inside = first[1].strip()
    if first[2] == b"}" and not inside:
        return match[3][:1].isupper()
    return first[2] == b";" or bool(first[2] == b"{" and _MEMBER.search(inside))


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
