"""Writer of archive files: writes living and arriving memories, and records the moves.

The journal holds the record. In this order: the place is marked as stale; the file is written, read
back and compared; one transaction of the journal lets the memories live there, unless they changed
meanwhile; the mark is dropped. So after a kill at any moment each memory lives in exactly one
place, and any further content of a file is known to be stale.

A person's change in a file is taken as a correction. A memory that a file lost (the file was
deleted or is damaged) is still in the store: it is written again, and the loss is reported.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from gieok.errors import ArchiveConflict, ArchiveFailed, StoreError
from gieok.flow.clean import cleaned
from gieok.memory import corrections, observation
from gieok.memory.tiers import conflict, retention
from gieok.memory.tiers.shelf import Contents, Held, Shelf, Written
from gieok.memory.tiers.tiers import Arrival, Group, Outcome, Tiers
from gieok.model.archive import ArchivedMemory, Move, Place, StalePlace
from gieok.model.memory import Document, Entry, Scope, Tier
from gieok.text.tokens import estimate_tokens

_TRIES = 3
_WRITERS = 8
#: Files that could not be read are kept below this folder of their archive.
DAMAGED = "damaged"


#: Returns those of these documents that are stored.
Stored = Callable[[Scope, Sequence[str]], list[Entry]]


class Living(NamedTuple):
    """Memory that lives in a file, as the journal has it and as the file reads.

    `replaced` is the version that a person corrected.
    """

    row: ArchivedMemory
    entry: Entry
    replaced: Document | None = None


@dataclass(slots=True)
class FileState:
    """State of an archive file, under whichever of its names.

    Fields: the memories that live in the file, the existing files, a person's text beside the
    memories, and what is damaged.
    """

    living: dict[str, Living] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    own: str = ""
    wrong: list[str] = field(default_factory=list)
    #: Memories that a person changed in a file where they no longer live.
    strays: list[Written] = field(default_factory=list)


class _Plan(NamedTuple):
    """Planned write of a file and the moves that follow it.

    `data` is None where no memory lives there: then the file is deleted.
    """

    group: Group
    state: FileState
    place: Place
    data: bytes | None
    moves: tuple[Move, ...]


def read_file_state(tiers: Tiers, group: Group, stored: Stored | None = None) -> FileState:
    """Read the state of a file; memories that the file lacks are taken from `stored`.

    `stored` defaults to the store. Raises ArchiveFailed, StoreError.
    """
    shelf, state, stored = tiers.shelves[group.tier], FileState(), stored or tiers.store.entries
    lost: list[ArchivedMemory] = []
    for path in shelf.spellings(group.path):
        place = Place(group.scope, group.tier, path)
        rows = tiers.journal.archived(group.scope, place=place)
        held = shelf.read(place)
        if held:
            state.held[path] = held
        if rows and (held is None or held.wrong):
            state.wrong.append(
                f"{_name_archive_file(shelf, place)}: {held.wrong if held else 'the file is gone'}"
            )
        written = (
            {memory.entry.document.key: memory for memory in held.contents.memories} if held else {}
        )
        living = {row.key for row in rows}
        state.strays += [
            memory for key, memory in written.items() if memory.is_edited and key not in living
        ]
        for row in rows:
            if (present := written.get(row.key)) is not None:
                state.living[row.key] = _as_read(tiers, row, present, stored)
            else:
                lost.append(row)
        if held and rows:
            state.own = _join_own_lines(state.own, held.contents.own)
    if not state.living and not lost:
        for held in state.held.values():
            state.own = _join_own_lines(state.own, held.contents.own)
    _find_again(shelf, state, lost, stored)
    return state


def carry_out_moves(tiers: Tiers, groups: Sequence[Group]) -> Outcome:
    """Write the files of groups, and move the arriving memories.

    The caller holds the lock, and delivers and sweeps afterwards. A file that cannot be written is
    left unchanged together with the memories that were to move there, and is named in the outcome.
    """
    outcome = Outcome()
    plans = [
        plan for group in groups if (plan := _try_group_plan(tiers, group, outcome)) is not None
    ]
    touched = {
        Place(p.group.scope, p.group.tier, path)
        for p in plans
        for path in (p.place.path, *p.state.held)
    }
    marks = {stale.place: stale for stale in tiers.journal.mark_stale(sorted(touched))}
    settled: list[tuple[StalePlace, str]] = []
    written: list[_Plan] = []
    # disks and services take several at once: 365 files in 0.3 s, not 3.6
    with ThreadPoolExecutor(_WRITERS) as pool:
        tried = list(pool.map(partial(_try_plan_write, tiers), plans))
    for plan, first in zip(plans, tried, strict=True):
        if (now := _finish_plan_write(tiers, plan, first, marks, outcome)) is not None:
            written.append(now[0])
            settled += [(marks[now[0].place], now[1])] if now[1] or not now[0].state.held else []
    refused = tiers.journal.archive([move for plan in written for move in plan.moves])
    _count_plan_moves(outcome, written, refused)
    today = tiers.clock.now().astimezone(tiers.zone).date()
    for move in (move for plan in written for move in plan.moves if move not in refused):
        if move.replaced:
            corrections.correct_source_message(
                tiers.journal, move.replaced, move.entry.document, today
            )
    for plan in written:
        settled += _drop_others(tiers, plan, marks, outcome)
    tiers.journal.settle(settled)
    return outcome


def lives_at(place: Place, entry: Entry, arrival: Arrival, tiers: Tiers) -> ArchivedMemory:
    """Return the row of a memory that will live at a place."""
    document = entry.document
    return ArchivedMemory(
        key=document.key,
        place=place,
        content_hash=document.content_hash,
        revision="",
        tokens=estimate_tokens(document.text),
        moved_at=tiers.clock.now(),
        day=arrival.day,
        kind=document.kind,
        stands=retention.is_told_at_any_age(document),
    )


def in_hot(entry: Entry) -> Entry:
    """Return an entry with its tier set to hot; files do not record the tier."""
    document = entry.document
    return (
        entry
        if document.tier is Tier.HOT
        else entry._replace(document=replace(document, tier=Tier.HOT))
    )


def _as_read(tiers: Tiers, row: ArchivedMemory, found: Written, stored: Stored) -> Living:
    """Return a memory as its file has it; a text changed in the file counts as the person's own."""
    entry = found.entry
    if found.is_edited:
        document = cleaned(entry.document)
        fresh = observation.corrected(document, document.text, tiers.clock.now())
        before = [stored_entry.document for stored_entry in stored(document.scope, [row.key])]
        return Living(
            row, fresh, before[0] if before and before[0].content_hash == row.content_hash else None
        )
    return Living(row, entry)


