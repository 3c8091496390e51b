"""Conflicts: a person edited a memory in a file of an archive where the memory no longer lives.

The person's text wins, unless the memory was corrected in Gieok later. In the cold tier, the losing
version is kept in a note beside the file, and the person is asked. In the warm tier, a losing text
of the person stays in the file.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from gieok.errors import ArchiveConflict
from gieok.flow import distil
from gieok.flow.clean import cleaned
from gieok.memory import observation
from gieok.memory.tiers import note_file, questions
from gieok.memory.tiers.note_file import OURS, THEIRS
from gieok.memory.tiers.questions import ArchiveQuestion, ArchiveQuestionKind
from gieok.memory.tiers.retention import find_memory_day
from gieok.memory.tiers.shelf import Written
from gieok.memory.tiers.tiers import Arrival, Group, Tiers
from gieok.model.archive import Move
from gieok.model.memory import CORRECTED, Document, Entry, Tier


class Resolved(NamedTuple):
    """Result of a conflict: entries that return to a file, and the person's own text beside
    them.
    """

    arriving: tuple[Arrival, ...] = ()
    own: str = ""


def resolved(tiers: Tiers, group: Group, strays: Sequence[Written]) -> Resolved:
    """Take in memories that a person edited in a file where they no longer live.

    The person's text wins, unless the memory was corrected in Gieok since: then the correction
    wins. A losing version is kept in a note beside a file of the cold tier, and a question is
    asked; a losing text in a file of the warm tier stays there as the person's own. A memory that
    was forgotten meanwhile stays forgotten.
    """
    arrivals, own = list[Arrival](), list[str]()
    distil.deliver(tiers.journal, tiers.store)
    for stray in strays:
        theirs = cleaned(stray.entry.document)
        held = next(iter(tiers.store.get(theirs.scope, [theirs.key])), None)
        if held is None or held.text.strip() == theirs.text.strip():
            continue
        is_both = held.content_hash != theirs.content_hash
        is_newer_here = is_both and held.metadata.get(CORRECTED, "") > theirs.metadata.get(
            CORRECTED, ""
        )
        if is_both and group.tier is Tier.COLD:
            _keep_losing_version(
                tiers, group, theirs if is_newer_here else held, THEIRS if is_newer_here else OURS
            )
        elif is_newer_here:
            own.append(f"- {theirs.text}")
        if not is_newer_here:
            entry = _apply_person_correction(tiers, held, theirs, tiers.clock.now())
            arrivals.append(Arrival(entry, find_memory_day(entry.document, tiers.zone)))
    return Resolved(tuple(arrivals), "\n\n".join(own))


def _keep_losing_version(tiers: Tiers, group: Group, document: Document, whose: str) -> None:
    """Write the losing version to a note, and ask the person about it."""
    now = tiers.clock.now()
    path = _write_conflict_note(tiers, group, document, whose)
    question = ArchiveQuestion(
        what=ArchiveQuestionKind.EDITED,
        scope=document.scope,
        key=document.key,
        path=path,
        asked_at=now.isoformat(),
    )
    questions.store_questions(tiers.journal, [question])


def _write_conflict_note(tiers: Tiers, group: Group, document: Document, whose: str) -> str:
    """Write a version to a note beside a file; return the path of the note."""
    shelf = tiers.shelves[group.tier]
    text = note_file.format_conflict_note(document, tiers.zone, group.path)
    day = tiers.clock.now().astimezone(tiers.zone).date()
    archive = shelf.archive(document.scope)
    for number in range(1, 100):
        path, data = shelf.packed(
            note_file.build_conflict_path(group.path, day, whose, number), text
        )
        try:
            archive.write(path, data, None)
        except ArchiveConflict:
            if archive.read(path)[0] == data:  # written before a kill
                return path
        else:
            return path
    raise ArchiveConflict(
        "a hundred versions lie beside {path!r}",
        path=group.path,
        hint="`gieok archive pending` names them",
    )


def _apply_person_correction(
    tiers: Tiers, held: Document, theirs: Document, now: datetime
) -> Entry:
    """Put a person's version of a memory into hot, and return its entry."""
    fresh = observation.corrected(held, theirs.text, now)
    row = next(iter(tiers.journal.archived(held.scope, keys=[held.key])), None)
    if row is None:
        distil.correct(tiers.journal, tiers.store, held, fresh, now)
    else:
        tiers.journal.archive([Move(fresh, None, row, held)])
        distil.deliver(tiers.journal, tiers.store)
    return next(iter(tiers.store.entries(held.scope, [held.key])))
