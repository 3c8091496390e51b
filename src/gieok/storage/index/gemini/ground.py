"""Locates the service's quotations in the documents.

The service may have changed spaces and line ends in a quotation, and cut it anywhere.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gieok.model.memory import Passage, PassageId, Scope
from gieok.storage.index.gemini.comparison import ID
from gieok.storage.index.gemini.manifest import Upload
from gieok.storage.index.gemini.service import GroundedChunk
from gieok.text.keywords import normalise
from gieok.text.redact import redact

if TYPE_CHECKING:  # the store imports this module
    from gieok.storage.index.gemini.store import GeminiStore

_WORD = re.compile(r"\S+")
#: A line shorter than this is no evidence: it may stand anywhere.
_TELLING_CHARS = 8


def locate(text: str, quoted: str) -> tuple[int, int] | None:
    """Return the range of `text` that `quoted` repeats, spaces aside.

    Where `text` does not hold all of `quoted`, the range is that of the longest line of `quoted`.
    """
    packed, places = _pack_without_spaces(text)
    lines = sorted(normalise(quoted).splitlines(), key=len, reverse=True)
    for needle in (
        "".join(normalise(quoted).split()),
        *("".join(line.split()) for line in lines[:3]),
    ):
        start = packed.find(needle) if len(needle) >= min(_TELLING_CHARS, len(packed)) else -1
        if needle and start >= 0:
            return places[start], places[start + len(needle) - 1] + 1
    return None


def _pack_without_spaces(text: str) -> tuple[str, list[int]]:
    """Return `text` without spaces, and the offset in `text` of each character."""
    words = [(match.start(), match.group()) for match in _WORD.finditer(text)]
    return "".join(word for _, word in words), [
        start + i for start, word in words for i in range(len(word))
    ]


def overlapped(passages: Sequence[Passage], span: tuple[int, int]) -> list[int]:
    """Return the indexes of the passages that overlap `span`, the most overlapped first.

    A passage overlaps where `span` lies mostly in it, or covers most of it.
    """
    shared = [max(0, min(p.end, span[1]) - max(p.start, span[0])) for p in passages]
    order = sorted(
        (place for place, chars in enumerate(shared) if chars),
        key=lambda place: (-shared[place], place),
    )
    return [
        place
        for rank, place in enumerate(order)
        if not rank
        or 2 * shared[place] >= min(span[1] - span[0], passages[place].end - passages[place].start)
    ]


class Placing:
    """Finds the passages of quotations, and counts quotations that no passage has.

    A quotation carries Gieok's label; where the service leaves the label out, the service's name of
    the document or the title identifies the document.
    """

    def __init__(
        self,
        store: "GeminiStore",
        uploads: Mapping[str, Upload],
        retired: Collection[str],
        scopes: Sequence[Scope],
    ) -> None:
        self._store = store
        self._uploads = uploads
        self._by_name = {upload.name: upload for upload in uploads.values()}
        self._retired = frozenset(retired)
        self._scopes = {scope.path: scope for scope in scopes}
        self._unknown = 0
        self._changed = 0

    def passages(self, chunk: GroundedChunk) -> Iterator[tuple[Scope, PassageId]]:
        """Yield the passages that hold a quotation."""
        if chunk.name in self._retired:
            return  # deleted here, and soon there
        candidates = self._documents(chunk)
        placements = [
            placement
            for upload in candidates
            for placement in [self._place(upload, chunk.text)]
            if placement
        ]
        if not candidates:
            self._unknown += 1
        elif not placements:
            self._changed += 1
        elif len(placements) > 1 and ID not in chunk.labels and not chunk.name:
            self._unknown += 1  # the same words stand in several documents of that title
        else:
            yield from placements[0]

    def notes(self) -> list[str]:
        """Return notes on the quotations that were left out, and why."""
        notes = []
        if self._unknown:
            notes.append(
                f"{self._unknown} quotations by gemini are of documents that are not known "
                "here, and left out"
            )
        if self._changed:
            notes.append(
                f"{self._changed} quotations by gemini no longer stand in their documents, "
                "and are left out"
            )
        return notes

    def _documents(self, chunk: GroundedChunk) -> list[Upload]:
        """Return the documents that a quotation may come from."""
        own = self._uploads.get(chunk.labels.get(ID, "")) or self._by_name.get(chunk.name)
        if own is not None:
            return [own] if own.scope in self._scopes else []
        if ID in chunk.labels or not chunk.title:
            return []
        uploads = (upload for upload in self._uploads.values() if upload.scope in self._scopes)
        return [upload for upload in uploads if redact(upload.key)[:512] == chunk.title]

    def _place(self, upload: Upload, quoted: str) -> list[tuple[Scope, PassageId]]:
        scope = self._scopes[upload.scope]
        entry = next(iter(self._store.entries(scope, [upload.key])), None)
        span = locate(entry.document.text, quoted) if entry else None
        first = self._store.first_passages(scope, [upload.key]).get(upload.key)
        if entry is None or span is None or first is None:
            return []
        return [(scope, first + place) for place in overlapped(entry.passages, span)]
