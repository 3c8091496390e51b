"""Folders of sessions that a test writes down."""

from collections.abc import Mapping

from gieok.memory.capture.session_folders import SessionFolders
from gieok.model.memory import Scope


class KnownFolders(SessionFolders):
    """Projects by the ends of their folders."""

    def __init__(self, scopes: Mapping[str, Scope]) -> None:
        self._scopes = scopes

    def find_project_scope(self, folder: str) -> Scope | None:
        return next((scope for end, scope in self._scopes.items() if folder.endswith(end)), None)
