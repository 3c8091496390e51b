"""What is seen of a value beside its meaning: its shape, the words around it, the nearest cues.

Features are strings; the head *secrets* adds the weight of each. Fitted together with the states of
the encoder by `training/spans.py`, which calls this very code.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from gieok.text.secrets.cues import Cue, find_cues
from gieok.text.secrets.values import BREAK, LineValue

#: Shapes that are seldom a secret, by name.
_TYPES = (
    ("uuid", re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-", re.IGNORECASE)),
    ("url", re.compile(r"^\w+://")),
    ("mail", re.compile(r"^[^@\s]+@[^@\s]+\.\w+$")),
    ("ip", re.compile(r"^\d+\.\d+\.\d+\.\d+")),
    ("version", re.compile(r"^v?\d+(?:\.\d+)+")),
    ("date", re.compile(r"\d{2,4}[-./년월]\s?\d{1,2}([-./월일]|$)")),
    ("phone", re.compile(r"0\d{1,2}-\d{3,4}-\d{4}$|\+\d[\d -]{7,}")),
    (
        "amount",
        re.compile(
            r"[$€£₩]\s?\d|\d+(?:,\d{3})+"
            r"|\d+\s?(?:원|만원|천원|%|개|명|분|초|시|일|월|년|ms|kg|GB|MB|px|km|층|호)$"
        ),
    ),
    (
        "placeholder",
        re.compile(
            r"[<{$%\[]|x{3,}|\*{3,}|\.{3}"
            r"|^(?:your|my|some|example|changeme|none|null|true|false|todo|redacted)",
            re.IGNORECASE,
        ),
    ),
    ("call", re.compile(r"\w\(|\)$|\w\.\w+\.|^\$|::")),
    ("path", re.compile(r"^(?:[~.]?/[\w.-]+|[\w-]+/[\w./-]+|[A-Z]:\\)")),
    ("file", re.compile(r"\.[a-z]{1,5}\d?$", re.IGNORECASE)),
    ("hex", re.compile(r"^(?:0x)?[0-9a-f]{6,}$", re.IGNORECASE)),
)
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[가-힣]+|[^\sA-Za-z0-9가-힣]")
_SEPARATORS = "|;,\t"
_LEFT_CHARS, _RIGHT_CHARS, _ABOVE_CHARS = 120, 80, 100
_NEAR_LEFT, _FAR_LEFT, _NEAR_RIGHT, _FAR_RIGHT, _INSIDE = 6, 20, 4, 12, 8
_LONGEST_LINK = 4
_LINES_ABOVE = 3
#: Texts whose parts are kept: the values of a window share most of them.
_KEPT = 1024
_FEWEST_COLUMNS = 2


def describe_value(lines: Sequence[str], row: int, value: LineValue) -> list[str]:
    """Return the features of a value in line `row`, each once."""
    line = lines[row]
    text = line[value.start : value.end]
    left = _split_pieces(line[: value.start][-_LEFT_CHARS:])
    right = _split_pieces(line[value.end :][:_RIGHT_CHARS])
    found = [
        *_describe_shape(text, value.form),
        *_describe_words(text, left, right),
        *_describe_neighbours(lines, row, text),
        *_describe_cues(line, value),
        *_describe_cues_above(lines, row, text),
        *_describe_column(lines, row, value),
    ]
    return list(dict.fromkeys(found))


def number_features(lines: Sequence[str], row: int, value: LineValue, count: int) -> list[int]:
    """Return the features of a value as numbers below `count`, each once, in order."""
    names = describe_value(lines, row, value)
    return sorted({zlib.crc32(name.encode("utf-8", "replace")) % count for name in names})


def forget_texts() -> None:
    """Forget the texts of a window: they may be secrets, and no process keeps those."""
    for kept in (_list_types, _build_base, _split_pieces, _list_stems, find_cues):
        kept.cache_clear()


def _describe_shape(text: str, form: str) -> Iterator[str]:
    kinds, length, words = _list_types(text), len(text), len(text.split())
    digits = sum(map(str.isdigit, text))
    base = _build_base(text)
    size = _name_bucket(length, (9, 13, 21, 41))
    yield from ("all", f"form={form[0]}", f"cut={form}", f"base={base}", f"size={size}")
    yield from (f"base size={base}{size}", f"shape={_build_shape(text)}", f"words={min(words, 7)}")
    yield f"form base={form[0]}{base}"
    yield from (f"type={kind}" for kind in kinds or ("-",))
    if text.isdigit():
        yield f"number={length}"
    if 0 < digits < length:
        yield f"digits={4 * digits // length}"
    if text.isascii() and text.isalpha() and text.islower():
        yield "plain word"
    if words > 1:
        yield f"mean word={min(9, sum(map(len, text.split())) // words)}"
    yield from (f"in={piece}" for piece in _split_pieces(text)[:_INSIDE])


def _describe_words(text: str, left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    group = _find_group(text)
    for number, piece in enumerate(reversed(left[-_NEAR_LEFT:]), 1):
        for part in _list_stems(piece):
            yield f"left {min(number, 4)}={part}"
            yield f"left={part}"
            yield f"left group={part} {group}"
    for piece in left[-_FAR_LEFT:-_NEAR_LEFT]:
        yield from (f"far left={part}" for part in _list_stems(piece))
    heads = [piece[:4] for piece in left[-2:]]
    if len(heads) > 1:
        yield f"left two={' '.join(heads)}"
    if heads:
        yield f"left base={heads[-1]} {_build_base(text)}"
    for number, piece in enumerate(right[:_NEAR_RIGHT], 1):
        for part in _list_stems(piece):
            yield f"right {min(number, 3)}={part}"
            yield f"right={part}"
    yield f"right group={right[0][:4] if right else '$'} {group}"
    for piece in right[_NEAR_RIGHT:_FAR_RIGHT]:
        yield from (f"far right={part}" for part in _list_stems(piece))


def _describe_neighbours(lines: Sequence[str], row: int, text: str) -> Iterator[str]:
    group = _find_group(text)
    for above in (1, 2):
        if row >= above:
            for piece in sorted(set(_split_pieces(lines[row - above][-_ABOVE_CHARS:]))):
                for part in _list_stems(piece):
                    yield f"above {above}={part}"
                    if above == 1:
                        yield f"above group={part} {group}"
    if row + 1 < len(lines):
        for piece in sorted(set(_split_pieces(lines[row + 1][:_RIGHT_CHARS]))):
            yield from (f"below={part}" for part in _list_stems(piece))
    if row == 0:
        yield "first line"


def _describe_cues(line: str, value: LineValue) -> Iterator[str]:
    """Yield how the value stands to the cues of its line."""
    text = line[value.start : value.end]
    group = _find_type_group(text)
    cues = find_cues(line)
    left = [cue for cue in cues if cue.end <= value.start]
    right = [cue for cue in cues if cue.start >= value.end]
    inside = {cue.name for cue in cues if cue.start < value.end and cue.end > value.start}
    yield f"cues={min(len(cues), 4)}"
    yield from (f"cue inside={name}" for name in sorted(inside))
    if not left:
        yield "cue=-"
    nearest = max((cue.end for cue in left), default=0)
    for cue in left:
        if cue.end == nearest:
            yield from _describe_link(line, value, cue, group)
    for name in sorted({cue.name for cue in left}):
        yield f"cue left={name}"
        yield f"cue left group={name} {group}"
    if right:
        distance = len(_split_pieces(line[value.end : right[0].start]))
        yield f"cue right={right[0].name} {_name_bucket(distance, (4,))}"
        yield f"cue right group={right[0].name} {group}"


def _describe_link(line: str, value: LineValue, cue: Cue, group: str) -> Iterator[str]:
    """Yield what stands between a value and the nearest cue before it."""
    text, between = line[value.start : value.end], line[cue.end : value.start]
    pieces = _split_pieces(between)
    distance = _name_bucket(len(pieces), (4, 8))
    size = _name_bucket(len(text), (7, 11, 18))
    yield f"cue={cue.name}"
    yield f"cue group={cue.name} {group}"
    yield f"cue distance={cue.name} {distance}"
    yield f"cue base={cue.name} {_build_base(text)}{size}"
    yield f"cue break={cue.name} {bool(BREAK.search(between))}"
    if text.isdigit():
        yield f"cue number={cue.name} {distance} {size}"
    if len(pieces) <= _LONGEST_LINK:
        link = " ".join(piece[:4] for piece in pieces)
        yield f"link={link}"
        yield f"cue link={cue.name} {link}"
        yield f"cue link group={cue.name} {link} {group}"


def _describe_cues_above(lines: Sequence[str], row: int, text: str) -> Iterator[str]:
    group = _find_type_group(text)
    for above in range(1, min(_LINES_ABOVE, row) + 1):
        for name in sorted({cue.name for cue in find_cues(lines[row - above])}):
            yield f"cue above {min(above, 2)}={name}"
            yield f"cue above group={name} {group}"
    if row + 1 < len(lines):
        yield from (
            f"cue below={name}" for name in sorted({c.name for c in find_cues(lines[row + 1])})
        )


def _describe_column(lines: Sequence[str], row: int, value: LineValue) -> Iterator[str]:
    """Yield what the head of the value's column says, where the lines are a table."""
    line = lines[row]
    for sign in _SEPARATORS:
        columns = line.count(sign)
        if row and columns >= _FEWEST_COLUMNS and lines[0].count(sign) == columns:
            head = lines[0].split(sign)[line[: value.start].count(sign)]
            group = _find_type_group(line[value.start : value.end])
            for cue in find_cues(head):
                yield f"cue head={cue.name}"
                yield f"cue head group={cue.name} {group}"
            yield from (f"head={piece}" for piece in _split_pieces(head))
            return


