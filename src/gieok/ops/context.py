"""What a handler may use: ports and plain values, put together by `gieok.app`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gieok.capabilities.files.cut import Cut
from gieok.engine.recall import Profile
from gieok.model import Scope
from gieok.ports import Clock, Embedder, KeywordSearch, ModelSwitch, Store, VectorSearch, Watcher

if TYPE_CHECKING:
    from gieok.capabilities.prompt.recollect import Reader


class HybridStore(Store, KeywordSearch, VectorSearch, ModelSwitch, Protocol):
    """A store with every ability."""


class SettingRow(NamedTuple):
    """One line of `config show`."""

    name: str
    value: str
    origin: str
    doc: str


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a handler reaches. `store`, `embedder` and `watcher` are opened when they are first asked for.

    `embedder()` is None where the user wants none. `try_embedder` uses it and returns what was seen, or raises.
    `say` shows a line of progress to a person, or nothing; `tell` writes a line that stays, in `lang`.
    """

    home: Path
    store_name: str
    location: Path
    embedder_name: str
    store: Callable[[], HybridStore]
    embedder: Callable[[], Embedder | None]
    try_embedder: Callable[[Embedder], str]
    watcher: Callable[[], Watcher]
    clock: Clock
    zone: tzinfo
    scope: Scope
    #: Scopes that are read beside it where the user named none.
    also: tuple[Scope, ...]
    #: Whether the user named the scope; else it follows from the folder.
    is_scope_named: bool
    profile: Callable[[str], Profile]
    cut: Cut
    debounce_ms: int
    rescan_s: int
    settings: Sequence[SettingRow]
    say: Callable[[str], None]
    tell: Callable[[str], None]
    #: Asks a person one line; None where nobody sits at a terminal.
    ask: Callable[[str], str] | None
    #: Opens what the prompt hook reads with, and gives what it raises when it is late.
    glance: Callable[[], "tuple[Reader, type[Exception]]"]
    lang: str
    version: str

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Return every scope to read: that of the call, then those beside it."""
        return (self.scope, *self.also)
