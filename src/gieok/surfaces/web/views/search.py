"""Search: one box, and what answers while the reader types."""

from typing import Any

from starlette.responses import HTMLResponse, Response

from gieok.errors import GieokError
from gieok.ops.operation import STATUSES
from gieok.surfaces.web.look import rendered
from gieok.surfaces.web.site import Seen


def search(seen: Seen) -> Response:
    """Show the box, and what answers the question."""
    question = seen.asked("q")
    return seen.page("search.html", **_hits(seen, question), empty=not question and _is_empty(seen))


def hits(seen: Seen) -> Response:
    """Return the hits alone, while the reader types."""
    statuses = {name: words.say(seen.lang) for name, words in STATUSES.items()}
    values = {"statuses": statuses, **_hits(seen, seen.asked("q"))}
    return HTMLResponse(rendered("hits.html", seen.lang, values) if seen.asked("q") else "")


def _hits(seen: Seen, question: str) -> dict[str, Any]:
    found: dict[str, Any] = {"question": question, "hits": [], "degraded": None, "failure": None}
    if question:
        try:
            result = seen.memory.run("search", query=question, explain=True)
            found |= {"hits": result.results, "degraded": result.degraded}
        except GieokError as error:
            found["failure"] = seen.failure(error)
    return found


def _is_empty(seen: Seen) -> bool:
    return bool(seen.memory.run("status").state == "empty")
