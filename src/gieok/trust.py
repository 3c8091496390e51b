"""What a person trusts of a project that others can write to, as the prompt hook reads it.

A grant is a file in the home folder, one for each project's real path: a repository cannot carry
it. Its first line is JSON (`project`, `at`, `settings`), each other line a record's name and the
sum of its content. `gieok.grants` writes it.

Standard library without `pathlib`, `hashlib` and others that are slow to import: see
`gieok.places`.
"""

import json
import os
import stat
import zlib

from gieok import places

#: Settings are some lines; nobody reads through more before trusting them.
LARGEST_SETTINGS_BYTES = 100_000


def grant_file(home: str, root: str) -> str:
    """Return where the grant of a project's folder is. Two paths of one name are told apart by what
    the file says.
    """
    path = os.path.realpath(root).encode("utf-8", "surrogateescape")
    return os.path.join(home, "trust", f"{zlib.crc32(path):08x}{zlib.adler32(path):08x}.jsonl")


def adopted_file(home: str) -> str:
    """Return the file that is there once what was remembered before there was trust has been taken
    over.
    """
    return os.path.join(home, "trust", ".adopted")


def header(home: str, root: str) -> dict[str, object]:
    """Return the first line of a project's grant; empty where nothing of it was ever trusted in
    this place.
    """
    if is_carried(home, root):
        return {}
    try:
        with open(grant_file(home, root), encoding="utf-8") as opened:
            found = json.loads(opened.readline())
    except (OSError, ValueError):
        return {}
    return (
        found if isinstance(found, dict) and found.get("project") == os.path.realpath(root) else {}
    )


def is_carried(home: str, root: str) -> bool:
    """Say whether the home folder lies in a project, which could then bring its own grant along."""
    folder = os.path.realpath(home)
    return folder.startswith(os.path.join(os.path.realpath(root), ""))


def trusted_on(home: str, root: str) -> str:
    """Return the day on which a person last trusted what a project brought along; '' for never."""
    return str(header(home, root).get("at") or "")


def settings(home: str, root: str) -> str:
    """Return the text of a project's settings; '' unless it is the very text that was trusted."""
    trusted = header(home, root).get("settings")
    return trusted if isinstance(trusted, str) and trusted == settings_text(root) else ""


def settings_file(root: str) -> str:
    """Return where a project's settings are."""
    return os.path.join(root, places.PROJECT_FOLDER, "config.yaml")


def settings_text(root: str) -> str | None:
    """Return what stands in a project's settings; None where there is no regular file, or it is too
    large.
    """
    file = settings_file(root)
    # A link may lead anywhere, and to open a pipe may take for ever.
    if os.path.dirname(os.path.realpath(file)) != os.path.realpath(os.path.dirname(file)):
        return None
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_SETTINGS_BYTES:
            return None
        data = os.read(handle, LARGEST_SETTINGS_BYTES + 1)
    except OSError:
        return None
    finally:
        os.close(handle)
    return data.decode("utf-8-sig", "surrogateescape")
