"""Records of claims: where one stands, what replaced it, and since when it holds no more.

A claim is a sentence of a line, or a fact of one that tells several: of a user's turn, of an
observation, of a note or record. The claim ends and never the passage around it, which may hold
nine other claims. A record names its claim (key, line, place in the line, checksum) and holds no
text, so forgotten text is in none, and a line that has changed since is not marked.
"""

from typing import NamedTuple


class Claim(NamedTuple):
    """Sentence: document, line (from 1), place in the line, checksum, time said (Unix seconds)."""

    key: str
    line: int
    start: int
    length: int
    check: int
    at: int


class ClaimLink(NamedTuple):
    """Claim that a later claim surely replaced, at a time in Unix seconds.

    `takes_back`: the later claim cancels the earlier one and has no value of its own.
    """

    old: Claim
    new: Claim
    takes_back: bool
    at: int


class ClaimEnd(NamedTuple):
    """Claim that holds no more: its replacement, and since when, in Unix seconds.

    The replacement is None for a claim that ended by itself.
    """

    old: Claim
    by: Claim | None
    at: int
