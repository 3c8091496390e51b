"""Reads what `memory.talk.claims` recorded: claims that ended, and what came later.

Imported by the hook: see `gieok.hook`. A file of a scope is read once, and its rows are looked at
for the documents that are asked for alone.
"""

import json

from gieok.places.home import CLAIM_FIELDS, later_file, replaced_file
from gieok.places.scope import SESSIONS
from gieok.text.handles import build_handle, line_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    _LaterT = TypeVar("_LaterT", bound="LaterClaim")


class LaterClaim:
    """Line that was said later than a claim, and since when it matters (Unix seconds).

    `key` is '' where there is none. `start` and `length` are the place of its words in the line.
    """

    __slots__ = ("at", "check", "key", "length", "line", "scope", "start")

    def __init__(
        self,
        scope: str,
        key: str,
        line: int,
        check: int,
        at: float,
        start: int = 0,
        length: int = 0,
    ) -> None:
        self.scope, self.key, self.line, self.check, self.at = scope, key, line, check, at
        self.start, self.length = start, length

    @property
    def handle(self) -> str:
        """Return the handle of the line; '' for none."""
        if not self.key:
            return ""
        return build_handle(
            self.scope, self.key, self.line if self.key.startswith(f"{SESSIONS}/") else 0
        )

    @property
    def place(self) -> "tuple[str, str, int]":
        """Return the scope, the document and the number of the line."""
        return self.scope, self.key, self.line

    def still_says(self, line: str) -> bool:
        """Say whether a line still contains the words of this one."""
        if self.check == 0:
            return True
        words = line[self.start : self.start + self.length] if self.length else line
        return line_check(words) == self.check


class TextPlace:
    """Passage with its place: scope and key of its document, number of its first line, lines."""

    __slots__ = ("document", "first", "lines")

    def __init__(self, scope: str, key: str, first: int, text: str) -> None:
        self.document = scope, key
        self.first = first
        self.lines = text.split("\n")

    def still_says(self, claim: LaterClaim) -> bool:
        """Say whether a line of the passage is that of a claim, and says it still."""
        at = claim.line - self.first
        return (
            self.document == (claim.scope, claim.key)
            and 0 <= at < len(self.lines)
            and claim.still_says(self.lines[at])
        )


class RecordedClaims:
    """Claims of scopes that ended, and claims on whose subject something was said later.

    What comes later than `now_s` has not come yet.
    """

    def __init__(self, home: str, now_s: float) -> None:
        self._home, self._now_s = home, now_s
        self._files: dict[str, dict[str, list[list[Any]]]] = {}

    def find_kin(self, places: "Mapping[int, TextPlace]") -> "dict[int, frozenset[int]]":
        """Return by passage those passages that hold what came later on its subject.

        A row whose claim was edited since, or whose later line was, makes no kin.
        """
        kin: dict[int, frozenset[int]] = {}
        for passage, place in places.items():
            later = [
                claim
                for file in (replaced_file, later_file)
                for _, claim in self._iter_said(
                    file(self._home, place.document[0]), LaterClaim, place
                )
            ]
            found = (
                other
                for claim in later
                for other, at in places.items()
                if other != passage and at.still_says(claim)
            )
            if later:
                kin[passage] = frozenset(found)
        return kin

    def _iter_said(
        self, file: str, kind: "type[_LaterT]", place: TextPlace
    ) -> "Iterator[tuple[str, _LaterT]]":
        """Yield the words of each claim of a file that a passage still says, and what came later."""
        rows = self._read_rows(file).get(place.document[1], ())
        within = [row for row in rows if 0 <= row[1] - place.first < len(place.lines)]
        for line, start, length, check, later in self._iter_claims(within, kind):
            words = place.lines[line - place.first][start : start + length]
            if line_check(words) == check:
                yield words, later

    def _iter_claims(
        self, rows: "Iterable[list[Any]]", kind: "type[_LaterT]"
    ) -> "Iterator[tuple[int, int, int, int, _LaterT]]":
        """Yield place (line, start, length) and checksum of each claim, and what came later."""
        for _, line, start, length, check, *later in rows:
            by_scope, by_key, by_line, by_start, by_length, by_check, at = later
            if at <= self._now_s:
                claim = kind(by_scope, by_key, by_line, by_check, at, by_start, by_length)
                yield line, start, length, check, claim

    def _read_rows(self, file: str) -> "Mapping[str, Sequence[list[Any]]]":
        """Return the rows of a file by the key of their document."""
        if file not in self._files:
            by_key: dict[str, list[list[Any]]] = {}
            for row in _read_file_rows(file):
                by_key.setdefault(row[0], []).append(row)
            self._files[file] = by_key
        return self._files[file]


def _read_file_rows(file: str) -> "list[list[Any]]":
    try:
        with open(file, encoding="utf-8") as opened:
            rows = json.load(opened)
    except (OSError, ValueError):
        return []
    return [row for row in rows if len(row) == CLAIM_FIELDS]