def _find_again(
    shelf: Shelf, state: FileState, lost: Sequence[ArchivedMemory], stored: Stored
) -> None:
    """Take memories that a file should hold and lacks from the store."""
    if not lost:
        return
    scope = lost[0].place.scope
    stored_entries = {
        stored_entry.document.key: stored_entry
        for stored_entry in stored(scope, [row.key for row in lost])
    }
    for row in lost:
        entry = stored_entries.get(row.key)
        if entry is not None and entry.document.content_hash == row.content_hash:
            state.living[row.key] = Living(row, in_hot(entry))
    for path in dict.fromkeys(row.place.path for row in lost):
        keys = [row.key for row in lost if row.place.path == path]
        again = sum(key in state.living for key in keys)
        gone = f", {len(keys) - again} are in neither" if again < len(keys) else ""
        place = Place(scope, shelf.tier, path)
        state.wrong.append(
            f"{_name_archive_file(shelf, place)}: {again} memories were missing and are "
            f"written again{gone}"
        )


def _try_group_plan(tiers: Tiers, group: Group, done: Outcome) -> _Plan | None:
    try:
        return _plan_group_move(tiers, group)
    except (ArchiveFailed, StoreError) as error:
        done.wrong.append(str(error))
        return None


def _plan_group_move(tiers: Tiers, group: Group) -> _Plan:
    shelf, state = tiers.shelves[group.tier], read_file_state(tiers, group)
    if state.strays:
        resolution = conflict.resolved(tiers, group, state.strays)
        group = replace(group, arriving=(*group.arriving, *resolution.arriving))
        state.own = _join_own_lines(state.own, resolution.own)
    entries = {key: living.entry for key, living in state.living.items()}
    entries |= {memory.entry.document.key: in_hot(memory.entry) for memory in group.arriving}
    if not entries and not state.own:
        return _Plan(
            group=group,
            state=state,
            place=Place(group.scope, group.tier, group.path),
            data=None,
            moves=(),
        )
    contents = Contents(tuple(map(Written, entries.values())), state.own)
    text = shelf.form.render(group.scope, group.tier, group.path, contents)
    back = shelf.form.parse(group.scope, text)
    if {
        memory.entry.document.key: memory.entry for memory in back.memories
    } != entries or back.own != state.own:
        raise ArchiveFailed(
            "{path!r} cannot be written so that it reads the same",
            path=group.path,
            hint="report this",
        )
    path, data = shelf.packed(group.path, text)
    place = Place(group.scope, group.tier, path)
    if (same := _find_unchanged_content(shelf, state, place, text)) is not None:
        data = same
    return _Plan(
        group=group,
        state=state,
        place=place,
        data=data,
        moves=tuple(_iter_group_moves(tiers, group, state, place)),
    )