@lru_cache(_KEPT)
def _list_types(text: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _TYPES if pattern.search(text))


@lru_cache(_KEPT)
def _build_base(text: str) -> str:
    """Return which kinds of signs a text holds, a letter each."""
    capitals = sum(map(str.isupper, text))
    is_mixed = (
        capitals > 0 and any(map(str.islower, text)) and (capitals > 1 or not text[0].isupper())
    )
    has = (
        ("d", any(map(str.isdigit, text))),
        ("a", any(char.isascii() and char.isalpha() for char in text)),
        ("h", any("가" <= char <= "힣" for char in text)),
        ("_", " " in text),
        ("!", any(not char.isalnum() and not char.isspace() for char in text)),
        ("M", is_mixed),
    )
    return "".join(letter for letter, is_there in has if is_there)


def _build_shape(text: str) -> str:
    """Return a text with runs of one kind of sign as one sign, cut after ten."""
    shape = ""
    for char in text:
        sign = _find_sign(char)
        if shape[-1:] != sign:
            shape += sign
    return shape[:10]


def _find_sign(char: str) -> str:
    if char.isdigit():
        return "9"
    if char.isspace():
        return " "
    if "가" <= char <= "힣":
        return "가"
    if not char.isascii():
        return "u"
    if not char.isalpha():
        return char
    return "A" if char.isupper() else "a"


