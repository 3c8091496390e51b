"""First steps, from an empty home to the first recalled memory.

The page has three ways to fill the memory, a search, and the installation into an agent.
"""

from typing import Any

from starlette.responses import HTMLResponse, Response

from gieok.agents import table
from gieok.commands.command import STATUSES
from gieok.commands.setup.machine import survey_machine
from gieok.errors import GieokError
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.site import PageRequest
from gieok.surfaces.web.views.found import found_hits


def is_empty(seen: PageRequest) -> bool:
    """Return whether no scope holds any memory."""
    call = seen.memory.call
    store = call.home.store
    return not any(store.hashes(scope) for scope in store.scopes())


def show_first_page(seen: PageRequest) -> Response:
    """Show the ways to fill the memory, and what they have brought in."""
    call = seen.memory.call
    values: dict[str, Any] = {
        "text": seen.asked("text"),
        "folder": seen.asked("folder"),
        "agents": survey_machine(call).agents,
        "job": seen.site.jobs.last,
        "is_empty": is_empty(seen),
        "recalled": None,
        "meaning": None,
        "installable": table.NAMES,
        **found_hits(seen),
    }
    try:
        stats = call.home.store.stats(seen.call.scope)
        if call.home.embedder_name != "none" and stats.passages:
            values["meaning"] = (stats.vectors, stats.vectors + stats.waiting)
        if values["question"]:
            values["recalled"] = seen.memory.recall(values["question"])
    except GieokError as error:
        return seen.failed("first.html", error, **{**values, "failure": None})
    return seen.page("first.html", **values)


def progress(seen: PageRequest) -> Response:
    """Return the progress of the running job, for the page that asks every second."""
    statuses = {name: words.say(seen.lang) for name, words in STATUSES.items()}
    page = render_template(
        "job.html", seen.lang, {"job": seen.site.jobs.last, "statuses": statuses}
    )
    # Once the job has ended, the whole page changes.
    refresh = (
        {"HX-Refresh": "true"} if seen.site.jobs.last is None or seen.site.jobs.last.is_done else {}
    )
    return HTMLResponse(page, headers={"Cache-Control": "no-store", **refresh})
