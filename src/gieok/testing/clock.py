"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """`Clock` for tests."""

    def __init__(self, now: datetime = datetime(2026, 11, 21, 12, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        """Return the time that the clock was set to."""
        return self._now

    def advance(self, step: timedelta) -> None:
        """Move the clock forward (or back: real clocks jump too)."""
        self._now += step
