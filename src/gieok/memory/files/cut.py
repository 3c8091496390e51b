"""How notes become passages, in a module of its own so that a search does not load the chunker."""

from datetime import UTC, tzinfo
from typing import NamedTuple


class Cut(NamedTuple):
    """Sizes of passages, which are part of the stored shape, and the zone in which days in notes
    end.
    """

    budget_tokens: int = 400
    overlap_tokens: int = 80
    zone: tzinfo = UTC
