"""Where Gieok's home and a project are, as text. Standard library without `pathlib`, which is too slow for the hook."""

import os
import re
import time
import zlib

HOME_VARIABLE = "GIEOK_HOME"
#: The folder that marks a project, and holds what is kept for it.
PROJECT_FOLDER = ".gieok"
#: The user's own scope, as it is before anything is configured.
USER_SCOPE = "agent:main"
#: Conversations are kept under this name, beside the names of indexed folders: `sessions/<agent>/<file>`.
SESSIONS = "sessions"
#: Ends the key of what was said in a project about the user, kept in their own scope too.
PROMOTED = "/user"
#: What was there before Gieok: agents' own memory, instruction files, commits.
SEEDS = "seeds"
#: The value of the setting `zone` that means the machine's.
AUTO_ZONE = "auto"
_FADES_S = 120 * 86_400
_BROUGHT = "/from:repository"
#: A file in the home folder, there since `gieok down` until `gieok up` or `gieok install`: somebody wants no daemon.
DAEMON_DOWN = "daemon.down"
#: In the environment of an agent's command that Gieok asks as a model: its hooks stay silent.
OWN_RUN = "GIEOK_OWN_RUN"
_NOT_IN_SCOPE = re.compile(r"[\s/:]+")

#: A handle as it is typed: the first digits do where no other memory has them; `.3` is its third line.
HANDLE_PATTERN = r"([0-9a-f]{4,8})(?:\.([1-9]\d{0,5}))?"

#: A scope: `kind:name` parts, joined by `/`.
SCOPE_PATTERN = r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*"


def home() -> str:
    """Return the absolute path of Gieok's home folder; it may not exist yet."""
    return os.path.abspath(os.path.expanduser(os.environ.get(HOME_VARIABLE) or os.path.join("~", PROJECT_FOLDER)))


def set_process_zone(name: str) -> None:
    """Have the clock of this process show the zone of a setting; nothing for `auto`, and where a system cannot.

    For programs of Gieok alone: a program that opens a memory keeps its own clock.
    """
    if name != AUTO_ZONE and hasattr(time, "tzset"):
        os.environ["TZ"] = name
        time.tzset()


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


def workplace(start: str) -> str:
    """Return the folder whose memory a session in `start` has: the project's, else the top of its Git repository; '' for none.

    A repository that is the home folder (of dotfiles), or around it, makes no project of all that lies in it.
    """
    if root := project_root(start):
        return root
    top, home = repository(start), os.path.realpath(os.path.expanduser("~"))
    marker = os.path.join(top, ".git")
    return top if os.path.lexists(marker) and os.path.commonpath((top, home)) != top and is_owned(marker) else ""


def active_memory(home: str, scope: str) -> str:
    """Return where active memory of a scope is written unless it is configured; the user's own has the plain name."""
    suffix = "" if scope == USER_SCOPE else "-" + "".join(c if c.isalnum() else "-" for c in scope)
    return os.path.join(home, f"active_memory{suffix}.md")


def scope_folder(scope: str) -> str:
    """Return the name of a scope's folder, legal everywhere: as it reads, and a sum, because many read alike."""
    name = "".join(c if c.isalnum() else "-" for c in scope)[:60]
    return name if scope == USER_SCOPE else f"{name}-{zlib.crc32(scope.encode('utf-8', 'surrogateescape')):08x}"


def lasting_file(home: str, scope: str) -> str:
    """Return the file that names the turns of a scope which state something lasting."""
    return os.path.join(home, "lasting", f"{_summed(scope)}.json")


def rules_file(home: str, scope: str) -> str:
    """Return the file that names the turns of a scope in which the user states rules that bind."""
    return os.path.join(home, "lasting", f"{_summed(scope)}.rules")


#: Of a row of `replaced_file`: the claim (key, line, place, length, sum), what holds instead (scope, key, line, place, length,
#: sum), since when.
CLAIM_FIELDS = 12


def replaced_file(home: str, scope: str) -> str:
    """Return the file that names the claims of a scope that hold no more."""
    return os.path.join(home, "lasting", f"{_summed(scope)}.replaced")


def _summed(scope: str) -> str:
    data = scope.encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def line_check(text: str) -> int:
    """Return the sum of a line that is named by its number, kept beside it: another line with that number is not the one."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def faded(value: float, at_s: float, now_s: float) -> float:
    """Return what a value is worth at a time: half of it after four months."""
    return float(value * 0.5 ** (max(0.0, now_s - at_s) / _FADES_S))


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


def repository_scope(scope: str) -> str:
    """Return the scope of what a project's repository brought along: searched with the project's, injected nowhere."""
    return f"{scope}{_BROUGHT}"


def is_brought(scope: str) -> bool:
    """Say whether a scope is one of `repository_scope`."""
    return scope.endswith(_BROUGHT)


def is_served(scope: str) -> bool:
    """Say whether a scope is of a service of characters: what was said there is its own to learn from, and stays as it is."""
    return scope.startswith("character:") or "/character:" in scope or "/canon:" in scope


def scopes(root: str, also: str) -> list[str]:
    """Return the scopes to read in a project's folder ('' for none): its own, then those named in `also`, by commas.

    What was said in a repository belongs to its own scope, read there though nobody made a project of it (`workplace`).
    """
    own = [project_scope(root)] if root else []
    return list(dict.fromkeys((*own, *filter(None, (name.strip() for name in also.split(","))))))


def handle(scope: str, key: str, line: int = 0) -> str:
    """Return the short name of a document, such as `3fa9c01e`, or of one of its lines (from 1): `3fa9c01e.4`.

    It follows from scope and key alone, so that nothing is kept for it. CRC-32 rather than a hash of `hashlib`, which costs the
    hook a millisecond to import: two of 10,000 documents share one in 1 % of all memories. Who resolves a handle names every
    document that it fits.
    """
    made = f"{zlib.crc32(f'{scope}{chr(0)}{key}'.encode('utf-8', 'surrogatepass')):08x}"
    return f"{made}.{line}" if line else made
