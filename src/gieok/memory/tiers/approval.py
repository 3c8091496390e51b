"""Approval of days that wait to go to cold, and answers to an archive's questions."""

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
#: Name of the file of a day; a path without such a name is the note of one memory.
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")


class DueDay(NamedTuple):
    """Day in warm that may go to cold: its memories, their tokens, and the bytes of its files."""

    day: date
    memories: int
    tokens: int
    size_bytes: int


def list_due_days(tiers: Tiers, warm_days: int) -> list[DueDay]:
    """Return the days in warm that are `warm_days` old or older and not rejected, oldest first.

    Raises StoreError, ArchiveFailed.
    """
    refused = tiers.journal.kept(_REJECTED)
    last = tiers.clock.now().astimezone(tiers.zone).date() - timedelta(days=warm_days)
    due_days: dict[date, DueDay] = {}
    for archived in tiers.journal.places():
        if (
            archived.place.tier is Tier.WARM
            and archived.day <= last
            and archived.day.isoformat() not in refused
        ):
            held = tiers.shelves[Tier.WARM].read(archived.place)
            before = due_days.get(archived.day, DueDay(archived.day, 0, 0, 0))
            due_days[archived.day] = DueDay(
                archived.day,
                before.memories + archived.memories,
                before.tokens + archived.tokens,
                before.size_bytes + (len(held.data) if held else 0),
            )
    return sorted(due_days.values())


def approve_days(tiers: Tiers, days: Iterable[date]) -> Outcome:
    """Move days from warm to cold. The caller holds the lock. Raises StoreError."""
    approved = set(days)
    tiers.journal.keep(_REJECTED, {}, [day.isoformat() for day in approved])
    rows: list[ArchivedMemory] = []
    for archived in tiers.journal.places():
        if archived.place.tier is Tier.WARM:
            rows += [
                row
                for row in tiers.journal.archived(archived.place.scope, place=archived.place)
                if row.day in approved
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
    """Write memories whose files a person deleted back to the archive.

    The questions about them are settled where all files could be written. The caller holds the
    lock. Raises StoreError.
    """
    outcome, back = Outcome(), list[ArchiveQuestion]()
    if not asked:
        return outcome
    shelf = tiers.shelves[Tier.COLD]
    arriving: dict[tuple[Scope, str], list[Arrival]] = {}
    for question in asked:
        entry = next(iter(tiers.store.entries(question.scope, [question.key])), None)
        if entry is not None:
            came = cold.arrival(tiers, move.in_hot(entry))
            arriving.setdefault(
                (question.scope, _find_memory_path(shelf, question, came)), []
            ).append(came)
            back.append(question)
    groups = [
        Group(scope, Tier.COLD, path, tuple(some)) for (scope, path), some in arriving.items()
    ]
    outcome.add(move.carry_out_moves(tiers, groups))
    distil.deliver(tiers.journal, tiers.store)
    if not outcome.wrong:
        sync.settle_questions(tiers, asked)
    outcome.add(cold.relink(tiers, [(question.scope, question.key) for question in back]))
    return outcome


def _find_memory_path(shelf: Shelf, question: ArchiveQuestion, came: Arrival) -> str:
    """Return the plain path of a memory's former file, or a new path where cold has moved.

    Cold has moved where another archive is configured for it: then the former path may have the
    form of the other archive.
    """
    path = shelf.plain(question.path)
    is_note = not _DAY.fullmatch(path)
    return (
        path
        if is_note == isinstance(shelf.form, NoteForm)
        else shelf.form.path(came.entry.document, came.day)
    )


def drop_beside(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> None:
    """Delete the conflict notes with the losing versions; the stored versions stay.

    Raises ArchiveFailed.
    """
    for question in asked:
        archive = tiers.shelves[Tier.COLD].archive(question.scope)
        with contextlib.suppress(ArchiveMissing):
            archive.delete(question.path, archive.read(question.path)[1])
        questions.drop_questions(tiers.journal, [(question.scope, question.key)])


def take_beside(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> Outcome:
    """Replace stored versions by the losing versions in their conflict notes.

    The replaced version goes to the history. Raises StoreError, ArchiveFailed.
    """
    outcome = Outcome()
    for question in asked:
        shelf = tiers.shelves[Tier.COLD]
        text = _read_note_beside(tiers, question)
        live = next(iter(tiers.store.get(question.scope, [question.key])), None)
        row = next(iter(tiers.journal.archived(question.scope, keys=[question.key])), None)
        if text is None or live is None:
            outcome.wrong.append(f"{question.path} is gone")
            continue
        now = tiers.clock.now()
        distil.correct(
            tiers.journal, tiers.store, live, observation.corrected(live, text, now), now
        )
        if row is not None and row.place.tier is Tier.COLD:
            (entry,) = tiers.store.entries(question.scope, [question.key])
            group = Group(
                question.scope,
                Tier.COLD,
                shelf.plain(row.place.path),
                (_build_hot_arrival(tiers, entry),),
            )
            outcome.add(move.carry_out_moves(tiers, [group]))
            distil.deliver(tiers.journal, tiers.store)
        drop_beside(tiers, [question])
    return outcome


def _build_hot_arrival(tiers: Tiers, entry: Entry) -> Arrival:
    """Return the `Arrival` in cold of an entry.

    The entry's tier is set to hot first, because files do not record the tier.
    """
    return cold.arrival(tiers, move.in_hot(entry))


def _read_note_beside(tiers: Tiers, question: ArchiveQuestion) -> str | None:
    """Return the text of the conflict note with the losing version; None where it is gone."""
    shelf = tiers.shelves[Tier.COLD]
    try:
        data, _ = shelf.archive(question.scope).read(question.path)
    except ArchiveMissing:
        return None
    return note_file.read_conflict_text(shelf.text(question.path, data))
