"""Converts rows to model types and back.

Times are Unix milliseconds in the database and aware datetimes outside.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from gieok.model.memory import CORRECTED, REPLACED_BY, RETIRED, Document, Provenance, Scope, Tier
from gieok.model.retrieval import (
    AGENT_FIELD,
    AGENT_FOLDERS,
    CATEGORY_FIELD,
    PRIORITY_FIELD,
    TAG_FIELDS,
    Filter,
    FoundPassage,
)

_T = TypeVar("_T")
#: Number of values of one statement: far below SQLite's limit on parameters.
_BATCH = 500
DOCUMENT_COLUMNS = (
    "key, kind, title, content_hash, importance, tier, created_at, updated_at, valid_from, "
    "valid_to, "
    "metadata, provenance, text"
)
FOUND_COLUMNS = (
    'p.id, s.path, d.key, d.kind, d.title, substr(d.text, p.start + 1, p."end" - p.start), '
    "p.context, "
    "p.start_line, p.end_line, d.importance, d.tier, d.updated_at, d.valid_from, d.metadata"
)

_TIERS = {tier.value: tier for tier in Tier}
#: `json.loads` without its checks of bytes and blanks: `document_row` wrote the text, and there are
#: thousands of rows.
_parse = json.JSONDecoder().raw_decode


def to_ms(moment: datetime | None) -> int | None:
    """Return a time in Unix milliseconds; None for no time."""
    return None if moment is None else round(moment.timestamp() * 1000)


def utc(unix_ms: int) -> datetime:
    """Return an aware datetime."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC)


def from_ms(value: int | None) -> datetime | None:
    """Return an aware datetime; None for None."""
    return None if value is None else utc(value)


def document_row(document: Document) -> tuple[object, ...]:
    """Return the values of `DOCUMENT_COLUMNS`."""
    return (
        document.key,
        document.kind,
        document.title,
        document.content_hash,
        document.importance,
        document.tier.value,
        to_ms(document.created_at),
        to_ms(document.updated_at),
        to_ms(document.valid_from),
        to_ms(document.valid_to),
        json.dumps(dict(document.metadata)),
        json.dumps([p._asdict() for p in document.provenance]),
        document.text,
    )


def to_document(scope: Scope, row: tuple[Any, ...]) -> Document:
    """Return the document of a row of `DOCUMENT_COLUMNS`."""
    (
        key,
        kind,
        title,
        content_hash,
        importance,
        tier,
        created,
        updated,
        since,
        until,
        metadata,
        origin,
        text,
    ) = row
    return Document(
        scope=scope,
        key=key,
        kind=kind,
        title=title,
        text=text,
        content_hash=content_hash,
        importance=importance,
        tier=_TIERS[tier],
        created_at=utc(created),
        updated_at=utc(updated),
        valid_from=from_ms(since),
        valid_to=from_ms(until),
        metadata=_parse(metadata)[0],
        provenance=tuple(
            [
                Provenance(p["source"], p["start_line"], p["end_line"], tuple(p["message_ids"]))
                for p in _parse(origin)[0]
            ]
        ),
    )


def to_found(row: tuple[Any, ...]) -> FoundPassage:
    """Return the passage of a row of `FOUND_COLUMNS`."""
    (
        passage_id,
        scope,
        key,
        kind,
        title,
        text,
        context,
        first,
        last,
        importance,
        tier,
        updated,
        since,
        metadata,
    ) = row
    return FoundPassage(
        id=passage_id,
        scope=Scope(scope),
        key=key,
        kind=kind,
        title=title,
        text=text,
        context=context,
        start_line=first,
        end_line=last,
        importance=importance,
        tier=_TIERS[tier],
        updated_at=utc(updated),
        valid_from=from_ms(since),
        metadata=_parse(metadata)[0],
    )


def sqlite_field(name: str) -> str:
    """Return the SQL expression of a field of a document's metadata, for SQLite."""
    return f"json_extract(d.metadata, '$.{name}')"


def postgres_field(name: str) -> str:
    """Return the SQL expression of a field of a document's metadata, for PostgreSQL."""
    return f"(d.metadata::json ->> '{name}')"


