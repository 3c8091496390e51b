"""Imports people's edits to the files of the cold tier.

Runs at its scheduled time, by `gieok archive sync`, and before a search.
"""

from datetime import timedelta

from gieok.commands.memory import forget_steps
from gieok.errors import ArchiveFailed
from gieok.flow.incidents import Incidents
from gieok.home.call import Call
from gieok.memory.tiers import questions, sweep, sync
from gieok.memory.tiers.sync import Synced
from gieok.memory.tiers.tiers import LOCK
from gieok.model.memory import Tier

_INCIDENT = "archive cold"
_FIRST_WAIT, _LONGEST_WAIT = timedelta(hours=1), timedelta(days=1)


def sync_vault_edits(call: Call) -> Synced:
    """Synchronise, keep failures as an incident, and notify a person of new questions.

    Raises ArchiveFailed, StoreError.
    """
    tiers = call.home.tiers
    incidents = Incidents(tiers.journal, tiers.clock, call.home.notices)
    before = len(questions.load_questions(tiers.journal))
    try:
        with tiers.journal.exclusive(LOCK):
            sync_outcome = sync.sync_cold_tier(tiers)
    except ArchiveFailed as error:
        _report_archive_failure(call, incidents, error)
        raise
    sync_outcome.add(sweep.sweep_stale_places(tiers))
    follow_corrections(call, sync_outcome.corrected)
    if sync_outcome.wrong:
        _report_archive_failure(call, incidents, ArchiveFailed("; ".join(sync_outcome.wrong[:5])))
    else:
        incidents.resolved(_INCIDENT)
    if len(questions.load_questions(tiers.journal)) > before:
        _notify_archive_pending(call, call.words("your archive has a question"))
    return sync_outcome


def follow_edits(call: Call) -> None:
    """Synchronise if a note of the vault differs from what was written; skip if others do so.

    Missing notes are left to the scheduled synchronisation: a program that moves files may be at
    work.
    """
    tiers = call.home.tiers
    try:
        if not tiers.journal.tiers().get(Tier.COLD) or not sync.is_edited(tiers):
            return
    except ArchiveFailed:  # a vault that is away: the nightly synchronisation tells of it
        return
    with tiers.journal.exclusive(LOCK, wait=False) as held:
        is_free = held
    if is_free:
        sync_vault_edits(call)


def follow_corrections(call: Call, corrected: int) -> None:
    """Update turns and active memory if people corrected `corrected` memories in files."""
    if corrected:
        forget_steps.rederive_turns(call)
        sidecar = call.home.sidecar
        for scope in call.home.journal.made_scopes():
            if sidecar.active_file(scope).exists():
                sidecar.write_active_memory(scope)


def _report_archive_failure(call: Call, incidents: Incidents, error: ArchiveFailed) -> None:
    title = call.words("gieok: the archive needs you")
    incidents.failed(_INCIDENT, error, title, first=_FIRST_WAIT, longest=_LONGEST_WAIT)


def _notify_archive_pending(call: Call, text: str) -> None:
    hint = call.words("`gieok archive pending` shows it")
    call.home.notices.notify("gieok", f"{text}: {hint}")
