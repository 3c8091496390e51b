"""Scheduled upkeep of the projects that the daemon watches: validation, and what asks for a look.

A project whose index has not changed since its last validation is passed over. Each project is
looked after in a child process, which is ended with the daemon and whose memory is freed.
"""

import json
import sys
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
from gieok.home.calls import open_call
from gieok.home.code import open_code_project
from gieok.processes.child import ask_child


def validate_watched_projects(call: Call, is_stopped: Callable[[], bool]) -> str:
    """Validate each watched project that has changed; return how many, and what failed where.

    Where `code.escalate_by_itself` is on, the strong model then looks at what asks for it. What
    fails waits for the next time of the job, and delays no other project.
    """
    validated, failures = 0, list[str]()
    for root in watch_list.list_watched_roots(call.home.folder):
        if is_stopped():
            break
        if not layout.index_file(root).exists():  # the daemon drops it from its list
            continue
        row = ask_child(call.home.folder, is_stopped, keep_child_project_up, str(root))
        if row is None:
            break
        if not row:
            failures.append(f"{root}: the validation ended without an answer")
        validated += row.get("validated", False)
        failures += [f"{root}: {error}"] if (error := row.get("error")) else []
    return "; ".join([*([f"validated {validated:,}"] if validated else []), *failures])


def keep_child_project_up() -> None:
    """Look after the project in the folder that is the first argument; print what came of it.

    The result is JSON.
    """
    validated, error = False, ""
    try:
        call = open_call({})
        project = open_code_project(call.home, Path(sys.argv[1]))
        if _has_changed_since_validation(project):
            validate_project(call, project)
            validated = True
        if call.home.settings.flag("code.escalate_by_itself"):
            _look_by_itself(call, project)
    except (GieokError, OSError) as failure:
        error = str(failure)
    row = {"validated": validated, "error": error}
    print(json.dumps(row), flush=True)  # noqa: T201 - for the process that started this one


def _has_changed_since_validation(project: Project) -> bool:
    validated = layout.read_last_log_row(project.root, "validations")
    return read_index_time(project) != validated.get("indexed_at")


def _look_by_itself(call: Call, project: Project) -> None:
    """Let the strong model look at what waits; nothing where none waits, or no model is set."""
    if escalation.read_pending(project.root) is None:
        return
    asker = call.home.open_code_asker(project.root)
    if asker is None:
        return
    waiting = escalation.begin_look(call.home.folder, project.root)
    if waiting is not None:
        look_at_waiting_files(call, project, asker, waiting)
