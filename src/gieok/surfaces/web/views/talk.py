"""Talk page: a conversation with a character, its memory beside it.

The memory panel shows what the last message taught and recalled, and how to correct it.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from gieok.character.house import House
from gieok.character.memory import memory_pages
from gieok.character.memory.memory_pages import RememberedItem
from gieok.character.memory.service import Bond
from gieok.character.turn.turn import PreparedPrompt, Reply, UserTurn
from gieok.commands.character.wording import read_memory_wording
from gieok.errors import BadRequest, GieokError
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.site import PageRequest
from gieok.surfaces.web.views.bond_changes import (
    BondChange,
    SentForm,
    add_bond_fact,
    correct_bond_memory,
    forget_bond_memory,
    give_days_points,
    undo_bond_change,
)
from gieok.surfaces.web.views.characters import bond as bond_page
from gieok.surfaces.web.views.characters import (
    build_bond_path,
    find_house_and_bond,
    is_scripted,
    list_predicate_choices,
    name,
    show_characters_page,
)
from gieok.text.messages import in_language

_SHOWN, _RECALLED = 40, 5
_EVENTS = "text/event-stream"
_MOST_TOLD = 100
#: (user, character) → prompt of the last reply. Kept in this process, so that the page can show the
#: prompt again.
_told: OrderedDict[tuple[str, str], PreparedPrompt] = OrderedDict()


class _Streamed(StreamingResponse):
    """Streamed reply that is closed at the end.

    Where the reader left the page in the middle, the pieces that the page got are kept and charged.
    """

    def __init__(self, reply: Reply, events: Iterator[str], headers: dict[str, str]) -> None:
        super().__init__(events, media_type=_EVENTS, headers=headers)
        self._reply = reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._reply.close)


def show_talk_page(seen: PageRequest) -> Response:
    """Show the last messages, with the memory panel beside them."""
    return _render_talk_page(seen)


def beside(seen: PageRequest) -> Response:
    """Return the memory panel alone, after a streamed reply."""
    try:
        values = {
            **_build_memory_panel(seen),
            "token": seen.site.gate.change_token(seen.cookie),
            "undo": "",
            "zone": seen.memory.call.zone,
        }
    except GieokError as error:
        return HTMLResponse(
            render_template(
                "failure.html", seen.lang, {"failure": {"message": str(error), "hint": error.hint}}
            )
        )
    return HTMLResponse(
        render_template("beside.html", seen.lang, values), headers={"Cache-Control": "no-store"}
    )


def send_talk_message(seen: PageRequest) -> Response:
    """Send a message to a character; the reply is streamed where the page asks for that."""
    try:
        house, bond = find_house_and_bond(seen)
        house.welcome(bond.user, seen.lang)
        reply = house.turns.begin(UserTurn(bond.user, bond.character, seen.sent("text")))
        _store_told_prompt(bond, reply.prepared)
        if _EVENTS in seen.request.headers.get("accept", ""):
            headers = {
                "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
                "X-Content-Type-Options": "nosniff",
            }
            return _Streamed(reply, _iter_talk_events(reply, seen.lang), headers)
        try:
            for _ in reply:
                pass
        finally:
            reply.close()
    except GieokError as error:
        if _EVENTS in seen.request.headers.get("accept", ""):
            return StreamingResponse(
                iter([_format_talk_error(error, seen.lang)]), media_type=_EVENTS
            )
        return _render_talk_page(seen, error)
    return seen.back_to(f"{build_bond_path(bond.user, bond.character)}/talk#last")


def forget_talk_memory(seen: PageRequest) -> Response:
    """Forget a memory; the next page offers to undo that."""
    return _apply_talk_change(seen, forget_bond_memory)


def correct_talk_memory(seen: PageRequest) -> Response:
    """Correct a memory, or mark it as important."""
    return _apply_talk_change(seen, correct_bond_memory)


def add_talk_fact(seen: PageRequest) -> Response:
    """Add a fact that the user states."""
    return _apply_talk_change(seen, add_bond_fact)


def undo_talk_change(seen: PageRequest) -> Response:
    """Undo a change."""
    return _apply_talk_change(seen, undo_bond_change)


def check_in_from_talk(seen: PageRequest) -> Response:
    """Check in for today."""
    return _apply_talk_change(
        seen, lambda form, house, bond: give_days_points(form, house, bond.user)
    )


def import_character_card(seen: PageRequest) -> Response:
    """Import a character's card."""
    data = seen.files.get("card", b"")
    try:
        if not data:
            raise BadRequest("no file was chosen", hint="choose a card: PNG, JSON or CHARX")
        house = seen.memory.call.home.house
        stored = house.roster.import_file(
            "", data, seen.sent("id"), replaces=bool(seen.sent("replace"))
        )
    except GieokError as error:
        return show_characters_page(seen, error)
    notice = seen.words("{name} is here.", name=stored.name)
    return seen.back_to(f"/characters?told={quote(notice)}")