def filter_sql(
    where: Filter, field: Callable[[str], str] = sqlite_field
) -> tuple[str, list[object]]:
    """Return a condition on `documents d` and its parameters; empty for an empty filter.

    The condition starts with AND. `field` returns the SQL expression of a field of the metadata.
    """
    clauses: list[str] = []
    values: list[object] = []
    for column, allowed in (
        ("d.kind", where.kinds),
        (field(CATEGORY_FIELD), where.categories),
        (field(PRIORITY_FIELD), where.priorities),
    ):
        if allowed:
            clauses.append(f"{column} IN ({marks(allowed)})")
            values += sorted(allowed)
    if where.without:
        clauses.append(f"d.kind NOT IN ({marks(where.without)})")
        values += sorted(where.without)
    if where.since:
        clauses.append("coalesce(d.valid_from, d.updated_at) >= ?")
        values.append(to_ms(where.since))
    if where.until:
        clauses.append("coalesce(d.valid_from, d.updated_at) < ?")
        values.append(to_ms(where.until))
    if where.tags:
        tags = " || ',' || ".join(f"coalesce({field(name)}, '')" for name in TAG_FIELDS)
        clauses.append(_build_holds_any_sql(f"replace({tags}, '#', '')", where.tags, values))
    if where.agents:
        named = [_build_holds_any_sql(f"coalesce({field(AGENT_FIELD)}, '')", where.agents, values)]
        for start in sorted(
            f"{folder}/{agent}/" for folder in AGENT_FOLDERS for agent in where.agents
        ):
            named.append(f"substr(d.key, 1, {len(start)}) = ?")
            values.append(start)
        clauses.append(f"({' OR '.join(named)})")
    if where.statuses:
        at = to_ms(where.at) if where.at else None
        clauses.append(f"{_status_sql(field)} IN ({marks(where.statuses)})")
        values += [at, *sorted(where.statuses)]
    return "".join(f" AND {clause}" for clause in clauses), values


def _build_holds_any_sql(joined: str, wanted: Iterable[str], values: list[object]) -> str:
    """Return SQL for: a text of names joined by commas holds any of the wanted names.

    Adds the wanted names to the parameters.
    """
    names = f"',' || replace(replace(lower({joined}), ', ', ','), ' ,', ',') || ','"
    escaped = [re.sub(r"[!%_]", r"!\g<0>", name) for name in sorted(wanted)]
    values += [f"%,{name},%" for name in escaped]
    return "(" + " OR ".join(f"{names} LIKE ? ESCAPE '!'" for _ in escaped) + ")"


def _status_sql(field: Callable[[str], str]) -> str:
    """Return `memory.find_document_status` in SQL; its parameter is the time."""
    is_set = {
        name: f"coalesce({field(name)}, '') <> ''" for name in (RETIRED, REPLACED_BY, CORRECTED)
    }
    return (
        f"CASE WHEN {is_set[RETIRED]} THEN 'retired' "
        "WHEN d.valid_to IS NOT NULL AND d.valid_to <= coalesce(?, d.updated_at) "
        f"THEN CASE WHEN {is_set[REPLACED_BY]} THEN 'replaced' ELSE 'ended' END "
        f"WHEN {is_set[CORRECTED]} THEN 'corrected' "
        f"WHEN {field('done')} = 'yes' THEN 'done' ELSE 'stands' END"
    )


def marks(values: Iterable[object]) -> str:
    """Return as many question marks as there are values, joined by commas."""
    return ",".join("?" for _ in values)


def batches(values: Sequence[_T]) -> Iterable[Sequence[_T]]:
    """Cut `values` into runs that fit SQLite's limit on parameters."""
    return (values[i : i + _BATCH] for i in range(0, len(values), _BATCH))


def prefix_scope_tokens(sid: int, tokens: str) -> str:
    """Return keyword tokens with their scope in front of each.

    SQLite's keyword table holds tokens in this form.
    """
    return f"{sid}_" + tokens.replace(" ", f" {sid}_") if tokens else ""


def count_keyword_tokens(tokens: str) -> int:
    """Return the number of keyword tokens in a text of tokens."""
    return tokens.count(" ") + 1 if tokens else 0
