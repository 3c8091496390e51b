"""Pages of memories: the list, and a whole memory with its origin and its versions."""

from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from gieok.commands.command import STATUSES
from gieok.commands.memory import away, handles
from gieok.commands.memory.contradictions import find_contradictions
from gieok.commands.memory.handles import strip_speaker_label
from gieok.commands.memory.history import Version, trace_memory_history
from gieok.commands.memory.listing import LEARNED, list_memories
from gieok.commands.memory.trust import find_untrusted_content
from gieok.commands.memory.untrusted import count_waiting_records
from gieok.commands.observe.why import explain_named_memory
from gieok.errors import GieokError, NotIndexed
from gieok.home.calls import rescope_call
from gieok.hook import records
from gieok.memory.corrections import unmarked
from gieok.memory.files import roots
from gieok.model.memory import MOVED_FROM
from gieok.surfaces.web.site import PageRequest, parse_number
from gieok.text.inert import revealed

_FIRST, _MOST_LISTED = 50, 2_000
#: Views of the page: what was learned first; notes and talk beside it.
_VIEWS = (LEARNED, "note", "turn", "all")
_KINDS = (*_VIEWS, "observation", "record")
_STATUSES = ("all", *STATUSES)
_TIERS = ("all", "hot", "warm", "cold")
_FILTERS = ("words", "since", "until", "kind", "status", "tier", "tag", "agent")
#: Replaced statements beside a memory; its history has all of them.
_MOST_REPLACED = 3
#: A memory's longer text is folded.
_LONG_CHARS = 1_500


def kind_names(seen: PageRequest) -> dict[str, str]:
    """Return kind → its name for the reader."""
    names = (
        ("all", "all"),
        ("observation", "observed"),
        ("record", "record"),
        ("turn", "said"),
        ("note", "note"),
    )
    return {kind: seen.words(name, about="a kind of memory") for kind, name in names}


def _name_memory_views(seen: PageRequest) -> list[tuple[str, str]]:
    names = {LEARNED: "Learned", "note": "Notes", "turn": "Said", "all": "All"}
    return [(view, seen.words(names[view])) for view in _VIEWS]


def show_memories_page(seen: PageRequest) -> Response:
    """List memories by filters; the last change can be undone."""
    filters = {name: seen.asked(name) for name in _FILTERS}
    for name, known in (("kind", _KINDS), ("status", _STATUSES), ("tier", _TIERS)):
        filters[name] = filters[name] if filters[name] in known else "all"
    if not seen.asked("kind") and filters["status"] != "retired":
        filters["kind"] = LEARNED
    filters["in"] = seen.within
    limit = min(parse_number(seen.asked("limit"), _FIRST), _MOST_LISTED)
    usual = {"kind": LEARNED, "status": "all", "tier": "all"}
    narrowing = {
        name: value for name, value in filters.items() if value and value != usual.get(name)
    }
    common: dict[str, Any] = {
        "asked": filters,
        "views": _name_memory_views(seen),
        "kind_names": kind_names(seen),
        "limit": limit,
        "tiers": _TIERS,
        "rows": [],
        "state_names": {
            "all": seen.words("all"),
            **{n: w.say(seen.lang) for n, w in STATUSES.items()},
        },
        "states": _STATUSES,
        "filters": urlencode(narrowing),
        "is_filtered": bool(narrowing.keys() - {"kind"}),
        "view_query": urlencode(
            {n: v for n, v in narrowing.items() if n not in ("kind", "status")}
        ),
        "more": "",
        "waits": count_waiting_records(seen.memory.call),
        "back": f"/memories?{urlencode(narrowing)}",
        "gaps": (),
        **_build_undo_values(seen),
    }
    try:
        listed = seen.memory_within.run(
            list_memories,
            words=[filters["words"]] if filters["words"] else [],
            kind=filters["kind"],
            status=filters["status"],
            tier=filters["tier"],
            since=filters["since"],
            until=filters["until"],
            limit=max(limit, 1),
            tag=filters["tag"],
            agent=filters["agent"],
            everywhere=not seen.within,
        )
    except NotIndexed:  # nothing is remembered yet: the page says so, and how to begin
        return seen.page("memories.html", **common)
    except GieokError as error:
        return seen.failed("memories.html", error, **common)
    more = (
        urlencode({**narrowing, "limit": limit * 4}) if listed.more and limit < _MOST_LISTED else ""
    )
    return seen.page(
        "memories.html",
        **{
            **common,
            "rows": listed.memories,
            "more": more,
            "is_cut": listed.more and not more,
            # the tab says which kind is shown
            "gaps": [
                gap for gap in listed.not_looked_at or () if ("name", "kind") not in gap.values
            ],
        },
    )


