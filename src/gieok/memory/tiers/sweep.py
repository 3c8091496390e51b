"""Regular work on the tiers: due moves to warm, restored days, stale places, corrections."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta

from gieok.errors import ArchiveFailed
from gieok.flow.distil import deliver
from gieok.flow.durable import retier
from gieok.memory.tiers import cold, limits, move, retention
from gieok.memory.tiers.note_file import NoteForm
from gieok.memory.tiers.tiers import INCIDENT, LOCK, Arrival, Group, Outcome, Tiers
from gieok.model.archive import Move, Place
from gieok.model.conversation import Incident
from gieok.model.memory import Document, Entry, Scope, Tier
from gieok.places.scope import is_served
from gieok.ports.archive import Tidying

#: Memories that are moved at once.
_AT_ONCE = 1_000
_SWEEPS = 3
#: Realm of the journal: memories that a person brought back, and until when they stay in hot.
KEPT = "archive.kept:"


def tier_due_memories(tiers: Tiers) -> Outcome:
    """Take in corrections, move due memories from hot to warm, and sweep stale places.

    Others may write files of archives between batches, so nobody waits for all of a first night.
    Raises StoreError.
    """
    with tiers.journal.exclusive(LOCK):
        deliver(tiers.journal, tiers.store)
        outcome = _rewrite_changed_files(tiers, Tier.WARM)
        _restore_missing_entries(tiers, outcome)
    for scope in tiers.journal.made_scopes():
        if is_served(scope.path):
            continue  # a character remembers what is in hot
        outcome.add(
            _move_entries_to_shelf(
                tiers,
                Tier.WARM,
                select_leaving_entries(tiers, scope, _load_restored_keys(tiers, scope)),
            )
        )
    with tiers.journal.exclusive(LOCK):
        outcome.add(_rewrite_stale_places(tiers))
        _update_archive_incident(tiers, outcome)
    for store in tiers.beside():
        retier(tiers.journal, store)
    return outcome


def select_leaving_entries(
    tiers: Tiers, scope: Scope, kept: Mapping[str, datetime] | None = None
) -> list[Entry]:
    """Return the entries that are to leave hot: the due ones, then those beyond the limits.

    `kept` as in `retention.select_due_entries`.
    """
    entries, now, kept = tiers.journal.made(scope), tiers.clock.now(), kept or {}
    over = retention.select_due_entries(entries, tiers.rules, now, kept)
    gone = {entry.document.key for entry in over}
    rest = {entry.document.key: entry for entry in entries if entry.document.key not in gone}

    def may_leave(document: Document) -> bool:
        return retention.days_in_hot(document, tiers.rules) is not None and document.key not in kept

    early = limits.leave_early(
        (entry.document for entry in rest.values()), tiers.limits, now, may_leave
    )
    return [*over, *(rest[document.key] for document in early)]


def sweep_stale_places(tiers: Tiers) -> Outcome:
    """Leave in each stale place only the memories that live there.

    Costs one query where no place is stale. Raises StoreError.
    """
    if not tiers.journal.stale_places():
        return Outcome()
    with tiers.journal.exclusive(LOCK):
        deliver(tiers.journal, tiers.store)
        return _rewrite_stale_places(tiers)


def take_in_corrections(tiers: Tiers, tier: Tier = Tier.WARM) -> Outcome:
    """Take in people's changes in the files of a tier, and rewrite missing files.

    Raises StoreError.
    """
    with tiers.journal.exclusive(LOCK):
        deliver(tiers.journal, tiers.store)
        outcome = _rewrite_changed_files(tiers, tier)
        outcome.add(_rewrite_stale_places(tiers))
        _update_archive_incident(tiers, outcome)
        return outcome


def restore_day_to_hot(tiers: Tiers, scope: Scope, day: date) -> Outcome:
    """Bring the archived memories of a day back to hot, for thirty days at least.

    Raises StoreError.
    """
    until = (tiers.clock.now() + timedelta(days=retention.KEPT_DAYS)).isoformat()
    outcome = Outcome()
    with tiers.journal.exclusive(LOCK):
        rows = tiers.journal.archived(scope, day=day)
        moves = [
            returning
            for group in _group_places(tiers, {row.place for row in rows}, outcome)
            for returning in _iter_moves_to_hot(tiers, group, day, outcome)
        ]
        tiers.journal.keep(
            KEPT + scope.path, {returning.entry.document.key: until for returning in moves}
        )
        refused = tiers.journal.archive(moves)
        outcome.moved = len(moves) - len(refused)
        outcome.add(_rewrite_stale_places(tiers))
    return outcome


def drop_damaged(tiers: Tiers) -> Outcome:
    """Delete copies of unreadable files, and partial files.

    Nobody can tell which forgotten memories such a file holds.
    """
    outcome = Outcome()
    with tiers.journal.exclusive(LOCK):
        for scope in tiers.journal.made_scopes():
            try:
                archive = tiers.shelves[Tier.WARM].archive(scope)
                if isinstance(archive, Tidying):
                    archive.tidy()
                for file in [
                    archived_file
                    for archived_file in archive.files()
                    if archived_file.path.startswith(f"{move.DAMAGED}/")
                ]:
                    archive.delete(file.path, file.revision)
            except ArchiveFailed as error:
                outcome.wrong.append(str(error))
    return outcome


def iter_filed_entries(
    tiers: Tiers, stored: move.Stored
) -> Iterator[tuple[list[Entry], list[str]]]:
    """Yield the entries that live in each file, with their tier, and the file's faults.

    A memory that a file lacks is taken from `stored`, if it is there.
    """
    outcome = Outcome()
    for group in _group_places(tiers, {one.place for one in tiers.journal.places()}, outcome):
        try:
            state = move.read_file_state(tiers, group, stored)
            living_entries = [living.entry for living in state.living.values()]
        except ArchiveFailed as error:
            state = move.FileState(wrong=[error.in_full])
            places = (
                Place(group.scope, group.tier, path)
                for path in tiers.shelves[group.tier].spellings(group.path)
            )
            keys = [
                row.key
                for place in places
                for row in tiers.journal.archived(group.scope, place=place)
            ]
            living_entries = stored(group.scope, keys)
        yield (
            [
                one._replace(document=replace(one.document, tier=group.tier))
                for one in living_entries
            ],
            state.wrong,
        )
    yield [], outcome.wrong


def _iter_moves_to_hot(tiers: Tiers, group: Group, day: date, done: Outcome) -> Iterator[Move]:
    try:
        state = move.read_file_state(tiers, group)
    except ArchiveFailed as error:
        done.wrong.append(error.in_full)
        return
    done.wrong += state.wrong
    for row, entry, replaced in state.living.values():
        if row.day == day:
            yield Move(entry, None, row, replaced)


def _move_entries_to_shelf(tiers: Tiers, tier: Tier, entries: Sequence[Entry]) -> Outcome:
    """Move memories from hot to a tier, batch by batch, and tell the store."""
    outcome = Outcome()
    for start in range(0, len(entries), _AT_ONCE):
        groups = dict[tuple[Scope, str], list[Arrival]]()
        for entry in entries[start : start + _AT_ONCE]:
            arrival = Arrival(entry, retention.find_memory_day(entry.document, tiers.zone))
            path = tiers.shelves[tier].form.path(entry.document, arrival.day)
            groups.setdefault((entry.document.scope, path), []).append(arrival)
        with tiers.journal.exclusive(LOCK):
            outcome.add(
                move.carry_out_moves(
                    tiers, [Group(s, tier, path, tuple(some)) for (s, path), some in groups.items()]
                )
            )
            deliver(tiers.journal, tiers.store)
    return outcome


def _restore_missing_entries(tiers: Tiers, done: Outcome) -> None:
    """Give the store the archived memories that it lacks: it may be a new store."""
    for scope in tiers.journal.made_scopes():
        held = tiers.store.hashes(scope)
        lacking = [
            row for row in tiers.journal.archived(scope) if held.get(row.key) != row.content_hash
        ]
        keys = {row.key for row in lacking}
        for group in _group_places(tiers, {row.place for row in lacking}, done):
            try:
                living = move.read_file_state(tiers, group).living
            except ArchiveFailed as error:
                done.wrong.append(error.in_full)
                continue
            lacking_entries = [entry for key, (row, entry, _) in living.items() if key in keys]
            tiers.store.put(
                [
                    entry._replace(document=replace(entry.document, tier=group.tier))
                    for entry in lacking_entries
                ]
            )


def _rewrite_stale_places(tiers: Tiers) -> Outcome:
    """Rewrite stale places until only those are left that cannot be rewritten."""
    total, before = Outcome(), set[Place]()
    for archive in {id(a): a for a in _iter_stale_archives(tiers)}.values():
        archive.tidy()
    for _ in range(_SWEEPS):
        places = {
            stale.place
            for stale in tiers.journal.stale_places()
            if stale.place.tier in tiers.shelves
        }
        if places == before:
            break
        before = places
        groups = [
            _add_returning_memory(tiers, group) for group in _group_places(tiers, places, total)
        ]
        outcome = move.carry_out_moves(tiers, groups)
        outcome.moved = 0  # what came back to its own note never left for anybody who looks
        total.add(outcome)
        _settle_missing(tiers, places)
        deliver(tiers.journal, tiers.store)
        back = {
            (group.scope, arrival.entry.document.key)
            for group in groups
            for arrival in group.arriving
        }
        if back:
            total.add(cold.relink(tiers, back))
    return total


def _add_returning_memory(tiers: Tiers, group: Group) -> Group:
    """Return the group of a note's file, with the memory that left the note because it changed.

    The note is rewritten with the memory beside its person's words. Where the vault was unreachable
    since, the memory may be in warm by now. A memory that a person brought back to hot, or is asked
    about, stays there. A memory that the person changed in the note too is a conflict.
    """
    shelf = tiers.shelves[group.tier]
    if not isinstance(shelf.form, NoteForm):
        return group
    try:
        held = next(
            filter(None, (shelf.read(place) for place in _list_spelled_places(tiers, group))), None
        )
    except ArchiveFailed:
        return group
    written = (
        {memory.entry.document.key for memory in held.contents.memories if not memory.is_edited}
        if held
        else set()
    )
    if not written or any(
        tiers.journal.archived(group.scope, place=place)
        for place in _list_spelled_places(tiers, group)
    ):
        return group
    returning = written - _load_restored_keys(tiers, group.scope).keys()
    hot = (memory for memory in tiers.journal.made(group.scope) if memory.document.key in returning)
    arriving = [
        Arrival(memory, retention.find_memory_day(memory.document, tiers.zone)) for memory in hot
    ]
    for row in tiers.journal.archived(group.scope, keys=sorted(returning)):
        if row.place.tier is Tier.WARM:
            stored = (memory for memory in tiers.store.entries(group.scope, [row.key]))
            arriving += [
                cold.arrival(tiers, memory, row)
                for memory in stored
                if memory.document.content_hash == row.content_hash
            ]
    return replace(group, arriving=tuple(arriving))


def _list_spelled_places(tiers: Tiers, group: Group) -> list[Place]:
    """Return every place of a group's file: one for each name that its plain path may have."""
    paths = tiers.shelves[group.tier].spellings(group.path)
    return [Place(group.scope, group.tier, path) for path in paths]


