"""Openings: the settings that stores, models and notifiers are opened with.

A backend sees no other settings. Standard library only.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gieok.errors import Phrase

if TYPE_CHECKING:
    from gieok.ports.archive import Sealer
    from gieok.ports.system import Clock


class SettingsReader(Protocol):
    """Settings and secrets by name."""

    def text(self, name: str, /) -> str:
        """Return the text of a setting."""

    def secret(self, name: str, /) -> str:
        """Return a variable of the environment or of `.env`; '' for none."""


class Opening(NamedTuple):
    """Settings that a store is opened with."""

    home: Path
    #: Of the store that is opened (`StoreBackend.file`); its home where it has none.
    file: Path
    settings: SettingsReader
    #: For long-lived processes: scopes that are asked about are kept in memory.
    is_resident: bool = False
    #: Shows a line of progress to a person: an index of an older release may take a while to bring
    #: up to date.
    say: Callable[[str], None] = lambda line: None
    #: How files that texts are moved to are written and read.
    sealers: "Callable[[], Sequence[Sealer]]" = tuple

    def setting(self, name: str) -> str:
        """Return the text of a setting."""
        return self.settings.text(name)

    def secret(self, name: str) -> str:
        """Return a secret; '' for none."""
        return self.settings.secret(name)


class ModelOpening(NamedTuple):
    """Settings that an embedder or a reranker is opened with.

    `provider` is its row in the registry, `model` a name or a folder.
    """

    provider: str
    model: str
    home: Path
    address: str = ""
    key: str = ""
    #: Where the key is set: named in errors.
    key_variable: str = ""
    #: How long the vectors shall be; 0: as the model makes them.
    dimension: int = 0
    #: Put before a question and before a passage; `auto`: as the model's makers say.
    query_prompt: str = "auto"
    passage_prompt: str = "auto"
    #: How the vectors of tokens become one: auto, mean, cls, last or max.
    pooling: str = "auto"
    timeout_s: float = 60.0
    threads: int = 1
    say: Callable[[str], None] = lambda line: None

    def needs(self, what: str, setting: str) -> str:
        """Return the error text for a missing setting."""
        return Phrase(
            "{provider!r} needs {what}: set `{setting}`",
            provider=self.provider,
            what=Phrase(what),
            setting=setting,
        )


class ArchiveOpening(NamedTuple):
    """Settings that an archive is opened with.

    A person's folder, Gieok's subfolder in it, and the marker of a vault ('': none). `of_scope`
    returns the folder of a scope, for archives that keep scopes apart; `has_memories` says whether
    memories live there by now. `wait` sleeps between tries. `trial_s`: a person waits for
    the answer, so a service is tried once, for that many seconds; 0: as often and as long as a
    write needs.
    """

    folder: Path
    own: str
    mark: str
    of_scope: str
    has_memories: Callable[[], bool]
    settings: SettingsReader
    wait: Callable[[float], object]
    trial_s: float = 0.0

    def secret(self, name: str) -> str:
        """Return a secret; '' for none."""
        return self.settings.secret(name)


class ChannelOpening(NamedTuple):
    """Settings that a notifier is opened with.

    `user` is the person's folder, `log` Gieok's log.
    """

    settings: SettingsReader
    environment: Mapping[str, str]
    user: Path
    log: Path
    clock: "Clock"
    timeout_s: float
    #: The person's, for times in the log.
    zone: tzinfo
    #: Where the key is set, if one is needed, and how a person sets it.
    key_variable: str = ""
    key_hint: str = ""

    def setting(self, name: str) -> str:
        """Return the text of a setting of notices."""
        return self.settings.text(name)

    def secret(self, name: str) -> str:
        """Return a secret; '' for none."""
        return self.settings.secret(name)
