"""Wiring that the openers use: the settings in force, the caller, and the stores of all ribs."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING

from gieok import config, private
from gieok.app.stores import Stores
from gieok.config import Settings
from gieok.ops.context import Caller
from gieok.ops.control import DaemonControl
from gieok.ports.system import Clock
from gieok.private import Privacy

if TYPE_CHECKING:  # most processes end with their call
    from gieok.app.resident import Resident
    from gieok.ports.archive import Sealer
    from gieok.ports.models import Embedder


class Wiring:
    """Settings, caller and stores that all ribs share.

    `wait` sleeps between tries of a model; `resident` is the state that the calls of a long-lived
    process share. A plain class: making a dataclass takes a millisecond of a cold search.
    """

    def __init__(
        self,
        settings: Settings,
        caller: Caller,
        clock: Clock,
        zone: tzinfo,
        lang: str,
        say: Callable[[str], None],
        wait: Callable[[float], object],
        resident: "Resident | None",
        daemon: Callable[[], DaemonControl] | None,
    ) -> None:
        self.settings, self.caller, self.clock, self.zone, self.lang = (
            settings,
            caller,
            clock,
            zone,
            lang,
        )
        self.say, self.wait, self.resident, self.daemon = say, wait, resident, daemon
        #: Embedders of a process that ends with its call, by the settings that decide them: a model
        #: is loaded once.
        self.embedders: dict[object, Embedder] = {}

    def supposing(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> "Wiring":
        """Return the wiring as if these settings and secrets were set, to try them without waiting.

        Raises BadConfig.
        """
        supposed = config.supposing(self.settings, settings, secrets)
        return Wiring(
            supposed,
            self.caller,
            self.clock,
            self.zone,
            self.lang,
            self.say,
            lambda seconds: None,
            None,
            None,
        )

    @cached_property
    def privacy(self) -> Privacy:
        """Return what is excluded from memory."""
        text, user = self.settings.text, str(self.caller.user)
        return private.open_privacy(
            str(self.settings.home), text("exclude.folders"), text("exclude.agents"), user
        )

    @cached_property
    def stores(self) -> Stores:
        """Return the stores and the journal."""
        if self.resident is None:
            return Stores(
                self.settings, self.clock, self.say, is_resident=False, sealers=self._sealers
            )
        # No caller is shown the progress: several callers may wait for one store.
        factory = partial(
            Stores,
            self.settings,
            self.clock,
            lambda line: None,
            is_resident=True,
            sealers=self._sealers,
        )
        return self.resident.stores(
            self.settings, frozenset(self.caller.environment.items()), factory
        )

    def _sealers(self) -> "Sequence[Sealer]":
        """Return the sealers of archive files."""
        # Imported by name, as the ribs are: a caller that reads no archive has no time for the
        # import, and `sealing` imports this module.
        sealers: Sequence[Sealer] = import_module("gieok.app.file_sealers").of_archives(self)
        return sealers
