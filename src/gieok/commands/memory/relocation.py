"""Follows a project whose folder was renamed or moved: its index entries and its trust."""

import json
import os

from gieok import projects
from gieok.flow.durable import DurableNotes
from gieok.home.call import Call
from gieok.memory.exchange.scope_moves import Repointing
from gieok.memory.files import roots
from gieok.model.memory import Scope
from gieok.places.project import known_projects
from gieok.ports.store import Store


def follow_project(call: Call, root: str, store: Store) -> None:
    """Register the folder of a project; a moved project is indexed there from now on.

    Only folders that are gone count as moved: what lies at an old place again is somebody else's.
    """
    if not root or call.is_scope_named:
        return
    scope = Scope(projects.know(call.home.folder, root))
    known = known_projects(str(call.home.folder)).values()
    # `os.path.exists`, because a root is text.
    left = [
        project.root
        for project in known
        if project.scope == scope.path and project.root != root and not os.path.exists(project.root)  # noqa: PTH110
    ]
    if left:
        notes = DurableNotes(call.home.journal, store)
        for old in left:
            _repoint_roots(notes, scope, Repointing(old, root))


def _repoint_roots(notes: DurableNotes, scope: Scope, where: Repointing) -> None:
    if not any(
        where.path(str(root.path)) != str(root.path) for root in roots.load_roots(notes, scope)
    ):
        return

    def moved(raw: str) -> str:
        """Return the roots at their new places; one that is followed there already is not followed
        twice.
        """
        rows = [where.value(row) for row in json.loads(raw or "[]")]
        return json.dumps(list({row["path"]: row for row in reversed(rows)}.values())[::-1])

    notes.update_note(scope, roots.NOTE, moved)
