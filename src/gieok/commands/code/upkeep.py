"""Scheduled upkeep of the projects that the daemon watches: validation, and what asks for a look.

A project whose index has not changed since its last validation is passed over.
"""

from collections.abc import Callable
from pathlib import Path

from gieok.code.deepen import escalation
from gieok.code.index import watch_list
from gieok.code.index.project import Project, read_index_time
from gieok.code.model import layout
from gieok.commands.code.escalate import look_at_waiting_files
from gieok.commands.code.validate import validate_project
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.home.code import open_code_project


def validate_watched_projects(call: Call, is_stopped: Callable[[], bool]) -> str:
    """Validate each watched project that has changed; return how many, '' for none.

    Where `code.escalate_by_itself` is on, the strong model then looks at what asks for it. Raises
    the first error after the last project.
    """
    validated, failed = 0, list[GieokError]()
    for root in watch_list.list_watched_roots(call.home.folder):
        if is_stopped():
            break
        try:
            validated += _keep_project_up(call, root)
        except GieokError as error:  # the others are not delayed
            failed.append(error)
    if failed:
        raise failed[0]
    return f"validated {validated:,}" if validated else ""


def _keep_project_up(call: Call, root: Path) -> bool:
    """Validate a project where it has changed; say whether it was validated."""
    if not layout.index_file(root).exists():  # the daemon drops it from its list
        return False
    project = open_code_project(call.home, root)
    try:
        is_due = _has_changed_since_validation(project)
        if is_due:
            validate_project(call, project)
        if call.home.settings.flag("code.escalate_by_itself"):
            _look_by_itself(call, project)
        return is_due
    finally:
        project.store.close()


def _has_changed_since_validation(project: Project) -> bool:
    validated = list(layout.read_code_log(project.root, "validations"))
    return not validated or read_index_time(project) > str(validated[-1].get("at", ""))


def _look_by_itself(call: Call, project: Project) -> None:
    """Let the strong model look at what waits; nothing where none waits, or no model is set."""
    waiting = escalation.read_pending(project.root)
    asker = call.home.open_code_asker(project.root) if waiting is not None else None
    if waiting is not None and asker is not None:
        look_at_waiting_files(call, project, asker, waiting)
