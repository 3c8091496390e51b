"""Opens the tiers: warm is a folder of the home, cold is where the settings put it."""

from functools import cache, partial
from pathlib import Path

from gieok import paths, places, registry
from gieok.app import file_sealers
from gieok.app.wiring import Wiring
from gieok.errors import ArchiveFailed
from gieok.memory.tiers import cold, retention, sweep, sync, vaults
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.limits import Limits
from gieok.memory.tiers.note_file import NoteForm
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import Tiers
from gieok.model.memory import Scope, Tier
from gieok.opening import ArchiveOpening
from gieok.ops.context import ArchiveContext
from gieok.ports.archive import Archive, PlainSealer

#: Realm of the journal that stores the vault that was found.
_VAULT = "archive.vault"


def open_archive_context(wiring: Wiring) -> ArchiveContext:
    """Build the context; nothing is read before it is asked for."""
    cached_tiers = cache(partial(tiers, wiring))
    settings = wiring.settings
    return ArchiveContext(
        tiers=cached_tiers,
        sweep=lambda: sync.sweep_cold_tier(cached_tiers()),
        drop_damaged=lambda: sweep.drop_damaged(cached_tiers()).failed,
        reach=lambda: looked_into(wiring),
        cold=settings.text("archive.cold"),
        warm_days=settings.integer("archive.warm_days"),
        auto_approve=settings.flag("archive.auto_approve"),
    )


def tiers(wiring: Wiring) -> Tiers:
    """Return the tiers that the settings ask for."""
    shelves = {
        Tier.WARM: Shelf(
            Tier.WARM,
            DayForm(wiring.zone),
            cache(partial(_open_warm_archive, wiring)),
            file_sealers.of_archives(wiring),
        )
    }
    if wiring.settings.text("archive.cold") != "none":
        shelves[Tier.COLD] = _cold_shelf(wiring)
    return Tiers(
        journal=wiring.stores.journal(),
        store=wiring.stores.adopted(),
        shelves=shelves,
        rules=retention.build_retention_rules(wiring.settings.integer("archive.hot_days")),
        clock=wiring.clock,
        zone=wiring.zone,
        limits=Limits(
            wiring.settings.integer("archive.hot_tokens"),
            1_000_000 * wiring.settings.integer("archive.hot_mb"),
        ),
        beside=lambda: wiring.stores.all()[1:],
    )


def _open_warm_archive(wiring: Wiring, scope: Scope) -> Archive:
    archive: Archive = registry.load_backend(registry.WARM, "folder")(
        paths.locate_warm_folder(wiring.settings.home, scope.path)
    )
    return archive


def _cold_shelf(wiring: Wiring) -> Shelf:
    """Return the shelf of the cold tier.

    A person's folder holds notes, with all scopes together; Dropbox holds a file for each day, with
    each scope by itself. Notes in an Obsidian vault are never sealed, because Obsidian could not
    show them.
    """
    opened, name = cache(partial(_open_cold_archive, wiring)), wiring.settings.text("archive.cold")
    sealers = file_sealers.of_archives(wiring)
    if name == "dropbox":
        return Shelf(Tier.COLD, DayForm(wiring.zone), opened, sealers)

    def common(scope: Scope) -> Archive:
        del scope
        return opened(Scope(places.USER_SCOPE))

    form = NoteForm(wiring.settings.text("archive.subfolder"), wiring.zone)
    shelf = Shelf(
        Tier.COLD, form, common, (PlainSealer(), *sealers) if name == "obsidian" else sealers
    )
    form.is_taken = cold.taken(shelf)
    return shelf


def _open_cold_archive(wiring: Wiring, scope: Scope, trial_s: float = 0.0) -> Archive:
    """Open the cold archive of a scope.

    Raises ArchiveFailed where no folder is known or a key is missing.
    """
    settings, name = wiring.settings, wiring.settings.text("archive.cold")
    opening = ArchiveOpening(
        folder=Path() if name == "dropbox" else _find_cold_folder(wiring, name),
        own=settings.text("archive.subfolder").strip("/"),
        mark=vaults.MARK if name == "obsidian" else "",
        of_scope=places.scope_folder(scope.path),
        has_memories=lambda: any(
            archived.place.tier is Tier.COLD for archived in wiring.stores.journal().places()
        ),
        secret=settings.secret,
        wait=wiring.wait,
        trial_s=trial_s,
    )
    archive: Archive = registry.load_backend(registry.ARCHIVES, name)(opening)
    return archive


def looked_into(wiring: Wiring) -> str:
    """Look for one file in the cold archive, and return the archive's place.

    Raises ArchiveFailed, MissingExtra.
    """
    archive = _open_cold_archive(
        wiring, Scope(places.USER_SCOPE), wiring.settings.number("doctor.timeout_s")
    )
    next(iter(archive.files()), None)
    return archive.location


def _find_cold_folder(wiring: Wiring, name: str) -> Path:
    """Return the folder that the settings name, else the vault found at the first use.

    At the first use of the cold tier, the vault that is open is chosen, and it stays the chosen
    vault.
    """
    caller, configured = wiring.caller, wiring.settings.text("archive.folder")
    if configured:
        return caller.path(configured)
    journal = wiring.stores.journal()
    if name == "obsidian" and (chosen := journal.kept(_VAULT).get(name)):
        return Path(chosen)
    known = (
        vaults.find_obsidian_vaults(caller.environment, caller.user) if name == "obsidian" else []
    )
    if known:
        journal.keep(_VAULT, {name: str(known[0].path)})
    else:
        what = (
            "Obsidian knows no vault on this machine"
            if name == "obsidian"
            else "`archive.folder` is not set"
        )
        raise ArchiveFailed(what, hint="set `archive.folder` in config.yaml")
    return known[0].path
