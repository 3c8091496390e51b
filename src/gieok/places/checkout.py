"""Git checkouts: their tops, the folders in which Git keeps them, whose they are."""

import os
import zlib

#: Characters that are read of a file that names a path.
_MOST_PATH_CHARS = 4_096


def find_repository_top(start: str) -> str:
    """Return the top of the Git repository of a folder; the folder itself outside a repository."""
    folder = start = os.path.realpath(start)
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return start
    return folder


def git_folder(top: str) -> str:
    """Return the folder in which Git keeps a checkout: `.git`, or the target of a `.git` file.

    '' where there is none.
    """
    marker = os.path.join(top, ".git")
    if not os.path.isfile(marker):
        return marker if os.path.isdir(marker) else ""
    try:
        with open(marker, encoding="utf-8", errors="surrogateescape") as opened:
            named = opened.read(_MOST_PATH_CHARS).partition("gitdir:")[2].strip()
    except OSError:
        return ""
    return os.path.join(top, named) if named else ""


def common_folder(top: str) -> str:
    """Return the folder that stands for all worktrees of a repository.

    This is the main checkout, or the folder of a bare repository. Only a linked worktree names a
    common folder (gitrepository-layout, `commondir`): a submodule and a clone that shares objects
    stand for themselves, and so does a folder that is not the user's.
    """
    linked = git_folder(top)
    if not linked:
        return top
    try:
        with open(
            os.path.join(linked, "commondir"), encoding="utf-8", errors="surrogateescape"
        ) as opened:
            shared = os.path.realpath(os.path.join(linked, opened.read(_MOST_PATH_CHARS).strip()))
    except OSError:
        return top
    if not os.path.isdir(shared) or not is_owned(shared):
        return top
    return os.path.dirname(shared) if os.path.basename(shared).startswith(".") else shared


def first_event(top: str) -> str:
    """Return the checksum of the first line of Git's HEAD log; '' where none is known.

    The line says when and by whom this repository was made. The log moves with the folder, and
    differs in every clone. Git drops old lines in time, so the checksum is compared while it is
    fresh.
    """
    folder = git_folder(top) or top  # a bare repository is its own
    try:
        with open(os.path.join(folder, "logs", "HEAD"), "rb") as log:
            line = log.readline(_MOST_PATH_CHARS)
    except OSError:
        return ""
    return f"{zlib.crc32(line):08x}{zlib.adler32(line):08x}" if line else ""


def is_owned(marker: str) -> bool:
    """Return whether a folder belongs to the user or to root.

    In a shared folder anyone could otherwise adopt everything below by placing a marker.
    """
    if not hasattr(os, "getuid"):
        return True
    # As Git does: with sudo, the folders of the calling user are no stranger's.
    caller = os.environ.get("SUDO_UID", "") if os.getuid() == 0 else ""
    return str(os.stat(marker).st_uid) in (str(os.getuid()), "0", caller)
