"""Sizes of passages, in a module of their own so that a search does not load the chunker."""

from typing import NamedTuple


class Cut(NamedTuple):
    """Sizes of passages; part of the stored shape."""

    budget_tokens: int = 400
    overlap_tokens: int = 80
