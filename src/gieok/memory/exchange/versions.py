"""Versions of what several devices change: which of two holds, and whether one knew the other.

Every device decides the same from the same versions, in whatever order they arrive.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ItemVersion(NamedTuple):
    """State of an item: when and on which device it was changed, and what the device knew then.

    `at` is UTC in ISO form with microseconds, so that texts compare as times do. `known` is device
    → number of its changes of this item that are part of this state. `digest` is that of the
    content, '' where the item was removed.
    """

    at: str
    device: str
    known: Mapping[str, int]
    digest: str

    def dump(self) -> str:
        """Return the version as JSON."""
        return json.dumps([self.at, self.device, dict(self.known), self.digest])

    @property
    def rank(self) -> tuple[str, str, str]:
        """Return what decides between versions that did not know each other: the later holds."""
        return (self.at, self.device, self.digest)


class VersionOrder(Enum):
    """What a version that arrives is beside the one that is held."""

    #: It is part of what is held.
    OLD = "old"
    #: It was made of what is held.
    NEW = "new"
    #: Neither knew the other, and the one that arrives is later.
    LATER = "later"
    #: Neither knew the other, and the one that is held is later.
    EARLIER = "earlier"


def load_version(text: str) -> ItemVersion:
    """Return the version in a JSON text. Raises ValueError or TypeError."""
    at, device, known, digest = json.loads(text)
    return ItemVersion(
        str(at), str(device), {str(name): int(count) for name, count in known.items()}, str(digest)
    )


def format_time(moment: datetime) -> str:
    """Return a time in the form of `ItemVersion.at`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def format_file_time(changed_ns: int) -> str:
    """Return the time of a file, in nanoseconds, in the form of `ItemVersion.at`."""
    return format_time(_EPOCH + timedelta(microseconds=changed_ns // 1_000))


def parse_file_time(text: str) -> int:
    """Return a time in the form of `ItemVersion.at` as that of a file, in nanoseconds."""
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1) * 1_000


def find_next_time(before: str) -> str:
    """Return the first time behind one; '' for none."""
    if not before:
        return ""
    return format_time(datetime.fromisoformat(before) + timedelta(microseconds=1))


def build_next_version(
    before: ItemVersion | None, device: str, at: str, digest: str
) -> ItemVersion:
    """Return the version of a change that a device made to what it held.

    A change is never dated before what it changes, even where the device's clock is slow.
    """
    if before is None:
        return ItemVersion(at, device, {device: 1}, digest)
    soonest = find_next_time(before.at)
    known = {**before.known, device: before.known.get(device, 0) + 1}
    return ItemVersion(max(at, soonest), device, known, digest)


def compare_versions(held: ItemVersion | None, fresh: ItemVersion) -> VersionOrder:
    """Return what a version that arrives means beside the one that is held.

    A change is dated behind what it changes. One that counts more changes and is earlier is of a
    home that was put back to an earlier state and counted on from there: the counts are of others,
    and neither knew the other.
    """
    if held is None:
        return VersionOrder.NEW
    is_later = fresh.rank > held.rank
    # Two copies of one home count alike: then the content tells that they are two.
    if held.digest == fresh.digest or dict(held.known) != dict(fresh.known):
        if _is_known_to(fresh, held) and not is_later:
            return VersionOrder.OLD
        if _is_known_to(held, fresh) and is_later:
            return VersionOrder.NEW
    return VersionOrder.LATER if is_later else VersionOrder.EARLIER


def join_versions(held: ItemVersion | None, fresh: ItemVersion) -> ItemVersion:
    """Return the later of two versions, which from now on knows both."""
    if held is None:
        return fresh
    later = max(held, fresh, key=lambda version: version.rank)
    devices = sorted({*held.known, *fresh.known})
    known = {one: max(held.known.get(one, 0), fresh.known.get(one, 0)) for one in devices}
    return later._replace(known=known)


def _is_known_to(older: ItemVersion, newer: ItemVersion) -> bool:
    return all(newer.known.get(device, 0) >= count for device, count in older.known.items())
