"""A clock that stands still until it is moved."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """`Clock` for tests."""

    def __init__(self, now: datetime = datetime(2026, 11, 21, 12, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self._now

    def advance(self, step: timedelta) -> None:
        """Move forward (or back: clocks jump)."""
        self._now += step
