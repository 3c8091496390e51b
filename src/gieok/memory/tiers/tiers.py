"""What moves between tiers are made of: the journal, the store, the shelves; and what came of
them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo

from gieok.memory.tiers.limits import Limits
from gieok.memory.tiers.retention import RetentionRule
from gieok.memory.tiers.shelf import Shelf
from gieok.model.archive import ArchivedMemory
from gieok.model.memory import Entry, Scope, Tier
from gieok.ports.journal import FullJournal
from gieok.ports.store import Documents, Store
from gieok.ports.system import Clock

#: Lock of the journal under which files of archives are written.
LOCK = "archive"
#: The incident of a file that was gone, damaged, or could not be reached.
INCIDENT = "archive"


@dataclass(frozen=True, slots=True)
class Tiers:
    """The tiers of a home. `shelves` are those that are configured; warm always is. `rules`: see
    `retention`.
    """

    journal: FullJournal
    store: Documents
    shelves: Mapping[Tier, Shelf]
    rules: tuple[RetentionRule, ...]
    clock: Clock
    zone: tzinfo
    #: How much of a scope may be in hot.
    limits: Limits = Limits()
    #: Stores that stand in for `store` while it cannot be reached.
    beside: Callable[[], Sequence[Store]] = tuple


@dataclass(slots=True)
class Outcome:
    """What came of moves: memories that moved, corrections that a person wrote into files, files
    written, what is wrong.
    """

    moved: int = 0
    corrected: int = 0
    written: int = 0
    wrong: list[str] = field(default_factory=list)
    #: Those of `wrong` that are mended by now: files that were written again.
    mended: set[str] = field(default_factory=set)

    def add(self, more: "Outcome") -> None:
        """Add what came of further moves."""
        self.moved += more.moved
        self.corrected += more.corrected
        self.written += more.written
        self.wrong += [line for line in more.wrong if line not in self.wrong]
        self.mended |= more.mended

    @property
    def failed(self) -> list[str]:
        """Return what is wrong still."""
        return [line for line in self.wrong if line not in self.mended]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A memory that is to live on a shelf, from hot, or from where it lived `before`."""

    entry: Entry
    day: date
    before: ArchivedMemory | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A file by its plain path, and what arrives there."""

    scope: Scope
    tier: Tier
    path: str
    arriving: tuple[Arrival, ...] = ()
