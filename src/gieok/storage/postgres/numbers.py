"""Numbers made of names, so that no table of next numbers and no look-up is needed.

Standard library only.
"""

from hashlib import blake2b


def scope_number(path: str) -> int:
    """Return the number of a scope: 64 bits of a hash of its path."""
    return number_of("scope", path)


def lock_number(name: str) -> int:
    """Return the number of an advisory lock with this name."""
    return number_of("lock", name)


def number_of(kind: str, name: str) -> int:
    """Return 64 bits of a hash of a name of some kind."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=kind.encode())
    return int.from_bytes(digest.digest(), signed=True)
