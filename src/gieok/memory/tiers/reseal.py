"""Resealing of tier files, after the key was changed, or sealing was switched on or off.

File by file: the content is sealed in memory, opened again and compared, written, and read back;
only then the old file is deleted. So nothing is in the clear on a disk that was not before, and
after a kill each file is in its old or its new state: both can be opened until all are done.
Running it again resumes.
"""

from collections.abc import Callable, Iterator

from gieok.errors import ArchiveFailed
from gieok.flow.distil import deliver
from gieok.memory.tiers import move
from gieok.memory.tiers.shelf import Shelf
from gieok.memory.tiers.tiers import LOCK, Group, Outcome, Tiers
from gieok.model.archive import Place
from gieok.model.memory import Scope
from gieok.ports.archive import KeyedSealer


def reseal_tiers(tiers: Tiers, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Seal every file of the tiers with the first of their sealers; name the files that fail.

    Raises StoreError.
    """
    done = Outcome()
    with tiers.journal.exclusive(LOCK):
        deliver(tiers.journal, tiers.store)
        for shelf, scope in _iter_scoped_shelves(tiers):
            try:
                for path in [file.path for file in shelf.archive(scope).files()]:
                    _reseal_file(tiers, shelf, Place(scope, shelf.tier, path), done)
                    progress(done.written)
            except ArchiveFailed as error:
                done.wrong.append(error.in_full)
        deliver(tiers.journal, tiers.store)
    return done


def count_sealed_files(tiers: Tiers) -> tuple[int, int]:
    """Return how many files of the tiers are sealed, and how many are in the clear.

    Raises ArchiveFailed.
    """
    sealed = clear = 0
    for shelf, scope in _iter_scoped_shelves(tiers):
        ends = tuple(sealer.suffix for sealer in shelf.sealers if sealer.suffix)
        for file in shelf.archive(scope).files():
            is_sealed = bool(ends) and file.path.endswith(ends)
            sealed, clear = sealed + is_sealed, clear + (not is_sealed)
    return sealed, clear


def _iter_scoped_shelves(tiers: Tiers) -> Iterator[tuple[Shelf, Scope]]:
    scopes = {
        *tiers.journal.made_scopes(),
        *(archived.place.scope for archived in tiers.journal.places()),
    }
    for tier in sorted(tiers.shelves):
        for scope in sorted(scopes):
            yield tiers.shelves[tier], scope


def _reseal_file(tiers: Tiers, shelf: Shelf, place: Place, done: Outcome) -> None:
    """Seal one file again unless it is sealed as required."""
    archive, sealer = shelf.archive(place.scope), shelf.sealers[0]
    old = next(
        (
            candidate
            for candidate in shelf.sealers
            if candidate.suffix and place.path.endswith(candidate.suffix)
        ),
        None,
    )
    path = place.path.removesuffix(old.suffix if old else "") + sealer.suffix
    if path == place.path:
        if isinstance(sealer, KeyedSealer):
            _change_key(tiers, shelf, place, sealer, done)
        return
    plain = shelf.plain(place.path)
    data, revision = archive.read(place.path)
    content = old.open(data) if old else data
    sealed = sealer.seal(content)
    _require_same_content(place.path, sealer.open(sealed), content)
    if tiers.journal.archived(place.scope, place=place):
        done.add(move.carry_out_moves(tiers, [Group(place.scope, place.tier, plain)]))
        return
    # No memory lives there: a copy of a damaged file, or the rest of a killed move.
    shelf.write(place._replace(path=path), sealed, None)
    archive.delete(place.path, revision)
    done.written += 1


def _change_key(
    tiers: Tiers, shelf: Shelf, place: Place, sealer: KeyedSealer, done: Outcome
) -> None:
    """Seal a file with the new key, under the same name, and record its revision in the journal."""
    data, revision = shelf.archive(place.scope).read(place.path)
    try:
        if sealer.is_current(data):
            return
        content = sealer.open(data)
    except ArchiveFailed as error:
        done.wrong.append(
            f"{place.path!r} in {shelf.archive(place.scope).location}: {error} ({error.hint})"
        )
        return
    sealed = sealer.seal(content)
    _require_same_content(place.path, sealer.open(sealed), content)
    marks = (
        tiers.journal.mark_stale([place])
        if tiers.journal.archived(place.scope, place=place)
        else []
    )
    fresh = shelf.write(place, sealed, revision)
    tiers.journal.settle([(mark, fresh) for mark in marks])
    done.written += 1


def _require_same_content(path: str, found: bytes, wanted: bytes) -> None:
    if found != wanted:
        raise ArchiveFailed(
            "{path!r} does not open as it was sealed",
            path=path,
            hint="the file is left as it was; report this",
        )
