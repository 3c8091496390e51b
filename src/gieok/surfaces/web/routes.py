"""Routes of the web pages: address → page or change."""

from starlette.routing import Route

from gieok.processes.http_address import WHO
from gieok.surfaces.web import site as own
from gieok.surfaces.web.changes import CHANGES
from gieok.surfaces.web.site import MemorySite
from gieok.surfaces.web.views import VIEWS


def routes(site: MemorySite) -> list[Route]:
    """Return the routes of all pages."""
    return [
        Route("/open", site.open, methods=["GET"]),
        Route(WHO, site.who, methods=["GET"]),
        Route("/lang", site.kept("lang", "to"), methods=["GET"]),
        Route("/scope", site.kept("scope", "scope"), methods=["GET"]),
        Route("/static/{name}", own.static, methods=["GET"]),
        *(Route(path, site.shown(view), methods=["GET"]) for path, view in VIEWS.items()),
        *(Route(path, site.changed(change), methods=["POST"]) for path, change in CHANGES.items()),
    ]
