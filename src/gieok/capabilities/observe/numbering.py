"""Ids of lines that carry none: their contents, and behind `~` which of several equal lines it is.

A line that says its time is itself wherever it stands: of equal ones, each is told apart by where it stands in its own file, so
that a copy, a rewritten or a rotated file gives the ids that it gave before. A line without a time may well be said again: in a
file that is followed it comes after all that the journal has, in one that is read again it is counted like the others.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from gieok.capabilities.observe import tail
from gieok.model.conversation import Cursor
from gieok.model.memory import Scope
from gieok.ports.journal import Journal
from gieok.transcripts import formats, plain
from gieok.transcripts.session import fingerprint


@dataclass(slots=True)
class LineCounts:
    """How often each line has come by in a file. Each is counted once, and only where somebody asks."""

    _counts: dict[str, tuple[int, Counter[str]]] = field(default_factory=dict)

    def forget(self, identity: str) -> None:
        """Begin anew with a file: it is another one by now."""
        self._counts.pop(identity, None)

    def before(self, file: BinaryIO, cursor: Cursor) -> Callable[[], Counter[str]]:
        """Return what counts the lines before a cursor."""

        def counts() -> Counter[str]:
            end, found = self._counts.get(cursor.identity, (0, Counter()))
            if end > cursor.offset:
                end, found = 0, Counter()
            found.update(map(fingerprint, tail.lines_between(file, end, cursor.offset)))
            self._counts[cursor.identity] = (cursor.offset, found)
            return found

        return counts


def numbered(
    journal: Journal,
    scope: Scope,
    prefix: str,
    cursor: Cursor,
    lines: Sequence[tail.Line],
    hashes: Sequence[str],
    counts: Callable[[], Counter[str]],
) -> list[str]:
    """Return an id for each line of a portion that begins at `cursor`; `counts` gives how often each stands before it."""
    occurrences = journal.occurrences(scope, [prefix + identity for identity in hashes])
    held = {identity.removeprefix(prefix): count for identity, count in occurrences.items()}
    by_place = {
        identity
        for line, identity in zip(lines, hashes, strict=True)
        if identity in held and (cursor.is_rereading or _says_its_time(line.data))
    }
    before = counts() if by_place else Counter[str]()
    here: Counter[str] = Counter()
    ids: list[str] = []
    for identity in hashes:
        here[identity] += 1
        number = here[identity] + (before[identity] if identity in by_place else held.get(identity, 0))
        ids.append(identity if number == 1 else f"{identity}~{number}")
    return ids


def _says_its_time(data: bytes) -> bool:
    return plain.moment_of(formats.parse(data) or {}) is not None
