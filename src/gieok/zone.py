"""The person's time zone: the setting `zone`, else the zone of the machine.

Stores keep UTC; code that shows a day asks this module. The hook, which has no time for `datetime`,
sets the zone of its process instead: `process_zone`.
"""

import os
from datetime import UTC, date, datetime, timedelta, tzinfo

from gieok.process_zone import AUTO_ZONE

_LINK = "/etc/localtime"
_NAMES = "zoneinfo/"


class MachineZone(tzinfo):
    """The zone of the machine, with the right offset at every time.

    The current offset alone would be wrong on the other side of a daylight saving change.
    """

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """Return the offset at a wall clock time; `fold` says which of two equal times is meant."""
        return dt.replace(tzinfo=None).astimezone().utcoffset() if dt else None

    def dst(self, dt: datetime | None, /) -> None:
        """Return None: the share of daylight saving in the offset is not known."""

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
        """Return the name of the zone, such as Asia/Seoul.

        '' where the machine does not tell the name.
        """
        zone = os.environ.get("TZ", "").lstrip(":")
        if not zone and os.path.islink(_LINK):  # noqa: PTH114 - the hook has no time for Path
            zone = os.path.realpath(_LINK)
        name = zone.rpartition(_NAMES)[2] if _NAMES in zone else zone
        return (
            name if name == "UTC" or ("/" in name.strip("/") and not name.startswith("/")) else ""
        )


def find_zone(name: str) -> tzinfo:
    """Return the zone with a name; the machine's zone for `auto` and ''.

    Raises ValueError for an unknown name.
    """
    if name in ("", AUTO_ZONE):
        return MachineZone()
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    # OSError: the name is that of a folder of zones, or very long
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name[:80]!r}") from error


def find_zone_name(zone: tzinfo) -> str:
    """Return the name by which `find_zone` finds a zone.

    '' for the zone of a machine that does not tell its name.
    """
    return "UTC" if zone is UTC else str(getattr(zone, "key", ""))


def day_in(moment: datetime, zone: tzinfo) -> date:
    """Return the day of a moment in a zone."""
    return moment.astimezone(zone).date()
