"""Prepares an entry before a write lock is taken: cleaned, tokenised, hashed.

Cleaned of characters that no database keeps.
"""

import re
from dataclasses import replace
from typing import NamedTuple

from gieok.errors import ShapeMismatch
from gieok.model.memory import Entry
from gieok.storage.index.rows import count_keyword_tokens
from gieok.text.embedform import embed_hash, form_hash
from gieok.text.keywords import VERSION, keyword_text
from gieok.text.lines import KINDS, line_spans

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class PreparedEntry(NamedTuple):
    """Entry with the tokens of each passage, their number and the passage's hash."""

    entry: Entry
    bodies: tuple[str, ...]
    contexts: tuple[str, ...]
    lengths: tuple[int, ...]
    hashes: tuple[bytes, ...]
    #: Lines of each passage: start, end, hash of the text to embed.
    lines: tuple[tuple[tuple[int, int, bytes], ...], ...] = ()


def are_keywords_old(stored: int, where: str) -> bool:
    """Say whether an earlier release made the keyword tokens of a store.

    Raises ShapeMismatch where a newer release made them.
    """
    if stored > VERSION:
        raise ShapeMismatch(
            "{where} holds keyword tokens of version {stored}, this gieok makes {version}",
            where=where,
            stored=stored,
            version=VERSION,
            hint="update gieok",
        )
    return stored < VERSION


def prepare_entry(entry: Entry) -> PreparedEntry:
    """Tokenise and hash the passages of `entry`."""
    entry = _make_entry_storable(entry)
    text = entry.document.text
    slices = [text[p.start : p.end] for p in entry.passages]
    bodies = tuple(map(keyword_text, slices))
    return PreparedEntry(
        entry=entry,
        bodies=bodies,
        contexts=tuple(keyword_text(p.context) for p in entry.passages),
        lengths=tuple(count_keyword_tokens(body) for body in bodies),
        hashes=tuple(
            _hash_passage(p.label, text) for p, text in zip(entry.passages, slices, strict=True)
        ),
        lines=tuple(hashed_lines(entry.document.kind, text) for text in slices),
    )


def _hash_passage(label: str, text: str) -> bytes:
    return form_hash(f"{label}\0{text}") if label else embed_hash(text)


def hashed_lines(kind: str, text: str) -> tuple[tuple[int, int, bytes], ...]:
    """Return start, end and hash of the lines of a passage.

    Nothing where documents of its kind have no lines.
    """
    if kind not in KINDS:
        return ()
    return tuple((start, end, form_hash(text[start:end])) for start, end in line_spans(text))


def _make_entry_storable(entry: Entry) -> Entry:
    """Replace characters that no database keeps in a text, one character for one.

    These are NUL, and a lone surrogate, which has no UTF-8.
    """
    document, passages = entry.document, entry.passages
    if not any(
        map(_is_unstorable, (document.text, document.title, *(p.context for p in passages)))
    ):
        return entry
    return Entry(
        replace(
            document,
            text=_replace_unstorable(document.text),
            title=_replace_unstorable(document.title),
        ),
        tuple(p._replace(context=_replace_unstorable(p.context)) for p in passages),
    )


def _is_unstorable(text: str) -> bool:
    if text.isascii():
        return "\0" in text
    return _UNSTORABLE.search(text) is not None


def _replace_unstorable(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text)
