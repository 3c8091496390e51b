"""What a document is beside its text, as JSON: for the forms of archive files."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gieok.model.memory import Document, Provenance, Scope

_TIMES = ("created_at", "updated_at", "valid_from", "valid_to")


def to_fields(document: Document) -> dict[str, object]:
    """Return the fields of a document but for its text and tier, those that are empty left out."""
    times = {name: moment.isoformat() for name in _TIMES if (moment := getattr(document, name)) is not None}
    origins = [[o.source, o.start_line, o.end_line, list(o.message_ids)] for o in document.provenance]
    return {
        "scope": document.scope.path, "key": document.key, "kind": document.kind, "hash": document.content_hash,
        **times, "importance": document.importance,
        **({"title": document.title} if document.title else {}),
        **({"metadata": dict(document.metadata)} if document.metadata else {}),
        **({"from": origins} if origins else {}),
    }  # fmt: skip


def from_fields(fields: Mapping[str, Any], text: str) -> Document:
    """Return the document of these fields and a text. Raises KeyError, ValueError, TypeError for others."""
    times: dict[str, Any] = {name: datetime.fromisoformat(fields[name]) for name in _TIMES if name in fields}
    return Document(
        scope=Scope(fields["scope"]),
        key=fields["key"],
        kind=fields["kind"],
        text=text,
        content_hash=fields["hash"],
        title=fields.get("title", ""),
        importance=float(fields["importance"]),
        metadata={str(name): str(value) for name, value in fields.get("metadata", {}).items()},
        provenance=tuple(Provenance(s, a, b, tuple(ids)) for s, a, b, ids in fields.get("from", ())),
        **times,
    )
