"""Two-way sync between the cold tier and a person's edits in its files.

A changed file is taken in as its person's word. A renamed or moved file is followed by Gieok's mark
in it. A deleted file is asked about: until the answer, its memory lives in hot, so that nothing is
lost whatever happens to the index. Where half of all files vanished at once, one question is asked
for all. Files of others, and the copies that sync programs make of conflicts, are left alone.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from gieok.errors import ArchiveFailed, ArchiveMissing
from gieok.flow.distil import deliver
from gieok.memory.tiers import cold, move, note_file, questions, sweep
from gieok.memory.tiers.note_file import BrokenNote, NoteForm
from gieok.memory.tiers.questions import ArchiveQuestion, ArchiveQuestionKind
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.sweep import KEPT
from gieok.memory.tiers.tiers import Group, Outcome, Tiers
from gieok.model.archive import ArchivedMemory, Move, Place
from gieok.model.memory import Entry, Scope, Tier
from gieok.ports.archive import Archive, ArchivedFile
from gieok.text import filenames

_REALM = "archive.sync:"
_CURSOR, _AGAIN = "cursor", "again"
#: So many files, and half of all at least, gone at once: a folder was deleted or is not
#: synchronised yet.
_MANY = 10
VANISHED = "vanished"
#: A memory that a question is about stays in hot until the answer.
_UNTIL_ANSWERED = timedelta(days=36_500)


@dataclass(slots=True)
class Synced(Outcome):
    """Outcome of a sync, with files that were followed, new questions, and files that came back."""

    followed: int = 0
    asked: int = 0
    returned: int = 0


@dataclass(slots=True)
class _Look:
    """Files of one archive to look at, by path as `filenames.fold_file_name` normalises it."""

    archive: Archive
    rows: dict[str, list[ArchivedMemory]]
    files: dict[str, ArchivedFile | str] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)
    followed: set[cold.Whose] = field(default_factory=set)
    touched: set[cold.Whose] = field(default_factory=set)


def sync_cold_tier(tiers: Tiers) -> Synced:
    """Take in a person's changes in the files of the cold tier.

    The caller holds the lock. Raises StoreError, ArchiveFailed.
    """
    synced, shelf = Synced(), tiers.shelves[Tier.COLD]
    deliver(tiers.journal, tiers.store)
    by_location: dict[str, _Look] = {}
    for row in cold.in_cold(tiers):
        archive = shelf.archive(row.place.scope)
        look = by_location.setdefault(archive.location, _Look(archive, {}))
        look.rows.setdefault(filenames.fold_file_name(row.place.path), []).append(row)
    for question in questions.load_questions(
        tiers.journal
    ):  # what returned is known by its question
        archive = shelf.archive(question.scope)
        by_location.setdefault(archive.location, _Look(archive, {}))
    for look in by_location.values():
        _sync_cold_archive(tiers, shelf, look, synced)
    return synced


def is_edited(tiers: Tiers) -> bool:
    """Say whether a file of the cold tier with a living memory differs from what Gieok wrote.

    Raises ArchiveFailed.
    """
    shelf = tiers.shelves.get(Tier.COLD)
    if shelf is None:
        return False
    rows: dict[str, list[ArchivedMemory]] = {}
    archives: dict[str, Archive] = {}
    for row in cold.in_cold(tiers):
        archive = shelf.archive(row.place.scope)
        archives.setdefault(archive.location, archive)
        rows.setdefault(filenames.fold_file_name(row.place.path), []).append(row)
    for location, archive in archives.items():
        look = _Look(archive, rows)
        file_changes = archive.changes(tiers.journal.kept(_REALM + location).get(_CURSOR, ""))
        if any(
            not _is_unchanged_file(look, path, file)
            for file in file_changes.files
            if (path := filenames.fold_file_name(file.path)) in rows
        ):
            return True
    return False


def _sync_cold_archive(tiers: Tiers, shelf: Shelf, look: _Look, done: Synced) -> None:
    realm = _REALM + look.archive.location
    kept_values = tiers.journal.kept(realm)
    cursor = kept_values.get(_CURSOR, "")
    file_changes = look.archive.changes(cursor)
    again = json.loads(kept_values.get(_AGAIN, "[]"))
    look.files = {filenames.fold_file_name(path): path for path in again}
    look.files |= {
        filenames.fold_file_name(changed_file.path): changed_file
        for changed_file in file_changes.files
    }
    gone = _find_vanished_memories(
        look,
        {filenames.fold_file_name(path) for path in file_changes.removed}
        | set(map(filenames.fold_file_name, again)),
        cursor,
    )
    changed = [
        (path, file)
        for path, file in look.files.items()
        if not _is_unchanged_file(look, path, file)
    ]
    if isinstance(shelf.form, NoteForm):
        _sync_unknown_notes(
            tiers, shelf, look, [file for path, file in changed if path not in look.rows], done
        )
    _take_in_edited_files(
        tiers, shelf, look, [path for path, _ in changed if path in look.rows], done
    )
    _ask_about_vanished(
        tiers, look, [row for row in gone if (row.place.scope, row.key) not in look.followed], done
    )
    done.add(cold.relink(tiers, look.touched | look.followed))
    if file_changes.cursor != cursor or look.again != again:
        tiers.journal.keep(
            realm,
            {_CURSOR: file_changes.cursor, _AGAIN: json.dumps(look.again, ensure_ascii=False)},
        )


def _is_unchanged_file(look: _Look, path: str, file: ArchivedFile | str) -> bool:
    """Say whether a file is as Gieok wrote it."""
    rows = look.rows.get(path, ())
    return (
        isinstance(file, ArchivedFile)
        and bool(rows)
        and all(row.revision == file.revision for row in rows)
    )


def _find_vanished_memories(look: _Look, removed: set[str], cursor: str) -> list[ArchivedMemory]:
    """Return the memories that lived in files that are gone.

    A cursor that begins anew reports no removed files: then each file is looked for.
    """
    same = sum(1 for path, file in look.files.items() if _is_unchanged_file(look, path, file))
    if not cursor or same * 2 > len(look.rows):
        removed = removed | (look.rows.keys() - look.files.keys())
    return [
        row
        for path in sorted(removed & look.rows.keys())
        for row in look.rows[path]
        if _is_archived_file_missing(look, row)
    ]


def _is_archived_file_missing(look: _Look, row: ArchivedMemory) -> bool:
    try:
        look.archive.read(row.place.path)
    except ArchiveMissing:
        return True
    return False


# Notes at a path where nothing lives: renamed, moved, copied, returned, or a person's own.


def _sync_unknown_notes(
    tiers: Tiers, shelf: Shelf, look: _Look, files: Iterable[ArchivedFile | str], done: Synced
) -> None:
    by_handle = {
        note_file.build_note_handle(row.place.scope, row.key): row
        for rows in look.rows.values()
        for row in rows
    }
    deletion_questions = {
        question.handle: question
        for question in questions.load_questions(tiers.journal)
        if question.what is ArchiveQuestionKind.DELETED
    }
    followed: list[Place] = []
    for file in files:
        path = file.path if isinstance(file, ArchivedFile) else file
        if note_file.is_copy(path):
            continue
        try:
            note, revision = _read_archived_note(shelf, look.archive, path)
        except ArchiveMissing:
            continue
        except BrokenNote as error:
            done.wrong.append(f"{path}: {error}")
            look.again.append(path)
            continue
        row = by_handle.get(note.handle) if note else None
        if note and row and _is_archived_file_missing(look, row):
            followed += _follow_moved_note(
                tiers, look, row, Place(row.place.scope, Tier.COLD, path), revision, done
            )
        elif note and note.handle in deletion_questions:
            _take_back_returned_note(tiers, deletion_questions[note.handle], path, done)
            look.touched.add(
                (deletion_questions[note.handle].scope, deletion_questions[note.handle].key)
            )
    groups = [Group(place.scope, Tier.COLD, shelf.plain(place.path)) for place in followed]
    done.add(move.carry_out_moves(tiers, groups))
    deliver(tiers.journal, tiers.store)


def _read_archived_note(
    shelf: Shelf, archive: Archive, path: str
) -> tuple[note_file.ReadNote | None, str]:
    """Return a note and its revision. Raises ArchiveMissing, BrokenNote."""
    data, revision = archive.read(path)
    return note_file.read_note(shelf.text(path, data)), revision


def _follow_moved_note(
    tiers: Tiers, look: _Look, row: ArchivedMemory, place: Place, revision: str, done: Synced
) -> list[Place]:
    """Let a memory live where its note was moved to."""
    entries = tiers.store.entries(row.place.scope, [row.key])
    refused = tiers.journal.archive(
        [Move(entry, row._replace(place=place, revision=revision), row) for entry in entries]
    )
    if not entries or refused:
        return []
    look.followed.add((row.place.scope, row.key))
    done.followed += 1
    return [place]


def _take_back_returned_note(
    tiers: Tiers, question: ArchiveQuestion, path: str, done: Synced
) -> None:
    """Let a memory live again in a file that came back: its disk was away, the file not deleted."""
    entry = next(iter(tiers.store.entries(question.scope, [question.key])), None)
    if entry is None:
        return
    group = Group(question.scope, Tier.COLD, path, (cold.arrival(tiers, entry),))
    outcome = move.carry_out_moves(tiers, [group])
    done.add(outcome)
    if outcome.moved:
        settle_questions(tiers, [question])
        done.returned += 1


# Files in which something lives.


def _take_in_edited_files(
    tiers: Tiers, shelf: Shelf, look: _Look, paths: Sequence[str], done: Synced
) -> None:
    """Take in what a person changed in files."""
    groups: list[Group] = []
    emptied: list[ArchivedMemory] = []
    for path in paths:
        rows = look.rows[path]
        place = rows[0].place
        try:
            gone = _find_removed_memories(tiers, shelf, look.archive, place, rows)
        except ArchiveMissing:
            continue
        except BrokenNote as error:
            done.wrong.append(f"{place.path}: {error}")
            look.again.append(place.path)
            continue
        emptied += gone
        look.touched |= {(row.place.scope, row.key) for row in rows}
        if not gone:
            groups.append(Group(place.scope, Tier.COLD, shelf.plain(place.path)))
    done.add(move.carry_out_moves(tiers, groups))
    deliver(tiers.journal, tiers.store)
    _ask_about_deletion(tiers, look, emptied, done)


def _find_removed_memories(
    tiers: Tiers, shelf: Shelf, archive: Archive, place: Place, rows: Sequence[ArchivedMemory]
) -> list[ArchivedMemory]:
    """Return the memories that a person took out of a file.

    A note that lost Gieok's comment gets the comment again.
    """
    held = shelf.read(place)
    if held is None:
        raise ArchiveMissing(place.path)
    if not held.wrong:
        there = {memory.entry.document.key for memory in held.contents.memories}
        return [row for row in rows if row.key not in there]
    if not isinstance(shelf.form, NoteForm):
        raise BrokenNote(held.wrong)
    note, revision = _read_archived_note(shelf, archive, place.path)
    entry = next(iter(tiers.store.entries(place.scope, [rows[0].key])), None)
    if note is None or note.entry is not None or entry is None:
        raise BrokenNote(held.wrong)
    text = shelf.form.restore_comment(shelf.text(place.path, held.data), move.in_hot(entry))
    archive.write(place.path, shelf.packed(shelf.plain(place.path), text)[1], revision)
    return []


# Files that are gone.


def _ask_about_vanished(
    tiers: Tiers, look: _Look, rows: Sequence[ArchivedMemory], done: Synced
) -> None:
    gone = {row.place for row in rows}
    is_many = len(gone) >= _MANY and len(gone) * 2 >= len(look.rows)
    _ask_about_deletion(tiers, look, rows, done, VANISHED if is_many else "")


def _ask_about_deletion(
    tiers: Tiers, look: _Look, rows: Sequence[ArchivedMemory], done: Synced, group: str = ""
) -> None:
    """Ask whether to forget memories; until the answer they live in hot."""
    now = tiers.clock.now()
    new_questions: list[ArchiveQuestion] = []
    moves: list[Move] = []
    for row, entry in _pair_rows_with_entries(tiers, rows):
        new_questions.append(
            ArchiveQuestion(
                what=ArchiveQuestionKind.DELETED,
                scope=row.place.scope,
                key=row.key,
                path=row.place.path,
                asked_at=now.isoformat(),
                group=group,
            )
        )
        moves.append(Move(move.in_hot(entry), None, row))
    questions.store_questions(tiers.journal, new_questions)
    for question in new_questions:
        until = (now + _UNTIL_ANSWERED).isoformat()
        tiers.journal.keep(KEPT + question.scope.path, {question.key: until})
    refused = tiers.journal.archive(moves)
    questions.drop_questions(
        tiers.journal, [(m.entry.document.scope, m.entry.document.key) for m in refused]
    )
    deliver(tiers.journal, tiers.store)
    look.touched |= {(question.scope, question.key) for question in new_questions}
    done.asked += len(moves) - len(refused)


def _pair_rows_with_entries(
    tiers: Tiers, rows: Sequence[ArchivedMemory]
) -> list[tuple[ArchivedMemory, Entry]]:
    pairs: list[tuple[ArchivedMemory, Entry]] = []
    by_scope: dict[Scope, list[ArchivedMemory]] = {}
    for row in rows:
        by_scope.setdefault(row.place.scope, []).append(row)
    for scope, some in by_scope.items():
        entries = {
            entry.document.key: entry
            for entry in tiers.store.entries(scope, [row.key for row in some])
        }
        pairs += [(row, entries[row.key]) for row in some if row.key in entries]
    return pairs


def settle_questions(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> None:
    """Drop questions, and let the memories that they were about age as before."""
    for question in asked:
        tiers.journal.keep(KEPT + question.scope.path, {}, [question.key])
    questions.drop_questions(tiers.journal, [(question.scope, question.key) for question in asked])


def sweep_cold_tier(tiers: Tiers) -> list[str]:
    """Leave in files only living memories, and no forgotten text; return the failures.

    Notes are named after their text: so the cursors, which hold those names, are dropped and read
    anew by the next run. See `sweep.sweep_stale_places`.
    """
    is_cold = any(stale.place.tier is Tier.COLD for stale in tiers.journal.stale_places())
    wrong = list(sweep.sweep_stale_places(tiers).failed)
    if is_cold:
        for realm in tiers.journal.realms(_REALM):
            tiers.journal.keep(realm, {}, tiers.journal.kept(realm))
    open_questions = questions.load_questions(tiers.journal)
    if open_questions and Tier.COLD in tiers.shelves:
        wrong += _drop_forgotten(tiers, open_questions)
    return wrong


def _drop_forgotten(tiers: Tiers, asked: Sequence[ArchiveQuestion]) -> list[str]:
    """Drop questions about memories that are gone, with the conflict notes beside their files."""
    wrong: list[str] = []
    deliver(tiers.journal, tiers.store)
    for question in asked:
        if tiers.store.get(question.scope, [question.key]):
            continue
        try:
            if question.what is ArchiveQuestionKind.EDITED:
                archive = tiers.shelves[Tier.COLD].archive(question.scope)
                archive.delete(question.path, archive.read(question.path)[1])
        except ArchiveMissing:
            pass
        except ArchiveFailed as error:
            wrong.append(f"{question.path}: {error}")
            continue
        settle_questions(tiers, [question])
    return wrong
