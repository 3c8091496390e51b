"""The pages, a module each. What they show is what the commands of the same name return."""

from collections.abc import Callable

from starlette.responses import Response

from gieok.surfaces.web.site import Seen
from gieok.surfaces.web.views.characters import bond, characters, glance, picture
from gieok.surfaces.web.views.code import code, code_map, part
from gieok.surfaces.web.views.first import first, progress
from gieok.surfaces.web.views.health import checks, growth, health, hook
from gieok.surfaces.web.views.injection import injection
from gieok.surfaces.web.views.memories import memories, memory, trust
from gieok.surfaces.web.views.search import hits, search
from gieok.surfaces.web.views.talk import beside, talk
from gieok.surfaces.web.views.timeline import news, session, timeline

VIEWS: dict[str, Callable[[Seen], Response]] = {
    "/": search,
    "/hits": hits,
    "/first": first,
    "/first/progress": progress,
    "/memories": memories,
    "/trust": trust,
    "/m/{handle:path}": memory,
    "/timeline": timeline,
    "/timeline/session": session,
    "/timeline/news": news,
    "/injection": injection,
    "/characters": characters,
    "/characters/{character}/picture": picture,
    "/characters/{user}/{character}": bond,
    "/characters/{user}/{character}/glance": glance,
    "/characters/{user}/{character}/talk": talk,
    "/characters/{user}/{character}/beside": beside,
    "/code": code,
    "/code/part": part,
    "/code/map.svg": code_map,
    "/status": health,
    "/status/growth": growth,
    "/status/hook": hook,
    "/status/checks": checks,
}
