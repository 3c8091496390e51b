"""Home page: a box to search, the last sessions, what is due, what changed, what waits."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.responses import HTMLResponse, Response

from gieok.commands.memory.questions import suggest_questions
from gieok.commands.today import look_at_today
from gieok.errors import GieokError
from gieok.model.memory import Scope
from gieok.surfaces.web.look import render_template
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


def show_first_questions(seen: PageRequest) -> Response:
    """Return three questions of one's own memories, for the page, which asks once it is there.

    Each costs a search, for which the home page does not wait.
    """
    questions = list[str]()
    with suppress(GieokError):  # the page says itself what is wrong
        questions = suggest_questions(replace(seen.call, lang=seen.lang))
    page = render_template("questions.html", seen.lang, {"questions": questions})
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})
