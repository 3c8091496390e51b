"""Paths of Gieok's home and of projects, as text.

Standard library without `pathlib`, which is too slow for the hook.
"""

import json
import os
import re
import time
import zlib

HOME_VARIABLE = "GIEOK_HOME"
#: The folder that marks a project, and holds Gieok's files for it.
PROJECT_FOLDER = ".gieok"
#: The user's own scope, before anything is configured.
USER_SCOPE = "agent:main"
#: Conversations are kept under this name, beside the names of indexed folders:
#: `sessions/<agent>/<file>`.
SESSIONS = "sessions"
#: Ends the key of a statement about the user that was made in a project and is kept in the user's
#: scope too.
PROMOTED = "/user"
#: Scopes of content that existed before Gieok: agents' own memory, instruction files, commits.
SEEDS = "seeds"
#: The value of the setting `zone` that means the machine's.
AUTO_ZONE = "auto"
_FADES_S = 120 * 86_400
_BROUGHT = "/from:repository"
#: A file in the home folder, there since `gieok down` until `gieok up` or `gieok install`: somebody
#: wants no daemon.
DAEMON_DOWN = "daemon.down"
#: Environment variable of an agent's command that Gieok calls as a model: the agent's hooks stay
#: silent.
OWN_RUN = "GIEOK_OWN_RUN"
#: Folder in the home with the records of scopes that programs made, one subfolder each.
_OWN_SCOPES = "scopes"
#: Characters that are read of a file that names a path.
_MOST_PATH_CHARS = 4_096
_NOT_IN_SCOPE = re.compile(r"[\s/:]+")

#: Pattern of a typed handle: the first digits are enough if no other memory has them; `.3` is the
#: third line of the memory.
HANDLE_PATTERN = r"([0-9a-f]{4,8})(?:\.([1-9]\d{0,5}))?"

#: A scope: `kind:name` parts, joined by `/`.
SCOPE_PATTERN = r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*"


def build_home_path() -> str:
    """Return the absolute path of Gieok's home folder; it may not exist yet."""
    return os.path.abspath(
        os.path.expanduser(os.environ.get(HOME_VARIABLE) or os.path.join("~", PROJECT_FOLDER))
    )


def set_process_zone(name: str) -> None:
    """Set the time zone of this process; does nothing for `auto`, or if a system cannot.

    For programs of Gieok alone: a program that opens a memory keeps its own clock.
    """
    if name != AUTO_ZONE and hasattr(time, "tzset"):
        os.environ["TZ"] = name
        time.tzset()


def own_folders() -> set[str]:
    """Return the real paths of `.gieok` folders that hold the user's own memory.

    These folders mark no project.
    """
    return {
        os.path.realpath(build_home_path()),
        os.path.realpath(os.path.expanduser(os.path.join("~", PROJECT_FOLDER))),
    }


def project_root(start: str, holding: str = "") -> str:
    """Return the nearest folder at or above `start` that has a `.gieok` folder; '' for none.

    Links are followed. `holding` is a path that the `.gieok` folder must hold too. Without
    `holding`, a folder of a worktree stands for the same folder of its repository's main checkout,
    where that is a project: all worktrees have one memory.
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
    return is_there and os.path.realpath(marker) not in own_folders() and is_owned(marker)


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


def build_active_memory_path(home: str, scope: str) -> str:
    """Return the default file of a scope's active memory; the user's own has the plain name."""
    suffix = "" if scope == USER_SCOPE else "-" + "".join(c if c.isalnum() else "-" for c in scope)
    return os.path.join(home, f"active_memory{suffix}.md")


def scope_folder(scope: str) -> str:
    """Return the folder name of a scope, legal on every system.

    The name is the scope's readable text and a checksum, because the readable texts of many scopes
    are alike.
    """
    name = "".join(c if c.isalnum() else "-" for c in scope)[:60]
    return (
        name
        if scope == USER_SCOPE
        else f"{name}-{zlib.crc32(scope.encode('utf-8', 'surrogateescape')):08x}"
    )


def records_folder(home: str, scope: str) -> str:
    """Return the folder of the records of a scope that a program made.

    Such a scope is neither the user's own nor a project's.
    """
    return os.path.join(home, _OWN_SCOPES, scope_folder(scope))


def is_records_folder(home: str, folder: str) -> bool:
    """Return whether a folder holds records of the user, of a project, or of a program's scope."""
    is_programs = os.path.dirname(folder) == os.path.join(home, _OWN_SCOPES)
    return folder == home or is_programs or os.path.basename(folder) == PROJECT_FOLDER


