"""Pages of a code project: map of its parts, one part, impact of a change, age of the index."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import Response

from gieok.code.report import picture
from gieok.commands.code import overview
from gieok.commands.code.impact import find_code_impact
from gieok.commands.code.init import render_code_sync
from gieok.commands.code.project import build_freshness_note
from gieok.commands.code.status import read_code_status
from gieok.commands.code.sync import sync_code_files
from gieok.commands.command import Style
from gieok.commands.request import run_checked_command
from gieok.errors import GieokError, NotFound, NotIndexed
from gieok.home.call import Call
from gieok.surfaces.web import reach
from gieok.surfaces.web.site import PageRequest

_OF_A_PICTURE = "default-src 'none'; style-src 'unsafe-inline'"
_TARGETS = 30


def code(seen: PageRequest) -> Response:
    """Show a project, its parts, and the impact of a change where a change is asked for."""
    target = seen.asked("target")
    values: dict[str, Any] = {"target": target, "root": "", "roots": [], "impact": None}
    try:
        call, root, roots = _choose_code_project(seen)
        values |= {"root": str(root), "roots": roots, "name": root.name}
        status = run_checked_command(read_code_status, call)
        project = overview.build_project_overview(call)
    except GieokError as error:
        if isinstance(error, NotIndexed) and not seen.asked(
            "project"
        ):  # nothing went wrong: the page says how to begin
            return seen.page("code.html", **values)
        return seen.failed("code.html", error, **values)
    wrong: GieokError | None = None
    if target:
        try:
            values |= _build_impact_values(seen, call, root, target)
        except GieokError as error:
            wrong = error
    counted, stale = status.counted, build_freshness_note(status.freshness)
    values |= {
        "counted": counted,
        "freshness": status.freshness,
        "stale": stale.say(seen.lang) if stale else "",
        "watched": status.watched,
        "found": project,
        "map": _draw_code_map(seen, project.found, root),
        "legend": picture.list_legend_lines(project.found, seen.words),
        "notes": status.notes[:10],
        "kinds": sum(counted.kinds.values()),
        "label": project.found.label,
    }
    return (
        seen.page("code.html", **values)
        if wrong is None
        else seen.failed("code.html", wrong, **values)
    )


def show_code_part(seen: PageRequest) -> Response:
    """Show one part: its files, its imports, and the parts that import it."""
    try:
        call, root, roots = _choose_code_project(seen)
        code_part = overview.find_project_part(call, seen.asked("name"))
        if code_part is None:
            raise NotFound(
                "{name} has no part {part!r}",
                name=root.name,
                part=seen.asked("name"),
                hint="the map has those that there are",
            )
    except GieokError as error:
        return seen.failed("part.html", error, root="", found=None)
    return seen.page("part.html", root=str(root), roots=roots, found=code_part)


def code_map(seen: PageRequest) -> Response:
    """Return the picture of a project's parts, as an image with its own styles."""
    from gieok.commands.code.export import draw_project_picture

    try:
        drawing = draw_project_picture(_choose_code_project(seen)[0])
    except GieokError:
        return Response(status_code=404)
    return Response(
        drawing, media_type="image/svg+xml", headers={"Content-Security-Policy": _OF_A_PICTURE}
    )


def sync_code_project(seen: PageRequest) -> Response:
    """Index the changed files of a project again."""
    try:
        call, root, _ = _choose_code_project(seen, seen.sent("project"))
        result = run_checked_command(sync_code_files, call, trigger="pages", no_wait=True)
    except GieokError as error:
        return seen.failed("code.html", error, target="", root="", roots=[], impact=None)
    style_words = render_code_sync(result, Style(seen.lang, colour=False)).splitlines()
    notice = style_words[0] if style_words else ""
    return seen.back_to(f"/code?project={quote(str(root))}&told={quote(notice)}")


def _choose_code_project(seen: PageRequest, asked: str = "") -> tuple[Call, Path, list[Path]]:
    """Return the call of the chosen project, its folder, and all indexed projects.

    Raises NotIndexed.
    """
    call = seen.memory.call
    roots = overview.list_indexed_projects(call)
    asked = asked or seen.asked("project")
    root = next(
        (project for project in roots if str(project) == asked),
        roots[0] if roots and not asked else None,
    )
    if root is None:
        raise NotIndexed(
            "no project is indexed" if not asked else "{asked!r} is no indexed project",
            asked=asked,
            hint="run `gieok code init` in its folder",
        )
    return replace(call, caller=call.caller._replace(folder=root)), root, roots


def _format_impact_address(root: Path, target: str) -> str:
    return f"/code?project={quote(str(root))}&target={quote(target)}#impact"


# A structure.
def _draw_code_map(seen: PageRequest, found: Any, root: Path) -> Markup:  # noqa: ANN401
    link = f"/code/part?project={quote(str(root))}&name="
    # Safe as markup: the function that draws the picture escapes its texts.
    return Markup(picture.svg(found, root.name, lambda name: link + quote(name), seen.words))  # noqa: S704


def _build_impact_values(seen: PageRequest, call: Call, root: Path, target: str) -> dict[str, Any]:
    result = run_checked_command(find_code_impact, call, target=target, limit=0)
    files = list(dict.fromkeys(test.path for test in result.tests))
    return {
        "impact": result,
        "drawn": reach.draw_impact_reach(
            result,
            Style(seen.lang, colour=False),
            lambda key: _format_impact_address(root, key.replace("::", ":", 1)),
        ),
        "tests": result.tests[:_TARGETS],
        "test_files": files,
        "command": result.run.command,
        "stepwise": result.symbols[:_TARGETS],
    }
