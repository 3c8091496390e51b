"""Where memories live that left the hot tier, and how one moves."""

from datetime import date, datetime
from typing import NamedTuple

from gieok.model.memory import Document, Entry, Scope, Tier


class Place(NamedTuple):
    """A file of an archive: whose memories it holds, the tier, and its path there (relative, with
    `/`).
    """

    scope: Scope
    tier: Tier
    path: str


class ArchivedMemory(NamedTuple):
    """A memory that lives in an archive. `day` is that of the memory in the user's zone when it was
    moved.

    `content_hash` is that of its document, `revision` that of its file. `stands`: it is a
    preference or a decision that still holds, which an agent is told of whatever its age.
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
    """A file of an archive, and how much lives there."""

    place: Place
    day: date
    memories: int
    tokens: int
    revision: str


class Move(NamedTuple):
    """A memory as it is written where it will live; None: in hot. `before` is where it lived; None:
    in hot, as `entry` is.

    `replaced` is what a person corrected in its place: it goes to the history.
    """

    entry: Entry
    to: ArchivedMemory | None
    before: ArchivedMemory | None = None
    replaced: Document | None = None


class StalePlace(NamedTuple):
    """A place that may hold what does not live there; `number` grows with each mark."""

    number: int
    place: Place
