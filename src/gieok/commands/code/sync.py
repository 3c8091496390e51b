"""`gieok code sync`: bring the index in line with the files."""

from collections.abc import Sequence
from typing import Annotated

from gieok.code.index.project import Project, inside
from gieok.commands.code.init import CodeSyncResult, render_code_sync, sync_project_index
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Effect, Parameter, command
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words


@command(
    "code sync",
    Words("Read what changed in the project's files again"),
    present=render_code_sync,
    when_stopped=Words("what was read is kept; `gieok code sync` goes on"),
    examples=("gieok code sync", "gieok code sync src/shop/order.py"),
    effect=Effect.WRITE,
)
def sync_code_files(
    call: Call,
    *,
    file: Annotated[
        Sequence[str],
        Parameter(
            Words("only these files (default: whatever changed)"),
            positional=True,
            also=("--file",),
        ),
    ] = (),
    trigger: Annotated[str, Parameter(Words("reason to write into the log"))] = "sync",
    no_wait: Annotated[bool, Parameter(Words("do not wait for vectors"))] = False,
) -> CodeSyncResult:
    """Sync once."""
    project = open_current_project(call)
    only = [_find_syncable_path(call, project, name) for name in file]
    return sync_project_index(call, project, trigger, only=only, wait=not no_wait)


def _find_syncable_path(call: Call, project: Project, name: str) -> str:
    """Return the path of a file that exists or is indexed."""
    path = inside(project, name, call.caller.folder)
    if path in project.store.files() or (project.root / path).exists():
        return path
    raise BadRequest(
        "there is no file {name!r}, and none is indexed",
        name=name,
        hint="`gieok code sync` alone reads whatever changed",
    )
