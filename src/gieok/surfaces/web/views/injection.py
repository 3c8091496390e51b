"""What was put before an agent, and what a prompt would be given."""

from contextlib import suppress
from typing import Any

from starlette.responses import Response

from gieok.errors import BadRequest, GieokError
from gieok.surfaces.web.site import Seen


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
