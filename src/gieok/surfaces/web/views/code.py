"""A project: its parts as a picture, and what a change may break."""

from typing import Any

from starlette.responses import Response

from gieok.errors import GieokError
from gieok.ops import operation
from gieok.ops.operation import Style
from gieok.surfaces.web.site import Seen

_OF_A_PICTURE = "default-src 'none'; style-src 'unsafe-inline'"


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