def _find_group(text: str) -> str:
    """Return the group of a text: of a type, a word, a number, several words, or mixed."""
    if _list_types(text):
        return "P"
    if text.isalpha():
        return "W"
    if text.isdigit():
        return "D"
    return "M" if len(text.split()) > 1 else "X"


def _find_type_group(text: str) -> str:
    kinds = _list_types(text)
    return f"P{kinds[0]}" if kinds else _build_base(text)


def _name_bucket(number: int, bounds: Sequence[int]) -> str:
    """Return a number as text, from the first bound on as the highest bound below it."""
    reached = [bound for bound in bounds if number >= bound]
    return f"{reached[-1]}+" if reached else str(number)


@lru_cache(_KEPT)
def _split_pieces(text: str) -> tuple[str, ...]:
    """Return words, numbers (as `#`) and signs of a text in lower case; names are split."""
    pieces = (match[0].lower() for match in _PIECE.finditer(text))
    return tuple("#" if piece.isdigit() else piece for piece in pieces)


@lru_cache(_KEPT)
def _list_stems(piece: str) -> tuple[str, ...]:
    """Return a piece and its beginnings, which words of one stem share."""
    if not "가" <= piece[0] <= "힣":
        return (piece, f"{piece[:5]}*") if len(piece) > 5 else (piece,)
    stems = [piece[:2]]
    if len(piece) > 2:
        stems += [piece[:3], f"-{piece[-2:]}"]
    if len(piece) > 3:
        stems.append(piece)
    return tuple(stems)