def lasting_file(home: str, scope: str) -> str:
    """Return the file that names the turns of a scope that state something lasting."""
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.json")


def rules_file(home: str, scope: str) -> str:
    """Return the file that names the turns of a scope in which the user states binding rules."""
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.rules")


#: A row of `replaced_file`: the claim (key, line, place, length, checksum), the claim that holds
#: instead (scope, key, line, place, length, checksum), and since when.
CLAIM_FIELDS = 12


def replaced_file(home: str, scope: str) -> str:
    """Return the file that names the claims of a scope that no longer hold."""
    return os.path.join(home, "lasting", f"{_checksum_scope(scope)}.replaced")


def _checksum_scope(scope: str) -> str:
    data = scope.encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def line_check(text: str) -> int:
    """Return the checksum that is kept with a line number, to recognise the line again.

    Another line with the same number has another checksum.
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def compute_faded_value(value: float, at_s: float, now_s: float) -> float:
    """Return a value decayed to a time: half of it after four months."""
    return float(value * 0.5 ** (max(0.0, now_s - at_s) / _FADES_S))


def is_owned(marker: str) -> bool:
    """Return whether a folder belongs to the user or to root.

    In a shared folder anyone could otherwise adopt everything below by placing a marker.
    """
    if not hasattr(os, "getuid"):
        return True
    # As Git does: with sudo, the folders of the calling user are no stranger's.
    caller = os.environ.get("SUDO_UID", "") if os.getuid() == 0 else ""
    return str(os.stat(marker).st_uid) in (str(os.getuid()), "0", caller)


class KnownProject:
    """Known project: its folder, its scope, and its repository's `first_event` when last seen."""

    __slots__ = ("event", "root", "scope")

    def __init__(self, root: str, scope: str, event: str) -> None:
        self.root = root
        self.scope = scope
        self.event = event


def projects_file(home: str) -> str:
    """Return the file of known project folders, written by `gieok.projects`."""
    return os.path.join(home, "projects.json")


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
    name = _NOT_IN_SCOPE.sub(
        "-", re.split(r"[/\\]", path.rstrip("/\\"))[-1].encode("utf-8", "backslashreplace").decode()
    )
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


def repository_scope(scope: str) -> str:
    """Return the scope of a repository's own content.

    The scope is searched with the project's, and never injected.
    """
    return f"{scope}{_BROUGHT}"


def is_brought(scope: str) -> bool:
    """Return whether a scope is a `repository_scope`."""
    return scope.endswith(_BROUGHT)


def is_served(scope: str) -> bool:
    """Return whether a scope belongs to a service of characters.

    The service learns from its own conversations, which stay as they are.
    """
    return scope.startswith("character:") or "/character:" in scope or "/canon:" in scope


def list_project_scopes(root: str, also: str) -> list[str]:
    """Return the scopes to read in a project's folder: its own, then those of `also`.

    The folder is '' for none; `also` is joined by commas. A conversation in a repository belongs to
    the repository's own scope, which is read there even if nobody made the repository a project
    (`find_workplace`).
    """
    own = [project_scope(root)] if root else []
    return list(dict.fromkeys((*own, *filter(None, (name.strip() for name in also.split(","))))))


def build_handle(scope: str, key: str, line: int = 0) -> str:
    """Return the short name of a document, such as `3fa9c01e`, or of one of its lines.

    Lines count from 1: `3fa9c01e.4`. A handle follows from scope and key alone, so nothing is
    stored for it. CRC-32 is used rather than a hash of `hashlib`, which costs the hook a
    millisecond to import: two of 10,000 documents share a handle in 1 % of all memories. Code that
    resolves a handle names every document that fits.
    """
    digits = f"{zlib.crc32(f'{scope}{chr(0)}{key}'.encode('utf-8', 'surrogatepass')):08x}"
    return f"{digits}.{line}" if line else digits
