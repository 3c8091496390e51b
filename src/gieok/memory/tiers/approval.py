"""Days that wait for a person's approval to go to cold, and answers to an archive's questions."""

import contextlib
import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from gieok.errors import ArchiveMissing
from gieok.flow import distil
from gieok.memory import observation
from gieok.memory.tiers import cold, move, note_file, questions, sync
from gieok.memory.tiers.note_file import NoteForm
from gieok.memory.tiers.questions import ArchiveQuestion
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import Arrival, Group, Outcome, Tiers
from gieok.model.archive import ArchivedMemory
from gieok.model.memory import Entry, Scope, Tier

_REJECTED = "archive.rejected"
#: The name of a day's file.
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")


class DueDay(NamedTuple):
    """Day that may go to cold: the number of its memories, their tokens, their files' bytes."""

    day: date
    memories: int
    tokens: int
    size_bytes: int


def list_due_days(tiers: Tiers, warm_days: int) -> list[DueDay]:
    """Return the days in warm that are over and were not rejected, oldest first.

    Raises StoreError, ArchiveFailed.
    """
    refused = tiers.journal.kept(_REJECTED)
    last = tiers.clock.now().astimezone(tiers.zone).date() - timedelta(days=warm_days)
    due_days: dict[date, DueDay] = {}
    for one in tiers.journal.places():
        if one.place.tier is Tier.WARM and one.day <= last and one.day.isoformat() not in refused:
            held = tiers.shelves[Tier.WARM].read(one.place)
            before = due_days.get(one.day, DueDay(one.day, 0, 0, 0))
            due_days[one.day] = DueDay(
                one.day,
                before.memories + one.memories,
                before.tokens + one.tokens,
                before.size_bytes + (len(held.data) if held else 0),
            )
    return sorted(due_days.values())


def approve_days(tiers: Tiers, days: Iterable[date]) -> Outcome:
    """Move days from warm to cold. The caller holds the lock. Raises StoreError."""
    wanted = set(days)
    tiers.journal.keep(_REJECTED, {}, [day.isoformat() for day in wanted])
    rows: list[ArchivedMemory] = []
    for one in tiers.journal.places():
        if one.place.tier is Tier.WARM:
            rows += [
                row
                for row in tiers.journal.archived(one.place.scope, place=one.place)
                if row.day in wanted
            ]
    return cold.move_to_cold(tiers, rows)


def reject_days(tiers: Tiers, days: Iterable[date]) -> None:
    """Keep days in warm until they are approved."""
    now = tiers.clock.now().isoformat()
    tiers.journal.keep(_REJECTED, {day.isoformat(): now for day in days})


def rejected(tiers: Tiers) -> list[date]:
    """Return the days that were rejected."""
    return sorted(date.fromisoformat(day) for day in tiers.journal.kept(_REJECTED))


def written_back(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> Outcome:
    """Write deleted memories back to their places.

    The caller holds the lock. Raises StoreError.
    """
    done, back = Outcome(), list[ArchiveQuestion]()
    if not asked:
        return done
    shelf = tiers.shelves[Tier.COLD]
    arriving: dict[tuple[Scope, str], list[Arrival]] = {}
    for one in asked:
        entry = next(iter(tiers.store.entries(one.scope, [one.key])), None)
        if entry is not None:
            came = cold.arrival(tiers, move.in_hot(entry))
            arriving.setdefault((one.scope, _find_memory_path(shelf, one, came)), []).append(came)
            back.append(one)
    groups = [
        Group(scope, Tier.COLD, path, tuple(some)) for (scope, path), some in arriving.items()
    ]
    done.add(move.carry_out_moves(tiers, groups))
    distil.deliver(tiers.journal, tiers.store)
    if not done.wrong:
        sync.settle_questions(tiers, asked)
    done.add(cold.relink(tiers, [(one.scope, one.key) for one in back]))
    return done


def _find_memory_path(shelf: Shelf, question: ArchiveQuestion, came: Arrival) -> str:
    """Return the plain path of a memory's former file, or of its new file where cold has moved.

    Cold has moved when another archive is configured for it.
    """
    path = shelf.plain(question.path)
    is_note = not _DAY.fullmatch(path)
    return (
        path
        if is_note == isinstance(shelf.form, NoteForm)
        else shelf.form.path(came.entry.document, came.day)
    )


def drop_beside(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> None:
    """Delete the notes of losing versions; the living version stays. Raises ArchiveFailed."""
    for one in asked:
        archive = tiers.shelves[Tier.COLD].archive(one.scope)
        with contextlib.suppress(ArchiveMissing):
            archive.delete(one.path, archive.read(one.path)[1])
        questions.drop_questions(tiers.journal, [(one.scope, one.key)])


def take_beside(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> Outcome:
    """Replace living versions by the versions in the notes beside them.

    The replaced version goes to the history. Raises StoreError, ArchiveFailed.
    """
    done = Outcome()
    for one in asked:
        shelf = tiers.shelves[Tier.COLD]
        text = _read_note_beside(tiers, one)
        live = next(iter(tiers.store.get(one.scope, [one.key])), None)
        row = next(iter(tiers.journal.archived(one.scope, keys=[one.key])), None)
        if text is None or live is None:
            done.wrong.append(f"{one.path} is gone")
            continue
        now = tiers.clock.now()
        distil.correct(
            tiers.journal, tiers.store, live, observation.corrected(live, text, now), now
        )
        if row is not None and row.place.tier is Tier.COLD:
            (entry,) = tiers.store.entries(one.scope, [one.key])
            group = Group(
                one.scope,
                Tier.COLD,
                shelf.plain(row.place.path),
                (_build_hot_arrival(tiers, entry),),
            )
            done.add(move.carry_out_moves(tiers, [group]))
            distil.deliver(tiers.journal, tiers.store)
        drop_beside(tiers, [one])
    return done


def _build_hot_arrival(tiers: Tiers, entry: Entry) -> Arrival:
    return cold.arrival(tiers, move.in_hot(entry))


def _read_note_beside(tiers: Tiers, question: ArchiveQuestion) -> str | None:
    """Return the text of the note that holds the losing version."""
    shelf = tiers.shelves[Tier.COLD]
    try:
        data, _ = shelf.archive(question.scope).read(question.path)
    except ArchiveMissing:
        return None
    return note_file.read_conflict_text(shelf.text(question.path, data))