def _iter_stale_archives(tiers: Tiers) -> Iterator[Tidying]:
    """Yield the archives of stale places in which a killed writer may have left partial files."""
    for stale in tiers.journal.stale_places():
        if stale.place.tier in tiers.shelves:
            with suppress(ArchiveFailed):
                archive = tiers.shelves[stale.place.tier].archive(stale.place.scope)
                if isinstance(archive, Tidying):
                    yield archive


def _settle_missing(tiers: Tiers, places: Iterable[Place]) -> None:
    """Drop the stale marks of names that have neither a file nor a memory."""
    for stale in tiers.journal.stale_places():
        if stale.place not in places or tiers.journal.archived(
            stale.place.scope, place=stale.place
        ):
            continue
        try:
            is_there = tiers.shelves[stale.place.tier].read(stale.place) is not None
        except ArchiveFailed:
            continue
        if not is_there:
            tiers.journal.settle([(stale, "")])


def _rewrite_changed_files(tiers: Tiers, tier: Tier) -> Outcome:
    """Rewrite the files of a tier whose content differs from the last write."""
    outcome, differing = Outcome(), set[Place]()
    there: dict[Scope, dict[str, str]] = {}
    for archived in tiers.journal.places():
        if archived.place.tier is not tier or tier not in tiers.shelves:
            continue
        try:
            if archived.place.scope not in there:
                files = tiers.shelves[tier].archive(archived.place.scope).files()
                there[archived.place.scope] = {file.path: file.revision for file in files}
        except ArchiveFailed as error:
            outcome.wrong.append(error.in_full)
            there[archived.place.scope] = {}
            continue
        if there[archived.place.scope].get(archived.place.path) != archived.revision:
            differing.add(archived.place)
    outcome.add(move.carry_out_moves(tiers, _group_places(tiers, differing, outcome)))
    deliver(tiers.journal, tiers.store)
    return outcome


