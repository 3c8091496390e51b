"""Memories that a person does not want before a prompt like one that they were put before.

Imported by the hook: see the package. No text is kept: of a prompt only checksums of its words, of
a memory its handle and the checksum of its words. The checksums are made with a secret of the home,
so that whoever has the rows alone cannot try words until one fits.
"""

import json
import os

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
#: Share of the words of two prompts, of all words of both, from which they ask alike.
_ALIKE = 0.6


class PromptRefusals:
    """Refusals that hold for one prompt."""

    def __init__(self, home: str, prompt: str) -> None:
        rows = _read_refusal_rows(home)
        self._key = _read_key(home) if rows else b""
        words = _sum_prompt_words(self._key, prompt) if rows else frozenset()
        alike = [row for row in rows if _is_alike(words, frozenset(row["words"]))]
        self._handles = {row["handle"] for row in alike}
        self._texts = {row["text"] for row in alike}

    def refuses(self, memory: "InjectedMemory") -> bool:
        """Say whether a memory, or another one in the same words, is refused for the prompt."""
        return bool(self._handles) and (
            memory.handle in self._handles or _sum_text(self._key, memory.text) in self._texts
        )

    def allowed(self, memories: "Iterable[InjectedMemory]") -> "list[InjectedMemory]":
        """Return the memories that are not refused, in their order."""
        return [memory for memory in memories if not self.refuses(memory)]


def add_refusal(home: str, handle: str, text: str, prompt: str, at_s: float) -> None:
    """Keep that a memory is not wanted before prompts like `prompt`."""
    with fs.lock_resource(home, os.path.join(home, _FILE)):
        key = _ensure_key(home)
        row = {
            "handle": handle,
            "text": _sum_text(key, text),
            "words": sorted(_sum_prompt_words(key, prompt)),
            "at": at_s,
        }
        rows = [one for one in _read_refusal_rows(home) if not _is_same(one, row)]
        _write_refusal_rows(home, [*rows, row])


def lift_refusals(home: str, handle: str, text: str, prompt: str) -> int:
    """Drop the refusals of a memory for prompts like `prompt`; return how many there were.

    Refusals of another memory in the same words are dropped too: they hold for this one as well.
    """
    with fs.lock_resource(home, os.path.join(home, _FILE)):
        rows, key = _read_refusal_rows(home), _read_key(home)
        words, same = _sum_prompt_words(key, prompt), _sum_text(key, text)
        left = [
            row
            for row in rows
            if not (
                (row["handle"] == handle or row["text"] == same)
                and _is_alike(words, frozenset(row["words"]))
            )
        ]
        if len(left) < len(rows):
            _write_refusal_rows(home, left)
    return len(rows) - len(left)


def _is_same(one: "dict[str, Any]", other: "dict[str, Any]") -> bool:
    return (one["handle"], one["words"]) == (other["handle"], other["words"])


def _is_alike(one: "frozenset[str]", other: "frozenset[str]") -> bool:
    """Say whether two prompts, by the checksums of their words, ask alike."""
    every = one | other
    return bool(every) and len(one & other) >= _ALIKE * len(every)


def _sum_prompt_words(key: bytes, prompt: str) -> "frozenset[str]":
    """Return a checksum for each content word of a prompt; of all of it where it has none."""
    words = [tokens[0] for tokens in named.content_words(prompt)]
    return frozenset(_sum_text(key, word) for word in words or [prompt])


def _sum_text(key: bytes, text: str) -> str:
    """Return the checksum of a text's letters; a turn counts without the answer to it."""
    from hashlib import blake2b  # a home without refusals has no need of it

    letters = choice.fold_statement(text.partition(" → ")[0])
    return blake2b(
        letters.encode("utf-8", "surrogatepass"), digest_size=_SUM_BYTES, key=key
    ).hexdigest()


def _read_key(home: str) -> bytes:
    """Return the secret that checksums are made with; b'' where there is none yet."""
    try:
        with open(os.path.join(home, _KEY_FILE), "rb") as file:
            return file.read(_KEY_BYTES)
    except OSError:
        return b""


def _ensure_key(home: str) -> bytes:
    """Return the secret of this home, which is made at the first refusal."""
    if len(_read_key(home)) < _KEY_BYTES:
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
        if isinstance(row, dict) and fields <= row.keys() and isinstance(row["words"], list)
    ]


def _write_refusal_rows(home: str, rows: "list[dict[str, Any]]") -> None:
    fs.replace_private(os.path.join(home, _FILE), json.dumps(rows[-_MOST:]))
