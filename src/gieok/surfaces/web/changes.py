"""What a person changes from the pages: each is a command, and says what came of it."""

from collections.abc import Callable
from urllib.parse import quote

from starlette.responses import Response

from gieok.errors import GieokError
from gieok.ops import operation
from gieok.ops.operation import Style
from gieok.surfaces.web.site import Seen
from gieok.surfaces.web.views.code import sync
from gieok.surfaces.web.views.talk import CHANGES as OF_TALK


def remember(seen: Seen) -> Response:
    """Keep a sentence, and show that it is found."""
    text = seen.sent("text")
    try:
        kept = seen.memory.add(text)
    except GieokError as error:
        return seen.failed("search.html", error, question=text, hits=[], degraded=None, empty=False)
    return seen.back_to(f"/?q={quote(kept.title)}&told={quote(seen.words('Remembered.', '기억했습니다.'))}")


def edit(seen: Seen) -> Response:
    """Correct a memory; the page that follows can undo it."""
    handle = seen.request.path_params["handle"]
    try:
        made = seen.memory.run("edit", handle=handle, text=[seen.sent("text")])
    except GieokError as error:
        return seen.failed("memory.html", error, handle=handle)
    told = seen.words("Corrected.", "고쳤습니다.")
    return seen.back_to(f"/m/{made.handle}?told={quote(told)}&undo={quote(made.before)}")


def forget(seen: Seen) -> Response:
    """Ask once more with all that would go, then forget."""
    handles = [one for one in seen.form.get("handle", []) if one]
    try:
        if not handles:
            return seen.back_to("/memories")
        found = seen.memory.run("forget", handles=handles, yes=bool(seen.sent("yes")), dry_run=not seen.sent("yes"))
    except GieokError as error:
        return seen.failed("memory.html", error, handle=", ".join(handles))
    if not seen.sent("yes"):
        plan = operation("forget").present(found, Style(seen.lang, colour=False))
        return seen.page("forget.html", handles=handles, plan=plan)
    return seen.back_to(f"/memories?told={quote(seen.words('Forgotten for good.', '완전히 잊었습니다.'))}")


def answer(seen: Seen) -> Response:
    """Approve or reject what an archive waits for."""
    verb = seen.request.path_params["verb"]
    try:
        seen.memory.run(f"archive {verb}", names=[seen.sent("what")])
    except GieokError as error:
        return seen.back_to(f"/status?told={quote(str(error))}")
    return seen.back_to(f"/status?told={quote(seen.words('Done.', '했습니다.'))}")


CHANGES: dict[str, Callable[[Seen], Response]] = {
    "/remember": remember,
    "/m/{handle:path}/edit": edit,
    "/forget": forget,
    "/archive/{verb}": answer,
    "/code/sync": sync,
    **OF_TALK,
}
