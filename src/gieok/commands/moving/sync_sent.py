"""What this device has to send: the rows of its next segments."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from gieok.commands.moving import sync_items
from gieok.commands.moving.sync_items import ITEMS, ScopeItems, SharedItem
from gieok.flow.housekeeping import KINDS, parse_days_by_kind
from gieok.home.call import Call
from gieok.memory.exchange.json_lines import build_message_fields
from gieok.memory.exchange.versions import (
    ItemVersion,
    build_next_version,
    load_version,
)

#: Realm, before a scope's shared name, of the messages that came from other devices.
TAKEN = "sync:taken:"
#: Kinds of items that are added once.
ADDED = (sync_items.REPLACED, sync_items.FORGOTTEN, sync_items.ERASED)
_PAGE_TOKENS = 200_000
_AT_ONCE = 500


def dump_row(kind: str, shared: str, item: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a segment."""
    return {**fields, "is": kind, "scope": shared, "item": item}


def is_version(held: str) -> bool:
    """Say whether what is kept of an item is a version; else it is the day of an added item."""
    return held.startswith("[")


def iter_changed_rows(call: Call, held: ScopeItems, device: str) -> Iterator[dict[str, Any]]:
    """Yield what changed in a scope since it was sent or taken in, but for messages."""
    known = call.home.journal.kept(ITEMS + held.shared)
    there: set[str] = set()
    for item in held.iter_items():
        there.add(item.id)
        before = known.get(item.id, "")
        if item.kind in ADDED:
            if not before:
                yield dump_row(item.kind, held.shared, item.id, item.fields)
            continue
        version = load_version(before) if before else None
        if version is None or version.digest != item.digest:
            fresh = build_next_version(version, device, item.at, item.digest)
            yield _dump_version_row(held.shared, item, fresh)
    yield from _iter_removed_rows(call, held, device, known, there)


def _dump_version_row(shared: str, item: SharedItem, version: ItemVersion) -> dict[str, Any]:
    row = dump_row(item.kind, shared, item.id, item.fields)
    return {**row, "version": version.dump()}


def _iter_removed_rows(
    call: Call, held: ScopeItems, device: str, known: Mapping[str, str], there: set[str]
) -> Iterator[dict[str, Any]]:
    pruned = _find_pruned_day(call)
    for item, before in known.items():
        if item in there or item in held.archived_ids or item in held.tracked_ids:
            continue
        kind = item.partition(":")[0]
        if not is_version(before):
            if (
                kind == sync_items.REPLACED
                and before not in ("", sync_items.GONE)
                and date.fromisoformat(before) > pruned
            ):
                yield dump_row(sync_items.GONE, held.shared, item, {})
            continue
        version = load_version(before)
        if not version.digest or (kind == sync_items.RECORD and not held.has_records):
            continue
        reason, at = held.find_removal(item)
        fresh = build_next_version(version, device, at, "")
        fields = {"gone": reason, "mark": held.find_forgotten_mark(item), "at": at}
        row = dump_row(kind, held.shared, item, fields)
        yield {**row, "version": fresh.dump()}


def _find_pruned_day(call: Call) -> date:
    """Return the day before which housekeeping drops history: what is gone then, nobody forgot."""
    usual = {kind.name: kind.days for kind in KINDS}
    chosen = parse_days_by_kind(call.home.settings.text("housekeeping.keep"))
    days = {**usual, **chosen}["history"]
    if not days:
        return date.min
    return call.clock.now().date() - timedelta(days=days)


def iter_message_rows(
    call: Call, held: ScopeItems, after: int
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the number of each message behind `after`, with its row if it was said here."""
    journal = call.home.journal
    taken = journal.kept(TAKEN + held.shared)
    while page := journal.read(held.scope, after, budget_tokens=_PAGE_TOKENS, limit=_AT_ONCE):
        for number, message, _ in page:
            item = sync_items.build_item_id(sync_items.MESSAGE, held.shared, message.id)
            row = dump_row(sync_items.MESSAGE, held.shared, item, build_message_fields(message))
            yield number, None if item in taken else row
        after = page[-1].seq
