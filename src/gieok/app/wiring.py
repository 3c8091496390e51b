"""What openers work with: the settings in force, who calls, and the stores that all ribs share."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property

from gieok.app.stores import Stores
from gieok.config import Settings
from gieok.ops.context import Caller, DaemonControl
from gieok.ports.system import Clock


@dataclass(frozen=True)
class Wiring:
    """`wait` sleeps between tries of a model; `is_resident` is for processes that live long."""

    settings: Settings
    caller: Caller
    clock: Clock
    zone: tzinfo
    lang: str
    say: Callable[[str], None]
    wait: Callable[[float], object]
    is_resident: bool
    daemon: Callable[[], DaemonControl] | None

    @cached_property
    def stores(self) -> Stores:
        """Return the stores and the journal."""
        return Stores(self.settings, self.clock, self.say, is_resident=self.is_resident)
