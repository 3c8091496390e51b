"""Opens the tiers: warm is a folder of the home, cold is where the settings put it."""

from functools import cache, partial
from pathlib import Path

from gieok import paths, registry
from gieok.errors import ArchiveFailed
from gieok.home import file_sealers
from gieok.home.home import Home
from gieok.memory.tiers import cold, retention, vaults
from gieok.memory.tiers.day_file import DayForm
from gieok.memory.tiers.limits import Limits
from gieok.memory.tiers.note_file import NoteForm
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import Tiers
from gieok.model.memory import Scope, Tier
from gieok.opening import ArchiveOpening
from gieok.places.home import scope_folder
from gieok.places.scope import USER_SCOPE
from gieok.ports.archive import Archive, PlainSealer

#: Realm of the journal that stores the vault that was found.
_VAULT = "archive.vault"


def build_tiers(home: Home) -> Tiers:
    """Return the tiers that the settings ask for."""
    shelves = {
        Tier.WARM: Shelf(
            Tier.WARM,
            DayForm(home.zone),
            cache(partial(_open_warm_archive, home)),
            file_sealers.of_archives(home),
        )
    }
    if home.settings.text("archive.cold") != "none":
        shelves[Tier.COLD] = _cold_shelf(home)
    return Tiers(
        journal=home.stores.journal(),
        store=home.stores.adopted(),
        shelves=shelves,
        rules=retention.build_retention_rules(home.settings.integer("archive.hot_days")),
        clock=home.clock,
        zone=home.zone,
        limits=Limits(
            home.settings.integer("archive.hot_tokens"),
            1_000_000 * home.settings.integer("archive.hot_mb"),
        ),
        beside=lambda: home.stores.all()[1:],
    )


def _open_warm_archive(home: Home, scope: Scope) -> Archive:
    archive: Archive = registry.load_backend(registry.WARM, "folder")(
        paths.locate_warm_folder(home.settings.home, scope.path)
    )
    return archive


def _cold_shelf(home: Home) -> Shelf:
    """Return the shelf of the cold tier.

    A person's folder holds notes, with all scopes together; Dropbox holds a file for each day, with
    each scope by itself. Notes in an Obsidian vault are never sealed, because Obsidian could not
    show them.
    """
    opened, name = cache(partial(_open_cold_archive, home)), home.settings.text("archive.cold")
    sealers = file_sealers.of_archives(home)
    if name == "dropbox":
        return Shelf(Tier.COLD, DayForm(home.zone), opened, sealers)

    def common(scope: Scope) -> Archive:
        del scope
        return opened(Scope(USER_SCOPE))

    form = NoteForm(
        home.settings.text("archive.subfolder"),
        home.zone,
        home.settings.text("archive.folder_structure"),
    )
    shelf = Shelf(
        Tier.COLD, form, common, (PlainSealer(), *sealers) if name == "obsidian" else sealers
    )
    form.is_taken = cold.taken(shelf)
    return shelf


def _open_cold_archive(home: Home, scope: Scope, trial_s: float = 0.0) -> Archive:
    """Open the cold archive of a scope.

    Raises ArchiveFailed where no folder is known or a key is missing.
    """
    settings, name = home.settings, home.settings.text("archive.cold")
    opening = ArchiveOpening(
        folder=Path() if name == "dropbox" else _find_cold_folder(home, name),
        own=settings.text("archive.subfolder").strip("/"),
        mark=vaults.MARK if name == "obsidian" else "",
        of_scope=scope_folder(scope.path),
        has_memories=lambda: any(
            archived.place.tier is Tier.COLD for archived in home.stores.journal().places()
        ),
        settings=settings,
        wait=home.wait,
        trial_s=trial_s,
    )
    archive: Archive = registry.load_backend(registry.ARCHIVES, name)(opening)
    return archive


def looked_into(home: Home) -> str:
    """Look for one file in the cold archive, and return the archive's place.

    Raises ArchiveFailed, MissingExtra.
    """
    archive = _open_cold_archive(home, Scope(USER_SCOPE), home.settings.number("doctor.timeout_s"))
    next(iter(archive.files()), None)
    return archive.location


def _find_cold_folder(home: Home, name: str) -> Path:
    """Return the folder that the settings name, else the vault found at the first use.

    At the first use of the cold tier, the vault that is open is chosen, and it stays the chosen
    vault.
    """
    caller, configured = home.caller, home.settings.text("archive.folder")
    if configured:
        return caller.path(configured)
    journal = home.stores.journal()
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
