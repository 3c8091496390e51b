"""Ids for transcript lines without ids: the hash of the content, and `~n` for repeated lines.

Of equal lines the first has the bare hash as its id, the n-th the hash and `~n`. A line with a time
is numbered by its place among the equal lines of its file, so that a copied, rewritten or rotated
file gives the same ids. An equal line without a time may be a repetition by the speaker: while its
file is followed, it is numbered after the equal lines in the journal; when the file is read again
from its beginning, it is numbered by its place, like a line with a time.
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
    """Counts of equal lines per file.

    Counts are made on demand, and continue from the cursor of the last count.
    """

    _counts: dict[str, tuple[int, Counter[str]]] = field(default_factory=dict)

    def forget(self, identity: str) -> None:
        """Forget the counts of a file that was replaced."""
        self._counts.pop(identity, None)

    def before(self, file: BinaryIO, cursor: Cursor) -> Callable[[], Counter[str]]:
        """Return a function that counts the lines before a cursor, as hash → count.

        The file is read when that function is called, not before.
        """

        def counts() -> Counter[str]:
            end, counter = self._counts.get(cursor.identity, (0, Counter()))
            if end > cursor.offset:
                end, counter = 0, Counter()
            counter.update(map(hash_line_data, tail.iter_lines_between(file, end, cursor.offset)))
            self._counts[cursor.identity] = (cursor.offset, counter)
            return counter

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

    `hashes` are the content hashes of `lines`. `prefix` stands before the ids of this session in
    the journal. `counts` returns the counts of the lines before the cursor, and is called only
    where a line is numbered by its place.
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
