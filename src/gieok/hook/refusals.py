"""Memories that a person does not want before a prompt like one that they were put before, or at a
session's start.

Imported by the hook: see the package. No text is kept: of a prompt only checksums of its words, of
a memory its handle and the checksum of its words. The checksums are made with a secret of the home,
so that whoever has the rows alone cannot try words until one fits. Rows of before have checksums
without it, numbers, and hold by these until they are dropped.
"""

import json
import os
import re
import zlib

from gieok import fs
from gieok.hook import choice, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gieok.hook.inject import InjectedMemory

_FILE, _KEY_FILE = os.path.join("hook", "refused.json"), os.path.join("hook", "refused.key")
_KEY_BYTES, _SUM_BYTES = 32, 8
#: The oldest refusals are dropped: the hook reads all of them before each prompt.
_MOST = 300
#: Stands for a session's start among prompts, which are not empty, and among their words, which are
#: checksums.
AT_START, _START_WORD = "", "start"
#: A line of a session's start: its marks and day, its words, and what stands in brackets behind it.
_START_LINE = r"- (?:\W{1,2} )?(?:\d{4}-\d\d-\d\d )?(?P<words>.*)"
_MOST_BRACKETS = 4
#: A handle as it stands in a line, with the number of a turn's line.
_WHOLE_HANDLE = r"\b[0-9a-f]{8}(?:\.\d+)?(?![\w.])"
#: Share of the words of two prompts, of all words of both, from which they ask alike.
_ALIKE = 0.6


class PromptRefusals:
    """Refusals that hold for one prompt; for `AT_START`, at a session's start."""

    def __init__(self, home: str, prompt: str) -> None:
        rows = _read_refusal_rows(home)
        key = _read_key(home) if rows else b""
        alike = _select_alike_rows(rows, key, prompt)
        self._keys = {_find_row_key(row, key) for row in alike}
        self._handles = {row["handle"] for row in alike}
        self._texts = {row["text"] for row in alike}

    def refuses(self, memory: "InjectedMemory") -> bool:
        """Say whether a memory, or another one in the same words, is refused for the prompt."""
        return self.refuses_memory(memory.handle, memory.text)

    def refuses_memory(self, handle: str, text: str) -> bool:
        """Say whether a memory with this handle, or in these words, is refused."""
        return handle in self._handles or self._refuses_words(text)

    def refuses_line(self, line: str) -> bool:
        """Say whether a line of a session's start is of a refused memory, or in the same words."""
        if not self._handles:
            return False
        if not self._handles.isdisjoint(re.findall(_WHOLE_HANDLE, line)):
            return True
        found = re.match(_START_LINE, line)
        words = found["words"] if found else line
        for _ in range(_MOST_BRACKETS):
            if self._refuses_words(words):
                return True
            words, bracket, _ = words.rpartition(" (")
            if not bracket:
                break
        return False

    def _refuses_words(self, text: str) -> bool:
        return any(_sum_text(key, text) in self._texts for key in self._keys)

    def allowed(self, memories: "Iterable[InjectedMemory]") -> "list[InjectedMemory]":
        """Return the memories that are not refused, in their order."""
        return [memory for memory in memories if not self.refuses(memory)]


def add_refusal(home: str, handle: str, text: str, prompt: str, at_s: float) -> None:
    """Keep that a memory is not wanted before prompts like `prompt`.

    Takes the place of refusals of the memory that hold no more, because their secret is lost.
    """
    with fs.lock_resource(home, os.path.join(home, _FILE)):
        known, before = _read_refusal_rows(home), _read_key(home)
        key = before if _is_whole(before) else _make_key(home)
        for one in known:
            # made with the key of before, where nothing says otherwise
            one.setdefault("key", _name_key(before))
        row = {
            "handle": handle,
            "text": _sum_text(key, text),
            "words": sorted(_sum_prompt_words(key, prompt)),
            "at": at_s,
            "key": _name_key(key),
        }
        rows = [
            one
            for one in known
            if not _is_same(one, row) and not (one["handle"] == handle and _is_lost(one, key))
        ]
        _write_refusal_rows(home, [*rows, row])


def lift_refusals(home: str, handle: str, text: str, prompt: str) -> int:
    """Drop the refusals of a memory for prompts like `prompt`; return how many there were.

    Refusals of another memory in the same words are dropped too: they hold for this one as well. So
    are those of the memory whose secret is lost, whatever prompt they were for.
    """
    with fs.lock_resource(home, os.path.join(home, _FILE)):
        rows, key = _read_refusal_rows(home), _read_key(home)
        alike = _select_alike_rows(rows, key, prompt)
        left = [
            row
            for row in rows
            if not (
                (row["handle"] == handle and (row in alike or _is_lost(row, key)))
                or (row in alike and row["text"] == _sum_text(_find_row_key(row, key), text))
            )
        ]
        if len(left) < len(rows):
            _write_refusal_rows(home, left)
    return len(rows) - len(left)


