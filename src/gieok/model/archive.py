"""Places of memories that left the hot tier, and moves between places."""

from datetime import date, datetime
from typing import NamedTuple

from gieok.model.memory import Document, Entry, Scope, Tier


class Place(NamedTuple):
    """File of an archive: the scope of its memories, the tier, and its path (relative, with
    `/`).
    """

    scope: Scope
    tier: Tier
    path: str


class ArchivedMemory(NamedTuple):
    """Memory that lives in an archive.

    `day` is its day in the user's zone at the time of the move. `content_hash` is the hash of its
    document, `revision` that of its file. `stands`: the memory is a preference or a decision that
    still holds, which an agent is told of whatever its age.
    """

    key: str
    place: Place
    content_hash: str
    revision: str
    tokens: int
    moved_at: datetime
    day: date
    kind: str
    stands: bool = False


class ArchivedPlace(NamedTuple):
    """File of an archive, with the amount of memories that live there."""

    place: Place
    day: date
    memories: int
    tokens: int
    revision: str


class Move(NamedTuple):
    """Move of a memory to the place where it will live; None: in hot.

    `before` is the place where it lived; None: in hot, as `entry` is. `replaced` is the version
    that a person corrected in its file: it goes to the history.
    """

    entry: Entry
    to: ArchivedMemory | None
    before: ArchivedMemory | None = None
    replaced: Document | None = None


class StalePlace(NamedTuple):
    """Place that may hold memories that do not live there; `number` grows with each mark."""

    number: int
    place: Place
