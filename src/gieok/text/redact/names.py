"""Redacts names of files and folders; the result is stable and distinct for each name."""

import hashlib
from functools import cache
from pathlib import PurePosixPath

from gieok.text.redact import redact
from gieok.text.secrets.placeholder import PLACEHOLDER

_AS_BLANKS = str.maketrans("-_+", "   ")
#: The mark that keeps names distinct reveals little: 16 bits of a hash, a tenth of a second per
#: guess.
_MARK_HEX = 4
_ROUNDS = 200_000


def redact_path_names(path: str) -> str:
    """Return a POSIX path without secrets in its names. A redacted name ends in `~` and a mark of
    its own.
    """
    everything = f"{path}\n{path.translate(_AS_BLANKS)}"
    if redact(everything) == everything:
        return path
    clean = "/".join(map(_redact_path_part, path.split("/")))
    return (
        clean
        if clean != path or redact(path) == path
        else f"{redact(path)}~{_hash_name_mark(path)}"
    )


def has_redacted_name(path: str) -> bool:
    """Say whether a name in a path may be a redacted one, which is no name of a file on disk."""
    return PLACEHOLDER.search(path) is not None


def _redact_path_part(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    stem = name.removesuffix(suffix)
    spoken = stem.translate(_AS_BLANKS)  # as Gieok makes file names of titles
    clean = redact(stem)
    if clean == stem:
        clean = redact(spoken)
    return name if clean in (stem, spoken) else f"{clean}~{_hash_name_mark(name)}{suffix}"


@cache
def _hash_name_mark(name: str) -> str:
    data = name.encode("utf-8", "surrogatepass")
    return hashlib.pbkdf2_hmac("sha256", data, b"gieok", _ROUNDS).hex()[:_MARK_HEX]
