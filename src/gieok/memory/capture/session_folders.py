"""Folders that sessions worked in."""

from gieok.model.memory import Scope


class SessionFolders:
    """Folders of which nothing is known: none belongs to a project.

    A home's folders are `gieok.home.session_folders`.
    """

    def find_project_scope(self, folder: str) -> Scope | None:  # noqa: ARG002 - none is known
        """Return the scope of the project that a folder belongs to; None outside of projects."""
        return None

    def find_folder(self, digest: str) -> str:  # noqa: ARG002 - none is known
        """Return the folder whose path has this SHA-256; '' for an unknown hash.

        Old transcripts name their folder only by this hash.
        """
        return ""