def _group_places(tiers: Tiers, places: Iterable[Place], done: Outcome) -> list[Group]:
    """Return the files of places, each once under its plain path.

    A tier that is not configured is named in `done`.
    """
    groups = dict.fromkeys(
        Group(place.scope, place.tier, tiers.shelves[place.tier].plain(place.path))
        for place in sorted(places)
        if place.tier in tiers.shelves
    )
    for tier in sorted({place.tier for place in places} - set(tiers.shelves)):
        done.wrong.append(f"the {tier} tier is not configured, and holds memories")
    return list(groups)


def _load_restored_keys(tiers: Tiers, scope: Scope) -> dict[str, datetime]:
    """Return the keys that a person brought back, with the end of their stay; drop those
    expired.
    """
    now, realm = tiers.clock.now(), KEPT + scope.path
    stays = {key: datetime.fromisoformat(at) for key, at in tiers.journal.kept(realm).items()}
    over = [key for key, at in stays.items() if at <= now]
    if over:
        tiers.journal.keep(realm, {}, over)
    return {key: at for key, at in stays.items() if at > now}


def _update_archive_incident(tiers: Tiers, done: Outcome) -> None:
    """Open the incident of archive faults, or resolve it where there is none."""
    now = tiers.clock.now()
    if done.wrong:
        tiers.journal.raise_incident(
            Incident(
                name=INCIDENT, detail="; ".join(done.wrong[:5]), since=now, tries=1, next_try=now
            )
        )
    else:
        tiers.journal.resolve_incident(INCIDENT)
