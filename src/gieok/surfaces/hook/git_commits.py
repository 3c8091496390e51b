"""The user's recent commits, which a session begins with where there was none before.

The commits come from this machine's own log of the repository (`.git/logs/HEAD`, which no clone and
no pull brings along), and only those of the person named by the user's own Git settings: history
that others wrote is put before no agent by itself.
"""

import os
import re
import time

from gieok.places.checkout import find_repository_top, git_folder, is_owned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_READ_BYTES = 65_536
_SETTINGS = (".gitconfig", os.path.join(".config", "git", "config"))
_LINE = re.compile(
    r"[0-9a-f]{40,64} [0-9a-f]{40,64} [^<>]{0,200}<([^<>]{1,200})> (\d{1,12}) [+-]\d{4}"
    r"\tcommit(?: \((?:initial|amend)\))?: (.+)"
)
_EMAIL = re.compile(r"\s*email\s*=\s*\"?([^\s\"]+)\"?\s*")
#: Likely a key.
_TOKEN = re.compile(r"(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}")


def committed(folder: str, most: int) -> "list[tuple[str, str]]":
    """Return (day, title) of the user's newest commits in a folder's repository, newest first.

    Raises OSError.
    """
    marker = os.path.join(find_repository_top(folder), ".git")
    mine = set(_iter_commit_emails(os.path.expanduser("~")))
    if not mine or not os.path.lexists(marker) or not is_owned(marker):
        return []
    commits: dict[str, str] = {}
    for line in reversed(_read_head_log(marker).splitlines()):
        entry = _LINE.fullmatch(line)
        if (
            entry
            and entry[1].lower() in mine
            and not _TOKEN.search(entry[3])
            and entry[3] not in commits
        ):
            commits[entry[3]] = time.strftime("%Y-%m-%d", time.localtime(int(entry[2])))
            if len(commits) == most:
                break
    return [(day, title) for title, day in commits.items()]


def _read_head_log(marker: str) -> str:
    """Return the end of the reflog of HEAD; a worktree has a reflog of its own."""
    folder = git_folder(os.path.dirname(marker)) or marker
    try:
        with open(os.path.join(folder, "logs", "HEAD"), "rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _READ_BYTES))
            return log.read(_READ_BYTES).decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _iter_commit_emails(user: str) -> "Iterator[str]":
    """Yield the mail addresses under which the user commits."""
    for name in _SETTINGS:
        try:
            with open(os.path.join(user, name), encoding="utf-8", errors="replace") as stream:
                lines = stream.read(_READ_BYTES).splitlines()
        except OSError:
            continue
        section = ""
        for line in lines:
            if line.lstrip().startswith("["):
                section = line.strip().lower()
            elif section == "[user]" and (email := _EMAIL.fullmatch(line)):
                yield email[1].lower()
