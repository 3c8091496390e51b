"""Fields of documents and entries, without their text, as JSON: for archive files and exports."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from gieok.model.memory import Document, Entry, Passage, Provenance, Scope

_TIMES = ("created_at", "updated_at", "valid_from", "valid_to")


def to_fields(document: Document) -> dict[str, object]:
    """Return the non-empty fields of a document, without its text and tier."""
    times = {
        name: moment.isoformat()
        for name in _TIMES
        if (moment := getattr(document, name)) is not None
    }
    fields = {
        "scope": document.scope.path,
        "key": document.key,
        "kind": document.kind,
        "hash": document.content_hash,
        **times,
        "importance": document.importance,
        "title": document.title,
        "metadata": dict(document.metadata),
        # No list in a list: Obsidian reads `[[` as a link.
        "from": [origin._asdict() for origin in document.provenance],
    }
    return {name: value for name, value in fields.items() if value not in ("", [], {})}


def from_fields(fields: Mapping[str, Any], text: str) -> Document:
    """Return the document of these fields and a text.

    Raises KeyError, ValueError, TypeError or AttributeError for fields of another form.
    """
    times: dict[str, Any] = {
        name: datetime.fromisoformat(fields[name]) for name in _TIMES if name in fields
    }
    return Document(
        scope=Scope(fields["scope"]),
        key=fields["key"],
        kind=fields["kind"],
        text=text,
        content_hash=fields["hash"],
        title=fields.get("title", ""),
        importance=float(fields["importance"]),
        metadata={str(name): str(value) for name, value in fields.get("metadata", {}).items()},
        provenance=tuple(map(_parse_origin_row, fields.get("from", ()))),
        **times,
    )


def to_entry_fields(entry: Entry) -> dict[str, object]:
    """Return the fields of an entry, with its passages unless the whole text is one passage."""
    fields, passages = to_fields(entry.document), entry.passages
    is_whole = passages == _build_whole_passage(entry.document.text)
    return (
        fields if is_whole else {**fields, "passages": [passage._asdict() for passage in passages]}
    )


def from_entry_fields(fields: Mapping[str, Any], text: str) -> Entry:
    """Return the entry of these fields and a text.

    Raises the errors of `from_fields`.
    """
    passages = tuple(
        Passage(**_name_row_values(Passage._fields, row)) for row in fields.get("passages", ())
    )
    return Entry(from_fields(fields, text), passages or _build_whole_passage(text))


def _parse_origin_row(row: Mapping[str, Any] | Sequence[Any]) -> Provenance:
    values = _name_row_values(Provenance._fields, row)
    return Provenance(**{**values, "message_ids": tuple(values["message_ids"])})


def _name_row_values(
    names: Sequence[str], row: Mapping[str, Any] | Sequence[Any]
) -> dict[str, Any]:
    """Return a record's values by name; files of schema 5 of the journal hold them as a list."""
    return dict(row if isinstance(row, Mapping) else zip(names, row, strict=True))


def _build_whole_passage(text: str) -> tuple[Passage, ...]:
    return (Passage(0, len(text), 1, text.count("\n") + 1),)