def _build_undo_values(seen: PageRequest) -> dict[str, Any]:
    """Return the template values for undoing the last change."""
    handles = (
        [handle for handle in seen.asked("handles").split(",") if handle]
        if seen.asked("undo")
        else []
    )
    return {
        "undo": seen.asked("undo") if handles else "",
        "undo_handles": handles,
        "undo_to": seen.asked("to"),
        "is_cut": False,
    }


def show_memory_page(seen: PageRequest) -> Response:
    """Show a whole memory, its origin, and which version was believed when."""
    handle = seen.request.path_params["handle"]
    held = seen.memory_of(handle)
    try:
        # The history below has the statements that it replaced.
        why = explain_named_memory(rescope_call(held.call), handle, with_replaced=False)
        got = held.get(handle)
        versions = held.run(trace_memory_history, handle=why.handle).versions
        on = (
            held.run(trace_memory_history, handle=why.handle, on=seen.asked("on"))
            if seen.asked("on")
            else None
        )
    except GieokError as error:
        gone = (
            away.find_away_memory(held.call, handle, held.call.scopes)
            if handles.is_handle(handle)
            else None
        )
        # a record: its file was moved to another folder, and no store holds it
        if gone is not None and gone.file is not None:
            file = seen.short(gone.file)
            return seen.page(
                "gone.html",
                handle=handle,
                gone=gone,
                file=file,
                back=f"/m/{handle}",
                **_build_undo_values(seen),
            )
        return seen.failed("memory.html", error, handle=handle, **_build_undo_values(seen))
    is_observed = why.document.key.startswith("observe:")
    kind = "observation" if is_observed else "turn" if why.document.kind == "turn" else "file"
    text = (
        why.document.text
        if is_observed
        else records.own_text(got.text)
        if kind == "file"
        else unmarked(strip_speaker_label(got.text))
    )
    source = why.document.source
    known = roots.load_roots(held.call.home.store, why.document.scope)
    is_record = handles.kind_of(why.document, known, str(held.call.home.folder)) == handles.RECORD
    is_note = kind == "file" and not is_record
    return seen.page(
        "memory.html",
        replaced=_find_replaced_versions(versions),
        contradictions=()
        if is_note or why.status == "retired"
        else find_contradictions(rescope_call(held.call), why.memory, text),
        session_scope=why.document.metadata.get(MOVED_FROM) or why.document.scope.path,
        is_note=is_note,
        handle=handle,
        path=got.path,
        text=text[:_LONG_CHARS],
        rest=text[_LONG_CHARS:],
        own_text=text,
        tier=got.tier.value,
        status=why.status,
        shown_in=why.shown_in,
        said=why.said,
        kind=kind,
        own_scope=why.document.scope,
        file=seen.short(Path(source)) if kind == "file" and source else "",
        is_line="." in why.handle,
        day=why.document.said_at,
        replaced_by=why.replaced_by,
        said_later=why.said_later,
        before=seen.site.aside(seen.asked("before")),
        versions=versions,
        times=_measure_version_spans(versions, held.call.clock.now()),
        on=on,
        asked_on=seen.asked("on"),
        is_important=why.document.metadata.get("priority") == "high",
        archived_in=why.archived_in,
        can_move=is_observed or is_record,
        can_retire=not is_note,
        back=f"/m/{handle}",
        roles=_name_message_roles(seen),
        **_build_undo_values(seen),
    )


def _find_replaced_versions(versions: tuple[Version, ...]) -> list[Version]:
    """Return the statements of other memories that the shown one replaced, the newest first."""
    since = next((version.since for version in versions if version.is_asked), None)
    return [
        version
        for version in versions[::-1]
        if since is not None
        and version.ended == "replaced"
        and not version.is_asked
        and version.since <= since
    ][:_MOST_REPLACED]


def _name_message_roles(seen: PageRequest) -> dict[str, str]:
    user, agent = seen.words("you"), seen.words("the agent")
    return {"user": user, "assistant": agent, "system": "system", "tool": "tool"}


def _measure_version_spans(
    versions: tuple[Version, ...], now: datetime
) -> list[tuple[float, float]]:
    """Return start and width of each version, in percent of the time from the first one until
    now.
    """
    if not versions:
        return []
    first = versions[0].since
    whole = max((now - first).total_seconds(), 1.0)
    spans = [(version.since, min(version.until or now, now)) for version in versions]
    places = [
        ((a - first).total_seconds() / whole * 100, (b - a).total_seconds() / whole * 100)
        for a, b in spans
    ]
    return [(min(start, 98.0), max(width, 1.5)) for start, width in places]


def show_trust_page(seen: PageRequest) -> Response:
    """Show in full the content of the project here that waits for the person's trust."""
    try:
        waits = find_untrusted_content(rescope_call(seen.memory.call))
    except GieokError as error:
        return seen.failed("trust.html", error, waits=None)
    return seen.page("trust.html", waits=waits, revealed=revealed)
