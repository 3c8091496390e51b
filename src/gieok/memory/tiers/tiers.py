"""Parts of moves between tiers: the journal, the store, the shelves, and the outcome of moves."""

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
    """Tiers of a home.

    `shelves` are the configured shelves; warm always is one. `rules`: see `retention`.
    """

    journal: FullJournal
    store: Documents
    shelves: Mapping[Tier, Shelf]
    rules: tuple[RetentionRule, ...]
    clock: Clock
    zone: tzinfo
    #: Most of a scope that may be in hot.
    limits: Limits = Limits()
    #: Stores that stand in for `store` while it cannot be reached.
    beside: Callable[[], Sequence[Store]] = tuple


@dataclass(slots=True)
class Outcome:
    """Outcome of moves: moved memories, corrections found in files, written files, and faults."""

    moved: int = 0
    corrected: int = 0
    written: int = 0
    wrong: list[str] = field(default_factory=list)
    #: Items of `wrong` that are mended by now: files that were written again.
    mended: set[str] = field(default_factory=set)

    def add(self, more: "Outcome") -> None:
        """Add the outcome of further moves."""
        self.moved += more.moved
        self.corrected += more.corrected
        self.written += more.written
        self.wrong += [line for line in more.wrong if line not in self.wrong]
        self.mended |= more.mended

    @property
    def failed(self) -> list[str]:
        """Return the faults that are not mended."""
        return [line for line in self.wrong if line not in self.mended]


@dataclass(frozen=True, slots=True)
class Arrival:
    """Memory that is to live on a shelf, coming from hot or from its place `before`."""

    entry: Entry
    day: date
    before: ArchivedMemory | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """File by its plain path, with the memories that arrive there."""

    scope: Scope
    tier: Tier
    path: str
    arriving: tuple[Arrival, ...] = ()
