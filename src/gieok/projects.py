"""Writer of the known project folders, which `gieok.places.project` reads.

By these folders a project that is moved keeps its memory.
"""

import json
import os
from pathlib import Path

from gieok import fs
from gieok.places.checkout import common_folder, first_event
from gieok.places.home import projects_file
from gieok.places.project import KnownProject, known_projects, moved_from, scope_among
from gieok.settings import grants


def know(home: Path, folder: str) -> str:
    """Register the folder of a project, or of its worktree; return the scope of its memory.

    `folder` is a result of `find_workplace`, or a worktree of it. Where the project was
    moved there, the trust of its user moves along: content is trusted, not paths.
    """
    top = os.path.realpath(folder)
    root = common_folder(top)
    known = known_projects(str(home))
    scope = scope_among(known, root)
    projects = [KnownProject(one, scope, first_event(root)) for one in dict.fromkeys((root, top))]
    if all(_is_same_project(known.get(one.root), one) for one in projects):
        return scope
    with fs.lock_resource(home, Path(projects_file(str(home)))):
        known = known_projects(str(home))
        before = moved_from(known, root) if root not in known else None
        forgotten = known[root].event if root in known and known[root].scope == scope else ""
        scope = scope_among(known, root)
        for one in projects:
            known.pop(one.root, None)  # the last one is where it was seen last
            known[one.root] = KnownProject(one.root, scope, one.event)
        if forgotten:  # Git dropped the first event: where else it was seen, that was this one too
            event = first_event(root)
            known = {
                name: KnownProject(
                    one.root, one.scope, event if one.event == forgotten else one.event
                )
                for name, one in known.items()
            }
        _write_known_projects(home, known)
        if before is not None:
            grants.move_grant(home, before.root, root)
    return scope


def _is_same_project(held: KnownProject | None, wanted: KnownProject) -> bool:
    return held is not None and (held.scope, held.event) == (wanted.scope, wanted.event)


def _write_known_projects(home: Path, known: dict[str, KnownProject]) -> None:
    rows = [[project.root, project.scope, project.event] for project in known.values()]
    text = json.dumps(rows, ensure_ascii=False, indent=0)
    fs.replace_private(Path(projects_file(str(home))), text.encode("utf-8", "surrogateescape"))
