"""What is remembered: the list, and one memory whole with where it comes from."""

from typing import Any

from starlette.responses import Response

from gieok.errors import GieokError
from gieok.surfaces.web.site import Seen

_MOST_LISTED = 10_000
_KINDS = ("all", "observation", "record", "turn", "note")


def kind_names(seen: Seen) -> dict[str, str]:
    """Return what kinds are called."""
    names = (("all", "all", "전부"), ("observation", "observed", "관찰"), ("record", "record", "기록"),
             ("turn", "said", "대화"), ("note", "note", "노트"))  # fmt: skip
    return {kind: seen.words(en, ko) for kind, en, ko in names}


def memories(seen: Seen) -> Response:
    """List what is remembered."""
    kind = seen.asked("kind") if seen.asked("kind") in _KINDS else "all"
    limit = int(seen.asked("limit")) if seen.asked("limit").isdecimal() else 50
    values: dict[str, Any] = {name: seen.asked(name) for name in ("words", "since", "until")}
    common = {**values, "kind": kind, "kinds": _KINDS, "kind_names": kind_names(seen), "limit": limit}
    try:
        words = [values["words"]] if values["words"] else []
        found = seen.memory.run(
            "list", words=words, kind=kind, since=values["since"], until=values["until"], limit=min(limit, _MOST_LISTED)
        )
    except GieokError as error:
        return seen.failed("memories.html", error, rows=[], more=False, **common)
    return seen.page("memories.html", rows=found.memories, more=found.more, **common)


def memory(seen: Seen) -> Response:
    """Show one memory whole, and where it comes from."""
    handle = seen.request.path_params["handle"]
    try:
        why = seen.memory.run("why", id=handle)
        got = seen.memory.get(handle)
    except GieokError as error:
        return seen.failed("memory.html", error, handle=handle)
    told = why.document.text if why.document.key.startswith("observation") else got.text
    return seen.page(
        "memory.html", handle=handle, path=got.path, text=got.text, tier=got.tier.value, status=why.origin.status,
        shown_in=why.origin.shown_in, said=why.said, replaced=why.origin.replaced, replaced_by=why.origin.replaced_by,
        can_edit=True, own_text=told, undo=seen.asked("undo"),
        roles={"user": seen.words("user", "사용자"), "assistant": seen.words("assistant", "에이전트"),
               "system": "system", "tool": "tool"},
    )  # fmt: skip
