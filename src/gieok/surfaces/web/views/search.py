"""Search: one box, and what answers while the reader types."""

from starlette.responses import HTMLResponse, Response

from gieok.ops.operation import STATUSES
from gieok.surfaces.web.look import rendered
from gieok.surfaces.web.site import Seen
from gieok.surfaces.web.views.first import first, is_empty
from gieok.surfaces.web.views.found import found_hits


def search(seen: Seen) -> Response:
    """Show the box, and what answers the question; of an empty home, how to begin."""
    values = found_hits(seen)
    return (
        first(seen)
        if not values["question"] and is_empty(seen)
        else seen.page("search.html", **values)
    )


def hits(seen: Seen) -> Response:
    """Return the hits alone, while the reader types; the address follows, so that it can be
    kept.
    """
    values = found_hits(seen)
    said = {name: words.say(seen.lang) for name, words in STATUSES.items()}
    page = rendered("hits.html", seen.lang, {"statuses": said, **values})
    return HTMLResponse(
        page, headers={"HX-Replace-Url": f"/?{values['here_query']}", "Cache-Control": "no-store"}
    )
