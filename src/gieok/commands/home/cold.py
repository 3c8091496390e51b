"""Scheduled jobs of the cold tier: sync, and moves to cold once they are approved."""

from collections.abc import Callable
from datetime import date, timedelta

from gieok.commands.memory.vault import sync_vault_edits
from gieok.errors import ArchiveFailed, Phrase
from gieok.flow.incidents import Incidents
from gieok.home.call import Call
from gieok.memory.tiers import approval, sweep
from gieok.memory.tiers.tiers import LOCK
from gieok.model.memory import Tier

#: Incident of days that wait for a person; the person is notified once, until no day waits.
_APPROVAL = "archive approval"
_FIRST_WAIT, _LONGEST_WAIT = timedelta(hours=1), timedelta(days=1)


def sync_cold_at_its_time(call: Call, is_stopped: Callable[[], bool]) -> str:
    """Sync the cold tier as scheduled; return the outcome as text."""
    del is_stopped
    if Tier.COLD not in call.home.tiers.shelves:
        return ""
    outcome = sync_vault_edits(call)
    counts = {
        "corrected": outcome.corrected,
        "followed": outcome.followed,
        "asked": outcome.asked,
        "wrong": len(outcome.wrong),
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def list_days_for_cold(call: Call) -> list[date]:
    """Return the days that are old enough for cold.

    Where they wait for a person, an incident says so.
    """
    tiers = call.home.tiers
    incidents = Incidents(tiers.journal, tiers.clock, call.home.notices)
    days = [
        due_day.day
        for due_day in approval.list_due_days(
            tiers, call.home.settings.integer("archive.warm_days")
        )
    ]
    if not days or call.home.settings.flag("archive.auto_approve"):
        incidents.resolved(_APPROVAL)
        return days
    text = call.words(
        "{count} day may go to cold", plural="{count:,} days may go to cold", count=len(days)
    )
    hint = call.words("`gieok archive pending` shows it")
    waits = ArchiveFailed("{text}: `gieok archive pending`", text=Phrase(text), hint=hint)
    incidents.failed(_APPROVAL, waits, "gieok", first=_LONGEST_WAIT, longest=_LONGEST_WAIT)
    return days


def resolve_cold_approval(call: Call) -> None:
    """Resolve the approval incident where no day waits any more."""
    tiers = call.home.tiers
    if Tier.COLD not in tiers.shelves or not approval.list_due_days(
        tiers, call.home.settings.integer("archive.warm_days")
    ):
        Incidents(tiers.journal, tiers.clock, call.home.notices).resolved(_APPROVAL)


def move_days_to_cold(call: Call, is_stopped: Callable[[], bool]) -> str:
    """Move the days that are old enough to cold, or notify once that they wait for approval."""
    del is_stopped
    tiers = call.home.tiers
    if Tier.COLD not in tiers.shelves:
        return ""
    days = list_days_for_cold(call)
    if not days:
        return ""
    if not call.home.settings.flag("archive.auto_approve"):
        return f"{len(days)} days wait for approval"
    with tiers.journal.exclusive(LOCK):
        outcome = approval.approve_days(tiers, days)
    outcome.add(sweep.sweep_stale_places(tiers))
    if outcome.wrong:
        raise ArchiveFailed("; ".join(outcome.wrong[:5]))
    return f"{outcome.moved} moved to cold"