def _apply_talk_change(
    seen: PageRequest, change: Callable[[SentForm, House, Bond], BondChange]
) -> Response:
    named = seen.request.path_params
    own = build_bond_path(named["user"], named["character"])
    back = f"{own}/talk" if seen.sent("back") == "talk" else own
    layer = quote(seen.sent("layer"))
    try:
        house, bond = find_house_and_bond(seen)
        notice, taken_back_by = change(seen, house, bond)
    except GieokError as error:
        return _render_talk_page(seen, error) if back.endswith("/talk") else bond_page(seen, error)
    # the kept prompt no longer agrees with the memory
    _told.pop((bond.user, bond.character), None)
    return seen.back_to(f"{back}?told={quote(notice)}&undo={quote(taken_back_by)}&layer={layer}")


def _store_told_prompt(bond: Bond, prepared: PreparedPrompt) -> None:
    _told[bond.user, bond.character] = prepared
    while len(_told) > _MOST_TOLD:
        _told.popitem(last=False)


def _render_talk_page(seen: PageRequest, error: GieokError | None = None) -> Response:
    try:
        house, bond = find_house_and_bond(seen)
        messages = house.control.messages(bond, 1, _SHOWN)
        stored = house.roster.find(bond.user, bond.character)
        values = {
            **_build_memory_panel(seen),
            "said": messages.items[::-1],
            "more": messages.total - len(messages.items),
            "greeting": house.turns.scene(bond.user, bond.character).sheet.greeting,
            "standing": house.points.standing(bond.user),
            "is_scripted": is_scripted(seen),
            "has_picture": bool(stored.package_type and stored.package_type != "application/json"),
            "undo": seen.asked("undo"),
            "draft": seen.sent("text") if error else "",
        }
    except GieokError as failure:
        return seen.failed("talk.html", failure, **_build_empty_talk(seen))
    if error is not None:
        return seen.failed("talk.html", error, **values)
    return seen.page("talk.html", **values)


def _build_empty_talk(seen: PageRequest) -> dict[str, Any]:
    named = seen.request.path_params
    return {
        "user": named["user"],
        "character": named["character"],
        "bond_path": build_bond_path(named["user"], named["character"]),
        "name": named["character"],
        "said": None,
    }


def _build_memory_panel(seen: PageRequest) -> dict[str, Any]:
    """Return the memories that the user's last message taught and recalled."""
    house, bond = find_house_and_bond(seen)
    last = next(
        (one for one in house.control.messages(bond, 1, _SHOWN).items if one.role == "user"), None
    )
    held = house.memory.memories(bond)
    every = [item for layer in memory_pages.Layer for item in memory_pages.of_layer(held, layer)]
    learned = [one for one in every if last and last.id in one.message_ids]
    by_id = {one.id: one for one in every}
    prepared = _told.get((bond.user, bond.character))
    recalled: list[tuple[RememberedItem, float, dict[str, float]]] = []
    if prepared is not None:
        recalled = [
            (by_id[one.document.key], one.score, dict(one.signals))
            for one in prepared.context.recalled
            if one.document.key in by_id
        ]
    elif last is not None:
        hits = house.control.search(bond, last.text[:2_000], _RECALLED)
        recalled = [
            (
                one.memory,
                one.score,
                {
                    "similarity": one.similarity,
                    "recency": one.recency,
                    "importance": one.importance,
                },
            )
            for one in hits.items
        ]
    return {
        **_build_empty_talk(seen),
        "name": name(seen),
        "last": last,
        "learned": learned,
        "recalled": recalled,
        "is_exact": prepared is not None,
        "narrative": prepared.context.narrative.text if prepared else "",
        "told_count": _count_told(prepared),
        "wording": read_memory_wording(house, bond, seen.lang),
        "predicates": list_predicate_choices(seen.lang),
        "canon": prepared.canon if prepared else "",
    }


def _count_told(prepared: PreparedPrompt | None) -> int:
    """Return how many memories and quotations a model was told."""
    if prepared is None:
        return 0
    told = prepared.context.narrative
    return len(told.keys) + len(told.quoted)


def _iter_talk_events(reply: Reply, lang: str) -> Iterator[str]:
    try:
        for part in reply:
            if part.text:
                yield f"data: {json.dumps({'text': part.text}, ensure_ascii=False)}\n\n"
        yield "event: done\ndata: {}\n\n"
    except GieokError as error:
        yield _format_talk_error(error, lang)
    finally:
        reply.close()


def _format_talk_error(error: GieokError, lang: str) -> str:
    failure = {
        "message": in_language(str(error), lang),
        "hint": in_language(error.hint or "", lang),
    }
    return f"event: error\ndata: {json.dumps(failure, ensure_ascii=False)}\n\n"


_OF_TWO = "/characters/{user}/{character}"
CHANGES: dict[str, Callable[[PageRequest], Response]] = {
    "/characters/import": import_character_card,
    f"{_OF_TWO}/talk": send_talk_message,
    f"{_OF_TWO}/forget": forget_talk_memory,
    f"{_OF_TWO}/edit": correct_talk_memory,
    f"{_OF_TWO}/add": add_talk_fact,
    f"{_OF_TWO}/undo": undo_talk_change,
    f"{_OF_TWO}/check-in": check_in_from_talk,
}
