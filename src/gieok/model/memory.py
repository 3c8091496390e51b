"""Scopes, documents and their passages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from gieok.errors import BadRequest
from gieok.places.scope import SCOPE_PATTERN

_SCOPE = re.compile(SCOPE_PATTERN)


#: Metadata of a document that a person corrected: when. Nothing but a person replaces or forgets
#: it.
CORRECTED = "corrected"
#: Metadata of a correction, and the field of a corrected record: who wrote it, `AGENT`; not there
#: where a person did. The field has a check of the text behind it.
CORRECTED_BY, AGENT = "corrected_by", "agent"
#: Metadata of a document that came from another program: its name. No reflection rewrites it.
IMPORTED = "imported"
#: Metadata of a document that another document replaced: the key of the other.
REPLACED_BY = "replaced_by"
#: Metadata of an earlier wording of a record: the key that it has since, and when a person wrote it
#: anew.
EDITED_TO, EDITED_AT = "edited_to", "edited_at"

#: Metadata of a document that a person put away: when. It has no passages, so nothing finds it, and
#: all of it is kept.
RETIRED = "retired"
#: Metadata of a note whose day is only when its program made it: such a note is of no day, and does
#: not age.
MADE_THEN = "day_is_of_creation"
#: Metadata of a document that a person moved to another scope: the scope in which it was observed.
MOVED_FROM = "moved_from"

#: Identifies a passage within one store; never reused.
PassageId = int
#: Identifies a line: its passage, and where it starts in the passage's text.
LineId = tuple[PassageId, int]


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Partition of memory by owner: an ordered path of `kind:name` parts.

    Example: `user:kim/character:mina`.
    """

    path: str

    def __post_init__(self) -> None:
        if not _SCOPE.fullmatch(self.path):
            raise BadRequest(
                "bad scope {path!r}",
                path=self.path,
                hint=(
                    "a scope is `kind:name` parts joined by `/`, such as `agent:main` or "
                    "`user:kim/character:mina`"
                ),
            )

    def __str__(self) -> str:
        return self.path


class Tier(StrEnum):
    """Storage tier of a document."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Provenance(NamedTuple):
    """Origin of a document: a path with 1-based inclusive lines, or message ids of the journal."""

    source: str
    start_line: int | None = None
    end_line: int | None = None
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Unit that is put, replaced and forgotten; `key` is stable and unique within its scope."""

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

    @property
    def source(self) -> str:
        """The first path or address that it comes from; '' where it names none."""
        return self.provenance[0].source if self.provenance else ""

    @property
    def message_ids(self) -> set[str]:
        """The ids of the messages that it was made of."""
        return {identity for source in self.provenance for identity in source.message_ids}

    @property
    def said_at(self) -> datetime:
        """Time when the document was said or began to hold; without one, the time of its last
        change.
        """
        return self.valid_from or self.updated_at


def find_document_status(document: Document, now: datetime) -> str:
    """Return the status of a document at `now`.

    `retired` or `corrected` by a person, `replaced` by another document, `ended` by itself, `done`,
    or `stands`: nothing is known to have ended the document.
    """
    if document.metadata.get(RETIRED):
        return "retired"
    if document.valid_to is not None and document.valid_to <= now:
        return "replaced" if document.metadata.get(REPLACED_BY) else "ended"
    if document.metadata.get(CORRECTED):
        return "corrected"
    return "done" if document.metadata.get("done") == "yes" else "stands"


class Passage(NamedTuple):
    """Searchable slice `text[start:end]` of a document, with its 1-based inclusive line range.

    `context` explains the slice (heading path); it is searched with a lower weight. `label` names
    what is embedded besides the slice: another label needs another vector.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    context: str = ""
    label: str = ""


class Entry(NamedTuple):
    """Document with its passages in order: the unit that a store accepts."""

    document: Document
    passages: tuple[Passage, ...]


class StoreStats(NamedTuple):
    """Contents of a store, for one scope or all.

    `vectors` counts passages with a vector of the active model; `unsent`, those that are kept from
    the service which makes the vectors, and get none.
    """

    documents: int
    passages: int
    vectors: int
    disk_bytes: int
    cached_vectors: int
    unsent: int = 0

    @property
    def waiting(self) -> int:
        """Return how many passages wait for a vector."""
        return max(0, self.passages - self.vectors - self.unsent)
