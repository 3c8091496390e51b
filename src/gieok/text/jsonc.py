"""Reader and in-place editor for JSON with comments and JSON5.

An edit leaves the rest of the text as it is: bytes, order, spaces, quotes and comments.

Supported parts of JSON5: names without quotes or in single quotes, single-quoted strings, strings
over several lines, numbers as JavaScript writes them. Written values are plain JSON, which every
such reader accepts. Written by hand, because the libraries that keep comments rewrite the whole
file.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern

_BLANK = defer_pattern(r"(?:[\s\ufeff]+|//[^\r\n\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_TEXT = defer_pattern(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_ESCAPE = defer_pattern(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_ESCAPED = {
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0", "\n": "", "\r": "",
    "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip
_NAME = defer_pattern(r"(?:[^\W\d]|\$|\\u[0-9a-fA-F]{4})(?:[\w$\u200c\u200d]|\\u[0-9a-fA-F]{4})*")
_WORDS = {"true": True, "false": False, "null": None}
_NUMBER = (
    r"[+-]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?"
    r"|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_SCALAR = defer_pattern(rf"(?:true|false|null|{_NUMBER})(?![^\W\d]|\$)")
#: Comma and comment that may follow a value on its line.
_REST_OF_LINE = defer_pattern(r"[ \t]*(,?)[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)?")
#: The separator that is written between two children: a line end with indentation, or a space.
_GAP = defer_pattern(r"(?:\r?\n[ \t]*| )$")
_MOST_DEPTH = 100
_COMMENT_OR_COMMA = defer_pattern(r"//[^\n]*|/\*.*?\*/|,", re.DOTALL)


class BadJson(ValueError):
    """Error of a text that is not valid JSON; the message says where."""


class Node(NamedTuple):
    """A value at `text[start:end]`.

    A container has its children in order, an object also the names of its members.
    """

    start: int
    end: int
    kind: str
    names: tuple[str, ...] = ()
    #: Offsets at which the children begin; a member begins with its name.
    begins: tuple[int, ...] = ()
    children: tuple["Node", ...] = ()

    def place(self, name: str | int) -> int | None:
        """Return the index of a member or an item; None where there is none.

        Of duplicate members the last is returned, as every reader does.
        """
        if isinstance(name, int):
            return name if self.kind == "array" and name < len(self.children) else None
        return max((place for place, known in enumerate(self.names) if known == name), default=None)


def parse_jsonc(text: str) -> Node:
    """Parse a text; comments and trailing commas are allowed. Raises BadJson."""
    start = _skip_jsonc_blank(text, 1 if text.startswith("\ufeff") else 0)
    node = _parse_jsonc_value(text, start, 0)
    end = _skip_jsonc_blank(text, node.end)
    if end != len(text):
        raise _build_jsonc_error(text, end, "something follows the value")
    return node


def load_jsonc(text: str, node: Node | None = None) -> object:
    """Return the data of a text, or of one of its nodes."""
    node = node or parse_jsonc(text)
    if node.kind == "object":
        return {
            name: load_jsonc(text, child)
            for name, child in zip(node.names, node.children, strict=True)
        }
    if node.kind == "array":
        return [load_jsonc(text, child) for child in node.children]
    return _parse_jsonc_scalar(text[node.start : node.end])


def _parse_jsonc_scalar(text: str) -> object:
    """Return the value of a string, a number or a word (`true`, `false`, `null`)."""
    if text[0] in "\"'":
        return _unescape_jsonc(text[1:-1])
    if text in _WORDS:
        return _WORDS[text]
    plain = text.lstrip("+-")
    if plain[:2] in ("0x", "0X"):
        number: float = int(plain, 16)
    else:
        number = float(plain) if set(plain) & set(".eEIN") else int(plain)
    return -number if text[0] == "-" else number


def _unescape_jsonc(text: str) -> str:
    """Return the text between quotes, or a bare name, with its escapes resolved."""

    def meant(found: re.Match[str]) -> str:
        if code := found[1] or found[2]:
            return chr(int(code, 16))
        return _ESCAPED.get(found[3], found[3])

    unescaped = _ESCAPE.sub(meant, text)
    # Two `\u` escapes may be the surrogates of one character.
    return unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _skip_jsonc_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _build_jsonc_error(text: str, at: int, what: str) -> BadJson:
    line = text.count("\n", 0, at) + 1
    return BadJson(f"{what} at line {line}, column {at - text.rfind(chr(10), 0, at)}")


def _parse_jsonc_value(text: str, at: int, depth: int) -> Node:
    opened = text[at : at + 1]
    if depth > _MOST_DEPTH:
        raise _build_jsonc_error(text, at, f"more than {_MOST_DEPTH} values inside each other")
    if opened in ("{", "["):
        return _parse_jsonc_container(text, at, "object" if opened == "{" else "array", depth)
    if opened in ('"', "'"):
        return Node(at, _parse_jsonc_string(text, at)[1], "scalar")
    match = _SCALAR.match(text, at)
    if not match:
        raise _build_jsonc_error(text, at, "a value is expected")
    return Node(at, match.end(), "scalar")


def _parse_jsonc_string(text: str, at: int) -> tuple[str, int]:
    match = _TEXT.match(text, at)
    if match is None or re.search(
        r"(?<!\\)(?:\\\\)*\\(?:u(?![0-9a-fA-F]{4})|x(?![0-9a-fA-F]{2}))", match[0]
    ):
        raise _build_jsonc_error(text, at, "a text is not closed, or not valid")
    return _unescape_jsonc(match[0][1:-1]), match.end()


def _parse_member_name(text: str, at: int) -> tuple[str, int]:
    """Return the name of a member, and the offset at which the name ends."""
    if text[at : at + 1] in ('"', "'"):
        return _parse_jsonc_string(text, at)
    match = _NAME.match(text, at)
    if match is None:
        raise _build_jsonc_error(text, at, "a name is expected")
    return _unescape_jsonc(match[0]), match.end()


def _parse_jsonc_container(text: str, start: int, kind: str, depth: int) -> Node:
    closing = "}" if kind == "object" else "]"
    names, begins, children = list[str](), list[int](), list[Node]()
    at = _skip_jsonc_blank(text, start + 1)
    while text[at : at + 1] != closing:
        begins.append(at)
        if kind == "object":
            name, at = _parse_member_name(text, at)
            names.append(name)
            at = _skip_jsonc_blank(text, at)
            if text[at : at + 1] != ":":
                raise _build_jsonc_error(text, at, "a colon is expected")
            at = _skip_jsonc_blank(text, at + 1)
        child = _parse_jsonc_value(text, at, depth + 1)
        children.append(child)
        at = _skip_jsonc_blank(text, child.end)
        if text[at : at + 1] == ",":
            at = _skip_jsonc_blank(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _build_jsonc_error(text, at, f"a comma or {closing} is expected")
    return Node(
        start=start,
        end=at + 1,
        kind=kind,
        names=tuple(names),
        begins=tuple(begins),
        children=tuple(children),
    )


def put_jsonc_value(text: str, path: Sequence[str], value: object, *, append: bool = False) -> str:
    """Return the text with `value` at a path of names, or appended to the array at that path.

    Missing containers are created. Raises BadJson where the path meets another kind of value.
    """
    if not text.strip():
        text = "{}\n"
    node = parse_jsonc(text)
    for depth, name in enumerate(path):
        if node.kind != "object":
            raise BadJson(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        place = node.place(name)
        if place is None:
            rest = [value] if append else value
            for inner in reversed(path[depth + 1 :]):
                rest = {inner: rest}
            return _insert_jsonc_child(text, node, rest, name)
        node = node.children[place]
    if not append:
        return (
            text[: node.start]
            + _format_jsonc_value(text, value, _indent_at(text, node.start))
            + text[node.end :]
        )
    if node.kind != "array":
        raise BadJson(f"{'.'.join(path)} is not an array")
    return _insert_jsonc_child(text, node, value)


def _insert_jsonc_child(text: str, parent: Node, value: object, name: str = "") -> str:
    """Return the text with one more child at the end of a container."""
    step, outer = _find_indent_step(text), _indent_at(text, parent.start)
    inner = outer + step
    child = (f"{json.dumps(name, ensure_ascii=False)}: " if name else "") + _format_jsonc_value(
        text, value, inner
    )
    newline = _line_end(text)
    before = f"{newline}{inner}" if newline else ""
    if not parent.children:
        after = (
            f"{newline}{outer}"
            if newline and not text[parent.start + 1 : parent.end - 1].strip()
            else ""
        )
        at = parent.start + 1
        return text[:at] + before + child + after + (text[at:].lstrip() if after else text[at:])
    last = parent.children[-1].end
    tail = _REST_OF_LINE.match(text, last)
    comma = tail[1] if tail else ""
    rest = tail[0] if tail and newline else comma  # a comment belongs to the child before it
    return (
        text[:last]
        + ("" if comma else ",")
        + rest
        + (before or " ")
        + child
        + text[last + len(rest) :]
    )


def _line_end(text: str) -> str:
    """Return the line end of a text; '' for a text on one line."""
    if "\n" in text.strip() or text.strip() in ("{}", ""):
        return "\r\n" if "\r\n" in text else "\n"
    return ""


def _find_indent_step(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _format_jsonc_value(text: str, value: object, indent: str) -> str:
    newline = _line_end(text)
    if not newline:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_find_indent_step(text)).replace(
        "\n", f"{newline}{indent}"
    )


def drop_jsonc_value(
    text: str, path: Sequence[str | int], is_ours: Callable[[object], bool]
) -> str:
    """Return the text without the values at `path` that `is_ours` recognises.

    They are items of the array at `path`, or the member there. A path consists of names and of
    array indices; a missing path changes nothing. Containers left empty are removed too. Raises
    BadJson.
    """
    nodes = [parse_jsonc(text)] if text.strip() else []
    for name in path:
        place = nodes[-1].place(name) if nodes else None
        if place is None:
            return text
        nodes.append(nodes[-1].children[place])
    if not nodes:
        return text
    node = nodes[-1]
    if node.kind == "array":
        ours = [
            place for place, child in enumerate(node.children) if is_ours(load_jsonc(text, child))
        ]
        if ours and len(ours) < len(node.children):
            return drop_jsonc_value(_cut_jsonc_child(text, node, ours[-1]), path, is_ours)
        gone = bool(ours)
    else:
        gone = is_ours(load_jsonc(text, node))
    if not gone:
        return text
    for depth in range(len(path) - 1, -1, -1):  # the outermost container left empty
        if depth == 0 or len(nodes[depth].children) > 1:
            place = nodes[depth].place(path[depth])
            return text if place is None else _cut_jsonc_child(text, nodes[depth], place)
    return text


def _cut_jsonc_child(text: str, parent: Node, place: int) -> str:
    """Return the text without one child of a container and one comma next to it; comments stay."""
    begin, end = parent.begins[place], parent.children[place].end
    before_start = parent.children[place - 1].end if place else parent.start + 1
    before, after = text[before_start:begin], text[end : parent.end - 1]
    if place:
        before = _no_comma(before)
    else:
        after = _no_comma(after)
    gap = _GAP.sub("", before)
    if not (gap + after).strip():
        return (
            text[:before_start]
            + ("" if len(parent.children) == 1 else gap + after)
            + text[parent.end - 1 :]
        )
    # A line comment needs a line end after it.
    hides = gap.rpartition("\n")[2].lstrip().startswith("//") or " //" in gap.rpartition("\n")[2]
    glue = "\n" if hides and not after.lstrip(" \t").startswith(("\r", "\n")) else ""
    return text[:before_start] + gap + glue + after + text[parent.end - 1 :]


def _no_comma(text: str) -> str:
    """Return the text without its first comma outside of comments."""
    for match in _COMMENT_OR_COMMA.finditer(text):
        if match[0] == ",":
            return text[: match.start()] + text[match.end() :]
    return text
