"""How files are cut into passages: plain numbers, so that a search does not load what cutting needs."""

from typing import NamedTuple


class Cut(NamedTuple):
    """Sizes of passages; they decide the shape of what is stored."""

    budget_tokens: int = 400
    overlap_tokens: int = 80
