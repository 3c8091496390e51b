"""Known projects and the scopes of their memory; a project that moves keeps its scope."""

import json
import os
import re
import zlib

from gieok.places.checkout import common_folder, first_event
from gieok.places.home import build_home_path, projects_file

#: A string, which `re` compiles at its first use: the hook seldom needs it.
_NOT_IN_SCOPE = r"[\s/:]+"


class KnownProject:
    """Known project: its folder, its scope, and its repository's `first_event` when last seen."""

    __slots__ = ("event", "root", "scope")

    def __init__(self, root: str, scope: str, event: str) -> None:
        self.root = root
        self.scope = scope
        self.event = event


def known_projects(home: str) -> dict[str, KnownProject]:
    """Return the known projects by folder; empty where nothing can be read."""
    try:
        with open(projects_file(home), encoding="utf-8", errors="surrogateescape") as opened:
            rows = json.load(opened)
        return {str(row[0]): KnownProject(*map(str, row[:3])) for row in rows}
    except (OSError, ValueError, TypeError, IndexError):
        return {}


def project_scope(root: str) -> str:
    """Return the scope of the project in a folder: its name and a checksum of its path.

    The checksum is needed because many projects are called `app`. A folder that was moved or
    renamed keeps its earlier scope (`moved_from`); all worktrees of a repository have one scope.
    """
    return scope_among(known_projects(build_home_path()), root)


def scope_among(known: dict[str, KnownProject], root: str) -> str:
    """Return the scope of the project in a folder, by the known projects."""
    root = common_folder(os.path.realpath(root)) if os.path.isabs(root) else root
    if root in known and not _was_moved_away(known, root):
        return known[root].scope
    if before := moved_from(known, root):
        return before.scope
    scope = scope_of_path(root)
    # By a project that was here and is elsewhere now.
    is_taken = any(project.scope == scope and project.root != root for project in known.values())
    return f"{scope}-{first_event(root) or 'new'}" if is_taken else scope


def _was_moved_away(known: dict[str, KnownProject], root: str) -> bool:
    """Return whether the repository seen in a folder moved, and another repository is there now."""
    event = known[root].event
    if not event or first_event(root) == event:
        return False
    return any(
        project.event == event and first_event(project.root) == event
        for project in known.values()
        if project.root != root
    )


def moved_from(known: dict[str, KnownProject], root: str) -> KnownProject | None:
    """Return the known project that was moved to a folder; None where no project was.

    This is the project with the same `first_event` whose folder is gone: a copy of a folder that is
    still there is another project.
    """
    event = first_event(root)
    if not event:
        return None
    same = [
        project for project in known.values() if project.event == event and project.root != root
    ]
    if not same or any(
        os.path.lexists(project.root) and first_event(project.root) == event for project in same
    ):
        return None
    return same[-1]


def scope_of_path(path: str) -> str:
    """Return the scope of a project seen at a path and nowhere else.

    The path may be of another machine.
    """
    last = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    name = re.sub(_NOT_IN_SCOPE, "-", last.encode("utf-8", "backslashreplace").decode())
    return f"project:{name or 'root'}-{zlib.crc32(path.encode('utf-8', 'surrogateescape')):08x}"


def gone_scope(folder: str) -> str:
    """Return the scope of a project whose folder is gone: that of the last seen folder around
    it.
    """
    known = known_projects(build_home_path())
    around = max(
        (root for root in known if folder == root or folder.startswith(root + os.sep)),
        key=len,
        default="",
    )
    return known[around].scope if around else scope_of_path(folder)


def list_project_scopes(root: str, also: str) -> list[str]:
    """Return the scopes to read in a project's folder: its own, then those of `also`.

    The folder is '' for none; `also` is joined by commas. A conversation in a repository belongs to
    the repository's own scope, which is read there even if nobody made the repository a project
    (`find_workplace`).
    """
    own = [project_scope(root)] if root else []
    return list(dict.fromkeys((*own, *filter(None, (name.strip() for name in also.split(","))))))
