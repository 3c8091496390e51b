"""Where Gieok's home and a project are, as text. Standard library without `pathlib`, which is too slow for the hook."""

import os
import re
import zlib

HOME_VARIABLE = "GIEOK_HOME"
#: The folder that marks a project, and holds what is kept for it.
PROJECT_FOLDER = ".gieok"
#: The user's own scope, as it is before anything is configured.
USER_SCOPE = "agent:main"
#: Conversations are kept under this name, beside the names of indexed folders: `sessions/<agent>/<file>`.
SESSIONS = "sessions"
_NOT_IN_SCOPE = re.compile(r"[\s/:]+")

#: A scope: `kind:name` parts, joined by `/`.
SCOPE_PATTERN = r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*"


def home() -> str:
    """Return the absolute path of Gieok's home folder; it may not exist yet."""
    return os.path.abspath(os.path.expanduser(os.environ.get(HOME_VARIABLE) or os.path.join("~", PROJECT_FOLDER)))


def own_folders() -> set[str]:
    """Return the real paths of folders called `.gieok` that hold the user's own memory: they mark no project."""
    return {os.path.realpath(home()), os.path.realpath(os.path.expanduser(os.path.join("~", PROJECT_FOLDER)))}


def project_root(start: str, holding: str = "") -> str:
    """Return the nearest folder at or above `start`, links followed, that has a `.gieok` folder; '' where there is none.

    `holding` is a path that the `.gieok` folder must hold too.
    """
    own = own_folders()
    folder = os.path.realpath(start)
    while True:
        marker = os.path.join(folder, PROJECT_FOLDER)
        is_marked = os.path.isdir(marker) and os.path.exists(os.path.join(marker, holding))
        if is_marked and os.path.realpath(marker) not in own and is_owned(marker):
            return folder
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return ""  # a repository is never part of a project around it
        folder = above


def repository(start: str) -> str:
    """Return the top of the Git repository that a folder is in; the folder itself where it is in none."""
    folder = start = os.path.realpath(start)
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return start
    return folder


def is_owned(marker: str) -> bool:
    """Say whether a folder is the user's, or the machine's: in a shared folder anyone could adopt all that lies below it."""
    if not hasattr(os, "getuid"):
        return True
    # As Git does: with sudo, what belongs to who called it is not a stranger's.
    caller = os.environ.get("SUDO_UID", "") if os.getuid() == 0 else ""
    return str(os.stat(marker).st_uid) in (str(os.getuid()), "0", caller)


def project_scope(root: str) -> str:
    """Return the scope of the project in a folder: its name, and a sum of its path, because many are called `app`."""
    root = os.path.realpath(root)
    name = _NOT_IN_SCOPE.sub("-", os.path.basename(root).encode("utf-8", "backslashreplace").decode()) or "root"
    return f"project:{name}-{zlib.crc32(root.encode('utf-8', 'surrogateescape')):08x}"


def scopes(root: str, also: str) -> list[str]:
    """Return the scopes to read in a project's folder ('' for none): its own, then those named in `also`, by commas."""
    own = [project_scope(root)] if root else []
    return list(dict.fromkeys((*own, *filter(None, (name.strip() for name in also.split(","))))))
