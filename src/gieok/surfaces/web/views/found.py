"""Hits as the pages show them: the line that answers, where it stands, and why it is there."""

from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import urlencode

from gieok.commands.memory import handles
from gieok.commands.memory.filters import SEARCHED_STATUSES
from gieok.commands.memory.hits import (
    UNDATED,
    SearchHit,
    count_likely_hits,
    introduce_unlikely,
    introduce_unsure_hits,
    not_taken_as_times,
    sort_for_reading,
)
from gieok.commands.memory.search import search_memory
from gieok.errors import GieokError, NotIndexed
from gieok.memory.files import roots
from gieok.surfaces.web.answers import Answer, find_answer
from gieok.surfaces.web.reasons import Reasons, reasons
from gieok.surfaces.web.site import PageRequest, parse_number

#: Hits that are shown at first, and at most: a person who reads more should ask differently.
_FIRST, _MOST = 12, 200
_NARROWING = ("source", "since", "until", "tag", "agent", "status")
_SOURCES = ("all", "memory", "observed", "sessions")


class ShownHit(NamedTuple):
    """A hit as a page shows it.

    It has the line that answers, the file that a person can open ('' for none), and the name of
    the file, or who said it to whom.
    """

    hit: SearchHit
    answer: Answer
    file: str
    place: str
    why: Reasons


def _read_search_filters(seen: PageRequest) -> dict[str, str]:
    """Return the search parameters of the address that have a value."""
    filters = {name: seen.asked(name) for name in ("q", *_NARROWING, "limit")} | {"in": seen.within}
    if filters["source"] not in _SOURCES[1:]:
        filters["source"] = ""
    if filters["status"] not in SEARCHED_STATUSES[1:]:
        filters["status"] = ""
    filters["limit"] = filters["limit"] if filters["limit"].isdecimal() else ""
    return {name: value for name, value in filters.items() if value}


def found_hits(seen: PageRequest) -> dict[str, Any]:
    """Return the values for the templates of hits: the search parameters and the hits."""
    filters = _read_search_filters(seen)
    limit = min(max(parse_number(filters.get("limit", ""), _FIRST), 1), _MOST)
    values: dict[str, Any] = {
        "question": filters.get("q", ""),
        "asked": filters,
        "hits": [],
        "failure": None,
        "notes": [],
        "more": "",
        "here_query": urlencode(filters),
        "without": _format_unfiltered_query(filters),
        "is_full": limit == _MOST,
        "sources": _SOURCES,
        "states": SEARCHED_STATUSES,
        "is_asked": bool(filters.keys() & {"q", "since", "until"}),
        "waiting": 0,
        "is_bare": False,
        "unlikely": [],
        "unlikely_words": "",
        "introduction": "",
        "is_timeline": False,
        "undated": UNDATED.say(seen.lang),
        "gaps": (),
    }
    if not values["is_asked"]:
        return values
    try:
        result = seen.memory_within.run(
            search_memory,
            query=[filters.get("q", "")],
            explain=True,
            limit=limit + (limit < _MOST),
            source=filters.get("source", "all"),
            since=filters.get("since", ""),
            until=filters.get("until", ""),
            everywhere=not seen.within,
            tag=filters.get("tag", ""),
            agent=filters.get("agent", ""),
            status=filters.get("status", "all"),
        )
    except NotIndexed as error:
        return values | {"failure": {"message": str(error), "hint": error.hint}, "is_bare": True}
    except GieokError as error:
        return values | {"failure": {"message": str(error), "hint": error.hint}}
    notes = [result.degraded, result.behind.words().say(seen.lang) if result.behind else ""]
    notes += [not_taken_as_times(result.not_times).say(seen.lang)] if result.not_times else []
    more = urlencode({**filters, "limit": str(limit * 4)}) if len(result.results) > limit else ""
    introduction = introduce_unsure_hits(result)
    nearest = (result.nearest,) if result.nearest and not result.results else ()
    first = sort_for_reading(result._replace(results=result.results[:limit]))
    shown = _build_shown_hits(seen, first or nearest, filters.get("q", ""))
    likely = count_likely_hits(result._replace(results=first)) if first else len(shown)
    unlikely = shown[likely:]
    return values | {
        "introduction": introduction.say(seen.lang) if introduction else "",
        "is_timeline": result.is_timeline,
        "hits": shown[:likely],
        "unlikely": unlikely,
        "unlikely_words": introduce_unlikely(len(unlikely)).say(seen.lang),
        "notes": [note for note in notes if note],
        "more": more,
        "waiting": result.waiting,
        "days": result.days,
        "gaps": result.not_looked_at or (),
    }


def _format_unfiltered_query(asked: dict[str, str]) -> str:
    """Return the query string without its filters; '' where it has none."""
    unfiltered = {name: value for name, value in asked.items() if name in ("q", "in")}
    return urlencode(unfiltered) if unfiltered.get("q") and asked.keys() & {*_NARROWING} else ""


def _build_shown_hits(
    seen: PageRequest, found: tuple[SearchHit, ...], question: str
) -> list[ShownHit]:
    store = seen.memory.call.home.store
    known = {scope: roots.load_roots(store, scope) for scope in {hit.scope for hit in found}}
    return [_build_shown_hit(seen, hit, known[hit.scope], question) for hit in found]


def _build_shown_hit(
    seen: PageRequest, hit: SearchHit, known: list[roots.Root], question: str
) -> ShownHit:
    file = _locate_hit_file(seen, known, hit) if hit.source == "memory" else ""
    answer = find_answer(hit, question)
    return ShownHit(
        hit=hit,
        answer=answer,
        file=file,
        place=_describe_hit_origin(seen, hit, answer, known),
        why=reasons(hit, seen.lang),
    )


def _locate_hit_file(seen: PageRequest, known: list[roots.Root], hit: SearchHit) -> str:
    """Return the file and line of a hit as editors take them, with the home folder as `~`."""
    try:
        file = roots.resolve_root_file(known, hit.path, seen.memory.call.caller.path(hit.path))[1]
    except (GieokError, OSError):
        return ""
    return f"{seen.short(file)}:{hit.start_line}"


def _is_record_file(seen: PageRequest, known: list[roots.Root], file: str) -> bool:
    """Return whether a file is a record: one of a folder that holds records."""
    home = str(seen.call.home.folder)
    return any(
        handles.is_shelf(root, home) and Path(file).is_relative_to(root.path) for root in known
    )


def _describe_hit_origin(
    seen: PageRequest, hit: SearchHit, answer: Answer, known: list[roots.Root]
) -> str:
    """Return where a hit comes from: the name of a note, or who said it to which agent."""
    if hit.source == "memory":
        if _is_record_file(seen, known, hit.file or ""):
            return seen.words("record", about="a kind of memory")
        name = PurePosixPath(hit.path).stem
        return name.removeprefix(str(hit.date)).strip(" -_") or name
    if hit.source != "sessions":
        return seen.words("observed", about="a kind of memory")
    agent = hit.path.split("/")[1]
    if answer.speaker == "assistant":
        return seen.words("{agent} said", agent=agent)
    return seen.words("said to {split}", split=agent)
