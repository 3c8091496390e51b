"""The pages, one function each. What they show is what the commands of the same name return."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from starlette.responses import HTMLResponse, Response

from gieok.errors import BadRequest, GieokError
from gieok.ops import operation
from gieok.ops.operation import STATUSES, Style
from gieok.surfaces.web.look import rendered
from gieok.surfaces.web.site import Seen

_WEEKS = 26
_MOST_LISTED = 10_000
_OF_A_PICTURE = "default-src 'none'; style-src 'unsafe-inline'"
_KINDS = ("all", "observation", "record", "turn", "note")


def kind_names(seen: Seen) -> dict[str, str]:
    """Return what kinds are called."""
    names = (("all", "all", "전부"), ("observation", "observed", "관찰"), ("record", "record", "기록"),
             ("turn", "said", "대화"), ("note", "note", "노트"))  # fmt: skip
    return {kind: seen.words(en, ko) for kind, en, ko in names}


def search(seen: Seen) -> Response:
    """Show the box, and what answers the question."""
    question = seen.asked("q")
    return seen.page("search.html", **_hits(seen, question), empty=not question and _is_empty(seen))


def hits(seen: Seen) -> Response:
    """Return the hits alone, while the reader types."""
    statuses = {name: words.say(seen.lang) for name, words in STATUSES.items()}
    values = {"statuses": statuses, **_hits(seen, seen.asked("q"))}
    return HTMLResponse(rendered("hits.html", seen.lang, values) if seen.asked("q") else "")


def _hits(seen: Seen, question: str) -> dict[str, Any]:
    found: dict[str, Any] = {"question": question, "hits": [], "degraded": None, "failure": None}
    if question:
        try:
            result = seen.memory.run("search", query=question, explain=True)
            found |= {"hits": result.results, "degraded": result.degraded}
        except GieokError as error:
            found["failure"] = {"message": str(error), "hint": error.hint}
    return found


def _is_empty(seen: Seen) -> bool:
    return bool(seen.memory.run("status").state == "empty")


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


def timeline(seen: Seen) -> Response:
    """Show a calendar, a day or the last ones, and what was distilled."""
    context = seen.memory.context
    today = context.clock.now().astimezone(context.zone).date()
    first = today - timedelta(days=7 * _WEEKS)
    day = _day(seen.asked("day"))
    rows = seen.memory.run("list", since=min(first, day or first).isoformat(), limit=_MOST_LISTED).memories
    counts = Counter(row.day for row in rows)
    shown = [row for row in rows if row.day == day] if day else rows[:40]
    stats = seen.memory.run("observe stats", days=7)
    costs = [
        (when, role, usage.input_tokens + usage.output_tokens, stats.costs.get((when, role), 0.0))
        for (when, role), usage in sorted(stats.usage.items(), reverse=True)
    ]
    return seen.page(
        "timeline.html", counts=counts, last=today, day=day, runs=stats.runs[::-1][:20], costs=costs[:20],
        days=[(one, list(group)) for one, group in groupby(shown, key=lambda row: row.day)], kind_names=kind_names(seen),
    )  # fmt: skip


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def injection(seen: Seen) -> Response:
    """Show what an agent was given last, and what it would be given for a prompt."""
    from gieok.ops.prompt.last import last

    prompt = seen.asked("prompt")
    values: dict[str, Any] = {"prompt": prompt, "last": None, "tried": None, "candidates": []}
    with suppress(BadRequest):  # nothing yet
        values["last"] = last(seen.memory.context, "")
    if prompt:
        try:
            values["tried"] = seen.memory.recall(prompt)
            values["candidates"] = seen.memory.search(prompt[:2000], limit=10)
        except GieokError as error:
            return seen.failed("injection.html", error, **values)
    return seen.page("injection.html", **values)


def health(seen: Seen) -> Response:
    """Show what waits for a person, how full everything is, and what runs when."""
    archive, pending = seen.memory.run("archive status"), seen.memory.run("archive pending")
    stats, status = seen.memory.run("observe stats"), seen.memory.run("status")
    style = Style(seen.lang, colour=False)
    sizes = Counter[str]()
    for row in archive.tiers:
        sizes[row.tier.value] += row.memories
    most = max(sizes.values(), default=1) or 1
    checks = ""
    if seen.asked("deep"):
        checks = operation("doctor").present(seen.memory.run("doctor"), style)
    figures = (
        (seen.words("documents here", "여기 있는 문서"), f"{status.stats.documents:,}"),
        (seen.words("messages in the journal", "저널의 메시지"), f"{stats.journal.messages:,}"),
        (seen.words("tokens wait to be observed", "관찰을 기다리는 토큰"), f"{stats.backlog_tokens:,}"),
        (seen.words("model tokens today", "오늘 쓴 모델 토큰"), f"{stats.today_tokens:,}"),
    )
    incidents = {one.name: one for one in (*stats.incidents, *archive.incidents)}
    return seen.page(
        "health.html", figures=figures, tiers=[(tier, count, count / most) for tier, count in sizes.items()],
        incidents=list(incidents.values()), pending=pending.days, questions=pending.questions, rejects=stats.rejects,
        schedules=archive.schedules, report=operation("status").present(status, style), checks=checks,
    )  # fmt: skip


def code(seen: Seen) -> Response:
    """Show a project: its parts as a picture, what leans on what, and what a change may break."""
    target = seen.asked("target")
    values: dict[str, Any] = {"target": target, "impact": "", "figures": (), "central": ()}
    try:
        status = seen.memory.run("code status")
        if target:
            impact = operation("code impact")
            values["impact"] = impact.present(seen.memory.run("code impact", target=target), Style(seen.lang, False))
    except GieokError as error:
        return seen.failed("code.html", error, **values)
    counted = status.counted
    values["figures"] = (
        (seen.words("files", "파일"), f"{counted.files:,}"), (seen.words("lines", "줄"), f"{counted.lines:,}"),
        (seen.words("functions and more", "함수 등"), f"{sum(counted.kinds.values()):,}"),
        (seen.words("unresolved calls", "풀지 못한 호출"), f"{counted.unresolved_calls:,}"),
    )  # fmt: skip
    values["central"] = counted.central
    return seen.page("code.html", **values)


def code_map(seen: Seen) -> Response:
    """Return the picture of the project's parts; as an image it keeps its styles to itself."""
    from gieok.ops.code.export import drawn

    try:
        made = drawn(seen.memory.context)
    except GieokError:
        return Response(status_code=404)
    return Response(made, media_type="image/svg+xml", headers={"Content-Security-Policy": _OF_A_PICTURE})


