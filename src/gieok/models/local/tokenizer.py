"""Unigram (SentencePiece) tokenizer of multilingual-e5-small, in plain Python.

Pieces never hold a word boundary inside, so each word is cut on its own, by the most probable path
(Viterbi), and the result is cached: words repeat. The pieces lie on disk sorted, those with the
same first letter on one line, and a line is split when a word needs it: 110,000 pieces load in
12 ms instead of the 47 that one dictionary takes. The library `tokenizers` would do the same with a
20 MB dependency and another vocabulary format.
"""

import json
import unicodedata
from array import array
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

PIECES, SCORES, RULES = "pieces.txt", "scores.bin", "replacements.json"
FILES = (PIECES, SCORES, RULES)

#: Ids of the marks; the pieces follow, sorted.
BEGIN, END, UNKNOWN = 0, 1, 2
_MARKS = 3

_BOUNDARY = "\u2581"
#: A character that no piece covers costs this much more than the least probable piece
#: (SentencePiece's constant).
_UNKNOWN_PENALTY = 10.0
_CACHED_WORDS = 50_000
_LONGEST_CACHED = 64


class TextPiece(NamedTuple):
    """Piece of a text: its id, and the characters [start, end) that it covers.

    A word boundary alone covers none: 0 and 0.
    """

    id: int
    start: int
    end: int


class _Heads(dict[str, tuple[int, dict[str, int]]]):
    """First letter → (length of its longest piece, piece → id).

    A word boundary counts as one with the letter that follows it.
    """

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines: dict[str, str] = dict(line.split("\t", 1) for line in lines)

    def __missing__(self, head: str) -> tuple[int, dict[str, int]]:
        if head not in self._lines:
            return 0, {}
        first, *pieces = self._lines[head].split("\t")
        ids = dict(zip(pieces, range(int(first), int(first) + len(pieces)), strict=True))
        entry = self[head] = (max(map(len, pieces)), ids)
        return entry


class Tokenizer:
    """Converter of text to piece ids. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        """Read the files that `save_tokenizer_tables` wrote. Raises OSError or ValueError."""
        self._heads = _Heads((folder / PIECES).read_bytes().decode().split("\n"))
        self._scores = array("f", (folder / SCORES).read_bytes())
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY
        self._replacements = str.maketrans(json.loads((folder / RULES).read_bytes()))
        self._boundary = self._heads[_BOUNDARY][1][_BOUNDARY]
        self._words: dict[str, list[int]] = {}

    def ids(self, text: str) -> Iterator[int]:
        """Yield the ids of `text`, without the marks of begin and end.

        Decomposed Korean counts as composed.
        """
        composed = text if text.isascii() else unicodedata.normalize("NFC", text)
        for word in composed.translate(self._replacements).split():
            yield from self._words.get(word) or self._remember(word)

    def pieces(self, text: str) -> Iterator[TextPiece]:
        """Yield the pieces of a text in composed form (NFC), with the ids that `ids` yields."""
        for word, places in self._split_words(text):
            start = 0
            for piece, stop in self._best_path(_BOUNDARY + word):
                # The boundary is the first character of the path, and none of the text.
                covered = places[start : stop - 1]
                start = stop - 1
                yield (
                    TextPiece(piece, covered[0], covered[-1] + 1)
                    if covered
                    else TextPiece(piece, 0, 0)
                )

    def _split_words(self, text: str) -> Iterator[tuple[str, list[int]]]:
        """Yield each word as `ids` reads it, with the place in `text` of each of its characters."""
        word, places = "", list[int]()
        for place, char in enumerate(text):
            for shown in self._replacements.get(ord(char), char):
                if not shown.isspace():
                    word += shown
                    places.append(place)
                elif word:
                    yield word, places
                    word, places = "", []
        if word:
            yield word, places

    def _remember(self, word: str) -> list[int]:
        ids = [piece for piece, _ in self._best_path(_BOUNDARY + word)]
        if len(word) <= _LONGEST_CACHED:
            if len(self._words) >= _CACHED_WORDS:
                self._words.clear()
            self._words[word] = ids
        return ids

    def _best_path(self, word: str) -> list[tuple[int, int]]:
        """Return the most probable pieces of `word`, each with the character that it stops before.

        Time grows with the word's length times the longest piece (16).
        """
        size, scores, unknown_score = len(word), self._scores, self._unknown_score
        best = [0.0, scores[self._boundary]] + [-1e30] * (size - 1)
        came_by, came_from = [self._boundary] * (size + 1), [0] * (size + 1)
        for start in range(size):
            so_far = best[start]
            longest, ids = self._heads[word[start] if start else word[:2]]
            for stop in range(start + 1, min(size, start + longest) + 1):
                piece = ids.get(word[start:stop])
                if piece is not None and so_far + scores[piece] > best[stop]:
                    best[stop], came_by[stop], came_from[stop] = (
                        so_far + scores[piece],
                        piece,
                        start,
                    )
            if so_far + unknown_score > best[start + 1]:
                best[start + 1], came_by[start + 1], came_from[start + 1] = (
                    so_far + unknown_score,
                    UNKNOWN,
                    start,
                )
        return _walk_back(came_by, came_from)


def _walk_back(came_by: list[int], came_from: list[int]) -> list[tuple[int, int]]:
    path, place = [], len(came_by) - 1
    while place > 0:
        path.append((came_by[place], place))
        place = came_from[place]
    return path[::-1]


def save_tokenizer_tables(
    folder: Path, scores: dict[str, float], replacements: dict[str, str]
) -> list[str]:
    """Write the tables for pieces with these log probabilities; return the pieces ordered by id."""
    pieces = sorted(scores, key=lambda piece: (_find_piece_head(piece), piece))
    lines, first = [], _MARKS
    for head, group in groupby(pieces, _find_piece_head):
        members = list(group)
        lines.append("\t".join([head, str(first), *members]))
        first += len(members)
    (folder / PIECES).write_bytes("\n".join(lines).encode())
    (folder / SCORES).write_bytes(
        array("f", [0.0] * _MARKS + [scores[piece] for piece in pieces]).tobytes()
    )
    rules = {**replacements, _BOUNDARY: " "}
    (folder / RULES).write_bytes(json.dumps(rules, ensure_ascii=False).encode())
    return pieces


def _find_piece_head(piece: str) -> str:
    return piece[:2] if piece[0] == _BOUNDARY else piece[0]
