"""Opens the tiers: warm is a folder of the home."""

from functools import cache, partial

from gieok import paths, registry
from gieok.app import sealing
from gieok.app.wiring import Wiring
from gieok.capabilities.observe.archive import retention, sweep
from gieok.capabilities.observe.archive.day_file import DayForm
from gieok.capabilities.observe.archive.limits import Limits
from gieok.capabilities.observe.archive.shelf import Shelf
from gieok.capabilities.observe.archive.tiers import Tiers
from gieok.model.memory import Scope, Tier
from gieok.ops.context import ArchiveContext
from gieok.ports.archive import Archive


def opened(wiring: Wiring) -> ArchiveContext:
    """Put the context together; nothing is read before it is asked for."""
    made = cache(partial(tiers, wiring))
    return ArchiveContext(made, lambda: sweep.sweep(made()).wrong, lambda: sweep.drop_damaged(made()).wrong)


def tiers(wiring: Wiring) -> Tiers:
    """Return the tiers that the settings ask for."""
    warm = Shelf(Tier.WARM, DayForm(wiring.zone), cache(partial(_warm, wiring)), sealing.of_archives(wiring))
    return Tiers(
        wiring.stores.journal(),
        wiring.stores.adopted(),
        {Tier.WARM: warm},
        retention.rules(wiring.settings.integer("archive.hot_days")),
        wiring.clock,
        wiring.zone,
        Limits(wiring.settings.integer("archive.hot_tokens"), 1_000_000 * wiring.settings.integer("archive.hot_mb")),
    )


def _warm(wiring: Wiring, scope: Scope) -> Archive:
    made: Archive = registry.load(registry.ARCHIVES, "folder")(paths.warm(wiring.settings.home, scope.path))
    return made
