"""The pages, a module each. What they show is what the commands of the same name return."""

from collections.abc import Callable

from starlette.responses import Response

from gieok.surfaces.web.site import Seen
from gieok.surfaces.web.views.characters import bond, characters
from gieok.surfaces.web.views.code import code, code_map
from gieok.surfaces.web.views.health import health
from gieok.surfaces.web.views.injection import injection
from gieok.surfaces.web.views.memories import memories, memory
from gieok.surfaces.web.views.search import hits, search
from gieok.surfaces.web.views.timeline import session, timeline

VIEWS: dict[str, Callable[[Seen], Response]] = {
    "/": search,
    "/hits": hits,
    "/memories": memories,
    "/m/{handle:path}": memory,
    "/timeline": timeline,
    "/timeline/session": session,
    "/injection": injection,
    "/characters": characters,
    "/characters/{user}/{character}": bond,
    "/code": code,
    "/code/map.svg": code_map,
    "/status": health,
}
