"""Names of files and folders without secrets: still one name for one file, and the same one every time."""

import hashlib
from functools import cache
from pathlib import PurePosixPath

from gieok.text.redact import redact

_AS_BLANKS = str.maketrans("-_+", "   ")
#: What tells names apart says little about the secret: 16 bits, each guess of which costs a tenth of a second.
_MARK_HEX = 4
_ROUNDS = 200_000


def named(path: str) -> str:
    """Return a path with `/` whose names hold no secret. A name that had one ends in `~` and a mark of its own."""
    everything = f"{path}\n{path.translate(_AS_BLANKS)}"
    if redact(everything) == everything:
        return path
    clean = "/".join(map(_part, path.split("/")))
    return clean if clean != path or redact(path) == path else f"{redact(path)}~{_mark(path)}"


def _part(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    stem = name.removesuffix(suffix)
    spoken = stem.translate(_AS_BLANKS)  # as Gieok itself makes names of titles
    clean = redact(stem)
    if clean == stem:
        clean = redact(spoken)
    return name if clean in (stem, spoken) else f"{clean}~{_mark(name)}{suffix}"


@cache
def _mark(name: str) -> str:
    data = name.encode("utf-8", "surrogatepass")
    return hashlib.pbkdf2_hmac("sha256", data, b"gieok", _ROUNDS).hex()[:_MARK_HEX]
