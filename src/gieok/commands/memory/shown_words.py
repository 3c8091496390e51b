"""What sessions were shown of a memory that is corrected or forgotten afterwards.

A session's file says two things of a memory: that the agent's context holds it (`injected`,
`handles`), and what the agent was given and when (`last`, `earlier`), for `gieok why --last`. A
correction takes the memory out of the first, so that the corrected words are shown again, and marks
it in the second, whose words stay: what an agent was told can be traced. Forgetting takes the words
out of both, and leaves a mark in their place.

A marked line also keeps a checksum of what the memory says now. Forgetting the corrected memory
finds by it the words of before, which no other place may hold any more.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gieok import fs
from gieok.hook import records, window

#: Takes the place of a line that was shown and is forgotten; `why --last` says it in words.
FORGOTTEN_LINE = "[forgotten since]"
#: Fields that are added to what was shown. Of an injection: line number (from 1) → checksum of what
#: the line's memory says now. Of a memory: that checksum; and whether the memory is forgotten.
CORRECTED_LINES, CORRECTED, FORGOTTEN = "corrected_lines", "corrected", "forgotten"
#: Fields of a session's file that tell what the context holds, and what was given.
_HELD, _LAST, _EARLIER = "injected", "last", "earlier"
#: What is shown of a memory may be a part of it, cut and escaped: so many letters of it in a row
#: are enough.
_PART_LETTERS = 16
#: A line that is said to be corrected holds at least so many letters of it, from its beginning on.
_FEWEST_LETTERS, _MOST_LETTERS = 8, 100
_SHOWN_HANDLE = re.compile(r"\b[0-9a-f]{8}(?:\.\d+)?\b")
_TAG = re.compile(r"</?memory-")
_SUM_BYTES = 6


class CorrectedWords(NamedTuple):
    """Text of a memory before and after its correction.

    Without a handle, the words are of every line that shows them.
    """

    handle: str
    before: str
    after: str


class Parts:
    """Matcher that finds texts in what sessions were shown, by their letters alone."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._short: set[str] = set()
        self._long: set[str] = set()
        for letters in filter(None, map(window.strip_to_letters, texts)):
            if len(letters) < _PART_LETTERS:
                self._short.add(letters)
            self._long.update(
                letters[n : n + _PART_LETTERS] for n in range(len(letters) - _PART_LETTERS + 1)
            )

    def are_in(self, text: str) -> bool:
        """Return whether a text holds any of the parts."""
        letters = window.strip_to_letters(text)
        return any(short in letters for short in self._short) or any(
            letters[n : n + _PART_LETTERS] in self._long
            for n in range(len(letters) - _PART_LETTERS + 1)
        )


def clean_shown(home: Path, texts: Iterable[str], handles: Collection[str] = ()) -> None:
    """Remove texts, parts of them, and memories by their handles from what sessions were shown.

    Where the words stood remains a mark.
    """
    texts = list(texts)
    forgotten = _Forgotten(Parts(texts), frozenset(map(_compute_sum, texts)), frozenset(handles))
    with fs.lock_resource(home, home / window.FOLDER):
        for file in list_session_files(home):
            row = read_session_row(file)
            fresh = {
                **_drop_from_context(row, forgotten.parts, handles),
                **_change_injections(row, forgotten.blank),
            }
            if fresh != row:
                write_session_row(file, fresh)


def mark_corrected(home: Path, corrections: Sequence[CorrectedWords]) -> None:
    """Mark corrected memories in what sessions were shown, and let them be shown again."""
    parts = Parts(correction.before for correction in corrections)
    handles = frozenset(correction.handle for correction in corrections) - {""}
    marks = [_CorrectionMark(correction) for correction in corrections]
    with fs.lock_resource(home, home / window.FOLDER):
        for file in list_session_files(home):
            row = read_session_row(file)
            fresh = _drop_from_context(row, parts, handles)
            for mark in marks:
                fresh |= _change_injections(fresh, mark.mark)
            if fresh != row:
                write_session_row(file, fresh)


class _Forgotten:
    """What is forgotten: parts of texts, checksums of texts, and handles."""

    def __init__(self, parts: Parts, sums: frozenset[int], handles: frozenset[str]) -> None:
        self.parts, self._sums, self._handles = parts, sums, handles

    def blank(self, injection: dict[str, Any]) -> dict[str, Any]:
        """Return an injection without the forgotten words."""
        marked = _get_corrected_lines(injection)
        lines = str(injection.get("text", "")).split("\n")
        gone = {
            number
            for number, line in enumerate(lines, start=1)
            if self._is_line_gone(line, marked.get(str(number)))
        }
        memories = [
            _blank_memory(memory) if self._is_memory_gone(memory) else memory
            for memory in _list_memories(injection)
        ]
        text = "\n".join(
            FORGOTTEN_LINE if number in gone else line for number, line in enumerate(lines, start=1)
        )
        remaining = {line: now for line, now in marked.items() if int(line) not in gone}
        return {**injection, "text": text, "memories": memories} | (
            {CORRECTED_LINES: remaining} if marked else {}
        )

    def _is_line_gone(self, line: str, corrected: object) -> bool:
        if _TAG.match(line):
            return False
        return corrected in self._sums or _shows_memory(line, self.parts, self._handles)

    def _is_memory_gone(self, memory: dict[str, Any]) -> bool:
        return (
            memory.get(CORRECTED) in self._sums
            or memory.get("handle") in self._handles
            or _shows_part(memory, self.parts)
        )