def _find_unchanged_content(
    shelf: Shelf, state: FileState, place: Place, text: str
) -> bytes | None:
    """Return the content of a file that already holds `text`.

    Sealing the same text again would give other bytes.
    """
    held = state.held.get(place.path)
    if held is None or held.wrong:
        return None
    is_same = (
        shelf.form.render(place.scope, place.tier, shelf.plain(place.path), held.contents) == text
    )
    return (
        held.data
        if is_same and not any(memory.is_edited for memory in held.contents.memories)
        else None
    )


def _iter_group_moves(tiers: Tiers, group: Group, state: FileState, place: Place) -> Iterator[Move]:
    arriving = {arrival.entry.document.key for arrival in group.arriving}
    for key, (row, entry, replaced) in state.living.items():
        document = entry.document
        if key not in arriving and (row.place, row.content_hash) != (place, document.content_hash):
            fresh = row._replace(
                place=place,
                content_hash=document.content_hash,
                tokens=estimate_tokens(document.text),
                stands=retention.is_told_at_any_age(document),
            )
            yield Move(entry, fresh, row, replaced)
    for arrival in group.arriving:
        yield Move(
            in_hot(arrival.entry), lives_at(place, arrival.entry, arrival, tiers), arrival.before
        )


def _finish_plan_write(
    tiers: Tiers,
    plan: _Plan,
    first: str | ArchiveFailed,
    marks: dict[Place, StalePlace],
    done: Outcome,
) -> tuple[_Plan, str] | None:
    """Return the plan of a written file and the file's revision.

    Where the file was changed by someone meanwhile, a new plan is made and written.
    """
    now, tried = plan, first
    for _ in range(_TRIES):
        if (
            not isinstance(tried, ArchiveConflict)
            or (again := _try_group_plan(tiers, plan.group, done)) is None
        ):
            break
        now = again
        if now.place not in marks:
            marks |= {stale.place: stale for stale in tiers.journal.mark_stale([now.place])}
        tried = _try_plan_write(tiers, now)
    if isinstance(tried, ArchiveFailed):
        done.wrong.append(tried.in_full)
        return None
    there = now.state.held.get(now.place.path)
    done.written += now.data is not None and not (there is not None and there.data == now.data)
    done.wrong += now.state.wrong
    done.mended.update(now.state.wrong)
    return now, tried


def _try_plan_write(tiers: Tiers, plan: _Plan) -> str | ArchiveFailed:
    """Write the file of a plan unless its content is the same already; return its revision.

    Returns '' where the file is to be deleted, or the error that prevented the write.
    """
    try:
        return _write_plan_file(tiers, plan)
    except ArchiveFailed as error:
        return error


def _write_plan_file(tiers: Tiers, plan: _Plan) -> str:
    shelf = tiers.shelves[plan.group.tier]
    for path, held in plan.state.held.items():
        if held.wrong:  # a copy stays: a person may find something in it
            with suppress(ArchiveConflict):
                aside = f"{DAMAGED}/{held.revision[:8]}-{path.replace('/', '-')}"
                shelf.archive(plan.group.scope).write(aside, held.data, None)
    if plan.data is None:
        return ""
    there = plan.state.held.get(plan.place.path)
    if there is not None and there.data == plan.data:
        return there.revision
    return shelf.write(plan.place, plan.data, there.revision if there else None)


def _drop_others(
    tiers: Tiers, plan: _Plan, marks: dict[Place, StalePlace], done: Outcome
) -> Iterator[tuple[StalePlace, str]]:
    """Delete the files under other names of a written file, or all where no memory lives there."""
    archive = tiers.shelves[plan.group.tier].archive(plan.group.scope)
    for path, held in plan.state.held.items():
        place = Place(plan.group.scope, plan.group.tier, path)
        if plan.data is not None and place == plan.place:
            continue
        try:
            archive.delete(path, held.revision)
        except ArchiveFailed as error:  # it stays marked
            done.wrong.append(str(error))
            continue
        if place in marks:
            yield marks[place], ""


def _count_plan_moves(done: Outcome, written: Sequence[_Plan], refused: Sequence[Move]) -> None:
    moves = [move for plan in written for move in plan.moves if move not in refused]
    done.corrected += sum(1 for move in moves if move.before and _is_corrected(move))
    arrived = {
        (arrival.entry.document.scope, arrival.entry.document.key)
        for plan in written
        for arrival in plan.group.arriving
    }
    done.moved += sum(
        1 for move in moves if (move.entry.document.scope, move.entry.document.key) in arrived
    )


def _is_corrected(move: Move) -> bool:
    return bool(move.before and move.to and move.before.content_hash != move.to.content_hash)


def _join_own_lines(own: str, more: str) -> str:
    return own if not more or more == own else f"{own}\n\n{more}".strip("\n")


def _name_archive_file(shelf: Shelf, place: Place) -> str:
    return f"{place.path} in {shelf.archive(place.scope).location}"
