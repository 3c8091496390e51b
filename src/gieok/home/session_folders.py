"""Folders that sessions worked in, of one home: their projects, and the record of them."""

import hashlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from gieok import projects
from gieok.home.home import Home
from gieok.memory.capture.session_folders import SessionFolders
from gieok.memory.exchange import scope_moves
from gieok.memory.files.seeds import SESSION_FOLDERS
from gieok.model.memory import Scope
from gieok.places.checkout import common_folder, find_repository_top
from gieok.places.project import gone_scope, project_scope
from gieok.places.workplace import find_workplace
from gieok.text.redact.names import redact_path_names


class HomeSessionFolders(SessionFolders):
    """Folders of a home's sessions; those of projects are recorded for the seeds of a memory."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._seen: set[str] = set()

    def find_project_scope(self, folder: str) -> Scope | None:
        """Return the scope of the project that a folder belongs to; None outside of projects."""
        if self._home.privacy.excludes_folder(folder):
            return None
        if folder:
            folder = scope_moves.find_moved_folder(self._home.stores.journal(), folder)
        scope = _find_project_scope(self._home.settings.home, folder)
        if scope and folder not in self._seen:
            self._record(folder)
        return scope

    def find_folder(self, digest: str) -> str:
        """Return the recorded folder whose path has this SHA-256; '' for an unknown hash."""
        for folder in self._home.stores.journal().kept(SESSION_FOLDERS):
            if hashlib.sha256(folder.encode()).hexdigest() == digest:
                return folder
        return ""

    def _record(self, folder: str) -> None:
        journal = self._home.stores.journal()
        recorded = journal.kept(SESSION_FOLDERS).keys()
        self._seen |= recorded | {folder}
        if folder not in recorded and redact_path_names(folder) == folder:
            journal.keep(SESSION_FOLDERS, {folder: ""})


def _find_project_scope(home_folder: Path, folder: str) -> Scope | None:
    """Return the scope of the project that a session worked in.

    None where the session's folder exists and is no project. A folder that is gone, or was never on
    this machine, counts as a project by its path: conversations there are not about the person.
    """
    if not folder:
        return None
    if root := find_workplace(folder):
        top = find_repository_top(folder)
        project = top if common_folder(top) == root else root
        return Scope(
            projects.know(home_folder, project)
            if redact_path_names(project) == project
            else project_scope(project)
        )
    is_path = PurePosixPath(folder).is_absolute() or PureWindowsPath(folder).is_absolute()
    return Scope(gone_scope(folder)) if is_path and not Path(folder).exists() else None
