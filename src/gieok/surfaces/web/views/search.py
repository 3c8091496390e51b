"""Search page: one box, and hits that are updated while the reader types."""

from starlette.responses import HTMLResponse, Response

from gieok.commands.command import STATUSES
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.site import PageRequest
from gieok.surfaces.web.views.first import is_empty, show_first_page
from gieok.surfaces.web.views.found import found_hits
from gieok.surfaces.web.views.home import show_home_page


def show_search_page(seen: PageRequest) -> Response:
    """Show the hits of a question; without one the home page, or in an empty home how to begin."""
    values = found_hits(seen)
    if values["is_asked"]:
        return seen.page("search.html", **values)
    return show_first_page(seen) if is_empty(seen) else show_home_page(seen, values)


def hits(seen: PageRequest) -> Response:
    """Return the hits alone, while the reader types.

    The address of the page follows, so that the search can be bookmarked.
    """
    values = found_hits(seen)
    statuses = {name: words.say(seen.lang) for name, words in STATUSES.items()}
    page = render_template(
        "hits.html", seen.lang, {"statuses": statuses, "has_scopes": seen.has_scopes, **values}
    )
    return HTMLResponse(
        page, headers={"HX-Replace-Url": f"/?{values['here_query']}", "Cache-Control": "no-store"}
    )
