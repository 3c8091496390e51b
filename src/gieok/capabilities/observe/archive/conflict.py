"""What was changed on both sides: in an archive's file by a person, and here. Both are kept; the person's lives on."""

from collections.abc import Sequence
from datetime import datetime

from gieok.capabilities.observe import observation
from gieok.capabilities.observe.archive import note_file, questions
from gieok.capabilities.observe.archive.questions import Asked, Question
from gieok.capabilities.observe.archive.retention import day_of
from gieok.capabilities.observe.archive.shelf import Shelf, Written
from gieok.capabilities.observe.archive.tiers import Arrival, Group, Tiers
from gieok.engine import distil
from gieok.engine.clean import cleaned
from gieok.errors import ArchiveConflict
from gieok.model.archive import Move
from gieok.model.memory import Document, Entry, Tier


def taken_in(tiers: Tiers, group: Group, strays: Sequence[Written]) -> list[Arrival]:
    """Return the memories that a person edited in a file where they live no more: they come back there as the person has them.

    What stood here is kept in a note beside it and in the history. What was forgotten meanwhile stays forgotten.
    """
    found: list[Arrival] = []
    for stray in strays:
        document = stray.entry.document
        distil.deliver(tiers.journal, tiers.store)
        held = next(iter(tiers.store.get(document.scope, [document.key])), None)
        if held is None or held.text.strip() == document.text.strip():
            continue
        now = tiers.clock.now()
        if group.tier is Tier.COLD and held.content_hash != document.content_hash:
            _keep(tiers, group, held, now)
        entry = _corrected(tiers, held, cleaned(document), now)
        found.append(Arrival(entry, day_of(entry.document, tiers.zone)))
    return found


def _keep(tiers: Tiers, group: Group, held: Document, now: datetime) -> None:
    """Write down what stood here, and ask."""
    shelf = tiers.shelves[group.tier]
    path = written(shelf, group, held, tiers, now)
    asked = Question(Asked.EDITED, held.scope, held.key, path, now.isoformat())
    questions.ask(tiers.journal, [asked])


def written(shelf: Shelf, group: Group, held: Document, tiers: Tiers, now: datetime) -> str:
    """Write Gieok's version beside a file; return its path."""
    text = note_file.conflict_note(held, tiers.zone, group.path)
    day = now.astimezone(tiers.zone).date()
    archive = shelf.archive(held.scope)
    for number in range(1, 100):
        plain = note_file.conflict_path(group.path, day, number)
        path, data = shelf.packed(plain, text)
        try:
            archive.write(path, data, None)
        except ArchiveConflict:
            if archive.read(path)[0] == data:  # written before a kill
                return path
        else:
            return path
    raise ArchiveConflict(f"a hundred versions lie beside {group.path!r}", hint="`gieok archive pending` names them")


def _corrected(tiers: Tiers, held: Document, theirs: Document, now: datetime) -> Entry:
    """Let what a person wrote live in hot, and return it as it stands there."""
    fresh = observation.corrected(held, theirs.text, now)
    row = next(iter(tiers.journal.archived(held.scope, keys=[held.key])), None)
    if row is None:
        distil.correct(tiers.journal, tiers.store, held, fresh, now)
    else:
        tiers.journal.archive([Move(fresh, None, row, held)])
        distil.deliver(tiers.journal, tiers.store)
    return next(iter(tiers.store.entries(held.scope, [held.key])))
