"""Folder whose memory a session has: a project, or the top of a Git repository."""

import os

from gieok.places.checkout import common_folder, find_repository_top, is_owned
from gieok.places.home import PROJECT_FOLDER, own_folders


def project_root(start: str, holding: str = "") -> str:
    """Return the nearest folder at or above `start` that has a `.gieok` folder; '' for none.

    Links are followed. `holding` is a path that the `.gieok` folder must hold too. Without
    `holding`, a folder of a worktree stands for the same folder of its repository's main checkout,
    where that is a project: all worktrees have one memory. A folder that holds the user's own
    memory is no project, whatever lies in it.
    """
    folder = os.path.realpath(start)
    project = ""
    while True:
        if not project and _is_marked(folder, holding):
            project = folder
        above = os.path.dirname(folder)
        # a repository is never part of a project around it
        if os.path.lexists(os.path.join(folder, ".git")):
            return project if holding else _in_main_checkout(folder, project)
        if above == folder or (project and holding):
            return project
        folder = above


def _in_main_checkout(top: str, found: str) -> str:
    """Return the project of a worktree: the same folder of the main checkout if that is a project.

    Otherwise the folder that was found.
    """
    shared = common_folder(top)
    if shared == top:
        return found
    same = os.path.normpath(os.path.join(shared, os.path.relpath(found or top, top)))
    return next((folder for folder in (same, shared) if _is_marked(folder, "")), found)


def _is_marked(folder: str, holding: str) -> bool:
    marker = os.path.join(folder, PROJECT_FOLDER)
    is_there = os.path.isdir(marker) and os.path.exists(os.path.join(marker, holding))
    if not is_there:
        return False
    own = own_folders()
    return folder not in own and os.path.realpath(marker) not in own and is_owned(marker)


def find_workplace(start: str) -> str:
    """Return the folder whose memory a session in `start` has; '' for none.

    This is the project's folder, else the top of its Git repository. All worktrees of a repository
    have one memory. A repository that is the home folder (of dotfiles), or that contains the home
    folder, makes no project of all that lies in it.
    """
    if root := project_root(start):
        return root
    top, home = find_repository_top(start), os.path.realpath(os.path.expanduser("~"))
    marker = os.path.join(top, ".git")
    if (
        not os.path.lexists(marker)
        or os.path.commonpath((top, home)) == top
        or not is_owned(marker)
    ):
        return ""
    return common_folder(top)