class _CorrectionMark:
    """Correction, as it marks what was shown."""

    def __init__(self, correction: CorrectedWords) -> None:
        self._handle = correction.handle
        self._before = _compute_sum(correction.before)
        self._after = _compute_sum(correction.after)
        still = set(_list_letters(correction.after))
        self._changed = [
            letters[:_MOST_LETTERS]
            for letters in _list_letters(correction.before)
            if letters not in still and len(letters) >= _FEWEST_LETTERS
        ]

    def mark(self, injection: dict[str, Any]) -> dict[str, Any]:
        """Return an injection with the correction's marks."""
        marked = dict(_get_corrected_lines(injection))
        for number, line in enumerate(str(injection.get("text", "")).split("\n"), start=1):
            if marked.get(str(number)) == self._before or self._is_shown_in(line):
                marked[str(number)] = self._after
        memories = [
            {**memory, CORRECTED: self._after} if self._is_of(memory) else memory
            for memory in _list_memories(injection)
        ]
        return {**injection, "memories": memories} | ({CORRECTED_LINES: marked} if marked else {})

    def _is_of(self, memory: dict[str, Any]) -> bool:
        if memory.get(CORRECTED) == self._before:
            return True
        handle = memory.get("handle")
        if self._handle and handle:
            return bool(handle == self._handle)
        return self._holds_words(str(memory.get("text", "")))

    def _is_shown_in(self, line: str) -> bool:
        shown = _SHOWN_HANDLE.findall(line)
        # What a line with another handle says stands still, though it be in the same words.
        return self._handle in shown if self._handle and shown else self._holds_words(line)

    def _holds_words(self, text: str) -> bool:
        letters = window.strip_to_letters(text)
        return any(changed in letters for changed in self._changed)


def _drop_from_context(
    row: dict[str, Any], parts: Parts, handles: Collection[str]
) -> dict[str, Any]:
    """Return a session's row whose context does not hold the memories any more."""
    gone: list[str] = []
    held = [
        _drop_lines(text, parts, handles, gone)
        for text in row.get(_HELD, [])
        if isinstance(text, str)
    ]
    for injection in _iter_injections(row):
        _drop_lines(str(injection.get("text", "")), parts, handles, gone)
        gone += [
            json.dumps(memory) for memory in _list_memories(injection) if _shows_part(memory, parts)
        ]
    names = {*handles, *(name for line in gone for name in _SHOWN_HANDLE.findall(line))}
    known = row.get("handles")
    fresh = dict(row)
    if _HELD in row:
        fresh[_HELD] = held
    if isinstance(known, dict):
        fresh["handles"] = {name: is_full for name, is_full in known.items() if name not in names}
    return fresh


def _drop_lines(text: str, parts: Parts, handles: Collection[str], gone: list[str]) -> str:
    """Return a text without the lines of memories, which are added to `gone`."""
    remaining: list[str] = []
    for line in text.split("\n"):
        is_gone = not _TAG.match(line) and _shows_memory(line, parts, handles)
        (gone if is_gone else remaining).append(line)
    return "\n".join(remaining)


def _shows_memory(line: str, parts: Parts, handles: Collection[str]) -> bool:
    return parts.are_in(line) or any(name in handles for name in _SHOWN_HANDLE.findall(line))


def _shows_part(memory: dict[str, Any], parts: Parts) -> bool:
    return any(parts.are_in(value) for value in memory.values() if isinstance(value, str))


def _blank_memory(memory: dict[str, Any]) -> dict[str, Any]:
    """Return a memory of which nothing remains but that it was shown, and how likely it was."""
    blank = {name: "" for name, value in memory.items() if isinstance(value, str)}
    kept = {name: value for name, value in memory.items() if name in ("score", "is_sure")}
    return {**blank, **kept, FORGOTTEN: True}


def _change_injections(
    row: dict[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """Return the fields of a session's row that hold injections, each changed."""
    fresh: dict[str, Any] = {}
    if isinstance(row.get(_LAST), dict):
        fresh[_LAST] = change(row[_LAST])
    if isinstance(row.get(_EARLIER), list):
        fresh[_EARLIER] = [change(one) for one in row[_EARLIER] if isinstance(one, dict)]
    return fresh


def _iter_injections(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for injections in _change_injections(row, dict).values():
        yield from injections if isinstance(injections, list) else [injections]


def _list_memories(injection: dict[str, Any]) -> list[dict[str, Any]]:
    memories = injection.get("memories")
    return [one for one in memories if isinstance(one, dict)] if isinstance(memories, list) else []


def _get_corrected_lines(injection: dict[str, Any]) -> dict[str, int]:
    marked = injection.get(CORRECTED_LINES)
    return marked if isinstance(marked, dict) else {}


def _list_letters(text: str) -> list[str]:
    """Return the letters of each line of a memory, without a record's front matter."""
    return [window.strip_to_letters(line) for line in records.own_text(text).splitlines()]


def _compute_sum(text: str) -> int:
    """Return the checksum of what a memory says, by its letters."""
    letters = window.strip_to_letters(records.own_text(text))
    data = letters.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:_SUM_BYTES], "big")


def list_session_files(home: Path) -> list[Path]:
    """Return the files of what sessions were shown."""
    return sorted(
        file
        for file in (home / window.FOLDER).glob("*.json")
        if file.is_file() and not file.is_symlink()
    )


def read_session_row(file: Path, *, is_dry: bool = False) -> dict[str, Any]:
    """Return what a session's file holds; a torn one is removed, and holds nothing."""
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        row = None
    if not isinstance(row, dict):  # torn: nobody reads it any more, and it cannot be searched
        if not is_dry:
            file.unlink(missing_ok=True)
        return {}
    return row


def write_session_row(file: Path, row: object) -> None:
    """Write a session's file, for its owner alone."""
    fs.replace_private(
        file, json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace")
    )
