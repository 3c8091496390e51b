"""The pages, one module each.

A page shows the result of the command with the same name.
"""

from collections.abc import Callable

from starlette.responses import Response

from gieok.surfaces.web.site import PageRequest
from gieok.surfaces.web.views.characters import bond, glance, picture, show_characters_page
from gieok.surfaces.web.views.code import code, code_map, show_code_part
from gieok.surfaces.web.views.first import progress, show_first_page
from gieok.surfaces.web.views.health import checks, hook, show_growth_curves, show_health_page
from gieok.surfaces.web.views.home import show_first_questions
from gieok.surfaces.web.views.injection import injection
from gieok.surfaces.web.views.memories import show_memories_page, show_memory_page, show_trust_page
from gieok.surfaces.web.views.search import hits, show_search_page
from gieok.surfaces.web.views.talk import beside, show_talk_page
from gieok.surfaces.web.views.timeline import news, show_session_page, timeline

VIEWS: dict[str, Callable[[PageRequest], Response]] = {
    "/": show_search_page,
    "/hits": hits,
    "/questions": show_first_questions,
    "/first": show_first_page,
    "/first/progress": progress,
    "/memories": show_memories_page,
    "/trust": show_trust_page,
    "/m/{handle:path}": show_memory_page,
    "/timeline": timeline,
    "/timeline/session": show_session_page,
    "/timeline/news": news,
    "/injection": injection,
    "/characters": show_characters_page,
    "/characters/{character}/picture": picture,
    "/characters/{user}/{character}": bond,
    "/characters/{user}/{character}/glance": glance,
    "/characters/{user}/{character}/talk": show_talk_page,
    "/characters/{user}/{character}/beside": beside,
    "/code": code,
    "/code/part": show_code_part,
    "/code/map.svg": code_map,
    "/status": show_health_page,
    "/status/growth": show_growth_curves,
    "/status/hook": hook,
    "/status/checks": checks,
}
