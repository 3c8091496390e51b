"""What is kept: scopes, documents and their passages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.errors import BadRequest

_SCOPE = re.compile(r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*")


#: Identifies a passage within one store; never reused.
PassageId = int


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Whose memory it is: an ordered path of `kind:name` parts, e.g. `user:kim/character:mina`. A partition."""

    path: str

    def __post_init__(self) -> None:
        if not _SCOPE.fullmatch(self.path):
            raise BadRequest(
                f"bad scope {self.path!r}",
                hint="a scope is `kind:name` parts joined by `/`, such as `agent:main` or `user:kim/character:mina`",
            )

    def __str__(self) -> str:
        return self.path


class Tier(StrEnum):
    """How warm a document is kept."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Provenance(NamedTuple):
    """Where a document came from: a path with 1-based inclusive lines, or message ids of the journal."""

    source: str
    start_line: int | None = None
    end_line: int | None = None
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The unit that is put, replaced and forgotten. `key` is stable and unique within its scope."""

    scope: Scope
    key: str
    kind: str
    text: str
    content_hash: str
    created_at: datetime
    updated_at: datetime
    title: str = ""
    importance: float = 0.5
    tier: Tier = Tier.HOT
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    provenance: tuple[Provenance, ...] = ()


class Passage(NamedTuple):
    """A slice `text[start:end]` of its document that is searched, with its 1-based inclusive line range.

    `context` is what surrounds the slice and explains it (heading path); it is searched with a lower weight.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    context: str = ""


class Entry(NamedTuple):
    """A document with its passages, in order: what a store takes in one piece."""

    document: Document
    passages: tuple[Passage, ...]


class StoreStats(NamedTuple):
    """What a store holds, for one scope or for all. `vectors` counts passages that have one for the active model."""

    documents: int
    passages: int
    vectors: int
    disk_bytes: int
    cached_vectors: int
