"""Opens stores and the journal, each once."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import fs, paths, registry
from gieok.errors import (
    GieokError,
    MissingExtra,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
    StoreUnreachable,
)
from gieok.opening import Opening
from gieok.ports.store import Adoptable, Notes, Store
from gieok.ports.system import Clock
from gieok.settings import trust
from gieok.settings.values import Settings

if TYPE_CHECKING:  # a cold search has no time for it
    from gieok.ports.accounts import Accounts
    from gieok.ports.archive import Sealer
    from gieok.ports.cache import WindowCache
    from gieok.ports.journal import FullJournal
    from gieok.ports.limits import RateLimiter


def list_store_names() -> dict[str, bool]:
    """Return name of a store → whether its data is on a server."""
    return {name: row.is_remote for name, row in registry.STORES.items()}


def list_journal_names() -> list[str]:
    """Return the names of the journals."""
    return list(registry.JOURNALS)


class Stores:
    """Openers of stores (`open`, by name) and of the journal (`journal`); each is opened once."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        say: Callable[[str], None],
        *,
        is_resident: bool,
        sealers: "Callable[[], Sequence[Sealer]]",
    ) -> None:
        self._sealers = sealers
        self._settings = settings
        self._clock = clock
        self.name = settings.text("store")
        self.journal_name = settings.text("journal")
        self._opening = Opening(
            settings.home,
            settings.home,
            settings,
            is_resident=is_resident,
            say=say,
        )
        self.open: Callable[[str], Store] = cache(self._open)
        self.journal: Callable[[], FullJournal] = cache(self._open_journal)
        self.adopted: Callable[[], Store] = cache(self._open_adopted)
        self.accounts: Callable[[], Accounts] = cache(self._open_accounts)
        self.limiter: Callable[[], RateLimiter] = cache(self._open_limiter)

    @property
    def is_remote(self) -> bool:
        """Return whether the data of the configured store is on a server."""
        return registry.STORES[self.name].is_remote

    def configured(self) -> Store:
        """Return the configured store."""
        return self.open(self.name)

    def all(self) -> list[Store]:
        """Return the configured store, and the local store that stands in for a remote one.

        There is a second store only where the setting `hybrid` is on.
        """
        beside = self.is_remote and self._settings.flag("hybrid")
        return [self.configured(), *([self.open(registry.LOCAL_STORE)] if beside else [])]

    def notes(self) -> Notes:
        """Return the notes of the configured store, each durable in the journal."""
        from gieok.flow.durable import DurableNotes

        return DurableNotes(self.journal(), self.adopted())

    def left(self) -> list[Store]:
        """Open the stores that `store switch` left on this machine."""

        def index_of(name: str) -> str:
            is_hybrid = name != self.name or self._settings.flag("hybrid")
            return registry.local_index(str(self._settings.home), name, hybrid=is_hybrid)

        left = sorted({index_of(name) for name in registry.STORES} - {index_of(self.name)})
        copied = {index_of(name): name for name, row in registry.STORES.items() if row.sent}
        return [
            self._open_left(Path(file), copied.get(file, ""))
            for file in left
            if Path(file).is_file()
        ]

    def _open_left(self, file: Path, copied: str) -> Store:
        """Open a file that is not in use.

        `copied` names the store whose copies at a service have to follow the file.
        """
        try:
            if copied:
                return self.open(copied)
        except MissingExtra:  # `status` and `doctor` tell of what is there
            pass
        opened: Store = registry.load_backend(registry.STORES, registry.LOCAL_STORE)(file)
        return opened

    def elsewhere(self) -> dict[str, Path | None]:
        """Return the stores that may have data at a service, or on a server that the settings name.

        Each comes with the file by which its data is recognised there; None where nothing on this
        machine is needed for that.
        """
        files: dict[str, Path | None] = {}
        has_server = bool(self._settings.text("database.url"))
        for name, row in registry.STORES.items():
            sent = self._settings.home / row.sent if row.sent else None
            if sent is not None and sent.exists():
                files[name] = sent
            elif row.is_remote and (has_server or name == self.name):
                files[name] = None
        return files

    def set_aside(self) -> tuple[Path, Store | None]:
        """Move the file of the configured store away. Raises StoreCorrupt where it is on a
        server.
        """
        file = Path(registry.local_index(str(self._settings.home), self.name, hybrid=False))
        if file == Path():
            raise StoreCorrupt(
                "the data of `store: {name}` is damaged",
                name=self.name,
                hint="restore it from a backup of the server",
            )
        folder = (
            paths.locate_set_aside(self._settings.home) / f"{self._clock.now():%Y%m%dT%H%M%S%fZ}"
        )
        fs.set_aside(file, folder)
        try:
            salvaged: Store = registry.load_backend(registry.STORES, registry.LOCAL_STORE)(
                folder / file.name
            )
        except GieokError:
            return folder, None
        return folder, salvaged

    def _open(self, name: str) -> Store:
        row = registry.load_backend(registry.STORES, name)
        opened: Store = row.open(
            self._opening._replace(file=self._settings.home / registry.STORES[name].file)
        )
        if name == self.name:
            _grant_what_was_known(self._settings.home, opened)
            fs.keep_reserve(self._settings.home)
            if not registry.STORES[name].is_remote:
                adopt_old_store(self.journal, opened)
        return opened

    def _open_adopted(self) -> Store:
        # A server is asked at the place where the journal is written, not by every search: a search
        # must not wait for a server that is down.
        store = self.configured()
        adopt_old_store(self.journal, store)
        return store

    def _open_journal(self) -> "FullJournal":
        return self.open_journal(self.journal_name)

    def _open_accounts(self) -> "Accounts":
        return self.open_accounts(self.journal_name)

    def open_accounts(self, journal_name: str) -> "Accounts":
        """Open the accounts beside a journal.

        A service whose messages are on a server keeps its users there too.
        """
        name, opening = self._beside(journal_name)
        accounts: Accounts = registry.load_backend(registry.ACCOUNTS, name).open(opening)
        return accounts

    def has_accounts(self, journal_name: str = "") -> bool:
        """Return whether accounts exist beside a journal; none are created.

        '' names the configured journal.

        Raises StoreUnreachable.
        """
        name, opening = self._beside(journal_name or self.journal_name)
        return bool(registry.load_backend(registry.ACCOUNTS, name).is_there(opening))

    def _beside(self, journal_name: str) -> tuple[str, Opening]:
        name = journal_name if journal_name in registry.ACCOUNTS else "sqlite"
        return name, self._opening._replace(file=self._settings.home / registry.ACCOUNTS[name].file)

    def window_cache(self) -> "WindowCache | None":
        """Return a new cache for windows of characters; None where the settings want none."""
        name = self._settings.text("character.windows")
        if name == "none":
            return None
        windows: WindowCache = registry.load_backend(registry.CACHES, name).open(
            self._opening, self.journal().identity
        )
        return windows

    def _open_limiter(self) -> "RateLimiter":
        name = "redis" if self._settings.text("redis.url") else "memory"
        limiter: RateLimiter = registry.load_backend(registry.RATE_LIMITERS, name).open(
            self._opening
        )
        return limiter

    def open_journal(self, name: str) -> "FullJournal":
        """Open a journal by name."""
        row = registry.load_backend(registry.JOURNALS, name)
        file = self._settings.home / registry.JOURNALS[name].file
        journal: FullJournal = row.open(self._opening._replace(file=file, sealers=self._sealers))
        return journal

    def has_journal(self) -> bool:
        """Return whether a journal exists: its file, or a server that is asked for it."""
        file = registry.local_journal(str(self._settings.home), self.journal_name)
        return not file or Path(file).exists()


def adopt_old_store(journal: "Callable[[], FullJournal]", store: Store) -> None:
    """Copy into the journal what an older release kept in the store alone."""
    if not isinstance(store, Adoptable):
        return
    try:
        if store.is_unadopted():
            _make_durable(journal(), store)
    # The next command that may write adopts the store.
    except (StoreBusy, StoreReadOnly, StoreUnreachable, OSError):
        return


def _make_durable(journal: "FullJournal", store: Adoptable) -> None:
    from gieok.flow import durable
    from gieok.memory import observation
    from gieok.memory.files import sync

    durable.adopt_store(
        journal, store, lambda key: key.startswith(observation.PREFIX), (sync.SHAPE_NOTE,)
    )


def _grant_what_was_known(folder: Path, store: Store) -> None:
    """Trust what was remembered before trust existed.

    This happens once, before anything compares the memory with the files.
    """
    if Path(trust.adopted_file(str(folder))).exists():
        return
    from gieok.memory.files.adopt import adopt_stored_records

    try:
        adopt_stored_records(folder, store)
    # A server that is down and a read-only home are reported by the commands that need them.
    except (StoreError, OSError):
        return
