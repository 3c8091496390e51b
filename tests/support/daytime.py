"""A time zone in which it is the middle of the day, for tests that compare with today's date."""

from datetime import UTC, datetime, timedelta


def find_noon_zone() -> tuple[str, str]:
    """Return a zone in which it is now between 12 and 1 o'clock, and today's date there.

    Until midnight comes to that zone, hours pass: a test that starts now ends on the same day.
    """
    now = datetime.now(UTC)
    east = 12 - now.hour
    # `Etc/GMT-9` is nine hours east of Greenwich.
    return f"Etc/GMT{-east:+d}", (now + timedelta(hours=east)).date().isoformat()