def list_lost_refusals(home: str) -> list[str]:
    """Return the handles of memories with refusals that no prompt can be compared with, because the
    secret that they were made with is not there.
    """
    rows, key = _read_refusal_rows(home), _read_key(home)
    return sorted({row["handle"] for row in rows if _is_lost(row, key)})


def _is_lost(row: "dict[str, Any]", key: bytes) -> bool:
    """Say whether a row was made with another secret than the one that is there."""
    name = _name_key(key)
    return not _is_plain(row) and (not name or row.get("key", name) != name)


def _select_alike_rows(
    rows: "list[dict[str, Any]]", key: bytes, prompt: str
) -> "list[dict[str, Any]]":
    """Return the refusals for prompts like one."""
    words = {
        row_key: _sum_prompt_words(row_key, prompt)
        for row_key in {_find_row_key(row, key) for row in rows}
    }
    return [
        row for row in rows if _is_alike(words[_find_row_key(row, key)], frozenset(row["words"]))
    ]


def _is_plain(row: "dict[str, Any]") -> bool:
    """Say whether a row is of before there was a secret."""
    return isinstance(row["text"], int)


def _find_row_key(row: "dict[str, Any]", key: bytes) -> "bytes | None":
    """Return the secret that a row is compared with; None for a row that has none."""
    return None if _is_plain(row) else key


def _is_same(one: "dict[str, Any]", other: "dict[str, Any]") -> bool:
    return (one["handle"], one["words"]) == (other["handle"], other["words"])


def _is_alike(one: "frozenset[str | int]", other: "frozenset[str | int]") -> bool:
    """Say whether two prompts, by the checksums of their words, ask alike."""
    every = one | other
    return bool(every) and len(one & other) >= _ALIKE * len(every)


def _sum_prompt_words(key: "bytes | None", prompt: str) -> "frozenset[str | int]":
    """Return a checksum for each content word of a prompt; of all of it where it has none.

    A session's start has a word of its own.
    """
    if prompt == AT_START:
        return frozenset((_START_WORD,))
    words = [tokens[0] for tokens in named.content_words(prompt)]
    return frozenset(_sum_text(key, word) for word in words or [prompt])


def _sum_text(key: "bytes | None", text: str) -> "str | int":
    """Return the checksum of a text's letters; a turn counts without the answer to it.

    A number where there is no secret.
    """
    from hashlib import blake2b  # a home without refusals has no need of it

    folded = choice.fold_statement(text.partition(choice.ANSWERED_BY)[0]).encode(
        "utf-8", "surrogatepass"
    )
    if key is None:
        return zlib.crc32(folded)
    return blake2b(folded, digest_size=_SUM_BYTES, key=key).hexdigest()


def _name_key(key: bytes) -> str:
    """Return a name of a secret that does not tell it; '' for one that is not there or damaged."""
    from hashlib import blake2b

    return blake2b(b"name", digest_size=_SUM_BYTES, key=key).hexdigest() if _is_whole(key) else ""


def _is_whole(key: bytes) -> bool:
    return len(key) == _KEY_BYTES


def _read_key(home: str) -> bytes:
    """Return the secret that checksums are made with; b'' where there is none yet."""
    try:
        with open(os.path.join(home, _KEY_FILE), "rb") as file:
            return file.read(_KEY_BYTES)
    except OSError:
        return b""


def _make_key(home: str) -> bytes:
    """Make the secret of this home, and return it as it is kept."""
    fs.replace_private(os.path.join(home, _KEY_FILE), os.urandom(_KEY_BYTES))
    return _read_key(home)


def _read_refusal_rows(home: str) -> "list[dict[str, Any]]":
    try:
        with open(os.path.join(home, _FILE), encoding="utf-8") as file:
            rows = json.load(file)
    except (OSError, ValueError):
        return []
    fields = {"handle", "text", "words", "at"}
    return [
        row
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
        and fields <= row.keys()
        and isinstance(row["handle"], str)
        and isinstance(row["text"], str | int)
        and isinstance(row["words"], list)
        and all(isinstance(word, str | int) for word in row["words"])
    ]


def _write_refusal_rows(home: str, rows: "list[dict[str, Any]]") -> None:
    fs.replace_private(os.path.join(home, _FILE), json.dumps(rows[-_MOST:]))
