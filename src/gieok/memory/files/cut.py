"""Cutting of notes into passages; a module of its own so that a search loads no chunker."""

from datetime import UTC, tzinfo
from typing import NamedTuple


class Cut(NamedTuple):
    """Sizes of passages, which are part of the stored shape, and the time zone of days in notes."""

    budget_tokens: int = 400
    overlap_tokens: int = 80
    zone: tzinfo = UTC
