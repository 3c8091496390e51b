"""Ids of lines without ids: a hash of the content, and after `~` the number among equal lines.

A line with a time is identified by its content; equal ones are numbered by their place in the file,
so that a copied, rewritten or rotated file gives the same ids. A line without a time may be said
again: in a file that is followed its number continues after those in the journal, in a file that is
read again it is counted like the others.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from gieok.agents import formats
from gieok.agents.transcripts import plain
from gieok.agents.transcripts.fields import hash_line_data
from gieok.memory.capture import tail
from gieok.model.conversation import Cursor
from gieok.model.memory import Scope
from gieok.ports.journal import Journal


@dataclass(slots=True)
class LineCounts:
    """Counts of equal lines by file, made on demand and continued from the last cursor."""

    _counts: dict[str, tuple[int, Counter[str]]] = field(default_factory=dict)

    def forget(self, identity: str) -> None:
        """Forget the counts of a file that was replaced."""
        self._counts.pop(identity, None)

    def before(self, file: BinaryIO, cursor: Cursor) -> Callable[[], Counter[str]]:
        """Return a function that counts the lines before a cursor."""

        def counts() -> Counter[str]:
            end, found = self._counts.get(cursor.identity, (0, Counter()))
            if end > cursor.offset:
                end, found = 0, Counter()
            found.update(map(hash_line_data, tail.iter_lines_between(file, end, cursor.offset)))
            self._counts[cursor.identity] = (cursor.offset, found)
            return found

        return counts


def number_equal_lines(
    journal: Journal,
    scope: Scope,
    prefix: str,
    cursor: Cursor,
    lines: Sequence[tail.TailLine],
    hashes: Sequence[str],
    counts: Callable[[], Counter[str]],
) -> list[str]:
    """Return an id for each line of a portion that begins at `cursor`.

    `counts` returns the counts of the lines before the cursor.
    """
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
        number = here[identity] + (
            before[identity] if identity in by_place else held.get(identity, 0)
        )
        ids.append(identity if number == 1 else f"{identity}~{number}")
    return ids


def _says_its_time(data: bytes) -> bool:
    return plain.read_plain_time(formats.parse_transcript_line(data) or {}) is not None
