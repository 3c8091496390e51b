"""What this device has to send: the rows of its next segments."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from gieok.commands.moving import sync_items
from gieok.commands.moving.sync_items import ITEMS, RecordOutline, ScopeItems, SharedItem
from gieok.flow.housekeeping import KINDS, parse_days_by_kind
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.exchange.json_lines import build_message_fields
from gieok.memory.exchange.versions import ItemVersion, build_next_version, load_version

#: Realm, before a scope's shared name, of the messages that came from other devices.
TAKEN = "sync:taken:"
#: Realm, before a scope's shared name, of the records that were there at the last synchronisation:
#: item → its outline.
OUTLINES = "sync:outlines:"
#: Kinds of items that are added once.
ADDED = (sync_items.REPLACED, sync_items.FORGOTTEN, sync_items.ERASED)
#: What the clocks of two devices may differ by.
_CLOCKS_DIFFER = timedelta(hours=1)
_PAGE_TOKENS = 200_000
_AT_ONCE = 500


def dump_row(kind: str, shared: str, item: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a segment."""
    return {**fields, "is": kind, "scope": shared, "item": item}


def is_version(kept: str) -> bool:
    """Say whether what is kept of an item is a version; else it is the day of an added item."""
    return kept.startswith("[")


def iter_changed_rows(
    call: Call, scope: ScopeItems, device: str, vanished: Collection[str], *, is_anew: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield what changed in a scope since it was sent or taken in, but for messages.

    Nothing is sent of records that `vanished`.
    Yields everything where all is sent `is_anew`, with the versions that are known. What is there
    although its forgetting is known here was told again: its row says over which forgetting.
    """
    known = call.home.journal.kept(ITEMS + scope.shared)
    scope.drop_returned_marks()
    scope.drop_record_entries()
    there: set[str] = set()
    outlines: dict[str, str] = {}
    for item in scope.iter_items():
        there.add(item.id)
        if item.kind == sync_items.RECORD:
            outlines[item.id] = json.dumps(sync_items.build_record_outline(item))
        before = known.get(item.id, "")
        over = scope.marks.find_told_again(item)
        if item.kind in ADDED:
            if not before or is_anew:
                yield _dump_item_row(scope, item, over)
            continue
        version = load_version(before) if before else None
        if version is None or version.digest != item.digest or over:
            fresh = build_next_version(version, device, item.at, item.digest)
            row = {**_dump_item_row(scope, item, over), "version": fresh.dump()}
            is_put_back = item.kind == sync_items.RECORD and _is_put_back(item, version)
            yield {**row, "put_back": True} if is_put_back else row
        elif is_anew:
            yield {**_dump_item_row(scope, item, over), "version": before}
    staying = {*there, *vanished}
    yield from _iter_removed_rows(call, scope, device, known, staying, is_anew=is_anew)
    _keep_outlines(call, scope.shared, outlines, staying)


def _is_put_back(item: SharedItem, before: ItemVersion | None) -> bool:
    """Say whether a file is older than what it replaces, as one from a backup.

    Clocks of devices differ by less.
    """
    if before is None:
        return False
    return datetime.fromisoformat(before.at) - datetime.fromisoformat(item.at) > _CLOCKS_DIFFER


def _keep_outlines(call: Call, shared: str, outlines: Mapping[str, str], staying: set[str]) -> None:
    """Note what each record is known by, for when it is there under another name."""
    known = call.home.journal.kept(OUTLINES + shared)
    fresh = {item: text for item, text in outlines.items() if known.get(item) != text}
    call.home.journal.keep(OUTLINES + shared, fresh, sorted(known.keys() - staying))


def _dump_item_row(scope: ScopeItems, item: SharedItem, over: Mapping[str, str]) -> dict[str, Any]:
    row = dump_row(item.kind, scope.shared, item.id, item.fields)
    if over:
        row["over"] = dict(over)
    # Where the record is that was renamed from there before this one was told.
    renamed = scope.find_renamed(item.id) if item.kind == sync_items.RECORD else []
    return {**row, "renamed": renamed} if renamed else row


def find_vanished_records(call: Call, scope: ScopeItems) -> set[str]:
    """Return the records in use that are there no more, where they are most of them; else nothing.

    That most are gone is a folder that was lost, such as a clone that was made again. What commands
    removed or renamed does not count, and neither does what else was told there since.
    """
    if scope.shelf is None or not scope.shelf.base.parent.is_dir():
        return set()
    known = {
        item: load_version(text)
        for item, text in call.home.journal.kept(ITEMS + scope.shared).items()
        if item.partition(":")[0] == sync_items.RECORD and is_version(text)
    }
    live = {item for item, version in known.items() if version.digest} - scope.once_tracked_ids
    gone = {item for item in live - scope.record_ids if not scope.is_removal_known(item)}
    if not gone:
        return gone
    outlines = load_outlines(call, scope.shared)
    in_use = {
        item for item in live if item not in outlines or outlines[item].shelf == records.MEMORY
    }
    elsewhere = scope.list_outlines(but=live)
    renamed = find_renamed({item: outlines[item] for item in gone & outlines.keys()}, elsewhere)
    vanished = gone & in_use - renamed
    staying = {item for item in in_use if item in gone or item in scope.record_ids}
    return vanished if 2 * len(vanished) > len(staying) else set()


def load_outlines(call: Call, shared: str) -> dict[str, RecordOutline]:
    """Return the outlines of the records that were there at the last synchronisation."""
    kept = call.home.journal.kept(OUTLINES + shared)
    return {item: RecordOutline(*json.loads(text)) for item, text in kept.items()}


def find_renamed(gone: Mapping[str, RecordOutline], elsewhere: Sequence[RecordOutline]) -> set[str]:
    """Return what is there under another name: what it says is there, or it was rewritten.

    One that was rewritten keeps the time at which it was made; one file stands for one record.
    """
    texts = {outline.text for outline in elsewhere}
    renamed = {item for item, outline in gone.items() if outline.text in texts}
    said = {outline.text for outline in gone.values()}
    rewritten = Counter(outline.created for outline in elsewhere if outline.text not in said)
    for item, outline in sorted(gone.items()):
        if item not in renamed and outline.created and rewritten[outline.created] > 0:
            rewritten[outline.created] -= 1
            renamed.add(item)
    return renamed


def _iter_removed_rows(
    call: Call,
    scope: ScopeItems,
    device: str,
    known: Mapping[str, str],
    staying: set[str],
    *,
    is_anew: bool,
) -> Iterator[dict[str, Any]]:
    pruned = _find_pruned_day(call)
    staying = {*staying, *scope.archived_ids, *scope.once_tracked_ids, *scope.untrusted_ids}
    for item, before in known.items():
        if item in staying:
            continue
        kind = item.partition(":")[0]
        if not is_version(before):
            is_gone = before == sync_items.GONE
            if kind == sync_items.REPLACED and (
                is_anew if is_gone else before and date.fromisoformat(before) > pruned
            ):
                yield dump_row(sync_items.GONE, scope.shared, item, {})
            continue
        version = load_version(before)
        is_unknown = bool(version.digest) and kind == sync_items.RECORD and not scope.has_records
        if is_unknown or (not version.digest and not is_anew):
            continue
        reason, at = scope.find_removal(item)
        fresh = build_next_version(version, device, at, "") if version.digest else version
        fields = {"gone": reason, "at": at, **scope.build_forgotten_fields(item)}
        row = {**dump_row(kind, scope.shared, item, fields), "version": fresh.dump()}
        renamed = scope.find_renamed(item)
        yield {**row, "renamed": renamed} if renamed else row


def _find_pruned_day(call: Call) -> date:
    """Return the day before which housekeeping drops history: what is gone then, nobody forgot."""
    usual = {kind.name: kind.days for kind in KINDS}
    chosen = parse_days_by_kind(call.home.settings.text("housekeeping.keep"))
    days = {**usual, **chosen}["history"]
    if not days:
        return date.min
    return call.clock.now().date() - timedelta(days=days)


def iter_message_rows(
    call: Call, scope: ScopeItems, after: int, *, is_anew: bool = False
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the number of each message behind `after`, with its row if it was said here.

    Those of other devices have rows too where all is sent `is_anew`.
    """
    journal = call.home.journal
    taken = journal.kept(TAKEN + scope.shared)
    while page := journal.read(scope.scope, after, budget_tokens=_PAGE_TOKENS, limit=_AT_ONCE):
        for number, message, _ in page:
            item = sync_items.build_item_id(sync_items.MESSAGE, scope.shared, message.id)
            row = dump_row(sync_items.MESSAGE, scope.shared, item, build_message_fields(message))
            yield number, None if item in taken and not is_anew else row
        after = page[-1].seq