def characters(seen: Seen) -> Response:
    """List who remembers whom."""
    house = seen.memory.context.character.house()
    found = []
    for scope in house.memory.journal.made_scopes():
        user, _, character = scope.path.removeprefix("user:").partition("/character:")
        if character:
            held = house.memory.memories(_bond(user, character))
            found.append((user, character, (len(held.facts), len(held.moments), len(held.episodes))))
    return seen.page("characters.html", bonds=found)


def bond(seen: Seen) -> Response:
    """Show what a character remembers of a user."""
    user, character = seen.request.path_params["user"], seen.request.path_params["character"]
    house = seen.memory.context.character.house()
    who = _bond(user, character)
    return seen.page(
        "bond.html", user=user, character=character, memories=house.memory.memories(who),
        narrative=house.memory.context(who, "").narrative.text, points=house.accounts.balance(user),
        slots=house.memory.slots(who),
    )  # fmt: skip


def _bond(user: str, character: str) -> Any:  # noqa: ANN401 - a bond
    from gieok.capabilities.character.service import Bond

    return Bond(user, character)


VIEWS: dict[str, Callable[[Seen], Response]] = {
    "/": search,
    "/hits": hits,
    "/memories": memories,
    "/m/{handle:path}": memory,
    "/timeline": timeline,
    "/injection": injection,
    "/characters": characters,
    "/characters/{user}/{character}": bond,
    "/code": code,
    "/code/map.svg": code_map,
    "/status": health,
}
