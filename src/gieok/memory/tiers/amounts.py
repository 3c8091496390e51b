"""How much of each scope is in each tier."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from gieok.memory.tiers import retention
from gieok.memory.tiers.tiers import Tiers
from gieok.model.archive import ArchivedPlace
from gieok.model.memory import Scope, Tier
from gieok.text.tokens import estimate_tokens


class TierRow(NamedTuple):
    """Amount of a scope's memories in one tier.

    `bytes` is None where only a service knows the size; `location` is '' for hot.
    """

    scope: Scope
    tier: Tier
    memories: int
    first: date
    last: date
    tokens: int
    bytes: int | None
    location: str


def iter_tier_rows(tiers: Tiers, only: Scope | None = None) -> Iterator[TierRow]:
    """Yield the amount in each tier, scope by scope; `only` restricts the rows to one scope."""
    archived: dict[tuple[Scope, Tier], list[ArchivedPlace]] = defaultdict(list)
    for archived_place in tiers.journal.places():
        archived[archived_place.place.scope, archived_place.place.tier].append(archived_place)
    scopes = {*tiers.journal.made_scopes(), *(scope for scope, _ in archived)}
    for scope in sorted(scopes & {only} if only else scopes):
        yield from _measure_hot_tier(tiers, scope)
        for tier in (Tier.WARM, Tier.COLD):
            if places := archived.get((scope, tier)):
                yield _measure_archived_tier(tiers, scope, tier, places)


def _measure_hot_tier(tiers: Tiers, scope: Scope) -> Iterator[TierRow]:
    documents = [entry.document for entry in tiers.journal.made(scope)]
    if documents:
        days = [retention.find_memory_day(document, tiers.zone) for document in documents]
        texts = [document.text for document in documents]
        tokens, size_bytes = (
            sum(map(estimate_tokens, texts)),
            sum(len(text.encode("utf-8", "replace")) for text in texts),
        )
        yield TierRow(
            scope=scope,
            tier=Tier.HOT,
            memories=len(documents),
            first=min(days),
            last=max(days),
            tokens=tokens,
            bytes=size_bytes,
            location="",
        )


def _measure_archived_tier(
    tiers: Tiers, scope: Scope, tier: Tier, places: Sequence[ArchivedPlace]
) -> TierRow:
    days = [archived.day for archived in places]
    memories, tokens = (
        sum(archived.memories for archived in places),
        sum(archived.tokens for archived in places),
    )
    location = tiers.shelves[tier].archive(scope).location if tier in tiers.shelves else ""
    sizes = _sum_file_sizes(location, (archived.place.path for archived in places))
    return TierRow(
        scope=scope,
        tier=tier,
        memories=memories,
        first=min(days),
        last=max(days),
        tokens=tokens,
        bytes=sizes,
        location=location,
    )


def _sum_file_sizes(location: str, files: Iterable[str]) -> int | None:
    """Return the bytes of files in a folder; None where the folder is not on this machine."""
    folder = Path(location)
    if not location or not folder.is_dir():
        return None
    # Paths in a vault begin with Gieok's folder, which `location` already names.
    base = [folder, folder.parent]
    paths = (
        next((parent / name for parent in base if (parent / name).is_file()), None)
        for name in files
    )
    return sum(file.stat().st_size for file in paths if file)
