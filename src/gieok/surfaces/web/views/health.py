"""Health page: questions for the person, sizes, growth, schedule, checks of every part."""

from collections import Counter
from typing import Any, NamedTuple

from starlette.responses import HTMLResponse, Response

from gieok.commands.archive.pending import list_pending
from gieok.commands.archive.status import ArchiveStatusResult, read_archive_status
from gieok.commands.command import Style
from gieok.commands.home import growth as grown
from gieok.commands.home.backup import list_backups
from gieok.commands.home.doctor import diagnose_home
from gieok.commands.home.status import read_home_status, render_home_status
from gieok.commands.observe.stats import collect_observe_stats
from gieok.commands.prompt import measure
from gieok.commands.prompt.stats import collect_hook_stats
from gieok.commands.schedule_words import describe_schedule
from gieok.errors import GieokError
from gieok.model.conversation import Incident
from gieok.model.memory import Scope, Tier
from gieok.ports.backup import BackupFile
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.site import PageRequest
from gieok.text.messages import Words

_WEEKS = 26
#: Beginning of an incident's name → the next step for a person.
_NEXT = (
    (
        "observer",
        Words("check the model: `gieok doctor`; what was said waits and is not lost"),
    ),
    (
        "reflector",
        Words("check the model: `gieok doctor`; the observations stay as they are"),
    ),
    (
        "job ",
        Words("it is tried again by itself; `gieok archive status` says when"),
    ),
    (
        "archive",
        Words("look at the folder of the archive, then `gieok archive run`"),
    ),
    (
        "character",
        Words(
            "check the model of the characters: `gieok config show`, then talk on; nothing "
            "that was said is lost"
        ),
    ),
    (
        "",
        Words("`gieok doctor` says which part is broken"),
    ),
)


class ShownTier(NamedTuple):
    """A tier, summed over all scopes.

    `share` is relative to the largest tier; `bytes` is None where only a service knows the size.
    """

    name: str
    memories: int
    tokens: int
    bytes: int | None
    share: float


def show_health_page(seen: PageRequest, wrong: GieokError | None = None) -> Response:
    """Show the health page; slow parts are fetched after the page is shown.

    `wrong` is the error of an answer that failed.
    """
    try:
        archive, pending = seen.memory.run(read_archive_status), seen.memory.run(list_pending)
        stats, status = seen.memory.run(collect_observe_stats), seen.memory.run(read_home_status)
    except GieokError as error:
        return seen.failed("health.html", error, is_there=False)
    sidecar = status.sidecar
    incidents = {one.name: one for one in stats.incidents}
    if pending.days or pending.questions:
        incidents.pop("archive approval", None)  # what it says stands below, with its buttons
    is_whole = bool(seen.asked("whole"))
    values: dict[str, Any] = {
        "is_there": True,
        "tiers": _sum_shown_tiers(archive),
        "incidents": [(one, _find_incident_advice(seen, one)) for one in incidents.values()],
        "days": pending.days,
        "questions": pending.questions,
        "rejects": stats.rejects,
        "journal": stats.journal,
        "messages": seen.call.home.journal.stats().messages,
        "backlog": stats.backlog_tokens,
        "today_tokens": stats.today_tokens,
        "daily_tokens": sidecar.daily_tokens if sidecar else 0,
        "daemon": sidecar.daemon if sidecar else None,
        "status": status,
        "schedules": [
            (
                one,
                _describe_planned_job(archive, one.name, seen),
                describe_schedule(one.schedule).say(seen.lang),
            )
            for one in archive.schedules
        ],
        "stopped": (sidecar.stopped, sidecar.stopped_hint) if sidecar else ("", ""),
        "held": seen.call.home.store.stats(),
        "job": seen.site.jobs.last,
        "backup": _find_latest_backup(seen),
        "now": seen.memory.call.clock.now(),
        "report": render_home_status(status, Style(seen.lang, colour=False)),
        "checks": seen.memory.run(diagnose_home).checks if seen.asked("deep") else None,
        "growth": _measure_home_growth(seen) if is_whole else None,
        "hook": _collect_hook_figures(seen) if is_whole else None,
    }
    return (
        seen.page("health.html", **values)
        if wrong is None
        else seen.failed("health.html", wrong, **values)
    )


def show_growth_curves(seen: PageRequest) -> Response:
    """Return the growth curves, as a part of the page."""
    return _render_page_part(seen, "growth.html", {"growth": _measure_home_growth(seen)})


def hook(seen: PageRequest) -> Response:
    """Return the figures of the hook's decisions, as a part of the page."""
    return _render_page_part(seen, "hook.html", {"hook": _collect_hook_figures(seen)})


def checks(seen: PageRequest) -> Response:
    """Check every part by using it, and return the results, as a part of the page."""
    try:
        return _render_page_part(
            seen, "checks.html", {"checks": seen.memory.run(diagnose_home).checks}
        )
    except GieokError as error:
        return _render_page_part(
            seen, "failure.html", {"failure": {"message": str(error), "hint": error.hint}}
        )


def _render_page_part(seen: PageRequest, template: str, values: dict[str, Any]) -> Response:
    return HTMLResponse(
        render_template(template, seen.lang, values), headers={"Cache-Control": "no-store"}
    )


def _measure_home_growth(seen: PageRequest) -> list[grown.Size]:
    return grown.count_weekly_growth(
        seen.memory.call, [Scope(path) for path in seen.scopes], _WEEKS
    )


def _collect_hook_figures(seen: PageRequest) -> dict[str, Any]:
    call = seen.memory.call
    weeks = grown.count_weekly_hook_calls(call, 12)
    try:
        bins = measure.compute_label_reliability(call)
    # the labels cannot be read, or there is no index yet: `gieok hook measure` says which
    except GieokError:
        bins = []
    return {
        "weeks": weeks,
        "bins": bins,
        "all": seen.memory.run(collect_hook_stats, days=0).stats if weeks else None,
    }


def _sum_shown_tiers(archive: ArchiveStatusResult) -> list[ShownTier]:
    memories, tokens, size = Counter[Tier](), Counter[Tier](), Counter[Tier]()
    unknown = {row.tier for row in archive.tiers if row.bytes is None}
    for row in archive.tiers:
        memories[row.tier] += row.memories
        tokens[row.tier] += row.tokens
        size[row.tier] += row.bytes or 0
    most = max(memories.values(), default=1) or 1
    return [
        ShownTier(
            name=tier.value,
            memories=memories[tier],
            tokens=tokens[tier],
            bytes=None if tier in unknown else size[tier],
            share=memories[tier] / most,
        )
        for tier in Tier
        if memories[tier]
    ]


def _find_incident_advice(seen: PageRequest, incident: Incident) -> str:
    return next(words.say(seen.lang) for begins, words in _NEXT if incident.name.startswith(begins))


def _describe_planned_job(archive: ArchiveStatusResult, name: str, seen: PageRequest) -> str:
    return next(
        (planned.job.doc.say(seen.lang) for planned in archive.planned if planned.job.name == name),
        name,
    )


def _find_latest_backup(seen: PageRequest) -> BackupFile | None:
    try:
        return next(iter(seen.memory.run(list_backups).backups), None)
    except GieokError:
        return None
