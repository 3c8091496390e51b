"""Injection page: past injections one by one, and a workbench for a prompt.

The workbench shows what would be injected for a prompt, and why.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup, escape
from starlette.responses import Response

from gieok.agents import table
from gieok.commands.command import Style
from gieok.commands.prompt.candidates import FATES
from gieok.commands.prompt.injections import list_injections
from gieok.commands.prompt.last import LastResult
from gieok.commands.prompt.recall import recall_memories
from gieok.commands.prompt.refuse import (
    find_note_folders,
    refuse_memory,
    render_refusal,
)
from gieok.errors import GieokError
from gieok.model.conversation import Role
from gieok.places.project import list_project_scopes
from gieok.places.scope import is_brought
from gieok.ranking.likelihood import level
from gieok.surfaces.web.site import PageRequest, join_query, parse_number
from gieok.text.handles import HANDLE_PATTERN

_LISTED = 30
#: A handle in brackets, as it ends an injected memory; other digits are no link.
_HANDLE = re.compile(rf"(?<=[ (\"])({HANDLE_PATTERN})(?=[)\"])")
_MODES = ("", "tiered", "full")
_MOST_PROMPT_CHARS = 10_000
#: Seconds between an injection and its prompt in the transcript, at most.
_NEAR_S, _MOST_SHOWN_CHARS = 30, 600


def injection(seen: PageRequest) -> Response:
    """Show past injections, the chosen one in full, and the injection for a prompt."""
    prompt = seen.asked("prompt")[:_MOST_PROMPT_CHARS]
    values: dict[str, Any] = {
        "prompt": prompt,
        "project": _find_tried_project(seen),
        "injected_scopes": _list_injected_scopes(seen),
        "tried": None,
        "shown": None,
        "place": 0,
        "modes": _MODES,
        "level_of": level,
        "linked": link_memory_handles,
        "limit": seen.asked("limit") if seen.asked("limit").isdecimal() else "",
        "mode": seen.asked("mode") if seen.asked("mode") in _MODES else "",
        "events": name_injection_events(seen),
        "fates": {name: words.say(seen.lang).replace("`", "") for name, words in FATES.items()},
        "asked": None,
        "folders": {},
        "start_lines": [],
        "undo_refusal": _read_refusal_aside(seen),
        "kept_back": seen.asked("kept_back"),
        "kept": (),
        "near": [],
        "far": [],
    }
    try:
        injections = seen.memory.run(list_injections, limit=_LISTED).injections
        place = min(parse_number(seen.asked("n"), 1), len(injections))
        shown = injections[max(place, 1) - 1] if injections else None
        values |= {
            "kept": injections,
            "place": max(place, 1),
            "shown": shown,
            "asked": _find_injected_prompt(seen, shown) if shown else None,
            "folders": _name_note_folders(seen, shown) if shown else {},
            "start_lines": list_start_lines(shown) if shown else [],
        }
        if prompt:
            limit = min(parse_number(values["limit"], 0), 100)
            values["tried"] = seen.site.memory("auto").run(
                recall_memories,
                prompt=[prompt],
                scopes=_list_tried_scopes(seen, values["project"]),
                explain=True,
                limit=limit,
                mode=values["mode"],
            )
    except GieokError as error:
        return seen.failed("injection.html", error, **values)
    tried = values["tried"]
    candidates, least = (
        (tried.candidates, tried.cuts.further) if tried and tried.cuts else ((), 0.0)
    )
    values["near"] = [candidate for candidate in candidates if candidate.score >= least]
    values["far"] = [candidate for candidate in candidates if candidate.score < least]
    return seen.page("injection.html", **values)


def _list_injected_scopes(seen: PageRequest) -> list[str]:
    """Return the scopes that agents are given memory of; others are searched alone."""
    return [path for path in seen.scopes if not is_brought(path)]


def _find_tried_project(seen: PageRequest) -> str:
    """Return the scope that a prompt is tried in: the one asked for, else the chosen one.

    The first of those that agents are given memory of, where it is none of them.
    """
    scopes = _list_injected_scopes(seen)
    return next((path for path in (seen.within, seen.call.scope.path) if path in scopes), scopes[0])


def _list_tried_scopes(seen: PageRequest, project: str) -> str:
    """Return the scopes that an agent in a project is given memory of, joined by commas.

    '' for those of the folder here, which the command knows.
    """
    if project == seen.scopes[0]:
        return ""
    beside = seen.call.home.hook_settings.text("hook.scopes")
    return ",".join(dict.fromkeys((project, *list_project_scopes("", beside))))


def _name_note_folders(seen: PageRequest, shown: LastResult) -> dict[str, tuple[str, str]]:
    """Return handle → the folder of the note, and the folder in shell form.

    Each folder stands once, at its first note: nine notes of one folder need no nine buttons.
    """
    folders = find_note_folders(seen.call, [memory.handle for memory in shown.memories])
    first_handles = dict[str, str]()
    for memory in shown.memories:
        if memory.handle in folders:
            first_handles.setdefault(folders[memory.handle], memory.handle)
    return {handle: (folder, seen.short(Path(folder))) for folder, handle in first_handles.items()}


def refuse_on_page(seen: PageRequest) -> Response:
    """Keep a memory away from prompts like the shown one or from session starts, or the notes of a
    folder away from all prompts.

    With `lift`, take that back. The next page offers to undo it.
    """
    handle, folder = seen.sent("handle"), seen.sent("folder")
    prompt, is_lifted = seen.sent("prompt")[:_MOST_PROMPT_CHARS], bool(seen.sent("lift"))
    is_at_start = bool(seen.sent("at_start"))
    place = {"n": seen.sent("n")}
    try:
        result = (seen.memory if folder else seen.memory_of(handle)).run(
            refuse_memory,
            handle=handle,
            prompt=prompt,
            at_start=is_at_start,
            folder=folder,
            lift=is_lifted,
        )
    except GieokError as error:
        return seen.failed("refused.html", error, back=join_query("/injection", **place))
    # opened anew, so that the workbench goes by a new setting
    seen.site.memory.cache_clear()
    told = render_refusal(result, Style(seen.lang, colour=False))
    undone = {}
    if folder and result.refused and result.changed:
        undone = {"kept_back": folder}
    elif result.refused:
        undone = {"refused": seen.site.put_aside(f"{handle}\n{prompt}")}
    return seen.back_to(join_query("/injection", told=told, **undone, **place))


def _read_refusal_aside(seen: PageRequest) -> dict[str, str]:
    """Return the fields of what was refused just now; {} for none.

    The prompt of the newest injection may be another one by now.
    """
    handle, _, prompt = seen.site.aside(seen.asked("refused")).partition("\n")
    if not handle:
        return {}
    return {"handle": handle, **({"prompt": prompt} if prompt else {"at_start": "1"})}


CHANGES: dict[str, Callable[[PageRequest], Response]] = {
    "/injection/refuse": refuse_on_page,
}


def _find_injected_prompt(seen: PageRequest, shown: LastResult) -> tuple[str, str] | None:
    """Return the prompt of an injection, and the address of its session.

    None where the transcript was not read yet.
    """
    call = seen.call
    journal = call.home.journal
    scopes = [scope for scope in journal.scopes() if scope.path in seen.scopes]
    for scope in scopes:
        prompts = [
            turn.message
            for turn in journal.turns(scope, shown.agent, shown.session)
            if turn.message.role is Role.USER
        ]
        near = min(
            prompts, key=lambda message: abs((message.at - shown.at).total_seconds()), default=None
        )
        if near is not None:
            values = {"scope": scope.path, "agent": shown.agent, "session": shown.session}
            is_its = (
                shown.event == table.PROMPT and abs((near.at - shown.at).total_seconds()) < _NEAR_S
            )
            return near.text[
                :_MOST_SHOWN_CHARS
            ] if is_its else "", f"/timeline/session?{urlencode(values)}"
    return None


def list_start_lines(shown: LastResult) -> list[tuple[str, str]]:
    """Return the lines of a session's start that lead to a memory: its handle, and the words."""
    if shown.event != table.SESSION_START:
        return []
    lines = list[tuple[str, str]]()
    for line in shown.text.split("\n"):
        handles = list(_HANDLE.finditer(line))
        if handles and line.startswith("- "):
            words = line[: handles[-1].start()].rpartition(" (")[0]
            lines.append((handles[-1][1], words.removeprefix("- ")))
    return lines


def link_memory_handles(text: str) -> Markup:
    """Return an injected text, escaped, with its handles as links to the memories."""
    parts = _HANDLE.split(text)
    pieces = [escape(parts[0])]
    # `split` returns each handle together with the groups of the pattern.
    for start in range(1, len(parts), 4):
        handle, after = parts[start], parts[start + 3]
        pieces += [Markup('<a href="/m/{}">{}</a>').format(handle, handle), escape(after)]
    return Markup("").join(pieces)


def name_injection_events(seen: PageRequest) -> dict[str, str]:
    """Return event → when an agent was given something, in words."""
    names = {
        table.PROMPT: "before a prompt",
        table.SESSION_START: "at a session's start",
    }
    return {event: seen.words(name) for event, name in names.items()}
