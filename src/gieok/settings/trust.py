"""The content of shared projects that a person trusts, as the prompt hook reads it.

A grant is a file in the home folder, one for each project's real path: a repository cannot bring a
grant along. The first line of the file is JSON (`project`, `at`, `settings`); each further line is
the name of a record and the checksum of its content. `gieok.settings.grants` writes the file.

Standard library without `pathlib`, `hashlib` and others that are slow to import: see
`gieok.places`.
"""

import json
import os
import stat
import zlib

from gieok.places.home import PROJECT_FOLDER

#: Largest settings file: settings are some lines, and nobody reads more before trusting them.
LARGEST_SETTINGS_BYTES = 100_000


def grant_file(home: str, root: str) -> str:
    """Return the path of the grant for a project's folder.

    Where two projects have the same file name, the content of the file says which project it is
    for.
    """
    path = os.path.realpath(root).encode("utf-8", "surrogateescape")
    return os.path.join(home, "trust", f"{zlib.crc32(path):08x}{zlib.adler32(path):08x}.jsonl")


def adopted_file(home: str) -> str:
    """Return the path of the file that marks the migration to trust as done.

    The migration grants trust to memories from before trust was introduced.
    """
    return os.path.join(home, "trust", ".adopted")


def header(home: str, root: str) -> dict[str, object]:
    """Return the first line of a project's grant; {} where the project was never trusted here."""
    if is_carried(home, root):
        return {}
    try:
        with open(grant_file(home, root), encoding="utf-8") as opened:
            grant = json.loads(opened.readline())
    except (OSError, ValueError):
        return {}
    return (
        grant if isinstance(grant, dict) and grant.get("project") == os.path.realpath(root) else {}
    )


def is_carried(home: str, root: str) -> bool:
    """Return whether the home folder lies inside of a project.

    Such a project could bring its own grant along.
    """
    folder = os.path.realpath(home)
    return folder.startswith(os.path.join(os.path.realpath(root), ""))


def trusted_on(home: str, root: str) -> str:
    """Return the day on which a person last trusted a project's content; '' for never."""
    return str(header(home, root).get("at") or "")


def settings(home: str, root: str) -> str:
    """Return the text of a project's settings; '' unless exactly this text was trusted."""
    trusted = header(home, root).get("settings")
    return trusted if isinstance(trusted, str) and trusted == settings_text(root) else ""


def settings_file(root: str) -> str:
    """Return the path of a project's settings file."""
    return os.path.join(root, PROJECT_FOLDER, "config.yaml")


def settings_text(root: str) -> str | None:
    """Return the content of a project's settings file.

    None where it is no regular file, or too large.
    """
    file = settings_file(root)
    # A symlink may lead anywhere, and opening a pipe may block for ever.
    if os.path.dirname(os.path.realpath(file)) != os.path.realpath(os.path.dirname(file)):
        return None
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SETTINGS_BYTES:
            return None
        data = os.read(handle, LARGEST_SETTINGS_BYTES + 1)
    except OSError:
        return None
    finally:
        os.close(handle)
    return data.decode("utf-8-sig", "surrogateescape")
