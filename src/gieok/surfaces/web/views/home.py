"""Home page: a box to search, the last sessions, what is due, what changed, what waits."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from gieok.commands.today import look_at_today
from gieok.errors import GieokError
from gieok.model.memory import Scope
from gieok.surfaces.web.site import PageRequest
from gieok.text.due import format_due_day


def show_home_page(seen: PageRequest, box: Mapping[str, Any]) -> Response:
    """Show what is new and near in all scopes, below the box of a search.

    `box` has the values of the box: those of a search without a question.
    """
    call = seen.call
    now = call.clock.now().astimezone(call.zone)
    values: dict[str, Any] = {**box, "today": None, "now": now}
    values["due_words"] = lambda day: format_due_day(str(day), str(now.date()), seen.lang)
    try:
        values["today"] = look_at_today(call, [Scope(path) for path in seen.scopes])
    except GieokError as error:
        return seen.failed("home.html", error, **values)
    return seen.page("home.html", **values)
