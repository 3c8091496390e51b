"""Home of a caller: its settings, and what commands open from it, each at its first use."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import private
from gieok.errors import EmbedderFailed
from gieok.home.caller import Caller
from gieok.home.stores import Stores
from gieok.ports.system import Clock
from gieok.private import Privacy
from gieok.settings.values import Settings, load_effective_settings, suppose_settings

if TYPE_CHECKING:  # a cold search has no time for it
    from gieok.character.house import House
    from gieok.code.index.project import Project
    from gieok.flow.generate import Asker
    from gieok.flow.notices import Notices
    from gieok.home.backups import HomeBackups
    from gieok.home.embedders import FollowingEmbedder
    from gieok.home.encryption import HomeEncryption
    from gieok.home.keys import HomeKeys
    from gieok.home.resident import Resident
    from gieok.home.setup import HomeSetup
    from gieok.home.sync import HomeSync
    from gieok.home.watching import Watching
    from gieok.memory.capture.freshness import Backlog
    from gieok.memory.files.cut import Cut
    from gieok.memory.sidecar import Sidecar, TranscriptSources
    from gieok.memory.tiers.tiers import Tiers
    from gieok.model.memory import Scope
    from gieok.ports.archive import Sealer
    from gieok.ports.journal import FullJournal
    from gieok.ports.models import Embedder, Reader
    from gieok.ports.store import Notes, Store
    from gieok.processes.client import Daemon
    from gieok.ranking.profile import Profile
    from gieok.ranking.rerank import Reranking
    from gieok.settings.hook import HookSettings
    from gieok.text.secrets.finder import FindSecrets


class Home:
    """Home folder as one caller sees it; each resource is opened when it is first asked for.

    `wait` sleeps between tries of a model; `resident` is the state that the calls of a long-lived
    process share; `has_daemon` says whether the process may ask and start the home's daemon. A
    plain class whose members import what they need: a cold keyword search has 80 ms for everything.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        caller: Caller,
        clock: Clock,
        zone: tzinfo,
        lang: str,
        say: Callable[[str], None],
        wait: Callable[[float], object],
        resident: "Resident | None" = None,
        has_daemon: bool = False,
    ) -> None:
        self.settings = settings
        self.caller = caller
        self.clock = clock
        self.zone = zone
        self.lang = lang
        self.say = say
        self.wait = wait
        self.resident = resident
        self.has_daemon = has_daemon
        #: Embedders of a process that ends with its call, by the settings that decide them: a model
        #: is loaded once.
        self.embedders: dict[object, Embedder] = {}
        self.reader: Reader | None = None
        self._projects: dict[Path, Project] = {}
        # Not `cached_property`: until Python 3.12 all instances share its lock while one opens, and
        # threads that hold locks of the journal would wait for each other.
        self._sidecar: Sidecar | None = None
        self._tiers: Tiers | None = None
        self._house: House | None = None

    def supposing(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> "Home":
        """Return the home as if these settings and secrets were set, to try them without waiting.

        Raises BadConfig.
        """
        supposed = suppose_settings(self.settings, settings, secrets)
        return self._with_settings(supposed, lambda seconds: None)

    def reopen(self) -> "Home":
        """Return the home under its settings as they are now. Raises BadConfig."""
        caller = self.caller
        settings = load_effective_settings(caller.flags, caller.environment, caller.folder)
        return self._with_settings(settings, self.wait, self.resident, has_daemon=self.has_daemon)

    def _with_settings(
        self,
        settings: Settings,
        wait: Callable[[float], object],
        resident: "Resident | None" = None,
        *,
        has_daemon: bool = False,
    ) -> "Home":
        return type(self)(
            settings=settings,
            caller=self.caller,
            clock=self.clock,
            zone=self.zone,
            lang=self.lang,
            say=self.say,
            wait=wait,
            resident=resident,
            has_daemon=has_daemon,
        )

    @property
    def folder(self) -> Path:
        """Return the home's folder."""
        return self.settings.home

    @cached_property
    def privacy(self) -> Privacy:
        """Return what is excluded from memory."""
        text, user = self.settings.text, str(self.caller.user)
        return private.open_privacy(
            str(self.folder), text("exclude.folders"), text("exclude.agents"), user
        )

    # Stores.
    @cached_property
    def stores(self) -> Stores:
        """Return the stores and journals by name."""
        if self.resident is None:
            return Stores(
                self.settings, self.clock, self.say, is_resident=False, sealers=self._open_sealers
            )
        # No caller is shown the progress: several callers may wait for one store.
        factory = partial(
            Stores,
            self.settings,
            self.clock,
            lambda line: None,
            is_resident=True,
            sealers=self._open_sealers,
        )
        return self.resident.stores(
            self.settings, frozenset(self.caller.environment.items()), factory
        )

    def _open_sealers(self) -> "Sequence[Sealer]":
        """Return the sealers of archive files."""
        from gieok.home import file_sealers

        return file_sealers.of_archives(self)

    @property
    def store(self) -> "Store":
        """Return the configured store."""
        return self.stores.configured()

    @property
    def journal(self) -> "FullJournal":
        """Return the configured journal."""
        return self.stores.journal()

    @property
    def notes(self) -> "Notes":
        """Return the notes of the configured store, each durable in the journal."""
        return self.stores.notes()

    # Search.
    @property
    def embedder_name(self) -> str:
        """Return the name of the embedder that the settings ask for; `none` for none."""
        return self.settings.text("embedder")

    def open_embedder(self) -> "FollowingEmbedder | None":
        """Return the embedder for the configured store; None where the user wants none."""
        from gieok.home import embedders

        return embedders.open_embedder(self)

    def open_help_reader(self) -> "Reader | None":
        """Return the reader that judges which lines help with a prompt, or None."""
        from gieok.home import embedders

        return embedders.open_help_reader(self)

    def open_bundled_embedder(self) -> "Embedder | None":
        """Return the embedder that sends nothing anywhere; None where another one is set."""
        from gieok.home import embedders

        return embedders.open_bundled_embedder(self)

    def open_reader(self) -> "Reader | None":
        """Return the reader of statements; None where the user wants no model."""
        from gieok.home import embedders

        return embedders.open_reader(self)

    def build_secret_finder(self) -> "FindSecrets | None":
        """Return what finds secrets by sense; None where the user wants no model.

        It finds none where no reader runs: rules alone hold then, and `doctor` says so. In a
        process that stays it holds no home, whose stores would stay open.
        """
        if self.embedder_name == "none":
            return None
        open_reader = self.open_reader
        if self.resident is not None:
            open_reader = partial(
                _open_resident_reader,
                self.resident,
                self.folder,
                self.settings.integer("threads"),
                self.say,
            )

        def find_secrets(text: str, is_said: bool) -> "Sequence[tuple[int, int]]":
            reader = open_reader()
            try:
                return () if reader is None else reader.find_secrets(text, is_said=is_said)
            except EmbedderFailed:
                return ()

        return find_secrets

    def settle_statements(
        self,
        rewrite: "Callable[[Scope], object]" = lambda scope: None,
        store: "Store | None" = None,
    ) -> bool:
        """Judge which statements last, and which hold no more; return whether some still wait.

        `rewrite` is called for scopes whose observations ended. `store`: another one than the
        configured store. Raises StoreError.
        """
        from gieok.memory.talk import promotion

        store = self.store if store is None else store
        waits = promotion.update_promotions(
            store,
            self.folder,
            self.journal,
            rewrite,
            zone=self.zone,
            reader=self.open_reader(),
            embedder=self.open_bundled_embedder(),
            now=self.clock.now(),
        )
        self.follow_action_notes(store=store)
        return waits

    def follow_action_notes(
        self, scopes: "Iterable[Scope] | None" = None, store: "Store | None" = None
    ) -> None:
        """Bring what the hook says before tools in line with what is remembered.

        Where `hook.action` is off, nothing of it is kept. `scopes`: all by default. Raises OSError.
        """
        from gieok.flow.action_notes import drop_action_files

        if not self.settings.flag("hook.action"):
            drop_action_files(str(self.folder))
            return
        from gieok.memory.action.knowledge import update_action_notes

        update_action_notes(self.store if store is None else store, self.folder, scopes)

    def open_reranking(self) -> "Reranking | None":
        """Return the reranker with its calibration; None where the user wants none."""
        from gieok.home import rerankers

        return rerankers.open_reranking(self)

    def build_profile(self, name: str = "") -> "Profile":
        """Return how memory is ranked: the profile of a name, with the user's settings.

        Raises BadConfig.
        """
        from gieok.home import profiles

        return profiles.build_configured_profile(self.settings, name)

    @property
    def cut(self) -> "Cut":
        """Return how texts are cut into passages."""
        from gieok.memory.files.cut import Cut

        return Cut(
            self.settings.integer("index.passage_tokens"),
            self.settings.integer("index.overlap_tokens"),
            self.zone,
        )

    # Talk.
    @property
    def sidecar(self) -> "Sidecar":
        """Return the sidecar, which observes transcripts."""
        if self._sidecar is None:
            from gieok.home import talk

            self._sidecar = talk.open_sidecar(self)
        return self._sidecar

    @property
    def transcript_sources(self) -> "TranscriptSources":
        """Return where the transcripts of agents lie."""
        from gieok.home import talk

        return talk.build_transcript_sources(self)

    def catch_up(self) -> "Backlog":
        """Take in what agents wrote last, within a small budget; nothing where a daemon does."""
        from gieok.home import recent_talk

        return recent_talk.catch_up_agents(self)

    # Archive.
    @property
    def tiers(self) -> "Tiers":
        """Return the tiers of memory that the settings ask for."""
        if self._tiers is None:
            from gieok.home import archive

            self._tiers = archive.build_tiers(self)
        return self._tiers

    # Code.
    def open_project(self, root: Path) -> "Project":
        """Return the index of the code below a folder, opened once. Raises NotIndexed."""
        if root not in self._projects:
            from gieok.home import code

            self._projects[root] = code.open_code_project(self, root)
        return self._projects[root]

    def open_code_asker(self, root: Path, model: str = "") -> "Asker | None":
        """Return an asker of a model about the code of a folder; None where no model is set.

        '' names the configured model. Raises BadConfig, MissingExtra.
        """
        from gieok.home import code

        return code.open_code_asker(self, root, model)

    # Characters.
    @property
    def house(self) -> "House":
        """Return the service of characters."""
        if self._house is None:
            from gieok.home import character

            self._house = character.open_house(self)
        return self._house

    # The prompt hook.
    @property
    def hook_settings(self) -> "HookSettings":
        """Return the settings of the prompt hook."""
        from gieok.settings.hook import OPTIONS, HookSettings

        return HookSettings(
            {option.name: self.settings.values[option.name].value for option in OPTIONS}
        )

    # Maintenance.
    @property
    def keys(self) -> "HomeKeys":
        """Return the keys of services."""
        from gieok.home.keys import HomeKeys

        return HomeKeys(self)

    @property
    def notices(self) -> "Notices":
        """Return the notices to a person."""
        from gieok.home import notices

        return notices.open_notices(self)

    @property
    def backups(self) -> "HomeBackups":
        """Return the backups of the home."""
        from gieok.home.backups import HomeBackups

        return HomeBackups(self)

    @property
    def encryption(self) -> "HomeEncryption":
        """Return the encryption of the home."""
        from gieok.home.encryption import HomeEncryption

        return HomeEncryption(self)

    @property
    def sync(self) -> "HomeSync":
        """Return the synchronisation with the user's other devices."""
        from gieok.home.sync import HomeSync

        return HomeSync(self)

    @property
    def setup(self) -> "HomeSetup":
        """Return what `gieok setup` inspects, tries and saves."""
        from gieok.home.setup import HomeSetup

        return HomeSetup(self)

    @property
    def watching(self) -> "Watching":
        """Return how files are watched."""
        from gieok.home.watching import Watching

        return Watching(
            self.settings.integer("watch.debounce_ms"), self.settings.integer("watch.rescan_s")
        )

    @property
    def daemon(self) -> "Daemon | None":
        """Return the daemon's client; None in a process that may not start a daemon."""
        if not self.has_daemon:
            return None
        from gieok.processes.client import Daemon

        return Daemon(self.folder)


def _open_resident_reader(
    resident: "Resident", folder: Path, threads: int, say: Callable[[str], None]
) -> "Reader":
    from gieok.home import embedders

    return embedders.open_resident_reader(resident, folder, threads, say)
