"""What a handler may use: ports and plain values, put together by `gieok.app`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gieok.capabilities.files.cut import Cut
from gieok.engine.profile import Profile
from gieok.errors import BadConfig
from gieok.model.memory import Scope
from gieok.ports.code import CoverageRun
from gieok.ports.journal import TranscriptStore
from gieok.ports.models import Embedder
from gieok.ports.store import Notes, Store
from gieok.ports.system import Clock, Watcher

if TYPE_CHECKING:  # a cold search has no time for it
    from gieok.capabilities.code.index.project import Project
    from gieok.capabilities.observe.sidecar import Sidecar
    from gieok.capabilities.prompt.matches import Reader
    from gieok.engine.generate import Asker
    from gieok.ports.journal import FullJournal


class SettingRow(NamedTuple):
    """One line of `config show`."""

    name: str
    value: str
    origin: str
    doc: str
    #: What is wrong with another value that was set, and what to do about it; '' where nothing is.
    wrong: str = ""
    hint: str = ""


class DaemonStatus(NamedTuple):
    """A daemon that runs: its process, when it was started, and what each of its parts is doing."""

    pid: int
    started_at: str
    version: str
    parts: Mapping[str, str]


class DaemonControl(Protocol):
    """Starts and stops the one daemon of a home folder."""

    def start(self) -> tuple[DaemonStatus, bool]:
        """Return the daemon that runs, and whether it was started now. Raises GieokError."""

    def stop(self) -> bool:
        """Stop it, and return once it is gone; False where none ran."""

    def status(self) -> DaemonStatus | None:
        """Return what it says of itself; None where none runs."""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a handler reaches. What is a function is opened when it is first asked for.

    `stores` are the configured store and those that answer while it cannot be reached; `open_store` opens any by name.
    `hybrid`: words are searched here too where a service searches for meaning. `choose_store` makes a store the
    configured one, for good.
    `daemon` is None in a process that cannot start one, `embedder()` where the user wants none. `try_embedder` uses it and
    returns what was seen, or raises. `say` shows a line of progress to a person, or nothing; `tell` writes a line that stays,
    in `lang`.
    """

    home: Path
    store_name: str
    store_names: Sequence[str]
    hybrid: bool
    embedder_name: str
    store: Callable[[], Store]
    stores: Callable[[], Sequence[Store]]
    open_store: Callable[[str], Store]
    choose_store: Callable[[str], None]
    #: Opens the files of stores that are not in use any more and still on this machine.
    left_stores: Callable[[], Sequence[Store]]
    #: Moves the damaged file of the configured store away; returns where it is, and a store there if it opens.
    set_aside: Callable[[], tuple[Path, Store | None]]
    embedder: Callable[[], Embedder | None]
    try_embedder: Callable[[Embedder], str]
    watcher: Callable[[], Watcher]
    journal: Callable[[], "FullJournal"]
    #: The notes of the store, each durable in the journal.
    notes: Callable[[], Notes]
    sidecar: Callable[[], "Sidecar"]
    daemon: Callable[[], DaemonControl] | None
    clock: Clock
    zone: tzinfo
    scope: Scope
    #: Scopes that are read beside it where the user named none.
    also: tuple[Scope, ...]
    #: Whether the user named the scope; else it follows from the folder.
    is_scope_named: bool
    profile: Callable[[str], Profile]
    cut: Cut
    #: Whether OpenClaw's transcripts are indexed without being asked for, and how a database of them is opened.
    has_sessions: bool
    open_transcripts: Callable[[Path], TranscriptStore]
    debounce_ms: int
    rescan_s: int
    idle_minutes: int
    settings: Sequence[SettingRow]
    #: Settings that are wrong and were left out; empty in operations that do not run then.
    config_troubles: Sequence[BadConfig]
    say: Callable[[str], None]
    tell: Callable[[str], None]
    #: Asks a person one line; None where nobody sits at a terminal.
    ask: Callable[[str], str] | None
    #: Opens what the prompt hook reads with, and gives what it raises when it is late.
    glance: Callable[[], "tuple[Reader, type[Exception]]"]
    lang: str
    version: str
    #: Where the user stands, and how the code of a folder is opened.
    folder: Path
    project: Callable[[Path], "Project"]
    #: Opens the data file of a run under coverage.
    open_coverage: Callable[[Path], CoverageRun]
    #: Asks the model of this name, '' for the configured one, about the code of a folder; None where there is none.
    asker: "Callable[[Path, str], Asker | None]"
    #: Asks the cheap model about what changed in a folder; None where there is none.
    upkeep: "Callable[[Path], Asker | None]"

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Return every scope to read: that of the call, then those beside it."""
        return (self.scope, *self.also)
