"""Moves from warm to cold, and the links between the notes in cold."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from gieok.errors import ArchiveFailed, ArchiveMissing
from gieok.flow.distil import deliver
from gieok.memory.tiers import move, note_file, retention
from gieok.memory.tiers.note_file import NO_LINKS, BrokenNote, NoteForm, NoteLinks
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import Arrival, Group, Outcome, Tiers
from gieok.model.archive import ArchivedMemory, Place
from gieok.model.memory import REPLACED_BY, Document, Entry, Scope, Tier

_AT_ONCE = 500

#: A memory by scope and key.
Whose = tuple[Scope, str]


def arrival(tiers: Tiers, entry: Entry, before: ArchivedMemory | None = None) -> Arrival:
    """Return the `Arrival` of a memory that is to live in cold."""
    return Arrival(
        entry,
        before.day if before else retention.find_memory_day(entry.document, tiers.zone),
        before,
    )


def move_to_cold(tiers: Tiers, rows: Sequence[ArchivedMemory]) -> Outcome:
    """Move memories from warm to cold.

    The caller holds the lock, and sweeps afterwards. Raises StoreError.
    """
    outcome = Outcome()
    if not rows:
        return outcome
    places = list(dict.fromkeys(row.place for row in rows))
    whose = {(row.place.scope, row.key) for row in rows}
    arriving: list[Arrival] = []
    for place in places:
        arriving += [
            memory
            for memory in _iter_living_arrivals(tiers, place, outcome)
            if (memory.entry.document.scope, memory.entry.document.key) in whose
        ]
        if len(arriving) >= _AT_ONCE:
            outcome.add(write_cold_arrivals(tiers, arriving))
            arriving = []
    outcome.add(write_cold_arrivals(tiers, arriving))
    outcome.add(relink(tiers, whose, are_fresh=True))
    return outcome


def write_cold_arrivals(tiers: Tiers, arriving: Sequence[Arrival]) -> Outcome:
    """Write memories to cold.

    Each goes to the note that it has there, else to the file that its form names.
    """
    form, groups = tiers.shelves[Tier.COLD].form, dict[tuple[Scope, str], list[Arrival]]()
    noted = _notes_left(tiers) if isinstance(form, NoteForm) else {}
    for memory in arriving:
        document = memory.entry.document
        path = noted.get((document.scope, document.key)) or form.path(document, memory.day)
        groups.setdefault((document.scope, path), []).append(memory)
    outcome = move.carry_out_moves(
        tiers,
        [Group(scope, Tier.COLD, path, tuple(some)) for (scope, path), some in groups.items()],
    )
    deliver(tiers.journal, tiers.store)
    return outcome


def _notes_left(tiers: Tiers) -> dict[Whose, str]:
    """Return memory → note that it left after a change, for notes that are not rewritten since."""
    notes = dict[Whose, str]()
    shelf = tiers.shelves[Tier.COLD]
    for stale in tiers.journal.stale_places():
        if stale.place.tier is not Tier.COLD or tiers.journal.archived(
            stale.place.scope, place=stale.place
        ):
            continue
        try:
            held = shelf.read(stale.place)
        except ArchiveFailed:
            continue
        for memory in held.contents.memories if held else ():
            notes[stale.place.scope, memory.entry.document.key] = shelf.plain(stale.place.path)
    return notes


def _iter_living_arrivals(tiers: Tiers, place: Place, done: Outcome) -> Iterator[Arrival]:
    shelf = tiers.shelves[place.tier]
    try:
        state = move.read_file_state(tiers, Group(place.scope, place.tier, shelf.plain(place.path)))
    except ArchiveFailed as error:
        done.wrong.append(error.in_full)
        return
    done.wrong += state.wrong
    for living in state.living.values():
        yield arrival(tiers, living.entry, living.row)


def relink(tiers: Tiers, touched: Iterable[Whose], *, are_fresh: bool = False) -> Outcome:
    """Rewrite the links between the notes of memories so that they lead to the current places.

    Includes the notes beside them in "newest wins". Notes that `are_fresh` have no links yet.
    """
    outcome, shelf = Outcome(), tiers.shelves[Tier.COLD]
    whose = set(touched)
    if not whose or not isinstance(shelf.form, NoteForm):
        return outcome
    rows = {(row.place.scope, row.key): row for row in in_cold(tiers)}
    shelf.form.links = find_note_links(rows, list(_iter_stored_documents(tiers, {*rows, *whose})))
    whose |= {
        memory
        for memory, note_links in shelf.form.links.items()
        if not whose.isdisjoint(note_links.of)
    }
    for memory in sorted(
        whose & (shelf.form.links.keys() if are_fresh else rows.keys()) & rows.keys()
    ):
        try:
            _rewrite_note_links(tiers, shelf.form, rows[memory])
        except (ArchiveMissing, BrokenNote):  # the next look at the archive tells
            continue
        except ArchiveFailed as error:
            outcome.wrong.append(error.in_full)
    return outcome


def in_cold(tiers: Tiers) -> Iterator[ArchivedMemory]:
    """Yield every memory that lives in cold."""
    for scope in dict.fromkeys(
        archived.place.scope
        for archived in tiers.journal.places()
        if archived.place.tier is Tier.COLD
    ):
        yield from (row for row in tiers.journal.archived(scope) if row.place.tier is Tier.COLD)


def _iter_stored_documents(tiers: Tiers, rows: Iterable[Whose]) -> Iterator[Document]:
    by_scope: dict[Scope, list[str]] = {}
    for scope, key in rows:
        by_scope.setdefault(scope, []).append(key)
    for scope, keys in by_scope.items():
        for start in range(0, len(keys), _AT_ONCE):
            yield from tiers.store.get(scope, keys[start : start + _AT_ONCE])


def find_note_links(
    rows: dict[Whose, ArchivedMemory], documents: Iterable[Document]
) -> dict[Whose, NoteLinks]:
    """Return the links of each note: to the memory that replaced its own, and to the replaced one.

    A link exists only where that memory has a note too.
    """
    newer, older, beside = (
        dict[Whose, Whose](),
        dict[Whose, list[Whose]](),
        dict[Whose, set[Whose]](),
    )
    for document in documents:
        memory, other = (
            (document.scope, document.key),
            (document.scope, document.metadata.get(REPLACED_BY, "")),
        )
        if not other[1]:
            continue
        beside.setdefault(memory, set()).add(other)
        beside.setdefault(other, set()).add(memory)
        if memory in rows and other in rows:
            newer[memory] = other
            older.setdefault(other, []).append(memory)

    def name(whose: Whose) -> str:
        return rows[whose].place.path.removesuffix(note_file.SUFFIX)

    return {
        memory: NoteLinks(
            name(newer[memory]) if memory in newer else "",
            tuple(sorted(name(other) for other in older.get(memory, ()))),
            frozenset(others),
        )
        for memory, others in beside.items()
    }


def _rewrite_note_links(tiers: Tiers, form: NoteForm, row: ArchivedMemory) -> None:
    shelf, place = tiers.shelves[Tier.COLD], row.place
    archive = shelf.archive(place.scope)
    data, revision = archive.read(place.path)
    text = shelf.text(place.path, data)
    note = note_file.read_note(text)
    links = form.links.get((place.scope, row.key), NO_LINKS)
    if revision != row.revision or note is None or note.links[:2] == links[:2]:
        return
    contents = form.parse(place.scope, text)
    again = form.render(place.scope, Tier.COLD, shelf.plain(place.path), contents)
    marks = tiers.journal.mark_stale([place])
    fresh = shelf.write(place, shelf.packed(shelf.plain(place.path), again)[1], revision)
    tiers.journal.settle([(mark, fresh) for mark in marks])


def taken(shelf: Shelf) -> Callable[[str, Document], bool]:
    """Return a test whether a path of a shelf belongs to another file than the note of a
    document.
    """

    def is_taken(path: str, document: Document) -> bool:
        return any(_is_another(shelf, spelling, document) for spelling in shelf.spellings(path))

    return is_taken


def _is_another(shelf: Shelf, path: str, document: Document) -> bool:
    try:
        data = shelf.archive(document.scope).read(path)[0]
    except ArchiveMissing:
        return False
    try:
        note = note_file.read_note(shelf.text(path, data))
    except (ArchiveFailed, BrokenNote):  # sealed, or changed by hand
        return True
    return note is None or note.handle != note_file.build_note_handle(document.scope, document.key)
