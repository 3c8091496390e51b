"""Locates memories that are to be forgotten, and copies that Gieok cannot reach."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.errors import ArchiveFailed
from gieok.home.call import Call
from gieok.home.commits import has_committed
from gieok.memory import observation
from gieok.model.memory import IMPORTED, Document, Scope, Tier
from gieok.text.messages import Words

_REVISIONS = Words(
    "a service that keeps or syncs it may hold earlier revisions for a while: delete them there"
)
_IMPORTED = Words("it was imported from here; it is not imported again")


_COMMITTED = "git keeps what was committed of a deleted record"
_MAYBE_COMMITTED = "git could not be asked; it keeps what was committed of a deleted record"


class RemovedFrom(NamedTuple):
    """Number of items removed from one kind of place, and where that place is.

    The kinds are `hot`, `warm`, `cold`, `index`, `history` and `messages`.
    """

    kind: str
    number: int
    place: str = ""


def locate_documents(
    call: Call, chosen: Mapping[Scope, Mapping[str, Document]]
) -> tuple[tuple[RemovedFrom, ...], list[tuple[str, str]]]:
    """Return the tiers in which documents are, and (place, reason) of copies that stay."""
    counts: Counter[tuple[str, str]] = Counter()
    sources: set[str] = set()
    for scope, documents in chosen.items():
        archived = call.home.journal.archived(scope, keys=sorted(documents))
        tiers = {entry.key: entry.place.tier for entry in archived}
        for key, document in documents.items():
            tier = tiers.get(key, Tier.HOT)
            is_ours = key.startswith(observation.PREFIX)
            counts[
                (tier.value if is_ours else "index", _find_tier_location(call, scope, tier))
            ] += 1
            if document.metadata.get(IMPORTED):
                sources |= {
                    origin.source
                    for origin in document.provenance
                    if _is_source_present(origin.source)
                }
    still = [(place, _REVISIONS.say(call.lang)) for kind, place in counts if kind == Tier.COLD]
    still += [(source, _IMPORTED.say(call.lang)) for source in sorted(sources)]
    return tuple(
        RemovedFrom(kind, number, place) for (kind, place), number in sorted(counts.items())
    ), still


def find_in_git(call: Call, records: Iterable[Path]) -> list[tuple[str, str]]:
    """Return (place, reason) of the folders whose records git holds in a commit."""
    reasons: dict[str, str] = {}
    for file in sorted(records):
        folder = str(file.parent)
        if reasons.get(folder) == _COMMITTED or not _is_in_repository(file):
            continue  # a process of git for each file takes long where there are many
        is_committed = has_committed(call.home, file)
        if is_committed is None:
            reasons.setdefault(folder, _MAYBE_COMMITTED)
        elif is_committed:
            reasons[folder] = _COMMITTED
    return list(reasons.items())


def _is_in_repository(file: Path) -> bool:
    return any((folder / ".git").exists() for folder in file.parents)


def build_removed_counts(**numbers: int) -> tuple[RemovedFrom, ...]:
    """Return the counts of kinds that have no place of their own."""
    return tuple(RemovedFrom(kind, number) for kind, number in numbers.items() if number)


def _find_tier_location(call: Call, scope: Scope, tier: Tier) -> str:
    shelf = call.home.tiers.shelves.get(tier)
    try:
        return shelf.archive(scope).location if shelf else ""
    except ArchiveFailed as error:
        return str(error)


def _is_source_present(source: str) -> bool:
    """Return whether a source file exists, or the archive that contains the file."""
    return any(path.is_file() for path in (Path(source), *Path(source).parents))
