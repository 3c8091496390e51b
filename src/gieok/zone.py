"""The zone in which a person's days are: the setting `zone`, else the machine's.

Stores keep UTC; whoever shows a day asks here.

The hook, which has no time for `datetime`, sets the clock of its process instead:
`places.set_process_zone`.
"""

import os
from datetime import UTC, date, datetime, timedelta, tzinfo

from gieok.places import AUTO_ZONE

_LINK = "/etc/localtime"
_NAMES = "zoneinfo/"


class MachineZone(tzinfo):
    """The zone of the machine, at every time: an offset of now is wrong on the other side of a
    change of clocks.
    """

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """Return the offset at a wall clock time; of one that comes twice, `fold` says which."""
        return dt.replace(tzinfo=None).astimezone().utcoffset() if dt else None

    def dst(self, dt: datetime | None, /) -> None:
        """Say nothing: how much of the offset is daylight saving is not known."""

    def tzname(self, dt: datetime | None, /) -> str | None:
        """Return the zone's name at a wall clock time."""
        return dt.replace(tzinfo=None).astimezone().tzname() if dt else None

    def fromutc(self, dt: datetime, /) -> datetime:
        """Return the wall clock time of a time in UTC."""
        local = dt.replace(tzinfo=UTC).astimezone()
        wall = local.replace(tzinfo=None)
        return wall.replace(tzinfo=self, fold=wall.astimezone().utcoffset() != local.utcoffset())

    @property
    def key(self) -> str:
        """Return its name, such as Asia/Seoul; '' where the machine does not tell it."""
        told = os.environ.get("TZ", "").lstrip(":")
        if not told and os.path.islink(_LINK):  # noqa: PTH114 - the hook has no time for Path
            told = os.path.realpath(_LINK)
        name = told.rpartition(_NAMES)[2] if _NAMES in told else told
        return (
            name if name == "UTC" or ("/" in name.strip("/") and not name.startswith("/")) else ""
        )


def find_zone(name: str) -> tzinfo:
    """Return the zone of a name, the machine's for `auto` and ''. Raises ValueError for an unknown
    one.
    """
    if name in ("", AUTO_ZONE):
        return MachineZone()
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    # OSError: it is a folder of zones, or a very long name
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name[:80]!r}") from error


def find_zone_name(zone: tzinfo) -> str:
    """Return the name of a zone by which `find_zone` finds it; '' for the machine's where that has
    none.
    """
    return "UTC" if zone is UTC else str(getattr(zone, "key", ""))


def day_in(moment: datetime, zone: tzinfo) -> date:
    """Return the day of a moment where a person is."""
    return moment.astimezone(zone).date()
